"""Attested contexts first, and invented ones for what these lack; names as they are, not respelled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.taxonomy import taxonomy
from ..catalogues.values import column_texts
from .covering.combinations import closed_features, make_items
from .material import Ints, Material, Places
from .recipe import SCOPES

MIN_PER_VALUE = 20
"""Places that a value of a feature has at least: invented ones make up for what attested ones lack."""
INVENTION = "invention"


def is_attested(contexts: pd.DataFrame) -> NDArray[np.bool_]:
    """Which contexts were found in a source."""
    source = column_texts(contexts, taxonomy().find("context.source_type").column)
    return np.asarray((source != "") & (source != INVENTION), dtype=bool)


def is_invented(fillers: pd.DataFrame) -> NDArray[np.bool_]:
    """Which entities stand so in no source."""
    return np.asarray(column_texts(fillers, "source_type") == INVENTION, dtype=bool)


def prefer_attested(material: Material, places: Places, features: Sequence[str] = ()) -> tuple[Places, str]:
    """The attested ones of some contexts, and invented ones for values that few of these have.

    Parameters
    ----------
    material : Material
        What can be combined.
    places : Places
        The chosen contexts and slots.
    features : sequence of str
        Features whose combinations of values count as a value too: those that divide a sample.

    Returns
    -------
    Places, str
        What is left, and what to tell of it; all and nothing when no chosen context is attested.
    """
    attested = is_attested(material.contexts)
    bare = places.contexts[material.templates.slot_counts[places.contexts] == 0]
    if not attested[places.contexts].any():
        return places, ""
    slots = places.slots[
        _select_rows(
            material.environments.take(places.slots), attested[material.slot_context[places.slots]], features
        )
    ]
    bare = bare[_select_rows(material.contexts.take(bare), attested[bare], features)]
    contexts = np.union1d(material.slot_context[slots], bare).astype(np.int32)
    count = int(attested[contexts].sum())
    note = f"{count} attested contexts, {len(contexts) - count} invented ones for what these lack"
    return Places(contexts, slots), note


def select_attested_names(material: Material, fillers: Ints) -> tuple[Ints, str]:
    """The names among some that stand so in a source, and what to tell of it.

    Respelled ones are there for values that hardly any name has; where nobody asks for such values, a
    hundred of them are more than a corpus has.
    """
    respelled = is_invented(material.fillers)[fillers]
    left = fillers[~respelled]
    if not respelled.any() or len(left) < MIN_PER_VALUE:
        return fillers, ""
    return left, f"{len(fillers) - len(left)} respelled names are left out: --entities chooses among all"


def _select_rows(
    frame: pd.DataFrame, attested: NDArray[np.bool_], features: Sequence[str]
) -> NDArray[np.bool_]:
    """Which rows are attested; and others, the first there are, of values that few attested ones have."""
    if not attested.any():
        return np.ones(len(frame), dtype=bool)
    known = [f for f in closed_features(("slot", "context")) if not f.is_catalogue_only]
    has = make_items(frame, known).has
    kept = attested.copy()
    for value in np.flatnonzero(has[attested].sum(axis=0) < MIN_PER_VALUE).tolist():
        missing = MIN_PER_VALUE - int(np.count_nonzero(has[kept, value]))
        kept[np.flatnonzero(has[:, value] & ~kept)[: max(missing, 0)]] = True
    dividing = (taxonomy().find(n, SCOPES) for n in features)
    chosen = [f for f in dividing if f.scope != "entity" and f.column in frame]
    if chosen:
        codes, _ = pd.factorize(pd.MultiIndex.from_frame(frame[[f.column for f in chosen]].astype("str")))
        kept |= (np.bincount(codes, weights=attested) < MIN_PER_VALUE)[codes]
    return np.asarray(kept, dtype=bool)


REUSE_FACTOR, MIN_REUSE_WEIGHT = 0.8, 0.5
"""What a sentence is worth each time it comes up again, beside what it covers, and its least worth."""
INVENTED_FACTOR = 0.9
"""What an invented sentence is worth where there are attested ones."""

KNOWN, USUAL, ODD = 1.0, 0.5, 0.0


def rate_naturalness(fillers: pd.DataFrame) -> NDArray[np.float64]:
    """How natural each entity is: known (a corpus has it elsewhere too), usual, odd (made up, no letter)."""
    found = np.full(len(fillers), USUAL)
    if "corpus_frequency" in fillers:
        found[fillers["corpus_frequency"].fillna(0).to_numpy(dtype=float) > 0] = KNOWN
    found[is_invented(fillers)] = ODD
    letters = fillers["data"].astype("str").str.contains(r"[^\W\d_]", regex=True)
    found[~letters.to_numpy(dtype=bool)] = ODD
    return found


def weigh_contexts(used: NDArray[np.int64], attested: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What each context is worth, beside what it covers; never more than it was before."""
    again = np.maximum(REUSE_FACTOR**used, MIN_REUSE_WEIGHT)
    return np.asarray(again * np.where(attested, 1.0, INVENTED_FACTOR) if attested.any() else again)
