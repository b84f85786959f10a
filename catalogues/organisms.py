"""Organisms (values of the feature `species`), with their hierarchy and their names in databases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from .core.files import read_bundled_rows


@dataclass(frozen=True)
class Organism:
    """Organism or group of organisms (a row of organisms.tsv).

    Attributes
    ----------
    name : str
        Value of the feature `species`.
    parent : str
        Name of the group that contains the organism; "" at the top of the hierarchy.
    taxa : tuple of str
        NCBI taxonomy identifiers.
    scientific : tuple of str
        Scientific names or beginnings of scientific names.
    abbreviations : tuple of str
        Abbreviations in FlyBase.
    """

    name: str
    parent: str
    taxa: tuple[str, ...]
    scientific: tuple[str, ...]
    abbreviations: tuple[str, ...]


@lru_cache
def load_organisms() -> dict[str, Organism]:
    """Return all organisms by name, in the order of organisms.tsv."""
    return {
        name: Organism(name, parent, *(tuple(filter(None, field.split("|"))) for field in rest))
        for name, parent, *rest in read_bundled_rows(__package__, "organisms.tsv")
    }


@lru_cache
def list_groups(name: str) -> tuple[str, ...]:
    """Return the names of an organism and of all groups that contain it, such as ``mouse`` and ``mammal``."""
    parent = load_organisms()[name].parent
    return (name, *(list_groups(parent) if parent else ()))


@lru_cache
def is_compatible(first: str, second: str) -> bool:
    """Return True if a name from organism `first` fits into a context about organism `second`.

    It fits if one of the organisms is "" (unspecified), if they are equal, or if one contains the other.
    """
    return not first or not second or first in list_groups(second) or second in list_groups(first)


def find_by_taxon(identifier: str) -> str | None:
    """Return the organism with an NCBI taxonomy identifier, or None if it is not listed."""
    return _names_by("taxa").get(identifier)


def find_by_abbreviation(abbreviation: str) -> str | None:
    """Return the organism with a FlyBase abbreviation such as ``Dmel``, or None if it is not listed."""
    return _names_by("abbreviations").get(abbreviation)


@lru_cache(maxsize=4096)
def find_by_scientific_name(name: str) -> str | None:
    """Return the organism whose scientific name is a prefix of `name` (``Homo sapiens (Human)``), or None."""
    organisms = _names_by("scientific")
    return next((o for begin, o in organisms.items() if name == begin or name.startswith(begin + " ")), None)


@lru_cache
def _names_by(field: str) -> dict[str, str]:
    return {key: o.name for o in load_organisms().values() for key in getattr(o, field)}
