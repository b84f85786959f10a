"""Harvesting from a corpus on disk into a file of contexts."""

from __future__ import annotations

from pathlib import Path

from ..catalogues.core.errors import InputError
from .contexts import completed, write_context_file
from .contexts_xml import ContextFile
from .formats import read_corpus
from .formats.registry import parse_spec
from .harvest import harvest, licence_note


def harvest_to(
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
    found = harvest(corpus, prefix, negative=negative, fewest_words=fewest_words, types=types)
    filled = completed(found.entries) if found.entries else ()
    # a sentence with neither a mention nor anything that looks like one tests nothing
    entries = tuple(entry for entry in filled if entry.type == "tp" or entry.tokens)
    if not entries:
        raise InputError(
            "no sentence of the corpus makes a context",
            file=spec,
            found=f"{len(corpus.texts)} texts, {len(corpus.mentions)} mentions",
            allowed=f"sentences of at least {fewest_words} words with a mention or what looks like one",
        )
    licence = licence or licence_note(parse_spec(spec)[1])
    content = ContextFile(entries, licence, f"harvested from {corpus.name}")
    write_context_file(out, content)
    kinds = [entry.type for entry in entries]
    left = {
        "duplicates": found.duplicates,
        "short": found.short,
        "that a template cannot hold": found.unfit,
        "without anything tempting": len(filled) - len(entries),
    }
    said = f"{len(entries)} contexts ({kinds.count('tp')} tp, {kinds.count('fp')} fp); left out: "
    said += ", ".join(f"{count} {why}" for why, count in left.items())
    return said if licence else f"{said}; no licence file was found beside the corpus (see --licence)"
