"""The organisms of the feature species: which lies below which, and how databases call them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from .core.files import read_bundled_rows


@dataclass(frozen=True)
class Organism:
    """One row of organisms.tsv.

    Attributes
    ----------
    name : str
        The value of the feature.
    parent : str
        The group that it belongs to; "" at the top.
    taxa, scientific, abbreviations : tuple of str
        NCBI taxonomy identifiers; beginnings of scientific names; FlyBase's abbreviations.
    """

    name: str
    parent: str
    taxa: tuple[str, ...]
    scientific: tuple[str, ...]
    abbreviations: tuple[str, ...]


@lru_cache
def load_organisms() -> dict[str, Organism]:
    """All of them by name, in the file's order."""
    return {
        name: Organism(name, below, *(tuple(filter(None, field.split("|"))) for field in rest))
        for name, below, *rest in read_bundled_rows(__package__, "organisms.tsv")
    }


@lru_cache
def list_groups(name: str) -> tuple[str, ...]:
    """An organism and all that it lies below, upwards: ``mouse, mammal, vertebrate, animal``."""
    below = load_organisms()[name].parent
    return (name, *(list_groups(below) if below else ()))


@lru_cache
def is_compatible(first: str, second: str) -> bool:
    """Whether a name of one organism may stand where another is spoken of.

    So it is where one of the two is "" (no organism in particular), where they are the same, and where one
    lies below the other.
    """
    return not first or not second or first in list_groups(second) or second in list_groups(first)


@lru_cache
def find_by_taxon(identifier: str) -> str | None:
    """The organism of an NCBI taxonomy identifier; None for one that the file does not have."""
    return _names_by("taxa").get(identifier)


@lru_cache
def find_by_abbreviation(abbreviation: str) -> str | None:
    """The organism of FlyBase's abbreviation (``Dmel``)."""
    return _names_by("abbreviations").get(abbreviation)


@lru_cache(maxsize=4096)
def find_by_scientific_name(name: str) -> str | None:
    """The organism whose listed name a scientific name begins with (``Homo sapiens (Human)``)."""
    known = _names_by("scientific")
    return next((o for begin, o in known.items() if name == begin or name.startswith(begin + " ")), None)


def _names_by(field: str) -> dict[str, str]:
    return {key: o.name for o in load_organisms().values() for key in getattr(o, field)}
