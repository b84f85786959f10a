"""Variants of a tagger, scored: what each value of a varied option does to the recall of each class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from .gold import Gold
from .repeating import found_of, scored, units_of, whole_numbers
from .running.repeats import repetitions
from .running.variants import read_variants
from .scoring.options import ClassOptions, ScoringOptions
from .scoring.statistics.corrections import corrected
from .scoring.statistics.design import design_of
from .scoring.statistics.differences import difference

COLUMNS = (
    "class",
    "notion",
    "factor",
    "level",
    "variants",
    "gold",
    "recall",
    "effect",
    "effect_low",
    "effect_high",
    "p",
    "p_bh",
    "p_holm",
    "interval",
)
"""Columns of `effects_of`; `effect` is the level's recall less the mean of the factor's levels."""
SHOWN = tuple(c for c in COLUMNS if c not in ("notion", "p", "p_holm", "interval"))
"""What of these is printed for people."""


def effects_of(
    folder: str | Path, options: ScoringOptions, asked: ClassOptions | None = None
) -> pd.DataFrame:
    """The main effect of each value of each varied option, a row a class and value; see ``docs/repeats.md``.

    What a mention counts is averaged over the other options' values and over repetitions. The difference is
    paired, mention by mention, its interval resampled by what mentions share, and its p values are corrected
    for the number of rows, as in ``compare --against``.

    Parameters
    ----------
    folder : path
        What ``tagsuite run --vary`` wrote.
    options : ScoringOptions
    asked : ClassOptions, optional

    Raises
    ------
    InputError
        When there are no finished variants, or they are not over the same gold.
    """
    factors, variants = read_variants(Path(folder))
    asked = asked or ClassOptions()
    notion = asked.notion
    scores = scored(variants[0].run, options, asked)
    gold = Gold.of(scores.corpus, scores.gold_part)
    units, _ = units_of(scores, notion)
    # variants × mentions: the units found, averaged over repetitions
    right = np.array(
        [
            np.mean([found_of(one, gold, scores.options, units) for one in repetitions(v.run)], axis=0)
            for v in variants
        ]
    )
    design = design_of(scores)
    rows = []
    for factor, levels in factors.items():
        of_level = [np.array([v.levels[factor] == level for v in variants]) for level in levels]
        # levels × mentions, and their mean
        means = np.array([right[chosen].mean(axis=0) for chosen in of_level])
        whole = means.mean(axis=0)
        for name in scores.names:
            inside = scores.masks(name)[0]
            grouped = design.groups("gold").take(inside)
            base = grouped.sums(whole[inside], units[inside])
            for level, chosen, mean in zip(levels, of_level, means, strict=True):
                sums = grouped.sums(mean[inside], units[inside])
                found = difference(sums, base, design, options.confidence)
                apart = found.estimate
                rows.append(
                    {
                        "class": name,
                        "notion": notion,
                        "factor": factor,
                        "level": level,
                        "variants": int(chosen.sum()),
                        "gold": float(units[inside].sum()),
                        "recall": found.first.value,
                        "effect": apart.value,
                        "effect_low": apart.low,
                        "effect_high": apart.high,
                        "p": found.p,
                        "interval": apart.method,
                    }
                )
    return whole_numbers(corrected(pd.DataFrame(rows))[list(COLUMNS)])
