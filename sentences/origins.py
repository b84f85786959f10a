"""The corpora that bundled contexts and names come from, and which of them some texts hold."""

from __future__ import annotations

from collections.abc import Iterable

CORPORA = {"bc2gm": ("bc2gm:train", "genetag:train"), "genetag": ("genetag:train",)}
"""Corpora by what ids of contexts begin with and authorities are called; one has the other's sentences."""

SHARE = 0.1
"""The part of a corpus's bundled sentences that texts must hold to count as that corpus, or as much of it.

Corpora share a few sentences by chance: JNLPBA's training part has 11 of the 1,091 that are BC2GM's.
"""


def corpora_named(names: Iterable[str]) -> tuple[str, ...]:
    """The corpora of authorities, or of what ids of contexts begin with; case is ignored."""
    known = {name.lower() for name in names}
    return tuple(dict.fromkeys(corpus for name, of in CORPORA.items() if name in known for corpus in of))


def corpora_within(texts: Iterable[str]) -> tuple[str, ...]:
    """The corpora whose sentences, as far as they are among the bundled contexts, stand in some texts.

    White space is ignored, and a text may be a sentence or a whole document.

    Examples
    --------
    >>> corpora_within(["A sentence that nobody has annotated."])
    ()
    """
    from .contexts import read_contexts

    whole = "\n".join("".join(text.split()) for text in texts)
    held: dict[str, list[bool]] = {}
    for entry in read_contexts().entries:
        if original := entry.stored.get("original_form_in_source"):
            held.setdefault(entry.id.split("-")[0], []).append("".join(original.split()) in whole)
    return corpora_named(name for name, found in held.items() if sum(found) >= SHARE * len(found))
