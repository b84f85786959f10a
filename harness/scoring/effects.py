"""Effects of varied options: recall, precision and F1 of each value, compared with the other values."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..running.repeats import read_repetitions
from ..running.variants import read_variants
from .comparison.suite_predictions import list_classes
from .options import ClassOptions, ScoringOptions
from .repeat_tables import MEASURES, convert_whole_units, count_gold_units, score_repetition
from .score_runs import GoldCorpus, score_one_notion
from .statistics.corrections import add_corrected_p
from .statistics.design import Design, make_shared_designs
from .statistics.differences import estimate_difference
from .statistics.jackknife import ShareSums
from .statistics.sums import Measure, average_sums, estimate_measures, sum_class

TEST_COLUMNS = ("effect", "effect_low", "effect_high", "p", "p_bh", "p_holm", "interval")
"""Columns for the effect on recall; those for precision and F1 have the measure as a prefix."""
EFFECT_COLUMNS = (
    *("class", "notion", "factor", "level", "variants", "gold", "recall", *TEST_COLUMNS),
    *(
        f"{measure}{part}"
        for measure in MEASURES[1:]
        for part in ("", *(f"_{name}" for name in TEST_COLUMNS))
    ),
)
"""Columns of `estimate_effects`.

A level is one value of an option. Its effect is (1 - 1 / number of levels) times the difference between the
level and the other levels. For recall this equals the difference between the level and the mean of all
levels.
"""
PRINTED_EFFECT_COLUMNS = tuple(
    c for c in EFFECT_COLUMNS if c != "notion" and not c.endswith(("p", "p_holm", "interval"))
)
"""Columns that are printed on the terminal."""


def estimate_effects(
    folder: str | Path, options: ScoringOptions, class_options: ClassOptions | None = None
) -> pd.DataFrame:
    """Return the main effect of each option value (level), one row per class and level.

    Recall, precision and F1 are averaged over the values of the other options and over repetitions.
    Differences are paired, and mentions that share an entity, a context or a document are resampled together.
    For each measure, the p values are corrected for multiple testing, as in ``compare --against``. An option
    with two values counts as one test.

    Parameters
    ----------
    folder : path
        Folder written by ``tagsuite run --vary``.
    options : ScoringOptions
    class_options : ClassOptions, optional

    Raises
    ------
    InputError
        If no variant is finished, or the variants do not have the same gold mentions.
    """
    factors, variants = read_variants(Path(folder))
    class_options = class_options or ClassOptions()
    notion = class_options.notion
    (scores,) = score_one_notion([variants[0].run], options, class_options)
    gold = GoldCorpus.from_corpus(scores.corpus, scores.gold_part)
    units, _ = count_gold_units(scores, notion)
    classes = list_classes(scores)
    # the scores of each variant's repetitions
    scorings = [
        [score_repetition(one, gold, scores.options, units, classes) for one in read_repetitions(v.run)]
        for v in variants
    ]
    designs = iter(make_shared_designs([one for runs in scorings for one in runs]))
    runs = [[(one, next(designs)) for one in each] for each in scorings]
    design = runs[0][0][1]
    rows: list[dict[str, object]] = []
    tests: list[tuple[str, str, str]] = []
    for name in scores.class_names:
        # for each variant, the mean over its repetitions
        sums = [average_sums([sum_class(one, own, notion, name) for one, own in each]) for each in runs]
        gold_total = float(units[scores.masks(name)[0]].sum())
        for factor, levels in factors.items():
            chosen = [[v.levels[factor] == level for v in variants] for level in levels]
            means = [average_sums([s for s, its in zip(sums, own, strict=True) if its]) for own in chosen]
            # (level - mean of all levels) is this share of (level - mean of the others). A level is not
            # compared with itself, so that a comparison and its reverse have the same interval and p value.
            share = 1.0 - 1.0 / len(levels)
            for i, level in enumerate(levels):
                tests.append((name, factor, level if len(levels) > 2 else ""))
                others = average_sums([m for j, m in enumerate(means) if j != i] or means)
                rows.append(
                    {
                        "class": name,
                        "notion": notion,
                        "factor": factor,
                        "level": level,
                        "variants": sum(chosen[i]),
                        "gold": gold_total,
                        **_estimate_level(means[i], others, share, design, options.confidence),
                    }
                )
    table = pd.DataFrame(rows)
    for measure in MEASURES:
        p = f"{_column_prefix(measure)}p"
        own = add_corrected_p(table[[p]].set_axis(["p"], axis=1), tests)
        table[[f"{p}_bh", f"{p}_holm"]] = own[["p_bh", "p_holm"]]
    return convert_whole_units(table[list(EFFECT_COLUMNS)])


def _column_prefix(measure: Measure) -> str:
    return "" if measure == "recall" else f"{measure}_"


def _estimate_level(
    level: dict[Measure, list[ShareSums]],
    others: dict[Measure, list[ShareSums]],
    share: float,
    design: Design,
    confidence: float,
) -> dict[str, object]:
    """Return a dictionary with the measures of a level and its effect on each measure."""
    row: dict[str, object] = {m: e.value for m, e in estimate_measures(level, design, confidence).items()}
    for measure in MEASURES:
        test = estimate_difference(level[measure], others[measure], design, confidence)
        difference, prefix = test.estimate, _column_prefix(measure)
        row |= {
            f"{prefix}effect": share * difference.value,
            f"{prefix}effect_low": share * difference.low,
            f"{prefix}effect_high": share * difference.high,
            f"{prefix}p": test.p,
            f"{prefix}interval": difference.method,
        }
    return row
