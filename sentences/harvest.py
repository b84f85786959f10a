"""Contexts out of an annotated corpus: each sentence with slots where its gold mentions stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..catalogues.core.errors import InputError
from .annotated_texts import AnnotatedTexts, make_annotated_texts
from .contexts import complete_entries, write_context_file
from .contexts_check import sentence_key
from .contexts_xml import SLOT_MARK, ContextEntry, ContextFile, find_template_fault
from .corpus import Corpus
from .formats import read_corpus
from .formats.registry import parse_spec
from .spans import locate_checked_spans

LICENCE_FILES = ("LICENSE", "LICENCE", "NOTICE", "COPYING", "COPYRIGHT")
MAX_NOTE_LENGTH = 4000


@dataclass(frozen=True)
class Harvest:
    """What was harvested, and what was left.

    Attributes
    ----------
    entries : tuple of Entry
        The contexts, without stored features.
    duplicate_count, unfit_count, short_count : int
        Sentences left out: those that came before, those whose text a template cannot hold, those with too
        few words.
    """

    entries: tuple[ContextEntry, ...]
    duplicate_count: int
    unfit_count: int
    short_count: int


def harvest_contexts(
    corpus: Corpus,
    prefix: str = "",
    *,
    negative: bool = True,
    fewest_words: int = 4,
    types: tuple[str, ...] = (),
) -> Harvest:
    """Make contexts of the sentences of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Texts with gold mentions. Overlapping mentions make one slot.
    prefix : str
        What the ids begin with; the corpus's name when empty.
    negative : bool
        Whether sentences without a mention become fp contexts.
    fewest_words : int
        Sentences with fewer white-space words are left out.
    types : tuple of str
        Types of mentions that become slots; all when empty.

    Returns
    -------
    Harvest
        Contexts in the corpus's order; of sentences that differ in case, marks or fillers only, the first.
    """
    gold = corpus.gold
    if types:
        gold = gold[gold["type"].isin(types)]
    scene = make_annotated_texts(corpus.texts["text"], *locate_checked_spans(corpus.texts, gold), split=True)
    sources = [str(a or b) for a, b in zip(corpus.texts["document_id"], corpus.texts["text_id"], strict=True)]
    seen: set[str] = set()
    entries: list[ContextEntry] = []
    duplicates = unfit = short = 0
    width = len(str(len(scene.sentences.starts)))
    for number, (template, original, slots, text) in enumerate(_sentences(scene), start=1):
        if len(original.split()) < fewest_words or (not slots and not negative):
            short += bool(len(original.split()) < fewest_words)
            continue
        entry = ContextEntry(
            f"{prefix or corpus.name}-{number:0{width}d}",
            "tp" if slots else "fp",
            template,
            {
                "source_id": sources[text],
                "source_type": "corpus",
                "original_form_in_source": original,
            },
            slots,
        )
        if template.count(SLOT_MARK) != len(slots) or find_template_fault(entry) is not None:
            unfit += 1
            continue
        key = sentence_key(template)
        if key in seen:
            duplicates += 1
            continue
        seen.add(key)
        entries.append(entry)
    return Harvest(tuple(entries), duplicates, unfit, short)


def _sentences(scene: AnnotatedTexts) -> Iterator[tuple[str, str, tuple[dict[str, str], ...], int]]:
    """Template, original form, slots and text of each sentence."""
    zone_starts, zone_ends = scene.zones
    whole = scene.column.joined
    first = np.searchsorted(zone_starts, scene.sentences.starts)
    last = np.append(first[1:], len(zone_starts))
    columns = (scene.sentences.starts, scene.sentences.ends, scene.sentences.text_rows, first, last)
    for start, end, text, low, high in zip(*(c.tolist() for c in columns), strict=True):
        pieces, done = [], start
        slots: list[dict[str, str]] = []
        for zone in range(low, high):
            pieces.append(_one_line(whole[done : zone_starts[zone]]))
            pieces[-1] = _mark_article(pieces[-1])
            done = int(zone_ends[zone])
            kind, side = scene.chains.appositive[zone], scene.chains.side[zone]
            # of a symbol after its name the outer one is the name, of a name after its symbol the inner one
            slots.append({"expects": "name" if kind == side else "symbol"} if kind else {})
        pieces.append(_one_line(whole[done:end]))
        yield SLOT_MARK.join(pieces).strip(), _one_line(whole[start:end]), tuple(slots), text


def _one_line(text: str) -> str:
    """White space as single spaces; at the edges it stays."""
    inner = " ".join(text.split())
    return (" " if text[:1].isspace() else "") + inner + (" " if inner and text[-1:].isspace() else "")


_ARTICLE = re.compile(r'(?:(?:^|(?<=[\s(\["]))(an?)|(?:^[(\["]*|(?<=[:;.?!] ))(An?)) $')


def _mark_article(piece: str) -> str:
    """Mark a closing indefinite article, so that it agrees with whatever fills the slot after it.

    A capital A within a sentence is no article, but a letter of what stands before it: *hepatitis A*.
    """
    found = _ARTICLE.search(piece)
    if found is None:
        return piece
    small = found[1] is not None
    return piece[: found.start(1 if small else 2)] + ("{a} " if small else "{A} ")


def read_licence_note(path: Path) -> str:
    """What the licence and notice files beside a corpus (or in the folder above it) say, on one line."""
    folder = path if path.is_dir() else path.parent
    for place in (folder, folder.parent):
        found = sorted(p for p in place.iterdir() if p.is_file() and p.stem.upper() in LICENCE_FILES)
        if found:
            said = [f"{p.name}: {' '.join(p.read_text('utf-8', errors='replace').split())}" for p in found]
            note = " ".join(said)
            return note if len(note) <= MAX_NOTE_LENGTH else note[: MAX_NOTE_LENGTH - 1] + "…"
    return ""


def write_harvest(
    spec: str,
    out: Path,
    *,
    prefix: str = "",
    licence: str = "",
    types: tuple[str, ...] = (),
    fewest_words: int = 4,
    negative: bool = True,
) -> str:
    """Harvest the corpus `spec` into `out` and say what came of it.

    Raises
    ------
    InputError
        When the output is neither ``.xml`` nor ``.txt``, or nothing could be harvested.
    """
    if out.suffix not in (".xml", ".txt"):
        raise InputError("unknown kind of output", file=out, allowed=".xml or .txt")
    corpus = read_corpus(spec)
    known = sorted(set(corpus.mentions["type"]))
    unknown = [name for name in types if name not in known]
    if unknown:
        allowed = ", ".join(known) or "none: the corpus has no mentions"
        raise InputError("no mention of this type", file=spec, found=unknown[0], allowed=allowed)
    found = harvest_contexts(corpus, prefix, negative=negative, fewest_words=fewest_words, types=types)
    filled = complete_entries(found.entries) if found.entries else ()
    # a sentence with neither a mention nor anything that looks like one tests nothing
    entries = tuple(entry for entry in filled if entry.type == "tp" or entry.tokens)
    if not entries:
        raise InputError(
            "no sentence of the corpus makes a context",
            file=spec,
            found=f"{len(corpus.texts)} texts, {len(corpus.mentions)} mentions",
            allowed=f"sentences of at least {fewest_words} words with a mention or what looks like one",
        )
    licence = licence or read_licence_note(parse_spec(spec)[1])
    content = ContextFile(entries, licence, f"harvested from {corpus.name}")
    write_context_file(out, content)
    kinds = [entry.type for entry in entries]
    left = {
        "duplicates": found.duplicate_count,
        "short": found.short_count,
        "that a template cannot hold": found.unfit_count,
        "without anything tempting": len(filled) - len(entries),
    }
    said = f"{len(entries)} contexts ({kinds.count('tp')} tp, {kinds.count('fp')} fp); left out: "
    said += ", ".join(f"{count} {why}" for why, count in left.items())
    return said if licence else f"{said}; no licence file was found beside the corpus (see --licence)"
