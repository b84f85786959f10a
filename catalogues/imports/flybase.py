"""Import of FlyBase files: annotation identifiers (fbgn_annotation_ID) or synonyms (fb_synonym)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike

from ..core.errors import InputError
from ..organisms import find_by_abbreviation
from .collector import EntityCollector, FormColumn
from .lines import read_lines, read_table

_ORGANISM = "organism_abbreviation"
_FLY = "fly"
_NON_CODING = re.compile(r"CR\d")
_ANNOTATION = ("##gene_symbol", "primary_FBgn#", "annotation_ID")
_SYNONYMS = (
    "##primary_FBid",
    "current_symbol",
    "current_fullname",
    "fullname_synonym(s)",
    "symbol_synonym(s)",
)
_FORM_COLUMNS = (
    FormColumn("current_symbol", "symbol", "symbol"),
    FormColumn("current_fullname", "name", "name"),
    FormColumn("symbol_synonym(s)", "alias_symbol", "symbol", has_several=True),
    FormColumn("fullname_synonym(s)", "alias_name", "name", has_several=True),
)


def read_flybase(path: str | PathLike[str], authority: str | None = None) -> EntityCollector:
    """Read a file ``fbgn_annotation_ID*.tsv`` or ``fb_synonym_fb_*.tsv``, recognised by its header.

    From the first file, symbols and annotation identifiers (field ``other``) are read as entities. From the
    second file, current and former symbols and full names of genes are read. The current symbol is the
    canonical form. An annotation identifier that begins with CR indicates an RNA gene. The species is taken
    from the column with the organism's abbreviation; if the file has no such column, the species is fly.

    References
    ----------
    FlyBase, Downloads overview.
    """
    collector = EntityCollector(authority or "FlyBase")
    skip, first = _find_header(path)
    needed, read = (
        (_ANNOTATION, _collect_annotations) if first == _ANNOTATION[0] else (_SYNONYMS, _collect_synonyms)
    )
    places, rows = read_table(path, needed, quoted=False, skip=skip)
    read(collector, rows, places)
    return collector


def _find_header(path: str | PathLike[str]) -> tuple[int, str]:
    """Return the number of lines before the header, and the name of its first column."""
    first_line = ""
    for number, line in read_lines(path):
        first = line.partition("\t")[0]
        if first in (_ANNOTATION[0], _SYNONYMS[0]):
            return number - 1, first
        first_line = first_line or line
        if line and not line.startswith("#"):
            break
    raise InputError(
        "the file has no FlyBase header with tab-separated column names",
        file=path,
        line=1,
        found=first_line,
        allowed=f"{', '.join(_ANNOTATION)} or {', '.join(_SYNONYMS)}",
    )


def _collect_annotations(
    collector: EntityCollector, rows: Iterator[tuple[int, list[str]]], places: dict[str, int]
) -> None:
    symbol, identifier, annotation = (places[name] for name in _ANNOTATION)
    organism = places.get(_ORGANISM)
    for line, row in rows:
        kind = "RNA" if _NON_CODING.match(row[annotation]) else None
        species = _FLY if organism is None else find_by_abbreviation(row[organism])
        collector.begin_record(kind=kind, species=species, canonical_form=row[symbol])
        collector.add_entity(row[symbol], "symbol", line, name_vs_symbol="symbol", source_id=row[identifier])
        if row[annotation] == row[symbol]:
            collector.account.count_dropped("other", "annotation identifier equals the symbol", line)
            continue
        collector.add_entity(
            row[annotation], "other", line, name_vs_symbol="symbol", source_id=row[identifier]
        )


def _collect_synonyms(
    collector: EntityCollector, rows: Iterator[tuple[int, list[str]]], places: dict[str, int]
) -> None:
    identifier, symbol = places[_SYNONYMS[0]], places["current_symbol"]
    columns = [(places[column.name], column) for column in _FORM_COLUMNS]
    organism = places.get(_ORGANISM)
    for line, row in rows:
        species = _FLY if organism is None else find_by_abbreviation(row[organism])
        collector.begin_record(species=species, canonical_form=row[symbol])
        if not row[identifier].startswith("FBgn"):
            collector.account.count_dropped("record", "not a gene (identifier without FBgn)", line)
            continue
        collector.add_forms(row, columns, line, row[identifier])
