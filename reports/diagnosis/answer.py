"""Answer of a diagnosis as text of at most fifteen lines, as data, or as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ...catalogues.core.tables import frame_to_html, frame_to_records
from ...harness.scoring.discovery.phrases import format_share
from ...harness.scoring.scores import Scores
from ...harness.scoring.views.errors import CLOSING_MARK, OPENING_MARK
from ..cells import format_quantity
from ..model import is_missing
from ..study.faults import NEW_CASES, OTHER_HALF
from .facts import CONFIRMED, FAULT, MAX_EXAMPLES, SUSPICION

MAX_LINES = 15
"""Maximum number of lines of an answer."""
MAX_FINDINGS = 5
"""Maximum number of faults in an answer; the report lists all faults."""
EXAMPLE_WIDTH = 110
"""Maximum number of characters of an example."""
MAX_REASON = 120
"""Maximum number of characters of the reason for a failure."""
MEMORY_PREFIX = "memory:"
"""Prefix of `Diagnosis.source` for a tagger that is a Python object in memory."""
INDENT = "   "


@dataclass(frozen=True)
class Diagnosis:
    """Result of a diagnosis.

    Attributes
    ----------
    tagger : str
        Name of the tagger.
    source : str
        Tagger as an argument of `tagsuite.run`; begins with `MEMORY_PREFIX` for an object in memory.
    label : str
        Name and version of the tagger.
    folder : Path
        Folder of the results.
    status : int
        Exit status of the command: 3 if the tagger failed on some input, else 0.
    summaries : sequence of mapping
        Figures of each suite; see `summarise_run`.
    findings : DataFrame
        Suspicions and confirmed faults, most important first; see `FINDING_COLUMNS`.
    expectations : DataFrame
        Recall expected on a corpus; see `collect_expectations`.
    new_cases : int
        Number of new cases on which faults were tested.
    scores : Scores
        Scores of the first suite.
    """

    tagger: str
    source: str
    label: str
    folder: Path
    status: int
    summaries: Sequence[Mapping[str, Any]]
    findings: pd.DataFrame
    expectations: pd.DataFrame
    new_cases: int
    scores: Scores

    @property
    def report(self) -> Path:
        """Path of the report, an HTML page."""
        return self.folder / "report.html"

    @property
    def study(self) -> Path:
        """Path of the study file that repeats the diagnosis."""
        return self.folder / "study.toml"

    @property
    def suspicions(self) -> pd.DataFrame:
        """Table of the findings on suspicions, with one row per query and measure."""
        return self._select(SUSPICION)

    @property
    def faults(self) -> pd.DataFrame:
        """Table of the confirmed faults, with one row per fault."""
        return self._select(FAULT)

    def _select(self, kind: str) -> pd.DataFrame:
        return self.findings[self.findings["kind"] == kind].reset_index(drop=True)

    def describe(self) -> list[str]:
        """Return the lines of the answer, at most `MAX_LINES`."""
        failure = self._describe_failure()
        if failure and all(s["failed"] == s["cases"] for s in self.summaries):
            return [*failure, f"report: {self.report}"]
        head = [*failure, *self._describe_figures()]
        tail = [*self._describe_certainty(), *self._describe_expectations(), f"report: {self.report}"]
        # recall for each suspicion, and precision for confirmed ones
        suspicions = [
            row
            for row in self.suspicions.to_dict("records")
            if row["measure"] == "recall" or row["verdict"] == CONFIRMED
        ]
        faults = self.faults.to_dict("records")
        room = MAX_LINES - len(head) - len(tail)
        items = [_describe_suspicion(row, self.tagger) for row in suspicions]
        items += [f"{i}. {_describe_fault(row)}" for i, row in enumerate(faults[:MAX_FINDINGS], 1)]
        rows = [*suspicions, *faults[:MAX_FINDINGS]][:room]
        lines = []
        spare = room - len(rows)
        for number, (item, row) in enumerate(zip(items, rows, strict=False)):
            count = min(MAX_EXAMPLES, -(-spare // (len(rows) - number)), len(row["examples"]))
            spare -= count
            lines += [item, *(f"{INDENT}- {shorten_example(e)}" for e in row["examples"][:count])]
        return [*head, *lines, *tail]

    def _describe_failure(self) -> list[str]:
        failed, cases = (sum(s[name] for s in self.summaries) for name in ("failed", "cases"))
        if not failed:
            return []
        reason = next(s["reason"] for s in self.summaries if s["failed"])
        share = f"all {cases:,} sentences" if failed == cases else f"{failed:,} of {cases:,} sentences"
        effect = "" if failed == cases else ", which count as sentences without predictions"
        return [f"{self.tagger} failed on {share}{effect} ({shorten_text(reason)}); {self._check} the cause"]

    @property
    def _check(self) -> str:
        """Hint on how to see the tagger's answers, as the beginning of a clause."""
        if self.source.startswith(MEMORY_PREFIX):
            return "`tagsuite.run` on a few sentences shows"
        return f"`tagsuite taggers check {self.source}` shows"

    def _describe_figures(self) -> list[str]:
        lines = []
        for one in self.summaries:
            on = f" on {one['source']}" if len(self.summaries) > 1 else ""
            if not one["predicted"]:
                lines.append(
                    f"{self.tagger} found nothing{on}: no prediction in {one['cases']:,} sentences with "
                    f"{format_quantity(one['gold'], 'name')}; {self._check} what it answers"
                )
                continue
            recall, precision = (
                format_estimate(*(one[f"{m}{end}"] for end in ("", "_low", "_high")))
                for m in ("recall", "precision")
            )
            lines.append(
                f"{self.tagger}{on}: recall {recall} of {format_quantity(one['gold'], 'name')}, precision "
                f"{precision} of {format_quantity(one['predicted'], 'prediction')} "
                f"({one['cases']:,} sentences)"
            )
        if len(self.summaries) == 1 and self.summaries[0]["predicted"]:
            lines += _describe_details(self.summaries[0])
        return lines

    def _describe_certainty(self) -> list[str]:
        tested = f" ({self.new_cases:,} new sentences were tested)" if self.new_cases else ""
        if not any(one["predicted"] for one in self.summaries):
            return []
        evidence = self.faults["evidence"].tolist()
        if not evidence:
            return [
                "no fault was confirmed: no kind of name is worse than other names by .1 or more and beyond "
                f"chance{tested}"
            ]
        half = "on the half of the suite that was not searched"
        new = f"on {self.new_cases:,} sentences generated after the search"
        tested = f"all faults were confirmed {new if set(evidence) == {NEW_CASES} else half}"
        if {NEW_CASES, OTHER_HALF} <= set(evidence):
            tested = f'faults marked "new" were confirmed {new}, the others {half}'
        more = len(evidence) - MAX_FINDINGS
        rest = f"; {format_quantity(more, 'more fault')} in the report" if more > 0 else ""
        return [f"{tested} (95 % intervals){rest}"]

    def _describe_expectations(self) -> list[str]:
        lines = []
        for row in self.expectations.head(1).to_dict("records"):
            name = row["corpus"]
            if is_missing(row["value"]):
                lines.append(f"no estimate for {name}: the suite covers too little of it")
                continue
            value = format_estimate(row["value"], row["low"], row["high"])
            lines.append(f"expected in a corpus like {name}: recall {value} (from {row['basis']})")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as a dict that can be written as JSON."""
        return {
            "tagger": self.tagger,
            "version": self.label,
            "status": self.status,
            "suites": [dict(one) for one in self.summaries],
            "suspicions": frame_to_records(self.suspicions),
            "faults": frame_to_records(self.faults),
            "new_cases": self.new_cases,
            "expected": frame_to_records(self.expectations),
            "report": str(self.report),
            "study": str(self.study),
        }

    def __repr__(self) -> str:
        return "\n".join(self.describe())

    def _repr_html_(self) -> str:
        from html import escape

        shown = ["kind", "query", "measure", "verdict", "value", "value_low", "value_high", "elsewhere"]
        lines = "".join(f"<p>{escape(line)}</p>" for line in self._describe_figures())
        link = f'<p><a href="{escape(str(self.report))}">report</a></p>'
        return lines + frame_to_html(self.findings[[*shown, "mentions", "evidence"]]) + link


def format_estimate(value: float | None, low: float | None, high: float | None) -> str:
    """Return a share with its interval as text.

    Examples
    --------
    >>> format_estimate(0.474, 0.42, 0.53)
    '.47 [.42–.53]'
    """
    if value is None or is_missing(value):
        return "undefined"
    if low is None or high is None or is_missing(low) or is_missing(high):
        return format_share(value)
    return f"{format_share(value)} [{format_share(low)}–{format_share(high)}]"


def shorten_text(text: str, width: int = MAX_REASON) -> str:
    """Return a text on one line, cut after `width` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def shorten_example(text: str, width: int = EXAMPLE_WIDTH) -> str:
    """Return a sentence on one line; if it must be cut, the part with the first gold mention is kept."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    start, end = text.find(OPENING_MARK), text.find(CLOSING_MARK)
    first = min(max(0, min((start + end - width) // 2, len(text) - width)), max(start, 0))
    cut = shorten_text(text[first:], width)
    return f"…{cut[1:]}" if first else cut


def _describe_details(one: Mapping[str, Any]) -> list[str]:
    """Return a line about wrong boundaries, wrong types and false alarms."""
    shares = {what: one.get(f"wrong_{what}") for what in ("boundary", "type")}
    found = [
        f"{format_share(share)} are found with a wrong {what}" for what, share in shares.items() if share
    ]
    parts = [f"of the names, another {' and '.join(found)}, which counts as an error"] if found else []
    if one["without_names"]:
        parts.append(
            f"false alarms in {one['false_alarms']:,} of {format_quantity(one['without_names'], 'sentence')} "
            "without a name"
        )
    return [f"{INDENT}{'; '.join(parts)}"] if parts else []


def _describe_fault(row: Mapping[Hashable, Any]) -> str:
    """Return the sentence about a fault, with the interval of its recall or precision."""
    figure = f"{row['measure']} {format_share(row['value'])}"
    estimate = format_estimate(row["value"], row["value_low"], row["value_high"])
    return str(row["words"]).replace(figure, f"{row['measure']} {estimate}", 1)


def _describe_suspicion(row: Mapping[Hashable, Any], tagger: str) -> str:
    """Return the verdict on a suspicion, with the results for suspected names and for other names."""
    unit = "name" if row["measure"] == "recall" else "prediction"
    own = format_estimate(row["value"], row["value_low"], row["value_high"])
    other = format_estimate(row["elsewhere"], None, None)
    figures = f"{row['measure']} {own}, elsewhere {other} ({format_quantity(row['mentions'], unit)})"
    verdict = {"refuted": "refuted", "undecided": "not confirmed"}.get(row["verdict"], CONFIRMED)
    if row["verdict"] == "undecided" and not is_missing(row["detectable"]):
        figures += f"; a difference of {format_share(row['detectable'])} or more would have shown"
    return f"suspicion {row['query']}: {verdict} for {tagger}: {figures}"
