"""Signatures: what would have to be the same to get the same number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ...sentences.corpus import Corpus

DIGITS = 12


@lru_cache
def version() -> str:
    """The version of tagsuite, as installed."""
    from importlib import metadata

    return metadata.version("tagsuite")


def corpus_part(corpus: Corpus) -> str:
    """What was scored against: ``suite:`` or ``corpus:`` and the first digits of its digest."""
    if corpus.digest.startswith(("suite:", "corpus:")):
        return corpus.digest
    kind = "suite" if "context_id" in corpus.texts.columns else "corpus"
    return f"{kind}:{corpus.digest[:DIGITS] or Path(corpus.name).name}"


def signature(
    *,
    corpus: str,
    tagger: str,
    notion: str,
    pairing: str,
    counting: str,
    alternatives: str,
    ignore_types: bool = False,
    type_map: Sequence[tuple[str, str]] = (),
    lists: Sequence[tuple[str, str]] = (),
    beta: float = 1.0,
    query: str = "",
) -> str:
    """Put a row's signature together.

    `query` is that of a class from a file, whose name does not say what it selects; parts that have their
    usual value (types not ignored, beta 1) are left out. `lists` are the word lists that the class asks, with
    their digests.

    Examples
    --------
    >>> signature(corpus="suite:1f3a", tagger="tagger:kex@0.3", notion="strict", pairing="any",
    ...           counting="text", alternatives="none").rpartition("|")[0]
    'suite:1f3a|tagger:kex@0.3|notion:strict|pairing:any|counting:text|alternatives:none'
    """
    parts = [
        corpus,
        tagger,
        f"notion:{notion}",
        f"pairing:{pairing}",
        f"counting:{counting}",
        f"alternatives:{alternatives}",
    ]
    if ignore_types:
        parts.append("types:ignored")
    elif type_map:
        parts.append("types:" + ",".join(f"{old}={new}" for old, new in type_map))
    if lists:
        parts.append("lists:" + ",".join(f"{name}={digest}" for name, digest in lists))
    if beta != 1.0:
        parts.append(f"beta:{beta:g}")
    if query:
        parts.append(f"class:{query}")
    return "|".join([*parts, f"tagsuite:{version()}"])


def differences(one: str, other: str, *, besides: tuple[str, ...] = ("tagger", "predictions")) -> list[str]:
    """In which parts two signatures differ, apart from the tagger: ``notion: strict, sloppy`` and so on."""
    first, second = _parts(one), _parts(other)
    names = dict.fromkeys([*first, *second])
    return [
        f"{name}: {first.get(name, 'none')}, {second.get(name, 'none')}"
        for name in names
        if name not in besides and first.get(name) != second.get(name)
    ]


def _parts(text: str) -> dict[str, str]:
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
