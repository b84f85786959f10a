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
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from ...catalogues.core.arrays import bounds
from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_bytes, write_bytes
from ...catalogues.core.limits import Cost
from ...catalogues.core.text import Ints, TextColumn
from ...catalogues.core.tokens import RULES, Rule, Tokens, tokenise
from ..corpus import Corpus
from ..spans import spans_of
from .base import (
    DEFAULT_TYPE,
    Carries,
    Format,
    Options,
    nestable,
    numbered,
    refuse_line_breaks,
    refuse_without_tokens,
)
from .build import Draft, assemble
from .iob import INSIDE, OUT, SCHEMES, Scheme, decode, encode, parse_tags
from .overlay import Respaced, lay_over
from .records import TOO_LONG, found_in, missing_fields
from .textlines import read_lines_bytes, split_lines

_MARK = b"-DOCSTART-"
_DOCUMENT = b"###MEDLINE:"  # JNLPBA: the id of the document that begins here
_COMMENT = re.compile(rb"# (text|text_id|document_id) = (.*)", re.DOTALL)
ALLOWED = "token, tab or blank, tag"


@dataclass(frozen=True)
class Columns:
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
        One-based line of every token; of strictly read files.
    comments : list of dict
        What the ``# key = value`` lines of each text say; of strictly read files.
    broken : dict of int to str
        Texts with a line that could not be read, or a tag that is none, and the first such problem.
    damaged : set of int
        Texts with a line of another encoding.
    ends : list of int
        The number of lines up to the end of each text.
    """

    tokens: list[bytes] = field(default_factory=list)
    tags: list[bytes] = field(default_factory=list)
    bounds: list[int] = field(default_factory=lambda: [0])
    lines: list[int] = field(default_factory=list)
    comments: list[dict[str, str]] = field(default_factory=list)
    broken: dict[int, str] = field(default_factory=dict)
    damaged: set[int] = field(default_factory=set)
    ends: list[int] = field(default_factory=list)

    @property
    def record(self) -> int:
        """The text that is being read."""
        return len(self.bounds) - 1

    def end(self, lines: int) -> None:
        """End the text after a number of lines."""
        self.bounds.append(len(self.tokens))
        self.ends.append(lines)

    def mentions(self, columns: Columns) -> tuple[Ints, Ints, Ints, list[str], Ints]:
        """First token, one past the last, and type of each mention; the types; the tokens with a bad tag."""
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
            if text not in self.broken:
                self.broken[text] = _no_tag(self.tokens[token], self.tags[token], columns)
        return *decode(prefix[codes], kind[codes], bounds), types, bad

    def texts(self) -> list[str]:
        """The tokens of each text joined by one blank."""
        return [b" ".join(self.tokens[a:b]).decode() for a, b in pairwise(self.bounds)]

    def spans(self, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
        """Text row and half-open code point span, in `texts`, of spans of tokens."""
        edges = np.array(self.bounds, dtype=np.int64)
        # where each token, with the blank after it, begins in all texts end to end
        sizes = (len(t.decode()) + 1 for t in self.tokens)
        place = bounds(np.fromiter(sizes, np.int64, count=len(self.tokens)))
        rows = np.searchsorted(edges, first, side="right") - 1
        base = place[edges[rows]] if len(rows) else rows
        starts = place[first] - base
        ends = place[last] - 1 - base
        return rows.astype(np.int64), starts.astype(np.int64), ends.astype(np.int64)


def parse(
    content: bytes,
    columns: Columns | None = None,
    *,
    strict: bool = True,
    file: str | PathLike[str] | None = None,
    cut: Collection[int] = (),
    wrong: Collection[int] = (),
) -> TokenLines:
    """Read token lines, with an empty line after each text; columns are parted by tabs, else by blanks.

    Strictly read, runs of empty lines are one, a file with tabs has them in every line and may have lines of
    comment, and the first problem is raised. In a tagger's output two empty lines in succession are a text
    without tokens between them, and the texts with problems are noted.

    Parameters
    ----------
    content : bytes
        UTF-8.
    columns : Columns, optional
    strict : bool
    file : path, optional
        For messages.
    cut, wrong : collection of int
        Lines, counted from 0, that were cut off for they are too long, and those of another encoding.
    """
    columns = columns or Columns()
    found = TokenLines()
    tabbed = strict and b"\t" in content
    needed = max(c + 1 if c >= 0 else -c for c in (columns.token, columns.tag))
    fields: dict[str, str] = {}
    first_line = 0
    document: dict[str, str] = {}
    filled = heading = False
    for number, line in enumerate(split_lines(content)):
        if number in wrong:
            found.damaged.add(found.record)
        if number in cut:
            found.broken.setdefault(found.record, TOO_LONG)
        if line.startswith(_MARK) or (strict and line.startswith(_DOCUMENT) and len(line.split()) == 1):
            # a line of its own, with its own blank line
            heading = True
            if line.startswith(_DOCUMENT):
                document = {"document_id": line.removeprefix(_DOCUMENT).decode().strip()}
            continue
        comment = _COMMENT.fullmatch(line) if tabbed and not filled else None
        if comment is not None:
            first_line = first_line if fields else number + 1
            fields[comment[1].decode()] = comment[2].decode()
            continue
        cells = line.split(b"\t") if tabbed or b"\t" in line else line.split()
        if not line.strip() and (strict or not cells):
            if fields:
                raise _lone(fields, first_line, file)
            if filled or (number > 0 and not heading and not strict):
                found.end(number + 1)
            filled = heading = False
            continue
        if strict and (len(cells) < 2 or not cells[columns.token].decode().strip() or not cells[columns.tag]):
            raise InputError(
                "a token without a tag", file=file, line=number + 1, found=line.decode(), allowed=ALLOWED
            )
        if strict and not filled:
            found.comments.append(document | fields)
            fields = {}
        if len(cells) >= max(needed, 2):
            found.tokens.append(cells[columns.token])
            found.tags.append(cells[columns.tag].strip())
            if strict:
                found.lines.append(number + 1)
        else:
            found.broken.setdefault(found.record, _no_column(line, cells, columns))
        filled = True
    if fields:
        raise _lone(fields, first_line, file)
    if filled:
        found.end(number + 1)
    return found


def _no_tag(token: bytes, tag: bytes, columns: Columns) -> str:
    """What is wrong with the tag of a token."""
    if not tag:
        return f"{missing_fields('a token line', ['tag'], ['token'])}: {found_in(token.decode())}"
    return f"not a tag of scheme {columns.scheme}: {found_in(tag.decode())}"


def _no_column(line: bytes, cells: list[bytes], columns: Columns) -> str:
    """Which of token and tag a line has no column for; one of a single column has a token."""
    named = {f"token (column {columns.token})": columns.token, f"tag (column {columns.tag})": columns.tag}
    known = [name for name, place in named.items() if -len(cells) <= place < len(cells)]
    if len(cells) == 1:
        known = known[:1]
    missing = [name for name in named if name not in known]
    return f"{missing_fields('a token line', missing, known)}: {found_in(line.decode())}"


def _lone(fields: dict[str, str], line: int, file: str | PathLike[str] | None) -> InputError:
    key, value = next(iter(fields.items()))
    return InputError("a comment line that no text follows", file=file, line=line, found=f"{key} = {value}")


def read(path: Path, options: Options) -> Corpus:  # noqa: ARG001 - a reader's signature
    """Read a file of token lines."""
    content = read_lines_bytes(path, "token lines")
    return _corpus(parse(content, file=path), path, digest_bytes(content))


def read_predictions(path: Path, gold: Corpus, options: Options) -> Corpus:  # noqa: ARG001
    """Lay the mentions over the gold's texts: by the ids of the comment lines, or without any by order."""
    content = read_lines_bytes(path, "token lines")
    found = parse(content, file=path)
    by_id = any("text_id" in c for c in found.comments)
    return lay_over(_corpus(found, path, digest_bytes(content)), gold, by_id=by_id, file=path)


