"""Lower bounds: how many cases any covering suite must have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import block_array, coo_array, csr_array

from .problem import Problem

RARE = 12
"""Combinations that more kinds of entities have do not bind; the programme leaves them out."""


@dataclass(frozen=True)
class Bound:
    """Lower bounds for t = 2.

    Attributes
    ----------
    pairs : int
        The largest number of combinations in any pair of features of which a mention has one value each,
        times the repeats: so many mentions (or cases without any) at least.
    cases : int
        So many cases at least, by the linear programme of `lower_bound`.
    """

    pairs: int
    cases: int


def lower_bound(problem: Problem, times: int = 1) -> Bound:
    """Bounds for t = 2.

    The programme: x(c) cases of each context c and y(e) mentions of each kind of entity e, with as few cases
    as possible, such that every pair of entity values is in `times` mentions that have it; every pair of
    place values in `times` places that have it; every value of a place feature is in as many mentions as it
    takes entities to have all the entity values that can stand beside it; and there are no more mentions
    than places. Whole numbers are not asked for, so no suite can have fewer cases than the programme's
    value, rounded up.
    """
    entity = _singles(problem.entities.feature, problem.entities.has)
    place = _singles(problem.places.feature, problem.places.has)
    there = _attested(problem)
    largest = max(
        [_inner(problem.entities.has[problem.usable], problem.entities.feature, entity)]
        + [_inner(problem.places.has[problem.chosen], problem.places.feature, place)]
        + [
            int(there[np.ix_(problem.entities.feature == f, problem.places.feature == s)].sum())
            for f in entity
            for s in place
        ]
    )
    return Bound(largest * times, max(_programme(problem, times), 1))


def _singles(feature: NDArray[np.int64], has: NDArray[np.bool_]) -> list[int]:
    """The features of which no row has two values."""
    return [
        int(f)
        for f in np.unique(feature)
        if (has[:, feature == f].sum(axis=1) <= 1).all() and (feature == f).sum() > 1
    ]


def _attested(problem: Problem) -> NDArray[np.bool_]:
    """Which values of entities can stand where which values of places are: entity items × place items."""
    at = np.flatnonzero(problem.chosen & (problem.kind >= 0))
    kinds = len(problem.allowed)
    of_kind = csr_array(
        (np.ones(len(at), np.float32), (problem.kind[at], at)), shape=(kinds, len(problem.kind))
    )
    # kinds of places × items: what the entities that may stand there have, and what such places have
    own = problem.allowed.astype(np.float32) @ problem.entities.has.astype(np.float32) > 0
    around = of_kind @ problem.places.has.astype(np.float32) > 0
    found: NDArray[np.bool_] = own.T.astype(np.float32) @ around.astype(np.float32) > 0
    return found


def _inner(has: NDArray[np.bool_], feature: NDArray[np.int64], singles: list[int]) -> int:
    best = 0
    together = has.astype(np.float32).T @ has.astype(np.float32) > 0
    for number, f in enumerate(singles):
        for g in singles[number + 1 :]:
            best = max(best, int(together[np.ix_(feature == f, feature == g)].sum()))
    return best


def _programme(problem: Problem, times: int) -> int:
    contexts = len(problem.contexts)
    context_of = np.repeat(np.arange(contexts), np.diff(problem.first))
    in_context = csr_array(
        (np.ones(len(context_of)), (context_of, np.arange(len(context_of)))),
        shape=(contexts, len(context_of)),
    )
    own = _owners(problem.entities.has, problem.entities.feature, problem.usable, RARE)
    around = _owners(problem.places.has, problem.places.feature, problem.chosen, len(context_of))
    around = around @ in_context.T
    slots = np.diff(problem.first) * (np.add.reduceat(problem.kind, problem.first[:-1]) >= 0)
    offered, wanted = _demands(problem, in_context)
    link = np.concatenate((slots.astype(float), -np.ones(len(problem.members))))[None, :]
    rows = [
        [around, csr_array((around.shape[0], own.shape[1]))],
        [csr_array((own.shape[0], contexts)), own],
        [csr_array(offered), csr_array((len(wanted), own.shape[1]))],
    ]
    goal = np.concatenate(
        (np.full(around.shape[0] + own.shape[0], float(times)), wanted * float(times), [0.0])
    )
    matrix = block_array([*rows, [csr_array(link[:, :contexts]), csr_array(link[:, contexts:])]])
    cost = np.concatenate((np.ones(contexts), np.zeros(own.shape[1])))
    result = linprog(
        cost,
        A_ub=-matrix,  # type: ignore[call-overload]  # sparse matrices are allowed
        b_ub=-goal,
        bounds=(0, None),
        method="highs",
    )
    return int(np.ceil(float(result.fun or 0) - 1e-6)) if result.success else 0


def _owners(
    has: NDArray[np.bool_], feature: NDArray[np.int64], real: NDArray[np.bool_], most: int
) -> csr_array:
    """Pairs of items by rows that have both, for the pairs that at most `most` rows have."""
    held = (has & real[:, None]).astype(np.float32)
    together = held.T @ held
    upper = np.triu(together, 1) * (feature[:, None] != feature[None, :])
    first, second = np.nonzero((upper > 0) & (upper <= most))
    pair: list[NDArray[np.int64]] = []
    row: list[NDArray[np.int64]] = []
    for number, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        owners = np.flatnonzero(held[:, i] * held[:, j])
        pair.append(np.full(len(owners), number))
        row.append(owners)
    at = (np.concatenate(pair), np.concatenate(row)) if pair else (np.empty(0, int), np.empty(0, int))
    return csr_array(coo_array((np.ones(len(at[0])), at), shape=(len(first), len(has))))


def _demands(problem: Problem, in_context: csr_array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each value of a place feature: how many such places a context has, and how many mentions it needs.

    All entity values that can stand beside it have to: as many mentions as entities are needed to have them
    all.
    """
    offered: list[NDArray[np.float64]] = []
    wanted: list[float] = []
    known: dict[bytes, float] = {}
    for item in range(problem.places.has.shape[1]):
        at = problem.places.has[:, item] & problem.chosen & (problem.kind >= 0)
        offered.append(in_context @ (problem.places.has[:, item] & (problem.kind >= 0)).astype(float))
        kinds = np.unique(problem.kind[at])
        key = kinds.tobytes()
        if key not in known:
            rows = (
                problem.allowed[kinds].any(axis=0)
                if len(kinds)
                else np.zeros(len(problem.members), dtype=bool)
            )
            known[key] = _fewest(problem.entities.has[rows])
        wanted.append(known[key])
    return np.array(offered).reshape(-1, in_context.shape[0]), np.array(wanted)


def _fewest(has: NDArray[np.bool_]) -> float:
    """At least how many rows are needed so that every item that any of them has occurs."""
    present = has[:, has.any(axis=0)]
    if not present.size:
        return 0.0
    rows = np.unique(present, axis=0).astype(float)
    result = linprog(
        np.ones(len(rows)), A_ub=-rows.T, b_ub=-np.ones(rows.shape[1]), bounds=(0, None), method="highs"
    )
    return float(np.ceil(float(result.fun or 0) - 1e-6)) if result.success else 1.0
