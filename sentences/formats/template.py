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

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text, read_text
from ..corpus import Corpus
from .base import EVERYTHING, Format, Options, nestable
from .views import TextView, views


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


def write(corpus: Corpus, path: Path, options: Options) -> None:
    """Render the template that option ``template`` names."""
    from .template_limits import LimitedEnvironment, explained

    if "template" not in options:
        raise InputError("no template", file=path, allowed="template[template=FILE]:PATH")
    source = Path(options["template"])
    content = read_text(source)
    if not content.strip():
        raise InputError("the template is empty", file=source, allowed="a Jinja2 template")
    length = int(corpus.texts["text"].str.len().sum())
    environment = LimitedEnvironment(length + 1000 * (len(corpus.texts) + len(corpus.mentions)))
    flat = set(corpus.mentions["mention_id"].to_numpy()[nestable(corpus, flat=True)].tolist())
    names = {
        "corpus": {"name": corpus.name, "texts": len(corpus.texts), "mentions": len(corpus.mentions)},
        "texts": (_Text(view, flat) for view in views(corpus)),
    }
    with explained(source):
        template = environment.from_string(content)
        with atomic_text(path) as stream:
            for piece in template.generate(names):
                environment.work.use(len(piece))
                stream.write(piece)


def more_losses(corpus: Corpus, options: Options) -> list[str]:  # noqa: ARG001 - a hook's signature
    """Depends on the template alone."""
    return ["what the template leaves out; the file is not read back"]


FORMAT = Format(
    name="template",
    title="a user's own Jinja2 template, written only: template[template=FILE]:PATH",
    place="file",
    read=None,
    write=write,
    options={"template": "the template file"},
    carries=replace(EVERYTHING, number_ids=False),
    more_losses=more_losses,
)
