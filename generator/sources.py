"""Catalogues for a suite, their checksums, and the corpora from which contexts and names were taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import digest_bytes, digest_path
from ..catalogues.entities import OTHER_KIND, read_entities, read_look_alikes
from ..catalogues.taxonomy import digest_own_features, taxonomy
from ..catalogues.values import column_texts
from ..catalogues.word_lists import WORDFREQ_PREFIX, read_lists
from ..sentences.contexts import Contexts, find_named_corpora, read_contexts
from ..sentences.formats.registry import parse_spec
from .combination_space import CombinationSpace
from .fitting.slot_rules import ANY_KIND
from .material import Material
from .negative_texts import exclude_names
from .recipe import SuiteRecipe


@dataclass(frozen=True)
class Sources:
    """Catalogues that were read for a recipe.

    Attributes
    ----------
    entities : DataFrame
        Entities with their features.
    contexts : Contexts
        Contexts and slots.
    look_alikes : DataFrame or None
        Look-alikes; read only if a part uses them.
    digests : dict of str to str
        Checksum of each catalogue and word list, by its role in the recipe (such as ``entities``).
    lists : dict of str to frozenset of str
        The user's word lists.
    note : str
        Note on the contexts and look-alikes that `exclude_names` removed; "" if none were removed.
    """

    entities: pd.DataFrame
    contexts: Contexts
    look_alikes: pd.DataFrame | None
    digests: dict[str, str]
    lists: dict[str, frozenset[str]] = field(default_factory=dict)
    note: str = ""


def find_files(names: Sequence[str], recipe_folder: Path | None) -> list[Path]:
    """Find files by name, first in the current folder and then in the folder of the recipe.

    Raises
    ------
    InputError
        If a file is in neither folder.
    """
    found: list[Path] = []
    for name in names:
        places = [Path(name)] if recipe_folder is None else [Path(name), recipe_folder / name]
        path = next((p for p in places if p.exists()), None)
        if path is None:
            searched = "" if len(places) == 1 else f"; searched: {', '.join(map(str, places))}"
            raise InputError(f"no such file{searched}", file=name)
        found.append(path)
    return found


def read_sources(
    recipe: SuiteRecipe, recipe_folder: Path | None = None, *, look_alikes: bool = True
) -> Sources:
    """Read the catalogues that a recipe names, or the bundled ones if it names none.

    Parameters
    ----------
    recipe : SuiteRecipe
        Recipe of the suite.
    recipe_folder : Path, optional
        Folder of the recipe file; relative file names are also looked up there.
    look_alikes : bool
        If False, look-alikes are not read.
    """
    suite = recipe.suite
    entity_files = find_files(suite.catalogue, recipe_folder)
    context_files = find_files(suite.sentences, recipe_folder)
    other_files = find_files(suite.look_alikes_file, recipe_folder) if look_alikes else []
    entities = read_entities(*entity_files)
    if entity_files:
        _require_kind(entities, "entity", entity_files)
    contexts = read_contexts(*context_files)
    digests = {
        "entities": _digest(entities, entity_files),
        "contexts": contexts.digest,
    }
    other: pd.DataFrame | None = None
    if look_alikes and any(part.look_alikes or part.negatives for part in recipe.parts):
        other = read_entities(*other_files) if other_files else read_look_alikes()
        _require_kind(other, "look_alike", other_files)
        digests["look_alikes"] = _digest(other, other_files)
    kept = exclude_names(entities, contexts, other) if entity_files else (contexts, other, "")
    contexts, other, note = kept
    words = read_lists(
        {
            n: f if f.startswith(WORDFREQ_PREFIX) else find_files([f], recipe_folder)[0]
            for n, f in suite.lists.items()
        }
    )
    for name, held in words.items():
        digests[f"list-{name}"] = digest_bytes("\n".join(sorted(held)).encode())
    if digest := digest_own_features():
        digests["taxonomy"] = digest
    return Sources(entities, contexts, other, digests, words, note)


def list_input_paths(recipe: SuiteRecipe, recipe_folder: Path | None) -> tuple[Path, ...]:
    """Return the files and folders that a recipe names, and the folder of the recipe file."""
    suite = recipe.suite
    lists = [source for source in suite.lists.values() if not source.startswith(WORDFREQ_PREFIX)]
    named = find_files([*suite.catalogue, *suite.sentences, *suite.look_alikes_file, *lists], recipe_folder)
    targets = [parse_spec(part.target)[1] for part in recipe.parts if ":" in part.target]
    return (*named, *targets, *([] if recipe_folder is None else [recipe_folder]))


def _require_kind(frame: pd.DataFrame, kind: str, files: Sequence[Path]) -> None:
    """Raise InputError if files of entities contain look-alikes, or files of look-alikes contain entities."""
    other = "look_alike"
    wrong = frame[(frame["kind"].astype("str") == other) != (kind == other)] if "kind" in frame else frame
    if len(wrong):
        raise InputError(
            f"only {len(frame) - len(wrong)} of {len(frame)} entries are of kind {kind}",
            file=", ".join(map(str, files)),
            found=wrong["data"].iloc[0],
        )


def _digest(frame: pd.DataFrame, files: Sequence[Path]) -> str:
    """Return the checksum of the files or, if there are none, of the identifiers and forms in `frame`."""
    if files:
        return digest_bytes(*(digest_path(p).encode() for p in files))
    joined = frame["entity_id"].astype("str") + "\t" + frame["data"].astype("str")
    return digest_bytes("\n".join(joined.tolist()).encode())


def list_corpora(material: Material, spaces: Iterable[CombinationSpace]) -> dict[str, tuple[str, ...]]:
    """Return the corpora from which the selected contexts (key `contexts`) and names (key `names`) come."""
    chosen = [*spaces]
    none = np.empty(0, dtype=np.int32)
    contexts = material.contexts.take(np.unique(np.concatenate([none, *(s.places.contexts for s in chosen)])))
    names = material.fillers.take(
        np.unique(np.concatenate([none, *(b for s in chosen for b in s.base_fillers)]))
    )
    # the identifier of a recorded context begins with the name of its corpus
    recorded = column_texts(contexts, taxonomy().find("context.source_id").column) != ""
    found = {
        "contexts": find_named_corpora({str(i).split("-")[0] for i in contexts["context_id"][recorded]}),
        "names": find_named_corpora(set(column_texts(names, "source_authority"))),
    }
    return {what: corpora for what, corpora in found.items() if corpora}


def note_mixed_catalogues(recipe: SuiteRecipe, sources: Sources) -> str:
    """Return a note if the user's entities may not fit the bundled sentences, which are about genes.

    The note is "" if each entity comes from a source of the bundled catalogue or has the kind `other`, which
    is put only into neutral sentences. It is also "" if the recipe names no catalogue, names its own
    sentences or selects contexts by the feature `accepts`.
    """
    suite = recipe.suite
    # users whose query mentions `accepts` already select suitable slots
    selects_slots = all("accepts" in part.contexts for part in recipe.parts)
    if not suite.catalogue or suite.sentences or selects_slots:
        return ""
    entities = sources.entities
    authorities = read_entities()["source_authority"].dropna().unique().tolist()
    known = np.isin(column_texts(entities, "source_authority"), authorities)
    if (known | (column_texts(entities, "kind") == OTHER_KIND)).all():
        return ""
    neutral = sum(ANY_KIND in a.split("|") for a in column_texts(sources.contexts.slots, "accepts"))
    return (
        "the bundled sentences are about genes and proteins. For other entities, select neutral sentences "
        f"with contexts = 'accepts = any' ({neutral} slots), or use your own with the option sentences"
    )
