"""Where a suite's contexts and names come from: the corpora, and what that means for who reads it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ..catalogues.entities import read_entities
from ..catalogues.taxonomy import taxonomy
from ..sentences.contexts import corpora_named
from .combination_space import CombinationSpace
from .fitting.fits import ANYTHING
from .material import Material
from .recipe import SuiteRecipe
from .sources import Sources

OTHER = "other"
"""The kind of entities that are no genes."""


def sources_of(material: Material, spaces: Iterable[CombinationSpace]) -> dict[str, tuple[str, ...]]:
    """The corpora of the chosen contexts and names; no key where there are none."""
    contexts, names = (
        np.zeros(len(material.contexts), dtype=bool),
        np.zeros(len(material.fillers), dtype=bool),
    )
    for space in spaces:
        contexts[space.places.contexts] = True
        for base in space.bases:
            names[base] = True
    found = {
        "contexts": _of_contexts(material.contexts[contexts]),
        "names": _of_names(material.fillers[names]),
    }
    return {what: corpora for what, corpora in found.items() if corpora}


def _of_contexts(contexts: pd.DataFrame) -> tuple[str, ...]:
    """The corpora whose name the ids begin with, where the sentence of the source is recorded."""
    column = taxonomy().find("context.source_id").column
    if column not in contexts:
        return ()
    sourced = contexts[contexts[column].notna()]
    return corpora_named(sourced["context_id"].astype("str").str.split("-").str[0].unique())


def _of_names(fillers: pd.DataFrame) -> tuple[str, ...]:
    if "source_authority" not in fillers:
        return ()
    return corpora_named(fillers["source_authority"].dropna().astype("str").unique())


def strangers(recipe: SuiteRecipe, sources: Sources) -> str:
    """What to tell where a catalogue of one's own is put into the bundled sentences; "" otherwise.

    These speak of genes and proteins. Entities of an authority that the bundled ones have, or whose kind says
    that they are no genes (which only neutral sentences take), need no word.
    """
    suite = recipe.suite
    # who asks what slots accept knows what they are for
    asked = all("accepts" in part.contexts for part in recipe.parts)
    if not suite.catalogue or suite.sentences or asked:
        return ""
    entities = sources.entities
    authorities = read_entities()["source_authority"].dropna().unique().tolist()
    known = np.zeros(len(entities), dtype=bool)
    if "source_authority" in entities:
        known |= entities["source_authority"].isin(authorities).to_numpy(dtype=bool)
    if "kind" in entities:
        known |= (entities["kind"].astype("str") == OTHER).to_numpy(dtype=bool)
    if known.all():
        return ""
    accepts = sources.contexts.slots.get("accepts")
    neutral = (
        0 if accepts is None else int(accepts.astype("str").str.split("|").map(lambda a: ANYTHING in a).sum())
    )
    return (
        "the bundled sentences speak of genes and proteins: where entities of --catalogue are others, "
        f"--contexts 'accepts = any' has {neutral} slots of sentences that say nothing of the kind; or give "
        "--sentences"
    )
