"""Section with the results of acceptance criteria, one row per check."""

from __future__ import annotations

import pandas as pd

from ...harness.scoring.acceptance.checks import COST_MEASURES, NOT_PASSED, UNCERTAIN
from ..cells import format_bare_percent, format_quantity
from ..model import Column, Kind, Section, Table
from .findings import Findings


def acceptance_section(findings: Findings) -> Section:
    """Return the section with the results of acceptance criteria."""
    tables = acceptance_tables(findings.acceptance) if len(findings.acceptance) else ()
    return Section("acceptance", "Acceptance", blocks=tuple(tables))


def describe_acceptance(accepted: pd.DataFrame) -> list[str]:
    """Return a sentence with the numbers of failed checks and of uncertain checks."""
    if accepted.empty:
        return []
    failed = int(accepted["verdict"].isin(NOT_PASSED).sum())
    unsure = int((accepted["verdict"] == UNCERTAIN).sum())
    checks = format_quantity(len(accepted), "check")
    whose = "its interval includes" if unsure == 1 else "their intervals include"
    uncertain = f"uncertain, because {whose} the limit"
    if failed:
        are = "is" if unsure == 1 else "are"
        of_rest = f"; {unsure:,} of the passed checks {are} {uncertain}" if unsure else ""
        return [f"Not accepted: {failed:,} of {checks} failed{of_rest}."]
    return [f"Accepted: all {checks} passed{f', {unsure:,} of them {uncertain}' if unsure else ''}."]


def acceptance_tables(accepted: pd.DataFrame) -> list[Table]:
    """Return tables with one row per check; shares and differences are in per cent, with intervals."""
    frame = accepted.copy()
    sign = frame["required"].astype("str").str.slice(0, 2).map({"<=": "≤", ">=": "≥"})
    spent = frame["measure"].isin(COST_MEASURES)
    for name in ("limit", "bound"):
        number = frame[name].map("{:g}".format).where(spent, frame[name].map(format_bare_percent))
        frame[f"{name}_shown"] = (sign + "\u00a0" + number).where(frame[name].notna(), None)
    frame["rests_on"] = [
        format_quantity(n, unit)
        for n, unit in zip(frame["cases"].astype("int64"), frame["unit"], strict=True)
    ]
    frame["reason"] = frame["reason"].where(frame["reason"] != "", frame["shortage"])
    for name in ("reason", "basis"):
        frame[name] = frame[name].replace("", None)
    against = frame["measure"].str.contains(" against ", regex=False)
    parts: tuple[tuple[str, str, Kind, pd.Series], ...] = (
        ("acceptance-criteria", "Acceptance criteria", "range", ~against & ~spent),
        ("acceptance-spending", "Acceptance criteria on seconds and price", "number", spent),
        ("acceptance-against", "Acceptance criteria: difference from another run", "difference", against),
    )
    return [
        _table(frame[rows].reset_index(drop=True), id_, caption, kind)
        for id_, caption, kind, rows in parts
        if rows.any()
    ]


def _table(frame: pd.DataFrame, id_: str, caption: str, kind: Kind) -> Table:
    columns = (
        Column("run", "tagger"),
        Column("corpus", "on"),
        Column("class", "criterion", under="reason"),
        Column("notion", "notion"),
        Column("measure", "measure"),
        Column("limit_shown", "required"),
        Column("observed", "observed", kind, "low", "high"),
        Column("bound_shown", "bound", help="limit of the interval that is compared with the required value"),
        Column("confidence", "confidence", "share"),
        Column("rests_on", "based on"),
        Column("basis", "seconds", help="the time of a batch is divided among its cases"),
        Column("verdict", "verdict", "verdict"),
    )
    kept = tuple(c for c in columns if frame[c.name].notna().any())
    note = (
        "The bound is the limit of the interval that is compared with the required value. If a criterion "
        "sets a confidence, the one-sided bound at that confidence must meet the requirement. Passed, "
        "uncertain: the observed value meets the requirement, but part of the interval does not."
    )
    return Table(id_, caption, frame, kept, note=note)
