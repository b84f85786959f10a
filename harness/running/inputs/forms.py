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


CONTROLS = bytes([*range(9), 11, 12, *range(14, 32)])
"""Characters that XML cannot hold; they are sent as blanks."""


def as_sent(batch: Batch, form: Input) -> Batch:
    """The texts as the tagger sees them: same code point offsets, other characters where it must be."""
    seen = batch.as_lines() if form.form in LINE_FORMS and form.via != "folder" else batch
    if form.form == "bioc":
        seen = seen.without(CONTROLS)
    return seen.in_encoding(form.encoding)


Line = Callable[[str, str], bytes]
"""What makes the line of a case, of its identifier and text."""


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
    if line is not None:
        return _joined(sent, lambda name, text: line(name, text.decode()))
    return _WRITERS[form.form](sent, form)


def _numbered(sent: Batch, form: Input) -> bytes:
    return _joined(sent, lambda name, text: f"{form.id_prefix}{name}{form.separator}".encode() + text + b"\n")


def _joined(sent: Batch, one: Callable[[str, bytes], bytes]) -> bytes:
    return b"".join(one(name, text) for name, text in zip(sent.names, sent.texts(), strict=True))


def _text(sent: Batch, form: Input) -> bytes:
    del form
    return b"\n".join(sent.texts())


def _jsonl(sent: Batch, form: Input) -> bytes:
    import orjson

    return _joined(
        sent, lambda name, text: orjson.dumps({form.id_key: name, form.text_key: text.decode()}) + b"\n"
    )


def _conll(sent: Batch, form: Input) -> bytes:
    del form
    from ....catalogues.core.tokens import PATTERNS

    token = PATTERNS["notions"]
    return _joined(sent, lambda _, text: ("\n".join(token.findall(text.decode())) + "\n\n").encode())


def _tokens(sent: Batch, form: Input) -> bytes:
    del form
    from ....catalogues.core.tokens import PATTERNS

    token = PATTERNS["notions"]
    return _joined(sent, lambda _, text: (" ".join(token.findall(text.decode())) + "\n").encode())


def _genetag(sent: Batch, form: Input) -> bytes:
    del form
    return _joined(sent, lambda name, text: name.encode() + b"\n" + text + b"\n")


def _bc2gm(sent: Batch, form: Input) -> bytes:
    del form
    return _joined(sent, lambda name, text: name.encode() + b" " + text + b"\n")


def _pubtator(sent: Batch, form: Input) -> bytes:
    del form
    return _joined(sent, lambda name, text: f"{name}|t|".encode() + text + f"\n{name}|a|\n\n".encode())


def _bioc(sent: Batch, form: Input) -> bytes:
    del form
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
        "<collection><source></source><date></date><key></key>\n"
    )

    def one(name: str, text: bytes) -> bytes:
        inner = html.escape(text.decode(), quote=False)
        return (
            f"<document><id>{html.escape(name)}</id><passage><offset>0</offset><text>{inner}</text></passage>"
            "</document>\n"
        ).encode()

    return head.encode() + _joined(sent, one) + b"</collection>\n"


def _biocjson(sent: Batch, form: Input) -> bytes:
    import orjson

    from ....sentences.formats.bioc_model import new_collection, new_document, new_passage

    del form
    named = zip(sent.names, sent.texts(), strict=True)
    documents = [new_document(name, new_passage(text.decode())) for name, text in named]
    return orjson.dumps(new_collection(documents)) + b"\n"


_WRITERS: dict[str, Callable[[Batch, Input], bytes]] = {
    "numbered": _numbered,
    "text": _text,
    "jsonl": _jsonl,
    "tokens": _tokens,
    "conll": _conll,
    "genetag": _genetag,
    "bc2gm": _bc2gm,
    "pubtator": _pubtator,
    "bioc": _bioc,
    "biocjson": _biocjson,
}
