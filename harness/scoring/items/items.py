"""Runs of one suite as answers: tables of taggers, mentions and classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ..arrays import Codes, Ints, Numbers
from ..features import with_features
from ..scores import Scores
from ..statistics.design import design_of
from ..statistics.influence import grouped_variance
from ..statistics.paired import same_texts
from ..statistics.shares import normal
from .response import Response, respond

FEWEST = 5
"""Runs without which discriminations could not be estimated."""


@dataclass(frozen=True)
class Items:
    """Taggers, mentions and classes as runs of a suite show them; each table is the hardest or ablest first.

    Attributes
    ----------
    taggers : DataFrame
        `run`, `tagger`, `mentions`, `recall`, `ability`, `ability_error`, `ability_low`, `ability_high`.
    mentions : DataFrame
        `mention_id`, `text_id`, `data`, `found` (by how many of `runs`), `runs`, `difficulty`,
        `difficulty_error`, `discrimination`.
    classes : DataFrame
        `class`, `mentions`, `difficulty`, `difficulty_low`, `difficulty_high`, `discrimination`: means.
    """

    taggers: pd.DataFrame
    mentions: pd.DataFrame
    classes: pd.DataFrame


def items(runs: Sequence[Scores], *, notion: str = "strict", confidence: float = 0.95) -> Items:
    """Fit the item-response model to the gold mentions of runs over one suite or corpus.

    Parameters
    ----------
    runs : sequence of Scores
        At least five, of the same texts, classes and options.
    notion : str
        Under which a mention is found.
    confidence : float
        Of the intervals.

    Raises
    ------
    InputError
        When there are fewer than five runs, or they are not of the same texts.
    """
    check_number(len(runs))
    first = runs[0]
    for other in runs[1:]:
        same_texts(first, other)
    # mentions × runs: what each is worth
    answers = np.stack([s.tally(notion).verdict("gold") for s in runs], axis=1)
    judged = np.flatnonzero(~np.isnan(answers).all(axis=1))
    if not len(judged):
        raise InputError("no gold mention: there is nothing to find", found=first.corpus.name)
    answers = answers[judged]
    found = respond(answers)
    design = design_of(first)
    ways = [way.gold[judged] for way in design.ways]
    error = np.sqrt(grouped_variance(found.influence, ways, design.common))
    return Items(
        _taggers(runs, answers, found, error, confidence),
        _mentions(first, judged, answers, found),
        _classes(first, judged, found, ways, design.common, confidence),
    )


def check_number(runs: int) -> None:
    """Refuse fewer runs than the model needs.

    Raises
    ------
    InputError
    """
    if runs < FEWEST:
        raise InputError(
            "too few runs for an item-response model", found=str(runs), allowed=f"at least {FEWEST} runs"
        )


def _taggers(
    runs: Sequence[Scores],
    answers: Numbers,
    found: Response,
    error: Numbers,
    confidence: float,
) -> pd.DataFrame:
    reach = normal(confidence) * error
    frame = pd.DataFrame(
        {
            "run": [s.run for s in runs],
            "tagger": [s.tagger_part.removeprefix("tagger:") for s in runs],
            "mentions": (~np.isnan(answers)).sum(axis=0),
            "recall": np.nanmean(answers, axis=0),
            "ability": found.ability,
            "ability_error": error,
            "ability_low": found.ability - reach,
            "ability_high": found.ability + reach,
        }
    )
    return frame.sort_values("ability", ascending=False, kind="stable").reset_index(drop=True)


def _mentions(first: Scores, judged: Ints, answers: Numbers, found: Response) -> pd.DataFrame:
    from ....catalogues.taxonomy import taxonomy

    gold = with_features(first.corpus, first.gold, [taxonomy().by_column["data"]]).iloc[judged]
    frame = pd.DataFrame(
        {
            "mention_id": gold["mention_id"].to_numpy(),
            "text_id": gold["text_id"].to_numpy(),
            "data": gold["data"].astype("str").to_numpy(),
            "found": np.nansum(answers, axis=1),
            "runs": (~np.isnan(answers)).sum(axis=1),
            "difficulty": found.difficulty,
            "difficulty_error": found.difficulty_error,
            "discrimination": found.discrimination,
        }
    )
    return frame.sort_values("difficulty", ascending=False, kind="stable").reset_index(drop=True)


def _classes(
    first: Scores,
    judged: Ints,
    found: Response,
    ways: Sequence[Codes],
    common: float,
    confidence: float,
) -> pd.DataFrame:
    names = first.names
    masks = [first.masks(name)[0][judged] for name in names]
    names = [n for n, m in zip(names, masks, strict=True) if m.any()]
    # classes × mentions: which mentions each class has, and by how much each moves its mean
    inside = np.array([m for m in masks if m.any()], dtype=np.float64)
    share = inside / inside.sum(axis=1)[:, None]
    mean = share @ found.difficulty
    error = np.sqrt(grouped_variance(share * (found.difficulty - mean[:, None]), ways, common))
    reach = normal(confidence) * error
    frame = pd.DataFrame(
        {
            "class": names,
            "mentions": inside.sum(axis=1).astype(np.int64),
            "difficulty": mean,
            "difficulty_low": mean - reach,
            "difficulty_high": mean + reach,
            "discrimination": share @ found.discrimination,
        }
    )
    rest = frame.iloc[1:].sort_values("difficulty", ascending=False, kind="stable")
    return pd.concat([frame.iloc[:1], rest], ignore_index=True)
