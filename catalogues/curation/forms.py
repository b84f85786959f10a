"""Named transformations of real forms, read from transformations.toml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal
from unicodedata import lookup

from pydantic import Field

from ..core.bundled import bundled_toml
from ..core.settings import Settings, validate

if TYPE_CHECKING:
    import pandas as pd

_GREEK = re.compile(
    r"(?<![^\W\d_])(alpha|beta|gamma|delta|epsilon|zeta|theta|kappa|lambda|omega|sigma)(?![^\W\d_])"
)


class Transformation(Settings):
    """A way of writing an entity otherwise; see transformations.toml for the order of its parts."""

    name: str
    definition: str
    sort: Literal["name", "symbol"] | None = None
    requires: str
    greek: str | None = None
    replace: list[list[str]] = Field(default_factory=list)
    case: Literal["upper", "lower", "title", "initial", "initials"] | None = None
    template: str | None = None
    count: int

    def apply(self, form: str, symbol: str) -> str | None:
        """The new form, or None where the transformation does not apply or changes nothing."""
        if re.search(self.requires, form) is None:
            return None
        made = form
        if self.greek is not None:
            template = self.greek
            made = _GREEK.sub(lambda m: template.format(name=m[1], letter=_letter(m[1])), made)
        for pattern, replacement in self.replace:
            made = re.sub(pattern, replacement, made)
        if self.case is not None:
            made = _cased(made, self.case)
        if self.template is not None:
            made = self.template.format(form=made, symbol=symbol)
        return None if made == form else made


class Transformations(Settings):
    """The file."""

    format: Literal[1]
    transformation: list[Transformation]


@lru_cache
def transformations() -> tuple[Transformation, ...]:
    """The bundled transformations."""
    name = "transformations.toml"
    return tuple(validate(bundled_toml(__package__, name), Transformations, name).transformation)


def made_forms(frame: pd.DataFrame) -> pd.DataFrame:
    """Apply every transformation to so many of a frame's forms as it asks for, evenly over those it fits.

    Parameters
    ----------
    frame : DataFrame
        `data`, `name_vs_symbol`, `source_authority`, `source_id`, `symbol` (the gene's), `tier` (low: good).

    Returns
    -------
    DataFrame
        `data`, `original_form_in_source`, `source_authority`, `source_id`, `transformation`; no form twice.
    """
    import pandas as pd

    known = set(frame["data"])
    rows: list[tuple[str, str, str, str, str]] = []
    columns = [frame[c].tolist() for c in ("data", "symbol", "source_authority", "source_id")]
    sorts = frame["name_vs_symbol"].astype("str").tolist()
    tiers = frame["tier"].tolist()
    for transformation in transformations():
        fitting = [
            (made, row)
            for row, (form, sort) in enumerate(zip(columns[0], sorts, strict=True))
            if transformation.sort in (None, sort)
            and (made := transformation.apply(form, columns[1][row])) is not None
        ]
        wanted = transformation.count
        for tier in sorted(set(tiers)):
            for made, row in _evenly([f for f in fitting if tiers[f[1]] == tier], wanted, known):
                rows.append((made, columns[0][row], columns[2][row], columns[3][row], transformation.name))
                wanted -= 1
    names = ["data", "original_form_in_source", "source_authority", "source_id", "transformation"]
    return pd.DataFrame(rows, columns=names).astype("str")


def _evenly(found: list[tuple[str, int]], count: int, known: set[str]) -> Iterator[tuple[str, int]]:
    """So many of the forms that are not yet known, from all parts of the list; they become known."""
    fresh = list({made: row for made, row in reversed(found) if made not in known}.items())[::-1]
    step = max(1, len(fresh) / count) if count else 1
    for i in range(min(count, len(fresh))):
        made, row = fresh[int(i * step)]
        known.add(made)
        yield made, row


def _letter(name: str) -> str:
    # the Unicode standard spells lambda without b
    return lookup(f"GREEK SMALL LETTER {'LAMDA' if name == 'lambda' else name.upper()}")


def _cased(text: str, case: str) -> str:
    if case == "upper":
        return text.upper()
    if case == "lower":
        return text.lower()
    if case == "initial":
        return text[:1].upper() + text[1:].lower()
    if case == "initials":
        return "".join(f"{word[0].upper()}." for word in text.split())
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))
