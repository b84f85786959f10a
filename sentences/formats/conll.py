r"""CoNLL: a token a line with its tag in the last column, an empty line between texts.

Tags are IOB1, IOB2 or IOBES; reading takes them all by one rule. The text is the tokens joined by one blank,
unless a line ``# text = …`` before the first token gives it; ``# text_id = …`` and ``# document_id = …`` give
the ids. Writing splits texts by the tokeniser that option ``tokeniser`` names: `notions`
(``[^\W_]+|[^\w\s]|_``, the tokens that the notions of correctness count, and those of the CoNLL edition of
BioCreative II) or `whitespace`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_path, digest_bytes
from ...catalogues.core.offsets import NonSpace
from ...catalogues.core.text import TextColumn
from ...catalogues.core.tokens import Tokens, tokenise
from ..corpus import Corpus
from .base import DEFAULT_TYPE, Carries, Format, Options, nestable, numbered, refuse_line_breaks, text_rows
from .build import Draft, Integers, assemble
from .iob import SCHEMES, Scheme, decode, encode, parse_tags
from .overlay import lay_over
from .textlines import read_lines_text, split_lines

_MARK = "-DOCSTART-"
_KEYS = ("text", "text_id", "document_id")


@dataclass(frozen=True)
class Tagged:
    """Parsed token lines.

    Attributes
    ----------
    tokens : list of str
    bounds : array
        Tokens of text `i` are ``bounds[i]:bounds[i + 1]``.
    first, last, types
        Token span (half-open, in the list of all tokens) and type of each mention.
    lines : array
        One-based line of every token.
    comments : list of dict
        What the ``# key = value`` lines of each text say.
    """

    tokens: list[str]
    bounds: Integers
    first: Integers
    last: Integers
    types: list[str]
    lines: Integers
    comments: list[dict[str, str]]

    def texts(self) -> list[str]:
        """The tokens of each text joined by one blank."""
        edges = self.bounds.tolist()
        return [" ".join(self.tokens[a:b]) for a, b in pairwise(edges)]

    def spans(self) -> tuple[Integers, Integers, Integers]:
        """Text row and half-open code point span of each mention in `texts`."""
        size = np.fromiter(map(len, self.tokens), dtype=np.int64, count=len(self.tokens)) + 1
        place = np.cumsum(size) - size
        rows = np.searchsorted(self.bounds, self.first, side="right") - 1
        base = place[self.bounds[rows]] if len(rows) else rows
        starts = place[self.first] - base
        ends = place[self.last - 1] + size[self.last - 1] - 1 - base
        return rows.astype(np.int64), starts.astype(np.int64), ends.astype(np.int64)


def parse_text(text: str, file: str | PathLike[str] | None = None) -> Tagged:
    """Parse token lines; columns are parted by tabs, or by blanks in a file without tabs.

    Raises
    ------
    InputError
        With file and line: a token without a tag, or a tag that is no tag.
    """
    column = pa.array(split_lines(text), type=pa.large_string())
    tabbed = "\t" in text
    blank = _mask(pc.equal(pc.utf8_trim(column, characters=" \t\r"), ""))
    said = _comments(column, blank) if tabbed and "\n# " in "\n" + text else {}
    skipped = _mask(pc.starts_with(column, pattern=_MARK)) | blank
    skipped[list(said)] = True
    numbers = np.flatnonzero(~skipped)
    chosen = column.take(pa.array(numbers))
    cells = (
        pc.split_pattern(chosen, "\t") if tabbed else pc.ascii_split_whitespace(pc.ascii_trim(chosen, " \r"))
    )
    edge = cells.offsets.to_numpy()
    # the first cell is the token, the last the tag
    first_cell, last_cell = cells.values.take(pa.array(edge[:-1])), cells.values.take(pa.array(edge[1:] - 1))
    empty = pc.or_(pc.equal(pc.utf8_trim_whitespace(first_cell), ""), pc.equal(last_cell, ""))
    wrong = (np.diff(edge) < 2) | _mask(empty)
    if wrong.any():
        i = int(numbers[int(np.argmax(wrong))])
        raise InputError(
            "a token without a tag",
            file=file,
            line=i + 1,
            found=column[i].as_py(),
            allowed="token, tab or blank, tag",
        )
    tokens: list[str] = first_cell.to_pylist()
    tags = pd.Series(last_cell, dtype="str")
    if not len(numbers):
        raise InputError("no token lines", file=file, allowed="token, tab or blank, tag")
    # a text is a run of token lines between empty lines
    section = np.cumsum(blank)[numbers]
    heads = np.flatnonzero(np.concatenate([[True], section[1:] != section[:-1]])) if len(numbers) else numbers
    edges = np.append(heads, len(numbers)).astype(np.int64)
    comments: list[dict[str, str]] = [{} for _ in heads]
    for line, (key, value) in said.items():
        place = int(np.searchsorted(numbers, line))
        text_number = int(np.searchsorted(heads, place, side="right")) - 1
        if place == len(numbers) or heads[text_number] != place:
            raise InputError(
                "a comment line that no text follows", file=file, line=line + 1, found=f"{key} = {value}"
            )
        comments[text_number][key] = value
    prefix, kind, names, bad = parse_tags(tags)
    if bad >= 0:
        raise InputError(
            "not a tag",
            file=file,
            line=int(numbers[bad]) + 1,
            found=tags[bad],
            allowed="O, or B I E S with -TYPE",
        )
    first, last, kinds = decode(prefix, kind, edges)
    types = [names[k] or DEFAULT_TYPE for k in kinds.tolist()]
    return Tagged(tokens, edges, first, last, types, (numbers + 1).astype(np.int64), comments)


def _mask(values: pa.Array) -> NDArray[np.bool_]:
    made: NDArray[np.bool_] = np.array(values.to_numpy(zero_copy_only=False), dtype=bool)
    return made


def _comments(column: pa.Array, blank: NDArray[np.bool_]) -> dict[int, tuple[str, str]]:
    """The ``# key = value`` lines at the head of texts, by line."""
    starts = np.zeros(len(column), dtype=bool)
    for key in _KEYS:
        starts |= _mask(pc.starts_with(column, pattern=f"# {key} = "))
    said: dict[int, tuple[str, str]] = {}
    for line in np.flatnonzero(starts).tolist():
        if line == 0 or blank[line - 1] or line - 1 in said:
            key, _, value = column[line].as_py()[2:].partition(" = ")
            said[line] = (key, value)
    return said


