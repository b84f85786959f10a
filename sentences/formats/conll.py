r"""CoNLL: a token a line with its tag in the last column, an empty line between texts.

Tags are IOB1, IOB2 or IOBES; reading takes them all by one rule. The text is the tokens joined by one blank,
unless a line ``# text = …`` before the first token gives it; ``# text_id = …`` and ``# document_id = …`` give
the ids, and ``###MEDLINE:ID`` (JNLPBA) the document id of all texts up to the next such line. Writing splits
texts by the tokeniser that option ``tokeniser`` names: `notions` (``[^\W_]+|[^\w\s]|_``, the tokens that the
notions of correctness count, and those of the CoNLL edition of BioCreative II) or `whitespace`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from ...catalogues.core.arrays import bounds_from_lengths
from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_bytes
from ...catalogues.core.text import Ints, TextColumn
from ...catalogues.core.tokens import TOKEN_RULES, TokenRule, Tokens, tokenise
from ..corpus import Corpus
from ..spans import locate_spans
from .base import (
    DEFAULT_TYPE,
    CorpusFormat,
    FormatOptions,
    mark_nestable,
    read_lines_bytes,
    refuse_line_breaks,
    refuse_without_tokens,
    split_lines,
)
from .draft import Draft, assemble_corpus
from .iob import INSIDE, OUT, SCHEMES, Scheme, decode_tags, encode_tags, parse_tags
from .predictions import RespacedTexts, place_over_gold
from .problems import describe_missing_fields, shorten_value

_DOCUMENT_START = b"-DOCSTART-"
_DOCUMENT = re.compile(rb"###MEDLINE:(\S+)\s*")  # JNLPBA: the id of the document that begins here
_COMMENT = re.compile(rb"# (text|text_id|document_id) = (.*)", re.DOTALL)
EXPECTED_LINE = "token, tab or blank, tag"


@dataclass(frozen=True)
class ColumnLayout:
    """Where token and tag stand, and how tags are read.

    Attributes
    ----------
    token, tag : int
        Columns, counted from 0, or from the end when negative.
    scheme : str
        ``io``: each run of one tag is a mention. All others are read by one rule.
    outside : collection of str
        Tags that mean *not in a mention*.
    """

    token: int = 0
    tag: int = -1
    scheme: str = "iob2"
    outside: Collection[str] = ("O",)


@dataclass
class TokenLines:
    """Tokens and tags of all texts, one after the other.

    Attributes
    ----------
    tokens, tags : list of bytes
    bounds : list of int
        Tokens of text `i` are ``bounds[i]:bounds[i + 1]``.
    lines : list of int
        One-based line of every token.
    comments : list of dict
        What the ``# key = value`` lines of each text say, and its ``document_id`` from the lines above.
    problems : dict of int to str
        Texts with a line that could not be read, or a tag that is none, and the first such problem.
    undecodable : set of int
        Texts with a line of another encoding.
    end_lines : list of int
        The number of lines up to the end of each text.
    problem_lines : dict of int to int
        The line of each text's problem.
    """

    tokens: list[bytes] = field(default_factory=list)
    tags: list[bytes] = field(default_factory=list)
    bounds: list[int] = field(default_factory=lambda: [0])
    lines: list[int] = field(default_factory=list)
    comments: list[dict[str, str]] = field(default_factory=list)
    problems: dict[int, str] = field(default_factory=dict)
    undecodable: set[int] = field(default_factory=set)
    end_lines: list[int] = field(default_factory=list)
    problem_lines: dict[int, int] = field(default_factory=dict)

    @property
    def current_text(self) -> int:
        """The text that is being read."""
        return len(self.bounds) - 1

    def end_text(self, lines: int, comments: dict[str, str] | None = None) -> None:
        """End the text after a number of lines."""
        self.bounds.append(len(self.tokens))
        self.end_lines.append(lines)
        self.comments.append(comments or {})

    def note_problem(self, text: int, line: int, problem: str) -> None:
        """Note the first problem of a text."""
        self.problems.setdefault(text, problem)
        self.problem_lines.setdefault(text, line)

    def drop_empty(self) -> None:
        """Drop the texts without tokens."""
        kept = [i for i, (first, last) in enumerate(pairwise(self.bounds)) if last > first]
        self.comments = [self.comments[i] for i in kept]
        self.bounds = [0, *(self.bounds[i + 1] for i in kept)]

    def mentions(self, columns: ColumnLayout) -> tuple[Ints, Ints, Ints, list[str]]:
        """First token, one past the last, and type of each mention; the types. Notes tags that are none."""
        codes, distinct = pd.factorize(np.array(self.tags, dtype=object))
        words = [tag.decode() for tag in distinct]
        outside = set(columns.outside)
        if columns.scheme == "io":
            types = sorted({w for w in words if w not in outside})
            place = {t: i for i, t in enumerate(types)}
            prefix = np.array([OUT if w in outside else INSIDE for w in words], dtype=np.int8)
            kind = np.array([place.get(w, 0) for w in words], dtype=np.int64)
            wrong = np.array([w == "" and w not in outside for w in words], dtype=bool)
        else:
            prefix, kind, types, wrong = parse_tags(["O" if w in outside else w for w in words])
        bad = np.flatnonzero(wrong[codes])
        bounds = np.array(self.bounds, dtype=np.int64)
        texts = (np.searchsorted(bounds, bad, side="right") - 1).tolist()
        for text, token in zip(texts, bad.tolist(), strict=True):
            line = self.lines[token] if self.lines else text + 1
            self.note_problem(text, line, _describe_bad_tag(self.tokens[token], self.tags[token], columns))
        return *decode_tags(prefix[codes], kind[codes], bounds), types

    def texts(self) -> list[str]:
        """The tokens of each text joined by one blank."""
        return [b" ".join(self.tokens[a:b]).decode() for a, b in pairwise(self.bounds)]

    def spans(self, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
        """Text row and half-open code point span, in `texts`, of spans of tokens."""
        edges = np.array(self.bounds, dtype=np.int64)
        # where each token, with the blank after it, begins in all texts end to end
        sizes = (len(t.decode()) + 1 for t in self.tokens)
        place = bounds_from_lengths(np.fromiter(sizes, np.int64, count=len(self.tokens)))
        rows = np.searchsorted(edges, first, side="right") - 1
        base = place[edges[rows]] if len(rows) else rows
        starts = place[first] - base
        ends = place[last] - 1 - base
        return rows.astype(np.int64), starts.astype(np.int64), ends.astype(np.int64)


def parse(
    content: bytes,
    columns: ColumnLayout | None = None,
    *,
    undecodable_lines: Collection[int] = (),
) -> TokenLines:
    """Read token lines. An empty line ends a text, so two of them enclose a text without tokens.

    Parameters
    ----------
    content : bytes
        UTF-8.
    columns : Columns, optional
        By default the token is in the first column and the tag in the last.
    undecodable_lines : collection of int
        Lines, counted from 0, that are in another encoding.
    """
    columns = columns or ColumnLayout()
    found = TokenLines()
    is_tabbed = b"\t" in content
    needed = max(2, *(c + 1 if c >= 0 else -c for c in (columns.token, columns.tag)))
    document: dict[str, str] = {}
    comments: dict[str, str] = {}
    filled = heading = False
    number = 0

    def end_text() -> None:
        if comments and not filled:
            found.note_problem(found.current_text, number, "comment lines that no text follows")
        found.end_text(number, document | comments)
        comments.clear()

    for number, line in enumerate(split_lines(content), start=1):
        if number - 1 in undecodable_lines:
            found.undecodable.add(found.current_text)
        if line.startswith(_DOCUMENT_START):
            heading = True
        elif head := _DOCUMENT.fullmatch(line):
            heading, document = True, {"document_id": head[1].decode()}
        elif is_tabbed and not filled and (comment := _COMMENT.fullmatch(line)):
            comments[comment[1].decode()] = comment[2].decode()
        elif not line.strip():
            # the empty line below a heading belongs to it
            if filled or comments or (number > 1 and not heading):
                end_text()
            filled = heading = False
        else:
            cells = line.split(b"\t") if b"\t" in line else line.split()
            if len(cells) >= needed:
                found.tokens.append(cells[columns.token])
                found.tags.append(cells[columns.tag].strip())
                found.lines.append(number)
            else:
                found.note_problem(found.current_text, number, _describe_missing_column(line, cells, columns))
            filled = True
    if filled or comments:
        end_text()
    return found


def _describe_bad_tag(token: bytes, tag: bytes, columns: ColumnLayout) -> str:
    """What is wrong with the tag of a token."""
    if not tag:
        return (
            f"{describe_missing_fields('a token line', ['tag'], ['token'])}: {shorten_value(token.decode())}"
        )
    return f"not a tag of scheme {columns.scheme}: {shorten_value(tag.decode())}"


def _describe_missing_column(line: bytes, cells: list[bytes], columns: ColumnLayout) -> str:
    """Which of token and tag a line has no column for; one of a single column has a token."""
    named = {f"token (column {columns.token})": columns.token, f"tag (column {columns.tag})": columns.tag}
    known = [name for name, place in named.items() if -len(cells) <= place < len(cells)]
    if len(cells) == 1:
        known = known[:1]
    missing = [name for name in named if name not in known]
    return f"{describe_missing_fields('a token line', missing, known)}: {shorten_value(line.decode())}"


def read(path: Path, options: FormatOptions) -> Corpus:  # noqa: ARG001 - a reader's signature
    """Read a file of token lines."""
    return _read(path)[0]


def read_predictions(path: Path, gold: Corpus, options: FormatOptions) -> Corpus:  # noqa: ARG001
    """Lay the mentions over the gold's texts: by the ids of the comment lines, or without any by order."""
    corpus, has_ids = _read(path)
    return place_over_gold(corpus, gold, by_id=has_ids, file=path)


