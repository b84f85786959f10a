"""Function `score`, which pairs gold and predicted mentions and returns the basis of all tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...sentences.corpus import INVENTED_COLUMN, Corpus
from ...sentences.identifiers import IDENTIFIERS_COLUMN
from .arrays import Flags
from .classes import Class, check_class_names
from .division import collect_features, make_divisions
from .features import add_features
from .identifiers import read_comparable_identifiers
from .notions import ALL_NOTIONS, NOTIONS, STRICT, Notion, Tally, find_notion, recount_as_published
from .options import ScoringOptions
from .pairing.alternatives import find_reading_candidates, tally_published
from .pairing.axes import Side, TextAxes, build_side, code_types, list_types, map_types
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
        Texts and gold mentions, with alternatives if there are any. Predicted mentions are ignored.
    predictions : Corpus or DataFrame
        Predicted mentions in the same texts. Discontinuous mentions require a corpus, which has fragments.
    options : ScoringOptions, optional
        Options that determine how mentions are paired and counted.
    classes : sequence of Class
        Named classes.
    by : sequence of str
        Features, or combinations of features joined by commas, whose values become classes.
    run : str
        Value of the `run` column in tables.
    tagger : str
        Part of the signature that identifies the tagger (``tagger:kex@0.3``). By default, it is made from
        the checksum of the predictions.
    gold_part : str
        Part of the signature that identifies the gold corpus (``suite:1f3a…``). By default, it is made
        from the checksum of the corpus.
    axes : TextAxes, optional
        Positions of the gold texts and their tokens, to be reused when several runs are scored against the
        same gold corpus.
    **choices
        Options by name, such as ``pairing="one-to-one"``; they replace those in `options`.

    Returns
    -------
    Scores
        Verdicts on all mentions, and the score table.

    Raises
    ------
    InputError
        If a span lies outside its text, a text is not in the gold corpus, or options contradict each other.
    """
    notions, resolved = _resolve_options(replace(options or ScoringOptions(), **choices), gold)
    check_class_names(classes)
    features = collect_features(classes, by)
    gold_mentions = gold.mentions
    if "side" in gold_mentions and bool((gold_mentions["side"] != "gold").any()):
        gold_mentions = gold_mentions[gold_mentions["side"] == "gold"].reset_index(drop=True)
    guesses = predictions.mentions if isinstance(predictions, Corpus) else predictions
    guessed_parts = predictions.fragments if isinstance(predictions, Corpus) else None

    alternatives = gold.alternatives
    unused_types: list[str] = []
    if resolved.type_map:
        unused_types = sorted(set(resolved.type_map).difference(list_types(gold_mentions, guesses)))
        gold_mentions = map_types(gold_mentions, resolved.type_map)
        guesses = map_types(guesses, resolved.type_map)
        alternatives = None if alternatives is None else map_types(alternatives, resolved.type_map)
    kinds = list_types(gold_mentions, guesses)
    axes = TextAxes.from_texts(gold.texts) if axes is None else axes
    keyed_gold, keyed_guesses, ignore_types = gold_mentions, guesses, resolved.ignore_types
    if resolved.identifiers:
        if alternatives is not None and resolved.alternatives != "none":
            problem = "--identifiers cannot be combined with --alternatives, which have no identifiers"
            raise InputError(problem, found=resolved.alternatives, allowed="none")
        known = read_comparable_identifiers(gold_mentions, gold, guesses, predictions)
        gold_mentions, guesses = (
            mentions.assign(**{IDENTIFIERS_COLUMN: column})
            for mentions, column in zip((gold_mentions, guesses), known, strict=True)
        )
        # mentions are paired as if their identifiers were part of their types
        keyed_gold, keyed_guesses = (
            _add_identifiers_to_types(mentions, ignore_types) for mentions in (gold_mentions, guesses)
        )
        ignore_types = False
    keys = list_types(keyed_gold, keyed_guesses)
    gold_side = build_side(axes, keyed_gold, keys, gold.fragments, "gold")
    guess_side = build_side(axes, keyed_guesses, keys, guessed_parts, "predicted")
    is_unplaced = guesses[INVENTED_COLUMN].notna().to_numpy() if INVENTED_COLUMN in guesses else None
    pairs = _drop_unplaced(find_candidates(gold_side, guess_side), guess_side, is_unplaced)
    accepted = None
    if resolved.alternatives != "none" and alternatives is not None:
        # a type that occurs only in alternatives is not in `keys`, and matches no other type
        alternative = build_side(axes, alternatives, keys, None, "gold alternative")
        accepted = _drop_unplaced(find_candidates(alternative, guess_side), guess_side, is_unplaced)

    def count(notion: Notion) -> Tally:
        if resolved.alternatives == "published" and accepted is not None:
            file_positions = np.asarray(guesses["mention_id"], dtype=np.int64)[guess_side.frame_positions]
            return tally_published(pairs, accepted, notion, file_positions, ignore_types)
        readings = (
            pairs if accepted is None else find_reading_candidates(pairs, accepted, notion, ignore_types)
        )
        return notion.count(readings, resolved.pairing, ignore_types)

    tallies = {}
    for notion in notions:
        tally = count(notion)
        if resolved.counting == "published":
            tally = recount_as_published(tally, count)
        tallies[notion.name] = tally.map_arrays(gold_side.to_frame_order, guess_side.to_frame_order)
    gold_frame = add_features(gold, gold_mentions, features, resolved.lists)
    guess_frame = add_features(gold, guesses, features, resolved.lists)
    return Scores(
        corpus=gold,
        gold=gold_frame,
        predicted=guess_frame,
        gold_row=gold_side.to_frame_order(gold_side.row),
        predicted_row=guess_side.to_frame_order(guess_side.row),
        gold_type=code_types(gold_mentions["type"], kinds),
        predicted_type=code_types(guesses["type"], kinds),
        types=tuple(kinds),
        tallies=tallies,
        classes=tuple(classes),
        divisions=tuple(make_divisions(classes, by, gold_frame, guess_frame)),
        options=resolved,
        run=run,
        gold_part=gold_part or make_corpus_part(gold),
        tagger_part=tagger or _make_predictions_part(predictions, run),
        candidates=pairs,
        unused_types=tuple(unused_types),
    )


