"""Harvesting from a corpus on disk into a file of contexts."""

from __future__ import annotations

from pathlib import Path

from ..catalogues.plumbing.errors import InputError
from ..catalogues.plumbing.files import atomic_text
from .context_records import write_records
from .contexts import build, with_features
from .contexts_xml import ContextFile, write_file
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
    found = harvest(corpus, prefix, negative=negative, fewest_words=fewest_words, types=types)
    if not found.entries:
        raise InputError("no sentence of the corpus makes a context", found=spec)
    entries = with_features(build(found.entries))
    licence = licence or licence_note(parse_spec(spec)[1])
    if out.suffix == ".txt":
        with atomic_text(out) as stream:
            stream.write(write_records(entries, note=licence))
    else:
        write_file(out, ContextFile(entries, licence, f"harvested from {corpus.name}"))
    kinds = [entry.type for entry in entries]
    said = f"{len(entries)} contexts ({kinds.count('tp')} tp, {kinds.count('fp')} fp); left out: "
    said += f"{found.duplicates} duplicates, {found.short} short, {found.unfit} that a template cannot hold"
    return said if licence else f"{said}; no licence file was found beside the corpus (see --licence)"