def _read(path: Path) -> tuple[Corpus, bool]:
    """Read a corpus; also return True if comment lines give text ids."""
    content = read_lines_bytes(path, "token lines")
    found = parse(content)
    first, last, kinds, names = found.mentions(ColumnLayout())
    if found.problems:
        text = min(found.problems)
        raise InputError(
            found.problems[text], file=path, line=found.problem_lines[text], allowed=EXPECTED_LINE
        )
    if not found.tokens:
        raise InputError("no token lines", file=path, allowed=EXPECTED_LINE)
    found.drop_empty()
    draft = Draft([c.get("text_id", str(i)) for i, c in enumerate(found.comments)], found.texts())
    draft.document_ids = [c.get("document_id", "") for c in found.comments]
    draft.rows, draft.starts, draft.ends = found.spans(first, last)
    _restore_texts(draft, found, path)
    draft.types = [names[k] or DEFAULT_TYPE for k in kinds.tolist()]
    draft.lines = [found.lines[i] for i in first.tolist()]
    made = assemble_corpus(draft, name=f"conll:{path.name}", digest=digest_bytes(content), file=path)
    return made, any("text_id" in c for c in found.comments)


def _restore_texts(draft: Draft, found: TokenLines, path: Path) -> None:
    """Replace texts of joined tokens by those that comment lines give, and move the mentions."""
    joined = list(draft.texts)
    given = [c.get("text", text) for c, text in zip(found.comments, joined, strict=True)]
    if given == joined:
        return
    respaced = RespacedTexts(joined, given)
    i = respaced.find_different_text()
    if i is not None:
        line = found.lines[found.bounds[i]]
        problem = "the tokens are not those of the text above them"
        raise InputError(problem, file=path, line=line, found=joined[i], allowed=given[i])
    spans = (np.asarray(column) for column in (draft.rows, draft.starts, draft.ends))
    draft.starts, draft.ends = respaced.convert_spans(*spans)
    draft.texts = given


