"""Functions that run the Bacteria Biotope evaluation and write its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import get_args

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ...scoring.arrays import Flags, Ints, Numbers
from ..ontology import Ontology, read_obo
from ..options import BacteriaBiotopeOptions, TaskName
from ..pairs import NO_PARTNER, take_side
from .corpus import TaskData, read_task_data
from .filters import can_score, select_first_forms, select_pairs
from .knowledge import compute_mean_references, pair_knowledge
from .measures import compute_measures, make_knowledge_row, make_task_rows, sum_pairs
from .pairs import pair_task
from .reading import PREDICTION, REFERENCE
from .resources import Resources
from .task import PRINTED_NAMES, Scoring, Task, TaskInput, load_tasks

KNOWLEDGE_BASE = "knowledge-base"


@dataclass(frozen=True, eq=False)
class BacteriaBiotopeResult:
    """Result of a Bacteria Biotope evaluation.

    Attributes
    ----------
    scores : DataFrame
        Values that the published program prints: `target` (a document, or "" for all documents),
        `evaluation`, `scoring`, `measure`, `value`.
    pairs : DataFrame
        Paired reference items and predictions, from all pairings.
    table : DataFrame
        Score table for all documents together.
    notes : tuple of str
        Remarks about ignored data, undefined values and ties.
    """

    scores: pd.DataFrame
    pairs: pd.DataFrame
    table: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def files(self) -> dict[str, pd.DataFrame]:
        """Contents of the output files, keyed by file name."""
        return {"scores.csv": self.scores, "pairs.csv": self.pairs}


def evaluate_bacteria_biotope(
    task: str,
    reference: str | PathLike[str],
    predicted: str | PathLike[str],
    ontology: str | PathLike[str] | Ontology,
    options: BacteriaBiotopeOptions | None = None,
) -> BacteriaBiotopeResult:
    """Evaluate predictions for one of the Bacteria Biotope tasks.

    Parameters
    ----------
    task : str
        Name of the task: norm, norm+ner, rel, rel+ner, kb or kb+ner.
    reference, predicted : path
        Folders or zip files in the BioNLP stand-off format.
    ontology : path or Ontology
        The OntoBiotope ontology, or the path of its OBO file.
    options : BacteriaBiotopeOptions, optional
        Options of the evaluation.

    Raises
    ------
    InputError
        If a file is malformed or, unless `options.force` is true, predictions refer to unknown entities or
        concepts.
    """
    options = options or BacteriaBiotopeOptions()
    if task not in get_args(TaskName):
        raise InputError("unknown task", found=task, allowed=", ".join(get_args(TaskName)))
    graph = ontology if isinstance(ontology, Ontology) else read_obo(ontology)
    material = read_task_data(
        reference,
        predicted,
        graph,
        normalised=not task.startswith("rel"),
        as_published=options.as_published,
    )
    notes = list(material.notes)
    if material.problems and not options.force:
        first = material.problems[0]
        more = f" (problems: {len(material.problems)}; the option force ignores these annotations)"
        raise InputError(
            first.problem + more, file=first.file, line=first.line, found=first.found, allowed=first.allowed
        )
    notes += [f"ignored because of the option force: {problem}" for problem in material.problems]
    specifications = [spec for spec in load_tasks() if task in spec.names]
    resources = Resources() if task.startswith("kb") else Resources.from_options(options)
    question = TaskInput(task, material, graph, resources, options)
    evaluate = _evaluate_knowledge if task.startswith("kb") else _evaluate
    results = [evaluate(question, spec) for spec in specifications]
    return BacteriaBiotopeResult(
        pd.concat([r.scores for r in results], ignore_index=True),
        pd.concat([r.pairs for r in results], ignore_index=True),
        pd.concat([r.table for r in results], ignore_index=True),
        (*notes, *(note for r in results for note in r.notes)),
    )


def _evaluate(question: TaskInput, spec: Task) -> BacteriaBiotopeResult:
    """Pair the reference with the predictions as the task specifies, and compute all scores of the pairs."""
    material, as_published = question.data, question.as_published
    relations = spec.unit == "relation"
    pairing = pair_task(question, spec)
    pairs = pairing.pairs
    has = {name: pairs[name].to_numpy() != NO_PARTNER for name in ("reference", "predicted")}
    owner = (material.relations if relations else material.entities)["document"].to_numpy(np.int64)
    row = np.where(has["reference"], pairs["reference"], pairs["predicted"]).astype(np.int64)
    document = owner[row] if len(owner) else row
    targets = [*material.documents, ""]
    scores, rows = [], []
    left_out = []
    for scoring in spec.scoring:
        if not can_score(scoring, question):
            left_out.append(scoring.name)
            continue
        selected = select_pairs(question, pairs, scoring, relations=relations)
        # scores for new concepts compare only these concepts
        similarity = pairing.similarity["new" if scoring.new == "concepts" else scoring.similarity]

        def sum_selected(selected: Flags, similarity: Numbers = similarity) -> dict[str, Numbers]:
            return sum_pairs(
                document[selected],
                len(material.documents),
                has["reference"][selected],
                has["predicted"][selected],
                similarity[selected],
                as_published=as_published,
            )

        sums = sum_selected(selected)
        if scoring.unique:
            # per document, a form counts if it is the first in the document; in total, the first of all
            reference = pairs["reference"].to_numpy(np.int64)
            first_in_document = select_first_forms(material, reference, selected, document)
            first_of_all = select_first_forms(material, reference, selected, None)
            sums, totals = sum_selected(first_in_document), sum_selected(first_of_all)
            sums = {name: np.append(parts[:-1], totals[name][-1:]) for name, parts in sums.items()}
        values = compute_measures(sums, as_published=as_published)
        scores.append(_collect_figures(spec, scoring, targets, values))
        rows.append((scoring, values))
    notes = [pairing.note] if pairing.note else []
    if left_out:
        notes.append(
            f"scorings omitted (they need the options seen, new_concepts or sentences): {', '.join(left_out)}"
        )
    return BacteriaBiotopeResult(
        pd.concat(scores, ignore_index=True),
        list_pairs(material, pairs, document, spec.evaluation, relations=relations),
        make_task_rows(question, spec, rows),
        tuple(notes),
    )


def _collect_figures(
    spec: Task, scoring: Scoring, targets: list[str], values: Mapping[str, Numbers]
) -> pd.DataFrame:
    """Return one row per target and measure, with the value that the published program prints."""
    wanted = scoring.measures or spec.measures
    return pd.DataFrame(
        {
            "target": np.repeat(np.array(targets, dtype=object), len(wanted)),
            "evaluation": spec.evaluation,
            "scoring": scoring.name,
            "measure": [PRINTED_NAMES.get(n, n.capitalize()) for _ in targets for n in wanted],
            # [target, measure], row by row
            "value": np.stack([values[name] for name in wanted], axis=1).ravel(),
        }
    )


def _evaluate_knowledge(question: TaskInput, spec: Task) -> BacteriaBiotopeResult:
    """Evaluate the task BB-kb, which compares the associations from all documents together."""
    material = question.data
    reference, predicted, pairs = pair_knowledge(question)
    value = compute_mean_references(pairs, len(reference))
    paired = pairs.loc[pairs["predicted"] != NO_PARTNER, "reference"]
    deletions = float(len(np.setdiff1d(np.arange(len(reference)), paired)))
    shared = pairs.loc[pairs["share"] < 1, "predicted"].nunique()
    note = (
        f"{shared} predicted associations are equally similar to several references and shared between them"
    )
    (scoring,) = spec.scoring
    values = {
        name: np.append(np.full(len(material.documents), empty), [figure, figure])
        for name, empty, figure in (
            ("mean-references", np.nan, value),
            ("predictions", 0.0, float(len(predicted))),
            ("false-negatives", 0.0, deletions),
        )
    }
    return BacteriaBiotopeResult(
        _collect_figures(spec, scoring, [*material.documents, KNOWLEDGE_BASE, ""], values),
        list_associations(reference, predicted, pairs),
        make_knowledge_row(question, spec, len(reference), values),
        (note,) if shared else (),
    )


STATUS_BY_SIDES = {(True, True): "pair", (True, False): "deletion", (False, True): "insertion"}


def list_pairs(
    material: TaskData, pairs: pd.DataFrame, document: Ints, evaluation: str, *, relations: bool
) -> pd.DataFrame:
    """Return one row per pair: document, status, similarity, reference item and predicted item."""
    table = _relations(material) if relations else _entities(material)
    frame = pd.DataFrame(
        {
            "evaluation": evaluation,
            "document": [material.documents[i] for i in document],
            "status": _status(pairs),
            "similarity": pairs["similarity"],
        }
    )
    for side, which in (("reference", REFERENCE), ("predicted", PREDICTION)):
        rows = table if relations else table.assign(normalisation=_normalisations(material, which))
        frame = frame.join(take_side(rows, pairs[side], f"{side}_"))
    order = np.lexsort(
        (pairs["predicted"], pairs["reference"] == NO_PARTNER, pairs["reference"], frame["document"])
    )
    return frame.iloc[order].reset_index(drop=True)


def list_associations(reference: pd.DataFrame, predicted: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per pair of associations (taxon and concept), with status, similarity and share."""
    frame = pd.DataFrame(
        {"status": _status(pairs), "similarity": pairs["similarity"], "share": pairs["share"]}
    )
    for side, table in (("reference", reference), ("predicted", predicted)):
        frame = frame.join(take_side(table, pairs[side], f"{side}_"))
    return frame


def _status(pairs: pd.DataFrame) -> list[str]:
    has = [(pairs[name] != NO_PARTNER).tolist() for name in ("reference", "predicted")]
    return [STATUS_BY_SIDES[pair] for pair in zip(*has, strict=True)]


def _entities(material: TaskData) -> pd.DataFrame:
    shown = material.entities[["name", "type", "form"]].copy()
    shown.insert(1, "span", [";".join(f"{s} {e}" for s, e in spans) for spans in material.spans])
    return shown


def _normalisations(material: TaskData, which: int) -> list[str]:
    table = material.normalisations[material.normalisations["set"] == which]
    joined = table.groupby("entity")["identifier"].agg(lambda values: ", ".join(sorted(values)))
    texts: list[str] = joined.reindex(np.arange(len(material.entities))).fillna("").tolist()
    return texts


def _relations(material: TaskData) -> pd.DataFrame:
    names = material.entities["name"].to_numpy(dtype=object)
    shown = material.relations[["name", "type"]].copy()
    for role in ("microorganism", "other"):
        shown[role] = names[material.relations[role].to_numpy(np.int64)] if len(shown) else ""
    return shown
