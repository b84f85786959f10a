"""The whole Bacteria Biotope evaluation: read, pair, filter, measure, and list the pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ...scoring.arrays import Flags, Ints, Numbers
from ..ontology import Ontology, read_obo
from ..options import BacteriaBiotopeOptions
from ..pairs import NOBODY, side_of
from ..tables import write_tables
from .corpus import Material, read_material
from .filters import first_of_its_kind, keep, possible
from .knowledge import mean_references, pair_knowledge
from .measures import Sums, add_up, knowledge_row, measure, task_rows
from .pairs import paired
from .reading import PREDICTION, REFERENCE
from .resources import Resources
from .task import Question, Scoring, Task, printed, task_names, tasks

KNOWLEDGE = "knowledge-base"


@dataclass(frozen=True, eq=False)
class BacteriaBiotopeResult:
    """What an evaluation gives.

    Attributes
    ----------
    scores : DataFrame
        `target` (a document, or "" for all), `evaluation`, `scoring`, `measure`, `value`: what the published
        program prints.
    pairs : DataFrame
        Every pair of every pairing.
    table : DataFrame
        The score table, over all documents.
    notes : tuple of str
        What was ignored, undefined or chosen among equals.
    """

    scores: pd.DataFrame
    pairs: pd.DataFrame
    table: pd.DataFrame
    notes: tuple[str, ...]


def evaluate_bacteria_biotope(
    task: str,
    reference: str | PathLike[str],
    predicted: str | PathLike[str],
    ontology: str | PathLike[str] | Ontology,
    options: BacteriaBiotopeOptions | None = None,
) -> BacteriaBiotopeResult:
    """Score predictions of one task.

    Parameters
    ----------
    task : str
        norm, norm+ner, rel, rel+ner, kb or kb+ner.
    reference, predicted : path
        Folders or zips of BioNLP standoff.
    ontology : path or Ontology
        OntoBiotope.
    options : BacteriaBiotopeOptions, optional
        See there.

    Raises
    ------
    InputError
        Malformed files; and, unless forced, predictions about what is not there.
    """
    given = options or BacteriaBiotopeOptions()
    if task not in task_names():
        raise InputError("unknown task", found=task, allowed=", ".join(task_names()))
    graph = ontology if isinstance(ontology, Ontology) else read_obo(ontology)
    material = read_material(
        reference,
        predicted,
        graph,
        normalised=not task.startswith("rel"),
        as_published=given.as_published,
    )
    notes = list(material.notes)
    if material.problems and not given.force:
        first = material.problems[0]
        more = f" ({len(material.problems)} problems in all; --force evaluates what is left)"
        raise InputError(
            first.problem + more, file=first.file, line=first.line, found=first.found, allowed=first.allowed
        )
    notes += [f"forced: {problem}" for problem in material.problems]
    specifications = [spec for spec in tasks() if task in spec.names]
    resources = Resources() if task.startswith("kb") else Resources.read(given)
    question = Question(task, material, graph, resources, given)
    evaluate = _knowledge if task.startswith("kb") else _evaluate
    results = [evaluate(question, spec) for spec in specifications]
    return BacteriaBiotopeResult(
        pd.concat([r.scores for r in results], ignore_index=True),
        pd.concat([r.pairs for r in results], ignore_index=True),
        pd.concat([r.table for r in results], ignore_index=True),
        (*notes, *(note for r in results for note in r.notes)),
    )


def write_files(
    result: BacteriaBiotopeResult,
    out: str | PathLike[str],
    *,
    force: bool = False,
    inputs: Iterable[str | PathLike[str]] = (),
) -> None:
    """Write `scores.csv` (every document's too) and `pairs.csv`."""
    tables = {"scores.csv": result.scores, "pairs.csv": result.pairs}
    write_tables(tables, out, "Bacteria Biotope evaluation", force=force, inputs=inputs)


def _evaluate(question: Question, spec: Task) -> BacteriaBiotopeResult:
    """One of a task's evaluations: pair, filter, measure."""
    material, as_published = question.material, question.as_published
    relations = spec.unit == "relation"
    found = paired(question, spec)
    pairs = found.pairs
    has = {name: pairs[name].to_numpy() != NOBODY for name in ("reference", "predicted")}
    owner = (material.relations if relations else material.entities)["document"].to_numpy(np.int64)
    row = np.where(has["reference"], pairs["reference"], pairs["predicted"]).astype(np.int64)
    document = owner[row] if len(owner) else row
    targets = [*material.documents, ""]
    scores, rows = [], []
    left_out = []
    for scoring in spec.scoring:
        if not possible(scoring, question):
            left_out.append(scoring.name)
            continue
        kept = keep(question, pairs, scoring, relations=relations)
        # figures for new concepts look at these concepts alone
        similarity = found.similarity["new" if scoring.new == "concepts" else scoring.similarity]

        def summed(kept: Flags, similarity: Numbers = similarity) -> Sums:
            return add_up(
                document[kept],
                len(material.documents),
                has["reference"][kept],
                has["predicted"][kept],
                similarity[kept],
                as_published=as_published,
            )

        sums = summed(kept)
        if scoring.unique:
            # in a document's own figures an entity need only be the first of its kind there
            within = first_of_its_kind(material, pairs["reference"].to_numpy(np.int64), kept, document)
            alone = first_of_its_kind(material, pairs["reference"].to_numpy(np.int64), kept, None)
            sums = summed(within).but_total_of(summed(alone))
        values = measure(sums, as_published=as_published)
        scores.append(_figures(spec, scoring, targets, values))
        rows.append((scoring, sums, values))
    notes = [found.note] if found.note else []
    if left_out:
        notes.append(f"left out, for want of --seen, --new-concepts or --sentences: {', '.join(left_out)}")
    return BacteriaBiotopeResult(
        pd.concat(scores, ignore_index=True),
        list_pairs(material, pairs, document, spec.evaluation, relations=relations),
        task_rows(question, spec, rows),
        tuple(notes),
    )


def _figures(spec: Task, scoring: Scoring, targets: list[str], values: Mapping[str, Numbers]) -> pd.DataFrame:
    """What is printed of a scoring: a row a target and measure, from the values of all targets by measure."""
    wanted = scoring.measures or spec.measures
    return pd.DataFrame(
        {
            "target": np.repeat(np.array(targets, dtype=object), len(wanted)),
            "evaluation": spec.evaluation,
            "scoring": scoring.name,
            "measure": [printed(name) for _ in targets for name in wanted],
            # [target, measure], row by row
            "value": np.stack([values[name] for name in wanted], axis=1).ravel(),
        }
    )


def _knowledge(question: Question, spec: Task) -> BacteriaBiotopeResult:
    """BB-kb: the associations of all documents together; a document alone has no figures."""
    material = question.material
    reference, predicted, pairs = pair_knowledge(question)
    value = mean_references(pairs, len(reference))
    found = pairs.loc[pairs["predicted"] != NOBODY, "reference"]
    deletions = float(len(np.setdiff1d(np.arange(len(reference)), found)))
    shared = pairs.loc[pairs["share"] < 1, "predicted"].nunique()
    note = f"{shared} predicted associations are equally near to several of the reference: shared equally"
    (scoring,) = spec.scoring
    values = {
        name: np.append(np.full(len(material.documents), nothing), [figure, figure])
        for name, nothing, figure in (
            ("mean-references", np.nan, value),
            ("predictions", 0.0, float(len(predicted))),
            ("false-negatives", 0.0, deletions),
        )
    }
    return BacteriaBiotopeResult(
        _figures(spec, scoring, [*material.documents, KNOWLEDGE, ""], values),
        list_associations(reference, predicted, pairs),
        knowledge_row(question, spec, len(reference), values),
        (note,) if shared else (),
    )


STATUS = {(True, True): "pair", (True, False): "deletion", (False, True): "insertion"}


def list_pairs(
    material: Material, pairs: pd.DataFrame, document: Ints, evaluation: str, *, relations: bool
) -> pd.DataFrame:
    """One row a pair: its document, what became of it, similarity, and both sides."""
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
        own = table if relations else table.assign(normalisation=_normalisations(material, which))
        frame = frame.join(side_of(own, pairs[side], f"{side}_"))
    order = np.lexsort(
        (pairs["predicted"], pairs["reference"] == NOBODY, pairs["reference"], frame["document"])
    )
    return frame.iloc[order].reset_index(drop=True)


def list_associations(reference: pd.DataFrame, predicted: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """One row a pair of associations (a taxon with a concept)."""
    frame = pd.DataFrame(
        {"status": _status(pairs), "similarity": pairs["similarity"], "share": pairs["share"]}
    )
    for side, table in (("reference", reference), ("predicted", predicted)):
        frame = frame.join(side_of(table, pairs[side], f"{side}_"))
    return frame


def _status(pairs: pd.DataFrame) -> list[str]:
    has = [(pairs[name] != NOBODY).tolist() for name in ("reference", "predicted")]
    return [STATUS[pair] for pair in zip(*has, strict=True)]


def _entities(material: Material) -> pd.DataFrame:
    shown = material.entities[["name", "type", "form"]].copy()
    shown.insert(1, "span", [";".join(f"{s} {e}" for s, e in spans) for spans in material.spans])
    return shown


def _normalisations(material: Material, which: int) -> list[str]:
    table = material.normalisations[material.normalisations["set"] == which]
    joined = table.groupby("entity")["identifier"].agg(lambda values: ", ".join(sorted(values)))
    found: list[str] = joined.reindex(np.arange(len(material.entities))).fillna("").tolist()
    return found


def _relations(material: Material) -> pd.DataFrame:
    names = material.entities["name"].to_numpy(dtype=object)
    shown = material.relations[["name", "type"]].copy()
    for role in ("microorganism", "other"):
        shown[role] = names[material.relations[role].to_numpy(np.int64)] if len(shown) else ""
    return shown
