"""Search for entities or slots that differ in only one feature, and generation of cases from these pairs."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.arrays import group_rows
from ...catalogues.core.errors import InputError
from ...catalogues.core.files import read_bundled_toml
from ...catalogues.feature import Feature
from ...catalogues.taxonomy import taxonomy
from ...catalogues.value_codes import encode_combinations, encode_value_texts
from ..attestation import INVENTION
from ..case_limits import SCOPES
from ..cases import Cases
from ..combination_space import CombinationSpace
from ..material import Material, replace_forms, select_fillers, select_places
from ..part_options import PartOptions
from .transformations import TRANSFORMATIONS, FormChange

MAX_ATTEMPTS = 64
"""Maximum number of attempts to draw names that fit both sentences of a pair."""


def _contrast_setting(feature: Feature, key: str) -> Sequence[str]:
    """Return the setting `follows` or `transformations` of an entity feature in contrasts.toml."""
    settings = read_bundled_toml(__package__, "contrasts.toml").get(feature.name, {})
    setting: Sequence[str] = settings.get(key, ()) if feature.scope == "entity" else ()
    return setting


@dataclass(frozen=True)
class MinimalPairs:
    """Minimal pairs of one contrast.

    Attributes
    ----------
    feature : str
        Contrasted feature.
    pairs : array of int64, shape (pairs, 2)
        Rows of the two entities or slots of each pair.
    of_entities : bool
        True if the pairs are entities, False if they are slots.
    transformed : int
        Number of pairs with a transformed form.
    shared : array of int64
        For each pair, the row of the slot that both entities fill, or of the entity that fills both slots;
        empty until `place_pairs` sets it.
    """

    feature: str
    pairs: NDArray[np.int64]
    of_entities: bool
    transformed: int = 0
    shared: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.pairs)


def find_minimal_pairs(
    material: Material, options: PartOptions, first_made: int
) -> tuple[list[MinimalPairs], list[pd.DataFrame]]:
    """Find the minimal pairs of a part.

    If an entity has no partner, its form is transformed to make one. The new entities are returned as tables,
    and their rows are numbered from `first_made`.

    Raises
    ------
    InputError
        If the options name no feature to contrast, or if there is no pair for one of the features.
    """
    if not options.contrast:
        raise InputError("minimal pairs need a feature to contrast; set contrast = FEATURE")
    chosen = select_fillers(material, options.entities, options.types).astype(np.int64)
    found: list[MinimalPairs] = []
    frames: list[pd.DataFrame] = []
    for name in options.contrast:
        feature = taxonomy().find(name, SCOPES)
        if feature.scope == "entity":
            real = find_real_pairs(material.fillers, feature, ("entity",), chosen)
            alone = chosen[~np.isin(chosen, real)]
            made, sources = transform_forms(material.fillers, feature, alone, material.lists)
            rows = np.arange(first_made, first_made + len(made))
            first_made += len(made)
            frames.append(made)
            pairs = np.concatenate((real, np.stack((sources, rows), axis=1)))
            found.append(MinimalPairs(name, pairs, True, len(made)))
        else:
            slots = select_places(material, options.contexts).slots.astype(np.int64)
            # both sentences of a pair get the same other names, so they need the same number of slots
            many = material.templates.slot_counts[material.slot_context[slots]]
            alike = [
                find_real_pairs(material.environments, feature, ("slot", "context"), slots[many == n])
                for n in np.unique(many)
            ]
            pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *alike])
            found.append(MinimalPairs(name, pairs, False))
        if not len(found[-1]):
            raise InputError(f"no two selected entities or slots differ only in {name}; use wider queries")
    return found, frames


def list_shared_features(feature: Feature, scopes: tuple[str, ...]) -> list[Feature]:
    """Return the features that both members of a pair must share.

    These are the computed features with a fixed set of values, except the contrasted feature and the features
    that depend on it.
    """
    follows = _contrast_setting(feature, "follows")
    known = [f for f in taxonomy().select_scopes(*scopes) if f.is_closed and not f.is_catalogue_only]
    return [f for f in known if f.qualified_name != feature.qualified_name and f.name not in follows]


def find_real_pairs(
    frame: pd.DataFrame, feature: Feature, scopes: tuple[str, ...], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Find pairs of rows that differ in the contrasted feature and agree in all shared features.

    Each row is in at most one pair. Rows that agree in all shared features are paired in their order.
    """
    own, _ = encode_value_texts(frame, feature)
    alike, _ = encode_combinations(frame, list_shared_features(feature, scopes))
    pairs: list[tuple[int, int]] = []
    for group in group_rows(alike[rows]):
        waiting: dict[int, list[int]] = {}
        for row in sorted(rows[group].tolist()):
            partner = next((v for v in sorted(waiting) if v != own[row] and waiting[v]), None)
            if partner is None:
                waiting.setdefault(int(own[row]), []).append(row)
            else:
                pairs.append((waiting[partner].pop(0), row))
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def transform_forms(
    frame: pd.DataFrame,
    feature: Feature,
    rows: NDArray[np.int64],
    lists: Mapping[str, Container[str]] | None = None,
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Make new entities that differ from existing ones only in the contrasted feature.

    The first transformation that changes only this feature is applied to each form. The user's own
    transformations may also change other features.

    Returns
    -------
    DataFrame, array
        New entities with recomputed features and a column `transformation`, and the row of the original of
        each new entity.
    """
    # the user's own changes may have any effect on other features
    shared = [] if feature.changes else list_shared_features(feature, ("entity",))
    own_changes: dict[str, FormChange] = {
        f"{feature.name}-{number}": partial(_substitute, pattern, new)
        for number, (pattern, new) in enumerate(feature.changes, 1)
    }
    changes = own_changes or {n: TRANSFORMATIONS[n] for n in _contrast_setting(feature, "transformations")}
    forms = frame["data"].tolist()
    existing = set(forms)
    left = rows
    made: list[pd.DataFrame] = []
    sources: list[NDArray[np.int64]] = []
    for name, change in changes.items():
        changed = [
            (int(r), new)
            for r in left.tolist()
            if (new := change(forms[r])) is not None and new not in existing
        ]
        if not changed:
            continue
        at = np.array([r for r, _ in changed], dtype=np.int64)
        fresh = replace_forms(frame.take(at), [new for _, new in changed], lists)
        fresh["transformation"] = pd.Series([name] * len(fresh), dtype="str")
        fresh["entity_id"] = fresh["entity_id"].astype("str") + "~" + name
        if "source_type" in fresh:
            fresh["source_type"] = pd.Categorical([INVENTION] * len(fresh))
        both = pd.concat([frame.take(at), fresh], ignore_index=True)
        own = np.split(encode_value_texts(both, feature)[0], 2)
        good = own[0] != own[1]
        if shared:
            alike = np.split(encode_combinations(both, shared)[0], 2)
            good &= alike[0] == alike[1]
        if good.any():
            made.append(fresh[good])
            sources.append(at[good])
            left = left[~np.isin(left, at[good])]
    if not made:
        return frame.iloc[:0].assign(transformation=pd.Series(dtype="str")), np.empty(0, dtype=np.int64)
    return pd.concat(made, ignore_index=True), np.concatenate(sources)


def _substitute(pattern: str, new: str, form: str) -> str | None:
    """Return a form with the matches of a pattern replaced, or None if that changes nothing."""
    changed = re.sub(pattern, new, form)
    return changed if changed.strip() and changed != form else None


def place_pairs(space: CombinationSpace, contrast: MinimalPairs) -> MinimalPairs:
    """Find, for each pair, a slot that both entities fit or an entity that fits both slots.

    Pairs without such a slot or entity are left out of the result.

    Raises
    ------
    InputError
        If no slot or no entity is selected.
    """
    if not len(space.places.slots) or not len(space.fillers):
        raise InputError("minimal pairs need entities and slots; use queries that select both")
    found = (_find_slots if contrast.of_entities else _find_entities)(space, contrast.pairs)
    rows = np.array(list(found), dtype=np.int64).reshape(-1, 2)
    pairs = contrast.pairs[rows[:, 0]]
    first_made = len(space.material.fillers) - space.material.made
    made = int((pairs >= first_made).any(axis=1).sum()) if contrast.of_entities else 0
    return replace(contrast, pairs=pairs, transformed=made, shared=rows[:, 1])


def _find_slots(space: CombinationSpace, pairs: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the index of each pair of entities, and the row of a selected slot that both fit."""
    slots = space.places.slots
    conditions = np.unique(space.condition[slots])
    # conditions × pairs: True where both entities fit
    may = np.stack(
        [space.check_condition(c, pairs.T.reshape(-1).astype(np.int32)) for c in conditions.tolist()]
    )
    may = may[:, : len(pairs)] & may[:, len(pairs) :]
    counterpart = space.filling.counterpart
    if counterpart is not None:
        # in an appositive, entities with different counterparts would also differ in the second name
        partners = counterpart[pairs]
        differ = partners[:, 0] != partners[:, 1]
        may[np.ix_([space.has_partner(c) for c in conditions.tolist()], differ)] = False
    of_slot = np.searchsorted(conditions, space.condition[slots])
    for pair in range(len(pairs)):
        at = _find_next(may[of_slot, pair], pair % len(slots))
        if at is not None:
            yield pair, int(slots[at])


def _find_entities(space: CombinationSpace, pairs: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the index of each pair of slots, and the row of a selected entity that fits both."""
    fillers = space.fillers
    # slots of sentences that cannot be filled are not usable
    usable = set(space.places.slots.tolist())
    for pair, (one, other) in enumerate(pairs.tolist()):
        if not {one, other} <= usable:
            continue
        pool = np.isin(fillers, space.pool_of(one)) & np.isin(fillers, space.pool_of(other))
        at = _find_next(pool, pair % len(fillers))
        if at is not None and _fill_both(space, [one, other], int(fillers[at])) is not None:
            yield pair, int(fillers[at])


def _find_next(good: NDArray[np.bool_], begin: int) -> int | None:
    """Return the index of the first True value from `begin` on, cyclically; None if all values are False."""
    found = np.flatnonzero(good)
    if not len(found):
        return None
    at = int(np.searchsorted(found, begin))
    return int(found[at % len(found)])


def _fill_both(space: CombinationSpace, slots: list[int], filler: int) -> NDArray[np.int32] | None:
    """Put an entity into both slots of a pair, and the same names into the other slots of both sentences.

    The other names are drawn up to `MAX_ATTEMPTS` times. Returns an array of shape (2, slots), or None if no
    drawn names fit both sentences.
    """
    places = [space.place_of(slot) for slot in slots]
    # attempts × slots
    first = space.complete(slots[0], np.full(MAX_ATTEMPTS, filler, dtype=np.int32), extra_seed=slots[1])
    second = np.insert(np.delete(first, places[0], axis=1), places[1], filler, axis=1)
    context = int(space.material.slot_context[slots[1]])
    conditions = space.condition[slots[1] - places[1] :][: second.shape[1]].tolist()
    fits = [space.check_condition(c, names) for c, names in zip(conditions, second.T, strict=True)]
    counterpart = space.filling.counterpart
    if counterpart is not None:
        partners = space.list_partners(context, same_entry=True)
        fits += [counterpart[second[:, one]] == second[:, other] for one, other in partners.items()]
    good = np.flatnonzero(np.logical_and.reduce(fits))
    return np.stack((first[good[0]], second[good[0]])) if len(good) else None


def make_pair_cases(
    space: CombinationSpace, contrasts: list[MinimalPairs], limit: int | None, first: int = 0
) -> Iterator[Cases]:
    """Generate the two cases of each minimal pair.

    At most `limit` pairs are used per contrast. Pairs are numbered from `first`.
    """
    number, features = first, space.material.contrasts
    for contrast in contrasts:
        code = features.index(contrast.feature) if features else -1
        for pair, shared in zip(
            contrast.pairs[:limit].tolist(), contrast.shared[:limit].tolist(), strict=True
        ):
            slots = [shared, shared] if contrast.of_entities else pair
            filled = (
                _exchange_entities(space, pair, shared, number)
                if contrast.of_entities
                else _fill_both(space, pair, shared)
            )
            if filled is None:
                raise ValueError("no names fit both sentences of a minimal pair")
            marks = np.full(filled.shape, -1, dtype=np.int32)
            marks[[0, 1], [space.place_of(slot) for slot in slots]] = code
            yield Cases(
                space.material.slot_context[slots],
                filled.ravel(),
                space.filling.part,
                np.full(2, number, dtype=np.int64),
                contrast=marks.ravel(),
            )
            number += 1


def count_pairs(contrasts: list[MinimalPairs], limit: int | None) -> int:
    """Return the number of pairs that `make_pair_cases` generates."""
    return sum(len(c) if limit is None else min(len(c), limit) for c in contrasts)


def _exchange_entities(space: CombinationSpace, pair: list[int], slot: int, number: int) -> NDArray[np.int32]:
    """Put each entity of a pair into the same slot of a sentence, with the same names in the other slots."""
    place, codes = space.place_of(slot), space.filling.form_codes
    for attempt in range(32):
        one = space.complete(slot, np.array(pair[:1], dtype=np.int32), extra_seed=number + (attempt << 40))
        if codes[pair[1]] not in np.delete(codes[one[0]], place):
            break
    filled = np.repeat(one, 2, axis=0)
    filled[1, place] = pair[1]
    return filled
