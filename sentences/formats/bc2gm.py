"""BioCreative II gene mention: sentences by line, spans counted in characters that are not white space.

A folder with one ``*.in`` (``ID sentence`` a line), ``GENE.eval`` and, optionally, ``ALTGENE.eval`` (lines
``ID|first last|text``; offsets from 0, `last` inclusive; what stands after the second bar is for people).
Predictions are a file in the form of ``GENE.eval``. Source: the corpus's README.GM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_folder, digest_bytes, digest_file
from ...catalogues.core.offsets import NonSpace
from ...catalogues.core.text import Ints, TextColumn
from ..corpus import Corpus
from .base import DEFAULT_TYPE, Carries, Format, Options, refuse_line_breaks, text_rows
from .build import Draft, assemble, check_ids
from .overlay import gold_rows
from .spanlines import SpanLines, differing, parse_span_lines, refuse_outside, repeated, span_lines
from .textlines import read_lines_text, split_lines

GOLD, ALTERNATIVES = "GENE.eval", "ALTGENE.eval"
Place = Callable[[SpanLines, Corpus, Path], tuple[Ints, Ints, Ints]]
"""Text row and half-open code point span of every line of an offset file."""


def sentence_file(folder: Path) -> Path:
    """The one ``*.in`` of a folder."""
    found = sorted(folder.glob("*.in"))
    if len(found) != 1:
        raise InputError(
            "a bc2gm folder holds one *.in",
            file=folder,
            found=", ".join(p.name for p in found) or "none",
            allowed="one *.in beside GENE.eval",
        )
    return found[0]


def read(path: Path, options: Options) -> Corpus:
    """Read a folder with sentences, gold and, where present, alternatives."""
    kind = options.get("type", DEFAULT_TYPE)
    source = sentence_file(path)
    lines = split_lines(read_lines_text(source, "lines ID sentence"))
    cut = [line.partition(" ") for line in lines]
    for i, (key, blank, _) in enumerate(cut):
        if not key or not blank or "|" in key:
            raise InputError(
                "not a sentence line",
                file=source,
                line=i + 1,
                found=lines[i],
                allowed="ID, a blank, the sentence",
            )
    draft = Draft([c[0] for c in cut], [c[2] for c in cut])
    check_ids(draft.text_ids, source)
    points = TextColumn(draft.texts)
    squeezed = NonSpace(points)
    files = (source, path / GOLD, path / ALTERNATIVES)
    return read_gold(draft, points, files, lambda t, g, f: place(t, g, squeezed, f), "bc2gm", kind)


def read_gold(
    draft: Draft, points: TextColumn, files: tuple[Path, Path, Path], place_in: Place, name: str, kind: str
) -> Corpus:
    """Sentences with the mentions of the gold's file and, where it stands beside it, of the alternatives'.

    Parameters
    ----------
    draft : Draft
        The sentences.
    points : TextColumn
        Their characters.
    files : three paths
        Of sentences, gold and alternatives.
    place_in : callable
        Text row and span of each line of an offset file, in the format's own unit.
    name, kind : str
        The format, and the type of all mentions.
    """
    source, gold_file, other = files
    shell = assemble(draft, name="", digest="", file=source)
    if not gold_file.is_file():
        raise InputError(
            "the gold is missing", file=gold_file, allowed=f"{gold_file.name} beside {source.name}"
        )
    table = parse_span_lines(read_span_text(gold_file), gold_file)
    rows, starts, ends = place_in(table, shell, gold_file)
    draft.rows, draft.starts, draft.ends = rows, starts, ends
    draft.types, draft.lines = [kind] * len(rows), table.lines
    draft.notes += [*table.notes, *repeated(table, gold_file)]
    draft.notes += differing(table, points.slices(rows, starts, ends), gold_file)
    digests = [digest_file(source), digest_file(gold_file)]
    if other.is_file():
        extra = parse_span_lines(read_span_text(other), other)
        extra, notes = known_only(extra, shell, other)
        places = place_in(extra, shell, other)
        draft.alternatives = (*places, [kind] * len(extra.ids))
        draft.notes += [*extra.notes, *notes, *differing(extra, points.slices(*places), other)]
        digests.append(digest_file(other))
    digest = digest_bytes(*map(str.encode, digests))
    return assemble(draft, name=f"{name}:{source.parent.resolve().name}", digest=digest, file=gold_file)


def known_only(table: SpanLines, gold: Corpus, file: Path) -> tuple[SpanLines, list[str]]:
    """Drop, with a note, alternatives of texts that do not exist: they can make nothing acceptable."""
    known = pd.Index(gold.texts["text_id"].astype("str")).get_indexer(pd.Index(table.ids)) >= 0
    if known.all():
        return table, []
    i = int(np.argmin(known))
    first = f"first {table.ids[i]!r}, line {table.lines[i]}"
    note = f"{file.name}: {int((~known).sum())} alternatives of unknown texts dropped; {first}"
    return table.take(known), [note]


def place(table: SpanLines, gold: Corpus, squeezed: NonSpace, file: Path) -> tuple[Ints, Ints, Ints]:
    """Text row and half-open code point span of every line."""
    rows = gold_rows(table.ids, gold, file, table.lines)
    starts, ends = squeezed.spans(rows, table.first, table.last)
    refuse_outside(starts < 0, table, squeezed.counts[rows], "characters that are not white space", file)
    return rows, starts, ends


def read_predictions(path: Path, gold: Corpus, options: Options) -> Corpus:
    """Read a file in the form of ``GENE.eval`` (of a folder: its ``GENE.eval``) over the gold's texts."""
    points = TextColumn(gold.texts["text"].tolist())
    squeezed = NonSpace(points)
    source = path / GOLD if path.is_dir() else path
    return predicted(source, gold, points, lambda t, g, f: place(t, g, squeezed, f), options)


