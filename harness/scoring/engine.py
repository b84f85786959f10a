"""Scoring: pair, filter, measure. `score` does the pairing once; `Scores` answers everything else from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.query.columns import Columns
from ...catalogues.word_lists import list_digest
from ...sentences.corpus import Corpus
from .alternatives import tally_published, with_readings
from .axes import Axes, Side, side_of, type_names, with_types
from .candidates import find_candidates
from .classes import Class, check_names
from .division import by_class, by_features, parse_by
from .features import with_features
from .notions import EVERY, NOTIONS, STRICT, Credit, Notion, Tally, find_notion
from .pairing import PAIRINGS, Pairing
from .published import as_published
from .scores import Scores, Settings
from .signature import corpus_part
from .table import INTERVALS

Alternatives = Literal["none", "optimal", "published"]
ALTERNATIVES: tuple[Alternatives, ...] = ("none", "optimal", "published")
Counting = Literal["text", "published"]
COUNTINGS: tuple[Counting, ...] = ("text", "published")
MOST_CONFIDENT = 0.9999
LEAST_BETA = 0.001


def score(
    gold: Corpus,
    predictions: Corpus | pd.DataFrame,
    *,
    notions: Sequence[str | Notion] | None = None,
    classes: Sequence[Class] = (),
    by: Sequence[str] = (),
    pairing: Pairing = "any",
    alternatives: Alternatives = "none",
    counting: Counting = "text",
    ignore_types: bool = False,
    type_map: Mapping[str, str] | None = None,
    lists: Mapping[str, Collection[str]] | None = None,
    beta: float = 1.0,
    confidence: float = 0.95,
    intervals: str = "resampled",
    run: str = "",
    tagger: str = "",
    gold_part: str = "",
    axes: Axes | None = None,
) -> Scores:
    """Score predictions against a gold corpus.

    Parameters
    ----------
    gold : Corpus
        Texts and gold mentions (those of side gold), with alternatives where it has them.
    predictions : Corpus or DataFrame
        Predicted mentions over the same texts; a corpus may bring fragments of discontinuous ones.
    notions : sequence of str or Notion, optional
        All six when None; under ``alternatives="published"`` strict, which is all that program knows.
    classes : sequence of Class
        Named classes.
    by : sequence of str
        Features whose values are classes; several with commas for their combinations.
    pairing, alternatives, counting, ignore_types, beta
        See ``docs/scoring.md``.
    type_map : mapping of str to str, optional
        Types of either side that are counted as another.
    lists : mapping of str to collection, optional
        Word lists, for the features ``in_list.NAME`` of classes and divisions.
    confidence : float
        Of the intervals.
    intervals : str
        ``resampled``, or ``wilson``: as if all mentions were independent.
    run : str
        What the `run` column shows.
    tagger : str
        What the signature says of the tagger (``tagger:kex@0.3``); the predictions' digest when empty.
    gold_part : str
        What the signature says of the gold (``suite:1f3a…``); made from its digest when empty.
    axes : Axes, optional
        The gold's texts laid out before, when several runs are scored against them.

    Returns
    -------
    Scores
        The table and everything that it is made from.

    Raises
    ------
    InputError
        When a span lies outside its text, a text is unknown, or the choices contradict each other.
    """
    check_words(pairing, alternatives, counting, intervals)
    check_numbers(confidence, beta)
    chosen, pairing = _check(notions, pairing, alternatives, counting, gold)
    check_names(classes)
    features = {f for c in classes for f in c.query.features} | {f for b in by for f in parse_by(b)}
    gold_mentions = gold.mentions
    if "side" in gold_mentions and bool((gold_mentions["side"] != "gold").any()):
        gold_mentions = gold_mentions[gold_mentions["side"] == "gold"].reset_index(drop=True)
    guesses = predictions.mentions if isinstance(predictions, Corpus) else predictions
    guessed_parts = predictions.fragments if isinstance(predictions, Corpus) else None

    accepted = gold.alternatives
    if type_map:
        gold_mentions, guesses = with_types(gold_mentions, type_map), with_types(guesses, type_map)
        accepted = None if accepted is None else with_types(accepted, type_map)
    kinds = type_names(gold_mentions, guesses)
    axes = Axes.of(gold.texts) if axes is None else axes
    gold_side = side_of(axes, gold_mentions, kinds, gold.fragments, "gold")
    guess_side = side_of(axes, guesses, kinds, guessed_parts, "predicted")
    pairs = find_candidates(gold_side, guess_side)
    others = None
    if alternatives != "none" and accepted is not None:
        named = sorted({*kinds, *type_names(accepted)})
        if named != kinds:  # a type that only alternatives have matches nothing
            accepted = accepted[accepted["type"].isin(kinds)]
        others = find_candidates(side_of(axes, accepted, kinds, None, "gold alternative"), guess_side)

    def count(notion: Notion) -> Tally:
        if alternatives == "published" and others is not None:
            listed = np.asarray(guesses["mention_id"], dtype=np.int64)[guess_side.places]
            return tally_published(pairs, others, notion, listed, ignore_types)
        read = pairs if others is None else with_readings(pairs, others, notion, ignore_types)
        return notion.count(read, pairing, ignore_types)

    tallies = {}
    for notion in chosen:
        found = count(notion)
        if counting == "published":
            found = as_published(found, count)
        tallies[notion.name] = _in_frame_order(found, gold_side, guess_side)
    words = {name: frozenset(held) for name, held in (lists or {}).items()}
    gold_frame = with_features(gold, gold_mentions, features, words)
    guess_frame = with_features(gold, guesses, features, words)
    sides = Columns(gold_frame), Columns(guess_frame)
    return Scores(
        corpus=gold,
        gold=gold_frame,
        predicted=guess_frame,
        gold_row=gold_side.in_frame_order(gold_side.row),
        predicted_row=guess_side.in_frame_order(guess_side.row),
        gold_type=gold_side.in_frame_order(gold_side.kind),
        predicted_type=guess_side.in_frame_order(guess_side.kind),
        types=tuple(kinds),
        tallies=tallies,
        classes=tuple(classes),
        divisions=(
            *(by_class(c, *sides) for c in classes),
            *(by_features(parse_by(b), gold_frame, guess_frame) for b in by),
        ),
        settings=Settings(
            pairing=pairing,
            alternatives=alternatives,
            counting=counting,
            ignore_types=ignore_types,
            type_map=tuple(sorted(type_map.items())) if type_map else (),
            lists=tuple((name, list_digest(words[name])) for name in sorted(words)),
            beta=beta,
            confidence=confidence,
            intervals=intervals,
            run=run,
            corpus=gold.name,
            gold_part=gold_part or corpus_part(gold),
            tagger_part=tagger or _predictions_part(predictions, run),
        ),
        candidates=pairs,
        base=axes.base,
        lists=words,
    )


def check_words(pairing: str, alternatives: str, counting: str, intervals: str = "resampled") -> None:
    """Refuse words that name no pairing, no way with alternatives, no counting or no intervals.

    Raises
    ------
    InputError
    """
    choices: list[tuple[str, tuple[str, ...], str]] = [
        (pairing, PAIRINGS, "pairing"),
        (alternatives, ALTERNATIVES, "way with alternatives"),
        (counting, COUNTINGS, "counting"),
        (intervals, INTERVALS, "intervals"),
    ]
    for value, known, what in choices:
        if value not in known:
            raise InputError(f"unknown {what}", found=value, allowed=", ".join(known))


def check_numbers(confidence: float, beta: float) -> None:
    """Refuse a confidence or a weight of recall that means nothing.

    Raises
    ------
    InputError
    """
    # written so that what is not a number is refused as well
    if not 0.5 <= confidence <= MOST_CONFIDENT:
        allowed = f"from 0.5 to {MOST_CONFIDENT}"
        raise InputError("the confidence of intervals is out of range", found=confidence, allowed=allowed)
    if not LEAST_BETA <= beta < float("inf"):
        raise InputError(
            "the weight of recall (beta) is out of range", found=beta, allowed=f"from {LEAST_BETA} on"
        )


def _check(
    names: Sequence[str | Notion] | None,
    pairing: Pairing,
    alternatives: Alternatives,
    counting: Counting,
    gold: Corpus,
) -> tuple[list[Notion], Pairing]:
    """The notions, and the pairing that the choice of alternatives brings with it."""
    chosen = list(dict.fromkeys(find_notion(n) for n in names)) if names else list(NOTIONS)
    if alternatives == "none":
        return chosen, pairing
    if gold.alternatives is None:
        allowed = "--alternatives none, or a gold that has them"
        raise InputError("the gold has no alternatives", found=gold.name, allowed=allowed)
    if alternatives == "published":
        if names and chosen != [STRICT]:
            wrong = ", ".join(n.name for n in chosen if n != STRICT)
            problem = "the published program for alternatives knows no such notion"
            raise InputError(problem, found=wrong, allowed="strict")
        if pairing != "any" or counting != "text":
            raise InputError(
                "the published program for alternatives has its own pairing and counting",
                found=f"--pairing {pairing} --counting {counting}",
                allowed="neither option",
            )
        return [STRICT], pairing
    if pairing == "greedy":
        problem = "--alternatives optimal pairs one-to-one"
        raise InputError(problem, found="greedy", allowed="--pairing one-to-one")
    usable = [n for n in chosen if not n.without_alternatives]
    if names and len(usable) < len(chosen):
        refused = next(n for n in chosen if n.without_alternatives)
        allowed = ", ".join(n.name for n in EVERY if not n.without_alternatives)
        problem = f"alternatives have no meaning under this notion: {refused.without_alternatives}"
        raise InputError(problem, found=refused.name, allowed=allowed)
    return usable, "one-to-one"


def _in_frame_order(found: Tally, gold: Side, predicted: Side) -> Tally:
    """A tally with its numbers in the order of the frames instead of the sorted sides."""
    if gold.order is None and predicted.order is None:
        return found

    def perhaps(values: Credit | None, side: Side) -> Credit | None:
        return None if values is None else side.in_frame_order(values)

    def side_of(name: str) -> Side:
        return gold if name.startswith("gold_") else predicted

    details: dict[str, NDArray[np.int64]] = {}
    for name, values in found.details.items():
        side = side_of(name)
        other = predicted if side is gold else gold
        if name.endswith("_partner") and len(other):
            values = np.where(values >= 0, other.places[values], -1)
        details[name] = side.in_frame_order(values)
    return replace(
        found,
        gold_units=gold.in_frame_order(found.gold_units),
        gold_matched=gold.in_frame_order(found.gold_matched),
        predicted_units=predicted.in_frame_order(found.predicted_units),
        predicted_matched=predicted.in_frame_order(found.predicted_matched),
        lent_units=perhaps(found.lent_units, predicted),
        lent_matched=perhaps(found.lent_matched, predicted),
        gold_verdict=perhaps(found.gold_verdict, gold),
        predicted_verdict=perhaps(found.predicted_verdict, predicted),
        extra={name: side_of(name).in_frame_order(values) for name, values in found.extra.items()},
        details=details,
    )


def _predictions_part(predictions: Corpus | pd.DataFrame, run: str) -> str:
    digest = predictions.digest if isinstance(predictions, Corpus) else ""
    return f"predictions:{digest[:12] or run or 'unnamed'}"
