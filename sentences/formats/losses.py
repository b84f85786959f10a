"""Detection of data that a format cannot store, by comparing a corpus with the result of reading it back."""

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
"""Maximum number of columns named in a message."""
TEXT_VALUES = {"text_id": "text ids", "document_id": "document ids", "text": "texts with their white space"}
MENTION_VALUES = {
    "type": "types of mentions",
    "side": "sides of mentions",
    "score": "scores",
    "fragments": "discontinuous mentions",
    "normalisations": "normalisations",
}
"""Columns of mentions that are compared value by value, with their names in messages."""


def find_losses(corpus: Corpus, reread: Corpus, name: str) -> tuple[str, ...]:
    """Return one sentence for each kind of data that a format could not store.

    Parameters
    ----------
    corpus, reread : Corpus
        Corpus that was written, and corpus that was read back from the written file.
    name : str
        Name of the format.
    """
    counts = [(kind, count) for kind, count in _count_losses(corpus, reread) if count]
    return tuple(f"{name} cannot store all {kind}: {count} lost or changed" for kind, count in counts)


def _count_losses(corpus: Corpus, reread: Corpus) -> Iterator[tuple[str, int]]:
    place = _match_texts(corpus, reread)
    if place is None:
        yield "texts", abs(len(corpus.texts) - len(reread.texts))
        return
    yield "texts in their order", int((np.diff(place) != 1).sum())
    texts = corpus.texts.take(place).astype({"text_id": "str"})
    yield from _count_columns("texts", texts, reread.texts.astype({"text_id": "str"}), TEXT_VALUES)
    before, after = _mention_table(corpus, corpus, None), _mention_table(reread, corpus, place)
    pairs = _with_number(before).merge(
        _with_number(after), on=[*SPAN_COLUMNS, "number"], suffixes=("", " reread")
    )
    yield "mentions", max(len(before) - len(after), 0)
    yield "spans of mentions", min(len(before), len(after)) - len(pairs)
    written, read = before.loc[pairs["mention_id"]], after.loc[pairs["mention_id reread"]]
    yield from _count_columns("mentions", written, read, MENTION_VALUES)
    for kind in ("alternatives", "relations", "equivalences"):
        keys = [_row_texts(kind, version, table) for version, table in ((corpus, before), (reread, after))]
        yield kind, (Counter(keys[0]) - Counter(keys[1])).total()


def _match_texts(corpus: Corpus, reread: Corpus) -> Ints | None:
    """Return the row in `corpus` of each text in `reread`, matched by id or, if ids are lost, by order."""
    if len(corpus.texts) != len(reread.texts):
        return None
    written, read = (pd.Index(version.texts["text_id"].astype("str")) for version in (corpus, reread))
    place = written.get_indexer(read)
    return np.arange(len(place)) if (place < 0).any() else place.astype(np.int64)


def _mention_table(corpus: Corpus, original: Corpus, place: Ints | None) -> pd.DataFrame:
    """Return the mentions of a corpus, with spans converted to spans in the texts of `original`."""
    rows, starts, ends = locate_spans(corpus.texts, corpus.mentions)
    if place is not None:
        texts, wanted = corpus.texts["text"], original.texts["text"].take(place)
        changed = (texts.to_numpy() != wanted.to_numpy())[rows]
        if changed.any():
            moved = RespacedTexts(texts.tolist(), wanted.tolist()).convert_spans(rows, starts, ends)
            starts, ends = (np.where(changed, *pair) for pair in zip(moved, (starts, ends), strict=True))
        rows = place[rows]
    table = corpus.mentions.assign(text=rows, start=starts, end=ends)
    for name, columns in (("fragments", ("start", "end")), ("normalisations", ("authority", "identifier"))):
        pairs = group_pairs(getattr(corpus, name), columns)
        values = [repr(sorted(pairs[i])) if i in pairs else "" for i in table["mention_id"].tolist()]
        table[name] = pd.Series(values, index=table.index, dtype="str")
    return table.set_index("mention_id", drop=False)


def _with_number(table: pd.DataFrame) -> pd.DataFrame:
    """Return the ids and spans of mentions, and a column that numbers the mentions with the same span."""
    frame = table[["mention_id", *SPAN_COLUMNS]].reset_index(drop=True)
    return frame.assign(number=frame.groupby(SPAN_COLUMNS).cumcount())


def _count_columns(
    table: str, before: pd.DataFrame, after: pd.DataFrame, titles: Mapping[str, str]
) -> Iterator[tuple[str, int]]:
    """Yield the title and the number of changed values of each column in `titles`.

    The last pair gives the names and the number of the other columns that changed.
    """
    for column, title in titles.items():
        yield title, _count_changed(before[column], after[column])
    others = [c for c in before.columns if c not in (*TEXT_COLUMNS, *MENTION_COLUMNS, *SPAN_COLUMNS, *titles)]
    lost = [c for c in others if c not in after or _count_changed(before[c], after[c])]
    shown = ", ".join(lost[:MAX_NAMED_COLUMNS]) + (", …" if len(lost) > MAX_NAMED_COLUMNS else "")
    yield f"columns of {table} ({shown})", len(lost)


def _value_kind(column: pd.Series) -> str:
    """Return the kind of values in a column: "truth", "number" or "text"."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return "truth"
    return "number" if pd.api.types.is_numeric_dtype(column.dtype) else "text"


def _count_changed(before: pd.Series, after: pd.Series) -> int:
    """Return the number of values that differ between two columns; two missing values are equal."""
    if _value_kind(before) != _value_kind(after):
        return len(before)
    pair = [
        column.astype("Float64" if _value_kind(column) == "number" else "str") for column in (before, after)
    ]
    first, second = (column.reset_index(drop=True) for column in pair)
    same = (first == second).fillna(value=False) | (first.isna() & second.isna())
    return int((~same).sum())


def _row_texts(kind: str, corpus: Corpus, mentions: pd.DataFrame) -> list[str]:
    """Return each alternative span, relation or equivalence (`kind`) as a string without mention ids."""
    if kind == "alternatives":
        table = corpus.alternatives
        return [] if table is None else _join_columns(table)
    names = dict(zip(mentions.index.tolist(), _join_columns(mentions[SPAN_COLUMNS]), strict=True))
    if kind == "equivalences":
        return [repr(sorted(names[i] for i in members)) for members in make_equivalence_sets(corpus)]
    relations = make_relation_views(corpus)
    types = {relation.relation_id: relation.type for relation in relations}
    return [
        repr((r.type, sorted((a.role, names.get(a.mention_id) or types[a.relation_id]) for a in r.arguments)))
        for r in relations
    ]


def _join_columns(table: pd.DataFrame) -> list[str]:
    return ["|".join(map(str, row)) for row in zip(*(table[c].tolist() for c in table), strict=True)]
