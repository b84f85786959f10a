"""Statistical designs: the groups of mentions that are not independent and are resampled together.

Both suites and corpora have two crossed groupings. In a suite, each entity occurs in many contexts, and each
context contains many entities. In a corpus, many mentions share a document, or at least a sentence, and the
same names recur in different documents.
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
"""Maximum number of lookup table cells per key in `renumber_keys`; with more cells, the keys are sorted."""


@dataclass(frozen=True)
class Grouping:
    """Assignment of all gold and predicted mentions to groups.

    Attributes
    ----------
    gold, predicted : array
        Group number of each mention.
    size : int
        Number of groups.
    """

    gold: Codes
    predicted: Codes
    size: int

    @classmethod
    def from_codes(cls, gold: Codes, predicted: Codes, size: int) -> Grouping:
        """Return a grouping with group numbers in the narrowest integer type, to save memory."""
        kind = np.int32 if size <= np.iinfo(np.int32).max else np.int64
        return cls(gold.astype(kind), predicted.astype(kind), size)


@dataclass(frozen=True)
class Design(Dependence):
    """Statistical design of a scoring: the groupings by which its mentions are resampled.

    Attributes
    ----------
    name : str
        Name of the resampled groups: `ENTITIES_BY_CONTEXTS`, `DOCUMENTS_BY_FORMS` or `TEXTS_BY_FORMS`, or the
        name of a single grouping.
    ways : tuple of Grouping
        A single grouping, or the three groupings of a crossed design, such as entities, contexts, and
        combinations of an entity and a context.
    """

    ways: tuple[Grouping, ...]

    def get_groups(self, side: str) -> Groups:
        """Return the groups of the gold or the predicted mentions."""
        return Groups(self.name, tuple(getattr(way, side) for way in self.ways))


def make_design(scores: Verdicts) -> Design:
    """Return the design of a scored suite or corpus; see ``docs/background/intervals.md``."""
    return make_shared_designs([scores])[0]


def make_shared_designs(runs: Sequence[Verdicts]) -> list[Design]:
    """Return the designs of several scorings of the same corpus, with the same group numbers in all designs.

    In a suite, entities are crossed with contexts if mentions have an `entity_id` and texts a `context_id`.
    In a corpus, surface forms are crossed with documents, or with texts if there is only one document or one
    document per text.
    """
    corpus = runs[0].corpus
    if "context_id" in corpus.texts:
        named = [ids for s in runs if (ids := _gold_entities(s)) is not None]
        if len(named) == len(runs):
            return _cross_entities(runs, named)
    rows, name = number_documents(corpus)
    return _make_crossed_designs(runs, name, rows, [part for s in runs for part in categorise_forms(s)])


def number_documents(corpus: Corpus) -> tuple[Ints, str]:
    """Return the document number of each text, and the name of the design.

    Texts are numbered instead if there is only one document, or one document per text, or if a text has no
    document.
    """
    codes, documents = pd.factorize(corpus.texts["document_id"])
    if len(documents) < 2 or (codes < 0).any() or len(documents) == len(corpus.texts):
        return np.arange(len(corpus.texts), dtype=np.int64), TEXTS_BY_FORMS
    return codes.astype(np.int64), DOCUMENTS_BY_FORMS


def number_contexts(corpus: Corpus) -> Ints:
    """Return the context number of each text of a suite."""
    return pd.factorize(corpus.texts["context_id"], use_na_sentinel=False)[0].astype(np.int64)


def _cross_entities(runs: Sequence[Verdicts], entities: Sequence[pd.Series]) -> list[Design]:
    named = [part for s, ids in zip(runs, entities, strict=True) for part in _entity_categories(s, ids)]
    designs = _make_crossed_designs(runs, ENTITIES_BY_CONTEXTS, number_contexts(runs[0].corpus), named)
    # entities come first
    return [replace(d, ways=(d.ways[1], d.ways[0], d.ways[2])) for d in designs]


def _make_crossed_designs(
    runs: Sequence[Verdicts], name: str, place: Ints, named: Sequence[pd.Categorical]
) -> list[Design]:
    """Return the crossed design of each run: texts grouped by `place`, and mentions grouped by `named`.

    `place` contains the number of the context or document of each text. `named` contains, for each run, the
    entities or surface forms of its gold mentions, followed by those of its predicted mentions.
    """
    places = int(place.max(initial=-1)) + 1
    sizes = [(len(s.gold), len(s.predicted)) for s in runs]
    name_codes = pd.factorize(pd.api.types.union_categoricals(list(named)))[0].astype(np.int64, copy=False)
    names = int(name_codes.max(initial=-1)) + 1
    rows = np.concatenate([part for s in runs for part in (s.gold_row, s.predicted_row)])
    distinct_pairs, pair = renumber_keys(name_codes * places + place[rows], names * places)
    pairs = len(distinct_pairs)
    designs, at = [], 0
    for scores, (gold, predicted) in zip(runs, sizes, strict=True):
        first, second = slice(at, at + gold), slice(at + gold, at + gold + predicted)
        at += gold + predicted
        designs.append(
            Design(
                name,
                (
                    Grouping.from_codes(place[scores.gold_row], place[scores.predicted_row], places),
                    Grouping.from_codes(name_codes[first], name_codes[second], names),
                    Grouping.from_codes(pair[first], pair[second], pairs),
                ),
            )
        )
    return designs


def renumber_keys(keys: Ints, size: int) -> tuple[Ints, Codes]:
    """Return the distinct keys in ascending order, and the position of each key among them.

    All keys must be smaller than `size`.
    """
    if size > MAX_CELLS_PER_KEY * len(keys):
        distinct, position = np.unique(keys, return_inverse=True)
        return distinct, position
    occurs = np.zeros(size, dtype=bool)
    occurs[keys] = True
    rank: Codes = np.cumsum(occurs, dtype=np.int32 if size <= np.iinfo(np.int32).max else np.int64)
    return np.flatnonzero(occurs).astype(np.int64, copy=False), rank[keys] - 1


def _entity_categories(scores: Verdicts, ids: pd.Series) -> tuple[pd.Categorical, pd.Categorical]:
    """Return the entity of each gold and predicted mention; `ids` contains the entities of gold mentions.

    A predicted mention is assigned the entity of the gold mention with which it has the largest overlap. If
    it overlaps no gold mention, it is assigned the entity of the first gold mention in its text; if the text
    has no gold mention, the surface form of the predicted mention replaces the entity.
    """
    gold = pd.Categorical(ids).rename_categories(str)
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
    # codes of entities for predicted mentions, followed by codes of surface forms
    alone = np.flatnonzero(nearest < 0)
    codes = np.append(gold.codes, 0).astype(np.int64)[nearest]
    forms = pd.Categorical("form:" + number_forms(scores, scores.predicted.take(alone)))
    names = gold.categories.append(forms.categories.astype("str")).unique()
    codes[alone] = np.append(names.get_indexer(forms.categories), -1)[forms.codes]
    return gold, pd.Categorical.from_codes(codes, names)


def categorise_forms(scores: Verdicts) -> tuple[pd.Categorical, pd.Categorical]:
    """Return the surface form by which each gold and predicted mention is resampled.

    A predicted mention is assigned the form of the gold mention with which it has the largest overlap, so
    that both are resampled together. If it overlaps no gold mention, its own form is used.
    """
    gold_forms, predicted_forms = (number_forms(scores, m) for m in (scores.gold, scores.predicted))
    forms = pd.concat([gold_forms, predicted_forms], ignore_index=True)
    codes, names = pd.factorize(forms, use_na_sentinel=False)
    gold, predicted = codes[: len(gold_forms)], codes[len(gold_forms) :]
    touched_gold, touched = find_overlaps(scores)
    predicted[touched] = gold[touched_gold]
    return pd.Categorical.from_codes(gold, names), pd.Categorical.from_codes(predicted, names)


def number_forms(scores: Verdicts, mentions: pd.DataFrame) -> pd.Series:
    """Return the surface forms of mentions as a series, indexed by position."""
    from ....sentences.annotated_texts import get_surface_forms

    forms = mentions["data"] if "data" in mentions else get_surface_forms(scores.corpus.texts, mentions)
    return forms.astype("str").reset_index(drop=True)


def _gold_entities(scores: Verdicts) -> pd.Series | None:
    """Return the entity of each gold mention, or None if the mentions have no `entity_id`."""
    return scores.corpus.add_features(scores.gold, ["entity_id"]).get("entity_id")


def find_overlaps(scores: Verdicts) -> tuple[Ints, Ints]:
    """Return the positions of the gold and the predicted mention of each overlapping pair.

    The pairs are sorted by predicted mention and, for the same predicted mention, by length of overlap.
    """
    gold, predicted = scores.candidates.sides
    i, j = find_overlapping_intervals(gold.start, gold.end, predicted.start, predicted.end)
    # overlap of each pair in code points, start of its gold mention, and positions of both mentions
    common = np.minimum(gold.end[i], predicted.end[j]) - np.maximum(gold.start[i], predicted.start[j])
    start, g, p = gold.start[i], gold.frame_positions[i], predicted.frame_positions[j]
    order = np.lexsort((g, -start, common, p))
    return g[order], p[order]
