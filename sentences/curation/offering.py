"""Candidates for a reader: as lines, and in an order in which what is lacking comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.bundled import bundled_rows
from ...catalogues.curation.cover import greedy
from ...catalogues.taxonomy import taxonomy
from ...catalogues.value_codes import values_of
from ..contexts import Contexts
from .sources import Candidates

LEAST = 20
"""How many chosen contexts each value should have."""

Flags = NDArray[np.bool_]


def shortages() -> dict[tuple[str, str], str]:
    """Why some values have fewer than `LEAST`, by feature and value."""
    rows = bundled_rows(__package__, "shortages.tsv")
    return {(feature, value): reason for feature, value, reason in rows}


def lines(found: Candidates, ids: Sequence[str]) -> Iterator[str]:
    """Id, the sentence, and what the corpus has in the slots, parted by tabs."""
    for source_id in ids:
        names = " | ".join(found.names.get(source_id, ()))
        yield "\t".join((source_id, found.entries[source_id].template, names))


def _labels(contexts: Contexts) -> tuple[list[str], Flags]:
    """Every value of every closed context and slot feature, and which contexts have it.

    Returns
    -------
    list of str, ndarray of bool, shape (contexts, labels)
    """
    names: list[str] = []
    columns: list[Flags] = []
    order = pd.Index(contexts.contexts["context_id"])
    row = order.get_indexer(pd.Index(contexts.slots["context_id"]))
    for feature in taxonomy().of("context", "slot"):
        if feature.catalogue_only or not feature.closed:
            continue
        frame = contexts.contexts if feature.scope == "context" else contexts.slots
        for value, flags in values_of(frame, feature):
            if feature.scope == "slot":
                has = np.zeros(len(order), dtype=bool)
                has[row[flags]] = True
                flags = has
            names.append(f"{feature.scope}.{feature.name} = {value}")
            columns.append(flags)
    return names, np.stack(columns, axis=1)


def _wanted(offered: Flags, chosen: Flags) -> NDArray[np.int64]:
    """How often each value (diagonal) and pair (above it) that sentences have is still lacking.

    Both matrices are contexts × labels: the sentences that may be chosen and the contexts that are.
    """
    counts = offered.astype(np.int64).T @ offered
    have = chosen.astype(np.int64).T @ chosen
    target = np.minimum(counts, 1)
    np.fill_diagonal(target, np.minimum(np.diag(counts), LEAST))
    return np.triu(np.maximum(target - have, 0))


def cover(found: Candidates, chosen: Contexts, among: Sequence[str]) -> list[str]:
    """Some of the candidates, those first that have most of what the chosen contexts lack."""
    _, matrix = _labels(found.contexts)
    place = {source_id: row for row, source_id in enumerate(found.entries)}
    rows = sorted(among, key=lambda i: (len(found.entries[i].template), i))
    wanted = _wanted(matrix, _labels(chosen)[1])
    order, _ = greedy(matrix[[place[i] for i in rows]], wanted)
    return [rows[k] for k in order]


def lacking(found: Candidates, chosen: Contexts) -> Iterator[str]:
    """What the chosen contexts lack: a value or pair a line, how often it is wanted and how often offered."""
    names, matrix = _labels(found.contexts)
    taken = set(chosen.contexts["context_id"])
    free = matrix[[entry.id not in taken for entry in found.entries.values()]]
    wanted = _wanted(matrix, _labels(chosen)[1])
    offers = []
    for a, b in zip(*(x.tolist() for x in np.nonzero(wanted)), strict=True):
        pair = names[a] if a == b else f"{names[a]} and {names[b]}"
        offered = int((free[:, a] & free[:, b]).sum())
        offers.append((a != b, f"{pair}\t{wanted[a, b]}\toffered: {offered}"))
    yield from (line for _, line in sorted(offers))
