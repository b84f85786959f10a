"""Stability: the findings of several divisions into halves joined, each with how often it came back.

Which half is searched is chance, and so is part of what comes of it. Each division judges its findings on
the half that it has not searched. Of the p values of several divisions, 1 where a finding did not come up,
the k-th smallest of K counts K / k times, the least of these 1 + log K times: so it is a p value whatever the
divisions share (Meinshausen, Meier and Bühlmann 2009, with all quantiles from 1 / K).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..statistics.corrections import benjamini_hochberg
from .choosing import ALIKE
from .judging import Judged
from .space import Bits, count, pack


@dataclass(frozen=True)
class Joined:
    """A finding of several divisions.

    Attributes
    ----------
    judged : Judged
        The finding, with the figures of the division whose p value is the median.
    p : float
        Of all divisions together, corrected for the number of findings.
    returned : int
        In how many divisions it is believed.
    """

    judged: Judged
    p: float
    returned: int


def seeds(seed: int, divisions: int) -> list[int]:
    """The seeds of the divisions; the first is the given one."""
    more = np.random.SeedSequence([seed, divisions]).generate_state(divisions)[1:]
    return [seed, *more.tolist()]


def joined(divisions: Sequence[Sequence[Judged]], rate: float) -> list[Joined]:
    """Join findings that select nearly the same mentions (Jaccard .8) for the same measure.

    Parameters
    ----------
    divisions : sequence of sequence of Judged
        The findings of each division, believed or not.
    rate : float
        The rate of false discoveries in each.
    """
    ranked: list[tuple[float, int, Judged]] = []
    for number, judged in enumerate(divisions):
        adjusted = benjamini_hochberg([j.p for j in judged]).tolist()
        # what does not show the effect that was asked for is a test that was made, and no finding
        ranked += [(p if j.large else 1.0, number, j) for p, j in zip(adjusted, judged, strict=True)]
    ranked.sort(key=lambda one: (one[0], one[2].measure, one[2].query, one[1]))
    groups: list[list[tuple[float, int, Judged]]] = []
    marks: list[tuple[str, Bits]] = []
    for one in ranked:
        own = pack(one[2].inside)
        at = _alike(marks, one[2].measure, own)
        if at is None:
            marks.append((one[2].measure, own))
            groups.append([one])
        else:
            groups[at].append(one)
    return [_of(group, len(divisions), rate) for group in groups]


def _alike(marks: Sequence[tuple[str, Bits]], measure: str, own: Bits) -> int | None:
    for at, (other, bits) in enumerate(marks):
        if other == measure and int(count(bits & own)) >= ALIKE * int(count(bits | own)):
            return at
    return None


def _of(group: Sequence[tuple[float, int, Judged]], divisions: int, rate: float) -> Joined:
    # the p value of each division, [division]; the group is in ascending order of p
    best = np.ones(divisions)
    for p, number, _ in reversed(group):
        best[number] = p
    # each ordered p value over the part of the divisions that have it, [division]
    weighed = np.sort(best) * divisions / np.arange(1, divisions + 1)
    together = min((1.0 + float(np.log(divisions))) * float(weighed.min()), 1.0)
    # the words that most divisions use; of equally many the shorter, then the more convincing
    often = Counter(j.query for p, _, j in group if p < 1.0) or Counter(j.query for _, _, j in group)
    first = {j.query: i for i, (_, _, j) in reversed(list(enumerate(group)))}
    length = {j.query: len(j.conditions) for _, _, j in group}
    query = min(often, key=lambda q: (-often[q], length[q], first[q]))
    members = [j for _, _, j in group if j.query == query]
    return Joined(members[(len(members) - 1) // 2], together, int((best <= rate).sum()))
