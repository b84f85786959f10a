"""The notions of correctness, as declared values: what each is called, what it means, who defined it.

What a notion *is* stands here; how matches are found is elsewhere (`matching`, `schemes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...catalogues.core.errors import InputError

OLSSON = "Olsson, Eriksson, Franzén, Asker and Lidén 2002, section 4.2"
MUC = (
    "Chinchor and Sundheim 1993 (MUC-5); "
    "Segura-Bedmar, Martínez and Herrero-Zazo 2013 (SemEval-2013 task 9.1)"
)

Condition = Literal["same", "overlap", "left", "right", "left_or_right", "tokens", "scheme"]


@dataclass(frozen=True)
class Notion:
    """A notion of correctness.

    Attributes
    ----------
    name : str
        As it is written on the command line and in the score table.
    unit : str
        What is counted: ``mention`` or ``token``.
    condition : str
        What a pair of mentions must have in common; ``tokens`` and ``scheme`` count in another way.
    definition, source : str
        What it means, and who defined it.
    pairing : str
        The pairing that a scheme brings with it, as signatures name it; empty where ``--pairing`` chooses.
    """

    name: str
    unit: str
    condition: Condition
    definition: str
    source: str
    pairing: str = ""

    def __str__(self) -> str:
        return self.name


STRICT = Notion("strict", "mention", "same", "a mention of the other side has exactly its span", OLSSON)
SLOPPY = Notion(
    "sloppy", "mention", "overlap", "it overlaps (shares a token with) a mention of the other side", OLSSON
)
PNP = Notion(
    "pnp",
    "token",
    "tokens",
    "protein name parts: tokens, each counted once per text, that belong to mentions of both sides",
    OLSSON,
)
LEFT = Notion("left", "mention", "left", "a mention that it overlaps starts where it starts", OLSSON)
RIGHT = Notion("right", "mention", "right", "a mention that it overlaps ends where it ends", OLSSON)
LEFT_OR_RIGHT = Notion("left_or_right", "mention", "left_or_right", "left or right holds", OLSSON)

NOTIONS = (STRICT, SLOPPY, PNP, LEFT, RIGHT, LEFT_OR_RIGHT)
"""The six notions of Olsson et al.; all of them are counted when none is chosen."""

SCHEMES = (
    Notion("muc_strict", "mention", "scheme", "paired one-to-one; right: same span, same type", MUC, "muc"),
    Notion(
        "muc_exact", "mention", "scheme", "paired one-to-one; right: same span, whatever the type", MUC, "muc"
    ),
    Notion(
        "muc_partial", "mention", "scheme", "paired one-to-one; same span counts 1, an overlap ½", MUC, "muc"
    ),
    Notion("muc_type", "mention", "scheme", "paired one-to-one by overlap; right: same type", MUC, "muc"),
    Notion(
        "iob2_strict",
        "mention",
        "scheme",
        "the same tokens and the same type, as when both sides are written as IOB2 labels",
        "Nakayama 2018 (seqeval, mode strict, scheme IOB2)",
        "labels",
    ),
    Notion(
        "overlap_credit",
        "mention",
        "scheme",
        "paired one-to-one within the type; each pair counts its Jaccard coefficient of code points",
        "partial credit by overlap, after the similarity of Bossy et al. 2019 (Bacteria Biotope)",
        "greatest-total",
    ),
    Notion(
        "slot_error",
        "mention",
        "scheme",
        "paired one-to-one by Jaccard (half of it where types differ); what a pair lacks is substitution",
        "Makhoul, Kubala, Schwartz and Weischedel 1999 (slot error rate)",
        "greatest-total",
    ),
)
"""Others' ways of counting, beside the six."""

WITHOUT_ALTERNATIVES = {
    "pnp": "the number of gold tokens would depend on the reading that is chosen",
    "iob2_strict": "one sequence of labels cannot hold two readings of a mention",
}
"""Notions under which `alternatives="optimal"` cannot be counted, and why."""

_BY_NAME = {n.name: n for n in (*NOTIONS, *SCHEMES)}


def find_notion(name: str | Notion) -> Notion:
    """The notion of a name.

    Raises
    ------
    InputError
        When there is none of that name.
    """
    if isinstance(name, Notion):
        return name
    if name not in _BY_NAME:
        raise InputError("unknown notion", found=name, allowed=", ".join(_BY_NAME))
    return _BY_NAME[name]
