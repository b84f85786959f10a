"""Corpus format for the folder of a suite."""

from __future__ import annotations

from pathlib import Path

from ..corpus import Corpus
from ..suites import read_suite
from .base import CorpusFormat, FormatOptions


def read(path: Path, options: FormatOptions) -> Corpus:  # noqa: ARG001 - a reader's signature
    """Read a suite folder as a corpus."""
    return read_suite(path)


FORMAT = CorpusFormat(
    name="suite",
    title="a suite folder written by `tagsuite generate`",
    place="folder",
    read=read,
    write=None,
)
