"""Output format defined by a Jinja2 template from the user; files in this format cannot be read.

The template runs in Jinja2's sandbox, and cannot include or import other files. It has these variables:

* ``corpus``: ``name``, and the numbers of ``texts`` and ``mentions``;
* ``texts``: one object per text with ``text_id``, ``document_id``, ``text``, ``extra``, ``mentions``
  (``start``, ``end``, ``type``, ``data``, ``side``, ``score``, ``spans``, ``normalisations``, ``extra``,
  ``mention_id``) and ``segments``. A segment is a piece of text, with ``text`` and ``mention`` (none outside
  mentions). If mentions overlap, only the first has a segment; if several begin at the same offset, the
  longest counts as first.

An undefined name is an error. The filter ``tojson`` quotes text for JSON and JavaScript, and the filter ``e``
escapes text for XML.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import StrictUndefined, Template
from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import get_input_limit, read_text
from ..corpus import Corpus
from .base import CorpusFormat, FormatOptions, mark_nestable
from .views import TextView, iterate_texts


def _cut_segments(view: TextView, flat: set[int]) -> Iterator[dict[str, Any]]:
    """Yield the segments of a text; only mentions with ids in `flat` have a segment of their own."""
    place = 0
    for mention in view.mentions:
        if mention.mention_id in flat:
            if mention.start > place:
                yield {"text": view.text[place : mention.start], "mention": None}
            yield {"text": mention.data, "mention": mention}
            place = mention.end
    if place < len(view.text):
        yield {"text": view.text[place:], "mention": None}


_RENDER_ERRORS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)


class OutputTooLargeError(Exception):
    """Error raised if the output of a template is longer than the limit on input size."""


def make_environment() -> ImmutableSandboxedEnvironment:
    """Return an immutable Jinja2 sandbox in which undefined names are errors."""
    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


def render_pieces(template: Template, names: Mapping[str, Any]) -> Iterator[str]:
    """Render a template and yield the output in pieces.

    Raises
    ------
    OutputTooLargeError
        If the number of characters in the output exceeds the limit on input size (in bytes).
    """
    left = get_input_limit()
    for piece in template.generate(names):
        left -= len(piece)
        if left < 0:
            raise OutputTooLargeError(f"the output has more than {get_input_limit() >> 20} MB")
        yield piece


_PROBLEMS: dict[type[Exception], str] = {
    TemplateSyntaxError: "is not valid Jinja2",
    SecurityError: "uses an operation that the sandbox forbids",
    OutputTooLargeError: "produces too much text",
}


@contextlib.contextmanager
def report_template_errors(source: Path, key: str = "") -> Iterator[None]:
    """Context manager that converts errors in a template to InputError.

    Parameters
    ----------
    source : Path
        File that contains the template.
    key : str
        Key of the template in the file; if it is empty, the whole file is the template.

    Raises
    ------
    InputError
        If the template is not valid, fails, or produces too much text.
    """
    subject = f"{key}: the template" if key else "the template"
    try:
        yield
    except (TemplateError, OutputTooLargeError, *_RENDER_ERRORS) as error:
        problem = next((words for kind, words in _PROBLEMS.items() if isinstance(error, kind)), "fails")
        line = None if key else _line(error)
        raise InputError(f"{subject} {problem} ({error})", file=source, line=line) from None
    except (RecursionError, MemoryError, SyntaxError) as error:
        # for example, a macro that calls itself or thousands of nested brackets
        raise InputError(f"{subject} fails ({error or type(error).__name__})", file=source) from None


def _line(error: BaseException) -> int | None:
    """Return the line of the template in which an error occurred."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == "<template>"), None)


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
    """Render the template given by the option ``template`` and write the output."""
    if "template" not in options:
        raise InputError("no template file is given; write template[template=FILE]:PATH")
    source = Path(options["template"])
    content = read_text(source)
    if not content.strip():
        raise InputError("the template is empty", file=source)
    flat = set(corpus.mentions["mention_id"].to_numpy()[mark_nestable(corpus, flat=True)].tolist())
    names = {
        "corpus": {"name": corpus.name, "texts": len(corpus.texts), "mentions": len(corpus.mentions)},
        "texts": (
            SimpleNamespace(**vars(view), segments=[*_cut_segments(view, flat)])
            for view in iterate_texts(corpus)
        ),
    }
    with report_template_errors(source), path.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(render_pieces(make_environment().from_string(content), names))


FORMAT = CorpusFormat(
    name="template",
    title="output of your own Jinja2 template (writing only): template[template=FILE]:PATH",
    place="file",
    read=None,
    write=write,
    options={"template": "template file"},
    has_sides=True,
)
