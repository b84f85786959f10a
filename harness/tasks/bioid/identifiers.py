"""Counts of identifiers per caption, regardless of the mentions to which they belong.

The counts are defined in the BioID README, in numbered steps to which the comments refer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_text
from ...scoring.arrays import Ints


@dataclass(frozen=True)
class EquivalenceClasses:
    """Classes of equivalent identifiers.

    The name of a class consists of its sorted identifiers, joined by ``|``. An identifier that is not in any
    class forms its own class.
    """

    names: Mapping[str, str]

    def class_of(self, identifier: str) -> str:
        """Return the name of the class that contains an identifier."""
        return self.names.get(identifier, identifier)


def read_equivalence(path: str | PathLike[str] | None, *, as_published: bool = False) -> EquivalenceClasses:
    """Read equivalence classes from a JSON list of lists of identifiers.

    Classes that share an identifier are merged; in the released program, an identifier belongs only to the
    last class that lists it.
    """
    if path is None:
        return EquivalenceClasses({})
    import orjson

    source = Path(path)
    allowed = "a list of lists of identifiers"
    try:
        content = orjson.loads(read_text(source))
    except orjson.JSONDecodeError as error:
        problem = f"not valid JSON ({error})"
        raise InputError(problem, file=source, line=error.lineno, allowed=allowed) from None
    if not isinstance(content, list):
        raise InputError("the file contains no list of equivalence classes", file=source, allowed=allowed)
    classes: list[set[str]] = []
    for number, members in enumerate(content, start=1):
        if not isinstance(members, list) or not all(isinstance(m, str) for m in members):
            raise InputError(
                f"class {number} is not a list of strings", file=source, found=members, allowed=allowed
            )
        classes.append(set(members))
    if as_published:
        return EquivalenceClasses({m: "|".join(sorted(members)) for members in classes for m in members})
    merged: dict[str, set[str]] = {}
    for members in classes:
        union = set(members).union(*(merged[m] for m in members if m in merged))
        merged |= dict.fromkeys(union, union)
    return EquivalenceClasses({m: "|".join(sorted(members)) for m, members in merged.items()})


@dataclass(frozen=True)
class IdentifierCounts:
    """Numbers of matched, missing and spurious identifiers per cell (caption and label)."""

    match: Ints
    missing: Ints
    spurious: Ints


def count_identifiers(
    cells: int,
    reference_cell: Ints,
    reference: Sequence[str],
    run_cell: Ints,
    run: Sequence[str],
    equivalence: EquivalenceClasses,
    *,
    as_published: bool = False,
) -> IdentifierCounts:
    """Count matched, missing and spurious identifiers per cell.

    Parameters
    ----------
    cells : int
        Number of cells.
    reference_cell, run_cell : ndarray of int64
        Index of the cell of each identifier.
    reference, run : sequence of str
        Identifiers in the reference and in the run; alternatives in the reference are joined by ``|``.
    equivalence : EquivalenceClasses
        Classes of equivalent identifiers.
    as_published : bool
        Whether alternatives in a run match an equivalence class with the same name, as in the released
        program.
    """
    names: dict[str, int] = {}

    def number(name: str) -> int:
        return names.setdefault(name, len(names))

    # a run must not give alternatives: a text with | counts as one unknown identifier
    reference_code, reference_texts = pd.factorize(np.asarray(reference, dtype=object))
    run_code, run_texts = pd.factorize(np.asarray(run, dtype=object))
    sets = [
        sorted({number(equivalence.class_of(part)) for part in str(text).split("|")})
        for text in reference_texts
    ]
    run_name = np.array(
        [
            number(equivalence.class_of(text) if as_published or "|" not in text else "\0" + text)
            for text in map(str, run_texts)
        ],
        dtype=np.int64,
    )
    size = len(names) + 1
    # step 1: single identifiers and alternatives of the reference
    distinct = {tuple(members): place for place, members in enumerate(sets)}
    set_code = np.array([distinct[tuple(members)] for members in sets], dtype=np.int64)
    keys = np.unique(reference_cell * max(len(sets), 1) + (set_code[reference_code] if len(sets) else 0))
    cell, which = np.divmod(keys, max(len(sets), 1))
    lengths = np.array([len(members) for members in sets], dtype=np.int64)
    repeat = lengths[which] if len(which) else which
    owner = np.repeat(np.arange(len(which)), repeat)
    member = np.array([m for place in which for m in sets[place]], dtype=np.int64)
    member_key = cell[owner] * size + member if len(owner) else owner
    singles = np.unique(member_key[repeat[owner] == 1]) if len(owner) else owner
    # steps 2, 3 and 4
    proposed = np.unique(run_cell * size + run_name[run_code]) if len(run_code) else np.zeros(0, np.int64)
    match = np.intersect1d(proposed, member_key, assume_unique=False)
    spurious = np.setdiff1d(proposed, match, assume_unique=True)
    missing = np.setdiff1d(singles, match, assume_unique=True)
    # step 5: remove alternatives that are matched, or already counted as missing
    settled = np.isin(member_key, np.concatenate((match, missing)))
    is_settled = np.zeros(len(which), dtype=bool)
    is_settled[owner[settled]] = True
    left = (repeat > 1) & ~is_settled
    # step 6: per cell, the smaller of the number of remaining alternatives and of their identifiers
    left_sets = np.bincount(cell[left], minlength=cells)
    named = np.unique(member_key[left[owner]]) if len(owner) else owner
    left_names = np.bincount(named // size, minlength=cells)
    return IdentifierCounts(
        np.bincount(match // size, minlength=cells).astype(np.int64),
        (np.bincount(missing // size, minlength=cells) + np.minimum(left_sets, left_names)).astype(np.int64),
        np.bincount(spurious // size, minlength=cells).astype(np.int64),
    )
