"""How often names and sentences of each sort are drawn, so that a sample has them as a corpus has.

A mention's frequency is how often its form is annotated elsewhere in the same corpus (white space and case
ignored): a form that occurs once is a name that the rest of the corpus does not know. So the shares are those
that the next text would have (Good and Turing's estimate), and names that no corpus has get theirs. Beside
them stands how often a hyphen or a slash joins a name to the word beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.arrays import group_rows
from ...catalogues.core.files import read_bundled_toml
from ...catalogues.taxonomy import Feature, taxonomy
from ...catalogues.value_codes import ABSENT_TEXT, encode_combinations
from ..attestation import MIN_PER_VALUE
from ..combination_space import CombinationSpace
from ..recipe import PartOptions

SHARES_FILE = "frequency.toml"
JOINING_HAZARDS = frozenset({"hyphen", "slash"})
"""The values of `hazards_feature` that join a name to what stands beside it."""
UNSEEN_BAND = "0"
"""The band of names that a corpus does not have."""
LITERATURE = "literature"
"""Where names come from that were read in a text."""
SAMPLED_FIELD = "sampled"
"""The field of those that were not chosen, but drawn as the text has them."""
KIND_AND_FORM = ("kind", "case", "contains_Arabic_numeral", "contains_embedded_symbol")
"""In these, names that others have are drawn as names from literature are."""
MIN_UNREAD_SHARE = 0.5
"""The share of names that others have at least: taggers know names of corpora by heart."""
MAX_FREQUENCY_RATIO = 3.0
"""No name that a corpus lacks is drawn more often than so many times the mean of its number of words."""
FIT_ROUNDS = 50
"""Of fitting weights; they hardly move after twenty."""
MAX_GROUP_FACTOR = 10.0
"""No group is drawn more or less often than by this factor to make up for slots that do not take it."""


def frequency_feature() -> Feature:
    """Return the feature that says how often a form is annotated elsewhere, in bands."""
    return taxonomy().find("entity.corpus_frequency")


def words_feature() -> Feature:
    """Return the feature that is the number of words."""
    return taxonomy().find("entity.words")


def hazards_feature() -> Feature:
    """Return the feature that says what stands at the edges of a name."""
    return taxonomy().find("slot.tokenisation_hazards")


def count_elsewhere(forms: pd.Series) -> NDArray[np.int64]:
    """Return for each mention how often its form occurs in the others.

    Examples
    --------
    >>> count_elsewhere(pd.Series(["p53", "P 53", "Mdm2"])).tolist()
    [1, 1, 0]
    """
    plain = forms.astype("str").str.replace(r"\s+", "", regex=True).str.casefold()
    codes, _ = pd.factorize(plain)
    return np.asarray(np.bincount(codes)[codes] - 1, dtype=np.int64)


def is_joined(hazards: pd.Series) -> NDArray[np.bool_]:
    """Return True for places that a hyphen or a slash joins to what stands beside them.

    Examples
    --------
    >>> is_joined(pd.Series(["hyphen|slash", "parenthesis", None], dtype="str")).tolist()
    [True, False, False]
    """
    codes, values = pd.factorize(hazards.astype("str").fillna(""))
    return np.array([not JOINING_HAZARDS.isdisjoint(value.split("|")) for value in values], dtype=bool)[codes]


@lru_cache
def bundled_shares() -> dict[str, Any]:
    """Return what is known of the corpus that corpus_frequency of bundled entities counts.

    `shares` of mentions by band of frequency and number of words, as the taxonomy's bins are called; the
    share `joined` by a hyphen or a slash; the number of `mentions`.
    """
    return read_bundled_toml(__package__, SHARES_FILE)


@dataclass(frozen=True)
class Mixture:
    """How often names of each sort are drawn.

    Attributes
    ----------
    group : array of int64
        For each filler the number of its sort.
    weights, other_weights : array of float64
        For each filler its share of the names that sentences are chosen for, and its weight among the names
        that can stand in one of their other slots.
    context_weights : array of float64
        For each context how often it is taken, relative to the others.
    """

    group: NDArray[np.int64]
    weights: NDArray[np.float64]
    other_weights: NDArray[np.float64]
    context_weights: NDArray[np.float64]


def make_mixture(space: CombinationSpace, options: PartOptions) -> Mixture | None:
    """How often names of each sort are drawn; None where no frequency is given.

    Bands and numbers of words have the shares of a corpus. Within these each name comes as often as the
    mentions of the corpus that it stands for (`count_represented`), whichever list it was taken from. But of
    the names that no corpus has, others than those from literature have a part (`MIN_UNREAD_SHARE`), or more
    where hardly any name from literature may stand in most slots; kinds and forms have the same shares there
    as in literature. An entity of which no frequency is given is as one that no corpus has.
    """
    fillers = space.material.fillers
    column = frequency_feature().column
    if options.stratify or options.target or options.fill == "product":
        return None
    if column not in fillers or not fillers[column].iloc[space.fillers].notna().any():
        return None
    codes, sorts = space.material.compute_once(_group_names)
    cell_of, alike, part = (sorts[name].to_numpy() for name in ("cell", "alike", "part"))
    read = (sorts["source"] == LITERATURE).to_numpy()
    unread = (sorts["band"] == UNSEEN_BAND).to_numpy() & ~read
    stood_for = count_represented(sorts, codes, fillers[column].fillna(0).to_numpy(dtype=float))
    here = codes[space.fillers]
    there = np.bincount(here, minlength=len(sorts)).astype(float)
    often = np.bincount(here, weights=stood_for[space.fillers], minlength=len(sorts)).astype(np.float64)
    pool_of = space.pool_number[space.places.slots]
    left = (
        compute_unread_share(read[codes], space.distinct_pools, pool_of) if options.attested != "any" else 0.0
    )
    share = np.zeros(len(sorts))
    for rows in group_rows(cell_of[there > 0]):
        cell = np.flatnonzero(there > 0)[rows]
        first, others = cell[~unread[cell]], cell[unread[cell]]
        parted = left if len(first) and len(others) else float(not len(first))
        whole = part[cell[0]]
        share[first] += whole * (1 - parted) * _normalise(often[first])
        share[others] += (
            whole * parted * split_shares(there[others], alike[others], often[first], alike[first])
        )
    each = np.divide(share, there, out=np.zeros_like(share), where=there > 0)
    target = np.bincount(cell_of, weights=share).astype(np.float64)
    turns = _weigh_contexts(space)
    other_weights = _balance_slots(space, turns, each[codes], cell_of[codes], target)
    return Mixture(codes, each[codes], other_weights, turns)


def _group_names(fillers: pd.DataFrame) -> tuple[NDArray[np.int64], pd.DataFrame]:
    """For each entity the number of its sort; a table with a row for each sort.

    The table has the values, the cell (of band and number of words) and its share of the corpus (`part`), and
    which sorts are `alike` in kind and form.
    """
    stated = [f"entity.{name}" for name in ("source_type", "source_field", *KIND_AND_FORM)]
    features = [frequency_feature(), words_feature(), *(taxonomy().find(name) for name in stated)]
    codes, names = encode_combinations(fillers, features)
    sorts = pd.DataFrame(names, columns=["band", "words", "source", "field", *KIND_AND_FORM])
    sorts["band"] = sorts["band"].where(sorts["band"] != ABSENT_TEXT, UNSEEN_BAND)
    sorts["cell"] = pd.factorize(pd.MultiIndex.from_frame(sorts[["band", "words"]]))[0]
    sorts["alike"] = pd.factorize(pd.MultiIndex.from_frame(sorts[list(KIND_AND_FORM)]))[0]
    parts = bundled_shares()["shares"]
    sorts["part"] = [parts.get(b, {}).get(w, 0.0) for b, w in zip(sorts["band"], sorts["words"], strict=True)]
    return codes, sorts


def count_represented(
    sorts: pd.DataFrame, codes: NDArray[np.int64], frequency: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How many mentions of the corpus each name stands for.

    A name stands for its own mentions; one that was sampled for an equal part, too, of what is left of its
    band and number of words when all others have theirs, as units of a stratified sample do.

    Parameters
    ----------
    sorts : DataFrame
        Cell (of band and number of words), its share of the corpus (`part`), source and field of each sort.
    codes : array of int64
        The sort of each name.
    frequency : array of float64
        How often the corpus has it, the mention that it was taken from apart.
    """
    literature = (sorts["source"] == LITERATURE).to_numpy()[codes]
    own = frequency + literature
    sampled = literature & (sorts["field"] == SAMPLED_FIELD).to_numpy()[codes]
    found: NDArray[np.float64] = own.copy()
    cell, part = sorts["cell"].to_numpy()[codes], sorts["part"].to_numpy()[codes]
    # cells: what the names that were not sampled leave, and how many there are to share it
    rest = np.zeros(int(cell.max(initial=0)) + 1)
    rest[cell] = part * bundled_shares()["mentions"]
    rest -= np.bincount(cell, weights=own * ~sampled, minlength=len(rest))
    drawn = np.bincount(cell, weights=sampled, minlength=len(rest))
    found[sampled] = np.maximum(own, (rest / np.maximum(drawn, 1))[cell])[sampled]
    return found


