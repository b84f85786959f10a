"""The bundled files of entities: names that were chosen, completed with what their sources state."""

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
# the notes keep the name that this program had in 0.1: old recipes state a digest of what is written
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
"""What a nomenclature states about all forms of a record."""
_SENTENCE = re.compile(r"P(\d{8})[A-Z]\d+[a-z]?")

Facts = Mapping[str, str]


def make_entities(data: Path, tables: Path = TABLES) -> dict[str, EntityFile]:
    """Return the content of each file, by the file's name.

    Raises
    ------
    InputError
        With the table and its line: a choice that the sources do not have.
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
    """What is known about names: nomenclatures, annotations of the corpus, and the functions of products.

    Attributes
    ----------
    forms : dict of (str, str, str) to mapping
        What a nomenclature states, by record, field and form.
    records : dict of str to mapping
        What it states about the first form of each record.
    annotated_forms : dict of (str, str) to str
        Annotated forms, by sentence and form without white space.
    functions : dict of str to str
        What products do, by form or record.
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

        `own_count` annotations are not counted: those that the name was taken from do not show that it is
        known.
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
        """Return an entry kept by hand with what its record and the corpus state."""
        facts = self.records.get(entry.given.get("source_id", ""), {})
        of_record = drop_empty({name: facts.get(name, "") for name in RECORD_COLUMNS})
        return replace(
            self.make_entry(entry.id, entry.data, {**of_record, **entry.given}), stored=entry.stored
        )


def drop_empty(facts: Facts) -> dict[str, str]:
    """Return the facts that are stated."""
    return {name: value for name, value in facts.items() if value}


def make_chosen_entries(tables: Path, sources: NameSources) -> list[EntityEntry]:
    """Return the entities of chosen.tsv, from nomenclatures, sites and forms made for testing."""
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
            # a form made from one of the record's: whether it is a name or a symbol is left to the rule
            record = sources.records[row["source_id"]]
            facts = {name: value for name, value in record.items() if name != "name_vs_symbol"}
        entries.append(sources.make_entry(row["id"], row["data"], {**facts, **drop_empty(stated)}))
    return entries


def make_attested_entries(tables: Path, sources: NameSources) -> list[EntityEntry]:
    """Return the entities of attested.tsv, names annotated in the corpus."""
    rows = read_rows(tables / "attested.tsv", ("data", "sentence", "kind", "species", "source_field"))
    appositions = read_appositions(tables / "appositions.tsv")
    unknown = sorted(appositions.keys() - {(row["sentence"], row["data"]) for row in rows})
    if unknown:
        raise appositions[unknown[0]].error("no attested name of this sentence", unknown[0][1])
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
    """Read where two attested names stand in apposition, by sentence and each of the names."""
    found: dict[tuple[str, str], Row] = {}
    for row in read_rows(path, ("sentence", "first", "second", "place")):
        first, second, place = row["first"], row["second"], row["place"]
        if not place.startswith(first) or second not in place[len(first) :]:
            raise row.error("the place does not hold both names", place, f"{first} ({second})")
        for name in (first, second):
            if found.setdefault((row["sentence"], name), row) is not row:
                raise row.error("the name occurs twice", name)
    return found


def read_functions(path: Path) -> dict[str, str]:
    """Read what products do, by the record of a nomenclature (HGNC:18) or by a form.

    A form's own row goes before that of its record (a precursor is not secreted as its product is).
    """
    feature = taxonomy().find("entity.function")
    found: dict[str, str] = {}
    for row in read_rows(path, ("key", "functions")):
        functions = row["functions"].split()
        if not set(functions) <= set(feature.closed_values):
            raise row.error("no such function", row["functions"], ", ".join(feature.closed_values))
        if row["key"] in found:
            raise row.error("the record or form occurs twice", row["key"])
        found[row["key"]] = feature.join_values(functions)
    return found
