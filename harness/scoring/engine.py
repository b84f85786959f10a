"""Scoring: pair, filter, measure. `score` does the pairing once; `Scores` answers everything else from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...sentences.corpus import INVENTED_COLUMN, Corpus
from .arrays import Flags
from .classes import Class, check_class_names
from .division import collect_features, make_divisions
from .features import add_features
from .notions import ALL_NOTIONS, NOTIONS, STRICT, Notion, Tally, find_notion, recount_as_published
from .options import ScoringOptions
from .pairing.alternatives import find_reading_candidates, tally_published
from .pairing.axes import Side, TextAxes, build_side, list_types, map_types
from .pairing.candidates import Candidates, find_candidates
from .scores import Scores
from .signature import make_corpus_part


def score(
    gold: Corpus,
    predictions: Corpus | pd.DataFrame,
    options: ScoringOptions | None = None,
    *,
    classes: Sequence[Class] = (),
    by: Sequence[str] = (),
    run: str = "",
    tagger: str = "",
    gold_part: str = "",
    axes: TextAxes | None = None,
    **choices: Any,
) -> Scores:
    """Score predictions against a gold corpus.

    Parameters
    ----------
    gold : Corpus
        Texts and gold mentions (those of side gold), with alternatives where it has them.
    predictions : Corpus or DataFrame
        Predicted mentions over the same texts; a corpus may bring fragments of discontinuous ones.
    options : ScoringOptions, optional
        How mentions are counted.
    classes : sequence of Class
        Named classes.
    by : sequence of str
        Features whose values are classes; several with commas for their combinations.
    run : str
        What the `run` column shows.
    tagger : str
        The signature's part for the tagger (``tagger:kex@0.3``); the predictions' digest when empty.
    gold_part : str
        The signature's part for the gold (``suite:1f3a…``); made from its digest when empty.
    axes : Axes, optional
        The gold's texts laid out before, when several runs are scored against them.
    **choices
        Options by name, such as ``pairing="one-to-one"``, in place of those of `options`.

    Returns
    -------
    Scores
        The table and everything that it is made from.

    Raises
    ------
    InputError
        When a span lies outside its text, a text is unknown, or the choices contradict each other.
    """
    chosen, settled = _resolve_options(replace(options or ScoringOptions(), **choices), gold)
    check_class_names(classes)
    features = collect_features(classes, by)
    gold_mentions = gold.mentions
    if "side" in gold_mentions and bool((gold_mentions["side"] != "gold").any()):
        gold_mentions = gold_mentions[gold_mentions["side"] == "gold"].reset_index(drop=True)
    guesses = predictions.mentions if isinstance(predictions, Corpus) else predictions
    guessed_parts = predictions.fragments if isinstance(predictions, Corpus) else None

    accepted = gold.alternatives
    idle: list[str] = []
    if settled.type_map:
        idle = sorted(set(settled.type_map).difference(list_types(gold_mentions, guesses)))
        gold_mentions = map_types(gold_mentions, settled.type_map)
        guesses = map_types(guesses, settled.type_map)
        accepted = None if accepted is None else map_types(accepted, settled.type_map)
    kinds = list_types(gold_mentions, guesses)
    axes = TextAxes.from_texts(gold.texts) if axes is None else axes
    gold_side = build_side(axes, gold_mentions, kinds, gold.fragments, "gold")
    guess_side = build_side(axes, guesses, kinds, guessed_parts, "predicted")
    nowhere = guesses[INVENTED_COLUMN].notna().to_numpy() if INVENTED_COLUMN in guesses else None
    pairs = _drop_unplaced(find_candidates(gold_side, guess_side), guess_side, nowhere)
    others = None
    if settled.alternatives != "none" and accepted is not None:
        # a type that only alternatives have is none of `kinds`, and agrees with none
        alternative = build_side(axes, accepted, kinds, None, "gold alternative")
        others = _drop_unplaced(find_candidates(alternative, guess_side), guess_side, nowhere)

    def count(notion: Notion) -> Tally:
        if settled.alternatives == "published" and others is not None:
            listed = np.asarray(guesses["mention_id"], dtype=np.int64)[guess_side.frame_positions]
            return tally_published(pairs, others, notion, listed, settled.ignore_types)
        read = (
            pairs if others is None else find_reading_candidates(pairs, others, notion, settled.ignore_types)
        )
        return notion.count(read, settled.pairing, settled.ignore_types)

    tallies = {}
    for notion in chosen:
        found = count(notion)
        if settled.counting == "published":
            found = recount_as_published(found, count)
        tallies[notion.name] = found.map_arrays(gold_side.to_frame_order, guess_side.to_frame_order)
    gold_frame = add_features(gold, gold_mentions, features, settled.lists)
    guess_frame = add_features(gold, guesses, features, settled.lists)
    return Scores(
        corpus=gold,
        gold=gold_frame,
        predicted=guess_frame,
        gold_row=gold_side.to_frame_order(gold_side.row),
        predicted_row=guess_side.to_frame_order(guess_side.row),
        gold_type=gold_side.to_frame_order(gold_side.type_code),
        predicted_type=guess_side.to_frame_order(guess_side.type_code),
        types=tuple(kinds),
        tallies=tallies,
        classes=tuple(classes),
        divisions=tuple(make_divisions(classes, by, gold_frame, guess_frame)),
        options=settled,
        run=run,
        gold_part=gold_part or make_corpus_part(gold),
        tagger_part=tagger or _make_predictions_part(predictions, run),
        candidates=pairs,
        base=axes.text_starts,
        unused_types=tuple(idle),
    )


def _resolve_options(options: ScoringOptions, gold: Corpus) -> tuple[list[Notion], ScoringOptions]:
    """The notions, and the options with the pairing that the choice of alternatives brings with it."""
    names = options.notions
    chosen = list(dict.fromkeys(find_notion(n) for n in names)) if names else list(NOTIONS)
    if options.alternatives == "none":
        return chosen, options
    if gold.alternatives is None:
        allowed = "--alternatives none, or a gold that has them"
        raise InputError("the gold has no alternatives", found=gold.name, allowed=allowed)
    if options.alternatives == "published":
        if names and chosen != [STRICT]:
            wrong = ", ".join(n.name for n in chosen if n != STRICT)
            problem = "the published program for alternatives has no such notion"
            raise InputError(problem, found=wrong, allowed="strict")
        if options.pairing != "any" or options.counting != "text":
            raise InputError(
                "the published program for alternatives has its own pairing and counting",
                found=f"--pairing {options.pairing} --counting {options.counting}",
                allowed="neither option",
            )
        return [STRICT], options
    if options.pairing == "greedy":
        problem = "--alternatives optimal pairs one-to-one"
        raise InputError(problem, found="greedy", allowed="--pairing one-to-one")
    usable = [n for n in chosen if not n.no_alternatives_reason]
    if names and len(usable) < len(chosen):
        refused = next(n for n in chosen if n.no_alternatives_reason)
        allowed = ", ".join(n.name for n in ALL_NOTIONS if not n.no_alternatives_reason)
        problem = f"alternatives have no meaning under this notion: {refused.no_alternatives_reason}"
        raise InputError(problem, found=refused.name, allowed=allowed)
    return usable, replace(options, pairing="one-to-one")


def _drop_unplaced(pairs: Candidates, predicted: Side, nowhere: Flags | None) -> Candidates:
    """The pairs without predicted mentions that stand nowhere: under no notion these match anything."""
    return pairs if nowhere is None else pairs.take(~nowhere[predicted.frame_positions[pairs.predicted]])


def _make_predictions_part(predictions: Corpus | pd.DataFrame, run: str) -> str:
    digest = predictions.digest if isinstance(predictions, Corpus) else ""
    return f"predictions:{digest[:12] or run or 'unnamed'}"
