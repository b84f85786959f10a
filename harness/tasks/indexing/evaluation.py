"""The whole evaluation of index terms: compare sets, retrieve, and make the score table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import digest_file
from ...scoring.signature import DIGEST_DIGITS
from ...scoring.table import build_score_table
from ..options import IndexingOptions
from ..tables import make_score_row, make_task_signature, write_tables
from .comparison import TermSides, align_sides, compare
from .reading import IndexedDocuments, read_indexing
from .retrieval import SearchIndex, make_retrieval_table, retrieve_documents
from .tree import (
    TermSimilarity,
    TermTree,
    information_from_corpus,
    information_from_table,
    read_frequencies,
    read_tree,
)

MAX_NAMED_LINES = 10
"""Number of bad lines that are shown with what is wrong with them; of others only the line numbers are."""


@dataclass(frozen=True, eq=False)
class IndexingResult:
    """What an evaluation gives.

    Attributes
    ----------
    documents, pairs : DataFrame
        See `comparing.compare`.
    retrieval, tops : DataFrame or None
        See `retrieval.retrieve` and `retrieval.retrieval_tables`.
    table : DataFrame
        The score table.
    notes : tuple of str
        Lines and documents left out, coverage of the tree, undefined similarities.
    """

    documents: pd.DataFrame
    pairs: pd.DataFrame
    retrieval: pd.DataFrame | None
    tops: pd.DataFrame | None
    table: pd.DataFrame
    notes: tuple[str, ...]


def evaluate_indexing(
    gold: str | PathLike[str],
    predicted: str | PathLike[str],
    tree: str | PathLike[str],
    options: IndexingOptions | None = None,
    *,
    progress: bool = False,
) -> IndexingResult:
    """Compare proposed index terms with the gold's, and what they retrieve.

    Parameters
    ----------
    gold, predicted : path
        See `reading.read_indexing` for the formats.
    tree : path
        MeSH trees or an OBO ontology.
    options : IndexingOptions, optional
        See there.
    progress : bool
        Show progress on standard error.
    """
    given = options or IndexingOptions()
    standard = read_indexing(gold)
    system = read_indexing(predicted, skip_bad_lines=given.skip_bad_lines)
    positions = read_tree(tree)
    sides = align_sides(standard, system)
    if not sides.documents:
        raise InputError("the two files have no document with terms in common", file=predicted)
    notes = [*describe_bad_lines(system), *sides.notes, *describe_coverage(sides, positions)]
    if given.frequencies:
        information = information_from_table(positions, read_frequencies(given.frequencies), given.smoothing)
        source = f"frequencies:{digest_file(given.frequencies)[:DIGEST_DIGITS]}"
    else:
        corpus = read_indexing(given.corpus) if given.corpus else standard
        information = information_from_corpus(positions, corpus, given.smoothing)
        source = f"frequencies:{corpus.digest[:DIGEST_DIGITS]}"
        if not given.corpus and given.similarity != "wang":
            notes.append("frequencies are those of the gold: no --frequencies and no --corpus")
    similarity = TermSimilarity(positions, sides.keys, information, given.similarity)
    documents, pairs = compare(sides, similarity)
    if similarity.undefined:
        notes.append(
            f"{similarity.undefined} pairs of terms count as 0: a term that the frequencies do not have "
            "(--smoothing N adds N to every frequency)"
        )
    table = make_term_rows(
        standard, system, documents, pairs, given.similarity, given.signature_class(source)
    )
    retrieved = tops = None
    if given.documents:
        collection = read_indexing(given.documents)
        retrieved = retrieve_documents(
            SearchIndex.from_collection(collection), sides, system, related=given.related, progress=progress
        )
        absent = len(sides.documents) - len(retrieved)
        if absent:
            notes.append(f"{absent} documents are not in the collection {collection.name}: not retrieved")
        tops = make_retrieval_table(retrieved)
        more = make_retrieval_rows(
            standard, system, retrieved, tops, f"collection:{collection.digest[:DIGEST_DIGITS]}"
        )
        table = pd.concat([table, more], ignore_index=True)
    return IndexingResult(documents, pairs, retrieved, tops, table, tuple(notes))


def describe_bad_lines(system: IndexedDocuments) -> list[str]:
    """The number of lines of the predictions that were left out, and which; the first with their faults."""
    errors = system.left_out
    if not errors:
        return []
    notes = [f"{len(errors)} bad lines of the predictions left out"]
    notes += [f"left out: {error}" for error in errors[:MAX_NAMED_LINES]]
    if len(errors) > MAX_NAMED_LINES:
        notes.append(
            f"left out, too: lines {', '.join(str(error.line) for error in errors[MAX_NAMED_LINES:])}"
        )
    return notes


def describe_coverage(sides: TermSides, tree: TermTree) -> list[str]:
    """The number of either side's terms that the tree has; a term without a position is like itself alone."""
    known = set(tree.find_positions(pd.Series(sides.keys, dtype="str"))["row"].tolist())
    notes = []
    for name, table in (("gold", sides.gold), ("proposed", sides.proposed)):
        distinct = table["term"].unique()
        here = table["term"].isin(known)
        missing = [sides.names[term] for term in sorted(set(distinct) - known, key=lambda t: sides.keys[t])]
        shown = f" (not: {'; '.join(missing[:5])}{'; …' if len(missing) > 5 else ''})" if missing else ""
        notes.append(
            f"the tree has {int(here.sum())} of {len(table)} {name} terms, "
            f"{len(distinct) - len(missing)} of {len(distinct)} distinct ones{shown}"
        )
    return notes


