"""Preference for attested contexts and names over constructed ones.

Attested contexts and names were found in a source; constructed ones were written for the catalogue.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.taxonomy import taxonomy
from ..catalogues.values import column_texts
from .case_limits import SCOPES
from .covering.combinations import closed_features, make_items
from .material import Ints, Material, Places

MIN_PER_VALUE = 20
"""Minimum number of attested slots (or contexts without slots) for each feature value.

Constructed ones are added for values with fewer attested ones.
"""
INVENTION = "invention"


def is_attested(contexts: pd.DataFrame) -> NDArray[np.bool_]:
    """Return a mask of the contexts that were found in a source."""
    source = column_texts(contexts, taxonomy().find("context.source_type").column)
    return np.asarray((source != "") & (source != INVENTION), dtype=bool)


def is_invented(fillers: pd.DataFrame) -> NDArray[np.bool_]:
    """Return a mask of the entities whose names were constructed rather than found in a source."""
    return np.asarray(column_texts(fillers, "source_type") == INVENTION, dtype=bool)


def prefer_attested(material: Material, places: Places, features: Sequence[str] = ()) -> tuple[Places, str]:
    """Select the attested contexts, and add constructed ones for feature values that are rare among them.

    Parameters
    ----------
    material : Material
        Fillers, contexts and slots of the suite.
    places : Places
        Contexts and slots that satisfy the queries.
    features : sequence of str
        Stratification features; constructed contexts are also added for rare combinations of their values.

    Returns
    -------
    Places, str
        Selected contexts and slots, and a note for the user. If no context is attested, all `places`
        are returned with an empty note.
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
    note = (
        f"{count} attested contexts, and {len(contexts) - count} constructed ones for feature values that "
        "are rare in attested contexts"
    )
    return Places(contexts, slots), note


def select_attested_names(material: Material, fillers: Ints) -> tuple[Ints, str]:
    """Return the attested names, and a note about the constructed names that are left out.

    Constructed names were written for feature values that few real names have, so a sample of all names would
    contain too many of them. If fewer than `MIN_PER_VALUE` names are attested, no name is left out.
    """
    constructed = is_invented(material.fillers)[fillers]
    left = fillers[~constructed]
    if not constructed.any() or len(left) < MIN_PER_VALUE:
        return fillers, ""
    count = len(fillers) - len(left)
    return left, f"{count} constructed spellings are left out; a query for entities can select them"


def _select_rows(
    frame: pd.DataFrame, attested: NDArray[np.bool_], features: Sequence[str]
) -> NDArray[np.bool_]:
    """Return a mask of all attested rows, and of constructed rows for values that few attested rows have."""
    if not attested.any():
        return np.ones(len(frame), dtype=bool)
    computable = [f for f in closed_features(("slot", "context")) if not f.is_catalogue_only]
    has = make_items(frame, computable).has
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
"""A context that was used n times has the weight `REUSE_FACTOR` ** n, but at least `MIN_REUSE_WEIGHT`."""
INVENTED_FACTOR = 0.9
"""Additional factor for the weight of a constructed context; not applied if no context is attested."""

KNOWN, USUAL, ODD = 1.0, 0.5, 0.0


def rate_naturalness(fillers: pd.DataFrame) -> NDArray[np.float64]:
    """Rate the naturalness of each entity as `KNOWN`, `USUAL` or `ODD`.

    A form that is constructed or has no letters is `ODD`. Any other form is `KNOWN` if its corpus frequency
    is positive, and `USUAL` otherwise.
    """
    ratings = np.full(len(fillers), USUAL)
    if "corpus_frequency" in fillers:
        ratings[fillers["corpus_frequency"].fillna(0).to_numpy(dtype=float) > 0] = KNOWN
    ratings[is_invented(fillers)] = ODD
    letters = fillers["data"].astype("str").str.contains(r"[^\W\d_]", regex=True)
    ratings[~letters.to_numpy(dtype=bool)] = ODD
    return ratings


def weigh_contexts(used: NDArray[np.int64], attested: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return a weight for each context, which is lower for reused and for constructed contexts.

    When cases for a covering suite are chosen, the number of combinations that a context covers is multiplied
    by the weight of the context. The weight of a context never increases during this choice.
    """
    reuse = np.maximum(REUSE_FACTOR**used, MIN_REUSE_WEIGHT)
    return np.asarray(reuse * np.where(attested, 1.0, INVENTED_FACTOR) if attested.any() else reuse)
