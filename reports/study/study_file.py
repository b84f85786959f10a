"""The study file: its keys, the folders that its paths may name, and its checks before anything runs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from ...catalogues.core.errors import InputError
from ...catalogues.core.settings import Settings, load_settings, make_options, make_settings_model
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
    """The first key of a study file."""

    format: Literal[1]


_EXCLUDED_OPTIONS = ("discovered", "discover", "scores", "invariance")
"""Options of a report whose place a study's own tables take."""


class StudyFile(
    make_settings_model(ReportOptions, base=StudyFormat, excluded=_EXCLUDED_OPTIONS, title=..., least=20)  # type: ignore[misc]  # made from options
):
    """The content of a study file: what heads its report (`ReportOptions`), and what is done.

    Attributes
    ----------
    predictions : str
        A predictions file, compared with every suite and corpus.
    least : int
        Gold mentions that a class needs on both sides before two taggers are called different on it, and on
        the report's first screen.
    """

    suite: list[SuiteEntry] = Field(default_factory=list)
    corpus: list[CorpusEntry] = Field(default_factory=list)
    terms: list[TermsEntry] = Field(default_factory=list)
    tagger: list[TaggerEntry] = Field(default_factory=list)
    recorded: list[RecordedEntry] = Field(default_factory=list)
    evaluation: list[TaskSection] = Field(default_factory=list)
    """Published evaluations to make as well; the options of `tagsuite evaluate`."""
    score: ScoreEntry = ScoreEntry()
    discover: DiscoverEntry | None = None
    """Search for faults; nothing is searched when left out."""
    invariance: InvarianceEntry | None = None
    """Run the taggers over perturbed texts too; nothing is perturbed when left out."""
    transfer: TransferEntry | None = None
    """Carry the suites' results over to a composition; nothing is expected when left out."""
    calibrate: CalibrateEntry | None = None
    """Calibrate the suites' estimates with annotated corpora; not done when left out."""
    acceptance: str = ""
    """A criteria file; the study's exit status is 1 when a criterion fails."""
    accept_on: list[str] = Field(default_factory=list)
    """The suites and corpora that the criteria are judged on; the suites when empty."""

    @model_validator(mode="after")
    def _names_agree(self) -> StudyFile:
        inputs = [*(s.name for s in self.suite), *(c.name for c in self.corpus)]
        if not inputs and not self.evaluation:
            raise ValueError("a study needs at least one [[suite]] or [[corpus]] (or [[evaluation]])")
        if inputs and not self.tagger and not self.recorded:
            raise ValueError("a study needs at least one [[tagger]] or [[recorded]]")
        twice = sorted({n for n in inputs if inputs.count(n) > 1})
        if self.transfer is not None and not self.suite:
            raise ValueError("transfer: nothing to carry over without a [[suite]]")
        if self.calibrate is not None and not (self.suite and self.corpus):
            raise ValueError("calibrate: a [[suite]] and an annotated [[corpus]] are needed")
        if twice:
            raise ValueError(f"two suites or corpora of one name: {', '.join(twice)}")
        for where, named in (
            *((f"tagger {one.name}", one.on) for one in self.tagger),
            ("accept_on", self.accept_on),
            ("discover", self.discover.on if self.discover else []),
            ("invariance", self.invariance.on if self.invariance else []),
            ("calibrate", self.calibrate.on if self.calibrate else []),
            *((f"recorded {one.name}", [one.on]) for one in self.recorded),
        ):
            unknown = [n for n in named if n not in inputs]
            if unknown:
                raise ValueError(f"{where}: no suite or corpus named {', '.join(unknown)}")
        if self.invariance is not None and not self.tagger:
            raise ValueError("invariance: nothing to run over perturbed texts without a [[tagger]]")
        runs = [(t.name, n) for t in self.tagger for n in (t.on or inputs)]
        runs += [(r.name, r.on) for r in self.recorded]
        double = sorted({r for r in runs if runs.count(r) > 1})
        if double:
            raise ValueError(f"two runs of {double[0][0]} on {double[0][1]}")
        return self

    def select_sources(self, names: list[str]) -> list[str]:
        """The suites and corpora that are named; all suites when none is, or all corpora without suites."""
        return names or [s.name for s in self.suite] or [c.name for c in self.corpus]


