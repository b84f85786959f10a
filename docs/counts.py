"""Write the numbers of entities, contexts and features into the README.

`make docs` runs it, and a test fails if the README has other numbers.
"""

from __future__ import annotations

import re
from pathlib import Path

from tagsuite.catalogues.entities import read_entities
from tagsuite.catalogues.feature import SCOPES
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.sentences.contexts import read_contexts

PAGE = Path(__file__).parents[1] / "README.md"
PATTERNS = {
    "entities": (r"\*\*entities\*\* \(([\d,]+) names and symbols",),
    "contexts": (r"\*\*contexts\*\*\s\(([\d,]+) sentences",),
    "attested": (r"sentences, ([\d,]+) of them from publications",),
    "features": (r"queries over ([\d,]+) features",),
}
"""Patterns that find each count in the page; the group is the number."""


def counts() -> dict[str, int]:
    """Return the counts by name."""
    contexts = read_contexts().contexts
    return {
        "entities": len(read_entities()),
        "contexts": len(contexts),
        "attested": int(contexts["context.source_type"].isin(["title", "abstract"]).sum()),
        "features": len(taxonomy().select_scopes(*SCOPES)),
    }


def counted(page: str) -> str:
    """Return the page with the current counts; each pattern must match once."""
    for name, number in counts().items():
        for pattern in PATTERNS[name]:
            (match,) = re.finditer(pattern, page)
            page = f"{page[: match.start(1)]}{number:,}{page[match.end(1) :]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(counted(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
