"""Both sides of a task as columns."""

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
"""What the entities of each type are normalised to."""


@dataclass(frozen=True, eq=False)
class TaskData:
    """Reference and predictions, as columns; entities of both sides share one table.

    Attributes
    ----------
    name : str
        The reference's name.
    documents : tuple of str
        Names, in order.
    entities : DataFrame
        `document` (number), `name`, `type`, `set` (0 given, 1 reference, 2 predicted), `form`, `length` (of
        all fragments together), `pieces` (number of fragments).
    fragments : DataFrame
        `entity`, `start`, `end`, in order.
    spans : list
        The same, one tuple an entity.
    normalisations : DataFrame
        `entity`, `set`, `authority`, `identifier`.
    relations : DataFrame
        `document`, `name`, `type`, `set`, `microorganism`, `other` (rows of entities).
    equivalence_set : ndarray of int64
        Entities with the same number mean the same (Equiv of the reference).
    """

    name: str
    documents: tuple[str, ...]
    entities: pd.DataFrame
    fragments: pd.DataFrame
    spans: list[tuple[Span, ...]]
    normalisations: pd.DataFrame
    relations: pd.DataFrame
    equivalence_set: Ints
    problems: tuple[InputError, ...]
    notes: tuple[str, ...]
    reference_digest: str
    prediction_digest: str
    prediction_name: str

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
    """Read both sides.

    Parameters
    ----------
    reference, predicted : path
        Folders or zips; of the predictions only `.a2` is read.
    ontology : Ontology
        Whose concepts OntoBiotope normalisations must name.
    normalised : bool
        The task is about normalisations: concepts are checked.
    as_published : bool
        See `parse_document`.
    """
    gold, system = read_files(reference), read_files(predicted)
    names = sorted({document for document, _ in gold.contents})
    found = Annotations()
    for number, document in enumerate(names):
        for ending in (".txt", ".a1", ".a2"):
            if (document, ending) not in gold.contents:
                raise InputError("a file of the reference is missing", file=gold.place(document, ending))
        text = gold.contents[document, ".txt"]
        parts = [
            (INPUT, gold.place(document, ".a1"), gold.contents[document, ".a1"]),
            (REFERENCE, gold.place(document, ".a2"), gold.contents[document, ".a2"]),
        ]
        if (document, ".a2") in system.contents:
            parts.append((PREDICTION, system.place(document, ".a2"), system.contents[document, ".a2"]))
        else:
            found.problems.append(
                InputError("no predictions for a document", file=system.place(document, ".a2"))
            )
        parse_document(found, number, len(text.encode("utf-16-le")) // 2, parts, as_published=as_published)
    unknown = set(system.documents(".a2")) - set(names)
    if unknown:
        found.notes.append(
            f"{system.name}: {len(unknown)} documents ignored: not in the reference ({min(unknown)}, …)"
        )
    if normalised:
        _check_concepts(found, ontology)
    return _make_task_data(found, tuple(names), gold, system)


def _check_concepts(found: Annotations, ontology: Ontology) -> None:
    wanted = [n for n in found.normalisations if n["authority"] == "OntoBiotope"]
    numbers = ontology.locate([n["identifier"] for n in wanted])
    for normalisation, number in zip(wanted, numbers, strict=True):
        if number < 0:
            found.problems.append(
                InputError(
                    f"a referent that {ontology.name} does not have",
                    file=normalisation["place"],
                    line=normalisation["line"],
                    found=normalisation["identifier"],
                )
            )


def _make_task_data(
    found: Annotations, documents: tuple[str, ...], gold: DocumentFiles, system: DocumentFiles
) -> TaskData:
    entities = _table(found.entities, document="int64", name="str", type="str", set="int64", form="str")
    entities["length"] = np.array([sum(e - s for s, e in spans) for spans in found.fragments], dtype=np.int64)
    entities["pieces"] = np.array([len(spans) for spans in found.fragments], dtype=np.int64)
    owner = np.repeat(np.arange(len(entities)), entities["pieces"])
    flat = [span for spans in found.fragments for span in spans]
    fragments = pd.DataFrame(
        {"entity": owner, "start": [s for s, _ in flat], "end": [e for _, e in flat]}, dtype="int64"
    )
    normalisations = _table(
        found.normalisations, entity="int64", set="int64", authority="str", identifier="str"
    )
    relations = _table(
        found.relations,
        document="int64",
        name="str",
        type="str",
        set="int64",
        microorganism="int64",
        other="int64",
    )
    return TaskData(
        name=gold.name,
        documents=documents,
        entities=entities,
        fragments=fragments,
        spans=found.fragments,
        normalisations=normalisations,
        relations=relations,
        equivalence_set=_number_sets(found.equivalents, len(entities)),
        problems=tuple(found.problems),
        notes=tuple(found.notes),
        reference_digest=gold.digest,
        prediction_digest=system.digest,
        prediction_name=system.name,
    )


def _table(records: list[dict[str, Any]], **kinds: str) -> pd.DataFrame:
    """Some of the records' fields as columns, each of its kind."""
    return pd.DataFrame(records, columns=list(kinds)).astype(kinds)


def _number_sets(equivalents: list[list[int]], size: int) -> Ints:
    """Number of each entity's set of equivalents; sets that share a member are one."""
    links = [(members[0], member) for members in equivalents for member in members[1:]]
    left = np.array([a for a, _ in links], dtype=np.int64)
    right = np.array([b for _, b in links], dtype=np.int64)
    graph = coo_array((np.ones(len(links), np.int8), (left, right)), shape=(size, size))
    return connected_components(graph, directed=False)[1].astype(np.int64) if size else np.zeros(0, np.int64)
