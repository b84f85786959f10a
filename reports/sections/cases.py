"""Cases in a report, with gold and predicted mentions, verdicts, and features for filtering."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.offsets import OffsetMap
from ...catalogues.core.text import TextColumn
from ...catalogues.feature import LIST_PREFIX
from ...catalogues.taxonomy import taxonomy
from ...harness.scoring.classes import ALL, Class
from ...harness.scoring.scores import Scores
from ...harness.scoring.views.boundaries import pair_overlapping
from ...sentences.annotate import annotate
from .findings import ScoredRun, get_main_notion

FILTER_FEATURES = (
    "name_vs_symbol",
    "case",
    "length",
    "contains_a_numeral",
    "contains_hyphen",
    "contains_Greek_letter",
    "contains_function_word",
    "position",
)
"""Features by which cases can always be filtered, in addition to the features used for classes."""

WRONG, PART, RIGHT = 0, 1, 2
"""Codes for verdicts on a mention: missed or spurious, found with a wrong boundary, right."""

MAX_VALUES = 254
MAX_FAILURES, MAX_REPLY = 500, 2000
"""Maximum number of failed cases that are shown, and maximum number of characters of each tagger reply."""

MISTAKES = {"recall": "fn", "precision": "fp"}
"""Errors shown by the link on a measure: false negatives for recall, false positives for precision."""

Bytes = NDArray[np.uint8]


def make_address(**filters: str) -> str:
    """Return the link to filtered cases in the report."""
    return "cases?" + "&".join(f"{k}={quote(v, safe='')}" for k, v in filters.items())


def link_cases(frame: pd.DataFrame, verdict: str) -> pd.Series:
    """Return, for each row, a link to the cases of its class, tagger and source."""
    links = []
    for tagger, source, name in zip(frame["tagger"], frame["source"], frame["class"], strict=True):
        of_class = {} if name == ALL else {"class": name}
        links.append(make_address(**{"source": source, "tagger": tagger, **of_class, "verdict": verdict}))
    return pd.Series(links, index=frame.index, dtype="str")


@dataclass(frozen=True)
class MentionColumns:
    """Gold or predicted mentions as arrays, sorted by case and start.

    Attributes
    ----------
    count : array
        Number of mentions per case.
    start, length : array
        Start and length in UTF-16 code units, as in JavaScript.
    kind : array
        Kind of each mention: its position in the arrays `codes` and `classes` of the `CaseSource`.
    """

    count: NDArray[np.int64]
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    kind: NDArray[np.int64]


@dataclass(frozen=True)
class TaggerAnswers:
    """Predictions of one tagger on the cases, with verdicts.

    Attributes
    ----------
    tagger, notion : str
    predicted : MentionColumns
    verdict : array
        Verdict on each predicted mention.
    gold : array
        Verdict on each gold mention, in the order of `gold` of the `CaseSource`.
    outcome : dict of str to array
        For each outcome other than ok, the positions of the cases with this outcome.
    failures : dict of int to (str, str or None)
        Reason for each failure and beginning of the tagger's reply (None if not recorded), keyed by the
        position of the case. At most `MAX_FAILURES` cases are included.
    """

    tagger: str
    notion: str
    predicted: MentionColumns
    verdict: Bytes
    gold: Bytes
    outcome: dict[str, NDArray[np.int64]]
    failures: dict[int, tuple[str, str | None]]


@dataclass(frozen=True)
class CaseSource:
    """Cases of one suite or corpus.

    Mentions with the same features and classes belong to one kind. Kinds are numbered in the order of their
    first mention.

    Attributes
    ----------
    name : str
    is_suite : bool
    texts : list of str
    ids : list of str
        Identifiers of the cases; empty if they are the numbers 0, 1, 2, ….
    values : dict of str to list of str
        Values of each feature, in the order of the taxonomy.
    codes : dict of str to array
        For each feature and kind, the position of the kind's value in `values`. A kind without a value has
        the number of values as its position.
    classes : dict of str to array
        For each class, an array with 1 for kinds that belong to it, else 0.
    gold : MentionColumns
    answers : tuple of TaggerAnswers
    """

    name: str
    is_suite: bool
    texts: list[str]
    ids: list[str]
    values: dict[str, list[str]]
    codes: dict[str, Bytes]
    classes: dict[str, Bytes]
    gold: MentionColumns
    answers: tuple[TaggerAnswers, ...] = field(default=())


def collect_case_sources(
    entries: Sequence[ScoredRun], extra_classes: Mapping[str, Sequence[Class]] | None = None
) -> list[CaseSource]:
    """Return the cases of every suite and corpus on which a tagger was run.

    Parameters
    ----------
    entries : sequence of ScoredRun
    extra_classes : mapping of str to sequence of Class, optional
        Further classes to filter by, for each suite or corpus.
    """
    return [
        _source(name, [e for e in entries if e.source == name], (extra_classes or {}).get(name, ()))
        for name in dict.fromkeys(e.source for e in entries)
    ]


@dataclass(frozen=True)
class _Side:
    """Gold or predicted mentions that have offsets, with their features, in the order of the texts.

    Attributes
    ----------
    scores : Scores
    side : int
        0 for gold mentions, 1 for predicted mentions.
    places : array
        Positions of the mentions in `scores`.
    frame : DataFrame
    """

    scores: Scores
    side: int
    places: NDArray[np.intp]
    frame: pd.DataFrame

    @classmethod
    def from_scores(cls, scores: Scores, side: int, wanted: Sequence[str]) -> _Side:
        """Return the gold mentions (`side` 0) or predicted mentions (`side` 1) with their features."""
        mentions = (scores.gold, scores.predicted)[side]
        row = (scores.gold_row, scores.predicted_row)[side]
        places = np.lexsort((mentions["end"].to_numpy(), mentions["start"].to_numpy(), row))
        if side == 1 and scores.is_unplaced is not None:
            places = places[~scores.is_unplaced[places]]
        own = mentions.iloc[places].reset_index(drop=True)
        return cls(scores, side, places, annotate(scores.corpus, own, wanted, lists=scores.options.lists))

    def classes(self, further: Sequence[Class]) -> pd.DataFrame:
        """Return a table with one column per class, which is 1 for mentions of the class and 0 for others."""
        names = [name for division in self.scores.divisions for name in division.names]
        classes = {name: self.scores.masks(name)[self.side][self.places] for name in names}
        classes |= {one.name: one.query.evaluate(self.frame) for one in further if one.name not in classes}
        return pd.DataFrame(classes, index=self.frame.index).astype(np.uint8)

    def mentions(self, kind: NDArray[np.int64], shift: OffsetMap) -> MentionColumns:
        """Return the mentions as arrays, with offsets in UTF-16 code units, for the script of the page."""
        row = (self.scores.gold_row, self.scores.predicted_row)[self.side][self.places]
        start, end = (shift.to_unit(row, self.frame[c].to_numpy(dtype=np.int64)) for c in ("start", "end"))
        count = np.bincount(row, minlength=len(self.scores.corpus.texts))
        return MentionColumns(count, start, end - start, kind)


def _source(name: str, entries: Sequence[ScoredRun], further: Sequence[Class]) -> CaseSource:
    first = entries[0].scores
    texts = first.corpus.texts["text"].tolist()
    features = {c for e in entries for d in e.scores.divisions for c in _features_of(d.names)}
    features |= {c for one in further for c in one.query.columns}
    lists = {LIST_PREFIX + name for name in first.options.lists}
    wanted = [
        c
        for c in (*FILTER_FEATURES, *sorted(features), *sorted(lists))
        if c in taxonomy().by_column or c in lists
    ]
    wanted = list(dict.fromkeys(wanted))
    sides = [
        _Side.from_scores(first, 0, wanted),
        *(_Side.from_scores(entry.scores, 1, wanted) for entry in entries),
    ]
    values: dict[str, list[str]] = {}
    codes: dict[str, Bytes] = {}
    for column in wanted:
        if all(column in side.frame for side in sides):
            found = encode_values(column, [side.frame[column] for side in sides])
            if found is not None:
                values[column], parts = found
                codes[column] = np.concatenate(parts)
    inside = [side.classes(further) for side in sides]
    together = pd.concat(inside, ignore_index=True)[list(inside[0])].fillna(0)
    classes = {name: column.to_numpy(np.uint8) for name, column in together.items()}
    kind, example = _number_kinds([*codes.values(), *classes.values()], len(together))
    kinds = np.split(kind, np.cumsum([len(side.places) for side in sides])[:-1])
    shift = OffsetMap(TextColumn(texts), "utf16")
    gold = sides[0].mentions(kinds[0], shift)
    answers = []
    for entry, side, own in zip(entries, sides[1:], kinds[1:], strict=True):
        gold_verdict, predicted_verdict = code_verdicts(entry.scores)
        answers.append(
            TaggerAnswers(
                entry.tagger,
                get_main_notion(entry.scores),
                side.mentions(own, shift),
                predicted_verdict[side.places],
                gold_verdict[sides[0].places],
                *_collect_failures(entry),
            )
        )
    ids = first.corpus.texts["text_id"].tolist()
    plain = ids == list(range(len(ids)))
    return CaseSource(
        name,
        entries[0].is_suite,
        texts,
        [] if plain else [str(i) for i in ids],
        values,
        {column: numbers[example] for column, numbers in codes.items()},
        {str(one): flags[example] for one, flags in classes.items()},
        gold,
        tuple(answers),
    )


def _number_kinds(columns: Sequence[Bytes], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the kind of each mention as a number, and the position of each kind's first mention."""
    kind = np.zeros(size, dtype=np.int64)
    for column in columns:
        kind = pd.factorize(kind * 256 + column)[0].astype(np.int64)
    return kind, np.unique(kind, return_index=True)[1]


