"""Harvesting of contexts from an annotated corpus: each gold mention in a sentence becomes a slot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
MIN_WORDS = 4
"""Minimum number of words (split at white space) in a sentence that becomes a context."""
SKIP_REASONS = (DUPLICATE, SHORT, UNFIT, OTHER_TYPES) = (
    *("duplicate", "too short", "not usable as a template"),
    "without a mention of the requested types",
)


@dataclass(frozen=True)
class Harvest:
    """Contexts harvested from a corpus, and the number of skipped sentences for each reason.

    Attributes
    ----------
    entries : tuple of ContextEntry
        The contexts, without the computed features that context files store.
    skipped_counts : dict of str to int
        Number of skipped sentences for each of SKIP_REASONS.
    """

    entries: tuple[ContextEntry, ...]
    skipped_counts: dict[str, int]


def harvest_contexts(corpus: Corpus, prefix: str = "", types: tuple[str, ...] = ()) -> Harvest:
    """Make contexts from the sentences of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Texts with gold mentions. Each mention becomes a slot; overlapping mentions become one slot.
    prefix : str
        Prefix of the context ids; by default the name of the corpus.
    types : tuple of str
        Entity types to harvest; by default all. A sentence is skipped if it contains only mentions of other
        types.

    Returns
    -------
    Harvest
        Contexts in the order of the corpus. If the corpus has several types, a slot accepts only the types of
        its mentions. A sentence without mentions becomes an fp context. If sentences differ only in case,
        punctuation or the names in their slots, only the first is used.
    """
    gold = corpus.gold
    scene = make_annotated_texts(corpus.texts["text"], *locate_checked_spans(corpus.texts, gold), split=True)
    zone_types = _list_zone_types(scene, gold["type"].astype("str").tolist())
    sources = [str(a or b) for a, b in zip(corpus.texts["document_id"], corpus.texts["text_id"], strict=True)]
    entries: dict[str, ContextEntry] = {}
    skipped = dict.fromkeys(SKIP_REASONS, 0)
    width = len(str(len(scene.sentences.starts)))
    sentences = _sentences(scene, zone_types)
    for number, (template, original, slots, text, sentence_types) in enumerate(sentences, start=1):
        if len(original.split()) < MIN_WORDS:
            skipped[SHORT] += 1
            continue
        if types and sentence_types and not sentence_types & {*types}:
            skipped[OTHER_TYPES] += 1
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
            skipped[UNFIT] += 1
            continue
        if entries.setdefault(sentence_key(template), entry) is not entry:
            skipped[DUPLICATE] += 1
    return Harvest(tuple(entries.values()), skipped)


def _list_zone_types(scene: AnnotatedTexts, types: Sequence[str]) -> list[set[str]]:
    """Return the types of the gold mentions in each zone (see `AnnotatedTexts`).

    Raises
    ------
    InputError
        If the corpus has several types, and the name of a type contains white space.
    """
    zones: list[set[str]] = [set() for _ in scene.zones[0]]
    zone = np.searchsorted(scene.zones[0], scene.gold_starts, side="right") - 1
    for number, name in zip(zone.tolist(), types, strict=True):
        zones[number].add(name)
    wrong = next((name for name in types if len(name.split()) != 1), None)
    if wrong is not None and len({*types}) > 1:
        raise InputError("a slot cannot accept a type with white space; rename the type", found=wrong)
    return zones


def _sentences(
    scene: AnnotatedTexts, zone_types: Sequence[set[str]]
) -> Iterator[tuple[str, str, tuple[dict[str, str], ...], int, set[str]]]:
    """Yield the template, original text, slots, text index and entity types of each sentence."""
    has_several_types = len(set().union(*zone_types)) > 1
    zone_starts, zone_ends = scene.zones
    joined = scene.column.joined
    first = np.searchsorted(zone_starts, scene.sentences.starts)
    last = np.append(first[1:], len(zone_starts))
    columns = (scene.sentences.starts, scene.sentences.ends, scene.sentences.text_rows, first, last)
    for start, end, text, low, high in zip(*(c.tolist() for c in columns), strict=True):
        pieces, done = [], start
        slots: list[dict[str, str]] = []
        for zone in range(low, high):
            pieces.append(_mark_article(_one_line(joined[done : zone_starts[zone]])))
            done = int(zone_ends[zone])
            kind, side = scene.chains.appositive[zone], scene.chains.side[zone]
            # in "name (symbol)" the outer mention is the name, in "symbol (name)" the inner one
            accepts = {"accepts": " ".join(sorted(zone_types[zone]))} if has_several_types else {}
            slots.append(accepts | ({"expects": "name" if kind == side else "symbol"} if kind else {}))
        types = set().union(*zone_types[low:high])
        pieces.append(_one_line(joined[done:end]))
        yield SLOT_MARK.join(pieces).strip(), _one_line(joined[start:end]), tuple(slots), text, types


def _one_line(text: str) -> str:
    """Replace each run of white space in `text` with one space."""
    inner = " ".join(text.split())
    return (" " if text[:1].isspace() else "") + inner + (" " if inner and text[-1:].isspace() else "")


_ARTICLE = re.compile(r'(?:(?:^|(?<=[\s(\["]))(an?)|(?:^[(\["]*|(?<=[:;.?!] ))(An?)) $')


def _mark_article(piece: str) -> str:
    """Replace an indefinite article before a slot with a mark (``{a}`` or ``{A}``; see `contexts_xml`).

    A capital A inside a sentence is not an article but part of the preceding word, as in *hepatitis A*.
    """
    match = _ARTICLE.search(piece)
    if match is None:
        return piece
    small = match[1] is not None
    return piece[: match.start(1 if small else 2)] + ("{a} " if small else "{A} ")


def read_licence_note(path: Path) -> str:
    """Return the content of the licence files of a corpus as one line.

    These files are read from the folder of the corpus or, if there are none, from its parent folder.
    """
    folder = path if path.is_dir() else path.parent
    for place in (folder, folder.parent):
        files = sorted(p for p in place.iterdir() if p.is_file() and p.stem.upper() in LICENCE_FILES)
        if files:
            notes = [f"{p.name}: {' '.join(p.read_text('utf-8', errors='replace').split())}" for p in files]
            note = " ".join(notes)
            return note if len(note) <= MAX_NOTE_LENGTH else note[: MAX_NOTE_LENGTH - 1] + "…"
    return ""


def write_harvest(
    spec: str,
    out: Path,
    *,
    prefix: str = "",
    licence: str = "",
    types: tuple[str, ...] = (),
) -> str:
    """Harvest contexts from the corpus `spec`, write them to `out` and return a summary.

    Raises
    ------
    InputError
        If the suffix of `out` is neither ``.xml`` nor ``.txt``, a type does not occur in the corpus, or no
        sentence can become a context.
    """
    if out.suffix not in (".xml", ".txt"):
        raise InputError("unknown kind of output file", file=out, allowed=".xml or .txt")
    corpus = read_corpus(spec)
    corpus_types = sorted(set(corpus.mentions["type"]))
    unknown = [name for name in types if name not in corpus_types]
    if unknown:
        allowed = ", ".join(corpus_types) or "none; the corpus has no mentions"
        raise InputError(
            "the corpus has no mention of this type", file=spec, found=unknown[0], allowed=allowed
        )
    harvest = harvest_contexts(corpus, prefix, types)
    filled = complete_entries(harvest.entries) if harvest.entries else ()
    # a sentence without mentions and without tokens that look like names tests nothing
    entries = tuple(entry for entry in filled if entry.type == "tp" or entry.tokens)
    if not entries:
        raise InputError(
            f"no sentence in the corpus can become a context; this requires at least {MIN_WORDS} words, "
            "and a mention or a word that looks like a name",
            file=spec,
            found=f"{len(corpus.texts)} texts, {len(corpus.mentions)} mentions",
        )
    licence = licence or read_licence_note(parse_spec(spec)[1])
    content = ContextFile(entries, licence, f"harvested from {corpus.name}")
    write_context_file(out, content)
    kinds = [entry.type for entry in entries]
    left = {
        **harvest.skipped_counts,
        "without a mention or a word that looks like a name": len(filled) - len(entries),
    }
    summary = f"{len(entries)} contexts ({kinds.count('tp')} tp, {kinds.count('fp')} fp); sentences skipped: "
    summary += ", ".join(f"{count} {reason}" for reason, count in left.items())
    return summary if licence else f"{summary}; no licence file found next to the corpus (see --licence)"
