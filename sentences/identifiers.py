"""Conversion of database identifiers between delimited strings in files and the table `normalisations`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

IDENTIFIERS_COLUMN = "identifiers"
"""Name of the column with identifiers in suites and runs: ``AUTHORITY:ID`` or ``ID``, joined by ``|``."""

IDENTIFIER_COLUMNS = ["mention_id", "authority", "identifier"]
"""Names of the columns of the table `normalisations`."""


def join_identifiers(identifiers: Iterable[tuple[str, str]]) -> str:
    """Join pairs of authority and identifier into one string, such as ``HGNC:11998|7157``."""
    return "|".join(f"{authority}:{name}" if authority else name for authority, name in identifiers)


def split_identifiers(text: str) -> list[tuple[str, str]]:
    """Split a string such as ``HGNC:11998|7157`` into pairs of authority (or "") and identifier."""
    pairs = []
    for part in filter(None, text.split("|")):
        authority, colon, name = part.partition(":")
        pairs.append((authority, name) if colon else ("", part))
    return pairs


def join_by_mention(rows: Iterable[tuple[int, str, str]]) -> dict[int, str]:
    """Return the identifiers of each mention as one string; a row is (mention, authority, identifier)."""
    pairs: dict[int, list[tuple[str, str]]] = {}
    for mention, authority, name in rows:
        pairs.setdefault(mention, []).append((authority, name))
    return {mention: join_identifiers(listed) for mention, listed in pairs.items()}


def split_identifier_column(mentions: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Remove the column of identifiers from `mentions`, and convert it to the table `normalisations`.

    Returns
    -------
    tuple of DataFrame
        Mentions without the column, and the table (None if there are no identifiers).
    """
    import pandas as pd

    if IDENTIFIERS_COLUMN not in mentions:
        return mentions, None
    without = mentions.drop(columns=IDENTIFIERS_COLUMN)
    texts = mentions[IDENTIFIERS_COLUMN].astype("str").fillna("").tolist()
    pairs = {text: split_identifiers(text) for text in set(texts)}
    listed = zip(mentions["mention_id"].tolist(), texts, strict=True)
    rows = [(mention, *pair) for mention, text in listed for pair in pairs[text]]
    if not rows:
        return without, None
    table = pd.DataFrame(rows, columns=IDENTIFIER_COLUMNS)
    return without, table.sort_values(IDENTIFIER_COLUMNS, kind="stable", ignore_index=True)


def join_identifier_column(mentions: pd.DataFrame, normalisations: pd.DataFrame | None) -> pd.Series:
    """Return the identifiers of each mention as one string; if the mention has none, the value is missing."""
    texts: dict[int, str] = {}
    if normalisations is not None:
        texts = join_by_mention(normalisations[IDENTIFIER_COLUMNS].itertuples(index=False, name=None))
    return mentions["mention_id"].map(texts).astype("str")