def code_verdicts(scores: Scores) -> tuple[Bytes, Bytes]:
    """Return the verdict codes of gold and of predicted mentions under the main notion of correctness."""
    notion = scores.tallies[get_main_notion(scores)]
    pairs, _ = pair_overlapping(scores)
    verdicts = []
    for side, name in enumerate(("gold", "predicted")):
        overlapped = np.zeros(len(getattr(scores, name)), dtype=bool)
        places = pairs.gold if side == 0 else pairs.predicted
        overlapped[pairs.sides[side].frame_positions[places[pairs.overlap]]] = True
        in_part = overlapped | (notion.get_verdicts(name) > 0)
        codes = np.where(notion.get_right_mask(name), RIGHT, np.where(in_part, PART, WRONG))
        verdicts.append(codes.astype(np.uint8))
    return verdicts[0], verdicts[1]


def _features_of(names: Sequence[str]) -> set[str]:

    return {word for name in names for word in re.findall(r"[A-Za-z_][\w.]*", name)}


def encode_values(column: str, parts: Sequence[pd.Series]) -> tuple[list[str], list[Bytes]] | None:
    """Return the list of the values of a feature, and the position of each mention's value in this list.

    Returns
    -------
    tuple of list of str and list of array, or None
        Values in the order of the taxonomy, or else in numerical or alphabetical order, and one array per
        series in `parts` with the position of each mention's value. A mention without a value has the number
        of values as its position. The result is None if all values are equal or there are too many.
    """
    joined = pd.concat([_shown(part) for part in parts], ignore_index=True)
    feature = taxonomy().by_column.get(column)
    order = [v.name for v in feature.values] if feature else []

    def key(value: str) -> tuple[int, int, str]:
        number = int(value) if value.lstrip("-").isdigit() else 0
        return order.index(value) if value in order else len(order), number, value

    names = sorted(joined.dropna().unique().tolist(), key=key)
    if not names or not 1 < len(names) + int(joined.isna().any()) <= MAX_VALUES:
        return None
    codes = pd.Categorical(joined, categories=names).codes
    numbers = np.where(codes < 0, len(names), codes).astype(np.uint8)
    return names, np.split(numbers, np.cumsum([len(part) for part in parts])[:-1])