def _token_spans(corpus: Corpus, tokens: Tokens) -> tuple[np.ndarray, Ints, Ints]:
    """Which mentions are kept (no overlap in characters, then none in tokens), and their token spans."""
    first, last = tokens.find_touched(*locate_spans(corpus.texts, corpus.mentions))
    kept = np.flatnonzero(mark_nestable(corpus, flat=True) & (last > first))
    kept = kept[np.argsort(first[kept], kind="stable")]
    fits, reach = [], 0
    for begin, end in zip(first[kept].tolist(), last[kept].tolist(), strict=True):
        # two mentions that meet inside one token: the later gives way
        fits.append(begin >= reach)
        reach = end if fits[-1] else reach
    return kept[np.array(fits, dtype=bool)], first, last


def format_corpus(corpus: Corpus, options: FormatOptions) -> str:
    """Token lines of a corpus; see `write`."""
    FORMAT.check_options(options)
    refuse_line_breaks(corpus, "conll")
    scheme: Scheme = next((s for s in SCHEMES if s == options.get("scheme")), "iob2")
    listed = corpus.texts["text"].tolist()
    points = TextColumn(listed)
    rule: TokenRule = "whitespace" if options.get("tokeniser") == "whitespace" else "notions"
    tokens = tokenise(points, rule)
    refuse_without_tokens(corpus, np.diff(tokens.bounds), "conll")
    kept, first, last = _token_spans(corpus, tokens)
    kinds, names = pd.factorize(corpus.mentions["type"], sort=True)
    for name in names:
        if any(c.isspace() for c in name):
            raise InputError("a type with white space, which format conll cannot carry", found=name)
    tags = encode_tags(
        len(tokens), first[kept], last[kept], kinds.astype(np.int64)[kept], list(names), scheme, tokens.bounds
    )
    forms = points.slices(tokens.row, tokens.start, tokens.end)
    lines = [f"{form}\t{tag}" for form, tag in zip(forms, tags, strict=True)]
    edges = tokens.bounds.tolist()
    blocks = ["\n".join(lines[a:b]) for a, b in pairwise(edges)]
    if options.get("comments") == "yes":
        fields = zip(corpus.texts["text_id"], corpus.texts["document_id"], listed, blocks, strict=True)
        blocks = [f"# text_id = {i}\n# document_id = {d}\n# text = {t}\n{b}" for i, d, t, b in fields]
    return "\n\n".join(blocks) + "\n\n"


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
    """Write a token a line; see the options."""
    path.write_bytes(format_corpus(corpus, options).encode())


FORMAT = CorpusFormat(
    name="conll",
    title="a token and its IOB2, IOB1 or IOBES tag a line, an empty line between texts",
    place="file",
    read=read,
    write=write,
    read_predictions=read_predictions,
    options={
        "scheme": "iob2 (default), iob1 or iobes, when writing",
        "tokeniser": "notions (default) or whitespace, when writing",
        "comments": "yes: write the text and its ids as comment lines",
    },
    option_values={"scheme": SCHEMES, "tokeniser": TOKEN_RULES},
)
