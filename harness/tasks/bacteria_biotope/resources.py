"""Resources needed by filters: surface forms in other corpora, new concepts, and sentence boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ....catalogues.core.errors import InputError
from ....catalogues.imports.lines import read_lines
from ....sentences.formats.records import MentionRecords
from ....sentences.formats.standoff import parse
from ...scoring.arrays import Ints
from ..options import BacteriaBiotopeOptions
from .corpus import AUTHORITY_BY_TYPE
from .reading import read_files


@dataclass(frozen=True)
class Resources:
    """Resources needed by filters; a resource is None if it is not available.

    Attributes
    ----------
    seen_forms : frozenset of str
        Surface forms of entities in other corpora.
    concepts : frozenset of str
        Concepts that the published program treats as new.
    sentences : dict
        Spans (start, end) of the sentences in each document; a document that is not listed counts as one
        sentence.
    """

    seen_forms: frozenset[str] | None = None
    concepts: frozenset[str] | None = None
    sentences: dict[str, Ints] | None = None

    @classmethod
    def from_options(cls, options: BacteriaBiotopeOptions) -> Resources:
        """Read the resources whose files are given in the options."""
        return cls(
            read_seen_forms(options.seen),
            read_concepts(options.new_concepts),
            read_sentences(options.sentences),
        )


def read_seen_forms(paths: Sequence[Path]) -> frozenset[str] | None:
    """Read the surface forms of entities (habitats, phenotypes, microorganisms) from stand-off corpora."""
    if not paths:
        return None
    # lines that are not entities are ignored
    records = MentionRecords(expected_name="")
    for path in paths:
        for (_, ending), content in read_files(path).contents.items():
            if ending != ".txt":
                parse(content.encode(), records)
    pairs = zip(records.type, records.text, strict=True)
    return frozenset(form or "" for kind, form in pairs if kind in AUTHORITY_BY_TYPE)


def read_concepts(path: str | PathLike[str] | None) -> frozenset[str] | None:
    """Read a file with one concept per line."""
    if path is None:
        return None
    concepts: set[str] = set()
    for number, line in read_lines(path):
        words = line.split()
        if len(words) > 1:
            raise InputError("a line has more than one concept", file=path, line=number, found=line.strip())
        concepts.update(words)
    if not concepts:
        raise InputError("the file is empty; it must contain one concept per line", file=path)
    return frozenset(concepts)


def read_sentences(path: str | PathLike[str] | None) -> dict[str, Ints] | None:
    """Read sentence boundaries from a file with one sentence per line: document, start and end."""
    if path is None:
        return None
    sentences: dict[str, list[tuple[int, int]]] = {}
    for number, line in read_lines(path):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not all(c.isdecimal() and len(c) <= 15 for c in cells[1:]):
            raise InputError(
                "malformed line", file=path, line=number, found=line, allowed="document<tab>start<tab>end"
            )
        sentences.setdefault(cells[0], []).append((int(cells[1]), int(cells[2])))
    if not sentences:
        raise InputError("the file is empty; it must contain lines document<tab>start<tab>end", file=path)
    return {document: np.array(spans, dtype=np.int64) for document, spans in sentences.items()}
