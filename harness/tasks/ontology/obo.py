"""Concepts of an OBO ontology and their parents, as a graph; the file is read by `catalogues.imports.obo`."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import digest_file
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
        if term.kind != "Term" or term.obsolete:
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
    return Ontology.build(
        list(labels),
        [(child, parent if parent in labels else aliases[parent]) for child, parent in edges],
        labels=list(labels.values()),
        aliases={alias: target for alias, target in aliases.items() if alias not in labels},
        name=source.stem,
        file=str(source),
        digest=digest_file(source),
    )
