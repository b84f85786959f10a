"""Name and symbol in apposition: which slots stand so, and which forms belong to one entry."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .fitting import COMPOUND
from .material import Ints, Material


def counterparts(fillers: pd.DataFrame) -> Ints:
    """For each filler the first form of the other kind (name, symbol) in its entry, or -1."""
    partner = np.full(len(fillers), -1, dtype=np.int32)
    entry = entries(fillers)
    if "name_vs_symbol" not in fillers:
        return partner
    frame = pd.DataFrame(
        {
            "entry": entry,
            "kind": fillers["name_vs_symbol"].astype("str").to_numpy(),
            "row": np.arange(len(fillers)),
        }
    )
    frame = frame[(entry >= 0) & np.isin(frame["kind"], ["name", "symbol"])]
    if "kind" in fillers:
        frame = frame[(fillers["kind"].astype("str").to_numpy() != COMPOUND)[frame["row"]]]
    first = frame.drop_duplicates(["entry", "kind"]).set_index(["entry", "kind"])["row"]
    other = frame["kind"].map({"name": "symbol", "symbol": "name"})
    wanted = pd.MultiIndex.from_arrays([frame["entry"], other], names=["entry", "kind"])
    found = first.reindex(wanted).to_numpy(dtype=float)
    partner[frame["row"]] = np.where(np.isnan(found), -1, found).astype(np.int32)
    return partner


def entries(fillers: pd.DataFrame) -> NDArray[np.int64]:
    """For each filler a number that those of one entry of a database share; -1 where there is no entry.

    The source of a form from literature is a sentence, which may hold several genes.
    """
    if "source_id" not in fillers:
        return np.full(len(fillers), -1, dtype=np.int64)
    stated = fillers["source_id"].notna().to_numpy()
    if "source_type" in fillers:
        stated = stated & (fillers["source_type"].astype("str") != "literature").to_numpy()
    authority = fillers["source_authority"].astype("str") if "source_authority" in fillers else ""
    entry = pd.Series(authority, index=fillers.index).fillna("") + "\t" + fillers["source_id"].astype("str")
    codes, _ = pd.factorize(entry)
    return np.where(stated, codes, -1).astype(np.int64)


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
