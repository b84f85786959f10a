"""The bundled shares of mentions by frequency and number of words, as a corpus has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from tagsuite.catalogues.value_codes import joint_codes
from tagsuite.generator.combine.mixture import (
    band_feature,
    count_elsewhere,
    is_joined,
    joined_feature,
    words_feature,
)
from tagsuite.sentences.annotate import annotate
from tagsuite.sentences.formats.registry import read_corpus
from tagsuite.sentences.scene import surface_forms

HEADER = """\
# Shares of mentions by how often their form is annotated elsewhere in BioCreative II gene mention,
# and by its number of words; and the share that a hyphen or a slash joins to what stands beside:
# python -m tagsuite.tools.curation DATA
"""


def make_shares(data: Path) -> str:
    """Return the content of `generator/combine/frequency.toml`."""
    corpus = read_corpus(f"bc2gm:{data / 'bc2gm' / 'train'}")
    gold, hazards = corpus.gold, joined_feature().column
    bands, words = band_feature(), words_feature()
    forms = surface_forms(corpus.texts, gold)
    frame = pd.DataFrame(
        {bands.column: count_elsewhere(forms), words.column: [len(form.split()) for form in forms.tolist()]}
    )
    codes, names = joint_codes(frame, [bands, words])
    shares = dict(zip(names, (np.bincount(codes) / len(codes)).tolist(), strict=True))
    lines = [
        f"mentions = {len(gold)}",
        f"joined = {is_joined(annotate(corpus, gold, [hazards])[hazards]).mean():.4f}",
    ]
    for band in bands.bins:
        lines.append(f'[shares."{band.name}"]')
        lines += [f'"{w.name}" = {shares.get((band.name, w.name), 0.0):.4f}' for w in words.bins]
    return HEADER + "\n".join(lines) + "\n"