def _corpus(found: TokenLines, path: Path, digest: str) -> Corpus:
    if not found.tokens:
        raise InputError("no token lines", file=path, allowed=ALLOWED)
    first, last, kinds, names, bad = found.mentions(Columns())
    if len(bad):
        raise InputError(
            "not a tag",
            file=path,
            line=found.lines[bad[0]],
            found=found.tags[bad[0]].decode(),
            allowed="O, or B I E S with -TYPE",
        )
    texts = found.texts()
    rows, starts, ends = found.spans(first, last)
    ids = [c.get("text_id", str(i)) for i, c in enumerate(found.comments)]
    draft = Draft(ids, texts, [c.get("document_id", "") for c in found.comments])
    given = [c.get("text") for c in found.comments]
    if any(t is not None for t in given):
        whole = [joined if t is None else t for t, joined in zip(given, texts, strict=True)]
        respaced = Respaced(texts, whole)
        i = respaced.unlike()
        if i is not None:
            raise InputError(
                "the tokens are not those of the text above them",
                file=path,
                line=found.lines[found.bounds[i]],
                found=texts[i],
                allowed=whole[i],
            )
        starts, ends = respaced.spans(rows, starts, ends)
        draft.texts = whole
    draft.rows, draft.starts, draft.ends = rows, starts, ends
    draft.types = [names[k] or DEFAULT_TYPE for k in kinds.tolist()]
    draft.lines = [found.lines[i] for i in first.tolist()] if len(first) else None
    return assemble(draft, name=f"conll:{path.name}", digest=digest, file=path)


