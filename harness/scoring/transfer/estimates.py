"""Standardised estimates from suite results, either as part of a comparison or alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from ....catalogues.core.errors import InputError
from ..classes import ALL, Class
from ..notions import find_notion
from ..options import ScoringOptions
from ..score_runs import score_runs
from ..scores import Scores
from ..statistics.sums import MEASURES, SIDES, Measure
from ..table import select_notion_rows
from .composition import (
    Composition,
    find_missing_features,
    list_model_features,
    read_composition,
    read_composition_for,
)
from .level_checks import check_levels
from .options import TransferOptions
from .standardise import COLUMNS, FittedModel, fit_evidence, make_predicted_composition, standardise_classes

MAX_NAMED_CLASSES = 10
"""Maximum number of classes that are named in a note."""


def add_estimates(
    table: pd.DataFrame,
    suite: Scores,
    corpora: Sequence[Scores],
    classes: Sequence[Class],
    options: TransferOptions,
    *,
    notion: str = "strict",
    evidence: Sequence[Scores] = (),
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Add standardised estimates to a comparison.

    Recall is averaged over the composition, and precision over the predicted mentions of each run.

    Parameters
    ----------
    table : DataFrame
        Results of `compare` for all `corpora`.
    suite : Scores
        Scores of the suite.
    corpora : sequence of Scores
        Scores of the corpora with which the suite is compared.
    classes : sequence of Class
        All classes in the table.
    options : TransferOptions
    notion : str
    evidence : sequence of Scores
        Scores of other annotated corpora, from `score_evidence`.

    Returns
    -------
    table : DataFrame
        The comparison with four further columns: `standardised`, `standardised_low`, `standardised_high` and
        `support` (share of the class that the suite covers).
    notes : tuple of str
    """
    estimates, notes = estimate_corpora(suite, corpora, classes, options, notion=notion, evidence=evidence)
    estimates = estimates.drop_duplicates(["run", "corpus", "class", "measure"])
    # the row of all mentions has no measure: its estimate is among the notes
    joined = table.merge(estimates, on=["run", "corpus", "class", "measure"], how="left", validate="m:1")
    overall = estimates[(estimates["class"] == ALL) & (estimates["measure"] == "recall")].iloc[:1]
    return joined, (*notes, *_describe_overall(overall, read_composition(options.standardise)))


