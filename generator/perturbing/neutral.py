"""A neutral sentence before or after the text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

from .edits import Edit
from .subject import Change, Draw, Subject

FILE = "sentences.txt"


@lru_cache
def sentences() -> tuple[str, ...]:
    """Sentences that name no gene and no protein."""
    content = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return tuple(content.splitlines())


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
