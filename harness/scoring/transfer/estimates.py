"""Standardised estimates beside a comparison's rows, or alone where there is no corpus yet."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from ..classes import ALL, Class
from ..notions import find_notion
from ..scores import Scores
from ..statistics.sums import MEASURES, SIDES, Measure
from ..table import rows_under
from .composition import Composition, asked_beyond, modelled_features, read_composition
from .options import TransferOptions
from .standardise import COLUMNS, Fitted, fitted, predicted_composition, standardised

MOST_NAMED = 10
"""Classes that a remark names."""


def beside(
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
    known, notes = foreseen(suite, corpora, classes, options, notion=notion)
    known = known.drop_duplicates(["run", "corpus", "class", "measure"])
    # the row of the whole has no measure: its estimates are among the notes
    joined = table.merge(known, on=["run", "corpus", "class", "measure"], how="left", validate="m:1")
    whole = known[(known["class"] == ALL) & (known["measure"] == "recall")].iloc[:1]
    return joined, (*notes, *_in_words(whole, read_composition(options.standardise)))


def foreseen(
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
        measure: fitted(suite, measure, notion, over.features if measure == "recall" else None)
        for measure in MEASURES
        if _enough(suite, measure)
    }
    blocks = []
    # recall is the same wherever the composition is
    of_gold = standardised(by["recall"], over, classes, options, confidence=confidence)
    for scores in corpora:
        for measure, one in by.items():
            if measure == "recall":
                found = of_gold
            else:
                own = predicted_composition(scores)
                if not own.mentions:
                    continue
                found = standardised(one, own, classes, options, confidence=confidence)
            blocks.append(found.assign(run=scores.run, corpus=scores.corpus.name))
    found = pd.concat(blocks, ignore_index=True)
    told = unestimated(found, options.least_support, lacking(over, classes))
    return found, (*notes_on(by, over, classes), *told)


def alone(
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
    by = fitted(suite, "recall", notion, over.features)
    found = standardised(by, over, classes, options, confidence=suite.options.confidence)
    values = rows_under(suite.counted, chosen).set_index("class")["recall"].astype("float64")
    columns = {
        "run": suite.run,
        "corpus": over.name,
        "class": found["class"],
        "notion": chosen,
        "measure": found["measure"],
        "suite_value": values.reindex(found["class"]).to_numpy(),
        **{name: found[name] for name in COLUMNS},
    }
    told = unestimated(found, options.least_support, lacking(over, classes))
    notes = (*notes_on({"recall": by}, over, classes), *told)
    return pd.DataFrame(columns), notes


def unestimated(found: pd.DataFrame, least: float, told: Collection[str] = ()) -> list[str]:
    """Remarks on classes without an estimate.

    Parameters
    ----------
    found : DataFrame
        With `class` and `support`.
    least : float
        The support that an estimate needs.
    told : collection of str
        Classes of which `notes_on` says already what the composition lacks.
    """
    reasons = (
        (found["support"] < least, f"the suite covers less than {least:g} of them (--least-support)"),
        (found["support"].isna() & ~found["class"].isin(told), "the composition has none of them"),
    )
    notes = []
    for which, why in reasons:
        names = found.loc[which, "class"].drop_duplicates().tolist()
        if names:
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            notes.append(f"no estimate of {', '.join(names[:MOST_NAMED])}{more}: {why}")
    return notes


def _enough(suite: Scores, measure: str) -> bool:
    return bool(len(getattr(suite, SIDES[measure])))


def notes_on(by: Mapping[Measure, Fitted], over: Composition, classes: Sequence[Class]) -> list[str]:
    """Remarks for the reader: the models, and classes whose features a composition lacks."""
    notes = []
    for measure, one in by.items():
        kind = "apart for names and symbols" if one.model.crossed else "alike for names and symbols"
        notes.append(
            f"standardised {measure}: {len(one.model.kept)} columns {kind}, penalty {one.model.penalty:g}, "
            "by cross-validation inside the suite"
        )
    # what a tagger proposed has all that a model of precision asks
    without = asked_beyond(over, modelled_features()) if "recall" in by else []
    if without:
        notes.append(f"the composition does not have {', '.join(without)}: the model of recall does without")
    notes += [
        f"class {name}: no estimate, for the composition does not have {', '.join(features)}"
        for name, features in lacking(over, classes).items()
    ]
    return notes


def lacking(over: Composition, classes: Sequence[Class]) -> dict[str, list[str]]:
    """Classes that ask features which a composition does not have, with these."""
    asked = {one.name: asked_beyond(over, one.query.features) for one in classes}
    return {name: features for name, features in asked.items() if features}


def _in_words(whole: pd.DataFrame, over: Composition) -> list[str]:
    return [
        f"recall to expect in a corpus made like {over.name}: {row['standardised']:.2f} "
        f"({row['standardised_low']:.2f} to {row['standardised_high']:.2f}), support {row['support']:.2f}"
        for row in whole.to_dict("records")
        if row["standardised"] == row["standardised"]
    ]