def find_largest_differences(documents: pd.DataFrame, number: int) -> pd.DataFrame:
    """The documents whose two similarities differ most."""
    order = documents["difference"].abs().sort_values(ascending=False, kind="stable").index
    return documents.loc[order[:number]].reset_index(drop=True)


def write_files(
    result: IndexingResult,
    out: str | PathLike[str],
    *,
    force: bool = False,
    inputs: Iterable[str | PathLike[str]] = (),
) -> None:
    """Write `documents.csv`, `pairs.csv` and, with a collection, `retrieval.csv` and `tops.csv`."""
    tables = {
        "documents.csv": result.documents,
        "pairs.csv": result.pairs,
        "retrieval.csv": result.retrieval,
        "tops.csv": result.tops,
    }
    write_tables(tables, out, "indexing evaluation", force=force, inputs=inputs)


EXTRA_COLUMNS = ("documents", "dice", "similarity")
"""Columns that this task appends: documents that count, and the means over them."""


def _signature(gold: IndexedDocuments, system: IndexedDocuments, notion: str, settings: str) -> str:
    parts = {"notion": notion, "pairing": "any", "counting": "document", "alternatives": "none"}
    return make_task_signature(gold.digest, system.digest, settings, **parts)


def make_term_rows(
    gold: IndexedDocuments,
    system: IndexedDocuments,
    documents: pd.DataFrame,
    pairs: pd.DataFrame,
    measure: str,
    settings: str,
) -> pd.DataFrame:
    """Two rows over all documents: terms that are the same, and terms by how near the best partner is.

    In the second row what is matched is the sum of the best similarities of the gold's, and of the proposed,
    terms.
    """
    best = pairs.groupby("side")["similarity"].sum()
    size_gold, size_proposed = documents["gold"].sum(), documents["proposed"].sum()
    blocks = []
    for notion, matched_gold, matched_proposed in (
        ("exact", documents["common"].sum(), documents["common"].sum()),
        (measure, best.get("gold", 0.0), best.get("proposed", 0.0)),
    ):
        signature = _signature(gold, system, notion, settings if notion != "exact" else "")
        blocks.append(
            make_score_row(
                "all",
                notion,
                "term",
                signature,
                gold=size_gold,
                gold_matched=matched_gold,
                predicted=size_proposed,
                predicted_matched=matched_proposed,
            )
        )
    table = build_score_table(blocks, run=system.name, corpus=gold.name)
    table["documents"] = len(documents)
    table["dice"] = documents["dice"].mean()
    table["similarity"] = documents["similarity"].mean()
    return table


def make_retrieval_rows(
    gold: IndexedDocuments,
    system: IndexedDocuments,
    retrieved: pd.DataFrame,
    tops: pd.DataFrame,
    settings: str,
) -> pd.DataFrame:
    """Rows of the paper's tables 4 and 5: recall is the share that is found among so many documents."""
    blocks = []
    found: list[tuple[str, float, float]] = []
    for name, whole, part in (
        ("original", "documents", "originals"),
        ("nearest ten", "nearest", "nearest_found"),
    ):
        columns = (tops[column].tolist() for column in ("top", whole, part))
        found += [(f"{name}, top {top}", size, hits) for top, size, hits in zip(*columns, strict=True)]
    found.append(("related, top any", retrieved["related"].sum(), retrieved["related_found"].sum()))
    for label, size, hits in found:
        signature = _signature(gold, system, "retrieval", f"{label}|{settings}")
        blocks.append(make_score_row(label, "retrieval", "document", signature, gold=size, gold_matched=hits))
    table = build_score_table(blocks, run=system.name, corpus=gold.name)
    table["tp"] = table["gold_matched"]
    # other documents that are found mean nothing here: no precision
    table[["predicted", "predicted_matched", "fp"]] = np.nan
    table["documents"] = len(retrieved)
    return table
