"""What the bundled entities cover, as a page: each closed value with its counts, and why some are rare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..entities import DEFAULT_CHOICE
from ..query import Query
from .values import LEAST, Values, shortages, values

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import NDArray


def usual(entities: pd.DataFrame) -> pd.DataFrame:
    """The entities of the default choice."""
    return entities[Query.parse(DEFAULT_CHOICE, ("entity",)).evaluate(entities)]


def missing_pairs(
    required: NDArray[np.bool_], covered: Values
) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Pairs of values that occur in the sources and not here."""
    places = np.argwhere(required & covered.across & (covered.pairs == 0))
    return [(covered.labels[i], covered.labels[j]) for i, j in places]


def page(entities: pd.DataFrame, sources: Mapping[str, Values]) -> str:
    """The page docs/catalogue-coverage.md.

    Parameters
    ----------
    entities : DataFrame
        The bundled entities.
    sources : mapping of str to Values
        Of what they were chosen from, by the column's heading.
    """
    everything, covered = values(entities), values(usual(entities))
    corpus = sources["BC2GM"]
    across = covered.across
    pairs = int(((corpus.pairs > 0) & across).sum())
    missing = len(missing_pairs(corpus.pairs > 0, covered))
    often = int(((corpus.pairs >= LEAST) & across).sum())
    missing_often = missing_pairs(corpus.pairs >= LEAST, covered)
    rare = shortages(__package__)
    lines = [
        "# What the bundled entities cover",
        "",
        "Made by `python -m tagsuite.catalogues.curation build`; [importing](importing.md) says how the "
        "entities",
        "were chosen. A closed value is a truth of a Boolean feature, a legal value of a category or set, or",
        "a bin of a number. An entity counts for every element of a set. The default choice",
        f"(`{DEFAULT_CHOICE}`) is what suites draw from; compounds are bundled for who asks for them.",
        "",
        f"- entities: {len(everything.matrix)}, of which {len(covered.matrix)} are of the default choice",
        f"- closed values: {len(covered.labels)}, of which {len(rare)} have fewer than {LEAST} entities "
        "there",
        f"- pairs of values of two features that occur in BC2GM: {pairs}; of these occur here: "
        f"{pairs - missing}",
        f"- pairs that {LEAST} forms of BC2GM have at least: {often}; of these occur here: "
        f"{often - len(missing_often)}",
        "",
        "Not every pair of the nomenclatures is wanted: many occur only in what nobody writes in a sentence",
        "(several names in one field, record numbers, names with their symbol, inverted and "
        "descriptive names).",
        "",
        "## Values with too few entities, and why",
        "",
        "| feature | value | entities | why |",
        "| --- | --- | ---: | --- |",
    ]
    counts, whole = np.diag(covered.pairs), np.diag(everything.pairs)
    place = {label: i for i, label in enumerate(covered.labels)}
    lines += [f"| {f} | {v} | {counts[place[f, v]]} | {reason} |" for (f, v), reason in rare.items()]
    if missing_often:
        lines += ["", f"## Pairs that {LEAST} forms of BC2GM have, and none here", ""]
        lines += ["| one | other |", "| --- | --- |"]
        lines += [f"| {a[0]} = {a[1]} | {b[0]} = {b[1]} |" for a, b in missing_often]
    heads = ["default", "all", *sources]
    lines += ["", "## All values", "", "| feature | value | " + " | ".join(heads) + " |"]
    lines.append("| --- | --- |" + " ---: |" * len(heads))
    columns = [counts, whole, *(np.diag(s.pairs) for s in sources.values())]
    for i, (feature, value) in enumerate(covered.labels):
        lines.append(f"| {feature} | {value} | " + " | ".join(str(int(c[i])) for c in columns) + " |")
    return "\n".join(lines) + "\n"