def estimate_corpora(
    suite: Scores,
    corpora: Sequence[Scores],
    classes: Sequence[Class],
    options: TransferOptions,
    *,
    notion: str = "strict",
    evidence: Sequence[Scores] = (),
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Estimate recall and precision of each class in each corpus from the results on a suite.

    `evidence` contains the scores of other annotated corpora. Without `corpora`, only recall is estimated.

    Returns
    -------
    table : DataFrame
        Columns `class`, `measure`, `run`, `corpus` and those of `standardise.COLUMNS`.
    notes : tuple of str
    """
    over = read_composition_for(options.standardise, suite.tagger_part)
    confidence = suite.options.confidence
    by = {
        measure: fit_evidence(
            suite,
            evidence,
            measure=measure,
            notion=notion,
            known_columns=over.features if measure == "recall" else None,
        )
        for measure in (MEASURES if corpora else ("recall",))
        if len(getattr(suite, SIDES[measure]))
    }
    # recall depends on the composition only
    recall = standardise_classes(by["recall"], over, classes, options, confidence=confidence)
    blocks = [] if corpora else [recall.assign(run=suite.run, corpus=over.name)]
    for scores in corpora:
        names = {"run": scores.run, "corpus": scores.corpus.name}
        blocks.append(recall.assign(**names))
        predicted = make_predicted_composition(scores)
        if "precision" in by and predicted.mention_count:
            precision = standardise_classes(
                by["precision"], predicted, classes, options, confidence=confidence
            )
            blocks.append(precision.assign(**names))
    table = pd.concat(blocks, ignore_index=True)
    notes = describe_unestimated(table, options.least_support, find_missing_by_class(over, classes))
    warnings = check_levels(suite, evidence, over, notion=notion, confidence=confidence)
    return table, (*warnings, *describe_models(by, over, classes), *notes)


def estimate_without_corpus(
    suite: Scores,
    classes: Sequence[Class],
    options: TransferOptions,
    *,
    notion: str = "strict",
    evidence: Sequence[Scores] = (),
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Estimate the recall of each class in a corpus from its composition, without its texts.

    Returns
    -------
    table : DataFrame
        Columns `run`, `corpus` (name of the composition), `class`, `notion`, `measure`, `suite_value` and
        those of `standardise.COLUMNS`.
    notes : tuple of str
    """
    table, notes = estimate_corpora(suite, (), classes, options, notion=notion, evidence=evidence)
    chosen = find_notion(notion).name
    values = select_notion_rows(suite.wilson_table, chosen).set_index("class")["recall"].astype("float64")
    table = table.assign(notion=chosen, suite_value=values.reindex(table["class"]).to_numpy())
    return table[["run", "corpus", "class", "notion", "measure", "suite_value", *COLUMNS]], notes


def score_evidence(runs: Sequence[str], options: ScoringOptions, suites: Sequence[Scores]) -> list[Scores]:
    """Score runs on annotated corpora that are used as evidence together with runs on suites.

    Raises
    ------
    InputError
        If a run was made on a suite, or with a tagger that was not run on a suite.
    """
    taggers = sorted({suite.tagger_part for suite in suites})
    found = score_runs(runs, options) if runs else []
    for scores in found:
        if "context_id" in scores.corpus.texts:
            raise InputError("--evidence requires runs on annotated corpora, not on suites", found=scores.run)
        if scores.tagger_part not in taggers:
            problem = "--evidence requires runs of the same tagger as the run on the suite"
            raise InputError(problem, found=scores.tagger_part, allowed=", ".join(taggers))
    return found


def describe_unestimated(
    estimates: pd.DataFrame, min_support: float, mentioned: Collection[str] = ()
) -> list[str]:
    """Return notes on the classes that have no estimate.

    Parameters
    ----------
    estimates : DataFrame
        Estimates with the columns `class` and `support`.
    min_support : float
        Minimum support (share of a class that the suite covers) for an estimate.
    mentioned : collection of str
        Classes that the notes of `describe_models` already mention; they are left out.
    """
    reasons = (
        (
            estimates["support"] < min_support,
            f"the suite covers less than {min_support:.0%} of their mentions (--least-support)",
        ),
        (
            estimates["support"].isna() & ~estimates["class"].isin(mentioned),
            "the composition has no mentions in these classes",
        ),
    )
    notes = []
    for which, why in reasons:
        names = estimates.loc[which, "class"].drop_duplicates().tolist()
        if names:
            more = f" and {len(names) - MAX_NAMED_CLASSES} more" if len(names) > MAX_NAMED_CLASSES else ""
            notes.append(f"no estimate for {', '.join(names[:MAX_NAMED_CLASSES])}{more}: {why}")
    return notes


def describe_models(
    by: Mapping[Measure, FittedModel], over: Composition, classes: Sequence[Class]
) -> list[str]:
    """Return notes on fitted models, and on classes whose queries use features that a composition lacks."""
    notes = []
    for measure, fitted in by.items():
        columns = len(fitted.model.column_positions)
        mentions = " + ".join(f"{len(source.is_right):,}" for _, source in fitted.sources)
        notes.append(f"standardised {measure}: model with {columns} columns, fitted to {mentions} mentions")
    # predicted mentions have all features that a model of precision needs
    without = find_missing_features(over, list_model_features()) if "recall" in by else []
    if without:
        notes.append(
            f"features not used for recall, because the composition lacks them: {', '.join(without)}"
        )
    notes += [
        f"class {name}: no estimate, because the composition does not have {', '.join(features)}"
        for name, features in find_missing_by_class(over, classes).items()
    ]
    return notes


def find_missing_by_class(over: Composition, classes: Sequence[Class]) -> dict[str, list[str]]:
    """Return the features that a composition lacks for the query of each class, keyed by class name."""
    missing = {c.name: find_missing_features(over, c.query.features) for c in classes}
    return {name: features for name, features in missing.items() if features}


def _describe_overall(overall: pd.DataFrame, over: Composition) -> list[str]:
    return [
        f"expected recall in a corpus with the composition {over.name}: {row['standardised']:.2f} "
        f"({row['standardised_low']:.2f} to {row['standardised_high']:.2f}), support {row['support']:.2f}"
        for row in overall.to_dict("records")
        if row["standardised"] == row["standardised"]
    ]
