"""Cases to read: texts, gold and predicted mentions with their verdicts, and features to filter them by."""

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
from ...catalogues.taxonomy import LIST_PREFIX, taxonomy
from ...harness.scoring.classes import ALL, Class
from ...harness.scoring.scores import Scores
from ...harness.scoring.views.boundaries import sloppy_pairs
from ...sentences.annotate import annotate
from .findings import Entry, main_notion

FEATURES = (
    "name_vs_symbol",
    "case",
    "length",
    "contains_a_numeral",
    "contains_hyphen",
    "contains_Greek_letter",
    "contains_function_word",
    "position",
)
"""Features to filter cases by, besides those that the scoring divides by."""

WRONG, PART, RIGHT = 0, 1, 2
"""Verdicts on a mention: missed or spurious, found with a wrong boundary, right."""

MOST_VALUES = 254
MOST_FAILURES, MOST_REPLY = 500, 2000
"""Failed cases whose reasons and replies the page holds, and characters of such a reply."""

MISTAKES = {"recall": "fn", "precision": "fp"}
"""Errors that a figure links to: those that it counts, wrong boundaries included."""

Bytes = NDArray[np.uint8]


def address(**filters: str) -> str:
    """Return the place of filtered cases in the report."""
    return "cases?" + "&".join(f"{k}={quote(v, safe='')}" for k, v in filters.items())


def linked(frame: pd.DataFrame, verdict: str) -> pd.Series:
    """Return the address of the cases of each row's class, tagger and source."""
    links = []
    for tagger, source, name in zip(frame["tagger"], frame["source"], frame["class"], strict=True):
        of_class = {} if name == ALL else {"class": name}
        links.append(address(**{"source": source, "tagger": tagger, **of_class, "verdict": verdict}))
    return pd.Series(links, index=frame.index, dtype="str")


@dataclass(frozen=True)
class Mentions:
    """Mentions of one side as columns, sorted by case and start.

    Attributes
    ----------
    count : array
        Mentions of each case.
    start, length : array
        In UTF-16 code units, as scripts count.
    codes : dict of str to array
        By feature, positions in the source's `values`; the number of values where absent.
    classes : dict of str to array
        By class, 1 for each mention that belongs to it, else 0.
    """

    count: NDArray[np.int64]
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    codes: dict[str, Bytes]
    classes: dict[str, Bytes]


@dataclass(frozen=True)
class Answers:
    """One tagger's predictions on the cases, and its verdicts.

    Attributes
    ----------
    tagger, notion : str
    predicted : Mentions
    verdict : array
        Of each predicted mention.
    gold : array
        Of each gold mention, in the order of the source's `gold`.
    outcome : dict of str to array
        Outcomes other than ok, with the rows of their cases.
    failures : dict of int to (str, str or None)
        By row, why a case failed, and the beginning of the tagger's reply where it is kept; the first
        `MOST_FAILURES` of them.
    """

    tagger: str
    notion: str
    predicted: Mentions
    verdict: Bytes
    gold: Bytes
    outcome: dict[str, NDArray[np.int64]]
    failures: dict[int, tuple[str, str | None]]


@dataclass(frozen=True)
class CaseSource:
    """The cases of one suite or corpus.

    Attributes
    ----------
    name : str
    is_suite : bool
    texts : list of str
    ids : list of str
        Empty where a case's number is its place.
    values : dict of str to list of str
        By feature, its values in the taxonomy's order.
    gold : Mentions
    answers : tuple of Answers
    """

    name: str
    is_suite: bool
    texts: list[str]
    ids: list[str]
    values: dict[str, list[str]]
    gold: Mentions
    answers: tuple[Answers, ...] = field(default=())


def case_sources(
    entries: Sequence[Entry], further: Mapping[str, Sequence[Class]] | None = None
) -> list[CaseSource]:
    """The cases of every suite and corpus of the entries.

    Parameters
    ----------
    entries : sequence of Entry
    further : mapping of str to sequence of Class, optional
        By source, classes to filter by besides those that were scored.
    """
    return [
        _source(name, [e for e in entries if e.source == name], (further or {}).get(name, ()))
        for name in dict.fromkeys(e.source for e in entries)
    ]


