"""Variants of a tagger, scored: what each value of a varied option does to the recall of each class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from .evaluation import score_asked
from .gold import Gold
from .repeating import found_of, units_of, whole_numbers
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
    for the number of tests, as in ``compare --against``: two values are one test, seen from either side.

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
    (scores,) = score_asked([variants[0].run], options, asked)
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
    rows: list[dict[str, object]] = []
    tests: list[tuple[str, str, str]] = []
    for factor, levels in factors.items():
        of_level = [np.array([v.levels[factor] == level for v in variants]) for level in levels]
        # levels × mentions
        means = np.array([right[chosen].mean(axis=0) for chosen in of_level])
        # a level less the mean of all is this share of the level less the mean of the others; a level is not
        # compared with itself, so that a comparison and its negative have one interval and one p value
        share = 1.0 - 1.0 / len(levels)
        for name in scores.names:
            inside = scores.masks(name)[0]
            grouped = design.groups("gold").take(inside)
            for i, (level, chosen) in enumerate(zip(levels, of_level, strict=True)):
                others = np.delete(means, i, axis=0).mean(axis=0)
                sums, base = (grouped.sums(mean[inside], units[inside]) for mean in (means[i], others))
                found = difference(sums, base, design, options.confidence)
                apart = found.estimate
                tests.append((name, factor, level if len(levels) > 2 else ""))
                rows.append(
                    {
                        "class": name,
                        "notion": notion,
                        "factor": factor,
                        "level": level,
                        "variants": int(chosen.sum()),
                        "gold": float(units[inside].sum()),
                        "recall": found.first.value,
                        "effect": share * apart.value,
                        "effect_low": share * apart.low,
                        "effect_high": share * apart.high,
                        "p": found.p,
                        "interval": apart.method,
                    }
                )
    return whole_numbers(corrected(pd.DataFrame(rows), tests)[list(COLUMNS)])
