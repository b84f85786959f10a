"""Print the file generator/combine/frequency.toml with the shares of mentions in a corpus.

python -m tagsuite.tools.curation.frequency FORMAT:PATH
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.catalogues.value_codes import encode_combinations
from tagsuite.generator.combine.mixture import HAZARDS_COLUMN, count_elsewhere, frequency_feature, is_joined
from tagsuite.generator.combine.strata import read_gold_corpus
from tagsuite.sentences.annotate import annotate
from tagsuite.sentences.annotated_texts import get_surface_forms


def format_shares(spec: str) -> str:
    """Return the text of frequency.toml, with shares from a corpus."""
    corpus = read_gold_corpus(spec)
    gold = corpus.gold
    forms = get_surface_forms(corpus.texts, gold)
    bands, words = frequency_feature(), taxonomy().find("entity.words")
    frame = pd.DataFrame(
        {bands.column: count_elsewhere(forms), words.column: [len(form.split()) for form in forms.tolist()]}
    )
    codes, names = encode_combinations(frame, [bands, words])
    shares = dict(zip(names, (np.bincount(codes) / len(codes)).tolist(), strict=True))
    lines = [
        "# Shares of mentions by how often their form is annotated elsewhere in BioCreative II gene mention,",
        "# and by its number of words; and the share that a hyphen or a slash joins to what stands beside:",
        "# python -m tagsuite.tools.curation.frequency bc2gm:FOLDER > generator/combine/frequency.toml",
        f"mentions = {len(gold)}",
        f"joined = {is_joined(annotate(corpus, gold, [HAZARDS_COLUMN])[HAZARDS_COLUMN]).mean():.4f}",
    ]
    for band in bands.bins:
        lines.append(f'[shares."{band.name}"]')
        lines += [f'"{w.name}" = {shares.get((band.name, w.name), 0.0):.4f}' for w in words.bins]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(format_shares(sys.argv[1]), end="")
