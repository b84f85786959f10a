"""Weights of names and sentences that give a sample the proportions of a corpus.

The corpus frequency of a mention is the number of other mentions of the same form in the corpus, ignoring
white space and case. A form that occurs only once therefore has the frequency 0. Names that are not in the
corpus also have this frequency, and together get the share expected for unseen names in a new text
(Good-Turing estimate). The weights also reproduce how often a hyphen or a slash joins a name to its
neighbour.
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
from ...catalogues.feature import Feature
from ...catalogues.taxonomy import taxonomy
from ...catalogues.value_codes import ABSENT_TEXT, encode_combinations
from ..attestation import MIN_PER_VALUE
from ..combination_space import CombinationSpace
from ..part_options import PartOptions

SHARES_FILE = "frequency.toml"
HAZARDS_COLUMN = "tokenisation_hazards"
"""Column of slots that lists the characters next to the name that make tokenisation difficult."""
JOINING_HAZARDS = frozenset({"hyphen", "slash"})
"""Values of `HAZARDS_COLUMN` for characters that join a name to a neighbouring word."""
UNSEEN_BAND = "0"
"""Frequency band of names that do not occur in the corpus."""
LITERATURE = "literature"
"""Source type of names that were found in literature."""
SAMPLED_FIELD = "sampled"
"""Value of the feature `source_field` for names that were drawn from texts at random."""
KIND_AND_FORM = ("kind", "case", "contains_Arabic_numeral", "contains_embedded_symbol")
"""Features whose values are equally frequent among names from literature and names from other sources."""
MIN_UNREAD_SHARE = 0.5
"""Minimum share of names from sources other than literature, which taggers may have memorised."""
MAX_FREQUENCY_RATIO = 3.0
"""Maximum frequency of a name from a source other than literature, relative to the mean of such names."""
FIT_ROUNDS = 50
"""Number of iterations in which the weights of groups of names are fitted."""
MAX_GROUP_FACTOR = 10.0
"""Maximum factor by which a weight is raised or lowered to correct the proportions in a sample."""


def frequency_feature() -> Feature:
    """Return the feature that contains the corpus frequency of a form."""
    return taxonomy().find("entity.corpus_frequency")


def count_elsewhere(forms: pd.Series) -> NDArray[np.int64]:
    """Return, for each mention, the number of other mentions with the same form.

    Examples
    --------
    >>> count_elsewhere(pd.Series(["p53", "P 53", "Mdm2"])).tolist()
    [1, 1, 0]
    """
    plain = forms.astype("str").str.replace(r"\s+", "", regex=True).str.casefold()
    codes, _ = pd.factorize(plain)
    return np.asarray(np.bincount(codes)[codes] - 1, dtype=np.int64)


def is_joined(hazards: pd.Series) -> NDArray[np.bool_]:
    """Return a mask of the slots in which a hyphen or a slash joins the name to its neighbour.

    Examples
    --------
    >>> is_joined(pd.Series(["hyphen|slash", "parenthesis", None], dtype="str")).tolist()
    [True, False, False]
    """
    codes, values = pd.factorize(hazards.astype("str").fillna(""))
    return np.array([not JOINING_HAZARDS.isdisjoint(value.split("|")) for value in values], dtype=bool)[codes]


@lru_cache
def bundled_shares() -> dict[str, Any]:
    """Return statistics of the corpus from which `corpus_frequency` of the bundled entities was computed.

    `shares` contains the proportions of mentions by frequency band and number of words (bins of the
    taxonomy), `joined` is the proportion of mentions that a hyphen or a slash joins to a neighbour, and
    `mentions` is the number of mentions.
    """
    return read_bundled_toml(__package__, SHARES_FILE)


@dataclass(frozen=True)
class Mixture:
    """Weights of names and contexts in a sample.

    Attributes
    ----------
    group : array of int64
        For each filler, the number of its group.
    weights, other_weights : array of float64
        Weight of each filler: `weights` if a sentence is selected for it, and `other_weights` if it fills
        another slot of a sentence.
    context_weights : array of float64
        Relative frequency with which each context is used.
    """

    group: NDArray[np.int64]
    weights: NDArray[np.float64]
    other_weights: NDArray[np.float64]
    context_weights: NDArray[np.float64]


def make_mixture(space: CombinationSpace, options: PartOptions) -> Mixture | None:
    """Compute the weights of names and contexts that give a sample the proportions of a corpus.

    Frequency bands and numbers of words have the same proportions as in the corpus. Within each combination
    of band and number of words, a name is weighted by the number of mentions that it represents (see
    `count_represented`). An entity without a frequency is treated as absent from the corpus.

    Among names that are not in the corpus, names from sources other than literature get at least the share
    `MIN_UNREAD_SHARE`, and more if many slots accept few names from literature. Their kinds and forms have
    the same proportions as in literature.

    Returns None if no entity has a corpus frequency, or if the options define other proportions.
    """
    fillers = space.material.fillers
    column = frequency_feature().column
    if options.stratify or options.target:
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
    """Return the group number of each entity, and a table of the groups.

    The table contains the feature values that the entities of each group share. The column `cell` numbers the
    combinations of frequency band and number of words, and `alike` those of kind and form. The column `part`
    is the share of the `cell` in the corpus.
    """
    stated = ("corpus_frequency", "words", "source_type", "source_field", *KIND_AND_FORM)
    features = [taxonomy().find(f"entity.{name}") for name in stated]
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
    """Return the number of corpus mentions that each name represents.

    A name that was not drawn from texts at random represents its own mentions. The other mentions with the
    same frequency band and number of words are divided equally among the randomly drawn names, as in a
    stratified sample.

    Parameters
    ----------
    sorts : DataFrame
        Table of the groups of names, as returned by `_group_names`.
    codes : array of int64
        Group number of each name.
    frequency : array of float64
        Number of other mentions of each name in the corpus.
    """
    literature = (sorts["source"] == LITERATURE).to_numpy()[codes]
    own = frequency + literature
    sampled = literature & (sorts["field"] == SAMPLED_FIELD).to_numpy()[codes]
    found: NDArray[np.float64] = own.copy()
    cell, part = sorts["cell"].to_numpy()[codes], sorts["part"].to_numpy()[codes]
    # per cell: mentions that the other names do not represent, and the number of sampled names
    rest = np.zeros(int(cell.max(initial=0)) + 1)
    rest[cell] = part * bundled_shares()["mentions"]
    rest -= np.bincount(cell, weights=own * ~sampled, minlength=len(rest))
    drawn = np.bincount(cell, weights=sampled, minlength=len(rest))
    found[sampled] = np.maximum(own, (rest / np.maximum(drawn, 1))[cell])[sampled]
    return found


def compute_unread_share(
    read: NDArray[np.bool_], pools: Sequence[NDArray[np.integer]], pool_of: NDArray[np.integer]
) -> float:
    """Return the share of a sample that names from sources other than literature get.

    The share is the proportion of slots that accept fewer than `MIN_PER_VALUE` names from literature, but at
    least `MIN_UNREAD_SHARE`.

    Parameters
    ----------
    read : array of bool, shape (fillers,)
        True for names from literature.
    pools : sequence of arrays of int
        Distinct pools of the slots.
    pool_of : array of int, shape (slots,)
        Index of the pool of each slot in `pools`.
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
    """Adjust the weights of groups so that each group reaches its target share over all slots.

    For example, names get larger weights if many slots accept only symbols. The method is iterative
    proportional fitting of one margin.
    """
    context = space.material.slot_context[space.places.slots]
    many = space.material.templates.slot_counts[context]
    number = space.pool_number[space.places.slots]
    # a sentence of k slots has one slot that a name was selected for, and k - 1 others
    often = np.bincount(number, weights=turns[context] * (many - 1) / many)
    drawn = np.flatnonzero(often)
    # pools × groups: sum of the weights of the members
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
    """Compute context weights that reproduce how often a hyphen or slash joins names in the corpus."""
    material = space.material
    turns = np.ones(len(material.contexts))
    contexts = np.unique(material.slot_context[space.places.slots])
    slots = material.templates.slot_counts[contexts]
    there = is_joined(material.environments[HAZARDS_COLUMN])
    # number of joined names in each context
    number = np.bincount(material.slot_context, weights=there, minlength=len(turns))[contexts]
    some = number > 0
    if some.any() and not some.all():
        # relative weight of sentences with a joined name that gives joined names their share
        share = bundled_shares()["joined"]
        missing = number.sum() - share * slots[some].sum()
        often = share * slots[~some].sum() / missing if missing > 0 else MAX_GROUP_FACTOR
        turns[contexts[some]] = np.clip(often, 1 / MAX_GROUP_FACTOR, MAX_GROUP_FACTOR)
    return turns


def split_shares(
    counts: NDArray[np.float64],
    kinds: NDArray[np.int64],
    read_weights: NDArray[np.float64],
    read_kinds: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Divide a share among groups so that kinds and forms are as frequent as among names from literature.

    The share of a kind and form is divided among its groups in proportion to their numbers of names. If no
    name from literature has any of these kinds and forms, the whole share is divided in this way.

    Parameters
    ----------
    counts, kinds : array
        Number of names in each group, and code of its kind and form.
    read_weights, read_kinds : array
        Weight of each group of names from literature, and code of its kind and form.
    """
    wanted = pd.Series(read_weights).groupby(read_kinds).sum().reindex(kinds, fill_value=0.0).to_numpy()
    if not wanted.any():
        return _normalise(counts)
    # names of a kind and form that is rare here are drawn more often, up to a maximum ratio
    each = wanted / np.bincount(kinds, weights=counts)[kinds]
    return _normalise(np.minimum(each, MAX_FREQUENCY_RATIO * np.average(each, weights=counts)) * counts)


def _normalise(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide weights by their sum; return them unchanged if the sum is zero."""
    total = weights.sum()
    return weights / total if total else weights
