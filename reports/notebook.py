"""The main job in a notebook or script: each step a function of few words, folders and frames in and out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..catalogues.plumbing.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.running.runs import Run
    from ..harness.running.tagger import Tagger
    from ..harness.scoring.classes import Class
    from ..harness.scoring.engine import Alternatives, Counting
    from ..harness.scoring.matching import Pairing
    from ..harness.scoring.scores import Scores
    from ..sentences.corpus import Corpus

    Place = str | os.PathLike[str]
    Finished = Run | str | os.PathLike[str]
    Classes = Mapping[str, str] | Sequence[Class] | str | os.PathLike[str]


@dataclass(frozen=True)
class Suite:
    """A suite folder; it may be given wherever the folder's path may.

    Attributes
    ----------
    folder : Path
    """

    folder: Path

    def __fspath__(self) -> str:
        return os.fspath(self.folder)

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What suite.toml holds."""
        from ..sentences.suites import read_suite_meta

        return read_suite_meta(self.folder)

    @cached_property
    def corpus(self) -> Corpus:
        """The cases as texts, with their gold mentions."""
        from ..sentences.suites import read_suite

        return read_suite(self.folder)

    @property
    def cases(self) -> pd.DataFrame:
        """A row a case."""
        return self.corpus.texts

    @property
    def mentions(self) -> pd.DataFrame:
        """A row a gold mention, with all features."""
        return self.corpus.mentions

    def __len__(self) -> int:
        return int(self.meta["suite"]["cases"])

    def _repr_html_(self) -> str:
        return self.corpus._repr_html_()


def generate(
    out: Place,
    entities: str = "all",
    contexts: str = "all",
    *,
    name: str = "",
    seed: int = 0,
    tag: str = "gp",
    catalogue: Sequence[Place] = (),
    sentences: Sequence[Place] = (),
    force: bool = False,
    max_cases: int = 1_000_000,
    **part: object,
) -> Suite:
    """Make a suite: the entities that a query selects, in the contexts that a query selects.

    Parameters
    ----------
    out : path
        The suite folder to write.
    entities, contexts : str
        Queries.
    name, seed, tag
        The suite's name (its folder's when empty), what all draws hang on, the mentions' tag.
    catalogue, sentences : sequence of path
        Entities and contexts; the bundled ones when none is named.
    force : bool
        Whether a folder that exists is replaced.
    max_cases : int
        More are refused.
    **part
        How they are combined: the keys of a `[[part]]` table of a recipe, such as ``combine="sample"``,
        ``size=200``, ``stratify=["case"]``.

    Raises
    ------
    InputError
        When a query or key is wrong, nothing is selected, or the folder is not empty.

    Examples
    --------
    >>> suite = generate("hyphens", "contains_hyphen", combine="sample", size=100)  # doctest: +SKIP
    """
    from ..catalogues.plumbing.settings import validate
    from ..generator.build import carry_out, make_plan
    from ..generator.recipe import Recipe

    folder = Path(out)
    suite = {
        "name": name or folder.resolve().name,
        "seed": seed,
        "tag": tag,
        "catalogue": [Path(p).as_posix() for p in catalogue],
        "sentences": [Path(p).as_posix() for p in sentences],
    }
    chosen = {"entities": entities, "contexts": contexts, **part}
    recipe = validate({"format": 1, "suite": suite, "part": [chosen]}, Recipe, "generate")
    carry_out(make_plan(recipe), folder, force=force, max_cases=max_cases)
    return Suite(folder)


