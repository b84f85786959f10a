"""What a probe of length found, in words and as tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ..running.outcomes import ANSWERED
from .cases import Case
from .limits import Bracket
from .sightings import Sightings
from .texts import UNITS, Side
from .windows import Windows

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["no limit", "cut-off", "windows", "decay", "unstable", "irregular", "undecided"]


@dataclass
class Length:
    """What a probe of length found.

    Attributes
    ----------
    tagger : str
    kind : str
    case : Case
    most : int
    calls : int
        Texts that were sent, answers of before included.
    side : str
        Of a cut-off: what is limited.
    bracket : Bracket or None
        Of a cut-off.
    windows : Windows or None
    fits : list of Windows
        What explains the survey best, in each unit.
    sightings : Sightings
        All places of all texts.
    changed : float
        Share of places that came back otherwise from the same text.
    notes : list of str
    """

    tagger: str
    kind: Kind
    case: Case
    most: int
    calls: int = 0
    side: Side = "before"
    bracket: Bracket | None = None
    windows: Windows | None = None
    fits: list[Windows] = field(default_factory=list)
    sightings: Sightings = field(default_factory=lambda: Sightings([]))
    changed: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def failed(self) -> int:
        """Texts that got no answer that can be used."""
        return sum(answer.outcome not in ANSWERED for _, answer in self.sightings.asked)

    @property
    def verdict(self) -> str:
        """What was found, in a few words."""
        if self.windows is not None:
            unit, size, overlap = self.windows.unit, self.windows.size, self.windows.overlap
            if overlap < 0:
                return f"windows of {size:,} {unit} with {-overlap:,} {unit} unread between them"
            return f"windows of {size:,} {unit} with an overlap of {overlap:,}"
        if self.bracket is not None:
            one = self.bracket
            at = f"{one.found:,} {one.unit}"
            if not one.exact:
                at = f"between {one.found:,} and {one.lost:,} {one.unit}"
            of = {
                "before": "cut off at",
                "after": "reads only the last",
                "whole": "finds nothing in texts of more than",
            }
            return f"{of[self.side]} {at}"
        return {
            "no limit": f"no limit up to {self.most:,} words",
            "decay": "found ever less often further on",
            "unstable": f"unstable: {self.changed:.1%} of places differ when the same text is sent again",
            "irregular": "lost at places that neither a limit nor windows explain",
        }.get(self.kind, "undecided: more texts are needed than may be sent")

    def table(self) -> pd.DataFrame:
        """The verdict, as a row."""
        import pandas as pd

        one, windows = self.bracket, self.windows
        row = {
            "tagger": self.tagger,
            "verdict": self.kind,
            "unit": one.unit if one else windows.unit if windows else None,
            "found_up_to": one.found if one else None,
            "lost_from": one.lost if one else None,
            "window": windows.size if windows else None,
            "overlap": windows.overlap if windows else None,
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

    def units(self) -> pd.DataFrame:
        """What a limit or windows would have to be in each unit, and how much that leaves unexplained."""
        import pandas as pd

        rows: list[dict[str, object]] = []
        if self.bracket is not None:
            seen = self.sightings.seen
            for unit in UNITS:
                extent = self.sightings.extent(unit, self.side)
                found, lost = int(extent[seen].max()), int(extent[~seen].min())
                misses = int((~seen & (extent <= found)).sum())
                explains = misses == self.bracket.misses
                rows.append(
                    {
                        "unit": unit,
                        "found_up_to": found,
                        "lost_from": int(extent[extent > found].min()) if explains else lost,
                        "unexplained": misses,
                        "explains": explains,
                    }
                )
        rows += [
            {
                "unit": one.unit,
                "window": one.size,
                "overlap": one.overlap,
                "unexplained": one.wrong,
                "explains": one.wrong == 0,
            }
            for one in sorted(self.fits, key=lambda fit: UNITS.index(fit.unit))
            if self.windows
        ]
        return pd.DataFrame(rows)
