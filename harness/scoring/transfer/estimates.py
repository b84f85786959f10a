"""Standardised estimates beside a comparison's rows, or alone where there is no corpus yet."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from ..classes import ALL, Class
from ..notions import find_notion
from ..scores import Scores
from ..statistics.sums import MEASURES, SIDES, Measure
from ..table import select_notion_rows
from .composition import Composition, find_missing_features, list_model_features, read_composition
from .options import TransferOptions
from .standardise import COLUMNS, FittedModel, fit_suite, make_predicted_composition, standardise_classes

MAX_NAMED_CLASSES = 10
"""Classes that a remark names."""


def add_estimates(
    table: pd.DataFrame,
    suite: Scores,
    corpora: Sequence[Scores],
    classes: Sequence[Class],
    options: TransferOptions,
    *,
    notion: str = "strict",
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A comparison's table with what the suite, carried over, lets expect of each class.

    Recall is averaged over the composition; precision over what each run proposed in its corpus.

    Parameters
    ----------
    table : DataFrame
        Of `compare`, for all `corpora`.
    suite : Scores
        The scored suite.
    corpora : sequence of Scores
        What it is compared with.
    classes : sequence of Class
        All that the table may name.
    options : TransferOptions
    notion : str

    Returns
    -------
    table : DataFrame
        With the columns `standardised`, `standardised_low`, `standardised_high` and `support`.
    notes : tuple of str
    """
    known, notes = estimate_corpora(suite, corpora, classes, options, notion=notion)
    known = known.drop_duplicates(["run", "corpus", "class", "measure"])
    # the row of the whole has no measure: its estimates are among the notes
    joined = table.merge(known, on=["run", "corpus", "class", "measure"], how="left", validate="m:1")
    whole = known[(known["class"] == ALL) & (known["measure"] == "recall")].iloc[:1]
    return joined, (*notes, *_describe_whole(whole, read_composition(options.standardise)))


def estimate_corpora(
    suite: Scores,
    corpora: Sequence[Scores],
    classes: Sequence[Class],
    options: TransferOptions,
    *,
    notion: str = "strict",
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """What a suite lets expect of each class, and of the whole, in each corpus.

    Returns
    -------
    table : DataFrame
        Columns `class`, `measure`, the four of `beside`, `run` and `corpus`.
    notes : tuple of str
    """
    over = read_composition(options.standardise)
    confidence = suite.options.confidence
    by = {
        measure: fit_suite(suite, measure, notion, over.features if measure == "recall" else None)
        for measure in MEASURES
        if _has_enough_mentions(suite, measure)
    }
    blocks = []
    # recall is the same wherever the composition is
    of_gold = standardise_classes(by["recall"], over, classes, options, confidence=confidence)
    for scores in corpora:
        for measure, one in by.items():
            if measure == "recall":
                found = of_gold
            else:
                own = make_predicted_composition(scores)
                if not own.mention_count:
                    continue
                found = standardise_classes(one, own, classes, options, confidence=confidence)
            blocks.append(found.assign(run=scores.run, corpus=scores.corpus.name))
    found = pd.concat(blocks, ignore_index=True)
    told = describe_unestimated(found, options.least_support, find_missing_by_class(over, classes))
    return found, (*describe_models(by, over, classes), *told)


def estimate_without_corpus(
    suite: Scores, classes: Sequence[Class], options: TransferOptions, *, notion: str = "strict"
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """What a suite lets expect of each class in a corpus that is not there: recall by class.

    Returns
    -------
    table : DataFrame
        Columns `run`, `corpus` (the composition's), `class`, `notion`, `measure`, `suite_value` and the four
        of `beside`.
    notes : tuple of str
    """
    over = read_composition(options.standardise)
    chosen = find_notion(notion).name
    by = fit_suite(suite, "recall", notion, over.features)
    found = standardise_classes(by, over, classes, options, confidence=suite.options.confidence)
    values = select_notion_rows(suite.wilson_table, chosen).set_index("class")["recall"].astype("float64")
    columns = {
        "run": suite.run,
        "corpus": over.name,
        "class": found["class"],
        "notion": chosen,
        "measure": found["measure"],
        "suite_value": values.reindex(found["class"]).to_numpy(),
        **{name: found[name] for name in COLUMNS},
    }
    told = describe_unestimated(found, options.least_support, find_missing_by_class(over, classes))
    notes = (*describe_models({"recall": by}, over, classes), *told)
    return pd.DataFrame(columns), notes


def describe_unestimated(
    estimates: pd.DataFrame, min_support: float, mentioned: Collection[str] = ()
) -> list[str]:
    """Remarks on classes without an estimate.

    Parameters
    ----------
    estimates : DataFrame
        With `class` and `support`.
    min_support : float
        The support that an estimate needs.
    mentioned : collection of str
        Classes of which `describe_models` says already what the composition lacks.
    """
    reasons = (
        (
            estimates["support"] < min_support,
            f"the suite covers less than {min_support:g} of them (--least-support)",
        ),
        (
            estimates["support"].isna() & ~estimates["class"].isin(mentioned),
            "the composition has none of them",
        ),
    )
    notes = []
    for which, why in reasons:
        names = estimates.loc[which, "class"].drop_duplicates().tolist()
        if names:
            more = f" and {len(names) - MAX_NAMED_CLASSES} more" if len(names) > MAX_NAMED_CLASSES else ""
            notes.append(f"no estimate of {', '.join(names[:MAX_NAMED_CLASSES])}{more}: {why}")
    return notes


def _has_enough_mentions(suite: Scores, measure: str) -> bool:
    return bool(len(getattr(suite, SIDES[measure])))


def describe_models(
    by: Mapping[Measure, FittedModel], over: Composition, classes: Sequence[Class]
) -> list[str]:
    """Remarks for the reader: the models, and classes whose features a composition lacks."""
    notes = []
    for measure, one in by.items():
        kind = (
            "apart for names and symbols"
            if one.model.has_name_interactions
            else "alike for names and symbols"
        )
        notes.append(
            f"standardised {measure}: {len(one.model.column_positions)} columns {kind}, "
            f"penalty {one.model.penalty:g}, "
            "by cross-validation inside the suite"
        )
    # what a tagger proposed has all that a model of precision asks
    without = find_missing_features(over, list_model_features()) if "recall" in by else []
    if without:
        notes.append(f"the composition does not have {', '.join(without)}: the model of recall does without")
    notes += [
        f"class {name}: no estimate, for the composition does not have {', '.join(features)}"
        for name, features in find_missing_by_class(over, classes).items()
    ]
    return notes


def find_missing_by_class(over: Composition, classes: Sequence[Class]) -> dict[str, list[str]]:
    """Classes that ask features which a composition does not have, with these."""
    asked = {one.name: find_missing_features(over, one.query.features) for one in classes}
    return {name: features for name, features in asked.items() if features}


def _describe_whole(whole: pd.DataFrame, over: Composition) -> list[str]:
    return [
        f"recall to expect in a corpus made like {over.name}: {row['standardised']:.2f} "
        f"({row['standardised_low']:.2f} to {row['standardised_high']:.2f}), support {row['support']:.2f}"
        for row in whole.to_dict("records")
        if row["standardised"] == row["standardised"]
    ]
