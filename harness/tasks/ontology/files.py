"""Readers of ontologies in OBO files and MeSH trees."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import digest_file
from ....catalogues.imports.lines import read_lines
from ....catalogues.imports.obo import read_stanzas
from .graph import Ontology


def read_obo(path: str | PathLike[str]) -> Ontology:
    """Read an OBO ontology: `[Term]` concepts that are not obsolete, and their `is_a` parents.

    Raises
    ------
    InputError
        If the file is malformed, a parent is not defined, or `is_a` forms a cycle.
    """
    source = Path(path)
    labels: dict[str, str] = {}
    edges: dict[tuple[str, str], int] = {}
    aliases: dict[str, str] = {}
    for term in read_stanzas(source):
        if term.kind != "Term" or term.is_obsolete:
            continue
        identifier = term.identifier
        labels[identifier] = next((name for _, name in term.values("name")), "")
        for line, parent in term.values("is_a"):
            if not parent:
                raise InputError("an is_a line has no parent", file=source, line=line)
            edges.setdefault((identifier, parent), line)
        aliases |= {alias: identifier for _, alias in term.values("alt_id")}
    if not labels:
        problem = "the file contains no [Term] that is not obsolete"
        raise InputError(problem, file=source)
    for (_, parent), line in edges.items():
        if parent not in labels and parent not in aliases:
            raise InputError("is_a refers to an undefined concept", file=source, line=line, found=parent)
    return Ontology.from_edges(
        list(labels),
        [(child, parent if parent in labels else aliases[parent]) for child, parent in edges],
        labels=list(labels.values()),
        aliases={alias: target for alias, target in aliases.items() if alias not in labels},
        name=source.stem,
        file=str(source),
        digest=digest_file(source),
    )


TREE_NUMBER = re.compile(r"[A-Z](?:\d{2}(?:\.\d{3})*)?$")


def read_mesh_trees(path: str | PathLike[str]) -> Ontology:
    """Read MeSH trees from lines `heading;tree.number`, the format of NLM's `mtrees` files.

    Each tree number is a concept; the letters of the trees are the roots. The parent of a tree number is the
    part before its last dot or, if it has no dot, its letter. The label of a concept is its heading; several
    concepts can have the same label.

    Raises
    ------
    InputError
        If the file is empty or not UTF-8, a line is malformed, or a tree number is repeated or has no parent.
    """
    source = Path(path)
    rows: list[tuple[str, str]] = []
    line_of: dict[str, int] = {}
    for line, raw in read_lines(source):
        if not raw.strip():
            continue
        heading, semicolon, number = raw.strip().rpartition(";")
        if not semicolon or not heading:
            raise InputError(
                "the tree number is missing",
                file=source,
                line=line,
                found=raw.strip(),
                allowed="heading;tree.number",
            )
        if not TREE_NUMBER.match(number):
            raise InputError(
                "not a tree number", file=source, line=line, found=number, allowed="a letter, then 01.234.567"
            )
        if number in line_of:
            problem = f"duplicate tree number (first on line {line_of[number]})"
            raise InputError(problem, file=source, line=line, found=number)
        line_of[number] = line
        rows.append((heading, number))
    if not rows:
        raise InputError("the file is empty; it must contain lines heading;tree.number", file=source)
    letters = sorted({number[0] for _, number in rows} - set(line_of))
    numbers = [*letters, *(number for _, number in rows)]
    all_numbers = set(numbers)
    edges = []
    for _, number in rows:
        if len(number) == 1:
            continue
        parent = number.rpartition(".")[0] or number[0]
        if parent not in all_numbers:
            problem = f"the parent {parent} of this tree number is missing"
            raise InputError(problem, file=source, line=line_of[number], found=number)
        edges.append((number, parent))
    return Ontology.from_edges(
        numbers,
        edges,
        labels=["" for _ in letters] + [heading for heading, _ in rows],
        name=source.stem,
        file=str(source),
        digest=digest_file(source),
    )