def _shown(column: pd.Series) -> pd.Series:
    if pd.api.types.is_bool_dtype(column.dtype):
        column = column.astype("boolean").map({True: "true", False: "false"})
    return column.astype("str")


def _collect_failures(
    entry: ScoredRun,
) -> tuple[dict[str, NDArray[np.int64]], dict[int, tuple[str, str | None]]]:
    """Return the attributes `outcome` and `failures` of a run's `TaggerAnswers`."""
    if entry.run is None:
        return {}, {}
    outcomes = entry.run.outcomes.astype({"outcome": "str"})
    bad = outcomes[outcomes["outcome"] != "ok"]
    rows = pd.Index(entry.scores.corpus.texts["text_id"]).get_indexer(pd.Index(bad["case_id"]))
    failed = bad.assign(row=rows.astype(np.int64)).sort_values("row")
    replies = entry.run.replies
    saved = {} if replies is None else dict(zip(replies["case_id"], replies["reply"], strict=True))
    first = failed.head(MAX_FAILURES)
    failures = {
        row: ("" if pd.isna(reason) else reason, saved[case][:MAX_REPLY] if case in saved else None)
        for row, case, reason in zip(*(first[c].tolist() for c in ("row", "case_id", "reason")), strict=True)
    }
    return {str(name): own["row"].to_numpy() for name, own in failed.groupby("outcome")}, failures
