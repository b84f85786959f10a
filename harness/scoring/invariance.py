"""Invariance: what changes from a tagger's answer to a text to its answer to the same text perturbed.

Mentions are compared one by one, in places that both answers have; no gold is needed. Failure rates are the
shares of cases of a class in which the answer changed, with intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...sentences.annotated_texts import get_surface_forms
from ...sentences.corpus import Corpus
from .arrays import Flags, Ints
from .classes import ALL, Class
from .division import collect_features, make_divisions
from .features import add_features
from .options import ScoringOptions
from .statistics.design import number_contexts, number_documents
from .statistics.groups import ENTITIES_BY_CONTEXTS, Groups
from .statistics.sums import estimate_share

Spans = tuple[tuple[int, int], ...]

CHANGE_KINDS = ("missing", "appeared", "moved", "retyped", "failed")
"""Kinds of change: a mention is no longer found, is found only now, has other boundaries, has another type;
or the tagger did not answer."""


class AnswerMention(NamedTuple):
    """A mention of an answer.

    Attributes
    ----------
    spans : tuple of (int, int)
        Its fragments, by places that both answers can be compared in.
    type : str
    row : int
        Its place in the frame that it comes from.
    """

    spans: Spans
    type: str
    row: int

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.spans[-1][1]


class Change(NamedTuple):
    """A difference between two answers; `before` or `after` is None where there is no such mention."""

    kind: str
    before: AnswerMention | None
    after: AnswerMention | None


def find_changes(before: Sequence[AnswerMention], after: Sequence[AnswerMention]) -> list[Change]:
    """The differences of two answers.

    Equal mentions fall away, each with one; then such of the same place and another type are retyped; then
    those that overlap are moved (the nearest in both edges first, each once); the rest is missing, or
    appeared.

    Examples
    --------
    >>> one, other = Answered(((0, 4),), "gp", 0), Answered(((0, 6),), "gp", 0)
    >>> [c.kind for c in changes([one], [other])], changes([one], [one])
    (['moved'], [])
    """
    left = sorted(before)
    gone: list[Change] = []
    new: list[AnswerMention] = []
    for one in sorted(after):
        same = next((b for b in left if b.spans == one.spans and b.type == one.type), None)
        if same is None:
            new.append(one)
        else:
            left.remove(same)
    for one in list(new):
        placed = next((b for b in left if b.spans == one.spans), None)
        if placed is not None:
            gone.append(Change("retyped", placed, one))
            left.remove(placed)
            new.remove(one)
    meeting = sorted(
        (abs(b.start - a.start) + abs(b.end - a.end), b, a)
        for b in left
        for a in new
        if a.start < b.end and b.start < a.end
    )
    for _, b, a in meeting:
        if b in left and a in new:
            gone.append(Change("moved", b, a))
            left.remove(b)
            new.remove(a)
    found = [*gone, *(Change("missing", b, None) for b in left), *(Change("appeared", None, a) for a in new)]
    return sorted(found, key=lambda c: (c.before or c.after or (), c.kind))


VERDICT_CHANGES = ("right_to_wrong", "wrong_to_right")
"""Cases of which the gold says that the change was for the worse, or for the better."""


def group_texts(corpus: Corpus, mentions: pd.DataFrame) -> Groups:
    """What the texts of a suite or corpus share, by the first of `mentions` in each; one without is alone."""
    texts = corpus.texts
    rows = pd.Index(texts["text_id"]).get_indexer(pd.Index(mentions["text_id"]))
    first = pd.Series(np.arange(len(rows)), dtype="int64").groupby(rows).min()
    known = corpus.add_features(mentions, ["entity_id"])
    crossed = "context_id" in texts and "entity_id" in known
    names = known["entity_id"] if crossed else get_surface_forms(texts, mentions)
    code, distinct = pd.factorize(names.astype("str"))
    # each text that has no mention is a group of its own
    name = np.arange(len(texts), dtype=np.int64) + len(distinct)
    name[first.index.to_numpy()] = code[first.to_numpy()]
    if crossed:
        return Groups.from_crossed(ENTITIES_BY_CONTEXTS, name, number_contexts(corpus))
    place, label = number_documents(corpus)
    return Groups.from_crossed(label, place, name)


def estimate_change_rate(rows: Ints, changed: Flags, groups: Groups, confidence: float) -> dict[str, object]:
    """The share of cases that changed, with its interval; `rows` are their texts."""
    sums = groups.take(rows).renumbered.sum_by_group(changed.astype(np.float64), np.ones(len(rows)))
    found = estimate_share(sums, groups, confidence)
    return {
        "rate": found.value,
        "rate_low": found.low,
        "rate_high": found.high,
        "interval": found.method,
    }


def find_class_texts(
    corpus: Corpus,
    mentions: pd.DataFrame,
    classes: Sequence[Class],
    by: Sequence[str],
    options: ScoringOptions,
) -> Iterator[tuple[str, Flags]]:
    """The classes, and which texts belong to each: those of which one of `mentions` does."""
    if not classes and not by:
        return
    asked = collect_features(classes, by)
    frame = add_features(corpus, mentions.reset_index(drop=True), asked, options.lists)
    rows = pd.Index(corpus.texts["text_id"]).get_indexer(pd.Index(frame["text_id"]))
    for division in make_divisions(classes, by, frame, frame.iloc[:0]):
        for place, name in enumerate(division.names):
            inside = np.zeros(len(corpus.texts), dtype=bool)
            inside[rows[division.masks_at_index(place)[0]]] = True
            yield name, inside


def build_rates_table(
    cases: pd.DataFrame,
    classes: Mapping[str, Flags],
    groups: Groups,
    confidence: float,
) -> pd.DataFrame:
    """A row for all cases of a perturbation, one for each of its variants, and one for each class.

    Parameters
    ----------
    cases : DataFrame
        A row a case: `row` (of its text), `variant`, `changed`, a flag for each of `KINDS`, and where there
        is gold for each of `VERDICT_CHANGES`.
    classes : mapping of str to array
        For each class which texts belong to it.
    groups : Groups
    confidence : float
    """
    rows = cases["row"].to_numpy(dtype=np.int64)
    variant = cases["variant"].to_numpy(dtype=object)
    chosen: list[tuple[str, str, Flags]] = [("", ALL, np.ones(len(cases), dtype=bool))]
    names = sorted(set(variant.tolist()))
    if len(names) > 1:
        chosen += [(name, ALL, np.asarray(variant == name, dtype=bool)) for name in names]
    chosen += [("", name, inside[rows]) for name, inside in classes.items() if inside[rows].any()]
    counted = [k for k in (*CHANGE_KINDS, *VERDICT_CHANGES) if k in cases]
    flags = {k: cases[k].to_numpy(dtype=bool) for k in ("changed", *counted)}
    return pd.DataFrame(
        [
            {
                "variant": one,
                "class": name,
                "cases": int(inside.sum()),
                "changed": int(flags["changed"][inside].sum()),
                **estimate_change_rate(rows[inside], flags["changed"][inside], groups, confidence),
                **{k: int(flags[k][inside].sum()) for k in counted},
            }
            for one, name, inside in chosen
        ]
    )
