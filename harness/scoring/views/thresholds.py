"""Thresholds: precision and recall over the confidence of the predictions, per class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ....catalogues.core.bounds import begins
from ....catalogues.core.errors import InputError
from ..arrays import Flags, Ints, Numbers
from ..classes import ALL
from ..measures import f_score, precision, recall
from ..notions import NOTIONS, Condition, find_notion
from ..options import Pairing
from ..pairing.assignment import chooser, components
from ..scores import Scores

CURVE_COLUMNS = (
    "run",
    "class",
    "notion",
    "threshold",
    "gold",
    "predicted",
    "gold_matched",
    "predicted_matched",
    "precision",
    "recall",
    "f1",
    "best",
)


@dataclass(frozen=True)
class Changes:
    """At which confidence which mention of a side comes to be matched (+1), or no longer is (-1)."""

    confidence: Numbers
    place: Ints
    change: Ints

    def counted(self, inside: Flags, thresholds: Numbers) -> Ints:
        """How many mentions of a class are matched at each of some falling thresholds."""
        kept = inside[self.place]
        order = np.argsort(-self.confidence[kept], kind="stable")
        reached = np.concatenate(([0], np.cumsum(self.change[kept][order])))
        found = np.searchsorted(-self.confidence[kept][order], -thresholds, side="right")
        return np.asarray(reached[found], dtype=np.int64)


def curve(
    scores: Scores, notion: str = "strict", name: str = ALL, *, points: int | None = None
) -> pd.DataFrame:
    """Precision, recall and F where only predictions of at least some confidence count.

    Every row is what scoring the kept predictions anew would give, without doing so.

    Parameters
    ----------
    scores : Scores
        Scores without alternatives, under any pairing, whose predictions carry confidences.
    notion : str
        A notion of mentions.
    name : str
        A class of the table.
    points : int, optional
        Show so many thresholds only, evenly spread, and the best one; every distinct confidence when None.

    Returns
    -------
    DataFrame
        CURVE_COLUMNS, thresholds falling; `best` marks the highest F (of several, the highest threshold).

    Raises
    ------
    InputError
        When a prediction has no confidence, or the notion or the choices do not allow a curve.
    """
    return curves(scores, notion, [name], points=points)


def curves(scores: Scores, notion: str, names: list[str], *, points: int | None = None) -> pd.DataFrame:
    """The curves of several classes below each other; see `curve`. Pairing is done once for all of them."""
    chosen = find_notion(notion)
    if not isinstance(chosen, Condition):
        allowed = ", ".join(n.name for n in NOTIONS if isinstance(n, Condition))
        raise InputError("no curve is defined for this notion", found=chosen.name, allowed=allowed)
    options = scores.options
    if options.alternatives != "none" or options.counting != "text":
        raise InputError(
            "no curve is defined for this way of counting",
            found=f"--alternatives {options.alternatives} --counting {options.counting}",
            allowed="--alternatives none --counting text, with any --pairing",
        )
    confidence = scores.predicted["score"].to_numpy(dtype=np.float64)
    missing = int(np.isnan(confidence).sum())
    if missing or not len(confidence):
        problem = "the predictions carry no confidence" if missing else "there are no predictions"
        raise InputError(problem, found=f"{missing} of {len(confidence)} without one")
    matched = _matched(scores, chosen, confidence)
    frames = [_curve(scores, chosen, name, confidence, matched, points) for name in names]
    return pd.concat(frames, ignore_index=True)


def _curve(
    scores: Scores,
    notion: Condition,
    name: str,
    confidence: Numbers,
    matched: tuple[Changes, Changes],
    points: int | None,
) -> pd.DataFrame:
    in_gold, in_predicted = scores.masks(name)
    kept = np.sort(confidence[in_predicted])
    thresholds = np.unique(kept)[::-1]
    predicted = len(kept) - np.searchsorted(kept, thresholds, side="left")
    gold_matched = matched[0].counted(in_gold, thresholds)
    predicted_matched = matched[1].counted(in_predicted, thresholds)
    gold = np.full(len(thresholds), int(in_gold.sum()))
    p, r = precision(predicted_matched, predicted), recall(gold_matched, gold)
    f = f_score(p, r, scores.options.beta)
    best = np.zeros(len(thresholds), dtype=bool)
    if np.isfinite(f).any():
        best[int(np.nanargmax(f))] = True
    frame = pd.DataFrame(
        {
            "run": scores.run,
            "class": name,
            "notion": notion.name,
            "threshold": thresholds,
            "gold": gold,
            "predicted": predicted,
            "gold_matched": gold_matched,
            "predicted_matched": predicted_matched,
            "precision": p,
            "recall": r,
            "f1": f,
            "best": best,
        },
        columns=list(CURVE_COLUMNS),
    ).astype(dict.fromkeys(("run", "class", "notion"), "str"))
    if points is not None and len(frame) > points:
        shown = np.unique(np.linspace(0, len(frame) - 1, points).round().astype(np.int64))
        frame = frame.take(np.union1d(shown, np.flatnonzero(best))).reset_index(drop=True)
    return frame


def _matched(scores: Scores, notion: Condition, confidence: Numbers) -> tuple[Changes, Changes]:
    """When the mentions of either side come to be matched, by their places in the frames."""
    pairs = scores.candidates
    gold, predicted = pairs.sides
    fits = pairs.typed(notion.admits(pairs), scores.options.ignore_types)
    g, p = pairs.gold[fits], pairs.predicted[fits]
    sure = confidence[predicted.places[p]]
    pairing = scores.options.pairing
    if pairing == "any":
        both = _first(g, sure), _first(p, sure)
    else:
        both = _by_levels(g, p, sure, 1.0 + pairs.jaccard[fits], pairing)
    placed = [
        Changes(c.confidence, side.places[c.place], c.change)
        for c, side in zip(both, (gold, predicted), strict=True)
    ]
    return placed[0], placed[1]


def _first(member: Ints, sure: Numbers) -> Changes:
    """Under pairing any a mention is matched from the highest confidence that is listed for it on."""
    order = np.lexsort((-sure, member))
    taken = order[begins(member[order])]
    return Changes(sure[taken], member[taken], np.ones(len(taken), dtype=np.int64))


def _by_levels(g: Ints, p: Ints, sure: Numbers, value: Numbers, pairing: Pairing) -> tuple[Changes, Changes]:
    """Pair one-to-one at every confidence at which something changes.

    Connected components of entries are independent, and each changes only at the confidences of its
    own predictions. So all components are paired together, first each at its own highest confidence, then
    each at its next, and so on: as many pairings as the component of most confidences has, each of what is
    still changing.
    """
    if not len(g):
        nothing = Changes(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        return nothing, nothing
    size, width = int(g.max()) + 1, int(p.max()) + 1
    label = components(g, p, size, width)
    component = label[g].astype(np.int64)
    order = np.lexsort((-sure, component))
    # the rank of each entry's confidence among the distinct ones of its component
    fresh, head = begins(component[order], sure[order]), begins(component[order])
    steps = np.cumsum(fresh) - 1
    level = np.empty(len(g), dtype=np.int64)
    level[order] = steps - np.maximum.accumulate(np.where(head, steps, 0))
    # how sure each component is at each of its levels
    step = np.empty(len(g), dtype=np.int64)
    step[order] = steps
    at_step = sure[order][fresh]
    last = np.zeros(int(component.max()) + 1, dtype=np.int64)
    np.maximum.at(last, component, level)
    lowest = np.zeros_like(last)
    np.maximum.at(lowest, component, step)
    pair = chooser(pairing)
    changes: list[list[tuple[Numbers, Ints, int]]] = [[], []]
    sides = [(g, label[:size]), (p, label[size:])]
    matched = [np.zeros(len(own), dtype=bool) for _, own in sides]
    for now in range(int(last.max()) + 1):
        active = np.flatnonzero((last[component] >= now) & (level <= now))
        chosen = active[pair(g[active], p[active], value[active])]
        for of_side, before, (member, own) in zip(changes, matched, sides, strict=True):
            touched = np.unique(member[active])
            was = before[touched]
            before[touched] = False
            before[member[chosen]] = True
            for flags, change in ((before[touched] & ~was, 1), (was & ~before[touched], -1)):
                place = touched[flags]
                # a component's steps follow one another, down to its lowest confidence: that of level `now`
                current = lowest[own[place]] - last[own[place]] + now
                of_side.append((at_step[current], place, change))
    return _joined(changes[0]), _joined(changes[1])


def _joined(parts: list[tuple[Numbers, Ints, int]]) -> Changes:
    return Changes(
        np.concatenate([c for c, _, _ in parts]),
        np.concatenate([p for _, p, _ in parts]),
        np.concatenate([np.full(len(p), change, dtype=np.int64) for _, p, change in parts]),
    )
