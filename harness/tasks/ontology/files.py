"""Read ontologies: OBO files and MeSH trees."""

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
    """Read concepts and their `is_a` parents; obsolete ones and stanzas other than `[Term]` are left out.

    Raises
    ------
    InputError
        With file and line: whatever `read_stanzas` refuses, a parent that is not defined, `is_a` going round
        in a circle.
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
                raise InputError("is_a without a parent", file=source, line=line)
            edges.setdefault((identifier, parent), line)
        aliases |= {alias: identifier for _, alias in term.values("alt_id")}
    if not labels:
        raise InputError("no [Term] in the file that is not obsolete", file=source, allowed="an OBO ontology")
    for (_, parent), line in edges.items():
        if parent not in labels and parent not in aliases:
            raise InputError("is_a a concept that is not defined", file=source, line=line, found=parent)
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
    """Read `heading;tree.number` lines, the format of NLM's `mtrees` files.

    A concept is a position: the tree numbers, and the letters of their trees, which are the roots. The parent
    of a number is what stands before its last dot, and the letter for a number without a dot. Its label is
    the heading, so several concepts may have the same.

    Raises
    ------
    InputError
        With file and line: not UTF-8, empty, no semicolon, no tree number, a position given to two headings,
        or one whose parent stands nowhere.
    """
    source = Path(path)
    rows: list[tuple[str, str]] = []
    taken: dict[str, int] = {}
    for line, raw in read_lines(source):
        if not raw.strip():
            continue
        heading, semicolon, number = raw.strip().rpartition(";")
        if not semicolon or not heading:
            raise InputError(
                "no tree number", file=source, line=line, found=raw.strip(), allowed="heading;tree.number"
            )
        if not TREE_NUMBER.match(number):
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
    return Ontology.from_edges(
        numbers,
        edges,
        labels=["" for _ in letters] + [heading for heading, _ in rows],
        name=source.stem,
        file=str(source),
        digest=digest_file(source),
    )
