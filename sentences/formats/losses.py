"""What a corpus loses in a format, found by comparing it with what is read back from its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from ...catalogues.core.text import Ints
from ..corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus
from ..spans import locate_spans
from .predictions import RespacedTexts
from .views import group_pairs, make_equivalence_sets, make_relation_views

SPAN_COLUMNS = ["text", "start", "end"]
MAX_NAMED_COLUMNS = 4
"""Number of columns that a sentence names."""
TEXT_VALUES = {"text_id": "text ids", "document_id": "document ids", "text": "texts with their white space"}
MENTION_VALUES = {
    "type": "types of mentions",
    "side": "sides of mentions",
    "score": "scores",
    "fragments": "discontinuous mentions",
    "normalisations": "normalisations",
}
"""Columns that are compared value by value, and what their values are called."""


def find_losses(corpus: Corpus, reread: Corpus, name: str) -> tuple[str, ...]:
    """Say what a format could not store, one sentence for each kind; empty when nothing was lost.

    Parameters
    ----------
    corpus, reread : Corpus
        What was written, and what was read back.
    name : str
        The format.
    """
    counts = [(what, count) for what, count in _count_losses(corpus, reread) if count]
    return tuple(f"{name} cannot store all {what}: {count} lost or changed" for what, count in counts)


def _count_losses(corpus: Corpus, again: Corpus) -> Iterator[tuple[str, int]]:
    place = _match_texts(corpus, again)
    if place is None:
        yield "texts", abs(len(corpus.texts) - len(again.texts))
        return
    yield "texts in their order", int((np.diff(place) != 1).sum())
    texts = corpus.texts.take(place).astype({"text_id": "str"})
    yield from _count_columns("texts", texts, again.texts.astype({"text_id": "str"}), TEXT_VALUES)
    before, after = _mention_table(corpus, corpus, None), _mention_table(again, corpus, place)
    both = _with_number(before).merge(
        _with_number(after), on=[*SPAN_COLUMNS, "number"], suffixes=("", " again")
    )
    yield "mentions", max(len(before) - len(after), 0)
    yield "spans of mentions", min(len(before), len(after)) - len(both)
    own, other = before.loc[both["mention_id"]], after.loc[both["mention_id again"]]
    yield from _count_columns("mentions", own, other, MENTION_VALUES)
    for what in ("alternatives", "relations", "equivalences"):
        keys = [_row_texts(what, made, table) for made, table in ((corpus, before), (again, after))]
        yield what, (Counter(keys[0]) - Counter(keys[1])).total()


def _match_texts(corpus: Corpus, again: Corpus) -> Ints | None:
    """Return the row in `corpus` of each text of `again`: by id or, where ids were lost, by order."""
    if len(corpus.texts) != len(again.texts):
        return None
    own, read = (pd.Index(made.texts["text_id"].astype("str")) for made in (corpus, again))
    place = own.get_indexer(read)
    return np.arange(len(place)) if (place < 0).any() else place.astype(np.int64)


def _mention_table(made: Corpus, original: Corpus, place: Ints | None) -> pd.DataFrame:
    """Return the mentions by id, placed in the rows and the characters of the `original` texts."""
    rows, starts, ends = locate_spans(made.texts, made.mentions)
    if place is not None:
        own, wanted = made.texts["text"], original.texts["text"].take(place)
        changed = (own.to_numpy() != wanted.to_numpy())[rows]
        if changed.any():
            moved = RespacedTexts(own.tolist(), wanted.tolist()).convert_spans(rows, starts, ends)
            starts, ends = (np.where(changed, *pair) for pair in zip(moved, (starts, ends), strict=True))
        rows = place[rows]
    table = made.mentions.assign(text=rows, start=starts, end=ends)
    for name, columns in (("fragments", ("start", "end")), ("normalisations", ("authority", "identifier"))):
        found = group_pairs(getattr(made, name), columns)
        values = [repr(sorted(found[i])) if i in found else "" for i in table["mention_id"].tolist()]
        table[name] = pd.Series(values, index=table.index, dtype="str")
    return table.set_index("mention_id", drop=False)


def _with_number(table: pd.DataFrame) -> pd.DataFrame:
    """Return ids and spans of mentions, those of one span numbered."""
    frame = table[["mention_id", *SPAN_COLUMNS]].reset_index(drop=True)
    return frame.assign(number=frame.groupby(SPAN_COLUMNS).cumcount())


def _count_columns(
    what: str, before: pd.DataFrame, after: pd.DataFrame, named: Mapping[str, str]
) -> Iterator[tuple[str, int]]:
    """Count changed values of the columns that are `named`, and further columns that changed."""
    for column, called in named.items():
        yield called, _count_changed(before[column], after[column])
    others = [c for c in before.columns if c not in (*TEXT_COLUMNS, *MENTION_COLUMNS, *SPAN_COLUMNS, *named)]
    lost = [c for c in others if c not in after or _count_changed(before[c], after[c])]
    shown = ", ".join(lost[:MAX_NAMED_COLUMNS]) + (", …" if len(lost) > MAX_NAMED_COLUMNS else "")
    yield f"columns of {what} ({shown})", len(lost)


def _value_kind(column: pd.Series) -> str:
    """Return what the values of a column are."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return "truth"
    return "number" if pd.api.types.is_numeric_dtype(column.dtype) else "text"


def _count_changed(before: pd.Series, after: pd.Series) -> int:
    """Count the values that are not the same in two columns; missing values are the same."""
    if _value_kind(before) != _value_kind(after):
        return len(before)
    pair = [
        column.astype("Float64" if _value_kind(column) == "number" else "str") for column in (before, after)
    ]
    first, second = (column.reset_index(drop=True) for column in pair)
    same = (first == second).fillna(value=False) | (first.isna() & second.isna())
    return int((~same).sum())


def _row_texts(what: str, made: Corpus, mentions: pd.DataFrame) -> list[str]:
    """Return a text for each alternative, relation or equivalence, which is the same in equal corpora."""
    if what == "alternatives":
        table = made.alternatives
        return [] if table is None else _join_columns(table)
    names = dict(zip(mentions.index.tolist(), _join_columns(mentions[SPAN_COLUMNS]), strict=True))
    if what == "equivalences":
        return [repr(sorted(names[i] for i in members)) for members in make_equivalence_sets(made)]
    relations = make_relation_views(made)
    types = {relation.relation_id: relation.type for relation in relations}
    return [
        repr((r.type, sorted((a.role, names.get(a.mention_id) or types[a.relation_id]) for a in r.arguments)))
        for r in relations
    ]


def _join_columns(table: pd.DataFrame) -> list[str]:
    return ["|".join(map(str, row)) for row in zip(*(table[c].tolist() for c in table), strict=True)]