def compute_unread_share(
    read: NDArray[np.bool_], pools: Sequence[NDArray[np.integer]], pool_of: NDArray[np.integer]
) -> float:
    """The share of names that are not from literature: of the slots where hardly any of these may stand.

    Parameters
    ----------
    read : array of bool, shape (fillers,)
        Which are from literature.
    pools : sequence of arrays of int
        The fillers that may stand in a slot.
    pool_of : array of int, shape (slots,)
        The number of each slot's pool.
    """
    if not len(pool_of):
        return 0.0
    few = np.array([np.count_nonzero(read[pool]) < MIN_PER_VALUE for pool in pools])
    return max(MIN_UNREAD_SHARE, float(few[pool_of].mean()))


def _balance_slots(
    space: CombinationSpace,
    turns: NDArray[np.float64],
    weight: NDArray[np.float64],
    group: NDArray[np.int64],
    target: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Weights of fillers with which groups have their target's shares over all slots, not in each.

    Some slots take symbols only; others then get more names (iterative proportional fitting of one margin).
    """
    context = space.material.slot_context[space.places.slots]
    many = space.material.templates.slot_counts[context]
    number = space.pool_number[space.places.slots]
    # a sentence of k slots has one that a name was chosen for, and k - 1 others
    often = np.bincount(number, weights=turns[context] * (many - 1) / many)
    drawn = np.flatnonzero(often)
    # pools × groups: the weight of the members
    sums = np.zeros((len(drawn), len(target)))
    for row, pool in enumerate(drawn.tolist()):
        members = space.distinct_pools[pool]
        sums[row] = np.bincount(group[members], weights=weight[members], minlength=len(target))
    factor = np.ones(len(target))
    for _ in range(FIT_ROUNDS):
        part = sums * factor
        part /= np.maximum(part.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        found = often[drawn] @ part / max(often.sum(), 1.0)
        moved = np.divide(target, found, out=np.ones_like(target), where=(found > 0) & (target > 0))
        factor *= np.clip(moved, 1 / MAX_GROUP_FACTOR, MAX_GROUP_FACTOR)
        factor = np.clip(factor, 1 / MAX_GROUP_FACTOR, MAX_GROUP_FACTOR)
    return weight * factor[group]


def _weigh_contexts(space: CombinationSpace) -> NDArray[np.float64]:
    """How often each context is taken, so that hyphens and slashes join names as often as in a corpus."""
    material = space.material
    turns = np.ones(len(material.contexts))
    contexts = np.unique(material.slot_context[space.places.slots])
    slots = material.templates.slot_counts[contexts]
    there = is_joined(material.environments[hazards_feature().column])
    # contexts: how many of the names in each are joined to something
    number = np.bincount(material.slot_context, weights=there, minlength=len(turns))[contexts]
    some = number > 0
    if some.any() and not some.all():
        # taken so many times as often as the others, sentences with a joined name give them their share
        share = bundled_shares()["joined"]
        missing = number.sum() - share * slots[some].sum()
        often = share * slots[~some].sum() / missing if missing > 0 else MAX_GROUP_FACTOR
        turns[contexts[some]] = np.clip(often, 1 / MAX_GROUP_FACTOR, MAX_GROUP_FACTOR)
    return turns


def split_shares(
    there: NDArray[np.float64],
    alike: NDArray[np.int64],
    often: NDArray[np.float64],
    alike_read: NDArray[np.int64],
) -> NDArray[np.float64]:
    """How a share is parted among sorts: kinds and forms as those read, sorts of one by how many are there.

    Where nothing that was read is alike, by how many are there alone.

    Parameters
    ----------
    there, alike : array
        How many names of each sort there are, and the number that sorts of its kind and form share.
    often, alike_read : array
        How often names of each sort that was read come, and the number of its kind and form.
    """
    wanted = pd.Series(often).groupby(alike_read).sum().reindex(alike, fill_value=0.0).to_numpy()
    if not wanted.any():
        return _normalise(there)
    # a name of a kind and form that is rare here is drawn more often, within reason
    each = wanted / np.bincount(alike, weights=there)[alike]
    return _normalise(np.minimum(each, MAX_FREQUENCY_RATIO * np.average(each, weights=there)) * there)


def _normalise(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that sum to one; none where there are none."""
    total = weights.sum()
    return weights / total if total else weights
