"""Which entities or places differ in one feature alone: real ones, else transformed ones."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.arrays import grouped
from ...catalogues.core.errors import InputError
from ...catalogues.core.files import bundled_toml
from ...catalogues.taxonomy import Feature, taxonomy
from ...catalogues.value_codes import joint_codes, value_codes
from ..attested import INVENTION
from ..entity_forms import with_forms
from ..material import Material, select_fillers, select_places
from ..recipe import SCOPES, PartOptions
from .transformations import TRANSFORMATIONS


@dataclass(frozen=True)
class Contrast:
    """What belongs to the contrast in a feature: see contrasts.toml."""

    feature: Feature
    follows: frozenset[str]
    transformations: tuple[str, ...]


@lru_cache
def _table() -> dict[str, Any]:
    return bundled_toml(__package__, "contrasts.toml")


@dataclass(frozen=True)
class MinimalPairs:
    """The pairs of one contrast.

    Attributes
    ----------
    feature : str
        The contrasted feature.
    pairs : array of int64
        Pairs (× 2) of entities, or of slots.
    of_entities : bool
        Which of the two.
    transformed : int
        How many pairs have a transformed form.
    beside : array of int64
        For each pair its slot (a contrast of entities) or its entity (a contrast of places), once chosen.
    """

    feature: str
    pairs: NDArray[np.int64]
    of_entities: bool
    transformed: int = 0
    beside: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.pairs)


def minimal_pairs(
    material: Material, options: PartOptions, first_made: int
) -> tuple[list[MinimalPairs], list[pd.DataFrame]]:
    """The minimal pairs of a part, and the entities made for them; these get rows from `first_made` on.

    Raises
    ------
    InputError
        When no feature is named, or a feature gives no pair at all.
    """
    if not options.contrast:
        raise InputError("a contrast needs a feature", allowed="--contrast FEATURE")
    chosen = select_fillers(material, options.entities).astype(np.int64)
    found: list[MinimalPairs] = []
    frames: list[pd.DataFrame] = []
    for name in options.contrast:
        contrast = contrast_in(name)
        if contrast.feature.scope == "entity":
            real = real_pairs(material.fillers, contrast, ("entity",), chosen)
            alone = chosen[~np.isin(chosen, real)]
            made, sources = transformed(material.fillers, contrast, alone, material.lists)
            rows = np.arange(first_made, first_made + len(made))
            first_made += len(made)
            frames.append(made)
            pairs = np.concatenate((real, np.stack((sources, rows), axis=1)))
            found.append(MinimalPairs(name, pairs, True, len(made)))
        else:
            slots = select_places(material, options.contexts).slots.astype(np.int64)
            # the others of a pair's two sentences are the same: as many slots in both, bins are too wide
            many = material.templates.slots[material.slot_context[slots]]
            alike = [
                real_pairs(material.environments, contrast, ("slot", "context"), slots[many == n])
                for n in np.unique(many)
            ]
            pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *alike])
            found.append(MinimalPairs(name, pairs, False))
        if not len(found[-1]):
            raise InputError("no two differ in this feature alone", found=name, allowed="wider queries")
    return found, frames


def contrast_in(name: str) -> Contrast:
    """The contrast in a feature of entities, slots or contexts.

    Raises
    ------
    InputError
        When there is no such feature.
    """
    feature = taxonomy().find(name, SCOPES)
    entry = _table().get(feature.name, {}) if feature.scope == "entity" else {}
    return Contrast(feature, frozenset(entry.get("follows", ())), tuple(entry.get("transformations", ())))


def compared(contrast: Contrast, scopes: tuple[str, ...]) -> list[Feature]:
    """The features that the two of a pair must share: all closed computed ones but those that follow."""
    return [
        f
        for f in taxonomy().of(*scopes)
        if f.closed
        and not f.catalogue_only
        and f.path != contrast.feature.path
        and f.name not in contrast.follows
    ]


def real_pairs(
    frame: pd.DataFrame, contrast: Contrast, scopes: tuple[str, ...], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Pairs of rows that differ in the contrasted feature and in no compared one.

    Each row is in one pair at most. Rows of a group (alike in all else) are paired value by value, in the
    order of the rows.
    """
    own, _ = value_codes(frame, contrast.feature)
    alike, _ = joint_codes(frame, compared(contrast, scopes))
    pairs: list[tuple[int, int]] = []
    for group in grouped(alike[rows]):
        waiting: dict[int, list[int]] = {}
        for row in sorted(rows[group].tolist()):
            partner = next((v for v in sorted(waiting) if v != own[row] and waiting[v]), None)
            if partner is None:
                waiting.setdefault(int(own[row]), []).append(row)
            else:
                pairs.append((waiting[partner].pop(0), row))
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def transformed(
    frame: pd.DataFrame,
    contrast: Contrast,
    rows: NDArray[np.int64],
    lists: Mapping[str, Container[str]] | None = None,
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Forms made from rows by the first transformation that changes the feature and no compared one.

    Returns
    -------
    DataFrame, array
        The new entities (features computed again, `transformation` telling the name), and the row that each
        was made from.
    """
    shared = compared(contrast, ("entity",))
    forms = frame["data"].tolist()
    existing = set(forms)
    left = rows
    made: list[pd.DataFrame] = []
    sources: list[NDArray[np.int64]] = []
    for name in contrast.transformations:
        change = TRANSFORMATIONS[name]
        changed = [
            (int(r), new)
            for r in left.tolist()
            if (new := change(forms[r])) is not None and new not in existing
        ]
        if not changed:
            continue
        at = np.array([r for r, _ in changed], dtype=np.int64)
        fresh = with_forms(frame.take(at), [new for _, new in changed], lists)
        fresh["transformation"] = pd.Series([name] * len(fresh), dtype="str")
        fresh["entity_id"] = fresh["entity_id"].astype("str") + "~" + name
        if "source_type" in fresh:
            fresh["source_type"] = pd.Categorical([INVENTION] * len(fresh))
        both = pd.concat([frame.take(at), fresh], ignore_index=True)
        size = len(fresh)
        good = np.ones(size, dtype=bool)
        for feature in shared:
            codes, _ = value_codes(both, feature)
            good &= codes[:size] == codes[size:]
        codes, _ = value_codes(both, contrast.feature)
        good &= codes[:size] != codes[size:]
        if good.any():
            made.append(fresh[good])
            sources.append(at[good])
            left = left[~np.isin(left, at[good])]
    if not made:
        return frame.iloc[:0].assign(transformation=pd.Series(dtype="str")), np.empty(0, dtype=np.int64)
    return pd.concat(made, ignore_index=True), np.concatenate(sources)
