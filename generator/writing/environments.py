"""Context and slot features of filled slots.

These features do not depend on the text of mentions, so a case nearly always has the features of its context
in the catalogue. They can differ for five reasons:

- The word before a slot is *an* instead of *a*.
- A doubled punctuation mark was dropped.
- An appositive has two names or two symbols.
- The forms in an appositive belong to different entries.
- The sentence contains a look-alike, whose text is not a mention.

The features of such cases are computed by the code that annotates corpora. Cases with the same signature have
the same features, which are computed once and cached.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.arrays import bounds_from_lengths, concatenate_ranges
from ...catalogues.taxonomy import taxonomy
from ...sentences.context_features import compute_slot_features, compute_text_features
from ...sentences.contexts_xml import SLOT_MARK
from ..cases import Cases
from ..fitting.genes import number_entries
from ..material import Material
from .case_texts import CaseTexts
from .templates import DROP

APPOSITIVE_KIND, FALSE_APPOSITIVE = "appositive_kind", "false_appositive"
_NONE = np.empty(0, dtype=np.int64)
PROBE_FORMS = ("heat shock factor", "ABC1")
"""Typical name and symbol, used to test whether features depend on the form in a slot."""


class Environments:
    """Table of slot and context features, with one row per slot of the catalogue.

    Further rows are added for slots whose features in a case differ from the catalogue.

    Parameters
    ----------
    material : Material
        Catalogues of the suite.

    Attributes
    ----------
    frames : list of DataFrame
        Rows with `slot` and the feature columns.
    """

    def __init__(self, material: Material) -> None:
        self.material = material
        self._pairs = np.flatnonzero(material.entry_partner > np.arange(len(material.slots)))
        stored = material.environments
        if len(self._pairs):
            kinds = pd.Series(None, index=stored.index, dtype="str")
            kinds.iloc[np.concatenate((self._pairs, self._pairs + 1))] = "own"
            stored = stored.assign(**{APPOSITIVE_KIND: kinds})
        features = taxonomy().select_scopes("slot", "context")
        self.columns = [f.column for f in features if f.column in stored]
        self.frames = [stored[["slot", *self.columns]]]
        self._entry = material.compute_once(number_entries)
        self._false_rows: dict[int, int] = {}
        self._known: dict[bytes, NDArray[np.int64]] = {}
        self._appositive = depends_on_names(material)
        # contexts whose features may depend on what fills them
        templates = material.templates
        articles = np.add.reduceat(np.append(templates.article, False), templates.first_piece)
        self._varying = self._appositive | (articles > 0)

    def find_rows(self, cases: Cases, assembled: CaseTexts) -> NDArray[np.int64]:
        """Return, for each filled slot, the row number of its features."""
        rows = self._find_usual_rows(cases, assembled)
        first = np.flatnonzero(np.isin(assembled.slot_row, self._pairs))
        entry = self._entry[cases.fillers]
        false = first[(entry[first] < 0) | (entry[first] != entry[first + 1])]
        gold = self.material.gold[cases.fillers]
        false = false[gold[false] & gold[false + 1]]
        if not len(false):
            return rows
        both = np.concatenate((false, false + 1))
        distinct, inverse = np.unique(rows[both], return_inverse=True)
        fresh = [r for r in distinct.tolist() if r not in self._false_rows]
        if fresh:
            stored = pd.concat(self.frames, ignore_index=True).take(fresh)
            begin = self._grow(stored.assign(**{APPOSITIVE_KIND: FALSE_APPOSITIVE}))
            self._false_rows |= {row: begin + number for number, row in enumerate(fresh)}
        rows = rows.copy()
        rows[both] = np.array([self._false_rows[r] for r in distinct.tolist()])[inverse]
        return rows

    def _grow(self, frame: pd.DataFrame) -> int:
        """Add rows of features to the table; return the number of the first added row."""
        self.frames.append(frame)
        return sum(map(len, self.frames[:-1]))

    def _find_usual_rows(self, cases: Cases, assembled: CaseTexts) -> NDArray[np.int64]:
        """Find the row of the feature table for each filled slot.

        The two names of an appositive are assumed to come from one catalogue entry.
        """
        rows, slots = assembled.slot_row, assembled.slots
        first, case = bounds_from_lengths(slots), np.repeat(np.arange(len(cases)), slots)
        gold = self.material.gold[cases.fillers]
        strange = np.zeros(len(cases), dtype=bool)
        strange[case[~gold]] = True
        varying = self._varying[cases.context]
        varying[case[assembled.variant & DROP > 0]] = True
        if not (strange | varying).any():
            return rows
        rows, plain = rows.copy(), np.flatnonzero(varying & ~strange)
        signatures = self._signatures(cases, assembled, plain, concatenate_ranges(first[plain], slots[plain]))
        distinct, example, which = np.unique(signatures, axis=0, return_index=True, return_inverse=True)
        keys = [signature.tobytes() for signature in distinct]
        fresh = [(number, b"") for number in np.flatnonzero(strange).tolist()]
        examples = plain[example].tolist()
        fresh += [(number, k) for number, k in zip(examples, keys, strict=True) if k not in self._known]
        self._compute(fresh, assembled, first, gold, rows)
        # rows of the slots of each signature, concatenated
        known = [self._known[key] for key in keys]
        begins = bounds_from_lengths([len(own) for own in known])[which.reshape(-1)]
        at = concatenate_ranges(first[plain], slots[plain])
        rows[at] = np.concatenate([_NONE, *known])[concatenate_ranges(begins, slots[plain])]
        return rows

    def _signatures(
        self, cases: Cases, assembled: CaseTexts, chosen: NDArray[np.int64], at: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Return the signatures of cases; cases with equal signatures have the same features.

        A signature consists of the context and one number per slot. The number encodes how the form changed
        the text around the slot and, if the features depend on it, whether the form is a name. `at` contains
        the filled slots of the cases.
        """
        context, slots = cases.context[chosen], assembled.slots[chosen]
        row = np.repeat(np.arange(len(chosen)), slots)
        is_name = self._appositive[context][row] & self.material.is_name[cases.fillers[at]]
        found = np.zeros(
            (len(chosen), 1 + int(self.material.templates.slot_counts.max(initial=0))), dtype=np.int32
        )
        found[:, 0] = context
        found[row, 1 + np.arange(len(row)) - bounds_from_lengths(slots)[row]] = (
            assembled.variant[at] + 4 * is_name
        )
        return found

    def _compute(
        self,
        fresh: list[tuple[int, bytes]],
        assembled: CaseTexts,
        first: NDArray[np.int64],
        gold: NDArray[np.bool_],
        rows: NDArray[np.int64],
    ) -> None:
        """Compute the features of cases from their texts. Rows of cases that have a signature are cached."""
        if not fresh:
            return
        numbers = [case for case, _ in fresh]
        texts = pd.DataFrame(
            {"text_id": numbers, "text": pd.Series(assembled.text.take(numbers).to_pylist(), dtype="str")}
        )
        counts = np.diff(first)[numbers]
        at = concatenate_ranges(first[numbers], counts)
        mentions = pd.DataFrame(
            {"text_id": np.repeat(numbers, counts), "start": assembled.start[at], "end": assembled.end[at]}
        )
        found = self._describe_mentions(texts, mentions, mentions[gold[at]], assembled.slot_row[at])
        begin = self._grow(found)
        for (case, key), count in zip(fresh, counts.tolist(), strict=True):
            own = np.arange(begin, begin + count)
            begin += count
            rows[first[case] : first[case + 1]] = own
            if key:
                self._known[key] = own

    def _describe_mentions(
        self, texts: pd.DataFrame, mentions: pd.DataFrame, names: pd.DataFrame, slot_row: NDArray[np.int64]
    ) -> pd.DataFrame:
        """Compute the features of mentions; features that cannot be computed are copied from their slots."""
        around = compute_text_features(texts, names).take(
            pd.Index(texts["text_id"]).get_indexer(pd.Index(mentions["text_id"]))
        )
        own = compute_slot_features(texts, mentions, names)
        stored = self.frames[0].take(slot_row)
        columns: dict[str, Any] = {"slot": stored["slot"].array}
        for name in self.columns:
            source = own if name in own else around if name in around else stored
            columns[name] = source[name].array
        return pd.DataFrame(columns)


def depends_on_names(material: Material) -> NDArray[np.bool_]:
    """Return a mask of the contexts whose features depend on whether forms are names or symbols."""
    slots = material.templates.slot_counts
    several = np.flatnonzero(slots >= 2)
    flags = np.zeros(len(slots), dtype=bool)
    if not len(several):
        return flags
    templates = material.contexts["slots"].tolist()
    outcomes = []
    for forms in (PROBE_FORMS, PROBE_FORMS[::-1]):
        texts, spans = [], []
        for context in several.tolist():
            text = ""
            for number, piece in enumerate(templates[context].split(SLOT_MARK)):
                if number:
                    form = forms[number % 2]
                    spans.append((context, len(text), len(text) + len(form)))
                    text += form
                text += piece
            texts.append(text)
        frame = pd.DataFrame({"text_id": several, "text": pd.Series(texts, dtype="str")})
        mentions = pd.DataFrame(spans, columns=["text_id", "start", "end"])
        outcomes.append(compute_text_features(frame, mentions)["appositive"].astype("str").to_numpy())
    flags[several] = (outcomes[0] != "none") | (outcomes[1] != "none")
    return flags
