"""Other names of the same kind: all names of a text at once, the same name the same throughout."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.entities import read_entities
from ...catalogues.query import Query
from ...catalogues.taxonomy import taxonomy
from ...sentences.lists import names_or_symbols
from ..fitting.fits import BOTH, fits_of, plurals
from ..material import is_compound
from ..writing.articles import takes_an
from .edits import Edit, in_order, respelled
from .subject import Draw, Subject

GENE = "gene|protein"
"""What a name is taken for of which no catalogue says what it is."""
POOL = "characters > 1 and not is_common_English_word and not (name_vs_symbol = name and case = upper)"
"""Entities that may stand for others: no single letter, no word, no name in capitals."""
FEWEST = 20
"""Names of which one is drawn: with fewer, the same would come again and again."""
TRIES = 32
_ARTICLE = re.compile(r"\b([Aa])(n?)\s$")


@lru_cache
def pool() -> pd.DataFrame:
    """The bundled entities that may stand for others: one name or symbol each."""
    entities = read_entities()
    chosen = Query.parse(POOL, ("entity",)).evaluate(entities) & ~is_compound(entities)
    return entities[chosen].drop_duplicates("data").reset_index(drop=True)


@dataclass(frozen=True)
class Names:
    """What may stand for each name.

    Attributes
    ----------
    forms : list of str
        All names that may come.
    fitting : mapping of (str, str) to array
        For a name and its kind the rows of `forms`.
    """

    forms: list[str]
    fitting: dict[tuple[str, str], NDArray[np.int64]]

    @classmethod
    def of(cls, subjects: Sequence[Subject]) -> Names:
        """Look at all names of some texts at once."""
        wanted = sorted({(s.form(m), m.kind) for s in subjects for m in s.mentions if m.swapped})
        entities = pool()
        forms = entities["data"].tolist()
        if not wanted:
            return cls(forms, {})
        own = [form for form, _ in wanted]
        known = taxonomy()
        plural = plurals(pd.DataFrame(index=range(len(own))), own)
        slots = pd.DataFrame(
            {
                "expects": np.where(names_or_symbols(own), "name", "symbol"),
                known.find("slot.species").column: "",
                known.find("slot.accepts").column: [GENE if kind in BOTH else kind for _, kind in wanted],
                known.find("slot.number").column: np.where(plural, "plural", "singular"),
            }
        )
        fits = fits_of(entities, forms, names_or_symbols(forms), slots)
        everything = np.arange(len(forms), dtype=np.int32)
        of_class = {c: np.flatnonzero(fits.take(c, everything)) for c in np.unique(fits.slot).tolist()}
        return cls(forms, {w: of_class[c] for w, c in zip(wanted, fits.slot.tolist(), strict=True)})

    def chosen(self, form: str, kind: str, draw: Draw, taken: Callable[[str], bool]) -> str | None:
        """Another name for one; None where there are too few, or none was found that is not `taken`."""
        rows = self.fitting[form, kind]
        for attempt in range(TRIES if len(rows) >= FEWEST else 0):
            new = self.forms[int(rows[draw.below(len(rows), form, kind, str(attempt))])]
            if new.casefold() != form.casefold() and not taken(new):
                return new
        return None

    def swapped(self, subject: Subject, draw: Draw) -> list[Edit]:
        """All names of a text exchanged for others, and the articles before them made right.

        A text in which names overlap or stand in pieces, or of which a name has no other of its kind, is left
        alone.
        """
        if subject.nested:
            return []
        stands = subject.text.casefold()
        new: dict[tuple[str, str], str] = {}
        edits: list[Edit] = []
        for one in subject.mentions:
            if not one.swapped:
                continue
            key = (subject.form(one), one.kind)
            if key not in new:
                found = self.chosen(
                    *key, draw, lambda name: name in new.values() or name.casefold() in stands
                )
                if found is None:
                    return []
                new[key] = found
            edits.append(Edit(one.start, one.end, new[key]))
            edits += _article(subject.text, one.start, new[key])
        return in_order(edits)


def _article(text: str, start: int, name: str) -> list[Edit]:
    """The article that stands before a name, made right for another one."""
    found = _ARTICLE.search(text, max(start - 4, 0), start)
    if found is None:
        return []
    old = found[1] + found[2]
    return respelled(found.start(1), old, found[1] + ("n" if takes_an(name) else "")) if old else []
