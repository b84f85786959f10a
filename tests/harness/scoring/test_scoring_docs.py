"""The reference pages name every notion, scheme, column, choice and view."""

from __future__ import annotations

from pathlib import Path

import pytest

from tagsuite.harness.scoring.notions import ALL_NOTIONS
from tagsuite.harness.scoring.options import ALTERNATIVES, COUNTINGS, PAIRINGS
from tagsuite.harness.scoring.table import SCHEME_COLUMNS
from tagsuite.harness.scoring.views.registry import VIEWS

DOCS = Path(__file__).resolve().parents[3] / "docs" / "reference"


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("notions.md", [n.name for n in ALL_NOTIONS]),
        ("notions.md", SCHEME_COLUMNS),
        ("scoring.md", [*PAIRINGS, *ALTERNATIVES]),
        ("scoring.md", VIEWS[1:]),
        ("notions.md", [f"--counting {c}" for c in COUNTINGS if c != "text"]),
    ],
)
def test_pages_are_complete(page: str, words: list[str]) -> None:
    content = (DOCS / page).read_text(encoding="utf-8")
    missing = [w for w in words if f"`{w}`" not in content]
    assert not missing, f"{page} does not name {missing}"
