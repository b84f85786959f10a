"""Designs: what mentions share, so that they are not independent, and what is therefore left out together.

In a suite each entity stands in many contexts and each context holds many entities: two crossed ways of being
alike. In a corpus mentions share a document, or at least a sentence, and the same names recur from one to the
next: two crossed ways as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ....sentences.corpus import Corpus
from ..arrays import Codes, Ints
from ..pairing.candidates import find_overlapping_intervals
from ..verdicts import Verdicts
from .groups import ENTITIES_BY_CONTEXTS, Dependence, Groups

DOCUMENTS_BY_FORMS = "documents × surface forms"
TEXTS_BY_FORMS = "texts × surface forms"
MAX_CELLS_PER_KEY = 16
"""Cells a key up to which a table of them is made in place of sorting the keys."""


@dataclass(frozen=True)
class Grouping:
    """One way of being alike: a number for each mention of both sides.

    Attributes
    ----------
    gold, predicted : array
        The group of each mention.
    size : int
        How many groups there are.
    """

    gold: Codes
    predicted: Codes
    size: int

    @classmethod
    def from_codes(cls, gold: Codes, predicted: Codes, size: int) -> Grouping:
        """A way whose numbers are kept as narrow as they can be: there are three for each mention."""
        kind = np.int32 if size <= np.iinfo(np.int32).max else np.int64
        return cls(gold.astype(kind), predicted.astype(kind), size)


@dataclass(frozen=True)
class Design(Dependence):
    """How the mentions of a scoring depend on each other.

    Attributes
    ----------
    name : str
        What is resampled: `ENTITIES_BY_CONTEXTS`, `DOCUMENTS_BY_FORMS` or `TEXTS`; one way alone has its own
        name.
    ways : tuple of Way
        One way, or for a crossed design three: entities, contexts, and pairs of these.
    """

    ways: tuple[Grouping, ...]

    def get_groups(self, side: str) -> Groups:
        """Those of the mentions of one side."""
        return Groups(self.name, tuple(getattr(way, side) for way in self.ways))


def make_design(scores: Verdicts) -> Design:
    """The design of a scored suite or corpus; see ``docs/background/intervals.md``."""
    return make_shared_designs([scores])[0]


def make_shared_designs(runs: Sequence[Verdicts]) -> list[Design]:
    """The designs of several scorings of one corpus, with the same number for the same group in all of them.

    A suite is crossed when its mentions have an `entity_id` and its texts a `context_id`. In a corpus
    surface forms cross documents if there are at least two of these and fewer than texts, else texts.
    """
    corpus = runs[0].corpus
    if "context_id" in corpus.texts:
        named = [ids for s in runs if (ids := _gold_entities(s)) is not None]
        if len(named) == len(runs):
            return _cross_entities(runs, named)
    rows, name = number_documents(corpus)
    return _cross_places(runs, name, rows, [part for s in runs for part in categorise_forms(s)])


def number_documents(corpus: Corpus) -> tuple[Ints, str]:
    """The document of each text; the text itself where documents are not named."""
    codes, known = pd.factorize(corpus.texts["document_id"])
    if len(known) < 2 or (codes < 0).any() or len(known) == len(corpus.texts):
        return np.arange(len(corpus.texts), dtype=np.int64), TEXTS_BY_FORMS
    return codes.astype(np.int64), DOCUMENTS_BY_FORMS


def number_contexts(corpus: Corpus) -> Ints:
    """The context of each text of a suite."""
    return pd.factorize(corpus.texts["context_id"], use_na_sentinel=False)[0].astype(np.int64)


def _cross_entities(runs: Sequence[Verdicts], entities: Sequence[pd.Series]) -> list[Design]:
    named = [part for s, ids in zip(runs, entities, strict=True) for part in _entity_categories(s, ids)]
    found = _cross_places(runs, ENTITIES_BY_CONTEXTS, number_contexts(runs[0].corpus), named)
    # entities come first
    return [replace(d, ways=(d.ways[1], d.ways[0], d.ways[2])) for d in found]


def _cross_places(
    runs: Sequence[Verdicts], name: str, place: Ints, named: Sequence[pd.Categorical]
) -> list[Design]:
    """Designs of places (a number a text) crossed with names (of each run's gold and predicted mentions)."""
    whole = int(place.max(initial=-1)) + 1
    sizes = [(len(s.gold), len(s.predicted)) for s in runs]
    of = pd.factorize(pd.api.types.union_categoricals(list(named)))[0].astype(np.int64, copy=False)
    names = int(of.max(initial=-1)) + 1
    rows = np.concatenate([part for s in runs for part in (s.gold_row, s.predicted_row)])
    known, pair = renumber_keys(of * whole + place[rows], names * whole)
    pairs = len(known)
    designs, at = [], 0
    for scores, (gold, predicted) in zip(runs, sizes, strict=True):
        first, second = slice(at, at + gold), slice(at + gold, at + gold + predicted)
        at += gold + predicted
        designs.append(
            Design(
                name,
                (
                    Grouping.from_codes(place[scores.gold_row], place[scores.predicted_row], whole),
                    Grouping.from_codes(of[first], of[second], names),
                    Grouping.from_codes(pair[first], pair[second], pairs),
                ),
            )
        )
    return designs


def renumber_keys(keys: Ints, size: int) -> tuple[Ints, Codes]:
    """The distinct ones of some keys below `size`, ascending, and the place of each key among them."""
    if size > MAX_CELLS_PER_KEY * len(keys):
        known, place = np.unique(keys, return_inverse=True)
        return known, place
    there = np.zeros(size, dtype=bool)
    there[keys] = True
    before: Codes = np.cumsum(there, dtype=np.int32 if size <= np.iinfo(np.int32).max else np.int64)
    return np.flatnonzero(there).astype(np.int64, copy=False), before[keys] - 1


def _entity_categories(scores: Verdicts, ids: pd.Series) -> tuple[pd.Categorical, pd.Categorical]:
    """The entity of each gold and of each predicted mention; `ids` are those of the gold ones.

    A predicted mention has the entity of the gold mention that it overlaps most; one that overlaps none has
    that of its case's first, for that is what varied there; in a case without any, its own form stands for
    an entity.
    """
    own = pd.Categorical(ids)
    own = own.rename_categories(str)
    start = scores.gold["start"].to_numpy(dtype=np.int64)
    by_place = np.lexsort((start, scores.gold_row))
    sorted_rows = scores.gold_row[by_place]
    at = np.searchsorted(sorted_rows, scores.predicted_row)
    nearest = np.full(len(scores.predicted), -1, dtype=np.int64)
    inside = at < len(sorted_rows)
    inside[inside] = sorted_rows[at[inside]] == scores.predicted_row[inside]
    nearest[inside] = by_place[at[inside]]
    touched_gold, touched = find_overlaps(scores)
    nearest[touched] = touched_gold
    # a code into the entities' names for each predicted mention, and further codes for the forms
    alone = np.flatnonzero(nearest < 0)
    codes = np.append(own.codes, 0).astype(np.int64)[nearest]
    forms = pd.Categorical("form:" + number_forms(scores, scores.predicted.take(alone)))
    names = own.categories.append(forms.categories.astype("str")).unique()
    codes[alone] = np.append(names.get_indexer(forms.categories), -1)[forms.codes]
    return own, pd.Categorical.from_codes(codes, names)


def categorise_forms(scores: Verdicts) -> tuple[pd.Categorical, pd.Categorical]:
    """The surface form of each gold and of each predicted mention.

    A predicted mention has the form of the gold mention that it overlaps most, so that a name goes with what
    was found of it; one that overlaps none has its own.
    """
    own = number_forms(scores, scores.gold)
    guessed = number_forms(scores, scores.predicted)
    both = pd.concat([own, guessed], ignore_index=True)
    codes, names = pd.factorize(both, use_na_sentinel=False)
    gold, predicted = codes[: len(own)], codes[len(own) :]
    touched_gold, touched = find_overlaps(scores)
    predicted[touched] = gold[touched_gold]
    return pd.Categorical.from_codes(gold, names), pd.Categorical.from_codes(predicted, names)


def number_forms(scores: Verdicts, mentions: pd.DataFrame) -> pd.Series:
    """The surface forms of some mentions of a scoring, numbered from 0 on."""
    from ....sentences.annotated_texts import get_surface_forms

    forms = mentions["data"] if "data" in mentions else get_surface_forms(scores.corpus.texts, mentions)
    return forms.astype("str").reset_index(drop=True)


def _gold_entities(scores: Verdicts) -> pd.Series | None:
    """The entity of each gold mention, where mentions have one."""
    return scores.corpus.add_features(scores.gold, ["entity_id"]).get("entity_id")


def find_overlaps(scores: Verdicts) -> tuple[Ints, Ints]:
    """Overlapping pairs (gold, predicted) by frame position; the largest of a predicted mention is last."""
    gold, predicted = scores.candidates.sides
    i, j = find_overlapping_intervals(gold.start, gold.end, predicted.start, predicted.end)
    # of each pair the code points in common, where its gold mention begins, and both frame positions
    common = np.minimum(gold.end[i], predicted.end[j]) - np.maximum(gold.start[i], predicted.start[j])
    start, g, p = gold.start[i], gold.frame_positions[i], predicted.frame_positions[j]
    order = np.lexsort((g, -start, common, p))
    return g[order], p[order]
