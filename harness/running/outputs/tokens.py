"""Tagged tokens as output: CoNLL columns (one token per line), or lines like ``IL-2/NN gene/NN``."""

from __future__ import annotations

from itertools import pairwise

from ....sentences.formats.conll import ColumnLayout, TokenLines, parse
from ....sentences.formats.problems import describe_missing_fields, shorten_value
from ..outcomes import Fault
from .parse import TaggerOutput
from .place_texts import ENCODING_FAULT, TextRecord, add_hint, place_texts, split_case_ids
from .placement import Placement


def read(printed: TaggerOutput) -> Placement:
    """Parse output that consists of tokens with tags."""
    form = printed.form
    columns = ColumnLayout(form.token_column, form.tag_column, form.scheme, form.outside)
    if form.form == "conll":
        found = parse(printed.text, columns, undecodable_lines=printed.undecodable_lines)
        names: list[str | None] = [None] * len(found.end_lines)
        hint = "output.token_column, output.tag_column, output.scheme"
    else:
        names, text = split_case_ids(printed)
        found = _read_words(text, set(printed.undecodable_lines))
        hint = "output.scheme"
    first, last, kinds, types = found.mentions(columns)
    lines = [list(range(low, high)) for low, high in pairwise([0, *found.end_lines])]
    records = list(map(TextRecord, found.texts(), lines, names))
    for row, start, end, kind in zip(*(c.tolist() for c in (*found.spans(first, last), kinds)), strict=True):
        records[row].mentions.append((start, end, types[kind]))
    for row, problem in found.problems.items():
        records[row].fault = Fault("garbage", add_hint(problem, hint))
    for row in found.undecodable:
        records[row].fault = ENCODING_FAULT
    return place_texts(printed, records)


def _read_words(text: str, undecodable_lines: set[int]) -> TokenLines:
    """Read lines of ``token/TAG``; the last slash separates token and tag."""
    found = TokenLines(undecodable=undecodable_lines)
    for number, line in enumerate(text.split("\n")[:-1]):
        for word in line.split():
            token, slash, tag = word.rpartition("/")
            if not slash or not token:
                lacks, has = ("tag", "token") if not slash else ("token", "tag")
                problem = describe_missing_fields("a word of token/TAG", [lacks], [has])
                found.problems.setdefault(number, f"{problem}: {shorten_value(word)}")
                token, tag = word, "O"
            found.tokens.append(token.encode())
            found.tags.append(tag.encode())
        found.end_text(number + 1)
    return found
