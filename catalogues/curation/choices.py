"""The choice of the bundled entities, as people made it: tables with a line an entity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..core.errors import InputError
from ..core.files import read_text
from ..taxonomy import taxonomy

CHOSEN = Path(__file__).with_name("chosen.tsv")
ATTESTED = Path(__file__).with_name("attested.tsv")
FUNCTIONS = Path(__file__).with_name("functions.tsv")
APPOSITIONS = Path(__file__).with_name("appositions.tsv")


@dataclass(frozen=True)
class Choice:
    """One row of chosen.tsv: what the nomenclatures lack, or have otherwise, stands here."""

    line: int
    id: str
    data: str
    source_type: str
    source_authority: str
    source_id: str
    source_field: str
    original_form_in_source: str
    kind: str
    species: str


@dataclass(frozen=True)
class Attested:
    """One row of attested.tsv: a form and the sentence that it is annotated in.

    `found` is how it came there: ``sampled``, from a random list of all annotations that was read from its
    head; ``chosen`` because it was clean, or rare; ``apposition``, with a partner, from a list of all these.
    """

    line: int
    data: str
    sentence: str
    kind: str
    species: str
    found: str


def _rows(path: Path, columns: int) -> list[tuple[int, list[str]]]:
    found = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line or line.startswith("#\t") or line.startswith("# "):
            continue
        row = line.split("\t")
        if len(row) != columns:
            raise InputError(
                "the row does not fit",
                file=path,
                line=number,
                found=f"{len(row)} fields",
                allowed=f"{columns} fields",
            )
        found.append((number, row))
    if not found:
        raise InputError("the file has no row", file=path, allowed=f"rows of {columns} fields")
    return found


def read_chosen(path: Path = CHOSEN) -> list[Choice]:
    """Read the entities chosen from nomenclatures, sites and made forms."""
    return [Choice(number, *row) for number, row in _rows(path, 9)]


def read_attested(path: Path = ATTESTED) -> list[Attested]:
    """Read the names chosen from a corpus."""
    return [Attested(number, *row) for number, row in _rows(path, 5)]


def read_appositions(path: Path = APPOSITIONS) -> dict[tuple[str, str], str]:
    """Read where two attested names stand in apposition: by sentence and name the place as it is there.

    Raises
    ------
    InputError
        With the line: a place that does not begin with the first name or lacks the second, or a name that
        stands twice.
    """
    found: dict[tuple[str, str], str] = {}
    for number, (sentence, first, second, place) in _rows(path, 4):
        if not place.startswith(first) or second not in place[len(first) :]:
            raise InputError(
                "not a place of both names",
                file=path,
                line=number,
                found=place,
                allowed=f"{first} ({second})",
            )
        for name in (first, second):
            if (sentence, name) in found:
                raise InputError("stands twice", file=path, line=number, found=name)
            found[sentence, name] = place
    return found


def read_functions(path: Path = FUNCTIONS) -> dict[str, str]:
    """Read what products do: by the record of a nomenclature (HGNC:18), or by a form.

    A form's own line goes before its record's (a precursor is not secreted as its product is); where it names
    no function there is none.

    Raises
    ------
    InputError
        With the line: a record or form that stands twice, a function that is none.
    """
    feature = taxonomy().find("entity.function")
    found: dict[str, str] = {}
    for number, (key, functions) in _rows(path, 2):
        wrong = [r for r in functions.split() if r not in feature.closed_values]
        if wrong or key in found:
            raise InputError(
                "no such function" if wrong else "stands twice",
                file=path,
                line=number,
                found=wrong[0] if wrong else key,
                allowed=", ".join(feature.closed_values),
            )
        found[key] = feature.join(functions.split())
    return found
