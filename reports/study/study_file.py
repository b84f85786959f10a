"""Study file: its keys, the placeholders in its paths, and the checks before a study runs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from ...catalogues.core.errors import InputError
from ...catalogues.core.settings import Settings, load_settings, make_options, make_settings_model
from ...catalogues.own_features import use_recorded_taxonomy
from ...catalogues.query import Query
from ...catalogues.word_lists import WORDFREQ_PREFIX
from ...generator.perturbing.options import PerturbOptions
from ...generator.recipe_file import check_names
from ...harness.running.lookup import find_specification
from ...harness.running.repeats import RepeatOptions
from ...harness.scoring.acceptance.criteria import read_criteria
from ...harness.scoring.division import parse_by_option
from ...harness.scoring.notions import find_notion
from ...harness.scoring.transfer.composition import list_bundled, read_composition
from ...harness.scoring.transfer.options import TransferOptions
from ...harness.tasks.section import TaskSection
from ...sentences.formats.registry import parse_spec, split_spec
from ..options import ReportOptions
from .entries import (
    CalibrateEntry,
    CorpusEntry,
    DiscoverEntry,
    InvarianceEntry,
    RecordedEntry,
    ScoreEntry,
    SuiteEntry,
    TaggerEntry,
    TermsEntry,
    TransferEntry,
)

PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
FORMAT_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_]+(?:\[[^\]]*\])?:")


class StudyFormat(Settings):
    """Key `format` of a study file, with the version of the file format."""

    format: Literal[1]


_EXCLUDED_OPTIONS = ("discovered", "discover", "scores", "invariance")
"""Report options that are not keys of a study file, because it has tables for the same purposes."""


class StudyFile(
    make_settings_model(ReportOptions, base=StudyFormat, excluded=_EXCLUDED_OPTIONS, title=..., least=20)  # type: ignore[misc]  # made from options
):
    """Content of a study file; further keys are the options of the report (see `ReportOptions`).

    Attributes
    ----------
    predictions : str
        Predictions file that is compared with the results on every suite and corpus.
    least : int
        Minimum number of gold mentions per class in comparisons of taggers and on the first screen of the
        report.
    """

    taxonomy: list[str] = Field(default_factory=list)
    """Files with features of your own."""
    suite: list[SuiteEntry] = Field(default_factory=list)
    corpus: list[CorpusEntry] = Field(default_factory=list)
    terms: list[TermsEntry] = Field(default_factory=list)
    tagger: list[TaggerEntry] = Field(default_factory=list)
    recorded: list[RecordedEntry] = Field(default_factory=list)
    evaluation: list[TaskSection] = Field(default_factory=list)
    """Published evaluations to run as part of the study, with the options of `tagsuite evaluate`."""
    score: ScoreEntry = ScoreEntry()
    discover: DiscoverEntry | None = None
    """Options of the search for faults; if missing, no search is made."""
    invariance: InvarianceEntry | None = None
    """Options of the invariance tests; if missing, no tests are run."""
    transfer: TransferEntry | None = None
    """Options for estimating results on corpora from results on suites; if missing, nothing is estimated."""
    calibrate: CalibrateEntry | None = None
    """Options for calibrating estimates with annotated corpora; if missing, nothing is calibrated."""
    acceptance: str = ""
    """File of acceptance criteria; the exit status of the study is 1 if a criterion fails."""
    accept_on: list[str] = Field(default_factory=list)
    """Suites and corpora to check; if empty, all suites, or all corpora if there is no suite."""

    @model_validator(mode="after")
    def _names_agree(self) -> StudyFile:
        inputs = [*(s.name for s in self.suite), *(c.name for c in self.corpus)]
        if not inputs and not self.evaluation:
            raise ValueError("a study needs at least one [[suite]] or [[corpus]] (or [[evaluation]])")
        if inputs and not self.tagger and not self.recorded:
            raise ValueError("a study needs at least one [[tagger]] or [[recorded]]")
        twice = sorted({n for n in inputs if inputs.count(n) > 1})
        if self.transfer is not None and not self.suite:
            raise ValueError("transfer needs at least one [[suite]]")
        if self.calibrate is not None and not (self.suite and self.corpus):
            raise ValueError("calibrate needs at least one [[suite]] and one annotated [[corpus]]")
        if twice:
            raise ValueError(f"two suites or corpora have the same name: {', '.join(twice)}")
        for where, named in (
            *((f"tagger {one.name}", one.on) for one in self.tagger),
            ("accept_on", self.accept_on),
            ("discover", self.discover.on if self.discover else []),
            ("invariance", self.invariance.on if self.invariance else []),
            ("calibrate", self.calibrate.on if self.calibrate else []),
            ("transfer", self.transfer.evidence if self.transfer else []),
            *((f"recorded {one.name}", [one.on]) for one in self.recorded),
        ):
            unknown = [n for n in named if n not in inputs]
            if unknown:
                raise ValueError(f"{where}: no suite or corpus named {', '.join(unknown)}")
        if self.invariance is not None and not self.tagger:
            raise ValueError("invariance needs at least one [[tagger]]")
        runs = [(t.name, n) for t in self.tagger for n in (t.on or inputs)]
        runs += [(r.name, r.on) for r in self.recorded]
        double = sorted({r for r in runs if runs.count(r) > 1})
        if double:
            raise ValueError(f"duplicate run: {double[0][0]} on {double[0][1]}")
        return self

    def select_sources(self, names: list[str]) -> list[str]:
        """Return `names` or, if empty, the names of all suites (of all corpora if there is no suite)."""
        return names or [s.name for s in self.suite] or [c.name for c in self.corpus]


@dataclass(frozen=True)
class StudyPaths:
    """Folders that paths in a study file can refer to.

    Attributes
    ----------
    file : Path
        Study file.
    out : Path
        Output folder of the study (``{out}``).
    data : Path or None
        Folder of further corpora (``{data}``): `--data`, or the environment variable TAGSUITE_DATA.
    """

    file: Path
    out: Path
    data: Path | None

    @property
    def folder(self) -> Path:
        """Folder of the study file (``{here}``), to which paths are relative."""
        return self.file.resolve().parent

    @classmethod
    def from_file(cls, file: Path, out: Path, data: Path | None) -> StudyPaths:
        """Return the folders of a study file; `data` defaults to the environment variable TAGSUITE_DATA."""
        folder = data or (Path(v) if (v := os.environ.get("TAGSUITE_DATA")) else None)
        if folder is not None and not folder.is_dir():
            raise InputError("no such data folder; correct --data or TAGSUITE_DATA", file=folder)
        return cls(file, out.resolve(), None if folder is None else folder.resolve())

    def fill_placeholders(self, text: str) -> str:
        """Replace the placeholders ``{here}``, ``{out}``, ``{data}`` and ``{sentences}`` with folders."""

        def folder(match: re.Match[str]) -> str:
            name = match[1]
            if name == "data" and self.data is None:
                raise InputError(
                    "the study uses {data}, but no data folder is set; set it with --data or TAGSUITE_DATA"
                )
            known = {
                "here": self.folder,
                "out": self.out,
                "data": self.data,
                "sentences": resources.files("tagsuite.sentences"),
            }
            if name not in known:
                raise InputError(
                    "unknown placeholder", found=match[0], allowed=", ".join(f"{{{k}}}" for k in known)
                )
            return str(known[name])

        return PLACEHOLDER.sub(folder, text)

    def resolve_path(self, text: str) -> Path:
        """Resolve the path of a file named in the study; it may be relative to the study file."""
        return self.folder / self.fill_placeholders(text)

    def resolve_spec(self, text: str) -> str:
        """Return ``FORMAT:PATH`` (or a suite folder) with an absolute path."""
        filled = self.fill_placeholders(text)
        match = FORMAT_PREFIX.match(filled)
        if match is None:
            return str(self.folder / filled)
        return match[0] + str(self.folder / filled[match.end() :])

    def list_inputs(self, study: StudyFile) -> list[Path]:
        """Return the files and folders that a study reads, except those in its output folder."""
        named = [study.acceptance, study.predictions, study.score.classes, *study.score.lists.values()]
        named += [*(s.recipe for s in study.suite), *(c.gold for c in study.corpus)]
        named += [file for s in study.suite for file in (*s.catalogue, *s.sentences)]
        named += [*(one.predicted for one in study.recorded), *(one.tagger for one in study.tagger)]
        given = (self.resolve_spec(name) for name in named if name and "{out}" not in name)
        return [Path(split_spec(place)[1]) for place in given]

    def resolve_composition(self, text: str) -> str:
        """Return the name of a bundled composition unchanged, or the path of a composition file."""
        return text if not text or text in list_bundled() else str(self.resolve_path(text))

    def resolve_tagger(self, text: str) -> str:
        """Return the name of a bundled tagger unchanged, or the path of a specification file."""
        filled = self.fill_placeholders(text)
        return str(self.folder / filled) if filled.endswith(".toml") else filled


def make_transfer_options(study: StudyFile, places: StudyPaths) -> TransferOptions:
    """Return the options of the table ``[transfer]``, with the path of a composition file resolved."""
    if study.transfer is None:
        return TransferOptions()
    options = make_options(TransferOptions, study.transfer)
    return replace(options, standardise=places.resolve_composition(options.standardise))


@contextmanager
def locate_errors(file: Path, key: str) -> Iterator[None]:
    """Return a context manager that adds the study file and a key to errors that lack a file name."""
    try:
        yield
    except InputError as error:
        if error.file is None:
            error.file = str(file)
            error.problem = f"{key}: {error.problem}"
        raise


def read_study(file: Path, places: StudyPaths | None = None) -> StudyFile:
    """Read a study file; if `places` are given, also check the files that it names.

    Raises
    ------
    InputError
        If the study file or a file that it names is invalid; the message names the file or the key.
    """
    study = load_settings(file, StudyFile)
    use_recorded_taxonomy(study.taxonomy, file.parent)
    for i, suite in enumerate(study.suite, start=1):
        for j, part in enumerate(suite.part, start=1):
            check_names(part.options, file, f"suite[{i}].part[{j}]")
    for i, terms in enumerate(study.terms, start=1):
        Query.parse(terms.entities, ("entity",), file=file, key=f"terms[{i}].entities")
    if places is not None:
        _check(study, places)
    return study


def _check(study: StudyFile, places: StudyPaths) -> None:
    def check(key: str, function: Callable[..., object], *arguments: object) -> None:
        with locate_errors(places.file, key):
            function(*arguments)

    def read_compositions() -> None:
        calibrated = places.resolve_composition(study.calibrate.composition) if study.calibrate else ""
        for name in filter(None, (make_transfer_options(study, places).standardise, calibrated)):
            read_composition(name)

    for i, tagger in enumerate(study.tagger, 1):
        check(f"tagger[{i}]", make_options, RepeatOptions, tagger)
        check(f"tagger[{i}].tagger", find_specification, places.resolve_tagger(tagger.tagger))
    for i, by in enumerate(study.score.by, 1):
        check(f"score.by[{i}]", parse_by_option, by)
    for i, notion in enumerate(study.score.notions, 1):
        check(f"score.notions[{i}]", find_notion, notion)
    check("transfer.standardise", read_compositions)
    if study.invariance is not None:
        check("invariance", make_options, PerturbOptions, study.invariance)
    lists = {f"score.lists.{name}": file for name, file in study.score.lists.items()}
    named = {"score.classes": study.score.classes, "predictions": study.predictions, **lists}
    for key, name in {**named, "acceptance": study.acceptance}.items():
        if name and not name.startswith(WORDFREQ_PREFIX) and not places.resolve_path(name).is_file():
            raise InputError(
                f"no such file ({key} in {places.file}; paths are relative to that file)",
                file=places.resolve_path(name),
            )
    if study.acceptance:
        _check_criteria(study, places)
    for corpus in study.corpus:
        _, path, _ = parse_spec(places.resolve_spec(corpus.gold))
        if not path.exists():
            raise InputError(
                f"corpus {corpus.name}: no such file or folder; gold must be FORMAT:PATH, with "
                "a path relative to the study file",
                file=path,
            )


def _check_criteria(study: StudyFile, places: StudyPaths) -> None:
    """Raise InputError if a criterion needs repetitions or a notion that the study does not have."""
    path = places.resolve_path(study.acceptance)
    scored = [find_notion(n).name for n in study.score.notions]
    once = [t.name for t in study.tagger if t.times < 2] + [r.name for r in study.recorded]
    for criterion in read_criteria(path):
        lacking = [n for n in once if not criterion.runs or n in criterion.runs]
        if criterion.limits.max_flips is not None and lacking:
            raise InputError(
                f"class {criterion.class_.name}: max_flips needs repetitions; set times = K for each tagger "
                f"(in {places.file}), or list taggers with repetitions in the criterion (runs = [...])",
                file=path,
                found=f"taggers without repetitions: {', '.join(lacking)}",
            )
        if scored and criterion.notion not in scored:
            raise InputError(
                f"class {criterion.class_.name}: this notion of correctness is not scored; add it to "
                f"score.notions in {places.file}",
                file=path,
                found=criterion.notion,
                allowed=", ".join(scored),
            )
