"""Results of a length probe: the mentions found at each position of a case, and the conclusion."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ..running.outcomes import ANSWERED_OUTCOMES
from .calls import Call, Span
from .texts import IntArray, ProbeCase, Side

if TYPE_CHECKING:
    import pandas as pd

BoolArray = NDArray[np.bool_]


@dataclass
class Observations:
    """Occurrences of a case's mention in texts, and the tagger's predictions at these positions.

    Attributes
    ----------
    calls : list of Call
        Texts and answers.
    usual_spans : collection of (int, int)
        Spans inside the mention that the tagger predicts even if the case is the complete text. They are no
        sign of a window boundary. Offsets are relative to the start of the mention.
    """

    calls: list[Call]
    usual_spans: Collection[Span] = ()

    @property
    def words_before(self) -> IntArray:
        """Number of words before each occurrence of the mention."""
        return _concatenate(c.probe.count_words_before(c.probe.starts) for c in self.calls)

    def count_words_read(self, side: Side) -> IntArray:
        """Return the number of words that a tagger must read to reach each occurrence of the mention."""
        return _concatenate(c.probe.count_words_read(side) for c in self.calls)

    @cached_property
    def counts(self) -> IntArray:
        """Number of exact predictions of the mention at each of its occurrences."""
        return _concatenate(
            np.array([call.spans.count(span) for span in call.probe.spans], dtype=np.int64)
            for call in self.calls
        )

    @property
    def found_flags(self) -> BoolArray:
        """Boolean array that is True for each occurrence of the mention that the tagger predicted exactly."""
        seen: BoolArray = self.counts > 0
        return seen

    @cached_property
    def partial_spans(self) -> list[list[Span]]:
        """For each occurrence of the mention, the predicted spans that overlap it but are not equal to it."""
        found: list[list[Span]] = []
        for call in self.calls:
            spans = np.array(call.spans, dtype=np.int64).reshape(-1, 2)
            for start, end in call.probe.spans:
                near = spans[(spans[:, 1] > start) & (spans[:, 0] < end)].tolist()
                others = [(a, b) for a, b in near if (a, b) != (start, end)]
                found.append([(a, b) for a, b in others if (a - start, b - start) not in self.usual_spans])
        return found

    @property
    def irregular_flags(self) -> BoolArray:
        """Boolean array that is True for each occurrence that is missed, split or predicted several times."""
        is_divided = np.array(list(map(bool, self.partial_spans)), dtype=bool)
        odd: BoolArray = (self.counts != 1) | is_divided
        return odd


def _concatenate(parts: Iterable[IntArray]) -> IntArray:
    found = list(parts)
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Limit:
    """Maximum text length at which a tagger still finds the mention of the case.

    Attributes
    ----------
    side : str
        Part of the text whose length is limited: ``before``, ``after`` or ``whole``.
    words : int
        Maximum length, in words, at which the mention was found.
    characters : int
        The same length in characters.
    """

    side: Side
    words: int
    characters: int


@dataclass(frozen=True)
class Seam:
    """First boundary between the text windows that a tagger reads, and the distance between boundaries.

    Attributes
    ----------
    low, high : int
        Numbers of the words between which the boundary lies.
    step : int
        Number of words from one boundary to the next; 0 if unknown.
    position : int
        Number of words before a mention that lies on the boundary.
    """

    low: int
    high: int
    step: int
    position: int


LengthVerdict = Literal["no limit", "cut-off", "windows", "unstable", "irregular", "undecided"]


@dataclass
class LengthResult:
    """Result of a length probe.

    Attributes
    ----------
    tagger : str
        Label of the tagger.
    kind : str
        Conclusion in one or two words, for example ``cut-off``.
    case : ProbeCase
        Case that the probe placed in its texts.
    max_words : int
        Number of words in the longest text.
    call_count : int
        Number of texts that were sent, including texts sent before an interruption.
    limit : Limit or None
        Maximum text length that the tagger reads, if the probe found one.
    seam : Seam or None
        First boundary between text windows, if the probe found one.
    observations : Observations
        All occurrences of the mention in all texts, with the tagger's predictions.
    changed_share : float
        Share of occurrences whose prediction changes when the same text is sent again.
    notes : list of str
        Notes for the user.
    """

    tagger: str
    kind: LengthVerdict
    case: ProbeCase
    max_words: int
    call_count: int = 0
    limit: Limit | None = None
    seam: Seam | None = None
    observations: Observations = field(default_factory=lambda: Observations([]))
    changed_share: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def failed_count(self) -> int:
        """Number of texts to which the tagger returned no usable answer."""
        return sum(call.outcome not in ANSWERED_OUTCOMES for call in self.observations.calls)

    @property
    def verdict(self) -> str:
        """Conclusion of the probe as a phrase, with the length limit or window boundary that was found."""
        if (limit := self.limit) is not None:
            reading = {
                "before": "cut off at",
                "after": "reads only the last",
                "whole": "finds nothing in texts of more than",
            }
            return f"{reading[limit.side]} {limit.words:,} words ({limit.characters:,} characters)"
        if (seam := self.seam) is not None:
            at = f"windows with a seam at words {seam.low:,} to {seam.high:,}"
            return f"{at}, and then every {seam.step:,} words" if seam.step else at
        return {
            "no limit": f"no limit up to {self.max_words:,} words",
            "unstable": f"unstable: {self.changed_share:.1%} of mentions differ when the text is sent again",
            "irregular": "mentions are lost at places that neither a limit nor windows explain",
        }.get(self.kind, "undecided: the maximum number of texts was reached")

    def make_table(self) -> pd.DataFrame:
        """Convert the result to a table with one row."""
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
            "most": self.max_words,
            "calls": self.call_count,
            "in_words": self.verdict,
        }
        return pd.DataFrame([row], dtype="object")

    def make_probe_table(self) -> pd.DataFrame:
        """Return a table of the predictions, with one row per occurrence of the mention."""
        import pandas as pd

        s = self.observations
        rows = []
        place = 0
        for number, call in enumerate(s.calls, start=1):
            probe = call.probe
            before, upto = probe.count_words_before(probe.starts), probe.count_words_read("before")
            for i, (start, end) in enumerate(probe.spans):
                pieces = "; ".join(probe.text[a:b] for a, b in s.partial_spans[place])
                rows.append(
                    {
                        "call": number,
                        "purpose": probe.purpose,
                        "case": probe.case.number,
                        "words_before": int(before[i]),
                        "words_after": probe.word_count - int(upto[i]),
                        "characters_before": start,
                        "characters_after": len(probe.text) - end,
                        "found": bool(s.counts[place] > 0),
                        "times": int(s.counts[place]),
                        "changed": pieces,
                        "outcome": call.outcome,
                    }
                )
                place += 1
        return pd.DataFrame(rows)
