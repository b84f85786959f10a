"""A user's own Jinja2 template, for those whose notion of gold differs; written only.

The template runs in Jinja2's sandbox, without a loader (it includes and imports nothing), and sees:

* ``corpus``: ``name``, ``texts`` and ``mentions`` (numbers of them);
* ``texts``: one object a text with ``text_id``, ``document_id``, ``text``, ``extra``, ``mentions``
  (``start``, ``end``, ``type``, ``data``, ``side``, ``score``, ``spans``, ``normalisations``, ``extra``,
  ``mention_id``) and ``segments``: the text in pieces of ``text`` and ``mention`` (none between mentions;
  overlapping mentions are left out, the first and longest kept).

An undefined name is an error, not an empty string. Filter ``tojson`` quotes for JSON and JavaScript, ``e``
for XML.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Template
from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import get_input_limit, read_text
from ..corpus import Corpus
from .base import CorpusFormat, FormatOptions, mark_nestable
from .views import TextView, iterate_texts


class _Text:
    """What a template sees of a text; data only."""

    def __init__(self, view: TextView, flat: set[int]) -> None:
        self.text_id, self.document_id, self.text = view.text_id, view.document_id, view.text
        self.extra, self.mentions = view.extra, view.mentions
        self._flat = flat

    @property
    def segments(self) -> Iterator[dict[str, Any]]:
        """The text in pieces, in and between mentions."""
        place = 0
        for mention in self.mentions:
            if mention.mention_id in self._flat:
                if mention.start > place:
                    yield {"text": self.text[place : mention.start], "mention": None}
                yield {"text": mention.data, "mention": mention}
                place = mention.end
        if place < len(self.text):
            yield {"text": self.text[place:], "mention": None}


_RENDER_ERRORS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)


class OutputTooLargeError(Exception):
    """A template gives more text than the limit on input allows to be read."""


def make_environment() -> ImmutableSandboxedEnvironment:
    """Return Jinja2's immutable sandbox; undefined names are errors."""
    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


def render_pieces(template: Template, names: Mapping[str, Any]) -> Iterator[str]:
    """Render a template piece by piece, up to the limit on input.

    Raises
    ------
    TooLargeError
        When the pieces together have more characters than one input may have bytes.
    """
    left = get_input_limit()
    for piece in template.generate(names):
        left -= len(piece)
        if left < 0:
            raise OutputTooLargeError(f"more than {get_input_limit() >> 20} MB")
        yield piece


_PROBLEMS: dict[type[Exception], str] = {
    TemplateSyntaxError: "is not Jinja2",
    SecurityError: "does what the sandbox forbids",
    OutputTooLargeError: "gives too much text",
}


@contextlib.contextmanager
def report_template_errors(source: Path, key: str = "") -> Iterator[None]:
    """Turn what goes wrong with a template into an error that its author can act on.

    Parameters
    ----------
    source : Path
        The file that holds the template.
    key : str
        Where the template is in that file; without it the whole file is the template, and messages have its
        lines.

    Raises
    ------
    InputError
    """
    what = f"{key}: the template" if key else "the template"
    try:
        yield
    except (TemplateError, OutputTooLargeError, *_RENDER_ERRORS) as error:
        problem = next((words for kind, words in _PROBLEMS.items() if isinstance(error, kind)), "fails")
        line = None if key else _line(error)
        raise InputError(f"{what} {problem} ({error})", file=source, line=line) from None
    except (RecursionError, MemoryError, SyntaxError) as error:
        # of the program that Jinja2 makes of it: a macro that calls itself, thousands of brackets
        raise InputError(f"{what} fails ({error or type(error).__name__})", file=source) from None


def _line(error: BaseException) -> int | None:
    """Return the line of the template that an error came from."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == "<template>"), None)


def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
    """Render the template that option ``template`` names."""
    if "template" not in options:
        raise InputError("no template", allowed="template[template=FILE]:PATH")
    source = Path(options["template"])
    content = read_text(source)
    if not content.strip():
        raise InputError("the template is empty", file=source, allowed="a Jinja2 template")
    flat = set(corpus.mentions["mention_id"].to_numpy()[mark_nestable(corpus, flat=True)].tolist())
    names = {
        "corpus": {"name": corpus.name, "texts": len(corpus.texts), "mentions": len(corpus.mentions)},
        "texts": (_Text(view, flat) for view in iterate_texts(corpus)),
    }
    with report_template_errors(source), path.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(render_pieces(make_environment().from_string(content), names))


FORMAT = CorpusFormat(
    name="template",
    title="a user's own Jinja2 template, written only: template[template=FILE]:PATH",
    place="file",
    read=None,
    write=write,
    options={"template": "the template file"},
    has_sides=True,
)