def read(path: Path, options: Options) -> Corpus:  # noqa: ARG001 - a reader's signature
    """Read a file of token lines."""
    content = read_lines_text(path, "token lines")
    return _corpus(parse_text(content, path), path, digest_bytes(content.encode()))


def read_predictions(path: Path, gold: Corpus, options: Options) -> Corpus:  # noqa: ARG001
    """Lay the mentions over the gold's texts: by the ids of the comment lines, or without any by order."""
    content = read_lines_text(path, "token lines")
    found = parse_text(content, path)
    by_id = any("text_id" in c for c in found.comments)
    return lay_over(_corpus(found, path, digest_bytes(content.encode())), gold, by_id=by_id, file=path)


def _corpus(found: Tagged, path: Path, digest: str) -> Corpus:
    texts = found.texts()
    rows, starts, ends = found.spans()
    ids = [c.get("text_id", str(i)) for i, c in enumerate(found.comments)]
    draft = Draft(ids, texts, [c.get("document_id", "") for c in found.comments])
    given = [c.get("text") for c in found.comments]
    if any(t is not None for t in given):
        whole = [joined if t is None else t for t, joined in zip(given, texts, strict=True)]
        here, there = NonSpace(TextColumn(texts)), NonSpace(TextColumn(whole))
        for i, (a, b) in enumerate(zip(here.squeezed(), there.squeezed(), strict=True)):
            if a != b:
                raise InputError(
                    "the tokens are not those of the text above them",
                    file=path,
                    line=int(found.lines[found.bounds[i]]),
                    found=texts[i],
                    allowed=whole[i],
                )
        starts, ends = there.spans(rows, *here.numbers(rows, starts, ends))
        draft.texts = whole
    draft.rows, draft.starts, draft.ends, draft.types = rows, starts, ends, found.types
    draft.lines = found.lines[found.first] if len(found.first) else None
    return assemble(draft, name=f"conll:{path.name}", digest=digest, file=path)


def tokeniser(options: Options, points: TextColumn) -> Tokens:
    """Tokens by the rule that the options name."""
    rule = options.get("tokeniser", "notions")
    if rule not in ("notions", "whitespace"):
        raise InputError("unknown tokeniser", found=rule, allowed="notions, whitespace")
    return tokenise(points, "whitespace" if rule == "whitespace" else "notions")


def _scheme(options: Options) -> Scheme:
    wanted = options.get("scheme", "iob2")
    for scheme in SCHEMES:
        if wanted == scheme:
            return scheme
    raise InputError("unknown scheme of tags", found=wanted, allowed=", ".join(SCHEMES))


