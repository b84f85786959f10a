"""Writing cases in the input form that a specification declares."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

from ..specification_forms import Input
from .cases import Batch

LINE_FORMS = frozenset({"lines", "numbered", "genetag", "bc2gm", "pubtator", "tokens"})
"""Input forms with one text per line, for which line breaks in a text are replaced by spaces."""
LINE_BREAKS = dict.fromkeys(map(ord, "\n\r"), " ")
CONTROL_CHARACTERS = dict.fromkeys([*range(9), 11, 12, *range(14, 32)], " ")
"""Map from each character that XML does not allow to a space."""


def adapt_texts(batch: Batch, form: Input) -> Batch:
    """Return the texts in the form in which the tagger receives them; offsets do not change.

    Characters that the encoding cannot represent are sent as ``?``.
    """
    unwanted = LINE_BREAKS if form.form in LINE_FORMS and form.via != "folder" else {}
    if form.form == "bioc":
        unwanted = CONTROL_CHARACTERS
    texts = (text if text.isprintable() else text.translate(unwanted) for text in batch.texts)
    encoding = form.encoding
    seen = [t if t.isascii() else t.encode(encoding, "replace").decode(encoding) for t in texts]
    return Batch(seen, batch.case_ids)


LineFormatter = Callable[[str, str], str]
"""Function that makes the input lines for a case from its identifier and text."""


def write_batch(sent: Batch, form: Input, path: Path, line: LineFormatter | None = None) -> None:
    """Write a batch to one file, or to a folder with one file per case.

    Parameters
    ----------
    sent : Batch
        Result of `adapt_texts`.
    form : Input
    path : Path
    line : callable, optional
        Function that makes the lines of ``openai_batch``.
    """
    if form.via != "folder":
        path.write_bytes(serialise_batch(sent, form, line).encode(form.encoding))
        return
    path.mkdir()
    for place, name in enumerate(sent.case_ids):
        content = serialise_batch(sent.take([place]), form, line)
        (path / f"{name}{form.suffix}").write_bytes(content.encode(form.encoding))


def serialise_batch(sent: Batch, form: Input, line: LineFormatter | None = None) -> str:
    """Return the content of the input file for a batch."""
    if form.form == "text":
        return "\n".join(sent.texts)
    if form.form == "biocjson":
        return _make_biocjson(sent)
    make = line or _LINE_FORMATTERS[form.form](form)
    content = "".join(map(make, sent.case_ids, sent.texts))
    return BIOC_HEAD + content + BIOC_TAIL if form.form == "bioc" else content


def _make_jsonl(form: Input) -> LineFormatter:
    import orjson

    return lambda name, text: orjson.dumps({form.id_key: name, form.text_key: text}).decode() + "\n"


def _make_tokens(form: Input) -> LineFormatter:
    from ....catalogues.core.tokens import TOKEN_PATTERNS

    token = TOKEN_PATTERNS["notions"]
    between, end = ("\n", "\n\n") if form.form == "conll" else (" ", "\n")
    return lambda _, text: between.join(token.findall(text)) + end


BIOC_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
    "<collection><source></source><date></date><key></key>\n"
)
BIOC_TAIL = "</collection>\n"


def _make_bioc(_: Input) -> LineFormatter:
    return lambda name, text: (
        f"<document><id>{html.escape(name)}</id><passage><offset>0</offset>"
        f"<text>{html.escape(text, quote=False)}</text></passage></document>\n"
    )


def _make_biocjson(sent: Batch) -> str:
    import orjson

    from ....sentences.formats.bioc_model import new_collection, new_document, new_passage

    named = zip(sent.case_ids, sent.texts, strict=True)
    documents = [new_document(name, new_passage(text)) for name, text in named]
    return orjson.dumps(new_collection(documents)).decode() + "\n"


_LINE_FORMATTERS: dict[str, Callable[[Input], LineFormatter]] = {
    "lines": lambda _: lambda _, text: f"{text}\n",
    "numbered": lambda form: lambda name, text: f"{form.id_prefix}{name}{form.separator}{text}\n",
    "jsonl": _make_jsonl,
    "tokens": _make_tokens,
    "conll": _make_tokens,
    "genetag": lambda _: lambda name, text: f"{name}\n{text}\n",
    "bc2gm": lambda _: lambda name, text: f"{name} {text}\n",
    "pubtator": lambda _: lambda name, text: f"{name}|t|{text}\n{name}|a|\n\n",
    "bioc": _make_bioc,
}
"""Functions that make a `LineFormatter`, for each input form with several cases per file."""
