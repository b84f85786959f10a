r"""CoNLL format: one token per line with its tag in the last column, and an empty line between texts.

Tags can be IOB1, IOB2 or IOBES; all three schemes are decoded in the same way. The text is given by a line
``# text = …`` before the first token. Without this line, the tokens are joined with spaces. The lines
``# text_id = …`` and ``# document_id = …`` give the ids, and a line ``###MEDLINE:ID`` (JNLPBA) gives the
document id of the following texts. The writer splits texts at white space (``tokeniser=whitespace``) or into
tokens that match ``[^\W_]+|[^\w\s]|_`` (``tokeniser=notions``, the default). The latter tokens are also used
in scoring and in the CoNLL edition of BioCreative II.
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
from .iob import SCHEMES, Scheme, decode_tags, encode_tags, parse_tags
from .predictions import RespacedTexts, place_over_gold
from .problems import describe_missing_fields, shorten_value

_DOCUMENT_START = b"-DOCSTART-"
_DOCUMENT = re.compile(rb"###MEDLINE:(\S+)\s*")  # id of the following document in JNLPBA
_COMMENT = re.compile(rb"# (text|text_id|document_id) = (.*)", re.DOTALL)
EXPECTED_LINE = "token, tab or space, tag"


@dataclass(frozen=True)
class ColumnLayout:
    """Positions of the columns with tokens and tags, and the tagging scheme.

    Attributes
    ----------
    token, tag : int
        Column indexes, from 0; negative indexes count from the end.
    scheme : str
        Tagging scheme. With ``io``, consecutive tokens with the same tag are one mention. The other schemes
        are all decoded in the same way.
    outside : collection of str
        Tags of tokens outside mentions.
    """

    token: int = 0
    tag: int = -1
    scheme: str = "iob2"
    outside: Collection[str] = ("O",)


@dataclass
class TokenLines:
    """Tokens and tags of all texts, concatenated.

    Attributes
    ----------
    tokens, tags : list of bytes
        Tokens and their tags.
    bounds : list of int
        Index of the first token of each text, followed by the total number of tokens. Text `i` consists of
        the tokens ``bounds[i]:bounds[i + 1]``.
    lines : list of int
        Line number of each token, from 1.
    comments : list of dict
        Content of the ``# key = value`` lines of each text, and its ``document_id``.
    problems : dict of int to str
        First problem (unreadable line or invalid tag) in a text, keyed by text index.
    undecodable : set of int
        Indexes of texts with a line that is not UTF-8.
    end_lines : list of int
        Number of lines in the file up to the end of each text.
    problem_lines : dict of int to int
        Line number of the first problem in a text, keyed by text index.
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
        """Index of the text that is being parsed."""
        return len(self.bounds) - 1

    def end_text(self, lines: int, comments: dict[str, str] | None = None) -> None:
        """End the text that is being parsed; `lines` is the number of lines read so far."""
        self.bounds.append(len(self.tokens))
        self.end_lines.append(lines)
        self.comments.append(comments or {})

    def note_problem(self, text: int, line: int, problem: str) -> None:
        """Record a problem in a text, unless a problem is already recorded for the text."""
        self.problems.setdefault(text, problem)
        self.problem_lines.setdefault(text, line)

    def drop_empty(self) -> None:
        """Remove the texts without tokens."""
        filled = [i for i, (first, last) in enumerate(pairwise(self.bounds)) if last > first]
        self.comments = [self.comments[i] for i in filled]
        self.bounds = [0, *(self.bounds[i + 1] for i in filled)]

    def mentions(self, columns: ColumnLayout) -> tuple[Ints, Ints, Ints, list[str]]:
        """Decode the tags into mentions, and record invalid tags as problems.

        Returns
        -------
        first, last, types : arrays of int64
            First token, end (last token + 1) and index into `names` of each mention.
        names : list of str
            Entity types.
        """
        codes, distinct = pd.factorize(np.array(self.tags, dtype=object))
        words = [tag.decode() for tag in distinct]
        outside = set(columns.outside)
        inside = "I-" if columns.scheme == "io" else ""
        tags = ["O" if word in outside else word and inside + word for word in words]
        prefix, kind, types, wrong = parse_tags(tags)
        bad = np.flatnonzero(wrong[codes])
        bounds = np.array(self.bounds, dtype=np.int64)
        texts = (np.searchsorted(bounds, bad, side="right") - 1).tolist()
        for text, token in zip(texts, bad.tolist(), strict=True):
            line = self.lines[token] if self.lines else text + 1
            self.note_problem(text, line, _describe_bad_tag(self.tokens[token], self.tags[token], columns))
        return *decode_tags(prefix[codes], kind[codes], bounds), types

    def texts(self) -> list[str]:
        """Return the texts, made by joining tokens with spaces."""
        return [b" ".join(self.tokens[a:b]).decode() for a, b in pairwise(self.bounds)]

    def spans(self, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
        """Convert spans of tokens to half-open character spans, each with the index of its text."""
        edges = np.array(self.bounds, dtype=np.int64)
        # offset of each token in all texts concatenated, with a space after each token
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
    """Parse token lines; an empty line ends a text, and two empty lines enclose a text without tokens.

    Parameters
    ----------
    content : bytes
        Content of the file, in UTF-8.
    columns : ColumnLayout, optional
        Columns of token and tag; by default, the token is in the first column and the tag in the last.
    undecodable_lines : collection of int
        Numbers (from 0) of the lines that are not UTF-8.
    """
    columns = columns or ColumnLayout()
    result = TokenLines()
    is_tabbed = b"\t" in content
    needed = max(2, *(c + 1 if c >= 0 else -c for c in (columns.token, columns.tag)))
    document: dict[str, str] = {}
    comments: dict[str, str] = {}
    filled = heading = False
    number = 0

    def end_text() -> None:
        if comments and not filled:
            result.note_problem(result.current_text, number, "no tokens follow the comment lines")
        result.end_text(number, document | comments)
        comments.clear()

    for number, line in enumerate(split_lines(content), start=1):
        if number - 1 in undecodable_lines:
            result.undecodable.add(result.current_text)
        if line.startswith(_DOCUMENT_START):
            heading = True
        elif head := _DOCUMENT.fullmatch(line):
            heading, document = True, {"document_id": head[1].decode()}
        elif is_tabbed and not filled and (comment := _COMMENT.fullmatch(line)):
            comments[comment[1].decode()] = comment[2].decode()
        elif not line.strip():
            # an empty line after a document heading belongs to the heading
            if filled or comments or (number > 1 and not heading):
                end_text()
            filled = heading = False
        else:
            cells = line.split(b"\t") if b"\t" in line else line.split()
            if len(cells) >= needed:
                result.tokens.append(cells[columns.token])
                result.tags.append(cells[columns.tag].strip())
                result.lines.append(number)
            else:
                problem = _describe_missing_column(line, cells, columns)
                result.note_problem(result.current_text, number, problem)
            filled = True
    if filled or comments:
        end_text()
    return result


def _describe_bad_tag(token: bytes, tag: bytes, columns: ColumnLayout) -> str:
    if not tag:
        return (
            f"{describe_missing_fields('a token line', ['tag'], ['token'])}: {shorten_value(token.decode())}"
        )
    return f"invalid tag for scheme {columns.scheme}: {shorten_value(tag.decode())}"


def _describe_missing_column(line: bytes, cells: list[bytes], columns: ColumnLayout) -> str:
    fields = {f"token (column {columns.token})": columns.token, f"tag (column {columns.tag})": columns.tag}
    present = [name for name, place in fields.items() if -len(cells) <= place < len(cells)]
    if len(cells) == 1:
        present = present[:1]
    missing = [name for name in fields if name not in present]
    return f"{describe_missing_fields('a token line', missing, present)}: {shorten_value(line.decode())}"


def read(path: Path, options: FormatOptions) -> Corpus:  # noqa: ARG001 - a reader's signature
    """Read a CoNLL file."""
    return _read(path)[0]


def read_predictions(path: Path, gold: Corpus, options: FormatOptions) -> Corpus:  # noqa: ARG001
    """Read predicted mentions; texts are matched by the ids in comment lines or, without ids, by order."""
    corpus, has_ids = _read(path)
    return place_over_gold(corpus, gold, by_id=has_ids, file=path)


def _read(path: Path) -> tuple[Corpus, bool]:
    """Return the corpus in a CoNLL file, and whether comment lines in the file give text ids."""
    content = read_lines_bytes(path, "token lines")
    lines = parse(content)
    first, last, kinds, names = lines.mentions(ColumnLayout())
    if lines.problems:
        text = min(lines.problems)
        raise InputError(
            lines.problems[text], file=path, line=lines.problem_lines[text], allowed=EXPECTED_LINE
        )
    if not lines.tokens:
        raise InputError("the file contains no token lines", file=path, allowed=EXPECTED_LINE)
    lines.drop_empty()
    draft = Draft([c.get("text_id", str(i)) for i, c in enumerate(lines.comments)], lines.texts())
    draft.document_ids = [c.get("document_id", "") for c in lines.comments]
    draft.rows, draft.starts, draft.ends = lines.spans(first, last)
    _restore_texts(draft, lines, path)
    draft.types = [names[k] or DEFAULT_TYPE for k in kinds.tolist()]
    draft.lines = [lines.lines[i] for i in first.tolist()]
    corpus = assemble_corpus(draft, name=f"conll:{path.name}", digest=digest_bytes(content), file=path)
    return corpus, any("text_id" in c for c in lines.comments)


def _restore_texts(draft: Draft, lines: TokenLines, path: Path) -> None:
    """Replace texts made from tokens with the texts in comment lines, and adjust the spans of mentions."""
    joined = list(draft.texts)
    original = [c.get("text", text) for c, text in zip(lines.comments, joined, strict=True)]
    if original == joined:
        return
    respaced = RespacedTexts(joined, original)
    i = respaced.find_different_text()
    if i is not None:
        line = lines.lines[lines.bounds[i]]
        problem = "the tokens differ from the text in the comment line"
        raise InputError(problem, file=path, line=line, found=joined[i], allowed=original[i])
    spans = (np.asarray(column) for column in (draft.rows, draft.starts, draft.ends))
    draft.starts, draft.ends = respaced.convert_spans(*spans)
    draft.texts = original


def _token_spans(corpus: Corpus, tokens: Tokens) -> tuple[np.ndarray, Ints, Ints]:
    """Select mentions that do not overlap; return their indexes, and the token spans of all mentions."""
    first, last = tokens.find_touched(*locate_spans(corpus.texts, corpus.mentions))
    candidates = np.flatnonzero(mark_nestable(corpus, flat=True) & (last > first))
    candidates = candidates[np.argsort(first[candidates], kind="stable")]
    fits, reach = [], 0
    for begin, end in zip(first[candidates].tolist(), last[candidates].tolist(), strict=True):
        # if two mentions share a token, the later one is dropped
        fits.append(begin >= reach)
        reach = end if fits[-1] else reach
    return candidates[np.array(fits, dtype=bool)], first, last


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
    """Write a CoNLL file.

    Raises
    ------
    InputError
        If a text contains a line break or no token, or a type contains white space.
    """
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
            raise InputError("format conll cannot store a type with white space", found=name)
    tags = encode_tags(
        first[kept], last[kept], kinds.astype(np.int64)[kept], list(names), scheme, tokens.bounds
    )
    forms = points.slices(tokens.row, tokens.start, tokens.end)
    lines = [f"{form}\t{tag}" for form, tag in zip(forms, tags, strict=True)]
    edges = tokens.bounds.tolist()
    blocks = ["\n".join(lines[a:b]) for a, b in pairwise(edges)]
    if options.get("comments") == "yes":
        fields = zip(corpus.texts["text_id"], corpus.texts["document_id"], listed, blocks, strict=True)
        blocks = [f"# text_id = {i}\n# document_id = {d}\n# text = {t}\n{b}" for i, d, t, b in fields]
    path.write_bytes("".join([f"{block}\n\n" for block in blocks]).encode())


FORMAT = CorpusFormat(
    name="conll",
    title="one token per line with its IOB2, IOB1 or IOBES tag, an empty line between texts",
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
