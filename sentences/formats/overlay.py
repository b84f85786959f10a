"""Lay mentions that were read with their own texts over the texts of a gold corpus."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.offsets import NonSpace
from ...catalogues.core.text import Ints, TextColumn
from ..corpus import Corpus
from .base import spans_of, text_rows


def gold_rows(
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


def lay_over(read: Corpus, gold: Corpus, *, by_id: bool, file: str | PathLike[str]) -> Corpus:
    """The gold's texts with the mentions of `read`, as predictions.

    Texts are matched by id or by order. Where they differ in white space alone, spans are moved by counting
    the characters that are not white space; where they differ otherwise, an `InputError` names the text.
    """
    if by_id:
        to_gold = gold_rows(read.texts["text_id"], gold, file, None)
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
    differs = np.array([a != b for a, b in zip(own, wanted, strict=True)], dtype=bool)
    rows, starts, ends = spans_of(read, read.mentions)
    fragments = read.fragments
    if differs.any():
        here, there = NonSpace(TextColumn(own)), NonSpace(TextColumn(wanted))
        for i, (a, b) in enumerate(zip(here.squeezed(), there.squeezed(), strict=True)):
            if differs[i] and a != b:
                raise InputError(
                    f"text {read.texts['text_id'].iloc[i]!r} (number {i + 1}) is not the gold's text",
                    file=file,
                    found=own[i],
                    allowed="the gold's text, white space apart",
                )
        starts, ends = there.spans(rows, *here.numbers(rows, starts, ends))
        if fragments is not None:
            place = pd.Index(read.mentions["mention_id"]).get_indexer(pd.Index(fragments["mention_id"]))
            first, last = there.spans(
                rows[place],
                *here.numbers(rows[place], fragments["start"].to_numpy(), fragments["end"].to_numpy()),
            )
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
        place = to_gold[text_rows(read, relations["text_id"])]
        relations = relations.assign(text_id=gold.texts["text_id"].take(place).to_numpy())
    order = np.lexsort((pd.factorize(mentions["type"], sort=True)[0], ends, starts, target))
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
