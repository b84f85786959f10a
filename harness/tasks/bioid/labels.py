"""Labels of annotations, derived from the infon "type" as defined in the BioID README."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_bundled_rows

NO_TYPE = "no type infon"
UNMAPPED = "the type has an unknown prefix"
EXCLUDED = "the task excludes this type"


@dataclass(frozen=True)
class TypePrefix:
    """Label for all types that begin with a certain prefix.

    Attributes
    ----------
    label : str
        Label; "" if the task excludes these types.
    normalised : bool
        Whether these types are identifiers.
    """

    label: str
    normalised: bool


@lru_cache
def load_prefixes() -> dict[str, TypePrefix]:
    """Read the bundled table of prefixes. A prefix ends in a colon or, for Cellosaurus, in an underscore."""
    _, *rows = read_bundled_rows(__package__, "labels.tsv")
    return {prefix: TypePrefix(label, normalised == "yes") for prefix, label, normalised in rows}


@lru_cache
def list_labels() -> tuple[str, ...]:
    """Return all labels, in alphabetical order."""
    return tuple(sorted({entry.label for entry in load_prefixes().values() if entry.label}))


def check_labels(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the given labels; raise InputError if a label does not exist in the task."""
    for name in wanted:
        if name not in list_labels():
            raise InputError("unknown label", found=name, allowed=", ".join(list_labels()))
    return wanted


def _look_up(kind: str) -> TypePrefix | None:
    table = load_prefixes()
    # the prefix ends at the first colon; otherwise try a Cellosaurus id, then a word without colon
    head, colon, _ = kind.partition(":")
    prefix = table.get(head + colon) if colon else None
    if prefix is None:
        head, underscore, _ = kind.partition("_")
        prefix = table.get(head + underscore) if underscore else None
    if prefix is None:
        bare = table.get(kind + ":")
        prefix = bare if bare is not None and not bare.normalised else None
    return prefix


def label_types(types: pd.Series[str]) -> pd.DataFrame:
    """Return the label of each annotation, given its type.

    Returns
    -------
    DataFrame
        Table with the index of `types` and the columns `label` (missing if the annotation is ignored),
        `grounded` (the type if it is an identifier, otherwise missing) and `ignored` (the reason if the
        annotation is ignored).

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
    rows.append((None, None, NO_TYPE))  # the last row is for code -1, a missing type
    table = pd.DataFrame(rows, columns=["label", "grounded", "ignored"], dtype="str")
    return table.take(np.where(codes < 0, len(rows) - 1, codes)).set_axis(types.index)
