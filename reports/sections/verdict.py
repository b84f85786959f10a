"""Sentences about the tested suites, corpora and results, for the first screen of the report."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...generator.suite import effective_number
from ...harness.running.folder.runs import Run
from ...harness.scoring.classes import ALL
from ...harness.scoring.notions import STRICT, find_notion
from ...harness.scoring.statistics.paired_differences import compare_paired
from ...harness.scoring.views.types import share_wrong_types
from ...sentences.annotated_texts import get_surface_forms
from ..cells import format_bare_percent, format_interval, format_percent, format_quantity, join_names
from .acceptance import describe_acceptance
from .discovery import describe_discovery
from .findings import Findings, ScoredRun, get_main_notion, pair_taggers, select_overall

MAX_PAIRS = 6
"""Maximum number of pairs of taggers that are compared in sentences."""

MAX_FIGURES = 4
"""Maximum number of runs whose figures are given in sentences."""

MAX_NAMED = 3
"""Maximum number of refuted predictions that are named."""

VERDICT_NAMES = ("confirmed", "refuted", "undecided")


def describe_tested(entries: Sequence[ScoredRun]) -> list[str]:
    """Return sentences about each suite and corpus, and about cases on which a tagger failed."""
    lines = []
    for source in dict.fromkeys(e.source for e in entries):
        own = [e for e in entries if e.source == source]
        corpus = own[0].scores.corpus
        kind, unit = ("suite", "case") if own[0].is_suite else ("corpus", "text")
        bare = corpus.texts["text_id"].nunique() - own[0].scores.gold["text_id"].nunique()
        without = f" ({bare:,} without mentions)" if bare else ""
        identifiers = own[0].scores.options.identifiers
        compared = "; a mention with a wrong identifier counts as wrong" if identifiers else ""
        names = [f"{e.tagger} {_version(e)}".strip() for e in own]
        mentions = format_quantity(len(own[0].scores.gold), "mention")
        texts = format_quantity(len(corpus.texts), unit)
        called = kind if source == kind else f"{kind} {source}"
        lines.append(f"{join_names(names)} on the {called}: {mentions} in {texts}{without}{compared}.")
        if own[0].is_suite:
            forms = get_surface_forms(corpus.texts, corpus.gold).value_counts()
            contexts = corpus.texts["context_id"].astype("object").value_counts()
            lines.append(
                f"The {called} contains {format_quantity(len(forms), 'different name')} in "
                f"{format_quantity(len(contexts), 'context')}; as some are repeated, the effective numbers "
                f"are {effective_number(forms):,} and {effective_number(contexts):,}."
            )
    for entry in entries:
        if entry.run is not None:
            lines += [f"{entry.tagger} on {entry.source}: {line}." for line in _remarks(entry.run)]
    return lines


def _remarks(run: Run) -> list[str]:
    """Return remarks on texts on which the tagger failed, and on merged or dropped mentions."""
    merged = int(run.meta["run"].get("merged", 0))
    lines = run.describe_failures()
    if merged:
        verb = "is equal to" if merged == 1 else "are equal to"
        repeated = f"{format_quantity(merged, 'predicted mention')} {verb} another one (same span and type)"
        lines.append(f"{repeated} and counted only once")
    unmapped = run.meta.get("unmapped_types", {})
    dropped = sum(unmapped.get(name, 0) for name in run.meta.get("dropped_types", []))
    if dropped:
        lines.append(f"{format_quantity(dropped, 'mention')} dropped because of the tagger's type map")
    return lines


def _version(entry: ScoredRun) -> str:
    return "" if entry.run is None else entry.run.tagger.rpartition("@")[2]


def describe_findings(findings: Findings) -> list[str]:
    """Return sentences about acceptance, the better tagger, figures, predictions and faults."""
    entries = findings.entries
    lines = [*describe_acceptance(findings.acceptance), *describe_better(entries, findings.confidence)]
    for entry in entries[:MAX_FIGURES]:
        figures = findings.figures
        own = figures[(figures["tagger"] == entry.tagger) & (figures["source"] == entry.source)]
        rows = own[own["class"] == ALL]
        if rows.empty:
            continue
        row = rows.iloc[0]
        if not row["gold"]:
            wrong = format_quantity(int(row["predicted"]), "mention")
            predicted = f"predicts {wrong}, all wrong" if row["predicted"] else "predicts none"
            lines.append(f"{entry.source} has no gold mentions; {entry.tagger} {predicted}.")
            continue
        manner = find_notion(row["notion"]).phrase or f"under {row['notion']}"
        found = format_interval(row["recall"], row["recall_low"], row["recall_high"])
        line = f"On {entry.source}, {entry.tagger} finds {found} of the mentions {manner}"
        line += _describe_partial(entry, row["recall"])
        right = format_interval(row["precision"], row["precision_low"], row["precision_high"])
        predicted = f"{right} of its predictions are right" if row["predicted"] else "it predicts nothing"
        lines.append(f"{line}; {predicted}.")
    if len(entries) > MAX_FIGURES:
        lines.append(f"See below for {format_quantity(len(entries) - MAX_FIGURES, 'more run')}.")
    return [*lines, *describe_predictions(findings.comparison), *describe_discovery(findings.faults)]


def _describe_partial(entry: ScoredRun, recall: float) -> str:
    """Return a clause about mentions found with a wrong boundary or type, or "" if there are none."""
    table = select_overall(entry.notion_scores.table)
    rows = table[table["notion"] == "sloppy"]
    if get_main_notion(entry.scores) != STRICT.name or rows.empty:
        return ""
    shares = {
        "boundary": float(rows["recall"].iloc[0]) - recall,
        "type": share_wrong_types(entry.notion_scores),
    }
    parts = [f"{format_percent(share)} with a wrong {what}" for what, share in shares.items() if share > 0]
    return f", and another {' and '.join(parts)}" if parts else ""


def describe_better(entries: Sequence[ScoredRun], confidence: float) -> list[str]:
    """Return a sentence for each pair of taggers about the difference between their F scores."""
    lines = []
    for one, other in pair_taggers(entries)[:MAX_PAIRS]:
        notion = get_main_notion(one.scores)
        if notion not in other.scores.tallies:
            continue
        row = compare_paired(
            one.scores, other.scores, notion=notion, names=[ALL], measures=["f1"], confidence=confidence
        ).iloc[0]
        low, high, value = row["difference_low"], row["difference_high"], row["difference"]
        if value != value or low != low:
            continue
        first, second = (one, other) if value >= 0 else (other, one)
        sign = 1 if value >= 0 else -1
        ends = " to ".join(format_bare_percent(end) for end in sorted(sign * end for end in (low, high)))
        size = f"{format_bare_percent(abs(value))} points ({ends})"
        if low * high > 0:
            lines.append(f"On {one.source}, {first.tagger} has a higher F than {second.tagger}, by {size}.")
        else:
            lines.append(
                f"On {one.source}, {one.tagger} and {other.tagger} do not differ significantly in F: "
                f"{first.tagger} is better by {size}, which may be due to chance."
            )
    return lines


def describe_predictions(compared: pd.DataFrame) -> list[str]:
    """Return a sentence per suite or corpus with the numbers of predictions by verdict."""
    lines: list[str] = []
    if compared.empty:
        return lines
    judged = compared[compared["verdict"].notna() & (compared["verdict"] != "")]
    for corpus, group in judged.groupby("corpus", sort=False):
        parts = []
        for run, own in group.groupby("run", sort=False):
            count = own["verdict"].value_counts()
            numbers = [f"{count[name]} {name}" for name in VERDICT_NAMES if name in count]
            refuted = own.loc[own["verdict"] == "refuted", "class"].tolist()
            about = f" ({join_names(refuted)})" if 0 < len(refuted) <= MAX_NAMED else ""
            parts.append(f"for {run}, {join_names(numbers)}{about}")
        size = group.groupby("run").size().max()
        lines.append(f"Of {format_quantity(size, 'prediction')} on {corpus}: {'; '.join(parts)}.")
    return lines