def tokeniser(options: Options, points: TextColumn) -> Tokens:
    """Tokens by the rule that the options name."""
    rule: Rule = "whitespace" if options.get("tokeniser") == "whitespace" else "notions"
    return tokenise(points, rule)


def _token_spans(corpus: Corpus, tokens: Tokens) -> tuple[np.ndarray, Ints, Ints]:
    """Which mentions are kept (no overlap in characters, then none in tokens), and their token spans."""
    first, last = tokens.touched(*spans_of(corpus.texts, corpus.mentions))
    kept = np.flatnonzero(nestable(corpus, flat=True) & (last > first))
    kept = kept[np.argsort(first[kept], kind="stable")]
    fits, reach = [], 0
    for begin, end in zip(first[kept].tolist(), last[kept].tolist(), strict=True):
        # two mentions that meet inside one token: the later gives way
        fits.append(begin >= reach)
        reach = end if fits[-1] else reach
    return kept[np.array(fits, dtype=bool)], first, last


def serialise(corpus: Corpus, options: Options, file: str | PathLike[str] | None = None) -> str:
    """Token lines of a corpus; see `write`."""
    FORMAT.check_options(options)
    refuse_line_breaks(corpus, "conll")
    scheme: Scheme = next((s for s in SCHEMES if s == options.get("scheme")), "iob2")
    listed = corpus.texts["text"].tolist()
    points = TextColumn(listed)
    tokens = tokeniser(options, points)
    refuse_without_tokens(corpus, np.diff(tokens.bounds), file, "conll")
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
        fields = zip(corpus.texts["text_id"], corpus.texts["document_id"], listed, blocks, strict=True)
        blocks = [f"# text_id = {i}\n# document_id = {d}\n# text = {t}\n{b}" for i, d, t, b in fields]
    return "\n\n".join(blocks) + "\n\n"


def write(corpus: Corpus, path: Path, options: Options) -> None:
    """Write a token a line; see the options."""
    write_bytes(path, serialise(corpus, options, path).encode())


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
    choices={"scheme": SCHEMES, "tokeniser": RULES},
    carries=Carries(text_ids=True, document_ids=True, nesting="flat"),
    more_losses=more_losses,
    cost=Cost(signs={b"\n": 260}),
)
