"""Further tables about runs: strings without places, costs, repetitions, effects of options."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...harness.running.outcomes import ANSWERED_OUTCOMES
from ...harness.scoring.repeat_tables import RepeatedScores
from ...harness.scoring.views.breakdown import count_error_kinds, list_invented
from ...harness.scoring.views.case_costs import build_cost_table, count_shared_cases, select_known_columns
from ..model import Block, Column, Section, Table, make_identifier
from .differences import CORRECTION_NOTE, judge_differences
from .findings import Findings, ScoredRun, get_main_notion

MAX_STRINGS = 50
"""Strings of a class that are listed."""
COST_COLUMNS = (
    Column("seconds", "seconds", "number"),
    Column("seconds_p95", "95 % within", "number", help="seconds within which 95 of 100 cases were answered"),
    Column("input_tokens", "tokens read", "count"),
    Column("output_tokens", "written", "count"),
    Column("price", "price", "number"),
    Column("shared", "shares", "count", help="cases whose seconds are a share of those of several"),
)
TIME_COLUMNS = {"seconds", "seconds_p95", "shared"}
"""Columns of seconds."""
REPEAT_COLUMNS = (
    Column("class", "class"),
    Column("cases", "cases", "count"),
    Column("flip_share", "flips", "range", "flip_low", "flip_high", help="cases not always answered alike"),
    Column("agreement", "agreement", "share", help="pairs of repetitions that answer a case alike"),
    Column("recall", "mean recall", "range"),
    Column("precision", "mean precision", "range"),
    Column("f1", "mean F", "range"),
    Column("recall_any", "any", "share", help="found in any repetition"),
    Column("recall_majority", "majority", "share", help="found in more than half of the repetitions"),
    Column("recall_all", "all", "share", help="found in every repetition"),
)
EFFECT_COLUMNS = (
    Column("class", "class"),
    Column("factor", "option"),
    Column("level", "value", "query"),
    Column("gold", "mentions", "count"),
    Column("recall", "recall", "share"),
    Column("effect", "effect", "difference"),
    Column("told", "verdict", help=CORRECTION_NOTE),
    Column("precision", "precision", "share"),
    Column("precision_effect", "effect", "difference"),
    Column("precision_told", "verdict", help=CORRECTION_NOTE),
    Column("f1", "F", "share"),
    Column("f1_effect", "effect", "difference"),
    Column("f1_told", "verdict", help=CORRECTION_NOTE),
)


def strings_section(findings: Findings) -> Section:
    """Return errors by kind, and invented strings, for taggers that answer with strings."""
    blocks: list[Block] = []
    for entry in findings.entries:
        scores = entry.scores
        if scores.is_unplaced is None:
            continue
        names = scores.class_names
        unread = _find_unread(entry)
        errors = pd.concat([count_error_kinds(scores, name, unread) for name in names], ignore_index=True)
        kinds = list(dict.fromkeys(errors["error"]))
        frame = errors.pivot(index="class", columns="error", values="count").loc[names, kinds].reset_index()
        columns = (Column("class", "class"), *(Column(kind, kind, "count") for kind in kinds))
        id_ = make_identifier("errors", entry.tagger, entry.source)
        blocks.append(Table(id_, f"Errors by kind: {entry.label}", frame, columns))
        listed = pd.concat(
            [list_invented(scores, name).head(MAX_STRINGS) for name in names], ignore_index=True
        )
        if len(listed):
            columns = (
                Column("class", "class"),
                Column("data", "string"),
                Column("type", "type"),
                Column("count", "times", "count"),
            )
            caption = f"Invented: strings that stand nowhere in their text, {entry.label}"
            blocks.append(
                Table(make_identifier("invented", entry.tagger, entry.source), caption, listed, columns)
            )
    lead = "Each error is of one kind; an invented string is a false positive of the classes of its form."
    return Section("strings", "Strings without places", lead, tuple(blocks), "Strings")


def _find_unread(entry: ScoredRun) -> NDArray[np.int64]:
    """Return the texts without a readable answer."""
    if entry.run is None:
        return np.zeros(0, dtype=np.int64)
    outcomes = entry.run.outcomes
    bad = outcomes.loc[~outcomes["outcome"].astype("str").isin(ANSWERED_OUTCOMES), "case_id"]
    return np.flatnonzero(entry.scores.corpus.texts["text_id"].isin(bad).to_numpy())


def spending_section(findings: Findings) -> Section:
    """Return seconds, tokens and price by class, for runs that recorded them."""
    blocks: list[Block] = []
    for entry in findings.entries:
        costs = None if entry.run is None else entry.run.costs
        if costs is None:
            continue
        found = build_cost_table(costs, entry.scores)
        names = set(select_known_columns(found))
        if count_shared_cases(costs) and not (costs["shared"] == 0).any():
            # shares by characters tell no class from another but by the length of its texts
            names -= TIME_COLUMNS
        known = tuple(column for column in COST_COLUMNS if column.name in names)
        if known:
            caption = f"{entry.label}: what the cases of each class cost"
            columns = (Column("class", "class"), Column("cases", "cases", "count"), *known)
            blocks.append(
                Table(make_identifier("spending", entry.tagger, entry.source), caption, found, columns)
            )
    lead = (
        "Seconds, tokens and price of cases, as the run's costs.parquet has them: of the requests that were "
        "answered. A case counts in each class of which it has mentions; one without an answer is slower "
        "than any other. Cases that were asked together have a share of their time, by characters of text; "
        "how many these are stands under shares. A run that has nothing but shares has no seconds here: "
        "score --show costs has them."
    )
    return Section("spending", "Seconds, tokens and price", lead, tuple(blocks), "Seconds and price")


def repeats_section(findings: Findings) -> Section:
    """Return flips, agreement, recall, precision and F by class, for runs with repetitions."""
    blocks: list[Block] = []
    for entry in findings.entries:
        if entry.run is None or entry.run.times < 2:
            continue
        table = RepeatedScores.from_run(
            entry.notion_scores, entry.run, get_main_notion(entry.notion_scores)
        ).build_table()
        caption = f"{entry.label}: {entry.run.times} repetitions"
        id_ = make_identifier("repeats", entry.tagger, entry.source)
        blocks.append(Table(id_, caption, table[table["cases"] > 0], REPEAT_COLUMNS))
    lead = (
        "The same cases were asked again. A case flips where not all repetitions gave the same answer; "
        "all other figures of this report are those of the first repetition."
    )
    return Section("repeats", "What another repetition says", lead, tuple(blocks), "Repetitions")


def effects_section(findings: Findings) -> Section:
    """Return the effects of each value of a varied option, by folder of variants."""
    blocks: list[Block] = []
    for name, table in findings.effects.items():
        frame = table[table["gold"] > 0].reset_index(drop=True)
        frame = frame.assign(
            **{
                f"{prefix}told": judge_differences(frame[f"{prefix}p_bh"])
                for prefix in ("", "precision_", "f1_")
            }
        )
        caption = f"Recall, precision and F of each value in {name}"
        blocks.append(Table(make_identifier("effects", name), caption, frame, EFFECT_COLUMNS))
    lead = (
        "Each value of an option compared with the other values, on the same texts, averaged over what else "
        "varies. Verdicts on a measure are corrected for its number of tests; two values of an option are "
        "one."
    )
    return Section("effects", "What each option does", lead, tuple(blocks), "Effects")
