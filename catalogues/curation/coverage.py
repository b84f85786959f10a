"""What the bundled entities cover, as a page: each closed value with its counts, and why some are rare."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from .values import Values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

LEAST = 20
"""Each value has at least so many entities, or a reason why not."""


def shortages() -> dict[tuple[str, str], str]:
    """The reasons for values that are rarer than `LEAST`, by feature and value."""
    text = resources.files(__package__).joinpath("shortages.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return {(feature, value): reason for feature, value, reason in rows}


def missing_pairs(
    required: NDArray[np.bool_], covered: Values
) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Pairs of values that occur in the sources and not here."""
    places = np.argwhere(required & covered.across & (covered.pairs == 0))
    return [(covered.labels[i], covered.labels[j]) for i, j in places]


def page(covered: Values, sources: Mapping[str, Values], required: NDArray[np.bool_]) -> str:
    """The page docs/catalogue-coverage.md.

    Parameters
    ----------
    covered : Values
        Of the bundled entities.
    sources : mapping of str to Values
        Of what they were chosen from, by the column's heading.
    required : ndarray of bool
        Pairs that occur in the sources.
    """
    pairs = int((required & covered.across).sum())
    missing = missing_pairs(required, covered)
    rare = shortages()
    lines = [
        "# What the bundled entities cover",
        "",
        "Made by `python -m tagsuite.catalogues.curation`; [importing](importing.md) says how the entities",
        "were chosen. A closed value is a truth of a Boolean feature, a legal value of a category or set, or",
        "a bin of a number. An entity counts for every element of a set.",
        "",
        f"- entities: {len(covered.matrix)}",
        f"- closed values: {len(covered.labels)}, of which {len(rare)} have fewer than {LEAST} entities",
        f"- pairs of values of two features that occur in the sources: {pairs}; "
        f"of these occur here: {pairs - len(missing)}",
        "",
        "## Values with too few entities, and why",
        "",
        "| feature | value | entities | why |",
        "| --- | --- | ---: | --- |",
    ]
    counts = np.diag(covered.pairs)
    place = {label: i for i, label in enumerate(covered.labels)}
    lines += [f"| {f} | {v} | {counts[place[f, v]]} | {reason} |" for (f, v), reason in rare.items()]
    if missing:
        lines += [
            "",
            "## Pairs that occur in the sources and not here",
            "",
            "| one | other |",
            "| --- | --- |",
        ]
        lines += [f"| {a[0]} = {a[1]} | {b[0]} = {b[1]} |" for a, b in missing]
    heads = ["here", *sources]
    lines += ["", "## All values", "", "| feature | value | " + " | ".join(heads) + " |"]
    lines.append("| --- | --- |" + " ---: |" * len(heads))
    columns = [counts, *(np.diag(s.pairs) for s in sources.values())]
    for i, (feature, value) in enumerate(covered.labels):
        lines.append(f"| {feature} | {value} | " + " | ".join(str(int(c[i])) for c in columns) + " |")
    return "\n".join(lines) + "\n"
