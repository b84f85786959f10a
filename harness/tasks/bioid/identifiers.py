"""Counts of identifiers per caption, regardless of the mentions to which they belong.

The counts are defined in the BioID README, in numbered steps to which the comments refer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_text
from ...scoring.arrays import Ints

IDENTIFIER_COUNTS = ("norm_match", "norm_missing", "norm_spurious")
"""Names of the counts of identifiers in the score files."""


def read_equivalence(path: str | PathLike[str] | None, *, as_published: bool = False) -> dict[str, str]:
    """Read equivalence classes from a JSON list of lists of identifiers, and return the class of each.

    The name of a class consists of its sorted identifiers, joined by ``|``. An identifier that is not in the
    result forms its own class. Classes that share an identifier are merged; in the released program, an
    identifier belongs only to the last class that lists it.
    """
    if path is None:
        return {}
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
        return {m: "|".join(sorted(members)) for members in classes for m in members}
    merged: dict[str, set[str]] = {}
    for members in classes:
        union = set(members).union(*(merged[m] for m in members if m in merged))
        merged |= dict.fromkeys(union, union)
    return {m: "|".join(sorted(members)) for m, members in merged.items()}


def count_identifiers(
    cells: int,
    reference: pd.Series[str],
    run: pd.Series[str],
    equivalence: Mapping[str, str],
    *,
    as_published: bool = False,
) -> dict[str, Ints]:
    """Count matched, missing and spurious identifiers per cell (caption and label).

    Parameters
    ----------
    cells : int
        Number of cells.
    reference, run : Series of str
        Identifiers in the reference and in the run, with the number of the cell as index; alternatives in the
        reference are joined by ``|``.
    equivalence : mapping of str to str
        Classes of equivalent identifiers; see `read_equivalence`.
    as_published : bool
        Whether alternatives in a run match an equivalence class with the same name, as in the released
        program.

    Returns
    -------
    dict
        Counts of each cell, with the keys IDENTIFIER_COUNTS.
    """
    # step 1: single identifiers and alternatives of the reference
    sets: defaultdict[int, set[frozenset[str]]] = defaultdict(set)
    for cell, text in zip(reference.index.tolist(), reference.tolist(), strict=True):
        sets[cell].add(frozenset(equivalence.get(part, part) for part in text.split("|")))
    proposed: defaultdict[int, set[str]] = defaultdict(set)
    for cell, text in zip(run.index.tolist(), run.tolist(), strict=True):
        # a run must not give alternatives: a text with | counts as one unknown identifier
        is_known = as_published or "|" not in text
        proposed[cell].add(equivalence.get(text, text) if is_known else f"\0{text}")
    counts = np.zeros((len(IDENTIFIER_COUNTS), cells), np.int64)
    for cell in sets.keys() | proposed.keys():
        # steps 2, 3 and 4
        match = proposed[cell] & set().union(*sets[cell])
        missing = set().union(*(names for names in sets[cell] if len(names) == 1)) - match
        # step 5: remove alternatives that are matched, or already counted as missing
        left = [names for names in sets[cell] if len(names) > 1 and not names & (match | missing)]
        # step 6: the smaller of the number of remaining alternatives and of their identifiers
        more = min(len(left), len(set().union(*left)))
        counts[:, cell] = len(match), len(missing) + more, len(proposed[cell] - match)
    return dict(zip(IDENTIFIER_COUNTS, counts, strict=True))
