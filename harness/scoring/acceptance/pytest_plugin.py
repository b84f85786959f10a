"""A pytest fixture for those who keep their tagger's tests in pytest.

::

    def test_kex(tagsuite_accept):
        tagsuite_accept("criteria.toml", "runs/kex")

Where a test also has to make the run::

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
    """Judge a criteria file on run folders; the test fails with every failed check and its failing cases.

    The function that it gives takes the criteria file, run folders, and by keyword `tagger`, `input` and
    `out` to run a tagger first, `options` of that tagger, and what `tagsuite accept` has: `gold`, `pairing`,
    `alternatives`, `counting`, `ignore_types`, `type_map` and `lists` (both by name: ``lists={"known":
    "genes.txt"}``), `cases`, `seed`. It returns the `AcceptanceResult`.
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
    """Accept or fail the test; see `tagsuite_accept`."""
    __tracebackhide__ = True
    from ..options import ScoringOptions
    from .accept_runs import accept_runs

    folders = [Path(r) for r in runs]
    if tagger:
        if not input or not out:
            raise TypeError("a tagger needs an input to run over and a folder for its run: input=, out=")
        from ...running.run import run

        run(str(input), str(tagger), Path(out), options=options or {})
        folders.append(Path(out))
    if not folders:
        raise TypeError("name a run folder, or tagger=, input= and out=")
    found = accept_runs(criteria, folders, ScoringOptions(**scoring), gold=gold, max_cases=cases, seed=seed)
    if not found.passed:
        pytest.fail("\n".join(found.describe_failures()), pytrace=False)
    return found
