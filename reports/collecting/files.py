"""From files named on the command line to a report."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import read_text
from ...catalogues.core.spreadsheets import original
from ...catalogues.core.tables import say as warn_on_screen
from ...catalogues.core.toml import parse_toml
from ...harness.evaluation import unknown_types
from ...harness.scoring.classes import Class, read_classes
from ...harness.scoring.comparison.compare import compare
from ...harness.scoring.comparison.predictions import Prediction, read_predictions_file
from ...harness.scoring.options import ScoringOptions
from ...harness.scoring.table import SCORE_COLUMNS
from ...harness.tasks.section import SectionResult
from ..model import Report
from .building import build_report
from .discovering import discover_entries
from .entries import RunEntry, entries_of
from .evaluations import usual_columns
from .words import counted

NUMBERS = tuple(c for c in SCORE_COLUMNS[SCORE_COLUMNS.index("gold") :] if c not in ("interval", "signature"))
"""Columns of a score table that hold counts and shares."""

BY = ("name_vs_symbol", "case", "position")
"""Features that make classes where none are asked for."""


@dataclass(frozen=True)
class FileRequest:
    """What is asked for; see `tagsuite report --help`."""

    runs: tuple[Path, ...] = ()
    classes: Path | None = None
    by: tuple[str, ...] = ()
    predictions: Path | None = None
    discovered: tuple[Path, ...] = ()
    discover: bool = False
    scores: tuple[Path, ...] = ()
    title: str = ""
    about: str = ""
    least: int = 10
    options: ScoringOptions = field(default_factory=ScoringOptions)


def report_of_files(
    request: FileRequest, say: Callable[[str], None], warn: Callable[[str], None] = warn_on_screen
) -> Report:
    """Read, score, compare and put together; `warn` is told what the reader of the report is told too."""
    predictions = read_predictions_file(request.predictions) if request.predictions else []
    named = joined(read_classes(request.classes) if request.classes else [], predictions, request.predictions)
    by = request.by or (() if named else BY)
    if request.runs:
        say(f"scoring {counted(len(request.runs), 'run')}")
    entries = entries_of(request.runs, named, by, request.options)
    compared = None
    if predictions and entries:
        frames = []
        for entry in entries:
            found = compare(entry.scores, predictions, confidence=request.options.confidence)
            frames.append(found.assign(run=entry.tagger, corpus=entry.source))
        compared = pd.concat(frames, ignore_index=True)
    discovered = {_title(p): read_discovered(p) for p in request.discovered}
    if request.discover:
        discovered |= discover_entries(entries, confidence=request.options.confidence, say=say)
    notes = [n for e in _first_of_sources(entries) for n in e.scores.corpus.notes]
    for entry in entries:
        unknown = unknown_types(entry.scores)
        if unknown:
            notes.append(f"{entry.tagger} on {entry.source}: {unknown}")
            warn(notes[-1])
    return build_report(
        entries,
        title=request.title,
        about=request.about,
        compared=compared,
        discovered=discovered,
        evaluations=[_evaluation(p) for p in request.scores],
        commands=commands(request, entries),
        notes=notes,
        least=request.least,
        confidence=request.options.confidence,
    )


def _evaluation(path: Path) -> SectionResult:
    table = read_scores(path)
    return SectionResult(_title(path), table, usual_columns(table), ())


def _title(path: Path) -> str:
    return path.parent.name if path.stem in ("scores", "discovered") and path.parent.name else path.stem


def _first_of_sources(entries: list[RunEntry]) -> list[RunEntry]:
    return list({e.source: e for e in reversed(entries)}.values())[::-1]


def joined(classes: list[Class], predictions: list[Prediction], file: Path | None) -> list[Class]:
    """Classes and those of predictions, each name once.

    Raises
    ------
    InputError
        When one name has two queries.
    """
    found = {c.name: c for c in classes}
    for one in predictions:
        known = found.setdefault(one.name, one.as_class)
        if str(known.query) != str(one.query):
            raise InputError("two classes of one name and different queries", file=file, found=one.name)
    return list(found.values())


def read_scores(path: Path) -> pd.DataFrame:
    """Read a score table: CSV, or JSON as ``{"scores": [row, …]}``."""
    text = read_text(path)
    if path.suffix.lower() == ".json":
        import orjson

        try:
            document = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise InputError(f"not JSON: {error}", file=path) from None
        rows = document.get("scores") if isinstance(document, dict) else None
        if not isinstance(rows, list):
            raise InputError("no score table", file=path, allowed='{"scores": [row, ...]}')
        table = pd.DataFrame(rows)
    else:
        table = _csv(text, path)
    lacking = [c for c in ("run", "class") if c not in table]
    if lacking:
        raise InputError(
            f"no score table: no column {', '.join(lacking)}",
            file=path,
            found=", ".join(map(str, table.columns[:8])),
            allowed=", ".join(SCORE_COLUMNS[:8]) + ", ...",
        )
    for name in NUMBERS:
        if name in table and not pd.api.types.is_numeric_dtype(table[name]):
            try:
                numbers = pd.to_numeric(table[name], errors="coerce")
            except OverflowError as error:
                raise InputError(f"no number in column {name}: {error}", file=path) from None
            wrong = (table[name].notna() & numbers.isna()).to_numpy()
            if wrong.any():
                row = int(wrong.argmax())
                raise InputError(
                    f"no number in column {name}, row {row + 1}",
                    file=path,
                    found=str(table[name].iloc[row]),
                    allowed="a number, or nothing",
                )
            table[name] = numbers  # a column of nothing but null has no type in JSON
    return table


def read_discovered(path: Path) -> pd.DataFrame:
    """Read what was discovered: a table (CSV, JSON), or a predictions file (TOML)."""
    suffix = path.suffix.lower()
    if suffix == ".toml":
        found = [] if _says_nothing(path) else read_predictions_file(path)
        rows = [{"query": str(p.query), "words": p.note} for p in found]
        return pd.DataFrame(rows, columns=["query", "words"])
    text = read_text(path)
    if suffix == ".json":
        import orjson

        try:
            document = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise InputError(f"not JSON: {error}", file=path) from None
        lists = [v for v in document.values() if isinstance(v, list)] if isinstance(document, dict) else []
        table = pd.DataFrame(lists[0]) if lists else pd.DataFrame()
    else:
        table = _csv(text, path)
    if len(table) and "query" not in table:
        raise InputError("nothing discovered is told here: no column query", file=path)
    return table


def _says_nothing(path: Path) -> bool:
    """Whether it is the file that `discover` writes when it finds nothing, which predicts nothing."""
    return parse_toml(read_text(path), path).get("class") == []


def _csv(text: str, path: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(StringIO(text), keep_default_na=False, na_values=[""])
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError, OverflowError) as error:
        raise InputError(f"not CSV: {error}", file=path) from None
    # CSV made for spreadsheet programs has an apostrophe before what they would compute
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name].dtype):
            table[name] = table[name].map(original, na_action="ignore")
    return table.rename(columns=original)


def commands(request: FileRequest, entries: list[RunEntry]) -> list[str]:
    """The commands that give the same again."""
    lines = []
    for entry in entries:
        if entry.run is not None:
            name = entry.run.tagger.partition("@")[0]
            words = ["tagsuite", "run", entry.run.input, "--tagger", name, "--out", str(entry.run.folder)]
            lines.append(shlex.join(words))
    words = ["tagsuite", "report", *map(str, request.runs)]
    if request.classes:
        words += ["--classes", str(request.classes)]
    for feature in request.by:
        words += ["--by", feature]
    if request.predictions:
        words += ["--compare", str(request.predictions)]
    for option, paths in (("--discovered", request.discovered), ("--scores", request.scores)):
        for path in paths:
            words += [option, str(path)]
    if request.discover:
        words.append("--discover")
    words += request.options.arguments()
    return [*lines, shlex.join([*words, "--out", "report.html"])]
