"""Invariance: how a tagger's answer changes when its input text is perturbed.

The mentions in the answer to the original text are compared with those in the answer to the perturbed text,
after conversion to common offsets; no gold standard is needed. The failure rate of a class is the share of
its cases in which the answer changed.
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
"""Kinds of change in a mention; ``failed`` means that the tagger gave no answer."""


class AnswerMention(NamedTuple):
    """Mention in a tagger's answer.

    Attributes
    ----------
    spans : tuple of (int, int)
        Start and end of each fragment, converted to offsets that are comparable between both texts.
    type : str
    row : int
        Position of the mention in the data frame of all mentions in the answer.
    """

    spans: Spans
    type: str
    row: int

    @property
    def start(self) -> int:
        """Start of the first fragment."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """End of the last fragment."""
        return self.spans[-1][1]


class Change(NamedTuple):
    """Difference between two answers in a single mention.

    `before` or `after` is None if the mention is missing in that answer.
    """

    kind: str
    before: AnswerMention | None
    after: AnswerMention | None


def find_changes(before: Sequence[AnswerMention], after: Sequence[AnswerMention]) -> list[Change]:
    """Return the differences between two answers.

    Mentions with equal spans and types are unchanged. Among the other mentions, those with equal spans are
    ``retyped``, then overlapping mentions are ``moved`` (paired one-to-one, smallest boundary differences
    first); the remaining mentions are ``missing`` or ``appeared``.

    Examples
    --------
    >>> mention, other = AnswerMention(((0, 4),), "gp", 0), AnswerMention(((0, 6),), "gp", 0)
    >>> [c.kind for c in find_changes([mention], [other])], find_changes([mention], [mention])
    (['moved'], [])
    """
    left = sorted(before)
    found: list[Change] = []
    new: list[AnswerMention] = []
    for mention in sorted(after):
        same = next((b for b in left if b.spans == mention.spans and b.type == mention.type), None)
        if same is None:
            new.append(mention)
        else:
            left.remove(same)
    for mention in list(new):
        placed = next((b for b in left if b.spans == mention.spans), None)
        if placed is not None:
            found.append(Change("retyped", placed, mention))
            left.remove(placed)
            new.remove(mention)
    meeting = sorted(
        (abs(b.start - a.start) + abs(b.end - a.end), b, a)
        for b in left
        for a in new
        if a.start < b.end and b.start < a.end
    )
    for _, b, a in meeting:
        if b in left and a in new:
            found.append(Change("moved", b, a))
            left.remove(b)
            new.remove(a)
    found += [*(Change("missing", b, None) for b in left), *(Change("appeared", None, a) for a in new)]
    return sorted(found, key=lambda c: (c.before or c.after or (), c.kind))


VERDICT_CHANGES = ("right_to_wrong", "wrong_to_right")
"""Changes that make a right answer wrong or a wrong answer right, compared with the gold standard."""


def group_texts(corpus: Corpus, mentions: pd.DataFrame) -> Groups:
    """Group texts for resampling by the entity of their first mention, and by their context or document.

    If entities are unknown, texts are grouped by surface form instead. A text without mentions is a group of
    its own.
    """
    texts = corpus.texts
    rows = pd.Index(texts["text_id"]).get_indexer(pd.Index(mentions["text_id"]))
    first = pd.Series(np.arange(len(rows)), dtype="int64").groupby(rows).min()
    described = corpus.add_features(mentions, ["entity_id"])
    crossed = "context_id" in texts and "entity_id" in described
    names = described["entity_id"] if crossed else get_surface_forms(texts, mentions)
    code, distinct = pd.factorize(names.astype("str"))
    # a text without mentions is a group of its own
    name = np.arange(len(texts), dtype=np.int64) + len(distinct)
    name[first.index.to_numpy()] = code[first.to_numpy()]
    if crossed:
        return Groups.from_crossed(ENTITIES_BY_CONTEXTS, name, number_contexts(corpus))
    documents, label = number_documents(corpus)
    return Groups.from_crossed(label, documents, name)


def estimate_change_rate(rows: Ints, changed: Flags, groups: Groups, confidence: float) -> dict[str, object]:
    """Return the share of changed cases and its confidence interval.

    `rows` contains the position of the text of each case; `changed` is True for each changed case.
    """
    sums = groups.take(rows).renumber().sum_by_group(changed.astype(np.float64), np.ones(len(rows)))
    share = estimate_share(sums, groups, confidence)
    return {
        "rate": share.value,
        "rate_low": share.low,
        "rate_high": share.high,
        "interval": share.method,
    }


def find_class_texts(
    corpus: Corpus,
    mentions: pd.DataFrame,
    classes: Sequence[Class],
    by: Sequence[str],
    options: ScoringOptions,
) -> Iterator[tuple[str, Flags]]:
    """Yield each class name with a Boolean array that marks the texts with a mention in this class."""
    if not classes and not by:
        return
    features = collect_features(classes, by)
    frame = add_features(corpus, mentions.reset_index(drop=True), features, options.lists)
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
    """Return failure rates for all cases, for each variant of the perturbation, and for each class.

    Parameters
    ----------
    cases : DataFrame
        One row per case: `row` (position of its text), `variant`, `changed`, and Boolean columns for the
        kinds in `CHANGE_KINDS` and, if there is a gold standard, in `VERDICT_CHANGES`.
    classes : mapping of str to array
        For each class, a Boolean array that marks the texts in this class.
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
                "variant": variant_name,
                "class": name,
                "cases": int(inside.sum()),
                "changed": int(flags["changed"][inside].sum()),
                **estimate_change_rate(rows[inside], flags["changed"][inside], groups, confidence),
                **{k: int(flags[k][inside].sum()) for k in counted},
            }
            for variant_name, name, inside in chosen
        ]
    )
