"""Reader of word lists. A name in brackets begins a section; ``#`` begins a comment."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def read_lists(name: str) -> dict[str, frozenset[str]]:
    """Read a file in this folder; return its words by section (``""`` for words before the first section)."""
    lists: dict[str, set[str]] = {}
    section = lists.setdefault("", set())
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        kept = line.partition("#")[0].strip()
        if kept.startswith("[") and kept.endswith("]"):
            section = lists.setdefault(kept[1:-1], set())
        else:
            section.update(kept.split())
    return {section: frozenset(words) for section, words in lists.items()}
