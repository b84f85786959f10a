"""`tagsuite taggers check`: a few telling sentences through a tagger, and what looks wrong."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.files import read_bundled_text
from ...sentences.formats.base import DEFAULT_TYPE
from .folder.run_file import MAX_TYPES, list_output_notes
from .folder.runs import Run
from .preparation import prepare_tagger
from .run import run

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class CheckReport:
    """What `check` found.

    Attributes
    ----------
    table : DataFrame
        A row a sentence: what was sent, what came of it, the mentions that came back.
    findings : list of str
        What looks wrong, most telling first; or that nothing does.
    has_failures : bool
        Whether some case got no answer that can be used.
    """

    table: pd.DataFrame
    findings: list[str] = field(default_factory=list)
    has_failures: bool = False


def read_sentences() -> list[str]:
    """The telling sentences: names at both edges, Greek, entities, quotes, brackets, one word."""
    content = read_bundled_text(__package__, "telling_sentences.txt")
    return [line for line in content.split("\n") if line and not line.startswith("#")]


def check_tagger(tagger: str, options: Mapping[str, str] | None = None) -> CheckReport:
    """Send the telling sentences through a tagger, uncached, and look at what comes back."""
    import pandas as pd

    ready = prepare_tagger(tagger, options)
    texts = read_sentences()
    with tempfile.TemporaryDirectory(prefix="tagsuite-check-") as scratch:
        source = Path(scratch) / "sentences.txt"
        source.write_text("".join(t + "\n" for t in texts), encoding="utf-8")
        done = run(f"sgml:{source}", ready, Path(scratch) / "run", cache=False)
        mentions = done.predictions
        outcomes = done.outcomes
        shown = [
            _format_mentions(texts[i], mentions[mentions["text_id"] == case])
            for i, case in enumerate(outcomes["case_id"])
        ]
        table = pd.DataFrame(
            {
                "sentence": texts,
                "outcome": outcomes["outcome"],
                "placed": outcomes["placed"],
                "unplaced": outcomes["unplaced"],
                "mentions": shown,
            }
        )
        findings = _list_findings(texts, done)
        return CheckReport(table, findings, done.failed > 0)


def _format_mentions(text: str, mentions: pd.DataFrame) -> str:
    return "; ".join(
        f"{text[start:end]} ({kind} {start}-{end})"
        for start, end, kind in zip(mentions["start"], mentions["end"], mentions["type"], strict=True)
    )


def _list_findings(texts: Sequence[str], done: Run) -> list[str]:
    mentions = done.predictions
    found = [f"wrong: {line}" for line in list_output_notes(done.meta)]
    for failure in done.meta.get("failure", []):
        details = "".join(f": {text}" for text in (failure["found"], failure["stderr"]) if text)
        share = f"{failure['count']} of {len(texts)} sentences"
        found.append(f"wrong: {share}: {failure['outcome']}, {failure['said']}{details}")
    if mentions.empty and not done.failed:
        found.append(
            "wrong: no mention at all: is output.form right, are tags and columns those that it prints, "
            "does the type map drop everything?"
        )
    found += _check_edges(texts, mentions)
    found += _check_types(done)
    if done.meta["run"]["merged"]:
        found.append(
            f"look: {done.meta['run']['merged']} mentions repeat another's text, span and type; each counts "
            'once (output.duplicates = "keep" counts all)'
        )
    if done.meta["run"]["strays"]:
        found.append(f"look: {done.meta['run']['strays']} records or lines of output belong to no sentence")
    for way, meaning in _MATCH_KIND_TEXTS.items():
        count = done.meta["placed"].get(way, 0)
        if count:
            found.append(f"look: {count} of {len(texts)} sentences came back {meaning}")
    return found or ["nothing looks wrong"]


def _check_types(done: Run) -> list[str]:
    """What the type map drops or does not know, and types that suites and corpora of genes do not have."""
    unmapped, dropped = done.meta["unmapped_types"], set(done.meta["dropped_types"])
    lines = [
        f"look: {count} mentions of type {name!r}, which [types] drops"
        if name in dropped
        else f"wrong: {count} mentions of type {name!r}, which [types] does not know"
        for name, count in unmapped.items()
    ]
    counts = done.predictions["type"].astype(str).value_counts().sort_index()
    lines += [
        f"look: {count} mentions of type {name!r}, which match no gold mention of another type; suites have "
        f"{DEFAULT_TYPE!r} unless their catalogue says otherwise: is a type map ([types]) needed?"
        for name, count in counts.items()
        if name != DEFAULT_TYPE and name not in unmapped
    ]
    more = len(lines) - MAX_TYPES
    return [*lines[:MAX_TYPES], f"look: {more} more types"] if more > 0 else lines


_MATCH_KIND_TEXTS = {
    "whitespace": "with other white space; they were placed without it",
    "canonical": "with other case, quotes, entities or composition; they were placed by their letters",
    "aligned": "with other letters; they were aligned, difference by difference",
}


def _check_edges(texts: Sequence[str], mentions: pd.DataFrame) -> list[str]:
    """Edges inside words that would be at words' edges one character to the left or right."""
    if mentions.empty:
        return []
    votes = {-1: 0, 0: 0, 1: 0}
    for case, start, end in zip(mentions["text_id"], mentions["start"], mentions["end"], strict=True):
        text = texts[int(case)]
        for shift in votes:
            votes[shift] += _is_at_word_edges(text, start + shift, end + shift)
    ends = sum(
        _is_inside_word(texts[int(c)], e) for c, e in zip(mentions["text_id"], mentions["end"], strict=True)
    )
    count = len(mentions)
    found = [
        f"wrong: {count - votes[0]} of {count} mentions begin or end inside a word; {count - votes[shift]} "
        f"would if all offsets were {abs(shift)} {'lower' if shift < 0 else 'higher'}: are output.base and "
        "output.unit right?"
        for shift in (-1, 1)
        if votes[shift] > max(votes[0], count // 2)
    ]
    if not found and ends > count // 2:
        found.append(f"wrong: {ends} of {count} mentions end inside a word: is output.inclusive right?")
    return found


def _is_inside_word(text: str, at: int) -> bool:
    """Whether a place is between two letters or digits."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _is_at_word_edges(text: str, start: int, end: int) -> bool:
    if start < 0 or end > len(text) or start >= end:
        return False
    return not (
        _is_inside_word(text, start)
        or _is_inside_word(text, end)
        or text[start].isspace()
        or text[end - 1].isspace()
    )