@dataclass(frozen=True)
class _Side:
    """The mentions of one side that stand in their texts, with features.

    Attributes
    ----------
    scores : Scores
    side : int
        0 for the gold's, 1 for the predicted ones.
    there : array
        Their positions in the scoring.
    frame : DataFrame
    row : array
        The text of each.
    order : array
        Their order in the texts.
    """

    scores: Scores
    side: int
    there: NDArray[np.intp]
    frame: pd.DataFrame
    row: NDArray[np.int64]
    order: NDArray[np.intp]

    @classmethod
    def of(cls, scores: Scores, side: int, there: NDArray[np.intp], wanted: Sequence[str]) -> _Side:
        """Annotate some mentions of a side."""
        mentions = (scores.gold, scores.predicted)[side].iloc[there].reset_index(drop=True)
        frame = annotate(scores.corpus, mentions, wanted, lists=scores.options.lists)
        row = (scores.gold_row, scores.predicted_row)[side][there]
        order = np.lexsort((frame["end"].to_numpy(), frame["start"].to_numpy(), row))
        return cls(scores, side, there, frame, row, order)

    def mentions(self, codes: dict[str, Bytes], shift: OffsetMap, further: Sequence[Class]) -> Mentions:
        """As the page has them: in the order of the texts, with the classes that each is in."""
        order, frame, scores = self.order, self.frame, self.scores
        start, end = (
            shift.to_unit(self.row, frame[c].to_numpy(dtype=np.int64))[order] for c in ("start", "end")
        )
        classes = {
            name: scores.masks(name)[self.side][self.there][order]
            for division in scores.divisions
            for name in division.names
        }
        for one in further:
            if one.name not in classes:
                classes[one.name] = one.query.evaluate(frame)[order]
        return Mentions(
            np.bincount(self.row, minlength=len(scores.corpus.texts)),
            start,
            end - start,
            {k: v[order] for k, v in codes.items()},
            {name: inside.astype(np.uint8) for name, inside in classes.items()},
        )


def _source(name: str, entries: Sequence[Entry], further: Sequence[Class]) -> CaseSource:
    first = entries[0].scores
    texts = first.corpus.texts["text"].tolist()
    asked = {c for e in entries for d in e.scores.divisions for c in _features_of(d.names)}
    asked |= {c for one in further for c in one.query.columns}
    lists = {LIST_PREFIX + name for name in first.options.lists}
    wanted = [
        c for c in (*FEATURES, *sorted(asked), *sorted(lists)) if c in taxonomy().by_column or c in lists
    ]
    wanted = list(dict.fromkeys(wanted))
    sides = [
        _Side.of(first, 0, np.arange(len(first.gold)), wanted),
        *(_Side.of(entry.scores, 1, _with_place(entry.scores), wanted) for entry in entries),
    ]
    values: dict[str, list[str]] = {}
    codes: list[dict[str, Bytes]] = [{} for _ in sides]
    for column in wanted:
        if all(column in side.frame for side in sides):
            found = coded(column, [side.frame[column] for side in sides])
            if found is not None:
                values[column], parts = found
                for kept, part in zip(codes, parts, strict=True):
                    kept[column] = part
    shift = OffsetMap(TextColumn(texts), "utf16")
    gold = sides[0].mentions(codes[0], shift, further)
    answers = []
    for entry, side, own in zip(entries, sides[1:], codes[1:], strict=True):
        gold_verdict, predicted_verdict = mention_verdicts(entry.scores)
        answers.append(
            Answers(
                entry.tagger,
                main_notion(entry.scores),
                side.mentions(own, shift, further),
                predicted_verdict[side.there][side.order],
                gold_verdict[sides[0].order],
                _outcomes(entry),
                _failures(entry),
            )
        )
    ids = first.corpus.texts["text_id"].tolist()
    plain = ids == list(range(len(ids)))
    return CaseSource(
        name, entries[0].is_suite, texts, [] if plain else [str(i) for i in ids], values, gold, tuple(answers)
    )