def _token_spans(corpus: Corpus, tokens: Tokens) -> tuple[np.ndarray, Integers, Integers]:
    """Which mentions are kept (no overlap in characters, then none in tokens), and their token spans."""
    rows = text_rows(corpus, corpus.mentions["text_id"])
    starts = corpus.mentions["start"].to_numpy(dtype=np.int64)
    ends = corpus.mentions["end"].to_numpy(dtype=np.int64)
    first, last = tokens.touched(rows, starts, ends)
    kept = np.flatnonzero(nestable(corpus, flat=True) & (last > first))
    kept = kept[np.argsort(first[kept], kind="stable")]
    while True:
        # two mentions that meet inside one token: the later gives way
        clash = np.flatnonzero(first[kept][1:] < last[kept][:-1]) + 1
        if not len(clash):
            return kept, first, last
        kept = np.delete(kept, clash[:1] if len(clash) < 64 else clash)


def serialise(corpus: Corpus, options: Options, file: str | PathLike[str] | None = None) -> str:
    """Token lines of a corpus; see `write`."""
    refuse_line_breaks(corpus, "conll")
    scheme = _scheme(options)
    listed = corpus.texts["text"].tolist()
    points = TextColumn(listed)
    tokens = tokeniser(options, points)
    sizes = np.diff(tokens.bounds)
    if (sizes == 0).any():
        empty = corpus.texts["text_id"].iloc[int(np.argmin(sizes))]
        raise InputError("a text without tokens, which format conll cannot carry", file=file, found=empty)
    kept, first, last = _token_spans(corpus, tokens)
    kinds, names = pd.factorize(corpus.mentions["type"], sort=True)
    for name in names:
        if any(c.isspace() for c in name):
            raise InputError(
                "a type with white space, which format conll cannot carry", file=file, found=name
            )
    tags = encode(
        len(tokens), first[kept], last[kept], kinds.astype(np.int64)[kept], list(names), scheme, tokens.bounds
    )
    forms = points.slices(tokens.row, tokens.start, tokens.end)
    lines = [f"{form}\t{tag}" for form, tag in zip(forms, tags, strict=True)]
    edges = tokens.bounds.tolist()
    blocks = ["\n".join(lines[a:b]) for a, b in pairwise(edges)]
    if options.get("comments") == "yes":
        said = zip(corpus.texts["text_id"], corpus.texts["document_id"], listed, blocks, strict=True)
        blocks = [f"# text_id = {i}\n# document_id = {d}\n# text = {t}\n{b}" for i, d, t, b in said]
    return "\n\n".join(blocks) + "\n\n"


def write(corpus: Corpus, path: Path, options: Options) -> None:
    """Write a token a line; see the options."""
    content = serialise(corpus, options, path)
    with atomic_path(path) as temporary:
        temporary.write_bytes(content.encode())


def more_losses(corpus: Corpus, options: Options) -> list[str]:
    """Edges inside tokens, and what the comment lines would have kept."""
    points = TextColumn(corpus.texts["text"].tolist())
    tokens = tokeniser(options, points)
    lost = []
    if options.get("comments") != "yes":
        listed = corpus.texts["text"].tolist()
        forms = points.slices(tokens.row, tokens.start, tokens.end)
        edges = tokens.bounds.tolist()
        joined = [" ".join(forms[a:b]) for a, b in pairwise(edges)]
        respaced = sum(a != b for a, b in zip(listed, joined, strict=True))
        if not numbered(corpus.texts):
            lost.append(f"{len(listed)} text ids (read back as running numbers; comments=yes keeps them)")
        if (corpus.texts["document_id"] != "").any():
            lost.append("document ids (comments=yes keeps them)")
        if respaced:
            lost.append(
                f"{respaced} texts whose white space is not one blank between tokens (comments=yes keeps it)"
            )
    kept, first, last = _token_spans(corpus, tokens)
    starts = corpus.mentions["start"].to_numpy(dtype=np.int64)[kept]
    ends = corpus.mentions["end"].to_numpy(dtype=np.int64)[kept]
    moved = int(((tokens.start[first[kept]] != starts) | (tokens.end[last[kept] - 1] != ends)).sum())
    if moved:
        lost.append(f"{moved} mentions with an edge inside a token (widened to whole tokens)")
    gone = int(nestable(corpus, flat=True).sum()) - len(kept)
    if gone:
        lost.append(f"{gone} mentions that share a token with another, or touch none (left out)")
    return lost


FORMAT = Format(
    name="conll",
    title="a token and its IOB2, IOB1 or IOBES tag a line, an empty line between texts",
    place="file",
    read=read,
    write=write,
    predictions=read_predictions,
    options={
        "scheme": "iob2 (default), iob1 or iobes, when writing",
        "tokeniser": "notions (default) or whitespace, when writing",
        "comments": "yes: write the text and its ids as comment lines",
    },
    choices={"scheme": SCHEMES, "tokeniser": ("notions", "whitespace")},
    carries=Carries(text_ids=True, document_ids=True, nesting="flat"),
    more_losses=more_losses,
)
