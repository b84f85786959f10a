"""Notions of correctness, each with its name, meaning, source and way of counting.

To add a notion, define it in a module of this package and list it in `ALL_NOTIONS`. Commands, signatures and
score tables use this list, and a test compares ``docs/reference/notions.md`` with it.
"""

from __future__ import annotations

from ....catalogues.core.errors import unknown_name_error
from .iob2_strict import IOB2_STRICT
from .notion import Credit, CreditMap, Notion, NotionDeclaration, Tally
from .olsson import LEFT, LEFT_OR_RIGHT, RIGHT, SLOPPY, STRICT, ConditionNotion, recount_as_published
from .pnp import PNP
from .schemes import MUC_EXACT, MUC_PARTIAL, MUC_STRICT, MUC_TYPE, OVERLAP_CREDIT, SLOT_ERROR

__all__ = [
    "ALL_NOTIONS",
    "NOTIONS",
    "OLSSON_TABLE_1",
    "STRICT",
    "ConditionNotion",
    "Credit",
    "CreditMap",
    "Notion",
    "NotionDeclaration",
    "Tally",
    "find_notion",
    "recount_as_published",
]

NOTIONS: tuple[Notion, ...] = (STRICT, SLOPPY, PNP, LEFT, RIGHT, LEFT_OR_RIGHT)
"""The six notions of Olsson et al. 2002, counted by default."""

ALL_NOTIONS: tuple[Notion, ...] = (
    *NOTIONS,
    MUC_STRICT,
    MUC_EXACT,
    MUC_PARTIAL,
    MUC_TYPE,
    IOB2_STRICT,
    OVERLAP_CREDIT,
    SLOT_ERROR,
)
"""All notions, in the order in which messages and documentation list them."""

OLSSON_TABLE_1 = tuple(n.name for n in (SLOPPY, PNP, STRICT, LEFT_OR_RIGHT, LEFT, RIGHT))
"""Names of the six notions in the order of table 1 in Olsson et al. 2002."""

_BY_NAME = {n.name: n for n in ALL_NOTIONS}


def find_notion(name: str | Notion) -> Notion:
    """Return the notion that has the given name; return a `Notion` unchanged.

    Raises
    ------
    InputError
        If no notion has this name.
    """
    if isinstance(name, Notion):
        return name
    if name not in _BY_NAME:
        raise unknown_name_error("notion", name, _BY_NAME)
    return _BY_NAME[name]
