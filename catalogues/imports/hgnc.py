"""Import of the HGNC complete set: approved, alias and previous symbols and names of human genes."""

from __future__ import annotations

from os import PathLike

from .collector import EntityCollector, FormColumn
from .lines import read_table

FORM_COLUMNS = (
    FormColumn("symbol", "symbol", "symbol"),
    FormColumn("name", "name", "name"),
    FormColumn("alias_symbol", "alias_symbol", "symbol", has_several=True),
    FormColumn("alias_name", "alias_name", "name", has_several=True),
    FormColumn("prev_symbol", "previous_symbol", "symbol", has_several=True),
    FormColumn("prev_name", "previous_name", "name", has_several=True),
)
_NON_GENES = frozenset(("fragile site", "virus integration site"))


def classify_locus(locus_group: str, locus_type: str, name: str) -> str:
    """Return the kind of a locus: gene, RNA, family (a cluster of genes) or other (a site without a gene).

    >>> classify_locus("protein-coding gene", "gene with protein product", "tumor protein p53")
    'gene'
    >>> classify_locus("non-coding RNA", "RNA, micro", "microRNA 21")
    'RNA'
    """
    if locus_type == "RNA, cluster" or (locus_type == "region" and "cluster" in name):
        return "family"
    if locus_type in _NON_GENES:
        return "other"
    return "RNA" if locus_group == "non-coding RNA" else "gene"


def read_hgnc(path: str | PathLike[str], authority: str | None = None) -> EntityCollector:
    """Read the tab-separated HGNC complete set from genenames.org, gzipped or not.

    Each value in the six columns of symbols and names becomes an entity with the HGNC identifier of the gene.
    The kind is derived from the locus group and type, if the table has these columns. The species is human,
    and the approved symbol is the canonical form.

    References
    ----------
    www.genenames.org/download/statistics-and-files
    """
    collector = EntityCollector(authority or "HGNC")
    places, rows = read_table(path, ("hgnc_id", *(column.name for column in FORM_COLUMNS)), quoted=True)
    columns = [(places[column.name], column) for column in FORM_COLUMNS]
    identifier, symbol, name = places["hgnc_id"], places["symbol"], places["name"]
    group, locus = places.get("locus_group"), places.get("locus_type")
    for line, row in rows:
        kind = (
            classify_locus(row[group], row[locus], row[name])
            if group is not None and locus is not None
            else None
        )
        collector.begin_record(kind=kind, species="human", canonical_form=row[symbol])
        collector.add_forms(row, columns, line, row[identifier])
    return collector
