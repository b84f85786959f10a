"""Signatures: what would have to be the same to get the same number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...catalogues.core.version import __version__
from ...sentences.corpus import Corpus

DIGEST_DIGITS = 12
TAGGER_PARTS = ("tagger", "predictions")
"""The parts that stand for what was scored; they differ from run to run."""


def make_corpus_part(corpus: Corpus) -> str:
    """What was scored against: ``suite:`` or ``corpus:`` and the first digits of its digest."""
    if corpus.digest.startswith(("suite:", "corpus:")):
        return corpus.digest
    kind = "suite" if "context_id" in corpus.texts.columns else "corpus"
    return f"{kind}:{corpus.digest[:DIGEST_DIGITS] or Path(corpus.name).name}"


def has_same_content(one: Corpus, other: Corpus) -> bool:
    """Whether two corpora hold the same texts and gold, in whatever order their files list the mentions.

    A digest is of a file's bytes and changes with that order; what is read is in the order of the texts.
    """
    if one is other:
        return True
    for table in ("texts", "mentions", "fragments", "alternatives"):
        own, its = getattr(one, table), getattr(other, table)
        if (own is None) != (its is None) or (own is not None and not own.equals(its)):
            return False
    return True


def make_signature(*, corpus: str, tagger: str, query: str = "", **parts: str) -> str:
    """Put a row's signature together.

    `parts` become ``NAME:VALUE`` in the order given (see `ScoringOptions.signature_parts`); `query` is that
    of a class from a file, whose name does not say what it selects.

    Examples
    --------
    >>> signature(corpus="suite:1f3a", tagger="tagger:kex@0.3", notion="strict", pairing="any",
    ...           counting="text", alternatives="none").rpartition("|")[0]
    'suite:1f3a|tagger:kex@0.3|notion:strict|pairing:any|counting:text|alternatives:none'
    """
    common = [corpus, tagger, *(f"{name}:{value}" for name, value in parts.items())]
    return "|".join([*common, *([f"class:{query}"] if query else []), f"tagsuite:{__version__}"])


def list_differences(one: str, other: str, *, ignored: tuple[str, ...] = TAGGER_PARTS) -> list[str]:
    """In which parts two signatures differ, besides some: ``notion: strict, sloppy`` and so on."""
    first, second = _split_signature(one), _split_signature(other)
    names = dict.fromkeys([*first, *second])
    return [
        f"{name}: {first.get(name, 'none')}, {second.get(name, 'none')}"
        for name in names
        if name not in ignored and first.get(name) != second.get(name)
    ]


def describe_differences(one: str, other: str, found_differences: Sequence[str]) -> list[str]:
    """The remark that two scorings differ in what `differences` gives; none where that is nothing."""
    return [f"{one} and {other} differ in {'; '.join(found_differences)}"] if found_differences else []


def _split_signature(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    name = ""
    for piece in text.split("|"):
        head, colon, rest = piece.partition(":")
        if colon and head.isidentifier():
            name = head
            parts[name] = rest
        else:  # a class's query may hold a bar
            parts[name] = parts.get(name, "") + "|" + piece
    return parts
