"""Output by tokens: CoNLL columns with a token a line, or ``IL-2/NN gene/NN`` with a text a line."""

from __future__ import annotations

from itertools import pairwise

from ....sentences.formats.conll import Columns, TokenLines, parse
from ....sentences.formats.problems import found_in, missing_fields
from ..outcomes import Fault
from .parse import Printed
from .placed import Placed
from .texts import ENCODING, TextRecord, add_hint, place_texts, split_names


def read(printed: Printed) -> Placed:
    """Read tokens with their tags."""
    form = printed.form
    columns = Columns(form.token_column, form.tag_column, form.scheme, form.outside)
    if form.form == "conll":
        found = parse(printed.text, columns, wrong=printed.wrong)
        names: list[str | None] = [None] * len(found.ends)
        hint = "output.token_column, output.tag_column, output.scheme"
    else:
        names, text = split_names(printed)
        found = _read_words(text, set(printed.wrong))
        hint = "output.scheme"
    first, last, kinds, types = found.mentions(columns)
    lines = [list(range(low, high)) for low, high in pairwise([0, *found.ends])]
    records = list(map(TextRecord, found.texts(), lines, names))
    for row, start, end, kind in zip(*(c.tolist() for c in (*found.spans(first, last), kinds)), strict=True):
        records[row].mentions.append((start, end, types[kind]))
    for row, problem in found.broken.items():
        records[row].fault = Fault("garbage", add_hint(problem, hint))
    for row in found.damaged:
        records[row].fault = ENCODING
    return place_texts(printed, records)


def _read_words(text: str, wrong: set[int]) -> TokenLines:
    """Read lines of ``token/TAG``; the tag is what follows the last slash."""
    found = TokenLines(damaged=wrong)
    for number, line in enumerate(text.split("\n")[:-1]):
        for word in line.split():
            token, slash, tag = word.rpartition("/")
            if not slash or not token:
                lacks, has = ("tag", "token") if not slash else ("token", "tag")
                problem = missing_fields("a word of token/TAG", [lacks], [has])
                found.broken.setdefault(number, f"{problem}: {found_in(word)}")
                token, tag = word, "O"
            found.tokens.append(token.encode())
            found.tags.append(tag.encode())
        found.end(number + 1)
    return found
