"""Candidates for a reader: as lines, and in an order in which what is lacking comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...catalogues.core.text import Flags, Ints
from ...catalogues.curation.cover import greedy
from ...catalogues.curation.values import LEAST, Values
from ..contexts import Contexts, closed_values
from .sources import Candidates


def lines(found: Candidates, ids: Sequence[str]) -> Iterator[str]:
    """Id, the sentence, and what the corpus has in the slots, parted by tabs."""
    for source_id in ids:
        names = " | ".join(found.names.get(source_id, ()))
        yield "\t".join((source_id, found.entries[source_id].template, names))


def _values(contexts: Contexts) -> Values:
    """Every value of every closed context and slot feature, and which contexts have it."""
    labels: list[tuple[str, str]] = []
    columns: list[Flags] = []
    for feature, value, has in closed_values(contexts):
        labels.append((f"{feature.scope}.{feature.name}", value))
        columns.append(has)
    return Values(tuple(labels), np.stack(columns, axis=1))


def _wanted(offered: Values, chosen: Values) -> Ints:
    """How often each value (diagonal) and pair (above it) that offered sentences have is still lacking."""
    target = np.minimum(offered.pairs, 1)
    np.fill_diagonal(target, np.minimum(np.diag(offered.pairs), LEAST))
    return np.triu(np.maximum(target - chosen.pairs, 0))


def cover(found: Candidates, chosen: Contexts, among: Sequence[str]) -> list[str]:
    """Some of the candidates, those first that have most of what the chosen contexts lack."""
    offered = _values(found.contexts)
    place = {source_id: row for row, source_id in enumerate(found.entries)}
    rows = sorted(among, key=lambda i: (len(found.entries[i].template), i))
    order, _ = greedy(offered.matrix[[place[i] for i in rows]], _wanted(offered, _values(chosen)))
    return [rows[k] for k in order]


def lacking(found: Candidates, chosen: Contexts, invented: Contexts) -> Iterator[str]:
    """What the chosen contexts lack: a value or pair a line, how often it is wanted, offered and invented."""
    offered, own = _values(found.contexts), _values(invented).pairs
    names = [f"{feature} = {value}" for feature, value in offered.labels]
    taken = set(chosen.contexts["context_id"])
    free = Values(offered.labels, offered.matrix[[e.id not in taken for e in found.entries.values()]]).pairs
    wanted = _wanted(offered, _values(chosen))
    offers = []
    for a, b in zip(*(x.tolist() for x in np.nonzero(wanted)), strict=True):
        pair = names[a] if a == b else f"{names[a]} and {names[b]}"
        offers.append((a != b, f"{pair}\t{wanted[a, b]}\toffered: {free[a, b]}\tinvented: {own[a, b]}"))
    yield from (line for _, line in sorted(offers))
