"""NCBI's gene_info: symbols, synonyms, names and designations of genes of all organisms."""

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
    """Read ``gene_info`` or one of its extracts (``Homo_sapiens.gene_info.gz``).

    Parameters
    ----------
    taxa : collection of str
        NCBI taxonomy identifiers (``9606``); records of others are dropped, and counted. All when empty.

    Notes
    -----
    A hyphen stands for nothing. The authority's symbol and full name repeat the record's own for most genes;
    repetitions are dropped, and counted. ``NEWENTRY`` is a placeholder, no symbol. Species are known by the
    taxonomy identifier, as far as organisms.tsv has it, and kinds by ``type_of_gene``. Source:
    ftp.ncbi.nlm.nih.gov/gene/DATA/README.
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
            collector.account.count_dropped("record", "a placeholder (NEWENTRY)", line)
            continue
        collector.add_forms(row, columns, line, row[identifier])
    return collector
