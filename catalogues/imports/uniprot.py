"""Import of tab-separated exports from UniProtKB: protein names and gene names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike

from ..core.errors import InputError
from ..organisms import find_by_scientific_name, find_by_taxon
from .collector import EntityCollector
from .lines import read_table

_GENES = (
    ("Gene Names (primary)", "symbol"),
    ("Gene Names (synonym)", "alias_symbol"),
    ("Gene Names (ordered locus)", "other"),
    ("Gene Names (ORF)", "other"),
    ("Gene Names", "alias_symbol"),
)
_PROTEINS = "Protein names"
_OLD_HEADERS = {"Gene names": "Gene Names", "Entry name": "Entry Name"}
_SECTION = re.compile(r" ?\[(?:Cleaved into|Includes): ")
_EC = re.compile(r"EC [\d.n-]+")
_FRAGMENT = frozenset({"Fragment", "Fragments"})


def read_uniprot(path: str | PathLike[str], authority: str | None = None) -> EntityCollector:
    """Read a tab-separated export of UniProtKB with the column Entry and a column of protein or gene names.

    The column Protein names has the recommended name, other names in parentheses, and chains and domains in
    square brackets. Each of these names becomes an entity of the kind protein. The rule of `name_vs_symbol`
    decides whether a name in parentheses is a name or a symbol. EC numbers and ``(Fragment)`` are dropped.

    A form in several gene columns is read from the first of them. If there is only one gene column, its
    first form is the symbol. The species comes from the columns Organism and Organism (ID), if they exist.

    References
    ----------
    www.uniprot.org/help/return_fields
    """
    collector = EntityCollector(authority or "UniProtKB")
    places, rows = read_table(
        path, ("Entry",), quoted=False, rename_header=lambda name: _OLD_HEADERS.get(name, name)
    )
    genes = [(places[column], source_field) for column, source_field in _GENES if column in places]
    proteins = places.get(_PROTEINS)
    if proteins is None and not genes:
        raise InputError(
            "the table has no column of protein or gene names",
            file=path,
            line=1,
            found=", ".join(places),
            allowed=", ".join([_PROTEINS, *(c for c, _ in _GENES)]),
        )
    entry = places["Entry"]
    for line, row in rows:
        names = [] if proteins is None else list(_split_protein_names(row[proteins]))
        official = names[0][0] if names else None
        collector.begin_record(species=_species(row, places), canonical_form=official)
        if names:
            for form, source_field in names:
                if source_field == "alias_name" and (_EC.fullmatch(form) or form in _FRAGMENT):
                    collector.account.count_dropped(source_field, "EC number or (Fragment), not a name", line)
                else:
                    sort = "name" if source_field == "name" else None
                    collector.add_entity(
                        form, source_field, line, name_vs_symbol=sort, source_id=row[entry], kind="protein"
                    )
        seen: set[str] = set()
        for place, source_field in genes:
            for number, form in enumerate(filter(None, re.split(r"[ ;]+", row[place]))):
                if form not in seen:
                    # if Gene Names is the only gene column, it begins with the primary name
                    field = "symbol" if len(genes) == 1 and number == 0 else source_field
                    collector.add_entity(form, field, line, name_vs_symbol="symbol", source_id=row[entry])
                else:
                    collector.account.count_dropped(
                        source_field, "duplicate of another gene column in the same record", line
                    )
                seen.add(form)
    return collector


def _species(row: list[str], places: dict[str, int]) -> str | None:
    """Return the species of a record, found by taxonomy identifier or else by scientific name."""
    by_taxon = find_by_taxon(row[places["Organism (ID)"]]) if "Organism (ID)" in places else None
    return by_taxon or (find_by_scientific_name(row[places["Organism"]]) if "Organism" in places else None)


def _split_protein_names(value: str) -> Iterator[tuple[str, str]]:
    """Yield each name in a value of the column Protein names, with its source field."""
    first, *sections = _SECTION.split(value)
    source_field = "name"
    for part in (first, *(piece for s in sections for piece in s.rstrip().removesuffix("]").split("; "))):
        name, others = split_parentheses(part)
        yield name, source_field
        for other in others:
            yield other, "alias_name"
        source_field = "alias_name"


def split_parentheses(text: str) -> tuple[str, list[str]]:
    """Split ``name (other) (another)`` into the name and a list of the others; parentheses may be nested.

    >>> split_parentheses("Cellular tumor antigen p53 (Antigen NY-CO-13) (p53 (long))")
    ('Cellular tumor antigen p53', ['Antigen NY-CO-13', 'p53 (long)'])
    >>> split_parentheses("NAD(P)H dehydrogenase")
    ('NAD(P)H dehydrogenase', [])
    """
    rest = text.strip()
    others: list[str] = []
    while rest.endswith(")"):
        depth = 0
        for place in range(len(rest) - 1, -1, -1):
            depth += (rest[place] == ")") - (rest[place] == "(")
            if depth == 0:
                break
        # a parenthesis that is unbalanced or has no space before it is part of the name
        if depth or place < 2 or rest[place - 1] != " ":
            break
        others.append(rest[place + 1 : -1])
        rest = rest[:place].rstrip()
    return rest, others[::-1]
