"""The kinds of source that can be imported, by the name that the command line uses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class SourceKind:
    """A kind of source: how it is read and which options it takes besides the authority."""

    name: str
    description: str
    read: Callable[..., EntityCollector]
    options: tuple[str, ...] = field(default=())


SOURCE_KINDS: Mapping[str, SourceKind] = {
    kind.name: kind
    for kind in (
        SourceKind("hgnc", "HGNC complete set (tab-separated, may be gzipped)", read_hgnc),
        SourceKind("gene_info", "NCBI gene_info (may be gzipped)", read_gene_info, ("taxa",)),
        SourceKind("flybase", "FlyBase fbgn_annotation_ID or fb_synonym", read_flybase),
        SourceKind("uniprot", "UniProtKB tab-separated export", read_uniprot),
        SourceKind("obo", "OBO ontology: names and synonyms of terms", read_obo),
        SourceKind("csv", "any table, with a column map", read_csv, ("columns", "delimiter", "split")),
        SourceKind("list", "an entity a line", read_list),
    )
}


def import_entities(
    kind: str,
    path: str | PathLike[str],
    *,
    authority: str | None = None,
    look_alike: str | None = None,
    entity_kind: str | None = None,
    species: str | None = None,
    features: Collection[str] | None = None,
    **options: Any,
) -> tuple[pd.DataFrame, ImportAccount]:
    """Read a source and compute all entity features.

    Parameters
    ----------
    kind : str
        A name in `KINDS`.
    path : path
        The file.
    authority : str, optional
        The `source_authority`, where the source's own is not wanted.
    look_alike : str, optional
        A look-alike category: the forms are no genes or gene products but look-alikes of that category.
    entity_kind, species : str, optional
        The kind and the species of the entities of which the source does not state them.
    features : collection of str, optional
        Compute these features only; all when None.
    **options
        What the kind takes (`Kind.options`); one that it does not take is refused.

    Returns
    -------
    DataFrame, Account
        One row an entity, with the entity features; and what was read, kept and dropped.
    """
    from ..entity_features import entity_features

    if kind not in SOURCE_KINDS:
        raise InputError("unknown kind of source", found=kind, allowed=", ".join(SOURCE_KINDS))
    given = {name: value for name, value in options.items() if value}
    for name in given:
        if name not in SOURCE_KINDS[kind].options:
            takers = ", ".join(k.name for k in SOURCE_KINDS.values() if name in k.options)
            # as the command line calls them
            shown = {"columns": "--map", "taxa": "--taxon"}.get(name, f"--{name}")
            raise InputError(f"{shown} is not for {kind}", allowed=f"with {takers}")
    if look_alike is not None and entity_kind is not None:
        raise InputError("a look-alike is of no other kind", found=entity_kind, allowed="--look-alike alone")
    usual = {
        name: _check_option_value(name, v)
        for name, v in (("kind", entity_kind), ("species", species))
        if v is not None
    }
    collector = SOURCE_KINDS[kind].read(path, authority, **given)
    collector.defaults |= usual
    if not collector.account.kept:
        reasons = "; ".join(
            f"{n} {w} dropped: {why}" for (w, why), (n, _) in collector.account.dropped.items()
        )
        raise InputError("the source holds no entity", file=path, found=reasons or "no record")
    frame = collector.to_frame()
    if look_alike is not None:
        frame = _as_look_alikes(frame, look_alike)
    computed = entity_features(frame["data"], frame[["name_vs_symbol"]], columns=features)
    fresh = [c for c in computed.columns if c == "name_vs_symbol" or c not in frame.columns]
    frame[fresh] = computed[fresh]
    return frame, collector.account


def _check_option_value(name: str, value: str) -> str:
    """A value of the taxonomy; look-alikes have an option of their own."""
    allowed = [v.name for v in taxonomy().find(f"entity.{name}").values if v.name != "look_alike"]
    if value not in allowed:
        raise InputError(f"{name}: no such value", found=value, allowed=", ".join(allowed))
    return value


def _as_look_alikes(frame: pd.DataFrame, category: str) -> pd.DataFrame:
    allowed = list(frame["look_alike_category"].cat.categories)
    if category not in allowed:
        raise InputError("no such category of look-alikes", found=category, allowed=", ".join(allowed))
    frame = frame.copy()
    for column, value in (("kind", "look_alike"), ("look_alike_category", category)):
        dtype = frame[column].dtype
        frame[column] = value
        frame[column] = frame[column].astype(dtype)
    return frame
