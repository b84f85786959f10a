"""Kinds of sources that can be imported, and the function `import_entities`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError
from ..taxonomy import taxonomy
from .collector import EntityCollector, ImportAccount
from .flybase import read_flybase
from .gene_info import read_gene_info
from .hgnc import read_hgnc
from .obo import read_obo
from .uniprot import read_uniprot
from .user_lists import read_csv, read_list

if TYPE_CHECKING:
    import pandas as pd


SOURCE_KINDS: Mapping[str, Callable[..., EntityCollector]] = {
    "hgnc": read_hgnc,
    "gene_info": read_gene_info,
    "flybase": read_flybase,
    "uniprot": read_uniprot,
    "obo": read_obo,
    "csv": read_csv,
    "list": read_list,
}
"""Functions that read each kind of source; their parameters except `path` and `authority` are options."""


USER_SOURCES = ("csv", "list")
"""Kinds of sources that may contain entities of any type."""


def import_entities(
    kind: str,
    path: str | PathLike[str],
    *,
    authority: str | None = None,
    look_alike: str | None = None,
    entity_type: str | None = None,
    entity_kind: str | None = None,
    species: str | None = None,
    features: Collection[str] | None = None,
    **options: Any,
) -> tuple[pd.DataFrame, ImportAccount]:
    """Read a source of entities and compute their features.

    Parameters
    ----------
    kind : str
        Kind of source, a key of `SOURCE_KINDS`.
    path : path
        Path of the source file.
    authority : str, optional
        Value of `source_authority`, instead of the default for this kind of source.
    look_alike : str, optional
        Category of look-alikes; if given, the forms are imported as look-alikes, not as entities.
    entity_type, entity_kind, species : str, optional
        Default type, kind and species of entities. Each entity from a user's table or list must have a type
        or kind.
    features : collection of str, optional
        Names of the features to compute; if None, all are computed.
    **options
        Options of the function that reads this kind of source.

    Returns
    -------
    frame : DataFrame
        One row per entity, with the entity features.
    account : ImportAccount
        Counts of records and entities read, kept and dropped.

    Raises
    ------
    InputError
        If a value or option is not valid, or the source cannot be read or contains no entities.
    """
    from ..entity_features import entity_features

    if kind not in SOURCE_KINDS:
        raise InputError("unknown kind of source", found=kind, allowed=", ".join(SOURCE_KINDS))
    given = {name: value for name, value in options.items() if value}
    for name in given:
        kinds = [k for k, read in SOURCE_KINDS.items() if name in inspect.signature(read).parameters]
        if kind not in kinds:
            # names on the command line
            shown = {"columns": "--map", "taxa": "--taxon"}.get(name, f"--{name}")
            raise InputError(f"{shown} cannot be used with {kind}, only with {', '.join(kinds)}")
    if look_alike is not None and entity_kind is not None:
        raise InputError(
            "--kind cannot be combined with --look-alike, which sets the kind look_alike", found=entity_kind
        )
    defaults = {
        name: _check_option_value(name, v)
        for name, v in (("kind", entity_kind), ("species", species))
        if v is not None
    }
    if entity_type is not None:
        defaults["type"] = entity_type
    collector = SOURCE_KINDS[kind](path, authority, **given)
    collector.defaults |= defaults
    if kind in USER_SOURCES and look_alike is None and not {"type", "kind"} & defaults.keys():
        collector.require_types(path)
    if not collector.account.kept:
        reasons = "; ".join(
            f"{n} {name} dropped: {reason}" for (name, reason), (n, _) in collector.account.dropped.items()
        )
        raise InputError("the source contains no entities", file=path, found=reasons or "no records")
    frame = collector.to_frame()
    if look_alike is not None:
        frame = _as_look_alikes(frame, look_alike)
    computed = entity_features(frame["data"], frame[["name_vs_symbol"]], columns=features)
    new_columns = [c for c in computed.columns if c == "name_vs_symbol" or c not in frame.columns]
    frame[new_columns] = computed[new_columns]
    return frame, collector.account


def _check_option_value(name: str, value: str) -> str:
    """Return the value of the option `kind` or `species`; raise InputError if it is not in the taxonomy."""
    allowed = [v.name for v in taxonomy().find(f"entity.{name}").values if v.name != "look_alike"]
    if value not in allowed:
        hint = "; use --type for entities that are not genes" if name == "kind" else ""
        raise InputError(f"{name}: unknown value{hint}", found=value, allowed=", ".join(allowed))
    return value


def _as_look_alikes(frame: pd.DataFrame, category: str) -> pd.DataFrame:
    allowed = list(frame["look_alike_category"].cat.categories)
    if category not in allowed:
        raise InputError("unknown category of look-alikes", found=category, allowed=", ".join(allowed))
    values = {"kind": "look_alike", "look_alike_category": category}
    dtypes = frame.dtypes[list(values)].to_dict()
    return frame.assign(**values).astype(dtypes)
