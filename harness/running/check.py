"""Implementation of `tagsuite taggers check`: run a tagger on test sentences and list suspicious results."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.files import read_bundled_text
from ...sentences.formats.base import DEFAULT_TYPE
from .folder.run_file import MAX_TYPES, list_count_notes, list_output_notes
from .folder.runs import Run
from .preparation import prepare_tagger
from .run import run

if TYPE_CHECKING:
    import pandas as pd


MAX_GOLD_TEXTS = 12
"""Maximum number of texts from the annotated corpus that are sent to the tagger."""


@dataclass
class CheckReport:
    """Results of `check_tagger`.

    Attributes
    ----------
    table : DataFrame
        One row per sentence: the text sent, the outcome, and the mentions returned.
    findings : list of str
        Messages about suspicious results, the most important first; if there are none, one message says so.
    has_failures : bool
        True if at least one sentence has no usable answer.
    """

    table: pd.DataFrame
    findings: list[str]
    has_failures: bool


def read_sentences() -> list[str]:
    """Return the bundled test sentences, which contain difficult text such as Greek letters and quotes."""
    content = read_bundled_text(__package__, "telling_sentences.txt")
    return [line for line in content.split("\n") if line and not line.startswith("#")]


def check_tagger(tagger: str, options: Mapping[str, str] | None = None, gold: str = "") -> CheckReport:
    """Run a tagger on test sentences, without the cache, and examine its output.

    Parameters
    ----------
    tagger : str
        Name, specification file or function.
    options : mapping of str to str, optional
        Values for the tagger's options.
    gold : str
        Annotated corpus or suite (``FORMAT:PATH``). Some of its texts are sent in addition to the bundled
        sentences. The tagger should then predict types in the corpus instead of the default type.
    """
    import pandas as pd

    from ...sentences.formats.registry import read_corpus

    ready = prepare_tagger(tagger, options)
    texts, types = read_sentences(), {DEFAULT_TYPE}
    if gold:
        corpus = read_corpus(gold)
        named = corpus.texts[corpus.texts["text_id"].isin(corpus.gold["text_id"])]
        texts += [" ".join(text.split()) for text in named["text"].head(MAX_GOLD_TEXTS)]
        types = set(corpus.gold["type"].astype("str"))
    with tempfile.TemporaryDirectory(prefix="tagsuite-check-") as scratch:
        source = Path(scratch) / "sentences.txt"
        source.write_text("".join(t + "\n" for t in texts), encoding="utf-8")
        done = run(f"sgml:{source}", ready, Path(scratch) / "run", cache=False)
        mentions = done.predictions
        outcomes = done.outcomes
        mention_texts = [
            _format_mentions(texts[i], mentions[mentions["text_id"] == case])
            for i, case in enumerate(outcomes["case_id"])
        ]
        answers = outcomes[["outcome", "placed", "unplaced"]].assign(mentions=mention_texts)
        table = pd.concat([pd.Series(texts, name="sentence"), answers], axis=1)
        return CheckReport(table, _list_findings(texts, types, done), done.failed > 0)


def _format_mentions(text: str, mentions: pd.DataFrame) -> str:
    return "; ".join(
        f"{text[start:end]} ({kind} {start}-{end})"
        for start, end, kind in zip(mentions["start"], mentions["end"], mentions["type"], strict=True)
    )


def _list_findings(texts: Sequence[str], types: Set[str], done: Run) -> list[str]:
    mentions = done.predictions
    findings = [f"wrong: {line}" for line in list_output_notes(done.meta)]
    for failure in done.meta.get("failure", []):
        details = "".join(f": {text}" for text in (failure["found"], failure["stderr"]) if text)
        share = f"{failure['count']} of {len(texts)} sentences"
        findings.append(f"wrong: {share}: {failure['outcome']}, {failure['said']}{details}")
    if mentions.empty and not done.failed:
        findings.append(
            "wrong: no mentions; check output.form, the tags or columns, and whether the type map ([types]) "
            "drops all mentions"
        )
    findings += _check_edges(texts, mentions)
    findings += _check_types(types, done)
    findings += [f"look: {line}" for line in list_count_notes(done.meta)]
    for kind, meaning in _MATCH_KIND_TEXTS.items():
        count = done.meta["placed"].get(kind, 0)
        if count:
            findings.append(f"look: {count} of {len(texts)} sentences were returned {meaning}")
    return findings or ["nothing looks wrong"]


def _check_types(types: Set[str], done: Run) -> list[str]:
    """Return notes on predicted types that are dropped by the type map, missing from it or not in `types`."""
    unmapped, dropped = done.meta["unmapped_types"], set(done.meta["dropped_types"])
    lines = [
        f"look: {count} mentions of type {name!r}, which [types] drops"
        if name in dropped
        else f"wrong: {count} mentions of type {name!r}, which [types] does not list"
        for name, count in unmapped.items()
    ]
    counts = done.predictions["type"].astype(str).value_counts().sort_index()
    lines += [
        f"look: {count} mentions of type {name!r} can match only gold mentions of that type, not "
        f"{', '.join(sorted(types))}: is a type map ([types]) needed?"
        for name, count in counts.items()
        if name not in types and name not in unmapped
    ]
    more = len(lines) - MAX_TYPES
    return [*lines[:MAX_TYPES], f"look: {more} more types"] if more > 0 else lines


_MATCH_KIND_TEXTS = {
    "whitespace": "with changed white space, which was ignored in the alignment of mentions",
    "canonical": "with changed case, quotes, entities or Unicode form; the alignment ignored these changes",
    "aligned": "with changed letters; mentions were aligned by comparing the two texts",
}


def _check_edges(texts: Sequence[str], mentions: pd.DataFrame) -> list[str]:
    """Return notes on mentions that begin or end inside words, for example because offsets are off by one."""
    if mentions.empty:
        return []
    spans = zip(mentions["text_id"], mentions["start"], mentions["end"], strict=True)
    places = [(texts[int(case)], start, end) for case, start, end in spans]
    votes = {
        shift: sum(_is_at_word_edges(text, start + shift, end + shift) for text, start, end in places)
        for shift in (-1, 0, 1)
    }
    ends = sum(_is_inside_word(text, end) for text, _, end in places)
    count = len(places)
    findings = [
        f"wrong: {count - votes[0]} of {count} mentions begin or end inside a word, but only "
        f"{count - votes[shift]} if all offsets are {'decreased' if shift < 0 else 'increased'} by 1; check "
        "output.base and output.unit"
        for shift in (-1, 1)
        if votes[shift] > max(votes[0], count // 2)
    ]
    if not findings and ends > count // 2:
        findings.append(f"wrong: {ends} of {count} mentions end inside a word; check output.inclusive")
    return findings


def _is_inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _is_at_word_edges(text: str, start: int, end: int) -> bool:
    if start < 0 or end > len(text) or start >= end:
        return False
    cuts_word = _is_inside_word(text, start) or _is_inside_word(text, end)
    return not (cuts_word or text[start].isspace() or text[end - 1].isspace())
