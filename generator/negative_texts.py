"""Exclusion of negative cases that contain names from the user's catalogue."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..catalogues.entities import OTHER_KIND
from ..catalogues.values import column_texts
from ..sentences.contexts import Contexts
from ..sentences.known_names import find_texts_with_names


def exclude_names(
    entities: pd.DataFrame, contexts: Contexts, look_alikes: pd.DataFrame | None
) -> tuple[Contexts, pd.DataFrame | None, str]:
    """Remove fp contexts and look-alikes that contain a name or a type from the user's catalogue.

    Genes and gene products are ignored, because their names are ordinary words in these contexts (*hand*).
    Look-alikes are also removed if their category is one of the types.

    Returns
    -------
    contexts, look_alikes
        Remaining contexts and look-alikes.
    str
        Note for the user; "" if nothing was removed.
    """
    others = entities[column_texts(entities, "kind") == OTHER_KIND]
    names, types = set(others["data"]), set(column_texts(others, "type"))
    frame, counts = contexts.contexts, []
    negative = (frame["context.type"] == "fp").to_numpy(dtype=bool)
    slotted = frame["context_id"].isin(contexts.slots["context_id"]).to_numpy()
    bad = np.zeros(len(frame), dtype=bool)
    bad[negative] = find_texts_with_names(frame["slots"][negative].tolist(), names, types)
    for what, group in (("controls", negative & ~slotted), ("sentences for look-alikes", negative & slotted)):
        counts.append((int((bad & group).sum()), int(group.sum()), what))
    if look_alikes is not None:
        known = np.isin(column_texts(look_alikes, "look_alike_category"), list(types - {""}))
        known |= find_texts_with_names(look_alikes["data"].tolist(), names, types)
        counts.append((int(known.sum()), len(known), "look-alikes"))
        look_alikes = look_alikes[~known].reset_index(drop=True)
    removed = [f"{n:,} of {of:,} {what}" for n, of, what in counts if n]
    note = f"left out, because they contain a name or type of the catalogue: {', '.join(removed)}"
    return contexts.select(frame["context_id"][~bad]), look_alikes, note if removed else ""
