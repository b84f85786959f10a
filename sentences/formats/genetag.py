"""GENETAG: sentences of tagged tokens, spans counted in tokens.

A folder with ``TAGGED_GENE_CORPUS`` or ``TOKENIZED_CORPUS`` (``ID token/TAG token/TAG …`` a line),
``Gold.format`` and, optionally, ``Correct.Data`` (lines ``ID|first last|text``; token numbers from 0, `last`
inclusive). The text is the tokens joined by one blank. Predictions (``Test.format``) have the form of
``Gold.format``. Source: the corpus's README.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.text import Ints, TextColumn
from ...catalogues.core.tokens import Tokens, tokenise
from ..corpus import Corpus
from .base import DEFAULT_TYPE, Carries, Format, Options, absolute_spans, refuse_line_breaks, text_rows
from .bc2gm import predicted, read_gold, refuse_ids, write_files
from .build import Draft, check_ids
from .overlay import gold_rows
from .spanlines import SpanLines, refuse_outside, span_lines
from .textlines import read_lines_text, split_lines

TAGGED, PLAIN, GOLD, ALTERNATIVES = "TAGGED_GENE_CORPUS", "TOKENIZED_CORPUS", "Gold.format", "Correct.Data"
# the tag is what follows the last slash of a token
_TAG = re.compile(r"/[^/ \n]*(?=[ \n]|$)")


def parse_tagged(text: str, file: Path | None = None) -> tuple[list[str], list[str]]:
    """Ids and texts of ``ID token/TAG …`` lines; a text is its tokens joined by one blank."""
    lines = split_lines(text)
    ids, texts = [], []
    for i, (line, bare) in enumerate(zip(lines, split_lines(_TAG.sub("", text)), strict=True)):
        key, blank, rest = bare.partition(" ")
        if not blank or not rest or (line.count(" ") != line.count("/") and not _all_tagged(line)):
            raise InputError(
                "not a line of tagged tokens",
                file=file,
                line=i + 1,
                found=line,
                allowed="ID token/TAG token/TAG …",
            )
        ids.append(key)
        texts.append(" ".join(rest.split()))
    return ids, texts


def _all_tagged(line: str) -> bool:
    return all("/" in token for token in line.split()[1:])


def read(path: Path, options: Options) -> Corpus:
    """Read a folder with tagged sentences, gold and, where present, alternatives."""
    kind = options.get("type", DEFAULT_TYPE)
    source = next((path / n for n in (TAGGED, PLAIN) if (path / n).is_file()), None)
    if source is None:
        raise InputError("the sentences are missing", file=path, allowed=f"{TAGGED} or {PLAIN}")
    ids, texts = parse_tagged(read_lines_text(source, "lines ID token/TAG …"), source)
    check_ids(ids, source)
    draft = Draft(ids, texts)
    points = TextColumn(texts)
    tokens = tokenise(points, "whitespace")
    files = (source, path / GOLD, path / ALTERNATIVES)
    return read_gold(draft, points, files, lambda t, g, f: place(t, g, tokens, f), "genetag", kind)


def place(table: SpanLines, gold: Corpus, tokens: Tokens, file: Path) -> tuple[Ints, Ints, Ints]:
    """Text row and half-open code point span of every line."""
    rows = gold_rows(table.ids, gold, file, table.lines)
    base, counts = tokens.bounds[rows], np.diff(tokens.bounds)[rows]
    refuse_outside((table.last < table.first) | (table.last >= counts), table, counts, "tokens", file)
    return rows, tokens.start[base + table.first], tokens.end[base + table.last]


def read_predictions(path: Path, gold: Corpus, options: Options) -> Corpus:
    """Read a file in the form of ``Gold.format``; the tokens of the gold's texts are split at white space."""
    points = TextColumn(gold.texts["text"].tolist())
    tokens = tokenise(points, "whitespace")
    source = path / GOLD if path.is_dir() else path
    return predicted(source, gold, points, lambda t, g, f: place(t, g, tokens, f), options)


def corpus_tokens(corpus: Corpus, points: TextColumn) -> Tokens:
    """White-space tokens, cut also at the edges of the mentions, so that every mention is whole tokens."""
    _, starts, ends = absolute_spans(corpus)
    return tokenise(points, "whitespace", cuts=np.concatenate([starts, ends]))


