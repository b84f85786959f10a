"""Functions that run the evaluation of index terms and write its results."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import digest_file
from ...scoring.signature import DIGEST_DIGITS
from ...scoring.table import build_score_table
from ..options import IndexingOptions
from ..tables import make_score_row, make_task_signature
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
"""Maximum number of malformed lines whose problems are shown; further lines are listed by number only."""


@dataclass(frozen=True, eq=False)
class IndexingResult:
    """Result of an evaluation of index terms.

    Attributes
    ----------
    documents, pairs : DataFrame
        Results per document and per term; see `comparison.compare`.
    retrieval, tops : DataFrame or None
        Results of `retrieval.retrieve_documents` and `retrieval.make_retrieval_table`.
    table : DataFrame
        Score table.
    notes : tuple of str
        Remarks about skipped lines and documents, coverage of the tree, and undefined similarities.
    """

    documents: pd.DataFrame
    pairs: pd.DataFrame
    retrieval: pd.DataFrame | None
    tops: pd.DataFrame | None
    table: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def files(self) -> dict[str, pd.DataFrame | None]:
        """Contents of the output files, keyed by file name; None for tables that were not computed."""
        return {
            "documents.csv": self.documents,
            "pairs.csv": self.pairs,
            "retrieval.csv": self.retrieval,
            "tops.csv": self.tops,
        }


def evaluate_indexing(
    gold: str | PathLike[str],
    predicted: str | PathLike[str],
    tree: str | PathLike[str],
    options: IndexingOptions | None = None,
    *,
    progress: bool = False,
) -> IndexingResult:
    """Compare proposed index terms with gold terms, and evaluate retrieval with the proposed terms.

    Parameters
    ----------
    gold, predicted : path
        Files of documents with terms; see `reading.read_indexing` for the formats.
    tree : path
        MeSH trees or an OBO ontology.
    options : IndexingOptions, optional
        Options of the evaluation.
    progress : bool
        Whether to show progress on standard error.
    """
    options = options or IndexingOptions()
    standard = read_indexing(gold)
    system = read_indexing(predicted, skip_bad_lines=options.skip_bad_lines)
    positions = read_tree(tree)
    sides = align_sides(standard, system)
    if not sides.documents:
        raise InputError("no document has both gold terms and proposed terms", file=predicted)
    notes = [*describe_bad_lines(system), *sides.notes, *describe_coverage(sides, positions)]
    if options.frequencies:
        frequencies = read_frequencies(options.frequencies)
        information = information_from_table(positions, frequencies, options.smoothing)
        source = f"frequencies:{digest_file(options.frequencies)[:DIGEST_DIGITS]}"
    else:
        corpus = read_indexing(options.corpus) if options.corpus else standard
        information = information_from_corpus(positions, corpus, options.smoothing)
        source = f"frequencies:{corpus.digest[:DIGEST_DIGITS]}"
        if not options.corpus and options.similarity != "wang":
            notes.append("term frequencies are counted in the gold standard: no frequencies or corpus given")
    similarity = TermSimilarity(positions, sides.keys, information, options.similarity)
    documents, pairs = compare(sides, similarity)
    if similarity.undefined:
        notes.append(
            f"the similarity of {similarity.undefined} pairs of terms is set to 0 because a term has no "
            "frequency (the option smoothing=N adds N to every frequency)"
        )
    table = make_term_rows(
        standard, system, documents, pairs, options.similarity, options.signature_class(source)
    )
    retrieved = tops = None
    if options.documents:
        collection = read_indexing(options.documents)
        retrieved = retrieve_documents(
            SearchIndex.from_collection(collection), sides, system, related=options.related, progress=progress
        )
        absent = len(sides.documents) - len(retrieved)
        if absent:
            notes.append(
                f"no retrieval for {absent} documents that are not in the collection {collection.name}"
            )
        tops = make_retrieval_table(retrieved)
        more = make_retrieval_rows(
            standard, system, retrieved, tops, f"collection:{collection.digest[:DIGEST_DIGITS]}"
        )
        table = pd.concat([table, more], ignore_index=True)
    return IndexingResult(documents, pairs, retrieved, tops, table, tuple(notes))


def describe_bad_lines(system: IndexedDocuments) -> list[str]:
    """Return notes about skipped lines in the predictions, with the problems of the first few lines."""
    errors = system.left_out
    if not errors:
        return []
    notes = [f"skipped {len(errors)} malformed lines of the predictions"]
    notes += [f"skipped: {error}" for error in errors[:MAX_NAMED_LINES]]
    if len(errors) > MAX_NAMED_LINES:
        notes.append(
            f"also skipped: lines {', '.join(str(error.line) for error in errors[MAX_NAMED_LINES:])}"
        )
    return notes


def describe_coverage(sides: TermSides, tree: TermTree) -> list[str]:
    """Return notes with the numbers of gold and proposed terms that are in the tree.

    A term outside the tree is similar only to itself.
    """
    in_tree = set(tree.find_positions(pd.Series(sides.keys, dtype="str"))["row"].tolist())
    notes = []
    for name, table in (("gold", sides.gold), ("proposed", sides.proposed)):
        distinct = table["term"].unique()
        covered = table["term"].isin(in_tree)
        missing = [sides.names[term] for term in sorted(set(distinct) - in_tree, key=lambda t: sides.keys[t])]
        shown = f" (missing: {'; '.join(missing[:5])}{'; …' if len(missing) > 5 else ''})" if missing else ""
        notes.append(
            f"the tree contains {int(covered.sum())} of {len(table)} {name} terms, "
            f"{len(distinct) - len(missing)} of {len(distinct)} distinct terms{shown}"
        )
    return notes


def find_largest_differences(documents: pd.DataFrame, number: int) -> pd.DataFrame:
    """Return the rows of the `number` documents for which `similarity` and `dice` differ most."""
    order = documents["difference"].abs().sort_values(ascending=False, kind="stable").index
    return documents.loc[order[:number]].reset_index(drop=True)


EXTRA_COLUMNS = ("documents", "dice", "similarity")
"""Columns that this task adds to the score table: number of documents and mean values."""


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
    """Return two score rows over all documents: one for equal terms and one for similar terms.

    In the second row, the numbers of matched terms are sums of similarities: each term contributes its
    similarity to its most similar partner.
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
    """Return score rows for retrieval, as in tables 4 and 5 of Névéol et al. 2006.

    Recall is the proportion of original documents, or of their neighbours, found among the first N results.
    """
    blocks = []
    results: list[tuple[str, float, float]] = []
    for name, total, hits_column in (
        ("original", "documents", "originals"),
        ("nearest ten", "nearest", "nearest_found"),
    ):
        columns = (tops[column].tolist() for column in ("top", total, hits_column))
        results += [(f"{name}, top {top}", size, hits) for top, size, hits in zip(*columns, strict=True)]
    results.append(("related, top any", retrieved["related"].sum(), retrieved["related_found"].sum()))
    for label, size, hits in results:
        signature = _signature(gold, system, "retrieval", f"{label}|{settings}")
        blocks.append(make_score_row(label, "retrieval", "document", signature, gold=size, gold_matched=hits))
    table = build_score_table(blocks, run=system.name, corpus=gold.name)
    table["tp"] = table["gold_matched"]
    # precision is not defined, because other results can be relevant too
    table[["predicted", "predicted_matched", "fp"]] = np.nan
    table["documents"] = len(retrieved)
    return table
