"""Terms in MeSH trees or an ontology: their positions, frequencies and similarities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_text
from ....catalogues.imports.lines import read_lines
from ...scoring.arrays import Ints, Numbers
from ..ontology import (
    Information,
    Ontology,
    information_from_counts,
    information_from_documents,
    jiang_conrath,
    lin,
    read_mesh_trees,
    read_obo,
    wang,
)
from ..options import SimilarityMeasure
from .reading import IndexedDocuments

SIMILARITIES: dict[SimilarityMeasure, Callable[[Ontology, Information, Ints, Ints], Numbers]] = {
    "lin": lin,
    "wang": lambda graph, _information, a, b: wang(graph, a, b),
    "jiang-conrath": jiang_conrath,
}
"""Functions that compute the similarity of positions in an ontology; `wang` does not use frequencies."""


@dataclass(frozen=True, eq=False)
class TermTree:
    """Terms in an ontology.

    Attributes
    ----------
    ontology : Ontology
    positions : DataFrame
        `key` (case-folded term) and `position` (index of a concept); a MeSH heading can have several
        positions.
    """

    ontology: Ontology
    positions: pd.DataFrame

    def find_positions(self, keys: pd.Series[str]) -> pd.DataFrame:
        """Return the positions of terms as a table with columns `row` (index in `keys`) and `position`.

        Unknown terms are not in the table.
        """
        wanted = pd.DataFrame({"row": np.arange(len(keys)), "key": keys.array})
        return wanted.merge(self.positions, on="key")[["row", "position"]]


def read_tree(path: str | PathLike[str]) -> TermTree:
    """Read MeSH trees or an OBO ontology.

    MeSH trees consist of lines `heading;tree.number`. The terms of an ontology are its ids and names.
    """
    source = Path(path)
    obo = source.name.lower().endswith((".obo", ".obo.gz")) or read_text(source).lstrip().startswith(
        ("format-version", "[")
    )
    ontology = read_obo(source) if obo else read_mesh_trees(source)
    # tree numbers in MeSH are not terms
    rows = [(str(i), n) for n, i in enumerate(ontology.ids)] if obo else []
    rows += [(str(label), n) for n, label in enumerate(ontology.labels) if label]
    positions = pd.DataFrame(rows, columns=["key", "position"]).astype({"key": "str", "position": "int64"})
    return TermTree(ontology, positions.assign(key=positions["key"].str.casefold()))


def read_frequencies(path: str | PathLike[str]) -> pd.DataFrame:
    """Read the number of documents per term from lines with a term, a tab or comma, and a number.

    Returns
    -------
    DataFrame
        One row per line: `key` (case-folded term), `count`.
    """
    source = Path(path)
    rows: list[tuple[str, float]] = []
    for number, line in read_lines(source):
        if not line.strip():
            continue
        term, separator, count = line.rpartition("\t" if "\t" in line else ",")
        try:
            value = float(count)
        except ValueError:
            value = -1.0
        # a second tab, or a carriage return, means that the line holds several terms
        if not separator or not value >= 0 or "\t" in term or "\r" in term:
            if number == 1:
                continue  # a header
            raise InputError(
                "malformed line",
                file=source,
                line=number,
                found=line,
                allowed="term<tab>number",
            )
        rows.append((term.strip().strip('"').casefold(), value))
    if not rows:
        raise InputError("the file contains no lines term<tab>number", file=source)
    return pd.DataFrame(rows, columns=["key", "count"]).groupby("key", as_index=False).sum()


def information_from_corpus(tree: TermTree, corpus: IndexedDocuments, smoothing: float) -> Information:
    """Compute information content from the number of documents per position in an indexed corpus."""
    positions = tree.find_positions(corpus.terms["key"])
    document = corpus.terms["document"].take(positions["row"].to_numpy(np.int64))
    return information_from_documents(tree.ontology, document, positions["position"], smoothing=smoothing)


def information_from_table(tree: TermTree, table: pd.DataFrame, smoothing: float) -> Information:
    """Compute information content from a table with the number of documents per term.

    The count of a position is the sum over the terms at and below it; a document with two of these terms is
    therefore counted twice.
    """
    positions = tree.find_positions(table["key"])
    return information_from_counts(
        tree.ontology, positions["row"], positions["position"], table["count"], smoothing=smoothing
    )


class TermSimilarity:
    """Function that computes the similarity of pairs of terms, given their indexes in `keys`.

    The similarity is the maximum over all pairs of positions; it is 1 for equal terms.

    Attributes
    ----------
    undefined : int
        Number of pairs so far whose similarity was set to 0 because it is undefined for all positions. This
        happens if a term has frequency 0.
    """

    def __init__(
        self, tree: TermTree, keys: list[str], information: Information, measure: SimilarityMeasure
    ) -> None:
        self.tree = tree
        self.positions = tree.find_positions(pd.Series(keys, dtype="str"))
        self.information = information
        self.measure = measure
        self.undefined = 0

    def __call__(self, left: Ints, right: Ints) -> Numbers:
        """Return the similarity of each pair of terms."""
        pairs = pd.DataFrame({"left": left, "right": right, "pair": np.arange(len(left))})
        left_positions = self.positions.rename(columns={"row": "left", "position": "a"})
        right_positions = self.positions.rename(columns={"row": "right", "position": "b"})
        cells = pairs[pairs["left"] != pairs["right"]].merge(left_positions, on="left")
        cells = cells.merge(right_positions, on="right")
        a, b = cells["a"].to_numpy(np.int64), cells["b"].to_numpy(np.int64)
        values = SIMILARITIES[self.measure](self.tree.ontology, self.information, a, b)
        best = pd.Series(values).groupby(cells["pair"].to_numpy()).max()
        self.undefined += int(best.isna().sum())
        result = np.where(left == right, 1.0, 0.0)
        result[best.index.to_numpy(np.int64)] = np.nan_to_num(best.to_numpy(np.float64))
        return result
