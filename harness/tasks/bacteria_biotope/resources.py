"""What filters look up: surface forms of other corpora, new concepts, sentences."""

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
    """What filters look up; None where it was not given.

    Attributes
    ----------
    seen_forms : frozenset of str
        Surface forms of entities in other corpora.
    concepts : frozenset of str
        Concepts that count as new, as published.
    sentences : dict
        Sentences (start, end) of documents; a document that is not there is one sentence.
    """

    seen_forms: frozenset[str] | None = None
    concepts: frozenset[str] | None = None
    sentences: dict[str, Ints] | None = None

    @classmethod
    def from_options(cls, options: BacteriaBiotopeOptions) -> Resources:
        """Those that the options name."""
        return cls(
            read_seen_forms(options.seen),
            read_concepts(options.new_concepts),
            read_sentences(options.sentences),
        )


def read_seen_forms(paths: Sequence[Path]) -> frozenset[str] | None:
    """Surface forms of all entities that have a normalisation's type, in folders or zips of standoff."""
    if not paths:
        return None
    # lines that are no entities are passed over
    records = MentionRecords(expected_name="")
    for path in paths:
        for (_, ending), content in read_files(path).contents.items():
            if ending != ".txt":
                parse(content.encode(), records)
    pairs = zip(records.type, records.text, strict=True)
    return frozenset(form or "" for kind, form in pairs if kind in AUTHORITY_BY_TYPE)


def read_concepts(path: str | PathLike[str] | None) -> frozenset[str] | None:
    """A concept a line."""
    if path is None:
        return None
    found: set[str] = set()
    for number, line in read_lines(path):
        words = line.split()
        if len(words) > 1:
            raise InputError(
                "not a concept", file=path, line=number, found=line.strip(), allowed="a concept a line"
            )
        found.update(words)
    if not found:
        raise InputError("the file is empty", file=path, allowed="a concept a line")
    return frozenset(found)


def read_sentences(path: str | PathLike[str] | None) -> dict[str, Ints] | None:
    """Lines of document, start and end of a sentence, separated by tabs."""
    if path is None:
        return None
    found: dict[str, list[tuple[int, int]]] = {}
    for number, line in read_lines(path):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not all(c.isdecimal() and len(c) <= 15 for c in cells[1:]):
            raise InputError(
                "not a sentence", file=path, line=number, found=line, allowed="document<tab>start<tab>end"
            )
        found.setdefault(cells[0], []).append((int(cells[1]), int(cells[2])))
    if not found:
        raise InputError("the file is empty", file=path, allowed="document<tab>start<tab>end")
    return {document: np.array(spans, dtype=np.int64) for document, spans in found.items()}
