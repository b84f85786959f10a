"""What is sent to a tagger, in the form that its specification asks for."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

from ..encodings import encoded, is_utf8
from ..specification.input import Input
from .cases import Batch

LINE_FORMS = frozenset({"lines", "numbered", "genetag", "bc2gm", "pubtator", "tokens"})
"""Forms that cannot hold a line break inside a text: it is sent as a blank."""
LINE_BREAKS = b"\n\r"
CONTROLS = bytes([*range(9), 11, 12, *range(14, 32)])
"""Characters that XML cannot hold; they are sent as blanks."""


def as_sent(batch: Batch, form: Input) -> Batch:
    """The texts as the tagger sees them: same code point offsets, other characters where it must be."""
    seen = batch.without(LINE_BREAKS) if form.form in LINE_FORMS and form.via != "folder" else batch
    if form.form == "bioc":
        seen = seen.without(CONTROLS)
    return seen.in_encoding(form.encoding)


Line = Callable[[str, str], bytes]
"""What makes the lines of a case, of its identifier and text."""


def write(sent: Batch, form: Input, path: Path, line: Line | None = None) -> None:
    """Write a batch to a file, or a file per case to a folder.

    Parameters
    ----------
    sent : Batch
        What `as_sent` gives.
    form : Input
    path : Path
    line : callable, optional
        Makes the lines of ``openai_batch``.
    """
    if form.via == "folder":
        path.mkdir()
        for place in range(len(sent)):
            one = serialise(sent.take_one(place), form, line)
            (path / f"{sent.names[place]}{form.suffix}").write_bytes(encoded(one, form.encoding))
        return
    if form.form == "lines" and is_utf8(form.encoding):
        with path.open("wb") as stream:
            stream.write(sent.data.data)
        return
    path.write_bytes(encoded(serialise(sent, form, line), form.encoding))


def serialise(sent: Batch, form: Input, line: Line | None = None) -> bytes:
    """A batch in the declared form, as UTF-8."""
    if form.form == "lines":
        return sent.data.tobytes()
    if form.form == "text":
        return b"\n".join(sent.texts())
    if form.form == "biocjson":
        return _biocjson(sent)
    one = line or _LINES[form.form](form)
    texts = (text.decode() for text in sent.texts())
    content = b"".join(one(name, text) for name, text in zip(sent.names, texts, strict=True))
    return BIOC_HEAD + content + BIOC_TAIL if form.form == "bioc" else content


def _numbered(form: Input) -> Line:
    return lambda name, text: f"{form.id_prefix}{name}{form.separator}{text}\n".encode()


def _jsonl(form: Input) -> Line:
    import orjson

    return lambda name, text: orjson.dumps({form.id_key: name, form.text_key: text}) + b"\n"


def _tokens(form: Input) -> Line:
    from ....catalogues.core.tokens import PATTERNS

    token = PATTERNS["notions"]
    between, end = ("\n", "\n\n") if form.form == "conll" else (" ", "\n")
    return lambda _, text: (between.join(token.findall(text)) + end).encode()


def _written(pattern: str) -> Callable[[Input], Line]:
    """Lines of a pattern with ``{name}`` and ``{text}``."""
    return lambda _: lambda name, text: pattern.format(name=name, text=text).encode()


BIOC_HEAD = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
    b"<collection><source></source><date></date><key></key>\n"
)
BIOC_TAIL = b"</collection>\n"


def _bioc(_: Input) -> Line:
    return lambda name, text: (
        f"<document><id>{html.escape(name)}</id><passage><offset>0</offset>"
        f"<text>{html.escape(text, quote=False)}</text></passage></document>\n"
    ).encode()


def _biocjson(sent: Batch) -> bytes:
    import orjson

    from ....sentences.formats.bioc_model import new_collection, new_document, new_passage

    named = zip(sent.names, sent.texts(), strict=True)
    documents = [new_document(name, new_passage(text.decode())) for name, text in named]
    return orjson.dumps(new_collection(documents)) + b"\n"


_LINES: dict[str, Callable[[Input], Line]] = {
    "numbered": _numbered,
    "jsonl": _jsonl,
    "tokens": _tokens,
    "conll": _tokens,
    "genetag": _written("{name}\n{text}\n"),
    "bc2gm": _written("{name} {text}\n"),
    "pubtator": _written("{name}|t|{text}\n{name}|a|\n\n"),
    "bioc": _bioc,
}
"""What makes the lines of a case, for the forms in which cases stand one after another."""
