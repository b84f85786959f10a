"""Write the README's counts: how many entities, contexts and features there are.

`make docs` runs it; a test tells when the page no longer says what is counted.
"""

from __future__ import annotations

import re
from pathlib import Path

from tagsuite.catalogues.entities import read_entities
from tagsuite.catalogues.taxonomy import SCOPES, taxonomy
from tagsuite.sentences.contexts import read_contexts

PAGE = Path(__file__).parents[1] / "README.md"
SAID = {
    "entities": (r"\*\*entities\*\* \(([\d,]+) names and symbols\)",),
    "contexts": (r"\*\*contexts\*\*\s\(([\d,]+) sentences",),
    "attested": (r"sentences, ([\d,]+) of them attested",),
    "features": (r"features, ([\d,]+) in all", r"query over ([\d,]+) features"),
}
"""Where the page says a count: its number is the group."""


def counts() -> dict[str, int]:
    """What is counted."""
    contexts = read_contexts().contexts
    return {
        "entities": len(read_entities()),
        "contexts": len(contexts),
        "attested": int(contexts["context.source_type"].isin(["title", "abstract"]).sum()),
        "features": len(taxonomy().select_scopes(*SCOPES)),
    }


def counted(page: str) -> str:
    """The page with the counts of now; each must be said once."""
    for name, number in counts().items():
        for said in SAID[name]:
            (found,) = re.finditer(said, page)
            page = f"{page[: found.start(1)]}{number:,}{page[found.end(1) :]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(counted(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