@dataclass(frozen=True)
class StudyPaths:
    """The folders that a study's paths may name.

    Attributes
    ----------
    file : Path
        The study file.
    out : Path
        The study's results (``{out}``).
    data : Path or None
        Corpora that are not the project's (``{data}``): `--data`, or the variable TAGSUITE_DATA.
    """

    file: Path
    out: Path
    data: Path | None

    @property
    def folder(self) -> Path:
        """The study file's folder (``{here}``); relative paths begin there too."""
        return self.file.resolve().parent

    @classmethod
    def from_file(cls, file: Path, out: Path, data: Path | None) -> StudyPaths:
        """The places of a study file; `data` falls back on the environment."""
        named = data or (Path(v) if (v := os.environ.get("TAGSUITE_DATA")) else None)
        if named is not None and not named.is_dir():
            raise InputError("no such data folder", file=named, allowed="--data DIR or TAGSUITE_DATA")
        return cls(file, out.resolve(), None if named is None else named.resolve())

    def fill_placeholders(self, text: str) -> str:
        """Replace ``{here}``, ``{out}``, ``{data}`` and ``{sentences}`` by their folders."""

        def folder(match: re.Match[str]) -> str:
            name = match[1]
            if name == "data" and self.data is None:
                raise InputError(
                    "the study uses {data}, but no data folder is given",
                    allowed="--data DIR or TAGSUITE_DATA",
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
        """A file of the study; relative paths begin in its folder."""
        return self.folder / self.fill_placeholders(text)

    def resolve_spec(self, text: str) -> str:
        """``FORMAT:PATH`` (or a suite folder) with its path made absolute."""
        filled = self.fill_placeholders(text)
        match = FORMAT_PREFIX.match(filled)
        if match is None:
            return str(self.folder / filled)
        return match[0] + str(self.folder / filled[match.end() :])

    def list_inputs(self, study: StudyFile) -> list[Path]:
        """Return the files and folders that a study names, except those that it writes itself (``{out}``)."""
        named = [study.acceptance, study.predictions, study.score.classes, *study.score.lists.values()]
        named += [*(s.recipe for s in study.suite), *(c.gold for c in study.corpus)]
        named += [*(one.predicted for one in study.recorded), *(one.tagger for one in study.tagger)]
        given = (self.resolve_spec(name) for name in named if name and "{out}" not in name)
        return [Path(split_spec(place)[1]) for place in given]

    def resolve_composition(self, text: str) -> str:
        """Return the name of a bundled composition unchanged, and a file as a path."""
        return text if not text or text in list_bundled() else str(self.resolve_path(text))

    def resolve_tagger(self, text: str) -> str:
        """A bundled tagger's name as it is, a specification file as a path."""
        filled = self.fill_placeholders(text)
        return str(self.folder / filled) if filled.endswith(".toml") else filled


def make_transfer_options(study: StudyFile, places: StudyPaths) -> TransferOptions:
    """What the study carries over, and how; a composition that is not bundled is a file of the study."""
    if study.transfer is None:
        return TransferOptions()
    options = make_options(TransferOptions, study.transfer)
    return replace(options, standardise=places.resolve_composition(options.standardise))


@contextmanager
def locate_errors(file: Path, key: str) -> Iterator[None]:
    """Give errors that name no file their place: the study, and the key's path in it."""
    try:
        yield
    except InputError as error:
        if error.file is None:
            error.file = str(file)
            error.problem = f"{key}: {error.problem}"
        raise


def read_study(file: Path, places: StudyPaths | None = None) -> StudyFile:
    """Read a study file; with `places`, check the files, criteria and specifications that it names too.

    Raises
    ------
    InputError
        With the file or the key at fault, minutes before it would be needed.
    """
    study = load_settings(file, StudyFile)
    for i, suite in enumerate(study.suite, start=1):
        for j, part in enumerate(suite.part, start=1):
            check_names(part.options, file, f"suite[{i}].part[{j}]")
    for i, terms in enumerate(study.terms, start=1):
        Query.parse(terms.entities, ("entity",), file=file, key=f"terms[{i}].entities")
    if places is not None:
        _check(study, places)
    return study


def _check(study: StudyFile, places: StudyPaths) -> None:
    file = places.file
    checks: list[tuple[str, Callable[[], object]]] = [
        *((f"tagger[{i}]", partial(make_options, RepeatOptions, t)) for i, t in enumerate(study.tagger, 1)),
        *((f"score.by[{i}]", partial(parse_by_option, by)) for i, by in enumerate(study.score.by, 1)),
        *((f"score.notions[{i}]", partial(find_notion, n)) for i, n in enumerate(study.score.notions, 1)),
        *(
            (f"tagger[{i}].tagger", partial(_find_tagger, places, tagger))
            for i, tagger in enumerate(study.tagger, 1)
        ),
        ("transfer.standardise", partial(_read_composition, study, places)),
    ]
    if study.invariance is not None:
        checks.append(("invariance", partial(make_options, PerturbOptions, study.invariance)))
    named = {"score.classes": study.score.classes, "predictions": study.predictions}
    named["acceptance"] = study.acceptance
    named |= {
        f"score.lists.{n}": f for n, f in study.score.lists.items() if not f.startswith(WORDFREQ_PREFIX)
    }
    checks += [(key, partial(_find_file, places, key, name)) for key, name in named.items() if name]
    for key, check in checks:
        with locate_errors(file, key):
            check()
    if study.acceptance:
        _check_criteria(study, places)
    for corpus in study.corpus:
        _, path, _ = parse_spec(places.resolve_spec(corpus.gold))
        if not path.exists():
            raise InputError(
                f"corpus {corpus.name}: no such file or folder",
                file=path,
                allowed='gold = "FORMAT:PATH", the path relative to the folder of the study file',
            )


def _find_tagger(places: StudyPaths, tagger: TaggerEntry) -> None:
    find_specification(places.resolve_tagger(tagger.tagger))


def _read_composition(study: StudyFile, places: StudyPaths) -> None:
    options = make_transfer_options(study, places)
    calibrated = places.resolve_composition(study.calibrate.composition) if study.calibrate else ""
    for name in filter(None, (options.standardise, calibrated)):
        read_composition(name)


def _find_file(places: StudyPaths, key: str, name: str) -> None:
    if not places.resolve_path(name).is_file():
        raise InputError(
            f"no such file; {key} in {places.file} names it, relative to that file's folder",
            file=places.resolve_path(name),
        )


def _check_criteria(study: StudyFile, places: StudyPaths) -> None:
    """Refuse criteria about repetitions and notions that the study does not have."""
    path = places.resolve_path(study.acceptance)
    scored = [find_notion(n).name for n in study.score.notions]
    once = [t.name for t in study.tagger if t.times < 2] + [r.name for r in study.recorded]
    for criterion in read_criteria(path):
        lacking = [n for n in once if not criterion.runs or n in criterion.runs]
        if criterion.limits.max_flips is not None and lacking:
            raise InputError(
                f"class {criterion.class_.name}: max_flips needs repetitions",
                file=path,
                found=f"{', '.join(lacking)}, run once",
                allowed=f"times = K of each tagger (in {places.file}), or runs = [...] of the criterion",
            )
        if scored and criterion.notion not in scored:
            raise InputError(
                f"class {criterion.class_.name}: the study does not score this notion",
                file=path,
                found=criterion.notion,
                allowed=f"{', '.join(scored)} (score.notions in {places.file})",
            )
