"""The HGNC complete set: approved, alias and previous symbols and names of human genes."""

from __future__ import annotations

from os import PathLike

from .lines import columns_of, read_rows
from .reading import Collector

# column, source field, name or symbol, whether several stand in one field
FIELDS = (
    ("symbol", "symbol", "symbol", False),
    ("name", "name", "name", False),
    ("alias_symbol", "alias_symbol", "symbol", True),
    ("alias_name", "alias_name", "name", True),
    ("prev_symbol", "previous_symbol", "symbol", True),
    ("prev_name", "previous_name", "name", True),
)


def read_hgnc(path: str | PathLike[str], authority: str | None = None) -> Collector:
    """Read the tab-separated complete set as genenames.org gives it, gzipped or not.

    Every value of the six symbol and name columns becomes an entity with the gene's HGNC identifier; aliases
    and previous forms are separated by ``|``. Source: www.genenames.org/download/statistics-and-files.
    """
    collector = Collector(authority or "HGNC")
    rows = read_rows(path, "\t", quoted=True)
    _, header = next(rows, (1, [""]))
    places = columns_of(header, ("hgnc_id", *(f[0] for f in FIELDS)), path)
    wanted = [(places[column], source_field, sort, many) for column, source_field, sort, many in FIELDS]
    identifier = places["hgnc_id"]
    for line, row in rows:
        collector.record()
        for place, source_field, sort, many in wanted:
            for form in row[place].split("|") if many else (row[place],):
                collector.entity(form, source_field, line, name_vs_symbol=sort, source_id=row[identifier])
    return collector
