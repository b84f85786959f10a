"""Pytest fixture for acceptance tests of taggers.

::

    def test_kex(tagsuite_accept):
        tagsuite_accept("criteria.toml", "runs/kex")

A test that also runs the tagger::

    def test_kex(tagsuite_accept, tmp_path):
        tagsuite_accept("criteria.toml", tagger="kex.toml", input="suites/hyphens", out=tmp_path / "kex")
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .accept import AcceptanceResult

StrPath = str | PathLike[str]


@pytest.fixture
def tagsuite_accept() -> Callable[..., AcceptanceResult]:
    """Return a function that checks criteria on run folders, and fails the test if a check fails.

    The arguments of the function are the criteria file and the run folders. With the keywords `tagger`,
    `input`, `out` and `options`, a tagger is run first. The other keywords are those of `tagsuite accept`:
    `gold`, `pairing`, `alternatives`, `counting`, `ignore_types`, `type_map`, `lists`
    (``lists={"known": "genes.txt"}``), `cases` and `seed`. The function returns the `AcceptanceResult`; a
    failing test shows the failed checks with examples of failing cases.
    """
    return check_acceptance


def check_acceptance(
    criteria: StrPath,
    *runs: StrPath,
    tagger: StrPath = "",
    input: StrPath = "",  # noqa: A002  # the word of `tagsuite run`
    out: StrPath = "",
    options: dict[str, str] | None = None,
    gold: str = "",
    cases: int = 5,
    seed: int = 0,
    **scoring: Any,
) -> AcceptanceResult:
    """Check acceptance criteria, and fail the test if a check fails; see `tagsuite_accept`."""
    __tracebackhide__ = True
    from ..options import ScoringOptions
    from .accept_runs import accept_runs

    folders = [Path(r) for r in runs]
    if tagger:
        if not input or not out:
            raise TypeError("tagger= requires input= (a suite or corpus) and out= (the run folder)")
        from ...running.run import run

        run(str(input), str(tagger), Path(out), options=options or {})
        folders.append(Path(out))
    if not folders:
        raise TypeError("give run folders, or tagger=, input= and out=")
    result = accept_runs(criteria, folders, ScoringOptions(**scoring), gold=gold, max_cases=cases, seed=seed)
    if not result.passed:
        pytest.fail("\n".join(result.describe_failures()), pytrace=False)
    return result
