"""Candidates for a reader: as lines, and in an order in which what is lacking comes first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.curation.cover import greedy
from ...catalogues.taxonomy import taxonomy
from ..contexts import Contexts
from ..contexts_check import values_of
from ..contexts_xml import Entry
from .sources import Candidates

LEAST = 20
"""How many chosen contexts each value should have."""

Flags = NDArray[np.bool_]


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
        for value, flags in values_of(feature, frame[feature.column]):
            if feature.scope == "slot":
                has = np.zeros(len(order), dtype=bool)
                has[row[flags]] = True
                flags = has
            names.append(f"{feature.scope}.{feature.name} = {value}")
            columns.append(flags)
    return names, np.stack(columns, axis=1)


def _wanted(matrix: Flags, taken: Flags) -> NDArray[np.int64]:
    """How often each value (diagonal) and pair (above it) that the candidates have is still lacking.

    `matrix` is contexts × labels, `taken` contexts.
    """
    counts = matrix.astype(np.int64).T @ matrix
    have = matrix[taken].astype(np.int64).T @ matrix[taken]
    target = np.minimum(counts, 1)
    np.fill_diagonal(target, np.minimum(np.diag(counts), LEAST))
    return np.triu(np.maximum(target - have, 0))


def cover(
    contexts: Contexts, entries: Mapping[str, Entry], chosen: Collection[str], among: Sequence[str]
) -> list[str]:
    """Some of the candidates, those first that have most of what is lacking."""
    _, matrix = _labels(contexts)
    place = {source_id: row for row, source_id in enumerate(entries)}
    taken = np.array([source_id in chosen for source_id in entries], dtype=bool)
    rows = sorted(among, key=lambda i: (len(entries[i].template), i))
    found, _ = greedy(matrix[[place[i] for i in rows]], _wanted(matrix, taken))
    return [rows[k] for k in found]


def lacking(contexts: Contexts, entries: Mapping[str, Entry], chosen: Collection[str]) -> str:
    """What the choice lacks: a value or pair a line, with how often it is still wanted."""
    names, matrix = _labels(contexts)
    taken = np.array([source_id in chosen for source_id in entries], dtype=bool)
    wanted = _wanted(matrix, taken)
    told = []
    for a, b in zip(*(x.tolist() for x in np.nonzero(wanted)), strict=True):
        pair = names[a] if a == b else f"{names[a]} and {names[b]}"
        offered = int((matrix[:, a] & matrix[:, b] & ~taken).sum())
        told.append((a != b, f"{pair}\t{wanted[a, b]}\toffered: {offered}"))
    return "".join(f"{line}\n" for _, line in sorted(told))
