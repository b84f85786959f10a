"""Format with one text per line, in which inline tags mark mentions; special characters are not escaped.

The name of a tag is the type of the mention. The file `gold.sgml` in a suite has this format. The option
``tag`` lists the tag names that mark mentions, joined by ``|``; any other ``<…>`` is then text. By default,
every ``<name>`` and ``</name>`` is a tag.
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
    """Return the tag names in the option ``tag``, or an empty tuple if all tags mark mentions."""
    if "tag" not in options:
        return ()
    names = tuple(options["tag"].split("|"))
    for name in names:
        if not re.fullmatch(BARE_TAG, f"<{name}>"):
            allowed = "a letter, then letters, digits, . _ : -"
            raise InputError("invalid tag name", found=name, allowed=allowed)
    return names


def read(path: Path, options: FormatOptions) -> Corpus:
    """Read a file with one text per line and mentions in inline tags."""
    content = read_lines_bytes(path, "one text per line, with mentions in tags")
    inline = parse_inline(content.decode(), parse_tag_option(options), strict=True, file=path)
    draft = Draft([str(i) for i in range(len(inline.lines))], inline.lines)
    draft.rows, draft.starts, draft.ends = inline.rows, inline.starts, inline.ends
    draft.types = [inline.types[i] for i in inline.type_codes.tolist()]
    draft.lines = inline.rows + 1
    return assemble_corpus(draft, name=f"sgml:{path.name}", digest=digest_bytes(content), file=path)


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
    """Write one text per line; raise InputError if a text contains a tag or a line break."""
    refuse_line_breaks(corpus, "sgml")
    tags = parse_tag_option(options)
    pattern = BARE_TAG if not tags else f"</?(?:{'|'.join(map(re.escape, tags))})>"
    has_tag = corpus.texts["text"].str.contains(pattern, regex=True).to_numpy(dtype=bool)
    if has_tag.any():
        text = corpus.texts["text"].iloc[int(np.argmax(has_tag))]
        raise InputError(
            f"format sgml cannot store a text that contains a tag ({int(has_tag.sum())} such texts); "
            "use the option tag=NAME with a name that is not a tag in the texts",
            found=text,
        )
    mentions = corpus.mentions[mark_nestable(corpus, flat=False)]
    types = mentions["type"].tolist()
    if len(tags) == 1:
        types = [tags[0]] * len(types)
    for kind in sorted(set(types)):
        if not re.fullmatch(BARE_TAG, f"<{kind}>") or (tags and kind not in tags):
            raise InputError(
                "format sgml cannot store a type that is not a valid tag name",
                found=kind,
                allowed=pattern,
            )
    content = insert_tags(corpus.texts["text"].tolist(), *locate_spans(corpus.texts, mentions), types)
    path.write_bytes(content.encode())


FORMAT = CorpusFormat(
    name="sgml",
    title="one text per line, mentions in inline tags (<gp>…</gp>), without escaping",
    place="file",
    read=read,
    write=write,
    options={"tag": "tags that mark mentions, joined by | (default: all); only one tag for writing"},
    has_text_ids=False,
)
