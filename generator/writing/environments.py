"""The environment of every filled slot: the catalogue's features, or computed anew.

Context and slot features do not look inside mentions, so almost always a case has its context's features.
They can differ in five places: the word before a slot is *an* and not *a*; a doubled mark was left out;
whether two mentions in apposition are a name and a symbol depends on the forms, and whether these
are of one entry on the entities; and a look-alike is no
mention, so that its text counts as the sentence's own. Such cases are recognised by a signature, computed
once for each signature by the same code that annotates corpora, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.arrays import bounds, grouped, ranges
from ...catalogues.taxonomy import taxonomy
from ...sentences.context_features import slot_features, text_features
from ...sentences.contexts_xml import SLOT
from ..cases import Cases
from ..fitting.genes import appositive_pairs, entries
from ..material import Material
from .case_texts import CaseTexts
from .templates import DROP

KIND, FALSE = "appositive_kind", "false_appositive"
_NONE = np.empty(0, dtype=np.int64)
PROBES = ("heat shock factor", "ABC1")
"""A name and a symbol by every reading, to find out where it matters which of them stands in a slot."""


def environment_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of context and slot features that a frame has, in the taxonomy's order."""
    return [f.column for f in taxonomy().of("slot", "context") if f.column in frame]


class Environments:
    """Rows of slot and context features: first the catalogue's slots, then what cases add.

    Parameters
    ----------
    material : Material
        The catalogues.
    grown : callable
        Told of rows that are added, as a frame of the feature columns.
    """

    def __init__(self, material: Material, grown: Callable[[pd.DataFrame], None]) -> None:
        self.material = material
        self._pairs = sorted(
            int(material.first_slot[c]) + a
            for c, partners in material.of_whole(appositive_pairs).items()
            for a, b in partners.items()
            if a < b
        )
        self.stored = self._with_kinds()
        self.columns = environment_columns(self.stored)
        self._entry = material.of_fillers(entries)
        self._false_rows: dict[int, int] = {}
        self._grown = grown
        self._rows = len(material.slots)
        self._added: list[pd.DataFrame] = []
        self._known: dict[tuple[int, bytes], NDArray[np.int64]] = {}
        self._appositive = material.of_whole(told_by_names)

    def _with_kinds(self) -> pd.DataFrame:
        """The catalogue's slots, those in apposition marked as holding names of one entry."""
        stored = self.material.environments
        if not self._pairs:
            return stored
        kinds = pd.Series(None, index=stored.index, dtype="str")
        kinds.iloc[[*self._pairs, *(p + 1 for p in self._pairs)]] = "own"
        return stored.assign(**{KIND: kinds})

    def rows(self, cases: Cases, assembled: CaseTexts) -> NDArray[np.int64]:
        """The row of features of each filled slot."""
        rows = self._usual(cases, assembled)
        first = np.flatnonzero(np.isin(assembled.slot_row, self._pairs)) if self._pairs else _NONE
        entry = self._entry[cases.fillers]
        false = first[(entry[first] < 0) | (entry[first] != entry[first + 1])]
        gold = self.material.gold[cases.fillers]
        false = false[gold[false] & gold[false + 1]]
        if not len(false):
            return rows
        both = np.concatenate((false, false + 1))
        distinct, inverse = np.unique(rows[both], return_inverse=True)
        for row in [r for r in distinct.tolist() if r not in self._false_rows]:
            self._false_rows[row] = self._grow(self._row(row).assign(**{KIND: FALSE}))
        rows = rows.copy()
        rows[both] = np.array([self._false_rows[r] for r in distinct.tolist()])[inverse]
        return rows

    def _row(self, row: int) -> pd.DataFrame:
        """A row of features, of the catalogue's slots or of those that were added."""
        if row < len(self.stored):
            return self.stored.iloc[[row]][["slot", *self.columns]]
        begins = np.cumsum([len(self.stored), *map(len, self._added)])
        number = int(np.searchsorted(begins, row, side="right")) - 1
        return self._added[number].iloc[[row - int(begins[number])]]

    def _grow(self, frame: pd.DataFrame) -> int:
        """Add rows; gives the number of the first."""
        self._grown(frame)
        self._added.append(frame)
        begin = self._rows
        self._rows += len(frame)
        return begin

    def _usual(self, cases: Cases, assembled: CaseTexts) -> NDArray[np.int64]:
        """The row of features of each filled slot, whatever entries stand in apposition."""
        rows = assembled.slot_row
        gold = self.material.gold[cases.fillers] if not self.material.gold.all() else None
        touched = self._touched(cases, assembled)
        if gold is not None and gold.all():
            gold = None
        if not touched.any() and gold is None:
            return rows
        rows = rows.copy()
        first = bounds(assembled.slots)
        fresh: list[tuple[int, tuple[int, bytes] | None]] = []
        plain = touched
        if gold is not None:
            strange = np.zeros(len(cases), dtype=bool)
            strange[np.repeat(np.arange(len(cases)), assembled.slots)[~gold]] = True
            fresh += [(case, None) for case in np.flatnonzero(strange).tolist()]
            plain = touched & ~strange
        groups = list(self._groups(np.flatnonzero(plain), cases, first, assembled.variant))
        for keys, members, inverse in groups:
            seen = {key for _, key in fresh}
            for number, key in enumerate(keys):
                if key not in self._known and key not in seen:
                    fresh.append((int(members[np.argmax(inverse == number)]), key))
        self._compute(fresh, assembled, first, gold, rows)
        for keys, members, inverse in groups:
            found = np.stack([self._known[key] for key in keys])[inverse]
            rows[first[members][:, None] + np.arange(found.shape[1])] = found
        return rows

    def _groups(
        self, chosen: NDArray[np.int64], cases: Cases, first: NDArray[np.int64], state: NDArray[np.uint8]
    ) -> Iterator[tuple[list[tuple[int, bytes]], NDArray[np.int64], NDArray[np.int64]]]:
        """Cases by context: the signatures that occur, the cases, and which signature each has.

        `state` says of each filled slot what the form changed before and after it.
        """
        counts = np.diff(first)
        if self._appositive[cases.context[chosen]].any():
            held = np.repeat(self._appositive[cases.context], counts)
            state = state + 4 * (held & self.material.is_name[cases.fillers]).astype(np.uint8)
        for group in grouped(cases.context[chosen]):
            members = chosen[group]
            context, slots = int(cases.context[members[0]]), int(counts[members[0]])
            # members × slots: what each case's forms changed
            signatures = state[first[members][:, None] + np.arange(slots)].astype(np.uint8)
            distinct, inverse = np.unique(signatures, axis=0, return_inverse=True)
            yield [(context, d.tobytes()) for d in distinct], members, inverse.reshape(-1)

    def _touched(self, cases: Cases, assembled: CaseTexts) -> NDArray[np.bool_]:
        """Which cases may differ from their catalogue's entry around a slot."""
        templates = self.material.templates
        flags = self._appositive[cases.context].copy()
        if templates.article.any():
            flags |= np.add.reduceat(np.append(templates.article, False), templates.first)[cases.context] > 0
        dropped = assembled.variant & DROP > 0
        if dropped.any():
            flags[np.repeat(np.arange(len(cases)), assembled.slots)[dropped]] = True
        return flags

    def _compute(
        self,
        fresh: list[tuple[int, tuple[int, bytes] | None]],
        assembled: CaseTexts,
        first: NDArray[np.int64],
        gold: NDArray[np.bool_] | None,
        rows: NDArray[np.int64],
    ) -> None:
        """Describe cases by the corpus's own computation, and keep what has a signature."""
        if not fresh:
            return
        numbers = [case for case, _ in fresh]
        texts = pd.DataFrame(
            {"text_id": numbers, "text": pd.Series(assembled.text.take(numbers).to_pylist(), dtype="str")}
        )
        counts = np.diff(first)[numbers]
        at = ranges(first[numbers], counts)
        mentions = pd.DataFrame(
            {"text_id": np.repeat(numbers, counts), "start": assembled.start[at], "end": assembled.end[at]}
        )
        names = mentions if gold is None else mentions[gold[at]]
        found = self._described(texts, mentions, names, assembled.slot_row[at])
        begin = self._grow(found)
        for (case, key), count in zip(fresh, counts.tolist(), strict=True):
            own = np.arange(begin, begin + count)
            begin += count
            rows[first[case] : first[case + 1]] = own
            if key is not None:
                self._known[key] = own

    def _described(
        self, texts: pd.DataFrame, mentions: pd.DataFrame, names: pd.DataFrame, slot_row: NDArray[np.int64]
    ) -> pd.DataFrame:
        """The feature columns of mentions; what only a catalogue knows is taken from the slot's entry."""
        around = text_features(texts, names).take(
            pd.Index(texts["text_id"]).get_indexer(pd.Index(mentions["text_id"]))
        )
        own = slot_features(texts, mentions, names)
        stored = self.stored.take(slot_row)
        columns: dict[str, Any] = {"slot": stored["slot"].array}
        for name in self.columns:
            source = own if name in own else around if name in around else stored
            columns[name] = source[name].array
        return pd.DataFrame(columns)


def told_by_names(material: Material) -> NDArray[np.bool_]:
    """The contexts whose features depend on which forms are names: tried with both by turns."""
    slots = material.templates.slots
    several = np.flatnonzero(slots >= 2)
    flags = np.zeros(len(slots), dtype=bool)
    if not len(several):
        return flags
    templates = material.contexts["slots"].tolist()
    outcomes = []
    for forms in (PROBES, PROBES[::-1]):
        texts, spans = [], []
        for context in several.tolist():
            text = ""
            for number, piece in enumerate(templates[context].split(SLOT)):
                if number:
                    form = forms[number % 2]
                    spans.append((context, len(text), len(text) + len(form)))
                    text += form
                text += piece
            texts.append(text)
        frame = pd.DataFrame({"text_id": several, "text": pd.Series(texts, dtype="str")})
        mentions = pd.DataFrame(spans, columns=["text_id", "start", "end"])
        outcomes.append(text_features(frame, mentions)["appositive"].astype("str").to_numpy())
    flags[several] = (outcomes[0] != "none") | (outcomes[1] != "none")
    return flags
