"""Reader of word lists, which names in brackets divide into sections; ``#`` begins a comment."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def read_lists(name: str) -> dict[str, frozenset[str]]:
    """Read the sections of a file in this folder; words before the first section get the name ``""``."""
    lists: dict[str, set[str]] = {}
    section = lists.setdefault("", set())
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        kept = line.partition("#")[0].strip()
        if kept.startswith("[") and kept.endswith("]"):
            section = lists.setdefault(kept[1:-1], set())
        else:
            section.update(kept.split())
    return {section: frozenset(words) for section, words in lists.items()}
