"""The whole Bacteria Biotope evaluation: read, pair, filter, measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ...scoring.arrays import Flags, Ints, Numbers
from ..ontology import Ontology, read_obo
from ..pairs import NOBODY
from ..tables import write_tables
from .corpus import AUTHORITY, Material, read_material
from .filters import Resources, first_of_its_kind, keep, possible, read_concepts, read_seen, read_sentences
from .knowledge import mean_references, pair_knowledge
from .listing import list_associations, list_pairs
from .measuring import Sums, add_up, measure
from .options import BacteriaBiotopeOptions
from .pairing import choose, pairs_of, published_relations
from .rows import knowledge_row, task_rows
from .similarity import boundaries, normalisations, sharing
from .specification import Scoring, Task, printed, task_names, tasks
from .standoff import INPUT, PREDICTION, REFERENCE

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
    if task.startswith("kb"):
        return _knowledge(task, specifications[0], material, graph, given, notes)
    resources = Resources(
        read_seen(given.seen), read_concepts(given.new_concepts), read_sentences(given.sentences)
    )
    results = [_evaluate(task, spec, material, graph, resources, given, notes) for spec in specifications]
    return BacteriaBiotopeResult(
        pd.concat([r.scores for r in results], ignore_index=True),
        pd.concat([r.pairs for r in results], ignore_index=True),
        pd.concat([r.table for r in results], ignore_index=True),
        tuple(notes),
    )


def write_files(result: BacteriaBiotopeResult, out: str | PathLike[str], *, force: bool = False) -> None:
    """Write `scores.csv` (every document's too) and `pairs.csv`."""
    write_tables({"scores.csv": result.scores, "pairs.csv": result.pairs}, out, force=force)


@dataclass(frozen=True)
class _Paired:
    """Pairs of one pairing, and how alike they are by each similarity that a scoring may ask for."""

    pairs: pd.DataFrame
    similarity: dict[str, Numbers]


def _evaluate(
    task: str,
    spec: Task,
    material: Material,
    graph: Ontology,
    resources: Resources,
    options: BacteriaBiotopeOptions,
    notes: list[str],
) -> BacteriaBiotopeResult:
    as_published = options.as_published
    relations = spec.unit == "relation"
    if relations:
        paired = _pair_relations(task, material, as_published, notes)
    elif task == "norm":
        paired = _pair_given(material, graph, resources, as_published, notes)
    else:
        only_boundaries = spec.evaluation.startswith("Boundaries")
        paired = _pair_entities(
            material, graph, resources, as_published, notes, only_boundaries=only_boundaries
        )
    pairs = paired.pairs
    has = {name: pairs[name].to_numpy() != NOBODY for name in ("reference", "predicted")}
    owner = (material.relations if relations else material.entities)["document"].to_numpy(np.int64)
    row = np.where(has["reference"], pairs["reference"], pairs["predicted"]).astype(np.int64)
    document = owner[row] if len(owner) else row
    targets = [*material.documents, ""]
    scores, rows = [], []
    left_out = []
    for scoring in spec.scoring:
        if not possible(scoring, resources, as_published=as_published):
            left_out.append(scoring.name)
            continue
        kept = keep(material, pairs, scoring, resources, relations=relations, as_published=as_published)
        # figures for new concepts look at these concepts alone
        similarity = paired.similarity["new" if scoring.new == "concepts" else scoring.similarity]

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
    if left_out:
        notes.append(f"left out, for want of --seen, --new-concepts or --sentences: {', '.join(left_out)}")
    return BacteriaBiotopeResult(
        pd.concat(scores, ignore_index=True),
        list_pairs(material, pairs, document, spec.evaluation, relations=relations),
        task_rows(task, spec, material, rows, options),
        (),
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


def _entities(material: Material, which: int) -> Ints:
    table = material.entities
    return _rows((table["set"] == which) & table["type"].isin(AUTHORITY))


def _rows(wanted: pd.Series[bool]) -> Ints:
    return np.flatnonzero(wanted.to_numpy(bool)).astype(np.int64)


def _alike(
    material: Material, graph: Ontology, resources: Resources, left: Ints, right: Ints, as_published: bool
) -> dict[str, Numbers]:
    """Similarities of normalisations, by name."""
    concepts = resources.concepts or frozenset()
    return {
        "normalisation": normalisations(material, graph, left, right, as_published=as_published),
        "normalisation-exact": normalisations(
            material, graph, left, right, exact=True, as_published=as_published
        ),
        "new": normalisations(material, graph, left, right, concepts=concepts, as_published=as_published),
    }


def _pair_given(
    material: Material, graph: Ontology, resources: Resources, as_published: bool, notes: list[str]
) -> _Paired:
    """BB-norm: entities are given, each is paired with itself."""
    rows = _entities(material, INPUT)
    alike = _alike(material, graph, resources, rows, rows, as_published)
    main = alike["normalisation"]
    if as_published:
        # its list of new concepts is empty for phenotypes here: neither side has any, and 0/0 is NaN
        alike["new"] = np.where(material.kinds[rows] == "Phenotype", np.nan, alike["new"])
    undefined = int(np.isnan(main).sum())
    if undefined:
        notes.append(
            f"{undefined} entities without normalisation: "
            + ("their similarity, and every figure that they are in, is NaN" if as_published else "left out")
        )
    pairs = pd.DataFrame({"reference": rows, "predicted": rows, "similarity": main})
    return _Paired(pairs, {"main": main, "exact": alike["normalisation-exact"], **alike})


def _pair_entities(
    material: Material,
    graph: Ontology,
    resources: Resources,
    as_published: bool,
    notes: list[str],
    *,
    only_boundaries: bool,
) -> _Paired:
    """BB-norm+ner: entities are paired by type, boundaries and normalisation, or by boundaries alone."""
    reference, predicted = _entities(material, REFERENCE), _entities(material, PREDICTION)
    cells = sharing(material, reference, predicted)
    left, right = cells["left"].to_numpy(np.int64), cells["right"].to_numpy(np.int64)
    b = boundaries(material, cells, as_published=as_published)
    if only_boundaries:
        # as published entities of different types may be a pair here
        same = material.kinds[left] == material.kinds[right]
        names = {"main": b if as_published else np.where(same, b, 0.0)}
    else:
        alike = _alike(material, graph, resources, left, right, as_published)
        names = {
            "main": b * alike["normalisation"],
            "exact": b * alike["normalisation-exact"],
            "normalisation": alike["normalisation"],
            "normalisation-exact": alike["normalisation-exact"],
            # as published boundaries do not matter to figures for new concepts
            "new": alike["new"] if as_published else b * alike["new"],
        }
    chosen, ties = choose(left, right, names["main"], as_published=as_published)
    _note_ties(ties, notes)
    pairs = pairs_of(reference, predicted, left[chosen], right[chosen], names["main"][chosen])
    rest = np.zeros(len(pairs) - len(chosen))
    return _Paired(pairs, {name: np.concatenate((values[chosen], rest)) for name, values in names.items()})


def _pair_relations(task: str, material: Material, as_published: bool, notes: list[str]) -> _Paired:
    """BB-rel: the same or equivalent arguments; BB-rel+ner: by type and boundaries of both arguments."""
    relations = material.relations
    reference, predicted = (_rows(relations["set"] == which) for which in (REFERENCE, PREDICTION))
    if task == "rel":
        every = np.arange(len(material.entities))
        table = pd.DataFrame({"left": every, "right": every, "value": 1.0})
    else:
        of_prediction = material.entities["set"] == PREDICTION
        cells = sharing(material, _rows(~of_prediction), _rows(of_prediction))
        cells["value"] = boundaries(material, cells, as_published=as_published)
        same = material.kinds[cells["left"]] == material.kinds[cells["right"]]
        table = cells.loc[same, ["left", "right", "value"]]
    sides = [_arguments(material, reference, predicted, table, role) for role in ("microorganism", "other")]
    both = sides[0].merge(sides[1], on=["left", "right"])
    both["value"] = both["value_x"] * both["value_y"]
    kinds = relations["type"].to_numpy(dtype=object)
    both = both[kinds[both["left"]] == kinds[both["right"]]].sort_values(["left", "right"], ignore_index=True)
    left, right = both["left"].to_numpy(np.int64), both["right"].to_numpy(np.int64)
    value = both["value"].to_numpy(np.float64)
    if as_published:
        pairs, ties = published_relations(material, reference, predicted, both[["left", "right", "value"]])
    else:
        chosen, ties = choose(left, right, value, as_published=False)
        pairs = pairs_of(reference, predicted, left[chosen], right[chosen], value[chosen])
    _note_ties(ties, notes)
    main = pairs["similarity"].to_numpy(np.float64)
    paired = (pairs["reference"] != NOBODY) & (pairs["predicted"] != NOBODY)
    return _Paired(pairs, {"main": main, "any": paired.to_numpy().astype(np.float64)})


def _arguments(
    material: Material, reference: Ints, predicted: Ints, table: pd.DataFrame, role: str
) -> pd.DataFrame:
    """How alike one argument of two relations is, where it is: the best of the reference's equivalents."""
    owner = material.relations[role].to_numpy(np.int64)
    members = pd.DataFrame({"group": material.group, "entity": np.arange(len(material.group))})
    left = pd.DataFrame({"left": reference, "group": material.group[owner[reference]]}).merge(
        members, on="group"
    )
    right = pd.DataFrame({"right": predicted, "partner": owner[predicted]})
    cells = table.rename(columns={"left": "entity", "right": "partner"})
    joined = left.merge(cells, on="entity").merge(right, on="partner")
    return joined.groupby(["left", "right"])["value"].max().reset_index()


def _note_ties(ties: int, notes: list[str]) -> None:
    if ties:
        notes.append(
            f"{ties} pairs were chosen among equals: the published program's order is undefined there; "
            "here the first in the files is taken"
        )


def _knowledge(
    task: str,
    spec: Task,
    material: Material,
    graph: Ontology,
    given: BacteriaBiotopeOptions,
    notes: list[str],
) -> BacteriaBiotopeResult:
    """BB-kb: the associations of all documents together; a document alone has no figures."""
    reference, predicted, pairs = pair_knowledge(material, graph, as_published=given.as_published)
    value = mean_references(pairs, len(reference))
    found = pairs.loc[pairs["predicted"] != NOBODY, "reference"]
    deletions = float(len(np.setdiff1d(np.arange(len(reference)), found)))
    shared = pairs.loc[pairs["share"] < 1, "predicted"].nunique()
    if shared:
        notes.append(
            f"{shared} predicted associations are equally near to several of the reference: shared equally"
        )
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
        knowledge_row(task, spec, material, value, len(reference), len(predicted), deletions, given),
        tuple(notes),
    )
