"""The report at the end of a study."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from ..collecting.building import build_report
from ..model import Report
from ..saving import save
from .carrying import Outcome


def write_study_report(
    outcome: Outcome,
    tables: dict[str, pd.DataFrame],
    out: Path,
    *,
    file: Path,
    data: Path | None = None,
    accepted: pd.DataFrame | None = None,
    discovered: Mapping[str, pd.DataFrame] | None = None,
) -> Report:
    """Write ``report.html``, ``report.md`` and ``report.tex`` to the study's folder.

    Parameters
    ----------
    outcome : Outcome
    tables : dict of str to DataFrame
        The study's tables; its comparisons are taken from them.
    out : Path
    file : Path
        The study file.
    data : Path, optional
        What ``{data}`` stood for.
    accepted : DataFrame, optional
        A row a criterion.
    discovered : mapping of str to DataFrame, optional
        By run, the faults that were found.
    """
    study = outcome.study
    compared = [frame for frame in tables.values() if {"verdict", "expected"} <= set(frame.columns)]
    command = ["tagsuite", "study", str(file), "--out", str(out)]
    if data is not None:
        command += ["--data", str(data)]
    report = build_report(
        outcome.scored,
        title=study.title,
        about=study.about,
        compared=pd.concat(compared, ignore_index=True) if compared else None,
        accepted=accepted,
        discovered=discovered,
        evaluations=outcome.evaluations,
        commands=[shlex.join(command)],
        least=study.least,
        confidence=study.score.confidence,
    )
    for name in ("report.html", "report.md", "report.tex"):
        save(report, out / name)
    return report
