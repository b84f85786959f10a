"""Name and symbol in apposition: which slots stand so, and which forms belong to one entry."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.values import texts_of
from ..material import Ints, Material, is_compound

SEVERAL = ("literature", "website")
"""Types of sources that may hold several genes under one identifier."""
PLACE = "original_form_in_source"
"""Names that were cut out of one place in a text, an apposition, have this in common."""


def counterparts(fillers: pd.DataFrame) -> Ints:
    """For each filler the first form of the other sort (name, symbol) in its entry, or -1.

    A name that holds the symbol as a word (*CD19 antigen*) is not set beside it.
    """
    partner = np.full(len(fillers), -1, dtype=np.int32)
    entry = entries(fillers)
    frame = pd.DataFrame(
        {
            "entry": entry,
            "sort": texts_of(fillers, "name_vs_symbol"),
            "row": np.arange(len(fillers)),
        }
    )
    frame = frame[(entry >= 0) & np.isin(frame["sort"], ["name", "symbol"])]
    frame = frame[~is_compound(fillers)[frame["row"]]]
    first = frame.drop_duplicates(["entry", "sort"]).set_index(["entry", "sort"])["row"]
    other = frame["sort"].map({"name": "symbol", "symbol": "name"})
    wanted = pd.MultiIndex.from_arrays([frame["entry"], other], names=["entry", "sort"])
    found = first.reindex(wanted).to_numpy(dtype=float)
    partner[frame["row"]] = np.where(np.isnan(found), -1, found).astype(np.int32)
    paired = np.flatnonzero(partner >= 0)
    forms = fillers["data"].astype("str").to_numpy()
    repeated = [
        holds(one, other) or holds(other, one)
        for one, other in zip(forms[paired], forms[partner[paired]], strict=True)
    ]
    partner[paired[np.array(repeated, dtype=bool)]] = -1
    return partner


def holds(name: str, symbol: str) -> bool:
    """Whether a name has a symbol among its words, case and hyphens aside.

    Examples
    --------
    >>> holds("CD19 antigen", "CD19"), holds("Paired box protein Pax-4", "PAX4"), holds("a protein", "p53")
    (True, True, False)
    """
    words = name.casefold().replace("-", "").split()
    return symbol.casefold().replace("-", "") in words


def entries(fillers: pd.DataFrame) -> NDArray[np.int64]:
    """For each filler a number that those of one entry of a database share; -1 where there is no entry.

    The source of a form from literature is a sentence, that of a form from a site a page: either may hold
    several genes; its forms are of one entry when they were cut out of one apposition. A product and its gene
    are one entry, but not the same thing: they get different numbers.
    """
    if "source_id" not in fillers:
        return np.full(len(fillers), -1, dtype=np.int64)
    known = fillers["source_id"].notna().to_numpy()
    several, place = np.isin(texts_of(fillers, "source_type"), SEVERAL), texts_of(fillers, PLACE)
    known = known & ~(several & (place == ""))
    own = {c: texts_of(fillers, c) for c in ("source_authority", "source_id", "kind")}
    together = pd.DataFrame({**own, PLACE: np.where(several, place, "")})
    codes = together.groupby(list(together), sort=False).ngroup().to_numpy()
    return np.where(known, codes, -1).astype(np.int64)


def appositive_pairs(material: Material) -> dict[int, dict[int, int]]:
    """For each context the slots that stand in apposition, each with its partner."""
    pairs: dict[int, dict[int, int]] = {}
    if "appositive_side" not in material.slots:
        return pairs
    side = material.slots["appositive_side"].astype("str").to_numpy()
    context = material.slot_context
    follows = (side[:-1] == "outside") & (side[1:] == "inside") & (context[:-1] == context[1:])
    for row in np.flatnonzero(follows).tolist():
        place = int(row - material.first_slot[context[row]])
        pairs.setdefault(int(context[row]), {}).update({place: place + 1, place + 1: place})
    return pairs