def mention_verdicts(scores: Scores) -> tuple[Bytes, Bytes]:
    """Gold and predicted mentions: wrong, found in part, or right under the main notion."""
    notion = scores.tallies[main_notion(scores)]
    pairs, _ = sloppy_pairs(scores)
    found = []
    for side, name in enumerate(("gold", "predicted")):
        touched = np.zeros(len(getattr(scores, name)), dtype=bool)
        places = pairs.gold if side == 0 else pairs.predicted
        touched[pairs.sides[side].places[places[pairs.overlap]]] = True
        in_part = touched | (notion.verdict(name) > 0)
        codes = np.where(notion.right(name), RIGHT, np.where(in_part, PART, WRONG))
        found.append(codes.astype(np.uint8))
    return found[0], found[1]


def _features_of(names: Sequence[str]) -> set[str]:
    """Features named in the names of classes that values of features make."""
    return {word for name in names for word in re.findall(r"[A-Za-z_][\w.]*", name)}


def coded(column: str, parts: Sequence[pd.Series]) -> tuple[list[str], list[Bytes]] | None:
    """One numbering of a feature's values for all sides; None where there are too many to choose from.

    Returns
    -------
    tuple of list of str and list of array, or None
        The values in the order of the taxonomy, else of numbers and the alphabet; for each side the place of
        each mention's value among them, behind the last where it has none.
    """
    codes, distinct = pd.factorize(pd.concat([_shown(part) for part in parts], ignore_index=True))
    if not len(distinct) or not 1 < len(distinct) + int((codes < 0).any()) <= MOST_VALUES:
        return None
    feature = taxonomy().by_column.get(column)
    known = [v.name for v in feature.values] if feature else []
    place = {v: i for i, v in enumerate(known)}

    def key(value: str) -> tuple[int, int, str]:
        number = int(value) if value.lstrip("-").isdigit() else 0
        return place.get(value, len(place)), number, value

    found = distinct.tolist()
    names = sorted(found, key=key)
    rank = {name: i for i, name in enumerate(names)}
    # what is absent has the code -1: the last of all
    numbers = np.array([*(rank[name] for name in found), len(names)], dtype=np.uint8)[codes]
    return names, np.split(numbers, np.cumsum([len(part) for part in parts])[:-1])


def _shown(column: pd.Series) -> pd.Series:
    if pd.api.types.is_bool_dtype(column.dtype):
        column = column.astype("boolean").map({True: "true", False: "false"})
    return column.astype("str")


def _with_place(scores: Scores) -> NDArray[np.intp]:
    """The predicted mentions that stand in their text, and can be marked there."""
    return np.arange(len(scores.predicted)) if scores.nowhere is None else np.flatnonzero(~scores.nowhere)


def _outcomes(entry: Entry) -> dict[str, NDArray[np.int64]]:
    if entry.run is None or not entry.run.failed:
        return {}
    texts = entry.scores.corpus.texts
    rows = pd.Series(np.arange(len(texts)), index=pd.Index(texts["text_id"]))
    outcomes = entry.run.outcomes
    bad = outcomes[outcomes["outcome"] != "ok"]
    return {
        str(name): np.sort(rows.loc[group["case_id"]].to_numpy())
        for name, group in bad.groupby(bad["outcome"].astype("str"), sort=True)
    }


def _failures(entry: Entry) -> dict[int, tuple[str, str | None]]:
    if entry.run is None or not entry.run.failed:
        return {}
    outcomes = entry.run.outcomes
    bad = outcomes[(outcomes["outcome"] != "ok").to_numpy()]
    texts = entry.scores.corpus.texts["text_id"]
    rows = pd.Series(np.arange(len(texts)), index=pd.Index(texts)).loc[bad["case_id"]]
    bad = bad.assign(row=rows.to_numpy()).sort_values("row").head(MOST_FAILURES)
    replies = entry.run.replies
    kept = {} if replies is None else dict(zip(replies["case_id"], replies["reply"], strict=True))
    return {
        row: ("" if pd.isna(reason) else reason, kept[case][:MOST_REPLY] if case in kept else None)
        for row, case, reason in zip(*(bad[c].tolist() for c in ("row", "case_id", "reason")), strict=True)
    }
