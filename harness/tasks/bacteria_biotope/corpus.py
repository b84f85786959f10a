"""Annotations in the reference and predictions of a Bacteria Biotope task, as tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ....catalogues.core.errors import InputError
from ...scoring.arrays import Ints
from ..ontology import Ontology
from .reading import (
    INPUT,
    PREDICTION,
    REFERENCE,
    Annotations,
    DocumentFiles,
    Span,
    parse_document,
    read_files,
)

AUTHORITY_BY_TYPE = {"Habitat": "OntoBiotope", "Phenotype": "OntoBiotope", "Microorganism": "NCBI_Taxonomy"}
"""Authority (database or ontology) that defines the identifiers for each type of entity."""


@dataclass(frozen=True, eq=False)
class TaskData:
    """Tables of annotations; each table contains both the reference and the predictions.

    Attributes
    ----------
    documents : tuple of str
        Names of the documents, sorted.
    entities : DataFrame
        Entities: `document` (index), `name`, `type`, `set` (0 input, 1 reference, 2 prediction), `form`,
        `length` (sum over its fragments), `pieces` (number of fragments).
    fragments : DataFrame
        Fragments of entities, sorted: `entity` (row), `start`, `end`.
    spans : list
        One tuple per entity, with the spans of its fragments.
    normalisations : DataFrame
        Identifiers of entities: `entity` (row), `set`, `authority`, `identifier`.
    relations : DataFrame
        Relations: `document`, `name`, `type`, `set`, and the arguments `microorganism` and `other` (rows of
        entities).
    equivalence_set : ndarray of int64
        Number of the equivalence set of each entity, as defined by Equiv lines in the reference.
    problems, notes : tuples
        Problems, which are errors unless the option `force` is used, and remarks about the data.
    gold, system : DocumentFiles
        Files of the reference and of the predictions.
    """

    documents: tuple[str, ...]
    entities: pd.DataFrame
    fragments: pd.DataFrame
    spans: list[tuple[Span, ...]]
    normalisations: pd.DataFrame
    relations: pd.DataFrame
    equivalence_set: Ints
    problems: tuple[InputError, ...]
    notes: tuple[str, ...]
    gold: DocumentFiles
    system: DocumentFiles

    @cached_property
    def entity_types(self) -> NDArray[np.object_]:
        """Type of each entity."""
        return self.entities["type"].to_numpy(dtype=object)


def read_task_data(
    reference: str | PathLike[str],
    predicted: str | PathLike[str],
    ontology: Ontology,
    *,
    normalised: bool,
    as_published: bool,
) -> TaskData:
    """Read the reference and the predictions for a task.

    Parameters
    ----------
    reference, predicted : path
        Folders or zip files; from the predictions, only `.a2` files are read.
    ontology : Ontology
        Ontology that defines the concepts in normalisations.
    normalised : bool
        Whether to check that the ontology contains the concepts in normalisations.
    as_published : bool
        Whether to drop a fragment that touches the preceding fragment, as the published program does.

    Raises
    ------
    InputError
        If a file of the reference is missing, or a file is malformed.
    """
    gold, system = read_files(reference), read_files(predicted)
    names = sorted({document for document, _ in gold.contents})
    annotations = Annotations()
    for number, document in enumerate(names):
        for ending in (".txt", ".a1", ".a2"):
            if (document, ending) not in gold.contents:
                raise InputError("a reference file is missing", file=gold.place(document, ending))
        text = gold.contents[document, ".txt"]
        parts = [
            (INPUT, gold.place(document, ".a1"), gold.contents[document, ".a1"]),
            (REFERENCE, gold.place(document, ".a2"), gold.contents[document, ".a2"]),
        ]
        if (document, ".a2") in system.contents:
            parts.append((PREDICTION, system.place(document, ".a2"), system.contents[document, ".a2"]))
        else:
            annotations.problems.append(
                InputError("the file with the predictions is missing", file=system.place(document, ".a2"))
            )
        length = len(text.encode("utf-16-le")) // 2
        parse_document(annotations, number, length, parts, as_published=as_published)
    unknown = set(system.documents(".a2")) - set(names)
    if unknown:
        annotations.notes.append(
            f"{system.name}: ignored {len(unknown)} documents not in the reference ({min(unknown)}, …)"
        )
    if normalised:
        _check_concepts(annotations, ontology)
    return _make_task_data(annotations, tuple(names), gold, system)


def _check_concepts(annotations: Annotations, ontology: Ontology) -> None:
    wanted = [n for n in annotations.normalisations if n["authority"] == "OntoBiotope"]
    numbers = ontology.locate([n["identifier"] for n in wanted])
    for normalisation, number in zip(wanted, numbers, strict=True):
        if number < 0:
            problem = f"{ontology.name} does not contain this concept"
            annotations.add_problem(problem, normalisation["place"], normalisation["identifier"])


def _make_task_data(
    annotations: Annotations, documents: tuple[str, ...], gold: DocumentFiles, system: DocumentFiles
) -> TaskData:
    entities = _table(annotations.entities, document="int64", name="str", type="str", set="int64", form="str")
    all_spans = annotations.fragments
    entities["length"] = np.array([sum(e - s for s, e in spans) for spans in all_spans], dtype=np.int64)
    entities["pieces"] = np.array([len(spans) for spans in all_spans], dtype=np.int64)
    owner = np.repeat(np.arange(len(entities)), entities["pieces"])
    flat = [span for spans in all_spans for span in spans]
    fragments = pd.DataFrame(
        {"entity": owner, "start": [s for s, _ in flat], "end": [e for _, e in flat]}, dtype="int64"
    )
    normalisations = _table(
        annotations.normalisations, entity="int64", set="int64", authority="str", identifier="str"
    )
    relations = _table(
        annotations.relations,
        document="int64",
        name="str",
        type="str",
        set="int64",
        microorganism="int64",
        other="int64",
    )
    return TaskData(
        documents=documents,
        entities=entities,
        fragments=fragments,
        spans=all_spans,
        normalisations=normalisations,
        relations=relations,
        equivalence_set=_number_sets(annotations.equivalents, len(entities)),
        problems=tuple(annotations.problems),
        notes=tuple(annotations.notes),
        gold=gold,
        system=system,
    )


def _table(records: list[dict[str, Any]], **kinds: str) -> pd.DataFrame:
    """Return a table of records with the given columns and their types."""
    return pd.DataFrame(records, columns=list(kinds)).astype(kinds)


def _number_sets(equivalents: list[list[int]], size: int) -> Ints:
    """Return the number of each entity's equivalence set; sets that share a member are merged."""
    links = [(members[0], member) for members in equivalents for member in members[1:]]
    left = np.array([a for a, _ in links], dtype=np.int64)
    right = np.array([b for _, b in links], dtype=np.int64)
    graph = coo_array((np.ones(len(links), np.int8), (left, right)), shape=(size, size))
    return connected_components(graph, directed=False)[1].astype(np.int64) if size else np.zeros(0, np.int64)
