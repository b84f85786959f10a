"""Catalogues that a suite is made from: their digests, and the corpora that they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import digest_bytes, digest_path
from ..catalogues.entities import read_entities, read_look_alikes
from ..catalogues.taxonomy import taxonomy
from ..catalogues.values import column_texts
from ..catalogues.word_lists import WORDFREQ_PREFIX, read_lists
from ..sentences.contexts import Contexts, find_named_corpora, read_contexts
from ..sentences.formats.registry import parse_spec
from .combination_space import CombinationSpace
from .fitting.slot_rules import ANY_KIND
from .material import Material
from .recipe import SuiteRecipe


@dataclass(frozen=True)
class Sources:
    """Catalogues in memory.

    Attributes
    ----------
    entities : DataFrame
        The entities.
    contexts : Contexts
        The contexts.
    look_alikes : DataFrame or None
        The insertable non-entities, read only when a part wants them.
    digests : dict of str to str
        What was read, by its role.
    lists : dict of str to frozenset of str
        The user's lists.
    """

    entities: pd.DataFrame
    contexts: Contexts
    look_alikes: pd.DataFrame | None
    digests: dict[str, str]
    lists: dict[str, frozenset[str]] = field(default_factory=dict)


def find_files(names: Sequence[str], recipe_folder: Path | None) -> list[Path]:
    """The files of some names: as they are, else beside the recipe that names them.

    Raises
    ------
    InputError
        When a file is in neither place.
    """
    found: list[Path] = []
    for name in names:
        places = [Path(name)] if recipe_folder is None else [Path(name), recipe_folder / name]
        held = next((p for p in places if p.exists()), None)
        if held is None:
            beside_too = None if len(places) == 1 else " or ".join(map(str, places))
            raise InputError("no such file", file=name, allowed=beside_too)
        found.append(held)
    return found


def read_sources(
    recipe: SuiteRecipe, recipe_folder: Path | None = None, *, look_alikes: bool = True
) -> Sources:
    """Read what a recipe names; where it names nothing, what is bundled.

    Parameters
    ----------
    recipe : SuiteRecipe
        What is asked.
    recipe_folder : Path, optional
        The folder of the recipe's file, where files are looked for too.
    look_alikes : bool
        Whether look-alikes are read where a part wants them.
    """
    suite = recipe.suite
    entity_files, context_files = (
        find_files(suite.catalogue, recipe_folder),
        find_files(suite.sentences, recipe_folder),
    )
    other_files = find_files(suite.look_alikes_file, recipe_folder) if look_alikes else []
    entities = read_entities(*entity_files)
    if entity_files:
        _require_kind(entities, "entity", entity_files)
    contexts = read_contexts(*context_files)
    digests = {
        "entities": _digest(entities, entity_files),
        "contexts": contexts.digest or digest_bytes(*(digest_path(p).encode() for p in context_files)),
    }
    other: pd.DataFrame | None = None
    if look_alikes and any(part.look_alikes or part.negatives for part in recipe.parts):
        other = read_entities(*other_files) if other_files else read_look_alikes()
        _require_kind(other, "look_alike", other_files)
        digests["look_alikes"] = _digest(other, other_files)
    words = read_lists(
        {
            n: f if f.startswith(WORDFREQ_PREFIX) else find_files([f], recipe_folder)[0]
            for n, f in suite.lists.items()
        }
    )
    for name, held in words.items():
        digests[f"list-{name}"] = digest_bytes("\n".join(sorted(held)).encode())
    return Sources(entities, contexts, other, digests, words)


def list_input_paths(recipe: SuiteRecipe, recipe_folder: Path | None) -> tuple[Path, ...]:
    """Return the files and folders that a recipe names, and the folder of its own file."""
    suite = recipe.suite
    lists = [source for source in suite.lists.values() if not source.startswith(WORDFREQ_PREFIX)]
    named = find_files([*suite.catalogue, *suite.sentences, *suite.look_alikes_file, *lists], recipe_folder)
    targets = [parse_spec(part.target)[1] for part in recipe.parts if ":" in part.target]
    return (*named, *targets, *([] if recipe_folder is None else [recipe_folder]))


def _require_kind(frame: pd.DataFrame, kind: str, files: Sequence[Path]) -> None:
    """Refuse entities in the place of look-alikes, which would not be marked; and the reverse."""
    other = "look_alike"
    wrong = frame[(frame["kind"].astype("str") == other) != (kind == other)] if "kind" in frame else frame
    if len(wrong):
        raise InputError(
            f"not all are of kind {kind}",
            file=", ".join(map(str, files)),
            found=f"{wrong['data'].iloc[0]} ({len(wrong)} in all)",
            allowed="entities with --catalogue, look-alikes with --look-alikes-file",
        )


def _digest(frame: pd.DataFrame, files: Sequence[Path]) -> str:
    """The digest of files, or of a bundled table's identities and forms."""
    if files:
        return digest_bytes(*(digest_path(p).encode() for p in files))
    joined = frame["entity_id"].astype("str") + "\t" + frame["data"].astype("str")
    return digest_bytes("\n".join(joined.tolist()).encode())


OTHER_CORPUS = "other"
"""The kind of entities that are no genes."""


def list_corpora(material: Material, spaces: Iterable[CombinationSpace]) -> dict[str, tuple[str, ...]]:
    """The corpora of the chosen contexts and names; no key where there are none."""
    chosen = [*spaces]
    none = np.empty(0, dtype=np.int32)
    contexts = material.contexts.take(np.unique(np.concatenate([none, *(s.places.contexts for s in chosen)])))
    names = material.fillers.take(
        np.unique(np.concatenate([none, *(b for s in chosen for b in s.base_fillers)]))
    )
    # the ids of contexts begin with the corpus whose sentence they record
    recorded = column_texts(contexts, taxonomy().find("context.source_id").column) != ""
    found = {
        "contexts": find_named_corpora({str(i).split("-")[0] for i in contexts["context_id"][recorded]}),
        "names": find_named_corpora(set(column_texts(names, "source_authority"))),
    }
    return {what: corpora for what, corpora in found.items() if corpora}


def note_mixed_catalogues(recipe: SuiteRecipe, sources: Sources) -> str:
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
    known = np.isin(column_texts(entities, "source_authority"), authorities)
    if (known | (column_texts(entities, "kind") == OTHER_CORPUS)).all():
        return ""
    neutral = sum(ANY_KIND in a.split("|") for a in column_texts(sources.contexts.slots, "accepts"))
    return (
        "the bundled sentences speak of genes and proteins: where entities of --catalogue are others, "
        f"--contexts 'accepts = any' has {neutral} slots of sentences that say nothing of the kind; or give "
        "--sentences"
    )
