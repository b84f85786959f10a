"""The specifications that come with tagsuite."""

from __future__ import annotations

from pathlib import Path

BUNDLED = Path(__file__).resolve().parent.parent / "taggers"


def bundled_specifications() -> list[Path]:
    """The specification files that come with tagsuite, by name."""
    return sorted(BUNDLED.glob("*.toml"))
