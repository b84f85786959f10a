"""The choice of the bundled entities, as people made it: tables with a line an entity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..core.errors import InputError
from ..core.files import read_text

CHOSEN = Path(__file__).with_name("chosen.tsv")
ATTESTED = Path(__file__).with_name("attested.tsv")


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
    return found


def read_chosen(path: Path = CHOSEN) -> list[Choice]:
    """Read the entities chosen from nomenclatures, sites and made forms."""
    return [Choice(number, *row) for number, row in _rows(path, 9)]


def read_attested(path: Path = ATTESTED) -> list[Attested]:
    """Read the names chosen from a corpus."""
    return [Attested(number, *row) for number, row in _rows(path, 4)]
