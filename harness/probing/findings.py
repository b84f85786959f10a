"""What a probe of length found, in words and as tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ..running.outcomes import ANSWERED
from .cases import Case
from .limits import Limit
from .seams import Seam
from .sightings import Sightings

if TYPE_CHECKING:
    import pandas as pd

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
        return sum(answer.outcome not in ANSWERED for _, answer in self.sightings.asked)

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
            "unit": limit.unit if limit else seam.unit if seam else None,
            "found_up_to": limit.found if limit else None,
            "lost_from": limit.lost if limit else None,
            "seam_from": seam.low if seam else None,
            "seam_to": seam.high if seam else None,
            "seam_step": (seam.step or None) if seam else None,
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
        for call, (probe, answer) in enumerate(s.asked, start=1):
            starts, ends = probe.spans
            before, upto = probe.before("words", starts), probe.before("words", ends)
            words = probe.total("words")
            for i, start in enumerate(probe.starts):
                pieces = "; ".join(probe.text[a:b] for a, b in s.pieces[place])
                rows.append(
                    {
                        "call": call,
                        "purpose": probe.purpose,
                        "case": probe.case.number,
                        "words_before": int(before[i]),
                        "words_after": words - int(upto[i]),
                        "characters_before": start,
                        "characters_after": len(probe.text) - int(ends[i]),
                        "found": bool(s.times[place] > 0),
                        "times": int(s.times[place]),
                        "changed": pieces,
                        "outcome": answer.outcome,
                    }
                )
                place += 1
        return pd.DataFrame(rows)


def _describe_limit(limit: Limit) -> str:
    at = f"{limit.found:,}"
    if not limit.is_certain:
        at = f"about {at}"
    elif limit.lost - limit.found > 1:
        at = f"{at} to {limit.lost:,}"
    reading = {
        "before": "cut off at",
        "after": "reads only the last",
        "whole": "finds nothing in texts of more than",
    }
    return f"{reading[limit.side]} {at} {limit.unit}"


def _describe_seam(seam: Seam) -> str:
    at = f"windows with a seam at {seam.unit} {seam.low:,} to {seam.high:,}"
    return f"{at}, and then every {seam.step:,} {seam.unit}" if seam.step else at
