"""Sections on costs, repetitions, effects of options, and strings that taggers return without offsets."""

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
"""Maximum number of listed strings per class."""
COST_COLUMNS = (
    Column("seconds", "seconds", "number"),
    Column(
        "seconds_p95", "seconds (95th percentile)", "number", help="95 % of the cases took at most this time"
    ),
    Column("input_tokens", "input tokens", "count"),
    Column("output_tokens", "output tokens", "count"),
    Column("price", "price", "number"),
    Column(
        "shared", "estimated", "count", help="cases in batches; a batch's time is divided among its cases"
    ),
)
TIME_COLUMNS = {"seconds", "seconds_p95", "shared"}
"""Cost columns that contain times."""
REPEAT_COLUMNS = (
    Column("class", "class"),
    Column("cases", "cases", "count"),
    Column(
        "flip_share",
        "flips",
        "range",
        "flip_low",
        "flip_high",
        help="cases to which the repetitions gave different answers",
    ),
    Column(
        "agreement",
        "agreement",
        "share",
        help="share of pairs of repetitions with the same answer, averaged over cases",
    ),
    Column("recall", "mean recall", "range"),
    Column("precision", "mean precision", "range"),
    Column("f1", "mean F", "range"),
    Column("recall_any", "any", "share", help="mentions found in any repetition"),
    Column("recall_majority", "majority", "share", help="mentions found in most repetitions"),
    Column("recall_all", "all", "share", help="mentions found in every repetition"),
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
    """Return the section on errors of taggers that answer with strings, including invented strings."""
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
            caption = f"Invented strings, which do not occur in the text: {entry.label}"
            blocks.append(
                Table(make_identifier("invented", entry.tagger, entry.source), caption, listed, columns)
            )
    lead = "Each error has one kind. Invented strings are false positives, classified by their form."
    return Section("strings", "Errors of taggers that answer with strings", lead, tuple(blocks), "Strings")


def _find_unread(entry: ScoredRun) -> NDArray[np.int64]:
    """Return the positions of texts for which the tagger gave no readable answer."""
    if entry.run is None:
        return np.zeros(0, dtype=np.int64)
    outcomes = entry.run.outcomes
    bad = outcomes.loc[~outcomes["outcome"].astype("str").isin(ANSWERED_OUTCOMES), "case_id"]
    return np.flatnonzero(entry.scores.corpus.texts["text_id"].isin(bad).to_numpy())


def spending_section(findings: Findings) -> Section:
    """Return the section on time, tokens and price by class, for runs in which they were recorded."""
    blocks: list[Block] = []
    for entry in findings.entries:
        costs = None if entry.run is None else entry.run.costs
        if costs is None:
            continue
        table = build_cost_table(costs, entry.scores)
        names = set(select_known_columns(table))
        if count_shared_cases(costs) and not (costs["shared"] == 0).any():
            # seconds estimated from the length of texts say nothing else about a class
            names -= TIME_COLUMNS
        shown = tuple(column for column in COST_COLUMNS if column.name in names)
        if shown:
            caption = f"Costs of the cases in each class: {entry.label}"
            columns = (Column("class", "class"), Column("cases", "cases", "count"), *shown)
            blocks.append(
                Table(make_identifier("spending", entry.tagger, entry.source), caption, table, columns)
            )
    lead = (
        "Seconds, tokens and price of answered requests, as recorded in costs.parquet. A case counts in each "
        "class of which it has mentions; cases without an answer count as the slowest. The time of "
        "a batch is divided among its cases in proportion to their length. If all cases were sent in "
        "batches, only `tagsuite score --show costs` shows the seconds."
    )
    return Section("spending", "Seconds, tokens and price", lead, tuple(blocks), "Seconds and price")


def repeats_section(findings: Findings) -> Section:
    """Return the section on changed answers, agreement and measures by class, for runs with repetitions."""
    blocks: list[Block] = []
    for entry in findings.entries:
        if entry.run is None or entry.run.times < 2:
            continue
        scores = entry.notion_scores
        table = RepeatedScores.from_run(scores, entry.run, get_main_notion(scores)).build_table()
        caption = f"{entry.run.times} repetitions: {entry.label}"
        id_ = make_identifier("repeats", entry.tagger, entry.source)
        blocks.append(Table(id_, caption, table[table["cases"] > 0], REPEAT_COLUMNS))
    lead = (
        "The tagger was run several times on the same cases. A case flips if the repetitions do not all give "
        "the same answer. All other sections of this report use the first repetition only."
    )
    return Section("repeats", "Variation between repetitions", lead, tuple(blocks), "Repetitions")


def effects_section(findings: Findings) -> Section:
    """Return the section on the effect of each value of a varied option."""
    blocks: list[Block] = []
    for name, table in findings.effects.items():
        frame = table[table["gold"] > 0].reset_index(drop=True)
        for prefix in ("", "precision_", "f1_"):
            frame[f"{prefix}told"] = judge_differences(frame[f"{prefix}p_bh"])
        caption = f"Recall, precision and F for each option value in {name}"
        blocks.append(Table(make_identifier("effects", name), caption, frame, EFFECT_COLUMNS))
    lead = (
        "Each value of an option is compared with the other values on the same texts; figures are averages "
        "over the values of other options. Verdicts are corrected for the number of tests per measure; an "
        "option with two values is one test."
    )
    return Section("effects", "Effects of options", lead, tuple(blocks), "Effects")
