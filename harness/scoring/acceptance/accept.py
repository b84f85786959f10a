"""Acceptance tests of scored runs, with results as a table, as text or as JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.tables import frame_to_html
from ....sentences.annotated_texts import get_surface_forms
from ..repeat_tables import RepeatedScores
from ..scores import Scores
from ..signature import describe_differences
from ..statistics.design import make_design
from ..statistics.paired_differences import check_same_texts
from ..table import find_varying_columns, set_layout
from ..views.errors import list_errors, sample_positions
from ..views.types import WRONG_IDENTIFIER, WRONG_TYPE
from .checks import (
    COST_MEASURES,
    NOT_PASSED,
    TOO_FEW,
    UNCERTAIN,
    Check,
    find_alarmed_texts,
    get_class_name,
    judge_criterion,
)
from .criteria import Criterion, read_criteria

COLUMNS = (
    *("run", "corpus", "class", "query", "notion", "measure", "required", "limit", "observed", "low", "high"),
    *("bound", "confidence", "cases", "unit", "verdict", "reason", "interval", "signature", "basis"),
    "shortage",
)
"""Columns of the table of checks.

`low` and `high` are the ends of the two-sided interval that reports show. `bound` is the bound that is
compared with the limit, at the `confidence` of the criterion if it has one. `verdict` is ``passed``,
``passed, uncertain`` (the limit is met, but the interval crosses it), ``failed``, or ``too few names`` (the
observed value meets the limit, but its bound cannot, because there are too few names). In the last case,
`shortage` gives the number of names that are needed. For running times, `basis` gives the number of cases
that ran in a batch, so that their time is a share of the batch's time; it is empty if there are no such
cases.
"""


@dataclass(frozen=True)
class FailingCase:
    """Case in which a check failed, with its error and its text with gold and predicted mentions marked."""

    text_id: str
    error: str
    data: str
    gold: str
    predicted: str
    types: tuple[str, str] = ("", "")
    """Gold and predicted type of a mention with a wrong type."""

    def __str__(self) -> str:
        if self.error == "missed":
            return f"case {self.text_id}: missed {self.data!r} in: {self.gold}"
        if self.error == WRONG_TYPE:
            right, wrong = self.types
            return f"case {self.text_id}: {self.data!r} is a {right}, found as {wrong}, in: {self.gold}"
        return f"case {self.text_id}: {self.error} {self.data!r} in: {self.predicted}"


@dataclass(frozen=True)
class AcceptanceResult:
    """Result of an acceptance test.

    Attributes
    ----------
    table : DataFrame
        One row per check.
    failing_cases : dict of int to list of FailingCase
        Examples of failing cases for each row of the table; the keys are row numbers.
    notes : tuple of str
        Notes to show with the results.
    """

    table: pd.DataFrame
    failing_cases: dict[int, list[FailingCase]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = self.table["verdict"].value_counts()
        verdicts = ", ".join(f"{number} {name}" for name, number in counts.items())
        return "\n".join([f"Acceptance: {verdicts}", *self.describe_failures()])

    def _repr_html_(self) -> str:
        return frame_to_html(select_printed_columns(self.table))

    @property
    def passed(self) -> bool:
        """True if all checks passed."""
        return not bool(self.table["verdict"].isin(NOT_PASSED).any())

    def describe_failures(self) -> list[str]:
        """Return one line per failed check, each followed by its failing cases."""
        lines = []
        for i, row in enumerate(self.table.to_dict("records")):
            if row["verdict"] in NOT_PASSED:
                lines.append(f"{row['run']}: {row['class']}: {describe_check(row)}")
                lines += [f"  {case}" for case in self.failing_cases.get(i, [])]
        return lines


def accept(
    criteria: Sequence[Criterion] | str | PathLike[str],
    runs: Sequence[Scores],
    *,
    references: Sequence[Scores] = (),
    costs: Mapping[str, pd.DataFrame] | None = None,
    flips: Mapping[str, RepeatedScores] | None = None,
    max_cases: int = 5,
    seed: int = 0,
) -> AcceptanceResult:
    """Check each criterion on the runs to which it applies.

    Parameters
    ----------
    criteria : sequence of Criterion, or path
        Criteria, or the path of a criteria file.
    runs : sequence of Scores
        Scores of the runs, with the classes and notions of correctness that the criteria use.
    references : sequence of Scores
        Scores of other runs to which ``no_worse_than`` may refer.
    costs : mapping of str to DataFrame, optional
        Costs per case for each run; the keys are names of runs.
    flips : mapping of str to RepeatedScores, optional
        Scores of the repetitions of each run; the keys are names of runs. Required for ``max_flips``.
    max_cases : int
        Maximum number of failing cases to list per failed check.
    seed : int
        Random seed for sampling failing cases.

    Raises
    ------
    InputError
        If a criterion names an unknown run or a run on different texts, or if no criterion applies to any
        run.
    """
    criterion_list = read_criteria(criteria) if isinstance(criteria, (str, PathLike)) else list(criteria)
    known = {s.run: s for s in (*references, *runs)}
    rows: list[dict[str, object]] = []
    failing: dict[int, list[FailingCase]] = {}
    notes: dict[str, None] = {}
    for scores in runs:
        repeated, design = (flips or {}).get(scores.run), make_design(scores)
        for criterion in criterion_list:
            if criterion.runs and scores.run not in criterion.runs:
                continue
            reference = _find_reference(criterion, scores, known, notes)
            spent = (costs or {}).get(scores.run)
            for check in judge_criterion(criterion, scores, design, reference, spent, repeated):
                if not check.passed and max_cases:
                    failing[len(rows)] = _sample_failing_cases(
                        criterion, check, scores, max_cases, seed, repeated
                    )
                rows.append(_build_row(criterion, check, scores))
    if not rows:
        names = ", ".join(s.run for s in runs)
        raise InputError(
            "no criterion applies to these runs; give runs that a criterion names under `runs`",
            found=names,
        )
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    if bool((frame["cases"] % 1 == 0).all()):
        frame["cases"] = frame["cases"].astype("int64")
    return AcceptanceResult(frame, failing, tuple(notes))


def _find_reference(
    criterion: Criterion, scores: Scores, known: dict[str, Scores], notes: dict[str, None]
) -> Scores | None:
    name = criterion.limits.no_worse_than
    if not name or name == scores.run:
        return None
    if name not in known:
        raise InputError(
            f"class {criterion.class_.name}: unknown run", found=name, allowed=", ".join(known) or "none"
        )
    other = known[name]
    check_same_texts(scores, other)
    notes |= dict.fromkeys(describe_differences(scores.run, name, scores.list_differences(other)))
    return other


def _build_row(criterion: Criterion, check: Check, scores: Scores) -> dict[str, object]:
    table = scores.table
    at = (table["class"] == get_class_name(criterion)) & (table["notion"] == criterion.notion)
    return {
        "run": scores.run,
        "corpus": scores.corpus.name,
        "class": criterion.class_.name,
        "query": str(criterion.class_.query),
        "notion": criterion.notion,
        **vars(check),
        "verdict": check.verdict,
        "signature": str(table.loc[at, "signature"].iloc[0]),
    }


def _sample_failing_cases(
    criterion: Criterion, check: Check, scores: Scores, limit: int, seed: int, flips: RepeatedScores | None
) -> list[FailingCase]:
    if check.measure == "false_alarms":
        return _sample_false_alarms(criterion, scores, limit, seed)
    if check.measure in COST_MEASURES:
        return []
    if check.measure == "flips":
        return _sample_flipping_cases(criterion, scores, flips, limit, seed) if flips else []
    errors = list_errors(scores, criterion.notion, get_class_name(criterion))
    kind = {"recall": "missed", "precision": "spurious"}.get(check.measure.split(" ", 1)[0])
    if kind is not None:
        errors = errors[errors["error"].isin([kind, WRONG_TYPE, WRONG_IDENTIFIER])]
    chosen = errors.take(sample_positions(len(errors), limit, seed))
    return [
        FailingCase(
            str(r["text_id"]),
            r["error"],
            r["data"],
            r["gold"],
            r["predicted"],
            (r["type"], r["predicted_type"]),
        )
        for r in chosen.to_dict("records")
    ]


def _sample_false_alarms(criterion: Criterion, scores: Scores, limit: int, seed: int) -> list[FailingCase]:
    rows, alarmed = find_alarmed_texts(scores, criterion.class_)
    wrong = rows[alarmed]
    wrong = wrong[sample_positions(len(wrong), limit, seed)]
    cases = []
    for row in wrong.tolist():
        text = scores.corpus.texts.iloc[row]
        forms = get_surface_forms(scores.corpus.texts, scores.predicted[scores.predicted_row == row])
        alarms = "; ".join(forms.tolist())
        cases.append(
            FailingCase(str(text["text_id"]), "false alarm", alarms, str(text["text"]), str(text["text"]))
        )
    return cases


def _sample_flipping_cases(
    criterion: Criterion, scores: Scores, flips: RepeatedScores, limit: int, seed: int
) -> list[FailingCase]:
    rows, answers = flips.find_flipping_cases(get_class_name(criterion))
    chosen = sample_positions(len(rows), limit, seed)
    texts = scores.corpus.texts.take(rows[chosen])
    return [
        FailingCase(
            str(name), "flips", f"{number} answers in {flips.answers.shape[1]} repetitions", text, text
        )
        for name, text, number in zip(texts["text_id"], texts["text"], answers[chosen].tolist(), strict=True)
    ]


def describe_check(row: Mapping[Hashable, Any]) -> str:
    """Return one line per check: ``recall 0.42 (at least 0.38 with confidence 0.95); required >= 0.5; …``."""
    if row["reason"]:
        return f"{row['measure']} {row['reason']}; required {row['required']}"
    text = f"{row['measure']} {row['observed']:.3f}"
    if row["confidence"] == row["confidence"]:
        word = "at most" if str(row["required"]).startswith("<=") else "at least"
        text += f" ({word} {row['bound']:.3f} with confidence {row['confidence']:g})"
    text += f"; required {row['required']}; {row['cases']} {row['unit']}s"
    if row["basis"]:
        text += f"; not measured for each case: {row['basis']}"
    if row["verdict"] == UNCERTAIN:
        text += f"; {UNCERTAIN}: the interval from {row['low']:.3f} to {row['high']:.3f} crosses the limit"
    if row["verdict"] == TOO_FEW:
        text += f"; too few to be sure: {row['shortage']}"
    return text


def select_printed_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of the table of checks to print; bounds are formatted as ``>= 0.380``."""
    kept = [
        *find_varying_columns(table),
        "class",
        "notion",
        "measure",
        "required",
        "observed",
        "bound",
        "cases",
        "unit",
    ]
    kept += ["verdict"]
    frame = table[kept].copy()
    if table["basis"].any():
        frame["basis"] = table["basis"]
    sign = table["required"].astype("str").str.slice(0, 2)
    bound = table["bound"].map("{:.3f}".format)
    frame["bound"] = (sign + " " + bound).where(table["bound"].notna(), "")
    return set_layout(frame, "verdict", "observed", "required", "bound", "cases")


