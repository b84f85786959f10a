"""Repetitions and variants in a notebook or script: what varies, as frames."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..catalogues.core.options import with_keywords
from ..harness.scoring.options import COMPARING, ScoringOptions
from .notebook import gold_of, listed

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.evaluation import Finished
    from ..sentences.corpus import Corpus
    from .notebook import Classes, Place


@with_keywords((ScoringOptions, COMPARING))
def repeats(
    found: Finished,
    *,
    classes: Classes = (),
    by: str | Sequence[str] = (),
    notion: str = "strict",
    gold: Corpus | Place | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Tell how often answers change from one repetition of a run to the next, and recall over all, per class.

    Parameters
    ----------
    found : Run or path
        What `run` with ``times`` gave, or its folder.
    classes, by, notion, gold
        As `compare` has them.
    **options
        How mentions are counted: see `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    DataFrame
        A row a class: see ``docs/repeats.md``.

    Raises
    ------
    InputError
        When the run has no repetitions.
    """
    from ..harness.repeating import repeats_of
    from ..harness.scoring.classes import as_classes

    return repeats_of(
        found,
        ScoringOptions(**options),
        classes=as_classes(classes),
        by=listed(by),
        notion=notion,
        gold=gold_of(gold),
    )


@with_keywords((ScoringOptions, COMPARING))
def effects(
    folder: Place,
    *,
    classes: Classes = (),
    by: str | Sequence[str] = (),
    notion: str = "strict",
    gold: Corpus | Place | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Tell what each value of a varied option does to recall, per class.

    Parameters
    ----------
    folder : path
        What ``tagsuite run --vary`` wrote.
    classes, by, notion, gold
        As `compare` has them.
    **options
        How mentions are counted: see `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    DataFrame
        A row a class and value: see ``docs/repeats.md``.

    Raises
    ------
    InputError
        When there are no finished variants.
    """
    from ..harness.effects import effects_of
    from ..harness.scoring.classes import as_classes

    return effects_of(
        os.fspath(folder),
        ScoringOptions(**options),
        classes=as_classes(classes),
        by=listed(by),
        notion=notion,
        gold=gold_of(gold),
    )
