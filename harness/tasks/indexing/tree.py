"""Terms in a tree: their positions, frequencies and similarities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
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
"""Similarities of positions in an ontology, by name; Wang's asks the graph alone."""


@dataclass(frozen=True, eq=False)
class TermTree:
    """Keys (case-folded terms) and their positions in an ontology; a MeSH heading may have several."""

    ontology: Ontology
    keys: pd.Index[str]
    key: Ints
    position: Ints

    def find_positions(self, keys: pd.Series[str]) -> pd.DataFrame:
        """Positions of some terms: `row` (of the series), `position`; nothing for an unknown term."""
        codes = self.keys.get_indexer(pd.Index(keys))
        wanted = pd.DataFrame({"row": np.arange(len(keys)), "key": codes})
        known = pd.DataFrame({"key": self.key, "position": self.position})
        return wanted.merge(known, on="key")[["row", "position"]]


def read_tree(path: str | PathLike[str]) -> TermTree:
    """Read MeSH trees (`heading;tree.number`) or an OBO ontology: terms by identifier and by name."""
    source = Path(path)
    obo = source.name.lower().endswith((".obo", ".obo.gz")) or read_text(source).lstrip().startswith(
        ("format-version", "[")
    )
    ontology = read_obo(source) if obo else read_mesh_trees(source)
    # the number of a position in MeSH is no term
    rows = [(str(i), n) for n, i in enumerate(ontology.ids)] if obo else []
    rows += [(str(label), n) for n, label in enumerate(ontology.labels) if label]
    codes, keys = pd.factorize(pd.Series([name for name, _ in rows], dtype="str").str.casefold())
    positions = np.array([n for _, n in rows], dtype=np.int64)
    return TermTree(ontology, pd.Index(keys, dtype="str"), codes.astype(np.int64), positions)


def read_frequencies(path: str | PathLike[str]) -> pd.DataFrame:
    """Lines of term and number of documents, separated by a tab (or the last comma): `key`, `count`."""
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
        # a second tab, or a line end that is none here, would make a term of several
        if not separator or not value >= 0 or "\t" in term or "\r" in term:
            if number == 1:
                continue  # a header
            raise InputError(
                "not a term with its frequency",
                file=source,
                line=number,
                found=line,
                allowed="term<tab>number",
            )
        rows.append((term.strip().strip('"').casefold(), value))
    if not rows:
        raise InputError("no frequencies in the file", file=source, allowed="term<tab>number a line")
    return pd.DataFrame(rows, columns=["key", "count"]).groupby("key", as_index=False).sum()


def information_from_corpus(tree: TermTree, corpus: IndexedDocuments, smoothing: float) -> Information:
    """Information content from an indexed corpus: documents are counted, each once a position."""
    found = tree.find_positions(corpus.terms["key"])
    document = corpus.terms["document"].take(found["row"].to_numpy(np.int64))
    return information_from_documents(tree.ontology, document, found["position"], smoothing=smoothing)


def information_from_table(tree: TermTree, table: pd.DataFrame, smoothing: float) -> Information:
    """Information content from numbers of documents a term.

    What lies below a position is added up term by term: a document with two terms below it counts twice,
    since only the corpus itself shows which documents these are.
    """
    found = tree.find_positions(table["key"])
    return information_from_counts(
        tree.ontology, found["row"], found["position"], table["count"], smoothing=smoothing
    )


class TermSimilarity:
    """Similarity of terms by number in `keys`: the greatest over all their positions, 1 for the same term.

    Attributes
    ----------
    undefined : int
        Pairs of different terms met so far that have positions in a common tree, but a frequency of 0 made
        every comparison undefined: they count as 0.
    """

    def __init__(
        self, tree: TermTree, keys: list[str], information: Information, measure: SimilarityMeasure
    ) -> None:
        self.tree = tree
        self.keys = pd.Series(keys, dtype="str")
        self.information = information
        self.measure = measure
        self.undefined = 0

    @cached_property
    def _positions(self) -> pd.DataFrame:
        return self.tree.find_positions(self.keys)

    def __call__(self, left: Ints, right: Ints) -> Numbers:
        """Similarities of pairs."""
        pairs = pd.DataFrame({"left": left, "right": right, "pair": np.arange(len(left))})
        one = self._positions.rename(columns={"row": "left", "position": "a"})
        other = self._positions.rename(columns={"row": "right", "position": "b"})
        cells = pairs[pairs["left"] != pairs["right"]].merge(one, on="left").merge(other, on="right")
        a, b = cells["a"].to_numpy(np.int64), cells["b"].to_numpy(np.int64)
        values = SIMILARITIES[self.measure](self.tree.ontology, self.information, a, b)
        best = pd.Series(values).groupby(cells["pair"].to_numpy()).max()
        self.undefined += int(best.isna().sum())
        result = np.where(left == right, 1.0, 0.0)
        result[best.index.to_numpy(np.int64)] = np.nan_to_num(best.to_numpy(np.float64))
        return result
