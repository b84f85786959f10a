"""A neutral sentence before or after the text."""

from __future__ import annotations

from collections.abc import Sequence

from ...sentences.neutral import sentences
from .edits import Edit
from .subject import Change, Draw, Subject


def _drawn(draw: Draw) -> str:
    return sentences()[draw.below(len(sentences()), "sentence")]


def before(subject: Subject, draw: Draw) -> list[Edit]:
    """A sentence before the text."""
    return [Edit(0, 0, f"{_drawn(draw)} ")] if subject.text.strip() else []


def after(subject: Subject, draw: Draw) -> list[Edit]:
    """A sentence after the text, where its end is one."""
    text = subject.text
    return [Edit(len(text), len(text), f" {_drawn(draw)}")] if text.endswith((".", "!", "?")) else []


def variants(subjects: Sequence[Subject]) -> dict[str, Change]:  # noqa: ARG001 - as all have it
    """A sentence before, or after."""
    return {"before": before, "after": after}
