"""Signatures: short strings that list the corpus, the tagger and the options that determine a score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...catalogues.core.version import __version__
from ...catalogues.taxonomy import digest_own_features
from ...sentences.corpus import Corpus

DIGEST_DIGITS = 12
TAGGER_PARTS = ("tagger", "predictions")
"""Names of the parts of a signature that identify the tagger or its output."""


def make_corpus_part(corpus: Corpus) -> str:
    """Return the signature part for the gold corpus: its kind and checksum, such as ``suite:1f3a…``."""
    if corpus.digest.startswith(("suite:", "corpus:")):
        return corpus.digest
    kind = "suite" if "context_id" in corpus.texts.columns else "corpus"
    return f"{kind}:{corpus.digest[:DIGEST_DIGITS] or Path(corpus.name).name}"


def has_same_content(one: Corpus, other: Corpus) -> bool:
    """Return True if two corpora contain the same texts, and the same gold mentions in any order.

    Checksums are not compared, because they depend on the order of mentions in the file.
    """
    if one is other:
        return True
    for table in ("texts", "mentions", "fragments", "alternatives"):
        own, theirs = getattr(one, table), getattr(other, table)
        if (own is None) != (theirs is None) or (own is not None and not own.equals(theirs)):
            return False
    return True


def make_signature(*, corpus: str, tagger: str, query: str = "", **parts: str) -> str:
    """Return the signature of a row of the score table.

    Parameters
    ----------
    corpus, tagger : str
        Parts that identify the gold corpus and the tagger.
    query : str
        Query of a class from a file, because the name of such a class does not show which mentions it
        selects.
    **parts : str
        Further parts, written as ``NAME:VALUE`` in this order (see `ScoringOptions.signature_parts`).

    Examples
    --------
    >>> make_signature(corpus="suite:1f3a", tagger="tagger:kex@0.3", notion="strict", pairing="any",
    ...                counting="text", alternatives="none").rpartition("|")[0]
    'suite:1f3a|tagger:kex@0.3|notion:strict|pairing:any|counting:text|alternatives:none'
    """
    common = [corpus, tagger, *(f"{name}:{value}" for name, value in parts.items())]
    if digest := digest_own_features():
        common.append(f"taxonomy:{digest[:12]}")
    return "|".join([*common, *([f"class:{query}"] if query else []), f"tagsuite:{__version__}"])


def list_differences(one: str, other: str, *, ignored: tuple[str, ...] = TAGGER_PARTS) -> list[str]:
    """List the parts in which two signatures differ, such as ``notion: strict, sloppy``.

    Parts named in `ignored` are not compared.
    """
    first, second = _split_signature(one), _split_signature(other)
    names = dict.fromkeys([*first, *second])
    return [
        f"{name}: {first.get(name, 'none')}, {second.get(name, 'none')}"
        for name in names
        if name not in ignored and first.get(name) != second.get(name)
    ]


def describe_differences(one: str, other: str, found_differences: Sequence[str]) -> list[str]:
    """Return a list with a warning if two runs were scored differently, otherwise an empty list."""
    return [f"{one} and {other} differ in {'; '.join(found_differences)}"] if found_differences else []


def _split_signature(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    name = ""
    for piece in text.split("|"):
        head, colon, rest = piece.partition(":")
        if colon and head.isidentifier():
            name = head
            parts[name] = rest
        else:  # the query of a class may contain a bar
            parts[name] = parts.get(name, "") + "|" + piece
    return parts
