"""Corpora written in tests: one text per line, with gold mentions in angle brackets."""

from __future__ import annotations

import re

import pandas as pd

from tagsuite.catalogues.values import format_cell_value
from tagsuite.sentences.corpus import Corpus
from tagsuite.sentences.formats.draft import Draft, assemble_corpus
from tagsuite.sentences.formats.inline import parse_inline


def corpus(*lines: str) -> Corpus:
    """Return a corpus with one text per line and gold mentions in angle brackets."""
    found = parse_inline("\n".join(re.sub(r"<([^<>]+)>", r"<gp>\1</gp>", line) for line in lines))
    ids = [str(number) for number in range(len(lines))]
    types = ["gp"] * len(found.rows)
    draft = Draft(ids, found.lines, None, found.rows, found.starts, found.ends, types)
    return assemble_corpus(draft, name="c", digest="")


def shown(column: pd.Series) -> list[str]:
    """Return values as texts."""
    return [format_cell_value(value) for value in column.tolist()]
