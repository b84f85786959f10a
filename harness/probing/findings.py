"""What a probe of length found: how often a case was found at each place, and the verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ..running.outcomes import ANSWERED
from .calls import Call, Span
from .texts import Case, Ints, Probe, Side

if TYPE_CHECKING:
    import pandas as pd

Flags = NDArray[np.bool_]


@dataclass
class Sightings:
    """Places of a case's mention in some texts, and what the tagger found there.

    Attributes
    ----------
    calls : list of Call
    usual : collection of (int, int)
        Parts of the mention that the tagger also finds where the case stands alone, relative to its start:
        they are no trace of a seam.
    """

    calls: list[Call]
    usual: Collection[Span] = ()

    @property
    def before(self) -> Ints:
        """Words before each place."""
        return _join(c.probe.before(c.probe.spans[0]) for c in self.calls)

    def extent(self, side: Side) -> Ints:
        """Return how many words a tagger must read to see the mention, for each place."""
        return _join(c.probe.extent(side) for c in self.calls)

    @cached_property
    def times(self) -> Ints:
        """How often the whole mention was found at each place."""
        return _join(
            np.array([call.spans.count(span) for span in _spans(call.probe)], dtype=np.int64)
            for call in self.calls
        )

    @property
    def seen(self) -> Flags:
        """Whether the whole mention was found at each place."""
        seen: Flags = self.times > 0
        return seen

    @cached_property
    def pieces(self) -> list[list[Span]]:
        """Other mentions that overlap each place, without the usual ones."""
        found: list[list[Span]] = []
        for call in self.calls:
            spans = np.array(call.spans, dtype=np.int64).reshape(-1, 2)
            for start, end in _spans(call.probe):
                near = spans[(spans[:, 1] > start) & (spans[:, 0] < end)].tolist()
                others = [(a, b) for a, b in near if (a, b) != (start, end)]
                found.append([(a, b) for a, b in others if (a - start, b - start) not in self.usual])
        return found

    @property
    def odd(self) -> Flags:
        """Return the places where the mention was not found exactly once, or was also found in part."""
        odd: Flags = (self.times != 1) | np.array([bool(found) for found in self.pieces], dtype=bool)
        return odd


def _spans(probe: Probe) -> list[Span]:
    return [(start, start + len(probe.case.mention)) for start in probe.starts]


def _join(parts: Iterable[Ints]) -> Ints:
    found = list(parts)
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Limit:
    """Length beyond which a case is not found.

    Attributes
    ----------
    side : str
        What is limited.
    words : int
        The greatest length at which the case was found; with one word more it was not.
    characters : int
        The same length in characters.
    """

    side: Side
    words: int
    characters: int


@dataclass(frozen=True)
class Seam:
    """The first seam between the windows in which a tagger reads, and the distance to the next one.

    Attributes
    ----------
    low, high : int
        Words between which the seam lies.
    step : int
        Words from one seam to the next; 0 where it is not known.
    place : int
        Words before a mention in the seam.
    """

    low: int
    high: int
    step: int
    place: int


Kind = Literal["no limit", "cut-off", "windows", "unstable", "irregular", "undecided"]


@dataclass
class Length:
    """How far a tagger reads.

    Attributes
    ----------
    tagger : str
    kind : str
    case : Case
    most : int
        Words of the longest text.
    calls : int
        Texts that were sent, earlier ones included.
    limit : Limit or None
    seam : Seam or None
    sightings : Sightings
        All places of all texts.
    changed : float
        Share of places that differ when the same text is sent again.
    notes : list of str
    """

    tagger: str
    kind: Kind
    case: Case
    most: int
    calls: int = 0
    limit: Limit | None = None
    seam: Seam | None = None
    sightings: Sightings = field(default_factory=lambda: Sightings([]))
    changed: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def failed(self) -> int:
        """Number of texts without a usable answer."""
        return sum(call.outcome not in ANSWERED for call in self.sightings.calls)

    @property
    def verdict(self) -> str:
        """What was found, in a few words."""
        if self.limit is not None:
            return _describe_limit(self.limit)
        if self.seam is not None:
            return _describe_seam(self.seam)
        return {
            "no limit": f"no limit up to {self.most:,} words",
            "unstable": f"unstable: {self.changed:.1%} of places differ when the same text is sent again",
            "irregular": "lost at places that neither a limit nor windows explain",
        }.get(self.kind, "undecided: more texts are needed than may be sent")

    def table(self) -> pd.DataFrame:
        """The verdict, as a row."""
        import pandas as pd

        limit, seam = self.limit, self.seam
        row = {
            "tagger": self.tagger,
            "verdict": self.kind,
            "limit_words": limit and limit.words,
            "limit_characters": limit and limit.characters,
            "seam_from": seam and seam.low,
            "seam_to": seam and seam.high,
            "seam_step": seam and (seam.step or None),
            "most": self.most,
            "calls": self.calls,
            "in_words": self.verdict,
        }
        return pd.DataFrame([row], dtype="object")

    def probes(self) -> pd.DataFrame:
        """Each place of each text that was sent, and what came of it."""
        import pandas as pd

        s = self.sightings
        rows = []
        place = 0
        for number, call in enumerate(s.calls, start=1):
            probe = call.probe
            starts, ends = probe.spans
            before, upto = probe.before(starts), probe.before(ends)
            for i, start in enumerate(probe.starts):
                pieces = "; ".join(probe.text[a:b] for a, b in s.pieces[place])
                rows.append(
                    {
                        "call": number,
                        "purpose": probe.purpose,
                        "case": probe.case.number,
                        "words_before": int(before[i]),
                        "words_after": probe.words - int(upto[i]),
                        "characters_before": start,
                        "characters_after": len(probe.text) - int(ends[i]),
                        "found": bool(s.times[place] > 0),
                        "times": int(s.times[place]),
                        "changed": pieces,
                        "outcome": call.outcome,
                    }
                )
                place += 1
        return pd.DataFrame(rows)


def _describe_limit(limit: Limit) -> str:
    reading = {
        "before": "cut off at",
        "after": "reads only the last",
        "whole": "finds nothing in texts of more than",
    }
    return f"{reading[limit.side]} {limit.words:,} words ({limit.characters:,} characters)"


def _describe_seam(seam: Seam) -> str:
    at = f"windows with a seam at words {seam.low:,} to {seam.high:,}"
    return f"{at}, and then every {seam.step:,} words" if seam.step else at
