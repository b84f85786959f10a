"""Print the file of bundled shares, generator/combine/frequency.toml, as a corpus has them.

python -m tagsuite.tools.curation.frequency FORMAT:PATH
"""

from __future__ import annotations

import sys

from tagsuite.generator.combine.frequency import corpus_for_shares, joined, joined_feature, shares_of
from tagsuite.sentences.annotate import annotate
from tagsuite.sentences.scene import surface_forms


def format_shares(spec: str) -> str:
    """Return the file of shares that a corpus gives."""
    corpus = corpus_for_shares(spec)
    gold = corpus.gold
    hazards = joined_feature().column
    lines = [
        "# Shares of mentions by how often their form is annotated elsewhere in BioCreative II gene mention,",
        "# and by its number of words; and the share that a hyphen or a slash joins to what stands beside:",
        "# python -m tagsuite.tools.curation.frequency bc2gm:FOLDER > generator/combine/frequency.toml",
        f"mentions = {len(gold)}",
        f"joined = {joined(annotate(corpus, gold, [hazards])[hazards]).mean():.4f}",
    ]
    for band, words in shares_of(surface_forms(corpus.texts, gold)).items():
        lines.append(f'[shares."{band}"]')
        lines += [f'"{number}" = {share:.4f}' for number, share in words.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(format_shares(sys.argv[1]), end="")
