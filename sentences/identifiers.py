"""Conversion of database identifiers between joined text (in files) and the table `normalisations`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

IDENTIFIERS_COLUMN = "identifiers"
"""Name of the column with identifiers in suites and runs: ``AUTHORITY:ID`` or ``ID``, joined by ``|``."""


def join_identifiers(identifiers: Iterable[tuple[str, str]]) -> str:
    """Join pairs of authority and identifier into one text, such as ``HGNC:11998|7157``."""
    return "|".join(f"{authority}:{name}" if authority else name for authority, name in identifiers)


def split_identifiers(text: str) -> list[tuple[str, str]]:
    """Split a text such as ``HGNC:11998|7157`` into pairs of authority (or "") and identifier."""
    pairs = []
    for part in filter(None, text.split("|")):
        authority, colon, name = part.partition(":")
        pairs.append((authority, name) if colon else ("", part))
    return pairs


def join_by_mention(rows: Iterable[tuple[int, str, str]]) -> dict[int, str]:
    """Return the joined identifiers of each mention, given rows of mention, authority and identifier."""
    pairs: dict[int, list[tuple[str, str]]] = {}
    for mention, authority, name in rows:
        pairs.setdefault(mention, []).append((authority, name))
    return {mention: join_identifiers(listed) for mention, listed in pairs.items()}


def split_identifier_column(mentions: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return mentions without the column of identifiers, and the table `normalisations` (None if empty)."""
    import pandas as pd

    if IDENTIFIERS_COLUMN not in mentions:
        return mentions, None
    without = mentions.drop(columns=IDENTIFIERS_COLUMN)
    codes, texts = pd.factorize(mentions[IDENTIFIERS_COLUMN])
    listed = [split_identifiers(str(text)) for text in texts]
    rows = pd.DataFrame(
        [(code, *pair) for code, pairs in enumerate(listed) for pair in pairs],
        columns=["code", "authority", "identifier"],
    )
    if not len(rows):
        return without, None
    coded = pd.DataFrame({"mention_id": mentions["mention_id"].to_numpy(), "code": codes})
    table = coded.merge(rows.astype({"authority": "str", "identifier": "str"}), on="code").drop(
        columns="code"
    )
    order = ["mention_id", "authority", "identifier"]
    return without, table.sort_values(order, kind="stable", ignore_index=True)


def join_identifier_column(mentions: pd.DataFrame, normalisations: pd.DataFrame | None) -> pd.Series:
    """Return the identifiers of each mention as one text, missing if the mention has none."""
    names = ["mention_id", "authority", "identifier"]
    rows = () if normalisations is None else normalisations[names].itertuples(index=False, name=None)
    return mentions["mention_id"].map(join_by_mention(rows)).astype("str")
