"""The notions of correctness: what each is called, what it means, who defined it, how it counts.

A new notion is a value in one of these modules, or in one of its own, and its line in `ALL_NOTIONS`:
`NOTIONS` are
those of one paper, which are counted unless others are chosen. Commands, signatures and score tables take it
from there, and ``docs/reference/notions.md`` is checked against it.
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
"""The six notions of Olsson et al.; all of them are counted when none is chosen."""

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
"""All notions, in the order in which messages and pages list them."""

OLSSON_TABLE_1 = tuple(n.name for n in (SLOPPY, PNP, STRICT, LEFT_OR_RIGHT, LEFT, RIGHT))
"""Names of the six in the order of Olsson et al. 2002, table 1."""

_BY_NAME = {n.name: n for n in ALL_NOTIONS}


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
        raise unknown_name_error("notion", name, _BY_NAME)
    return _BY_NAME[name]
