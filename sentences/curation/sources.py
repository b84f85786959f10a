"""Sentences that may become attested contexts: those of a training part that stand in no test part.

``bc2gm/train`` alone is read for them: all but 27 sentences of ``genetag/train`` stand there too, under ids
that hold the PMID and whether the sentence is a title or of an abstract.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ...catalogues.core.text import squeezed
from ..contexts import Contexts, build
from ..contexts_xml import SLOT, Entry, shape_fault
from ..corpus import Corpus
from ..formats import read_corpus
from ..formats.conll import parse
from ..formats.textlines import read_lines_bytes
from ..harvest import harvest
from ..scene import surface_forms
from .typography import letters, usual

TRAINING = ("bc2gm", "bc2gm/train")
"""Format and folder, in the data folder, of the corpus whose sentences are offered."""

HELD_OUT = (("bc2gm", "bc2gm/test"), ("genetag", "genetag/test"))
JNLPBA = "jnlpba/Genia4EReval2.iob2"
"""Test parts: no sentence of theirs is offered."""

PARTS = {"T": "title", "A": "abstract"}
"""What the letter in a sentence's id means."""

LONGEST = 45
"""White-space words of the longest sentence that is offered."""

_ID = re.compile(r"P(?P<pmid>\d+)(?P<part>[A-Z])(?P<offset>\d+)")
_CUT = re.compile(
    r"\b(?:vs|i\.e|e\.g|cf|ca|approx|et al|no|fig|figs|ref|st|dr|sp|spp|subsp|resp)\.$", re.IGNORECASE
)


@dataclass(frozen=True)
class Candidates:
    """What is offered and the corpus's names there, by sentence id; how much was left out, by reason."""

    entries: dict[str, Entry]
    names: dict[str, tuple[str, ...]]
    left_out: dict[str, int]

    @cached_property
    def contexts(self) -> Contexts:
        """The candidates with their features."""
        return build(list(self.entries.values()))


def held_out(data: Path) -> frozenset[str]:
    """The letters of every sentence of a test part (see `letters`)."""
    texts = [t for name, place in HELD_OUT for t in read_corpus(f"{name}:{data / place}").texts["text"]]
    # the abstracts' headings are lines of their own, which the column reader does not know
    place = data / JNLPBA
    lines = read_lines_bytes(place, "token lines").split(b"\n")
    content = b"\n".join(b"" if line.startswith(b"###") else line for line in lines)
    texts += parse(content, file=place).texts()
    return frozenset(letters(text) for text in texts)


def training(data: Path) -> Corpus:
    """The corpus whose sentences are offered."""
    name, place = TRAINING
    return read_corpus(f"{name}:{data / place}")


def candidates(data: Path) -> Candidates:
    """Read the training part and leave out what cannot be a context.

    Parameters
    ----------
    data : Path
        The folder of corpora.

    Returns
    -------
    Candidates
        In the corpus's order.
    """
    corpus = training(data)
    originals = dict(zip(corpus.texts["text_id"], corpus.texts["text"], strict=True))
    harvested = harvest(corpus)
    tests = held_out(data)
    entries: dict[str, Entry] = {}
    left_out = {"twice or unfit": harvested.duplicates + harvested.unfit + harvested.short}
    for entry in harvested.entries:
        source_id = entry.stored["source_id"]
        original = originals[source_id]
        offered = _offered(entry, source_id, original)
        why = reason(source_id, original, entry, tests)
        if not why and shape_fault(offered) is not None:
            why = "not to be filled"
        if why:
            left_out[why] = left_out.get(why, 0) + 1
        else:
            entries[source_id] = offered
    return Candidates(entries, _names(corpus, entries), left_out)


def _names(corpus: Corpus, entries: dict[str, Entry]) -> dict[str, tuple[str, ...]]:
    """The gold mentions of each sentence."""
    gold = corpus.mentions[corpus.mentions["text_id"].isin(list(entries))]
    forms = surface_forms(corpus.texts, gold).groupby(gold["text_id"])
    return {str(source_id): tuple(own) for source_id, own in forms}


def _offered(entry: Entry, source_id: str, original: str) -> Entry:
    match = _ID.fullmatch(source_id)
    part = PARTS.get(match["part"], "") if match else ""
    stored = {"source_id": source_id, "source_type": part, "original_form_in_source": original}
    template = usual(entry.template)
    return replace(entry, id=f"{TRAINING[0]}-{source_id}", template=template, stored=stored)


def reason(source_id: str, original: str, entry: Entry, tests: frozenset[str]) -> str:
    """Why a harvested sentence is not offered; empty when it is."""
    match = _ID.fullmatch(source_id)
    if letters(original) in tests:
        return "in a test part"
    if match is None or match["part"] not in PARTS:
        return "neither title nor abstract"
    if squeezed(entry.stored["original_form_in_source"]) != squeezed(original):
        return "several sentences"
    if match["part"] == "T" and int(match["offset"]) > 0:
        return "cut off"
    if not original.endswith((".", "?", "!")) or _CUT.search(original) or _open(original):
        return "cut off"
    if original[0].islower() and not entry.template.startswith(SLOT):
        return "cut off"
    if len(original.split()) > LONGEST:
        return "too long"
    return ""


def _open(text: str) -> bool:
    """Whether a bracket or a quotation mark has no partner."""
    return any(text.count(a) != text.count(b) for a, b in ("()", "[]")) or text.count('"') % 2 == 1
