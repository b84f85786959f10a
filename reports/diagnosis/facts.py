"""Functions that collect the figures, findings and examples of a diagnosis from the results of a study."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...harness.running.folder.runs import Run
from ...harness.scoring.classes import ALL
from ...harness.scoring.statistics.sums import SIDES, Measure
from ...harness.scoring.views.errors import mark_texts
from ...harness.scoring.views.false_alarms import count_false_alarms
from ...harness.scoring.views.types import share_wrong_types
from ...sentences.annotated_texts import get_surface_forms
from ..model import is_missing
from ..sections.findings import Findings, ScoredRun, get_main_notion, select_overall
from ..study.faults import OTHER_HALF, match_mentions

MAX_EXAMPLES = 3
"""Maximum number of example sentences for each finding."""
SUSPICION, FAULT = "suspicion", "fault"
"""Kinds of findings: suspicions of the user, and faults found by the search."""
CONFIRMED = "confirmed"
"""Verdict on suspicions that the results confirm, and on all faults."""
FINDING_COLUMNS = (
    *("kind", "source", "measure", "query", "words", "verdict", "value", "value_low", "value_high"),
    *("elsewhere", "mentions", "detectable", "evidence", "examples"),
)
"""Columns of the table of findings.

`value` is the recall or precision for the names that the query selects, and `elsewhere` is the same measure
for other names. `mentions` is the number of selected names (for recall) or of selected predictions (for
precision). `detectable` is the smallest difference that would have been detected. `examples` is a list of
sentences with gold mentions in ⟦ ⟧.
"""


def summarise_run(entry: ScoredRun) -> dict[str, Any]:
    """Return counts, recall, precision, false alarms and failures of a run on a suite."""
    notion = get_main_notion(entry.scores)
    rows = select_overall(entry.scores.table).set_index("notion")
    row: Mapping[Hashable, Any] = rows.loc[notion].to_dict()
    facts: dict[str, Any] = {
        "source": entry.source,
        "cases": len(entry.scores.corpus.texts),
        "notion": notion,
    }
    facts |= {name: int(row[name]) for name in ("gold", "predicted")}
    for name in (f"{measure}{end}" for measure in SIDES for end in ("", "_low", "_high")):
        facts[name] = None if is_missing(row[name]) else float(row[name])
    if "sloppy" in rows.index and notion == "strict":
        facts["wrong_boundary"] = float(rows.loc["sloppy"].to_dict()["recall"]) - float(row["recall"])
    facts["wrong_type"] = share_wrong_types(entry.scores)
    alarms = count_false_alarms(entry.scores).iloc[0]
    facts |= {"without_names": int(alarms["cases"]), "false_alarms": int(alarms["false_alarms"])}
    return facts | describe_failure(entry.run)


def describe_failure(run: Run | None) -> dict[str, Any]:
    """Return the number of cases on which a run failed, and the most frequent reason for failure."""
    if run is None or not run.failed:
        return {"failed": 0, "reason": ""}
    failure = max(run.meta.get("failure", []), key=lambda one: int(one["count"]), default=None)
    words = (f"{failure['outcome']}: {failure['said']}", failure["stderr"]) if failure else ()
    return {"failed": run.failed, "reason": "; ".join(filter(None, words))}


def collect_findings(findings: Findings) -> pd.DataFrame:
    """Return suspicions with their verdicts, then confirmed faults, most important first.

    The columns are `FINDING_COLUMNS`.
    """
    suites = {entry.source: entry for entry in findings.entries if entry.is_suite}
    rows = [
        *_collect_suspicions(findings.comparison, suites),
        *(row for table in findings.faults.values() for row in _collect_faults(table, suites)),
    ]
    return pd.DataFrame(rows, columns=list(FINDING_COLUMNS))


def _collect_suspicions(comparison: pd.DataFrame, suites: Mapping[str, ScoredRun]) -> list[dict[str, object]]:
    """Return one row per suspicion and measure, with results on the suite that was made for the suspicion."""
    if comparison.empty:
        return []
    names = comparison.loc[comparison["measure"].notna(), "class"].drop_duplicates().tolist()
    rows = []
    for name, entry in zip(names, suites.values(), strict=False):
        mine = comparison[(comparison["class"] == name) & (comparison["corpus"] == entry.source)]
        for row in mine.to_dict("records"):
            measure: Measure = row["measure"]
            own = {f"value{end}": row[f"{measure}{end}"] for end in ("_low", "_high")}
            own |= {"value": row["observed"], "elsewhere": row["rest"], "detectable": row["detectable"]}
            verdict = row["verdict"] if row["verdict"] in ("refuted", "undecided") else CONFIRMED
            own |= {"mentions": int(row[SIDES[measure]]), "verdict": verdict, "evidence": "suite"}
            rows.append(_make_finding(SUSPICION, entry, name, measure, own))
    return rows


def _collect_faults(table: pd.DataFrame, suites: Mapping[str, ScoredRun]) -> list[dict[str, object]]:
    """Return one row of findings per fault, in the order of `table`."""
    rows = []
    for row in table.to_dict("records"):
        entry = suites[row["source"]]
        evidence = row.get("evidence", OTHER_HALF)
        own = {name: row[name] for name in ("value", "value_low", "value_high")}
        own |= {"words": f"{entry.tagger} {row['words']}", "mentions": int(row["cases"])}
        own |= {"elsewhere": row["rest" if evidence == OTHER_HALF else "nearest"], "evidence": evidence}
        rows.append(_make_finding(FAULT, entry, row["query"], row["measure"], own))
    return rows


def _make_finding(
    kind: str, entry: ScoredRun, query: str, measure: Measure, figures: Mapping[str, object]
) -> dict[str, object]:
    """Return a row of the table of findings, including example sentences."""
    named = {"kind": kind, "source": entry.source, "measure": measure, "query": query}
    others = {"words": "", "verdict": CONFIRMED, "examples": find_examples(entry, query, measure)}
    return {**named, **others, **figures}


def find_examples(entry: ScoredRun, query: str, measure: Measure) -> list[str]:
    """Return sentences in which a tagger makes errors on the names that a query selects.

    For recall, the errors are missed names; for precision, wrong predictions. Gold mentions are in ⟦ ⟧, and a
    wrong prediction is shown in front of its sentence. The shortest sentences come first, and no two examples
    have the same name or sentence.
    """
    scores = entry.scores
    side = SIDES[measure]
    mentions: pd.DataFrame = getattr(scores, side)
    rows = scores.gold_row if side == "gold" else scores.predicted_row
    wrong = ~scores.get_tally(get_main_notion(scores)).get_right_mask(side)
    if side == "predicted" and scores.is_unplaced is not None:
        wrong &= ~scores.is_unplaced
    chosen = np.flatnonzero(wrong & match_mentions(scores, query, measure))
    frame = pd.DataFrame({"row": rows[chosen], "start": mentions["start"].to_numpy()[chosen]})
    frame["form"] = get_surface_forms(scores.corpus.texts, mentions).to_numpy()[chosen]
    frame["length"] = scores.corpus.texts["text"].str.len().to_numpy()[frame["row"].to_numpy()]
    frame = frame.sort_values(["length", "row", "start"], kind="stable").drop_duplicates("row")
    frame = frame.drop_duplicates("form").head(MAX_EXAMPLES)
    texts = mark_texts(scores, "gold", frame["row"].to_numpy())
    prefixes = [f"{form!r} in: " if measure == "precision" else "" for form in frame["form"]]
    return [prefix + text for prefix, text in zip(prefixes, texts, strict=True)]


def collect_expectations(findings: Findings, corpus: str) -> pd.DataFrame:
    """Return the recall expected on a corpus (columns `corpus`, `basis`, `value`, `low` and `high`).

    If some estimates were calibrated with annotated sentences, only the calibrated ones are returned.

    Parameters
    ----------
    findings : Findings
    corpus : str
        Name of the composition or of the annotated corpus, for the column `corpus`.
    """
    calibrated = len(findings.calibrated) > 0
    table, name = (findings.calibrated, "calibrated") if calibrated else (findings.estimates, "standardised")
    if len(table):
        table = table[(table["class"] == ALL) & (table["measure"] == "recall")].drop_duplicates("suite")
    rows = [
        (
            corpus,
            f"{int(row['annotated'])} annotated names" if calibrated else "the suite",
            *(row[f"{name}{end}"] for end in ("", "_low", "_high")),
        )
        for row in table.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=["corpus", "basis", "value", "low", "high"])