def read_span_text(path: Path) -> str:
    """Text of an offset file; it may be empty, for there may be nothing to find."""
    if path.is_file() and path.stat().st_size == 0:
        return ""
    return read_lines_text(path, "lines ID|first last|text")


def predicted(source: Path, gold: Corpus, points: TextColumn, place_in: Place, options: Options) -> Corpus:
    """The gold's texts with the mentions of an offset file.

    Parameters
    ----------
    source : Path
        The file.
    gold : Corpus
    points : TextColumn
        The characters of its texts.
    place_in : callable
        Text row and span of each line, in the format's own unit.
    options : mapping
        Of the format; `type` is that of all mentions.
    """
    table = parse_span_lines(read_span_text(source), source)
    rows, starts, ends = place_in(table, gold, source)
    ids, texts, documents = (gold.texts[c].tolist() for c in ("text_id", "text", "document_id"))
    draft = Draft(ids, texts, documents)
    draft.rows, draft.starts, draft.ends = rows, starts, ends
    draft.types, draft.lines = [options.get("type", DEFAULT_TYPE)] * len(rows), table.lines
    draft.notes += [*table.notes, *repeated(table, source)]
    draft.notes += differing(table, points.slices(rows, starts, ends), source)
    made = assemble(draft, name=source.name, digest=digest_file(source), side="predicted", file=source)
    return Corpus(made.name, gold.texts, made.mentions, digest=made.digest, notes=made.notes)


def write(corpus: Corpus, path: Path, options: Options) -> None:
    """Write ``corpus.in``, ``GENE.eval`` and, when the corpus has any, ``ALTGENE.eval``."""
    refuse_line_breaks(corpus, "bc2gm")
    ids = corpus.texts["text_id"].astype("str")
    refuse_ids(ids, path, "bc2gm")
    points = TextColumn(corpus.texts["text"].tolist())
    squeezed = NonSpace(points)
    files = {"corpus.in": "".join([f"{i} {t}\n" for i, t in zip(ids, corpus.texts["text"], strict=True)])}
    for name, table in ((GOLD, corpus.mentions), (ALTERNATIVES, corpus.alternatives)):
        if table is None:
            continue
        rows = text_rows(corpus, table["text_id"])
        starts, ends = table["start"].to_numpy(dtype=np.int64), table["end"].to_numpy(dtype=np.int64)
        first, last = squeezed.numbers(rows, starts, ends)
        solid = last >= first
        lines = span_lines(
            ids.take(rows[solid]),
            first[solid],
            last[solid],
            points.slices(rows[solid], starts[solid], ends[solid]),
        )
        files[name] = lines
    write_files(files, path, options)


def write_files(files: Mapping[str, str], path: Path, options: Options) -> None:
    """Write a folder of text files, by name."""
    with atomic_folder(path, force=options.get("force") == "yes") as folder:
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8", newline="\n")


def refuse_ids(ids: Iterable[str], path: Path, format_name: str) -> None:
    """Refuse text ids that cannot stand at the head of a line."""
    for text_id in ids:
        if not text_id or "|" in text_id or any(c.isspace() for c in text_id):
            raise InputError(
                f"a text id that format {format_name} cannot carry",
                file=path,
                found=text_id,
                allowed="ids without white space and bars",
            )


def more_losses(corpus: Corpus, options: Options) -> list[str]:  # noqa: ARG001 - a hook's signature
    """White space at a mention's edges is not counted by the offsets, so it cannot be kept."""
    points = TextColumn(corpus.texts["text"].tolist())
    squeezed = NonSpace(points)
    rows = text_rows(corpus, corpus.mentions["text_id"])
    starts = corpus.mentions["start"].to_numpy(dtype=np.int64)
    ends = corpus.mentions["end"].to_numpy(dtype=np.int64)
    first, last = squeezed.numbers(rows, starts, ends)
    solid = last >= first
    lost = [f"{int((~solid).sum())} mentions of white space alone (left out)"] if not solid.all() else []
    again = squeezed.spans(rows[solid], first[solid], last[solid])
    moved = int(((again[0] != starts[solid]) | (again[1] != ends[solid])).sum())
    return [*lost, f"{moved} mentions with white space at an edge (the edge is trimmed)"] if moved else lost


FORMAT = Format(
    name="bc2gm",
    title="BioCreative II gene mention: *.in, GENE.eval, ALTGENE.eval; predictions in the form of GENE.eval",
    place="folder",
    read=read,
    write=write,
    predictions=read_predictions,
    options={
        "type": f"the type of all mentions ({DEFAULT_TYPE})",
        "force": "yes: replace the folder when writing",
    },
    carries=Carries(types=False, alternatives=True),
    more_losses=more_losses,
)
