"""Conversion of predicted mentions to offsets in gold texts, and merging of duplicate mentions."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.offsets import NonSpaceCharacters
from ...catalogues.core.text import Ints, TextColumn
from ..corpus import Corpus
from ..spans import find_rows, find_text_rows, join_fragments, locate_spans, number_shapes, sort_order


def find_gold_rows(ids: pd.Series, gold: Corpus, file: str | PathLike[str], lines: Ints | None) -> Ints:
    """Return, for each text id, the index of the text in `gold`; raise InputError if an id is unknown.

    `lines` gives the line number of each id in `file`, for the message.
    """
    problem, allowed = "the gold corpus has no text with this id", f"ids of texts in {gold.name}"
    known = gold.texts["text_id"].astype("str")
    return find_rows(known, ids.astype("str"), problem, file, lines, allowed)


class RespacedTexts:
    """Conversion of spans between two versions of texts that differ only in white space.

    Parameters
    ----------
    own, wanted : list of str
        Original texts, in which the spans are given, and texts to which the spans are converted.
    """

    def __init__(self, own: list[str], wanted: list[str]) -> None:
        self._own, self._wanted = NonSpaceCharacters(TextColumn(own)), NonSpaceCharacters(TextColumn(wanted))

    def find_different_text(self) -> int | None:
        """Return the index of the first text that differs in more than white space, or None if none does."""
        pairs = enumerate(zip(self._own.squeezed_texts(), self._wanted.squeezed_texts(), strict=True))
        return next((i for i, (own, wanted) in pairs if own != wanted), None)

    def convert_spans(self, rows: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """Convert half-open spans in the texts `own` to spans in the texts `wanted`."""
        return self._wanted.spans(rows, *self._own.numbers(rows, starts, ends))


def place_over_gold(read: Corpus, gold: Corpus, *, by_id: bool, file: str | PathLike[str]) -> Corpus:
    """Return a corpus with the gold texts, and with the mentions in `read` as predictions.

    Texts are matched by id if `by_id` is true, otherwise by order. If a text differs from its gold text in
    white space, the spans are converted to spans in the gold text.

    Raises
    ------
    InputError
        If the number of texts differs, an id is unknown, or two texts differ in more than white space.
    """
    if by_id:
        to_gold = find_gold_rows(read.texts["text_id"], gold, file, None)
    else:
        if len(read.texts) != len(gold.texts):
            raise InputError(
                "predictions without text ids must have as many texts as the gold corpus",
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
                f"text {read.texts['text_id'].iloc[i]!r} (number {i + 1}) differs from the gold text "
                "in more than white space",
                file=file,
                found=own[i],
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
        read,
        texts=gold.texts,
        mentions=mentions.take(order).reset_index(drop=True),
        fragments=fragments,
        alternatives=None,
        relations=relations,
        features=gold.features,
    )


IDENTITY_COLUMNS = ["text_id", "start", "end", "type"]


def merge_duplicates(corpus: Corpus) -> Corpus:
    """Return a corpus in which mentions with the same text, span, fragments and type are merged.

    The merged mention has the id of the first mention, the highest score, and the identifiers, relations and
    equivalences of all merged mentions. The number of removed mentions is added to `merged_count`.
    """
    mentions = corpus.mentions
    keys = mentions[IDENTITY_COLUMNS]
    if corpus.fragments is not None:
        keys = keys.assign(shape=_shapes(mentions, corpus.fragments))
    repeats = keys.duplicated().to_numpy()
    if not repeats.any():
        return corpus
    group = keys.groupby(list(keys.columns), sort=False, dropna=False).ngroup().to_numpy()
    ids = mentions["mention_id"].to_numpy()
    new_ids = pd.Series(ids[~repeats][group], index=ids)
    scores = mentions["score"].groupby(group).transform("max")
    return replace(
        corpus,
        mentions=mentions.assign(score=scores)[~repeats].reset_index(drop=True),
        merged_count=corpus.merged_count + int(repeats.sum()),
        fragments=_rekey_table(corpus.fragments, new_ids),
        normalisations=_rekey_table(corpus.normalisations, new_ids),
        relations=_rekey_table(corpus.relations, new_ids),
        equivalences=_rekey_table(corpus.equivalences, new_ids),
    )


def _rekey_table(table: pd.DataFrame | None, new_ids: pd.Series) -> pd.DataFrame | None:
    """Replace the mention ids in a table with `new_ids`, and drop duplicate rows."""
    if table is None:
        return None
    new = table["mention_id"].map(new_ids)
    # an argument can be another relation, which has no mention id
    rekeyed = table.assign(mention_id=new.where(new.notna(), table["mention_id"]).astype("int64"))
    return rekeyed.drop_duplicates(ignore_index=True)


def _shapes(mentions: pd.DataFrame, fragments: pd.DataFrame) -> Ints:
    """Return a hash of the fragments of each mention, or 0 if the mention is contiguous."""
    owner = pd.Index(mentions["mention_id"]).get_indexer(pd.Index(fragments["mention_id"])).astype(np.int64)
    has_mention = owner >= 0
    start, end = (fragments[c].to_numpy(dtype=np.int64)[has_mention] for c in ("start", "end"))
    joined = join_fragments(owner[has_mention], start, end)
    return number_shapes(*joined, mentions["start"].to_numpy(dtype=np.int64))
