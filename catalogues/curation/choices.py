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
    """One row of attested.tsv: a form and the sentence that it is annotated in."""

    line: int
    data: str
    sentence: str
    kind: str
    species: str


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
    return [Attested(number, *row) for number, row in _rows(path, 4)]


def read_functions(path: Path = FUNCTIONS) -> dict[str, str]:
    """Read what products do: by the record of a nomenclature (HGNC:18), or by the form where it has none.

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
