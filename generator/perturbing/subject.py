"""What is perturbed: a text with its mentions, and what is drawn for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from .edits import Edit


@dataclass(frozen=True)
class SubjectMention:
    """A mention of a text.

    Attributes
    ----------
    start, end : int
        Half-open, code points.
    kind : str
        What it is, where a catalogue says so (``protein``, ``family``); else empty.
    can_swap : bool
        Whether it is one that another name may stand for.
    fragments : tuple of (int, int)
        Its fragments, where it is in pieces.
    """

    start: int
    end: int
    kind: str = ""
    can_swap: bool = True
    fragments: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Subject:
    """A text with its mentions.

    Attributes
    ----------
    text : str
    mentions : tuple of Named
        Sorted.
    """

    text: str
    mentions: tuple[SubjectMention, ...] = ()

    def form(self, mention: SubjectMention) -> str:
        """The text of a mention."""
        return self.text[mention.start : mention.end]

    @cached_property
    def zones(self) -> list[tuple[int, int]]:
        """The stretches of mentions, overlapping ones united."""
        found: list[tuple[int, int]] = []
        for one in self.mentions:
            if found and one.start < found[-1][1]:
                found[-1] = (found[-1][0], max(found[-1][1], one.end))
            else:
                found.append((one.start, one.end))
        return found

    @property
    def spans(self) -> list[tuple[int, int]]:
        """All places that must be carried along: mentions, and fragments of them."""
        return [span for m in self.mentions for span in ((m.start, m.end), *m.fragments)]

    @property
    def has_nested(self) -> bool:
        """Whether mentions overlap, or one is in pieces."""
        overlap = any(b.start < a.end for a, b in pairwise(self.mentions))
        return overlap or any(m.fragments for m in self.mentions)


@dataclass(frozen=True)
class TextRandom:
    """Numbers that hang on a seed, a perturbation and a text alone: not on other texts nor their order."""

    seed: int
    perturbation: str
    text: str

    def draw_below(self, size: int, *what: str) -> int:
        """A number from 0 to `size` - 1, another one for another purpose."""
        parts = (str(self.seed), self.perturbation, self.text, *what)
        digest = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % size

    def shuffle_names(self, names: list[str]) -> list[str]:
        """Names in an order of the text's own."""
        return sorted(names, key=lambda name: (self.draw_below(1 << 60, "order", name), name))


TextChange = Callable[[Subject, TextRandom], list[Edit]]
"""A transformation: the edits of a text, sorted; none where it does not apply."""
