"""Annotated mentions: what a tagger did on a few sentences of the corpus that one wants to know about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.taxonomy import Feature
from ....sentences.corpus import Corpus
from ..arrays import Flags, Ints, Numbers
from ..classes import ALL, Class
from ..scores import Scores
from ..statistics.design import design_of, shared_forms
from ..statistics.groups import CROSSED, pairs_of
from ..statistics.sums import SIDES, Measure
from .composition import CLUSTERS, COUNT, Composition, plain
from .standardise import judged

LACKING = {
    "gold": ("no annotated mention", "runs over sentences with gold mentions"),
    "predicted": ("the tagger proposes nothing in the annotated sentences", "more sentences"),
}
"""What is told where there is no mention of a side, and what is allowed."""


@dataclass(frozen=True)
class Annotated:
    """Mentions of annotated sentences with verdicts: for recall the gold ones, for precision the predicted.

    Attributes
    ----------
    frame : DataFrame
        Their features.
    right : array
        What each is worth, from 0 to 1.
    weights : array
        How many mentions of the corpus each stands for, relative to the others.
    inside : array
        Classes × mentions: which are in which class, the first class being that of all.
    ways : tuple of array
        What mentions share: documents (or texts), surface forms, pairs.
    sentences : int
        How many sentences were annotated, those without mentions among them.
    """

    frame: pd.DataFrame
    right: Numbers
    weights: Numbers
    inside: Flags
    ways: tuple[Ints, ...]
    sentences: int

    def take(self, rows: Ints, sentences: int) -> Annotated:
        """Some of the mentions, of so many sentences."""
        ways = tuple(pd.factorize(way[rows])[0].astype(np.int64) for way in self.ways)
        frame = self.frame.take(rows).reset_index(drop=True)
        return Annotated(frame, self.right[rows], self.weights[rows], self.inside[:, rows], ways, sentences)


def telling(found: Sequence[Scores], measure: Measure) -> bool:
    """Whether annotated sentences have what a measure is a share of, and gold that says what is right.

    Without any gold mention sentences cannot be told from such as nobody has annotated.
    """
    return all(any(len(getattr(s, side)) for s in found) for side in ("gold", SIDES[measure]))


def annotated(
    found: Sequence[Scores],
    classes: Sequence[Class],
    features: Sequence[Feature],
    weights: Sequence[Numbers],
    *,
    notion: str = "strict",
    measure: Measure = "recall",
) -> Annotated:
    """The mentions of some scored runs that a measure is a share of, with their verdicts.

    Parameters
    ----------
    found : sequence of Scores
        Of annotated sentences, scored by `classes`.
    classes : sequence of Class
    features : sequence of Feature
        Those of the suite's model.
    weights : sequence of array
        For each of them the weight of every text.
    notion : str
    measure : str
        ``recall``: gold mentions; ``precision``: predicted ones.

    Raises
    ------
    InputError
        When there is none, or no gold mention.
    """
    side = SIDES[measure]
    which = list(SIDES.values()).index(side)
    names = [ALL, *(c.name for c in classes)]
    parts, forms = [], []
    at = [0, 0, 0]
    for scores, own in zip(found, weights, strict=True):
        design = design_of(scores)
        every = np.arange(len(getattr(scores, side)), dtype=np.int64)
        rows, frame, right, groups = judged(scores, side, notion, features, design, every)
        inside = np.array([scores.masks(name)[which][rows] for name in names], dtype=bool)
        if len(found) > 1:
            forms.append(None if design.name == CROSSED else shared_forms(scores)[which][rows])
        # groups of different corpora are different ones
        shared = tuple(group + low for group, low in zip(groups, at, strict=True))
        at = [low + way.size for way, low in zip(design.ways, at, strict=True)]
        parts.append((frame, right, own[getattr(scores, f"{side}_row")[rows]], inside, shared))
    if not (telling(found, measure) and any(len(part[1]) for part in parts)):
        told, allowed = LACKING[side if any(len(s.gold) for s in found) else "gold"]
        raise InputError(told, found=", ".join(s.run or s.corpus.name for s in found), allowed=allowed)
    frames, rights, masses, masks, shares = zip(*parts, strict=True)
    shared = tuple(np.concatenate(way) for way in zip(*shares, strict=True))
    known = [form for form in forms if form is not None]
    if len(known) == len(forms) > 1:
        # but a name is the same wherever it stands
        form = pd.factorize(pd.api.types.union_categoricals(known))[0].astype(np.int64)
        shared = (shared[0], form, pairs_of(shared[0], form))
    return Annotated(
        pd.concat([plain(frame) for frame in frames], ignore_index=True),
        np.concatenate(rights),
        np.concatenate(masses).astype(np.float64),
        np.concatenate(masks, axis=1),
        shared,
        sum(len(s.corpus.texts) for s in found),
    )


def own_composition(known: Annotated, corpus: Corpus | None = None) -> Composition:
    """What the annotated mentions themselves are made of, by their weights."""
    frame = known.frame.assign(**dict(zip(CLUSTERS, known.ways, strict=False)), **{COUNT: known.weights})
    return Composition(corpus.name if corpus is not None else "annotated", frame)
