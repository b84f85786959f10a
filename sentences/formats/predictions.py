"""Predicted mentions over the texts of a gold corpus: laid over them, and repeated ones made one."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.offsets import NonSpaceCharacters
from ...catalogues.core.text import Ints, TextColumn
from ..corpus import Corpus
from ..spans import find_text_rows, join_fragments, locate_spans, number_shapes, sort_order


def find_gold_rows(
    ids: pd.Series | list[str], gold: Corpus, file: str | PathLike[str], lines: Ints | None
) -> Ints:
    """Position of each id among the gold's texts; an id that the gold has not is refused with its line."""
    rows = pd.Index(gold.texts["text_id"].astype("str")).get_indexer(pd.Index(ids).astype("str"))
    if len(rows) and rows.min() < 0:
        i = int(np.argmin(rows))
        raise InputError(
            "the gold has no text with this id",
            file=file,
            line=None if lines is None else int(lines[i]),
            found=pd.Index(ids)[i],
            allowed=f"text ids of {gold.name}",
        )
    return rows.astype(np.int64)


class RespacedTexts:
    """Texts that differ from others in white space alone: their spans, in the others.

    Parameters
    ----------
    own, wanted : list of str
    """

    def __init__(self, own: list[str], wanted: list[str]) -> None:
        self._own, self._wanted = NonSpaceCharacters(TextColumn(own)), NonSpaceCharacters(TextColumn(wanted))

    def find_different_text(self) -> int | None:
        """The first text that differs in more than white space."""
        pairs = enumerate(zip(self._own.squeezed_texts(), self._wanted.squeezed_texts(), strict=True))
        return next((i for i, (own, wanted) in pairs if own != wanted), None)

    def convert_spans(self, rows: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Half-open spans of the own texts as those of the others."""
        return self._wanted.spans(rows, *self._own.numbers(rows, starts, ends))


def place_over_gold(read: Corpus, gold: Corpus, *, by_id: bool, file: str | PathLike[str]) -> Corpus:
    """The gold's texts with the mentions of `read`, as predictions.

    Texts are matched by id or by order. Where they differ in white space alone, spans are moved by counting
    the characters that are not white space; where they differ otherwise, an `InputError` names the text.
    """
    if by_id:
        to_gold = find_gold_rows(read.texts["text_id"], gold, file, None)
    else:
        if len(read.texts) != len(gold.texts):
            raise InputError(
                "predictions without text ids must have as many texts as the gold",
                file=file,
                found=f"{len(read.texts)} texts",
                allowed=f"{len(gold.texts)} texts",
            )
        to_gold = np.arange(len(gold.texts), dtype=np.int64)
    own = read.texts["text"].tolist()
    wanted = gold.texts["text"].take(to_gold).tolist()
    rows, starts, ends = locate_spans(read.texts, read.mentions)
    fragments = read.fragments
    if own != wanted:
        respaced = RespacedTexts(own, wanted)
        i = respaced.find_different_text()
        if i is not None:
            raise InputError(
                f"text {read.texts['text_id'].iloc[i]!r} (number {i + 1}) is not the gold's text",
                file=file,
                found=own[i],
                allowed="the gold's text, white space apart",
            )
        starts, ends = respaced.convert_spans(rows, starts, ends)
        if fragments is not None:
            place = pd.Index(read.mentions["mention_id"]).get_indexer(pd.Index(fragments["mention_id"]))
            edges = (fragments[c].to_numpy() for c in ("start", "end"))
            first, last = respaced.convert_spans(rows[place], *edges)
            fragments = fragments.assign(start=first, end=last)
    target = to_gold[rows]
    mentions = read.mentions.assign(
        text_id=gold.texts["text_id"].take(target).to_numpy(),
        side=pd.Series("predicted", index=read.mentions.index, dtype="str"),
        start=starts,
        end=ends,
    )
    mentions["text_id"] = mentions["text_id"].astype(gold.texts["text_id"].dtype)
    relations = read.relations
    if relations is not None:
        place = to_gold[find_text_rows(read.texts, relations["text_id"])]
        relations = relations.assign(text_id=gold.texts["text_id"].take(place).to_numpy())
    order = sort_order(target, starts, ends, mentions["type"].array)
    return replace(
        gold,
        name=read.name,
        mentions=mentions.take(order).reset_index(drop=True),
        fragments=fragments,
        alternatives=None,
        normalisations=read.normalisations,
        relations=relations,
        equivalences=read.equivalences,
        digest=read.digest,
        notes=read.notes,
    )


IDENTITY_COLUMNS = ["text_id", "start", "end", "type"]


def merge_duplicates(corpus: Corpus) -> Corpus:
    """The corpus with mentions of the same text, span, fragments and type made one.

    The first of them is kept, with the highest score of all, and the identifiers of all. Relations and
    equivalences of the others become its own. How many are gone is in `merged`.
    """
    mentions = corpus.mentions
    keys = mentions[IDENTITY_COLUMNS]
    if corpus.fragments is not None:
        keys = keys.assign(shape=_shapes(mentions, corpus.fragments))
    again = keys.duplicated().to_numpy()
    if not again.any():
        return corpus
    group = keys.groupby(list(keys.columns), sort=False, dropna=False).ngroup().to_numpy()
    ids = mentions["mention_id"].to_numpy()
    kept = pd.Series(ids[~again][group], index=ids)
    scores = mentions["score"].groupby(group).transform("max")
    return replace(
        corpus,
        mentions=mentions.assign(score=scores)[~again].reset_index(drop=True),
        merged_count=corpus.merged_count + int(again.sum()),
        fragments=_rekey_table(corpus.fragments, kept),
        normalisations=_rekey_table(corpus.normalisations, kept),
        relations=_rekey_table(corpus.relations, kept),
        equivalences=_rekey_table(corpus.equivalences, kept),
    )


def _rekey_table(table: pd.DataFrame | None, kept: pd.Series) -> pd.DataFrame | None:
    """A table keyed by mention, under the mentions that are kept."""
    if table is None:
        return None
    new = table["mention_id"].map(kept)
    # an argument of a relation may be another relation: it has no mention
    moved = table.assign(mention_id=new.where(new.notna(), table["mention_id"]).astype("int64"))
    return moved.drop_duplicates(ignore_index=True)


def _shapes(mentions: pd.DataFrame, fragments: pd.DataFrame) -> Ints:
    """A number for the fragments of each mention; 0 where it is contiguous."""
    owner = pd.Index(mentions["mention_id"]).get_indexer(pd.Index(fragments["mention_id"])).astype(np.int64)
    here = owner >= 0
    start, end = (fragments[c].to_numpy(dtype=np.int64)[here] for c in ("start", "end"))
    return number_shapes(*join_fragments(owner[here], start, end), mentions["start"].to_numpy(dtype=np.int64))
