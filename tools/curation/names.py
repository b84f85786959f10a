"""Bundled entities made from selected names, completed with data from their sources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tagsuite.catalogues.core.files import read_text
from tagsuite.catalogues.core.text import remove_white_space
from tagsuite.catalogues.entities import DEFAULT_KIND
from tagsuite.catalogues.entities_xml import EntityEntry, EntityFile, read_entity_file
from tagsuite.catalogues.imports.registry import import_entities
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.catalogues.values import column_texts

from .tables import Row, read_rows

TABLES = Path(__file__).with_name("names")
MANUAL_FILE = Path(__file__).parents[2] / "catalogues" / "entities.xml"
LICENCE = "HGNC: CC0; FlyBase: CC BY 4.0; forms on sites and made forms: facts of language"
CORPUS_LICENCE = "BioCreative II gene mention: U.S. National Library of Medicine, public domain"
# the notes have the name that this program had in 0.1: recipes contain a checksum of the files
NOTE = (
    "Made of curation/chosen.tsv by python -m tagsuite.catalogues.curation; change that file, not this one."
)
CORPUS_NOTE = (
    "Names annotated in the training part; made of curation/attested.tsv by python -m "
    "tagsuite.catalogues.curation; change that file, not this one."
)
SOURCE_COLUMNS = ("source_type", "source_authority", "source_id", "source_field")
CHOSEN_COLUMNS = ("id", "data", *SOURCE_COLUMNS, "original", "kind", "species")
RECORD_COLUMNS = ("kind", "species", "canonical_form")
"""Columns of a nomenclature with values for all forms of a record."""
_SENTENCE = re.compile(r"P(\d{8})[A-Z]\d+[a-z]?")

Facts = Mapping[str, str]


def make_entities(data: Path, tables: Path = TABLES) -> dict[str, EntityFile]:
    """Return the content of each bundled file of entities, by file name.

    Raises
    ------
    InputError
        When the sources do not contain a selected name; with the table and line.
    """
    sources = NameSources(data, tables)
    by_hand = read_entity_file(MANUAL_FILE)
    completed = tuple(sources.complete_entry(entry) for entry in by_hand.entries)
    return {
        "entities.xml": replace(by_hand, entries=completed),
        "entities_chosen.xml": EntityFile(tuple(make_chosen_entries(tables, sources)), LICENCE, NOTE),
        "entities_attested.xml": EntityFile(
            tuple(make_attested_entries(tables, sources)), CORPUS_LICENCE, CORPUS_NOTE
        ),
    }


class NameSources:
    """Data about names from nomenclatures, from corpus annotations, and from the table of functions.

    Attributes
    ----------
    forms : dict of (str, str, str) to mapping
        Data from a nomenclature, by record, field and form.
    records : dict of str to mapping
        Data about the first form of each record.
    annotated_forms : dict of (str, str) to str
        Annotated forms, by sentence and form without white space.
    functions : dict of str to str
        Functions of gene products, by form or record.
    """

    def __init__(self, data: Path, tables: Path = TABLES) -> None:
        (hgnc,) = (data / "hgnc").glob("*.txt.gz")
        files = {"hgnc": hgnc, "flybase": data / "flybase" / "fbgn_annotation_ID.tsv"}
        frame = pd.concat([import_entities(kind, path)[0] for kind, path in files.items()])
        columns = ("source_id", "source_field", "data", "name_vs_symbol", "source_authority", *RECORD_COLUMNS)
        rows = zip(*(column_texts(frame, c).tolist() for c in columns), strict=True)
        self.forms: dict[tuple[str, str, str], Facts] = {
            row[:3]: dict(zip(columns[3:], row[3:], strict=True)) for row in rows
        }
        self.records = {key[0]: facts for key, facts in reversed(self.forms.items())}
        lines = read_text(data / "bc2gm" / "train" / "GENE.eval").splitlines()
        annotations = [(sentence, form) for sentence, _, form in (line.split("|", 2) for line in lines)]
        self.annotated_forms = {(sentence, remove_white_space(form)): form for sentence, form in annotations}
        self.frequencies = Counter(remove_white_space(form) for _, form in annotations)
        self.functions = read_functions(tables / "functions.tsv")

    def make_entry(self, identity: str, data: str, facts: Facts, own_count: int = 0) -> EntityEntry:
        """Return an entry with its function and its frequency in the corpus.

        `own_count` annotations are subtracted from the frequency: those from which the name was taken.
        """
        record = facts.get("source_id", "")
        facts = {
            "kind": DEFAULT_KIND,
            **facts,
            "function": self.functions.get(data, self.functions.get(record, "")),
            "corpus_frequency": str(self.frequencies[remove_white_space(data)] - own_count),
        }
        return EntityEntry(identity, data, drop_empty(facts))

    def complete_entry(self, entry: EntityEntry) -> EntityEntry:
        """Return a manually written entry, completed with data from its record and the corpus."""
        facts = self.records.get(entry.given.get("source_id", ""), {})
        of_record = drop_empty({name: facts.get(name, "") for name in RECORD_COLUMNS})
        return replace(
            self.make_entry(entry.id, entry.data, {**of_record, **entry.given}), stored=entry.stored
        )


def drop_empty(facts: Facts) -> dict[str, str]:
    """Return the facts that are not empty."""
    return {name: value for name, value in facts.items() if value}


def make_chosen_entries(tables: Path, sources: NameSources) -> list[EntityEntry]:
    """Return the entities of chosen.tsv: from nomenclatures, from web sites, and constructed for testing."""
    entries = []
    for row in read_rows(tables / "chosen.tsv", CHOSEN_COLUMNS):
        stated = {name: row[name] for name in (*SOURCE_COLUMNS, "kind", "species")}
        stated["original_form_in_source"] = row["original"] or row["data"]
        facts: Facts = {}
        if row["source_type"] == "database":
            key = (row["source_id"], row["source_field"], row["data"])
            if key not in sources.forms:
                raise row.error("the record has no such form", row["data"], f"a {key[1]} of {key[0]}")
            facts = sources.forms[key]
        elif row["source_id"] in sources.records:
            # a constructed form of a record: the rule decides whether it is a name or a symbol
            record = sources.records[row["source_id"]]
            facts = {name: value for name, value in record.items() if name != "name_vs_symbol"}
        entries.append(sources.make_entry(row["id"], row["data"], {**facts, **drop_empty(stated)}))
    return entries


def make_attested_entries(tables: Path, sources: NameSources) -> list[EntityEntry]:
    """Return the entities of attested.tsv, which are names annotated in the corpus."""
    rows = read_rows(tables / "attested.tsv", ("data", "sentence", "kind", "species", "source_field"))
    appositions = read_appositions(tables / "appositions.tsv")
    unknown = sorted(appositions.keys() - {(row["sentence"], row["data"]) for row in rows})
    if unknown:
        raise appositions[unknown[0]].error("not an attested name of this sentence", unknown[0][1])
    entries = []
    for number, row in enumerate(rows, 1):
        sentence, data = row["sentence"], row["data"]
        original = sources.annotated_forms.get((sentence, remove_white_space(data)))
        match = _SENTENCE.fullmatch(sentence)
        if original is None or match is None:
            raise row.error("not annotated in this sentence", data)
        apposition = appositions.get((sentence, data))
        facts = {
            "source_authority": "BC2GM",
            "source_id": sentence,
            "source_type": "literature",
            "original_form_in_source": original if apposition is None else apposition["place"],
            "pmid": str(int(match[1])),
            **{name: row[name] for name in ("kind", "species", "source_field") if row[name]},
        }
        entries.append(sources.make_entry(f"a{number:04d}", data, facts, own_count=1))
    return entries


def read_appositions(path: Path) -> dict[tuple[str, str], Row]:
    """Return the rows about pairs of names in apposition, by sentence and each of the two names."""
    found: dict[tuple[str, str], Row] = {}
    for row in read_rows(path, ("sentence", "first", "second", "place")):
        first, second, place = row["first"], row["second"], row["place"]
        if not place.startswith(first) or second not in place[len(first) :]:
            raise row.error("the place does not contain both names", place, f"{first} ({second})")
        for name in (first, second):
            if found.setdefault((row["sentence"], name), row) is not row:
                raise row.error("duplicate name", name)
    return found


def read_functions(path: Path) -> dict[str, str]:
    """Return the functions of gene products by key: the record of a nomenclature (HGNC:18) or a form.

    The functions of a form take precedence over those of its record: a precursor may not be secreted although
    the product is.
    """
    feature = taxonomy().find("entity.function")
    found: dict[str, str] = {}
    for row in read_rows(path, ("key", "functions")):
        functions = row["functions"].split()
        if not set(functions) <= set(feature.closed_values):
            raise row.error("unknown function", row["functions"], ", ".join(feature.closed_values))
        if row["key"] in found:
            raise row.error("duplicate record or form", row["key"])
        found[row["key"]] = feature.join_values(functions)
    return found