def run(
    source: Place,
    tagger: str | os.PathLike[str] | Tagger,
    out: Place,
    *,
    options: Mapping[str, str] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Run a tagger over a suite or corpus.

    Parameters
    ----------
    source : path or str
        A suite, or ``FORMAT:PATH``.
    tagger : str, path or Tagger
        A bundled tagger's name, or a specification file.
    out : path
        The run folder. The same run, finished there before, is read again.
    options, jobs, force, progress
        See `tagsuite.harness.running.run.run`.
    """
    from ..harness.running.run import run as run_tagger

    return run_tagger(
        os.fspath(source), tagger, out, options=options, jobs=jobs, force=force, progress=progress
    )


def score(
    found: Finished | None = None,
    *,
    gold: Corpus | Place | None = None,
    predicted: Corpus | pd.DataFrame | str | None = None,
    notions: Sequence[str] | None = None,
    classes: Classes = (),
    by: str | Sequence[str] = (),
    pairing: Pairing = "any",
    alternatives: Alternatives = "none",
    counting: Counting = "text",
    ignore_types: bool = False,
    confidence: float = 0.95,
) -> Scores:
    r"""Score a run, or predictions made elsewhere, per class and notion of correctness.

    Parameters
    ----------
    found : Run or path, optional
        A run, or its folder; else `predicted` is needed.
    gold : Corpus, path or str, optional
        What is scored against; the run's own input when None.
    predicted : Corpus, DataFrame or str, optional
        Mentions over the gold's texts, or ``FORMAT:PATH``.
    notions : sequence of str, optional
        All six when None.
    classes : mapping of str to str, sequence of Class, or path
        Names and queries, or a classes file.
    by : str or sequence of str
        Features whose values are classes.
    pairing, alternatives, counting, ignore_types, confidence
        See ``docs/scoring.md``.

    Returns
    -------
    Scores
        Its `table` is the score table, its `verdicts()` tell of every mention.

    Examples
    --------
    >>> score("runs/kex", classes={"numeral first": r"data ~ /^\d+-/"}).table  # doctest: +SKIP
    """
    from ..harness.running.runs import Run, read_run
    from ..harness.scoring.engine import score as score_mentions
    from ..sentences.formats import read_corpus, read_predictions

    known = read_corpus(os.fspath(gold)) if isinstance(gold, (str, os.PathLike)) else gold
    guesses: Corpus | pd.DataFrame
    name, tagger, gold_part = "", "", ""
    if found is not None and predicted is None:
        done = found if isinstance(found, Run) else read_run(found)
        name, tagger = done.name, f"tagger:{done.tagger}"
        if known is None:
            known, gold_part = done.corpus(), done.signature.partition("|")[0]
        guesses = done.predicted(known)
    elif predicted is not None and found is None and known is not None:
        guesses = read_predictions(predicted, known) if isinstance(predicted, str) else predicted
        name = str(getattr(guesses, "name", ""))
    else:
        raise InputError("what is scored is not clear", allowed="score(run), or score(gold=…, predicted=…)")
    return score_mentions(
        known,
        guesses,
        notions=notions,
        classes=as_classes(classes),
        by=[by] if isinstance(by, str) else by,
        pairing=pairing,
        alternatives=alternatives,
        counting=counting,
        ignore_types=ignore_types,
        confidence=confidence,
        run=name,
        tagger=tagger,
        gold_part=gold_part,
    )


def as_classes(given: Classes) -> list[Class]:
    """Classes from names and queries, from a file, or as they are."""
    from ..harness.scoring.classes import Class, read_classes

    if isinstance(given, Mapping):
        return [Class.of(name, query) for name, query in given.items()]
    if isinstance(given, (str, os.PathLike)):
        return read_classes(given)
    return list(given)


def discover(found: Scores | Finished, *, notion: str = "strict", **limits: Any) -> pd.DataFrame:
    """Find the combinations of features that a tagger fails at.

    Parameters
    ----------
    found : Scores, Run or path
        What `score` gave, or a run.
    notion : str
        What counts as right.
    **limits
        `depth`, `least`, `effect`, `features`, …: see `tagsuite.harness.scoring.discovery.discover`.

    Returns
    -------
    DataFrame
        A row a finding, the most convincing first.
    """
    from ..harness.scoring.discovery.discover import discover as search
    from ..harness.scoring.scores import Scores

    scores = found if isinstance(found, Scores) else score(found, notions=[notion])
    return search(scores, notion=notion, **limits)


def compare(
    found: Finished | Sequence[Finished],
    predictions: Place | None = None,
    *,
    suite: Finished | None = None,
    classes: Place | None = None,
    by: str | Sequence[str] = (),
    notion: str = "strict",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare what was predicted of classes with what a corpus shows.

    Parameters
    ----------
    found : Run, path, or a sequence of these
        Runs over corpora.
    predictions : path, optional
        A predictions file.
    suite : Run or path, optional
        A run over a suite, whose results by `classes` or `by` are the predictions.
    classes : path, optional
        A classes file.
    by : str or sequence of str
        Features whose values are classes.
    notion, confidence
        Of recall and precision; of the intervals.

    Returns
    -------
    DataFrame
        The score table's columns, then expected, observed, difference, verdict and what could be seen at all.
    """
    from ..harness.scoring.comparison.requests import compare_files
    from ..harness.scoring.how import How

    return compare_files(
        [_folder(f) for f in _several(found)],
        How(confidence=confidence),
        predictions=None if predictions is None else Path(predictions),
        suite=None if suite is None else _folder(suite),
        classes=None if classes is None else Path(classes),
        by=[by] if isinstance(by, str) else by,
        notion=notion,
    ).table


def report(
    found: Finished | Sequence[Finished],
    out: Place = "report.html",
    *,
    classes: Place | None = None,
    by: str | Sequence[str] = (),
    predictions: Place | None = None,
    discover: bool = False,
    lists: Mapping[str, str] | None = None,
    title: str = "",
    about: str = "",
    force: bool = False,
) -> Path:
    """Write what runs show as one page that works offline.

    Parameters
    ----------
    found : Run, path, or a sequence of these
        Runs over suites or corpora.
    out : path
        A file (.html, .md, .tex, .json, .csv), or a folder for all of these.
    classes : path, optional
        A classes file.
    by : str or sequence of str
        Features whose values are classes.
    predictions : path, optional
        A predictions file, held against the runs.
    discover : bool
        Whether each run is searched for faults.
    lists : mapping of str to str, optional
        Word lists by name, a file each, for the features ``in_list.NAME``.
    title, about : str
        The heading, and why this was done.
    force : bool
        Whether an output folder is replaced.

    Returns
    -------
    Path
        `out`.
    """
    from ..catalogues.word_lists import read_lists
    from ..harness.scoring.how import How
    from .collecting.files import FileRequest, report_of_files
    from .saving import save

    files = dict(lists or {})
    request = FileRequest(
        runs=tuple(_folder(f) for f in _several(found)),
        classes=None if classes is None else Path(classes),
        by=(by,) if isinstance(by, str) else tuple(by),
        predictions=None if predictions is None else Path(predictions),
        discover=discover,
        title=title,
        about=about,
        lists=tuple(f"{name}={file}" for name, file in files.items()),
        how=How(lists=read_lists(files)),
    )
    save(report_of_files(request, lambda _: None), Path(out), force=force)
    return Path(out)


def _several(found: Finished | Sequence[Finished]) -> list[Finished]:
    from ..harness.running.runs import Run

    return [found] if isinstance(found, (Run, str, os.PathLike)) else list(found)


def _folder(found: Finished) -> Path:
    return Path(found) if isinstance(found, (str, os.PathLike)) else found.folder
