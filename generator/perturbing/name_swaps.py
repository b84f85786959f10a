"""Replacement of all names in a text with other names of the same kind.

Equal names get the same replacement.
"""

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
from ...sentences.lists import find_names
from ..fitting.slot_rules import GENE_OR_PRODUCT, is_plural, make_slot_rules
from ..material import is_compound
from ..writing.articles import takes_an
from .edits import Edit, make_edits, sort_edits
from .subject import Subject, TextRandom

GENE_KINDS = "gene|protein"
"""Kinds of the replacements for names whose kind is in `GENE_OR_PRODUCT`."""
POOL_QUERY = "characters > 1 and not is_common_English_word and not (name_vs_symbol = name and case = upper)"
"""Query for possible replacements, which excludes single letters, common words and names in capitals."""
MIN_NAMES = 20
"""Minimum number of possible replacements for a name; with fewer, the same names would be repeated."""
MAX_TRIES = 32
_ARTICLE = re.compile(r"\b([Aa])(n?)\s$")


@lru_cache
def load_pool() -> pd.DataFrame:
    """Load the bundled entities that can replace names in texts, without duplicate forms."""
    entities = read_entities()
    chosen = Query.parse(POOL_QUERY, ("entity",)).evaluate(entities) & ~is_compound(entities)
    return entities[chosen].drop_duplicates("data").reset_index(drop=True)


@dataclass(frozen=True)
class NamePool:
    """Possible replacements for each name.

    Attributes
    ----------
    forms : list of str
        All names that can be drawn.
    fitting_rows : mapping of (str, str, str) to array
        Indices in `forms` of the possible replacements for a name, keyed by its form, kind and type.
    """

    forms: list[str]
    fitting_rows: dict[tuple[str, str, str], NDArray[np.int64]]

    @classmethod
    def from_subjects(cls, subjects: Sequence[Subject]) -> NamePool:
        """Make the pool of possible replacements for the names in texts.

        Names of genes and their products are replaced with names from the bundled catalogue. Other names are
        replaced with names of the same type and grammatical number from the texts.
        """
        entities = load_pool()
        forms = entities["data"].tolist()
        swapped = {(s.form(m), m.kind, m.type) for s in subjects for m in s.mentions if m.can_swap}
        typed = sorted(name for name in swapped if name[2])
        plural = is_plural(pd.DataFrame(index=range(len(typed))), [form for form, _, _ in typed])
        alike = [(kind, bool(number)) for (_, _, kind), number in zip(typed, plural, strict=True)]
        rows = {
            group: np.flatnonzero([other == group for other in alike]) + len(forms) for group in set(alike)
        }
        of_type = {name: rows[group] for name, group in zip(typed, alike, strict=True)}
        genes = cls._find_genes(sorted((form, kind) for form, kind, type_ in swapped if not type_), entities)
        return cls([*forms, *(form for form, _, _ in typed)], of_type | genes)

    @staticmethod
    def _find_genes(
        wanted: Sequence[tuple[str, str]], entities: pd.DataFrame
    ) -> dict[tuple[str, str, str], NDArray[np.int64]]:
        """Return the rows of the entities that can replace each name, given by form and kind."""
        forms = entities["data"].tolist()
        if not wanted:
            return {}
        own = [form for form, _ in wanted]
        known = taxonomy()
        plural = is_plural(pd.DataFrame(index=range(len(own))), own)
        slots = pd.DataFrame(
            {
                "expects": np.where(find_names(own), "name", "symbol"),
                known.find("slot.species").column: "",
                known.find("slot.accepts").column: [
                    GENE_KINDS if kind in GENE_OR_PRODUCT else kind for _, kind in wanted
                ],
                known.find("slot.number").column: np.where(plural, "plural", "singular"),
            }
        )
        fits = make_slot_rules(entities, forms, find_names(forms), slots)
        everything = np.arange(len(forms), dtype=np.int32)
        of_class = {
            c: np.flatnonzero(fits.check_fillers(c, everything)) for c in np.unique(fits.slot_class).tolist()
        }
        return {
            (form, kind, ""): of_class[c]
            for (form, kind), c in zip(wanted, fits.slot_class.tolist(), strict=True)
        }

    def choose_name(
        self, form: str, kind: str, type_: str, draw: TextRandom, taken: Callable[[str], bool]
    ) -> str | None:
        """Draw a replacement for a name; return None if there are too few or if all drawn names are taken."""
        rows = self.fitting_rows[form, kind, type_]
        for attempt in range(MAX_TRIES if len(rows) >= MIN_NAMES else 0):
            new = self.forms[int(rows[draw.draw_below(len(rows), form, kind, str(attempt))])]
            if new.casefold() != form.casefold() and not taken(new):
                return new
        return None

    def swap_names(self, subject: Subject, draw: TextRandom) -> list[Edit]:
        """Make edits that replace all names of a text and correct the articles before them.

        Returns no edits if names overlap or are discontinuous, or if a name has no possible replacement.
        """
        if subject.has_nested:
            return []
        folded = subject.text.casefold()
        new: dict[tuple[str, str, str], str] = {}
        edits: list[Edit] = []
        for mention in subject.mentions:
            if not mention.can_swap:
                continue
            key = (subject.form(mention), mention.kind, mention.type)
            if key not in new:
                chosen = self.choose_name(
                    *key, draw, lambda name: name in new.values() or name.casefold() in folded
                )
                if chosen is None:
                    return []
                new[key] = chosen
            edits.append(Edit(mention.start, mention.end, new[key]))
            edits += _correct_article(subject.text, mention.start, new[key])
        return sort_edits(edits)


def _correct_article(text: str, start: int, name: str) -> list[Edit]:
    """Make the edits that correct the article before a replaced name."""
    found = _ARTICLE.search(text, max(start - 4, 0), start)
    if found is None:
        return []
    old = found[1] + found[2]
    return make_edits(found.start(1), old, found[1] + ("n" if takes_an(name) else "")) if old else []
