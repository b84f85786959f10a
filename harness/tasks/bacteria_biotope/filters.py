"""Filters that select pairs for a scoring; a pair passes if its reference or its prediction passes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...scoring.arrays import Flags, Ints
from ..pairs import NO_PARTNER
from .corpus import AUTHORITY_BY_TYPE, TaskData
from .reading import REFERENCE
from .resources import Resources
from .task import Scoring, TaskInput


def can_score(scoring: Scoring, question: TaskInput) -> bool:
    """Return True if all resources that a scoring needs are available.

    The published program uses an empty list in place of a missing resource.
    """
    if question.as_published:
        return True
    resources = question.resources
    needed = {"seen": resources.seen_forms, "concepts": resources.concepts}
    if scoring.new and needed[scoring.new] is None:
        return False
    return not (scoring.inside_sentence and resources.sentences is None)


def select_pairs(question: TaskInput, pairs: pd.DataFrame, scoring: Scoring, *, relations: bool) -> Flags:
    """Return True for each pair that a scoring selects."""
    material, resources, as_published = question.data, question.resources, question.as_published
    table = material.relations if relations else material.entities
    passes = np.ones(len(table), dtype=bool)
    types = scoring.types
    if as_published and scoring.published_types is not None:
        types = scoring.published_types
    if types:
        passes &= table["type"].isin(types).to_numpy(bool)
    if scoring.location:
        passes &= material.entity_types[table["other"].to_numpy(np.int64)] == scoring.location
    if scoring.inside_sentence:
        passes &= _is_inside_sentence(material, resources)
    if scoring.multiple:
        passes &= _has_multiple(material, types)
    if scoring.new == "concepts":
        passes &= _names_any(material, resources.concepts or frozenset())
    elif scoring.new == "seen":
        # the published program has an empty list of new concepts, so nothing passes
        seen = resources.seen_forms
        passes &= False if as_published or seen is None else ~table["form"].isin(seen).to_numpy(bool)
    sides = [pairs[name].to_numpy(np.int64) for name in ("reference", "predicted")]
    is_selected = np.zeros(len(pairs), dtype=bool)
    for rows in sides:
        is_selected |= (rows != NO_PARTNER) & passes[rows] if len(passes) else False
    return is_selected


def _has_multiple(material: TaskData, types: list[str]) -> Flags:
    """Return True for each entity that has several normalisations in the reference or in the predictions."""
    table = material.normalisations
    wanted = {AUTHORITY_BY_TYPE[kind] for kind in types} if types else set(AUTHORITY_BY_TYPE.values())
    counts = table[table["authority"].isin(wanted)].groupby(["entity", "set", "authority"]).size()
    return _is_among(counts[counts >= 2].index.get_level_values("entity"), material)


def _names_any(material: TaskData, concepts: frozenset[str]) -> Flags:
    table = material.normalisations
    named = table[(table["authority"] == "OntoBiotope") & table["identifier"].isin(concepts)]
    return _is_among(named["entity"], material)


def _is_among(rows: pd.Index | pd.Series, material: TaskData) -> Flags:
    return np.isin(np.arange(len(material.entities)), rows.to_numpy(np.int64))


def select_first_forms(
    material: TaskData, reference: Ints, candidates: Flags, document: Ints | None
) -> Flags:
    """Return True for one candidate pair per surface form and reference concept.

    Pairs are considered in order. A pair is skipped if an already selected pair has the same surface form and
    a common reference concept. If `document` (the document of each pair) is given, only pairs in the same
    document are compared.
    """
    table = material.normalisations
    table = table[(table["set"] == REFERENCE) & (table["authority"] == "OntoBiotope")]
    concepts = table.groupby("entity")["identifier"].agg(list).to_dict()
    forms = material.entities["form"].tolist()
    earlier: set[tuple[int, str, str]] = set()
    result = np.zeros(len(reference), dtype=bool)
    for place in np.flatnonzero(candidates):
        row = int(reference[place])
        place_in = -1 if document is None else int(document[place])
        keys = {(place_in, forms[row], concept) for concept in concepts.get(row, [])}
        if not keys & earlier:
            earlier |= keys
            result[place] = True
    return result


def _is_inside_sentence(material: TaskData, resources: Resources) -> Flags:
    """Return True for each relation unless its arguments lie in different sentences.

    An argument that crosses a sentence boundary is ignored.
    """
    listed = resources.sentences or {}
    starts = material.fragments.groupby("entity")["start"].min().to_numpy(np.int64)
    ends = material.fragments.groupby("entity")["end"].max().to_numpy(np.int64)
    result = np.ones(len(material.relations), dtype=bool)
    owner = material.relations["document"].to_numpy(np.int64)
    for document in np.unique(owner).tolist():
        sentences = listed.get(material.documents[document])
        if sentences is None:
            continue
        group = material.relations[owner == document]
        # True if a sentence contains an argument: [relation, sentence], for both arguments
        covered = [
            (sentences[:, 0] <= starts[rows][:, None]) & (ends[rows][:, None] <= sentences[:, 1])
            for rows in (group["microorganism"].to_numpy(np.int64), group["other"].to_numpy(np.int64))
        ]
        result[group.index.to_numpy(np.int64)] = (covered[0] | covered[1]).sum(axis=1) <= 1
    return result
