"""One text a line, mentions between inline tags whose name is the mention's type; nothing is escaped.

The `gold.sgml` of a suite has this form. Option ``tag`` names the tags that count (several joined by
``|``); any other ``<…>`` is then text. Without it every ``<name>`` and ``</name>`` is a tag.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_bytes
from ..corpus import Corpus
from ..spans import locate_spans
from .base import CorpusFormat, FormatOptions, mark_nestable, read_lines_bytes, refuse_line_breaks
from .draft import Draft, assemble_corpus
from .inline import BARE_TAG, insert_tags, parse_inline


def parse_tag_option(options: FormatOptions) -> tuple[str, ...]:
    """The tags that count; none for all."""
    if "tag" not in options:
        return ()
    names = tuple(options["tag"].split("|"))
    for name in names:
        if not re.fullmatch(BARE_TAG, f"<{name}>"):
            raise InputError("not a tag name", found=name, allowed="a letter, then letters, digits, . _ : -")
    return names


def read(path: Path, options: FormatOptions) -> Corpus:
    """Read a file of tagged lines."""
    content = read_lines_bytes(path, "one text a line, mentions in tags")
    found = parse_inline(content.decode(), parse_tag_option(options), strict=True, file=path)
    draft = Draft([str(i) for i in range(len(found.lines))], found.lines)
    draft.rows, draft.starts, draft.ends = found.rows, found.starts, found.ends
    draft.types = [found.types[i] for i in found.type_codes.tolist()]
    draft.lines = found.rows + 1
    return assemble_corpus(draft, name=f"sgml:{path.name}", digest=digest_bytes(content), file=path)


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
    """Write one line a text; text that holds a tag or a line break is refused."""
    refuse_line_breaks(corpus, "sgml")
    tags = parse_tag_option(options)
    pattern = BARE_TAG if not tags else f"</?(?:{'|'.join(map(re.escape, tags))})>"
    holds = corpus.texts["text"].str.contains(pattern, regex=True).to_numpy(dtype=bool)
    if holds.any():
        text = corpus.texts["text"].iloc[int(np.argmax(holds))]
        raise InputError(
            f"a text holds a tag, which format sgml cannot carry ({int(holds.sum())} such texts)",
            found=text,
            allowed="text without tags, or option tag=NAME where NAME does not occur in it",
        )
    kept = corpus.mentions[mark_nestable(corpus, flat=False)]
    types = kept["type"].tolist()
    if len(tags) == 1:
        types = [tags[0]] * len(types)
    for kind in sorted(set(types)):
        if not re.fullmatch(BARE_TAG, f"<{kind}>") or (tags and kind not in tags):
            raise InputError(
                "a type that is no tag name, which format sgml cannot carry",
                found=kind,
                allowed=pattern,
            )
    content = insert_tags(corpus.texts["text"].tolist(), *locate_spans(corpus.texts, kept), types)
    path.write_bytes(content.encode())


FORMAT = CorpusFormat(
    name="sgml",
    title="one text a line, mentions in inline tags (<gp>…</gp>), nothing escaped",
    place="file",
    read=read,
    write=write,
    options={"tag": "the tag names that count, joined by | (all); when writing, one name for all mentions"},
    has_text_ids=False,
)
