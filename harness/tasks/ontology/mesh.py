"""Read MeSH trees: a heading stands at one or several positions (tree numbers) of sixteen trees."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import digest_file, read_text
from .graph import Ontology

NUMBER = re.compile(r"[A-Z](?:\d{2}(?:\.\d{3})*)?$")


@dataclass(frozen=True, eq=False)
class MeshTrees:
    """Positions as an ontology, and which positions each heading has.

    Attributes
    ----------
    ontology : Ontology
        One concept a tree number, the sixteen letters (the roots) included; the parent of a number is what
        stands before its last dot, and the letter for a number without a dot.
    headings : Index of str
        Headings in the file's order; matched without regard to case.
    heading, position : ndarray of int64
        One entry a position: number of the heading, number of the concept.
    """

    ontology: Ontology
    headings: pd.Index[str]
    heading: NDArray[np.int64]
    position: NDArray[np.int64]

    def locate(self, terms: pd.Series[str]) -> NDArray[np.int64]:
        """Numbers of headings by name, whatever their case; -1 where there is none."""
        return self.headings.str.casefold().get_indexer(pd.Index(terms.str.casefold())).astype(np.int64)


def read_mesh_trees(path: str | PathLike[str]) -> MeshTrees:
    """Read `heading;tree.number` lines, the format of NLM's `mtrees` files.

    Raises
    ------
    InputError
        With file and line: not UTF-8, empty, no semicolon, no tree number, a position given to two headings,
        or one whose parent stands nowhere.
    """
    source = Path(path)
    text = read_text(source)
    rows: list[tuple[str, str]] = []
    taken: dict[str, int] = {}
    for line, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        heading, semicolon, number = raw.strip().rpartition(";")
        if not semicolon or not heading:
            raise InputError(
                "no tree number", file=source, line=line, found=raw.strip(), allowed="heading;tree.number"
            )
        if not NUMBER.match(number):
            raise InputError(
                "not a tree number", file=source, line=line, found=number, allowed="a letter, then 01.234.567"
            )
        if number in taken:
            raise InputError(
                f"a position twice (first on line {taken[number]})", file=source, line=line, found=number
            )
        taken[number] = line
        rows.append((heading, number))
    if not rows:
        raise InputError("the file is empty", file=source, allowed="heading;tree.number a line")
    letters = sorted({number[0] for _, number in rows} - set(taken))
    numbers = [*letters, *(number for _, number in rows)]
    known = set(numbers)
    edges = []
    for _, number in rows:
        if len(number) == 1:
            continue
        parent = number.rpartition(".")[0] or number[0]
        if parent not in known:
            raise InputError(
                "a position whose parent stands nowhere", file=source, line=taken[number], found=number
            )
        edges.append((number, parent))
    ontology = Ontology.build(
        numbers,
        edges,
        labels=["" for _ in letters] + [heading for heading, _ in rows],
        name=source.stem,
        file=str(source),
        digest=digest_file(source),
    )
    codes, headings = pd.factorize(pd.Series([heading for heading, _ in rows], dtype="str"))
    position = ontology.locate([number for _, number in rows])
    return MeshTrees(ontology, pd.Index(headings, dtype="str"), codes.astype(np.int64), position)
