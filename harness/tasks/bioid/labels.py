"""From the value of an annotation's "type" infon to its label, by the BioID README's table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_bundled_rows

NO_TYPE = "no type infon"
UNMAPPED = "a type that no prefix covers"
EXCLUDED = "a type that the task leaves out"


@dataclass(frozen=True)
class TypePrefix:
    """One row of the table: what a prefix stands for; no label when the task leaves it out."""

    label: str
    normalised: bool


@lru_cache
def load_prefixes() -> dict[str, TypePrefix]:
    """The bundled table, by prefix (with its colon, or underscore for Cellosaurus)."""
    _, *rows = read_bundled_rows(__package__, "labels.tsv")
    return {prefix: TypePrefix(label, normalised == "yes") for prefix, label, normalised in rows}


@lru_cache
def list_labels() -> tuple[str, ...]:
    """All labels, in alphabetical order."""
    return tuple(sorted({entry.label for entry in load_prefixes().values() if entry.label}))


def check_labels(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a label that the task does not have."""
    for name in wanted:
        if name not in list_labels():
            raise InputError("unknown label", found=name, allowed=", ".join(list_labels()))
    return wanted


def _look_up(kind: str) -> TypePrefix | None:
    table = load_prefixes()
    # the part before the first colon decides; an unknown one may still be a Cellosaurus id, or a bare word
    head, colon, _ = kind.partition(":")
    found = table.get(head + colon) if colon else None
    if found is None:
        head, underscore, _ = kind.partition("_")
        found = table.get(head + underscore) if underscore else None
    if found is None:
        bare = table.get(kind + ":")
        found = bare if bare is not None and not bare.normalised else None
    return found


def label_types(types: pd.Series[str]) -> pd.DataFrame:
    """Label of each annotation by its type; works on the distinct values.

    Returns
    -------
    DataFrame
        Same index; `label` (missing where the annotation does not take part), `grounded` (the whole type
        where it is an identifier, else missing), `ignored` (why it does not take part, else missing).

    Examples
    --------
    >>> label_types(pd.Series(["CHEBI:15377", "protein", "Uniprot", None], dtype="str")).label.tolist()
    ['small_molecule', 'gene_or_protein', nan, nan]
    """
    codes, distinct = pd.factorize(types)
    rows: list[tuple[str | None, str | None, str | None]] = []
    for kind in distinct:
        entry = _look_up(str(kind))
        if entry is None:
            rows.append((None, None, UNMAPPED))
        elif not entry.label:
            rows.append((None, None, EXCLUDED))
        else:
            rows.append((entry.label, str(kind) if entry.normalised else None, None))
    rows.append((None, None, NO_TYPE))  # code -1, a missing type, takes the last row
    table = pd.DataFrame(rows, columns=["label", "grounded", "ignored"], dtype="str")
    return table.take(np.where(codes < 0, len(rows) - 1, codes)).set_axis(types.index)
