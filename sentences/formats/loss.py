"""Losses that several formats have in common; see `Format.losses`."""

from __future__ import annotations

import pandas as pd

from ..corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus


def further_columns(corpus: Corpus) -> list[tuple[str, pd.DataFrame]]:
    """The columns of texts and of mentions that not every corpus has, under the tables' names."""
    tables = (("texts", corpus.texts, TEXT_COLUMNS), ("mentions", corpus.mentions, MENTION_COLUMNS))
    return [(name, frame.drop(columns=[c for c in known if c in frame])) for name, frame, known in tables]


def untyped_columns(corpus: Corpus) -> list[str]:
    """Columns that are not text, where all are read back as text."""
    lost = []
    for name, frame in further_columns(corpus):
        other = [c for c in frame.columns if not pd.api.types.is_string_dtype(frame[c].dtype)]
        if other:
            lost.append(
                f"types of {len(other)} columns of {name} ({', '.join(other[:4])}: read back as text)"
            )
    return lost


def split_normalisations(corpus: Corpus) -> list[str]:
    """Normalisations with a separator inside, where they are written ``AUTHORITY:ID|AUTHORITY:ID``."""
    table = corpus.normalisations
    if table is None:
        return []
    authority, identifier = table["authority"], table["identifier"]
    split = authority.str.contains(r"[|:]", regex=True) | identifier.str.contains("|", regex=False)
    split |= (authority == "") & identifier.str.contains(":", regex=False)
    if not split.any():
        return []
    return [f"{int(split.sum())} normalisations with | or : inside (split elsewhere when read back)"]
