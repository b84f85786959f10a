"""Texts to perturb, with their mentions, and random numbers for each text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from .edits import Edit


@dataclass(frozen=True)
class SubjectMention:
    """Mention in a text to perturb.

    Attributes
    ----------
    start, end : int
        Half-open span in code points.
    kind : str
        Kind of the entity in a catalogue (``protein``, ``family``); empty if unknown.
    can_swap : bool
        True if another name may replace the mention.
    type : str
        Type of the mention if it is not a gene or gene product; it is replaced by names of this type.
    fragments : tuple of (int, int)
        Spans of the fragments of a discontinuous mention.
    """

    start: int
    end: int
    kind: str = ""
    can_swap: bool = True
    fragments: tuple[tuple[int, int], ...] = ()
    type: str = ""


@dataclass(frozen=True)
class Subject:
    """Text to perturb, with its mentions.

    Attributes
    ----------
    text : str
        Original text.
    mentions : tuple of SubjectMention
        Mentions, sorted by position.
    """

    text: str
    mentions: tuple[SubjectMention, ...] = ()

    def form(self, mention: SubjectMention) -> str:
        """Return the surface form of a mention."""
        return self.text[mention.start : mention.end]

    @cached_property
    def zones(self) -> list[tuple[int, int]]:
        """Spans of the mentions; overlapping spans are merged."""
        found: list[tuple[int, int]] = []
        for mention in self.mentions:
            if found and mention.start < found[-1][1]:
                found[-1] = (found[-1][0], max(found[-1][1], mention.end))
            else:
                found.append((mention.start, mention.end))
        return found

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Spans that must be mapped to the edited text: mentions and their fragments."""
        return [span for m in self.mentions for span in ((m.start, m.end), *m.fragments)]

    @property
    def has_nested(self) -> bool:
        """True if mentions overlap, or if a mention is discontinuous."""
        overlap = any(b.start < a.end for a, b in pairwise(self.mentions))
        return overlap or any(m.fragments for m in self.mentions)


@dataclass(frozen=True)
class TextRandom:
    """Source of random numbers that depend only on a seed, a perturbation and a text."""

    seed: int
    perturbation: str
    text: str

    def draw_below(self, size: int, *what: str) -> int:
        """Draw a number from 0 to `size` - 1; draws with different values of `what` are independent."""
        parts = (str(self.seed), self.perturbation, self.text, *what)
        digest = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % size

    def shuffle_names(self, names: list[str]) -> list[str]:
        """Return a copy of a list of names in random order."""
        return sorted(names, key=lambda name: (self.draw_below(1 << 60, "order", name), name))


TextChange = Callable[[Subject, TextRandom], list[Edit]]
"""Function that returns the sorted edits of a text; the list is empty if the change does not apply."""
