"""The acceptance criteria of a study, judged on each suite or corpus that it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ...catalogues.core.files import atomic_path
from ...harness.scoring.acceptance.accept import accept
from ...harness.scoring.acceptance.criteria import read_criteria
from ...harness.scoring.acceptance.junit import junit_xml
from .carrying import Outcome


@dataclass(frozen=True)
class Judged:
    """What the criteria came to.

    Attributes
    ----------
    table : DataFrame
        A row a check, on all that was judged; empty when the study has no criteria.
    passed : bool
        Whether every check passed.
    lines : list of str
        The failed checks in words, with failing cases.
    """

    table: pd.DataFrame
    passed: bool
    lines: list[str]


def judge_study(outcome: Outcome, out: Path) -> Judged:
    """Judge the criteria of the study's file and write ``acceptance-SOURCE.xml`` (JUnit) for each source."""
    study = outcome.study
    if not study.acceptance:
        return Judged(pd.DataFrame(), True, [])
    criteria = read_criteria(outcome.places.path(study.acceptance))
    sources = study.accept_on or [s.name for s in study.suite] or [c.name for c in study.corpus]
    tables, lines, passed = [], [], True
    for source in sources:
        found = accept(criteria, [s.notions for s in outcome.scored if s.source == source])
        with atomic_path(out / f"acceptance-{source}.xml") as temporary:
            temporary.write_text(junit_xml(found), encoding="utf-8")
        tables.append(found.table)
        lines += found.lines()
        passed &= found.passed
    return Judged(pd.concat(tables, ignore_index=True), passed, lines)
