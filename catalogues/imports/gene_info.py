"""Import of NCBI gene_info: symbols, synonyms, names and designations of genes of all organisms."""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike

from ..organisms import find_by_taxon
from .collector import EntityCollector, FormColumn
from .lines import read_table

FORM_COLUMNS = (
    FormColumn("Symbol", "symbol", "symbol"),
    FormColumn("Symbol_from_nomenclature_authority", "symbol", "symbol"),
    FormColumn("description", "name", "name"),
    FormColumn("Full_name_from_nomenclature_authority", "name", "name"),
    FormColumn("Synonyms", "alias_symbol", "symbol", has_several=True),
    FormColumn("Other_designations", "alias_name", "name", has_several=True),
    FormColumn("LocusTag", "other", "symbol"),
)
_RNAS = frozenset(("miscRNA", "ncRNA", "rRNA", "scRNA", "snRNA", "snoRNA", "tRNA"))


def read_gene_info(
    path: str | PathLike[str], authority: str | None = None, taxa: Collection[str] = ()
) -> EntityCollector:
    """Read the file ``gene_info`` or an extract such as ``Homo_sapiens.gene_info.gz``.

    Parameters
    ----------
    path : path
        Path of the file, which may be gzipped.
    authority : str, optional
        Value of `source_authority`; "NCBI Gene" if None.
    taxa : collection of str
        NCBI taxonomy identifiers of the organisms to read, such as ``9606``; if empty, all are read.

    Notes
    -----
    A hyphen means that a field is empty. Records with the placeholder ``NEWENTRY`` are dropped. The species
    is found by taxonomy identifier in organisms.tsv. The kind is derived from ``type_of_gene``.

    References
    ----------
    ftp.ncbi.nlm.nih.gov/gene/DATA/README
    """
    collector = EntityCollector(authority or "NCBI Gene", nothing="-")
    needed = ("tax_id", "GeneID", "Symbol", "Synonyms", "description")
    places, rows = read_table(path, needed, quoted=False, rename_header=lambda name: name.removeprefix("#"))
    columns = [(places[column.name], column) for column in FORM_COLUMNS if column.name in places]
    taxon, identifier, symbol = places["tax_id"], places["GeneID"], places["Symbol"]
    sort = places.get("type_of_gene")
    for line, row in rows:
        collector.begin_record(
            kind="RNA" if sort is not None and row[sort] in _RNAS else None,
            species=find_by_taxon(row[taxon]),
            canonical_form=row[symbol],
        )
        if taxa and row[taxon] not in taxa:
            collector.account.count_dropped("record", "another organism", line)
            continue
        if row[symbol] == "NEWENTRY":
            collector.account.count_dropped("record", "placeholder (NEWENTRY)", line)
            continue
        collector.add_forms(row, columns, line, row[identifier])
    return collector