def write(corpus: Corpus, path: Path, options: Options) -> None:
    """Write ``TAGGED_GENE_CORPUS``, ``TOKENIZED_CORPUS``, ``Gold.format`` and, if any, ``Correct.Data``."""
    refuse_line_breaks(corpus, "genetag")
    ids = corpus.texts["text_id"].astype("str")
    refuse_ids(ids, path, "genetag")
    points = TextColumn(corpus.texts["text"].tolist())
    tokens = corpus_tokens(corpus, points)
    if (np.diff(tokens.bounds) == 0).any():
        empty = ids.iloc[int(np.argmin(np.diff(tokens.bounds)))]
        raise InputError("a text without tokens, which format genetag cannot carry", file=path, found=empty)
    forms = points.slices(tokens.row, tokens.start, tokens.end)
    rows, starts, ends = (text_rows(corpus, corpus.mentions["text_id"]), *_spans(corpus.mentions))
    first, last = tokens.touched(rows, starts, ends)
    # +1 where a mention's tokens begin, -1 after they end: above zero is inside a mention
    depth = np.zeros(len(tokens) + 1, dtype=np.int64)
    np.add.at(depth, first, 1)
    np.add.at(depth, last, -1)
    inside = np.cumsum(depth)[:-1] > 0
    tagged = [f"{t}/{'NEWGENE' if i else 'TAG'}" for t, i in zip(forms, inside.tolist(), strict=True)]
    files = {
        TAGGED: _sentences(ids.tolist(), tagged, tokens),
        PLAIN: _sentences(ids.tolist(), [f"{t}/TAG" for t in forms], tokens),
    }
    for name, table in ((GOLD, corpus.mentions), (ALTERNATIVES, corpus.alternatives)):
        if table is None:
            continue
        rows = text_rows(corpus, table["text_id"])
        first, last = tokens.touched(rows, *_spans(table))
        solid = last > first
        rows, first, last = rows[solid], first[solid], last[solid]
        shown = [" ".join(forms[a:b]) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        base = tokens.bounds[rows]
        files[name] = span_lines(ids.take(rows), first - base, last - base - 1, shown)
    write_files(files, path, options)


def _spans(table: pd.DataFrame) -> tuple[Ints, Ints]:
    return table["start"].to_numpy(dtype=np.int64), table["end"].to_numpy(dtype=np.int64)


def _sentences(ids: list[str], tagged: list[str], tokens: Tokens) -> str:
    edges = tokens.bounds.tolist()
    return "".join(
        [f"{i} {' '.join(tagged[a:b])}\n" for i, a, b in zip(ids, edges[:-1], edges[1:], strict=True)]
    )


def more_losses(corpus: Corpus, options: Options) -> list[str]:  # noqa: ARG001 - a hook's signature
    """Edges inside a white-space token split it, which puts a blank into the text."""
    points = TextColumn(corpus.texts["text"].tolist())
    plain, cut = tokenise(points, "whitespace"), corpus_tokens(corpus, points)
    lost = []
    split = int((np.diff(cut.bounds) > np.diff(plain.bounds)).sum())
    if split:
        lost.append(f"{split} texts that get a blank where a mention begins or ends inside a token")
    rows = text_rows(corpus, corpus.mentions["text_id"])
    starts, ends = _spans(corpus.mentions)
    first, last = cut.touched(rows, starts, ends)
    empty = last == first
    if empty.any():
        lost.append(f"{int(empty.sum())} mentions of white space alone (left out)")
    first, last, starts, ends = first[~empty], last[~empty], starts[~empty], ends[~empty]
    moved = int(((cut.start[first] != starts) | (cut.end[last - 1] != ends)).sum())
    if moved:
        lost.append(f"{moved} mentions with white space at an edge (the edge is trimmed)")
    if corpus.alternatives is not None:
        rows = text_rows(corpus, corpus.alternatives["text_id"])
        starts, ends = _spans(corpus.alternatives)
        first, last = cut.touched(rows, starts, ends)
        solid = last > first
        wide = ~solid
        wide[solid] = (cut.start[first[solid]] != starts[solid]) | (cut.end[last[solid] - 1] != ends[solid])
        if wide.any():
            lost.append(
                f"{int(wide.sum())} alternatives with an edge inside a token (widened to whole tokens)"
            )
    return lost


FORMAT = Format(
    name="genetag",
    title="GENETAG: TAGGED_GENE_CORPUS, Gold.format, Correct.Data; predictions in the form of Gold.format",
    place="folder",
    read=read,
    write=write,
    predictions=read_predictions,
    options={
        "type": f"the type of all mentions ({DEFAULT_TYPE})",
        "force": "yes: replace the folder when writing",
    },
    carries=Carries(types=False, alternatives=True, white_space=False),
    more_losses=more_losses,
)
