"""What is sent to a tagger, in the form that its specification asks for."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

from ..specification_forms import Input
from .cases import Batch

LINE_FORMS = frozenset({"lines", "numbered", "genetag", "bc2gm", "pubtator", "tokens"})
"""Forms that cannot hold a line break inside a text: it is sent as a blank."""
LINE_BREAKS = dict.fromkeys(map(ord, "\n\r"), " ")
CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32)], " ")
"""Characters that XML cannot hold; they are sent as blanks."""


def as_sent(batch: Batch, form: Input) -> Batch:
    """Return the texts as the tagger sees them: other characters where it must be, no offset moves.

    A character that the encoding lacks is sent as ``?``.
    """
    unwanted = LINE_BREAKS if form.form in LINE_FORMS and form.via != "folder" else {}
    if form.form == "bioc":
        unwanted = CONTROLS
    texts = (text if text.isprintable() else text.translate(unwanted) for text in batch.texts)
    encoding = form.encoding
    seen = [t if t.isascii() else t.encode(encoding, "replace").decode(encoding) for t in texts]
    return Batch(seen, batch.names)


Line = Callable[[str, str], str]
"""What makes the lines of a case from its identifier and text."""


def write(sent: Batch, form: Input, path: Path, line: Line | None = None) -> None:
    """Write a batch to a file, or one file per case to a folder.

    Parameters
    ----------
    sent : Batch
        What `as_sent` gives.
    form : Input
    path : Path
    line : callable, optional
        Makes the lines of ``openai_batch``.
    """
    if form.via != "folder":
        path.write_bytes(serialise(sent, form, line).encode(form.encoding))
        return
    path.mkdir()
    for place, name in enumerate(sent.names):
        content = serialise(sent.take([place]), form, line)
        (path / f"{name}{form.suffix}").write_bytes(content.encode(form.encoding))


def serialise(sent: Batch, form: Input, line: Line | None = None) -> str:
    """Return a batch in the declared form."""
    if form.form == "text":
        return "\n".join(sent.texts)
    if form.form == "biocjson":
        return _biocjson(sent)
    make = line or _LINES[form.form](form)
    content = "".join(map(make, sent.names, sent.texts))
    return BIOC_HEAD + content + BIOC_TAIL if form.form == "bioc" else content


def _numbered(form: Input) -> Line:
    return lambda name, text: f"{form.id_prefix}{name}{form.separator}{text}\n"


def _jsonl(form: Input) -> Line:
    import orjson

    return lambda name, text: orjson.dumps({form.id_key: name, form.text_key: text}).decode() + "\n"


def _tokens(form: Input) -> Line:
    from ....catalogues.core.tokens import PATTERNS

    token = PATTERNS["notions"]
    between, end = ("\n", "\n\n") if form.form == "conll" else (" ", "\n")
    return lambda _, text: between.join(token.findall(text)) + end


BIOC_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
    "<collection><source></source><date></date><key></key>\n"
)
BIOC_TAIL = "</collection>\n"


def _bioc(_: Input) -> Line:
    return lambda name, text: (
        f"<document><id>{html.escape(name)}</id><passage><offset>0</offset>"
        f"<text>{html.escape(text, quote=False)}</text></passage></document>\n"
    )


def _biocjson(sent: Batch) -> str:
    import orjson

    from ....sentences.formats.bioc_model import new_collection, new_document, new_passage

    named = zip(sent.names, sent.texts, strict=True)
    documents = [new_document(name, new_passage(text)) for name, text in named]
    return orjson.dumps(new_collection(documents)).decode() + "\n"


_LINES: dict[str, Callable[[Input], Line]] = {
    "lines": lambda _: lambda _, text: f"{text}\n",
    "numbered": _numbered,
    "jsonl": _jsonl,
    "tokens": _tokens,
    "conll": _tokens,
    "genetag": lambda _: lambda name, text: f"{name}\n{text}\n",
    "bc2gm": lambda _: lambda name, text: f"{name} {text}\n",
    "pubtator": lambda _: lambda name, text: f"{name}|t|{text}\n{name}|a|\n\n",
    "bioc": _bioc,
}
"""What makes the lines of a case, for the forms in which cases stand one after another."""
