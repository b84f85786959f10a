"""The bundled files made from the choice: what was chosen, with the facts of its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..core.errors import InputError
from ..entities import USUAL_KIND
from ..entities_xml import Entry
from ..values import texts_of
from .choices import APPOSITIONS, ATTESTED, CHOSEN, Attested, Choice
from .corpus import Annotations

if TYPE_CHECKING:
    import pandas as pd

CORPUS = "BC2GM"
"""The `source_authority` of attested names: BioCreative II gene mention."""
OF_RECORD = ("kind", "species", "canonical_form")
"""What a database states of all forms of a record."""
_SENTENCE = re.compile(r"P(\d{8})[A-Z]\d+[a-z]?")


@dataclass(frozen=True)
class Sources:
    """What the bundled entities are chosen from.

    Attributes
    ----------
    nomenclatures : DataFrame
        Imported forms of HGNC and FlyBase with all features.
    annotations : Annotations
        Of the corpus's training part.
    functions : mapping of str to str
        What products do, by form or record.
    appositions : mapping of (str, str) to str
        The apposition that an attested name stands in with another, by sentence and form.
    """

    nomenclatures: pd.DataFrame
    annotations: Annotations
    functions: Mapping[str, str] = field(default_factory=dict)
    appositions: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def function(self, form: str, record: str = "") -> str:
        """What the product of a name does: what is said of the form, else of its record, else nothing."""
        return self.functions.get(form, self.functions.get(record, ""))

    def forms(self) -> dict[tuple[str, str, str], Mapping[str, str]]:
        """What is given of each form, by record, field and form."""
        columns = ("source_id", "source_field", "data", "name_vs_symbol", "source_authority", *OF_RECORD)
        rows = zip(*(texts_of(self.nomenclatures, c).tolist() for c in columns), strict=True)
        return {(r[0], r[1], r[2]): dict(zip(columns[3:], r[3:], strict=True)) for r in rows}


def chosen_entries(choices: Sequence[Choice], sources: Sources) -> list[Entry]:
    """The entities of chosen.tsv.

    Raises
    ------
    InputError
        With the line of the choice: a form that its record does not have in that field.
    """
    forms = sources.forms()
    records = {key[0]: facts for key, facts in reversed(forms.items())}
    entries = []
    for choice in choices:
        stated = {
            name: getattr(choice, name)
            for name in ("source_authority", "source_id", "source_type", "source_field", "kind", "species")
        }
        stated["original_form_in_source"] = choice.original_form_in_source or choice.data
        facts: Mapping[str, str] = {}
        if choice.source_type == "database":
            found = forms.get((choice.source_id, choice.source_field, choice.data))
            if found is None:
                raise InputError(
                    "the record has no such form",
                    file=CHOSEN,
                    line=choice.line,
                    found=choice.data,
                    allowed=f"a {choice.source_field} of {choice.source_id}",
                )
            facts = found
        elif choice.source_id in records:
            # a form made of a record's: name or symbol is left to the rule
            facts = {k: v for k, v in records[choice.source_id].items() if k != "name_vs_symbol"}
        stated["function"] = sources.function(choice.data, choice.source_id)
        entries.append(_entry(choice.id, choice.data, {**facts, **_present(stated)}, sources.annotations))
    return entries


def attested_entries(names: Sequence[Attested], sources: Sources) -> list[Entry]:
    """The entities of attested.tsv.

    Raises
    ------
    InputError
        With the line: a form that is not annotated in its sentence, or a sentence whose identifier holds no
        PubMed identifier. Without a line: an apposition of a name that is not taken from that sentence.
    """
    known = {(name.sentence, name.data) for name in names}
    for sentence, form in sources.appositions:
        if (sentence, form) not in known:
            raise InputError(
                "no attested name of this sentence", file=APPOSITIONS, found=f"{sentence} {form}"
            )
    entries = []
    for number, name in enumerate(names, 1):
        original = sources.annotations.original(name.sentence, name.data)
        match = _SENTENCE.fullmatch(name.sentence)
        if original is None or match is None:
            raise InputError("not annotated in this sentence", file=ATTESTED, line=name.line, found=name.data)
        stated = {
            "kind": name.kind,
            "species": name.species,
            "function": sources.function(name.data),
            "source_authority": CORPUS,
            "source_id": name.sentence,
            "source_type": "literature",
            "source_field": name.found,
            "original_form_in_source": sources.appositions.get((name.sentence, name.data), original),
            "pmid": str(int(match[1])),
        }
        entries.append(_entry(f"a{number:04d}", name.data, _present(stated), sources.annotations, own=1))
    return entries


def completed(entries: Iterable[Entry], sources: Sources) -> list[Entry]:
    """Entries kept by hand, completed from their records and the corpus."""
    records = {key[0]: facts for key, facts in reversed(sources.forms().items())}
    found = []
    for entry in entries:
        facts = records.get(entry.given.get("source_id", ""), {})
        of_record = {name: facts[name] for name in OF_RECORD if facts.get(name)}
        of_record |= _present({"function": sources.function(entry.data, entry.given.get("source_id", ""))})
        # what the corpus and the table of functions state is taken anew
        own = {k: v for k, v in entry.given.items() if k not in ("corpus_frequency", "function")}
        whole = _entry(entry.id, entry.data, {**of_record, **own}, sources.annotations)
        found.append(replace(whole, stored=entry.stored))
    return found


def _present(stated: Mapping[str, str]) -> dict[str, str]:
    return {k: v for k, v in stated.items() if v}


def _entry(
    identity: str, data: str, given: Mapping[str, str], annotations: Annotations, own: int = 0
) -> Entry:
    # how often others have it: what a name was taken from is no sign that it is known
    frequency = str(annotations.frequency(data) - own)
    return Entry(identity, data, _present({"kind": USUAL_KIND, **given, "corpus_frequency": frequency}))
