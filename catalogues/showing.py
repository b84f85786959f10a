"""One entity with everything that is known about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from .core.errors import InputError
from .core.tables import Rows
from .listing import select
from .taxonomy import taxonomy
from .values import written


def sheet(
    paths: Sequence[str | PathLike[str]], entity_id: str, lists: Mapping[str, frozenset[str]] | None = None
) -> Rows:
    """An entity's features, one a row: `entity_id`, `feature`, `value`, `of` (given or computed).

    Parameters
    ----------
    entity_id : str
        Its id; else a surface form, and all entities that have it are shown.

    Raises
    ------
    InputError
        When there is none.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    table = select(paths, "", None, lists)
    by_id = pc.equal(table["entity_id"].cast(pa.large_string()), entity_id)
    found = table.filter(by_id)
    if not found.num_rows:
        found = table.filter(pc.equal(table["data"].cast(pa.large_string()), entity_id))
    if not found.num_rows:
        raise InputError(
            "no such entity", found=entity_id, allowed="an id or surface form that `catalogue list` prints"
        )
    rows: list[tuple[str, str, str, str]] = []
    known = {f.column: f for f in taxonomy().of("entity")}
    for entity in found.to_pylist():
        for name, value in entity.items():
            text = written(value)
            if name == "entity_id" or not text:
                continue
            feature = known.get(name)
            computed = feature is not None and feature.computed
            rows.append((str(entity["entity_id"]), name, text, "computed" if computed else "given"))
    columns = ("entity_id", "feature", "value", "of")
    return Rows({c: [row[i] for row in rows] for i, c in enumerate(columns)})