# characters that are illegal in XML 1.0
ILLEGAL_XML_CHARACTERS = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def format_junit_xml(result: AcceptanceResult) -> str:
    """Return the result of an acceptance test as JUnit XML; times are omitted to make it reproducible."""
    from lxml import etree

    table = result.table
    failures = int(table["verdict"].isin(NOT_PASSED).sum())
    root = etree.Element(
        "testsuites", name="tagsuite accept", tests=str(len(table)), failures=str(failures), errors="0"
    )
    suites = {}
    for run, group in table.groupby("run", sort=False):
        suites[run] = etree.SubElement(
            root,
            "testsuite",
            name=_remove_illegal_characters(str(run)),
            tests=str(len(group)),
            failures=str(int(group["verdict"].isin(NOT_PASSED).sum())),
            errors="0",
            skipped="0",
        )
    for i, row in enumerate(table.to_dict("records")):
        test = etree.SubElement(
            suites[row["run"]],
            "testcase",
            classname=_remove_illegal_characters(f"{row['run']}.{row['corpus']}"),
            name=_remove_illegal_characters(
                f"{row['class']}: {row['notion']} {row['measure']} {row['required']}"
            ),
        )
        line = describe_check(row)
        if row["verdict"] in NOT_PASSED:
            failure = etree.SubElement(
                test, "failure", message=_remove_illegal_characters(line), type="criterion"
            )
            lines = [str(case) for case in result.failing_cases.get(i, [])]
            failure.text = _remove_illegal_characters(
                "\n".join([line, f"signature: {row['signature']}", *lines])
            )
        else:
            etree.SubElement(test, "system-out").text = _remove_illegal_characters(line)
    text: bytes = etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="UTF-8")
    return text.decode("utf-8")


def _remove_illegal_characters(text: str) -> str:
    return ILLEGAL_XML_CHARACTERS.sub("\ufffd", text)