def _add_identifiers_to_types(mentions: pd.DataFrame, ignore_types: bool) -> pd.DataFrame:
    """Append identifiers to the types of mentions; types that are ignored are replaced by identifiers."""
    types = "" if ignore_types else mentions["type"].astype("str").fillna("") + "\t"
    return mentions.assign(type=types + mentions[IDENTIFIERS_COLUMN])


def _resolve_options(options: ScoringOptions, gold: Corpus) -> tuple[list[Notion], ScoringOptions]:
    """Return the notions to count, and the options with the pairing that ``alternatives`` requires."""
    names = options.notions
    chosen = list(dict.fromkeys(find_notion(n) for n in names)) if names else list(NOTIONS)
    if options.alternatives == "none":
        return chosen, options
    if gold.alternatives is None:
        problem = "the gold corpus has no alternatives; use --alternatives none"
        raise InputError(problem, found=gold.name)
    if options.alternatives == "published":
        if names and chosen != [STRICT]:
            wrong = ", ".join(n.name for n in chosen if n != STRICT)
            problem = "--alternatives published supports only one notion"
            raise InputError(problem, found=wrong, allowed="strict")
        if options.pairing != "any" or options.counting != "text":
            raise InputError(
                "--alternatives published cannot be combined with --pairing or --counting",
                found=f"--pairing {options.pairing} --counting {options.counting}",
            )
        return [STRICT], options
    if options.pairing == "greedy":
        problem = "--alternatives optimal requires one-to-one pairing"
        raise InputError(problem, found="greedy", allowed="--pairing one-to-one")
    usable = [n for n in chosen if not n.no_alternatives_reason]
    if names and len(usable) < len(chosen):
        refused = next(n for n in chosen if n.no_alternatives_reason)
        allowed = ", ".join(n.name for n in ALL_NOTIONS if not n.no_alternatives_reason)
        problem = f"this notion cannot be counted with alternatives: {refused.no_alternatives_reason}"
        raise InputError(problem, found=refused.name, allowed=allowed)
    return usable, replace(options, pairing="one-to-one")


def _drop_unplaced(pairs: Candidates, predicted: Side, mask: Flags | None) -> Candidates:
    """Remove pairs whose predictions do not occur in their texts; `mask` marks these predictions."""
    return pairs if mask is None else pairs.take(~mask[predicted.frame_positions[pairs.predicted]])


def _make_predictions_part(predictions: Corpus | pd.DataFrame, run: str) -> str:
    digest = predictions.digest if isinstance(predictions, Corpus) else ""
    return f"predictions:{digest[:12] or run or 'unnamed'}"
