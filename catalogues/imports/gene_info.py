"""NCBI's gene_info: symbols, synonyms, names and designations of genes of all organisms."""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike

from ..organisms import of_taxon
from .lines import columns_of, read_rows
from .reading import Collector

FIELDS = (
    ("Symbol", "symbol", "symbol", False),
    ("Symbol_from_nomenclature_authority", "symbol", "symbol", False),
    ("description", "name", "name", False),
    ("Full_name_from_nomenclature_authority", "name", "name", False),
    ("Synonyms", "alias_symbol", "symbol", True),
    ("Other_designations", "alias_name", "name", True),
    ("LocusTag", "other", "symbol", False),
)
_RNAS = frozenset(("miscRNA", "ncRNA", "rRNA", "scRNA", "snRNA", "snoRNA", "tRNA"))
_NOTHING = ("-", "")


def read_gene_info(
    path: str | PathLike[str], authority: str | None = None, taxa: Collection[str] = ()
) -> Collector:
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
    collector = Collector(authority or "NCBI Gene")
    rows = read_rows(path, "\t", quoted=False)
    _, header = next(rows, (1, [""]))
    header = [name.removeprefix("#") for name in header]
    places = columns_of(header, ("tax_id", "GeneID", "Symbol", "Synonyms", "description"), path)
    wanted = [(places[c], f, sort, many) for c, f, sort, many in FIELDS if c in places]
    taxon, identifier, symbol = places["tax_id"], places["GeneID"], places["Symbol"]
    sort = places.get("type_of_gene")
    for line, row in rows:
        collector.record(
            kind="RNA" if sort is not None and row[sort] in _RNAS else None,
            species=of_taxon(row[taxon]),
            canonical_form=row[symbol],
        )
        if taxa and row[taxon] not in taxa:
            collector.account.drop("record", "another organism", line)
            continue
        if row[symbol] == "NEWENTRY":
            collector.account.drop("record", "a placeholder (NEWENTRY)", line)
            continue
        for place, source_field, kind_of_form, many in wanted:
            for form in row[place].split("|") if many else (row[place],):
                if form not in _NOTHING:
                    collector.entity(
                        form, source_field, line, name_vs_symbol=kind_of_form, source_id=row[identifier]
                    )
    return collector
