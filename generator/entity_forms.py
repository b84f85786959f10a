"""Entities with another form: what depends on the form is computed again, the rest stays."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import pandas as pd

from ..catalogues.entity_features import entity_features
from ..catalogues.taxonomy import LIST_PREFIX


def with_forms(
    entities: pd.DataFrame, forms: Sequence[str], lists: Mapping[str, Container[str]] | None = None
) -> pd.DataFrame:
    """Entities with new forms, one for each row, and their features.

    Parameters
    ----------
    entities : DataFrame
        Where the forms come from; whether each is a name or a symbol is kept.
    forms : sequence of str
        The new forms.
    lists : mapping of name to container of str, optional
        The user's lists, for the columns ``in_list.NAME``.
    """
    fresh = entities.reset_index(drop=True)
    fresh["data"] = pd.Series(list(forms), dtype="str")
    given = fresh[["name_vs_symbol"]] if "name_vs_symbol" in fresh else None
    computed = entity_features(fresh["data"], given=given, lists=lists)
    for column in computed.columns:
        if column in fresh and column != "data":
            fresh[column] = computed[column]
    return fresh


def with_lists_of(entities: pd.DataFrame, lists: Mapping[str, Container[str]]) -> pd.DataFrame:
    """Entities with a column ``in_list.NAME`` for each list; a column of that name is replaced."""
    if not lists:
        return entities
    names = [LIST_PREFIX + name for name in lists]
    found = entity_features(entities["data"], lists=lists, columns=names)
    return entities.assign(**{name: found[name] for name in names})
