"""What a corpus in JSON lines has beside the places, types and scores of its mentions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import FARTHEST
from ..corpus import Corpus
from .base import DEFAULT_TYPE
from .build import Draft, assemble
from .records import Records

_TEXT_KEYS = {
    "text_id",
    "document_id",
    "text",
    "features",
    "mentions",
    "alternatives",
    "relations",
    "equivalences",
}
_MENTION_KEYS = {"id", "start", "end", "type", "side", "score", "fragments", "normalisations", "features"}


class CorpusDraft:
    """A corpus while its objects are read; the mentions themselves are in `records`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self.records = Records(strict=True, file=path)
        self.ids: list[Any] = []
        self.documents: list[str] = []
        self.texts: list[str] = []
        self.features: list[dict[str, Any]] = []
        self.rows: list[int] = []
        self.sides: list[str] = []
        self.extra: list[dict[str, Any]] = []
        self.alternatives: tuple[list[int], list[int], list[int], list[str]] = ([], [], [], [])
        self.has_alternatives = False
        self.mention_place: dict[Any, int] = {}
        self.relation_place: dict[Any, int] = {}
        self.waiting: list[tuple[int, int, str, str, Any, Any]] = []
        self.equal: list[tuple[int, int, list[Any]]] = []
        self.draft = Draft([], [])

    def _fail(
        self, problem: str, found: object, allowed: str | None = None, line: int | None = None
    ) -> InputError:
        return InputError(problem, file=self.path, line=line or self.line, found=found, allowed=allowed)

    def _whole(self, thing: dict[str, Any], key: str) -> int:
        value = thing.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._fail(f"{key} is not a whole number", value, "a whole number")
        self._near(key, value)
        return value

    def _near(self, key: str, value: Any) -> None:
        """Refuse a number that no column of ours holds."""
        if isinstance(value, int) and abs(value) > FARTHEST:
            raise self._fail(f"{key} is too large", value, f"numbers up to {FARTHEST}")

    def _key(self, thing: dict[str, Any], key: str) -> str | int:
        """An id."""
        value = thing[key]
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            raise self._fail(f"{key} is neither text nor a whole number", value)
        self._near(key, value)
        return value

    def _text(self, thing: dict[str, Any], key: str, otherwise: str | None = None) -> str:
        value = thing.get(key, otherwise)
        if not isinstance(value, str):
            raise self._fail(f"{key} is not text", value, "a string")
        return value

    def take_text(self, thing: dict[str, Any], line: int) -> None:
        """Take a text with its columns."""
        self.line = line
        unknown = sorted(set(thing) - _TEXT_KEYS)
        if unknown:
            raise self._fail("an unknown key", unknown[0], ", ".join(sorted(_TEXT_KEYS)))
        self.ids.append(self._key(thing, "text_id") if "text_id" in thing else len(self.ids))
        self.documents.append(self._text(thing, "document_id", ""))
        self.texts.append(self._text(thing, "text"))
        self.features.append(self._features(thing))

    def take_links(self, thing: dict[str, Any]) -> None:
        """Take alternatives, relations and equivalences, after the mentions that they name."""
        row = len(self.ids) - 1
        if "alternatives" in thing:
            self.has_alternatives = True
        for other in self.records.objects(None, thing, "alternatives", self.line):
            rows, starts, ends, types = self.alternatives
            rows.append(row)
            starts.append(self._whole(other, "start"))
            ends.append(self._whole(other, "end"))
            types.append(self._text(other, "type", DEFAULT_TYPE))
        for relation in self.records.objects(None, thing, "relations", self.line):
            self._relation(relation, row)
        listed = thing.get("equivalences") or []
        if not isinstance(listed, list) or not all(isinstance(x, list) for x in listed):
            raise self._fail("equivalences is not a list of lists", listed)
        for members in listed:
            self.equal.append((self.line, len(self.equal), members))

    def _features(self, thing: dict[str, Any]) -> dict[str, Any]:
        features = thing.get("features") or {}
        if not isinstance(features, dict):
            raise self._fail("features is not an object", features)
        return features

    def take_mention(self, mention: dict[str, Any]) -> None:
        """Take what a mention has beside its place, type and score."""
        unknown = sorted(set(mention) - _MENTION_KEYS)
        if unknown:
            raise self._fail("an unknown key of a mention", unknown[0], ", ".join(sorted(_MENTION_KEYS)))
        place = len(self.records) - 1
        if "id" in mention:
            key = self._key(mention, "id")
            if key in self.mention_place:
                raise self._fail("a mention id occurs twice", key)
            self.mention_place[key] = place
        side = mention.get("side", "gold")
        if side not in ("gold", "predicted"):
            raise self._fail("an unknown side", side, "gold, predicted")
        self.rows.append(len(self.ids) - 1)
        self.sides.append(side)
        self.extra.append(self._features(mention))
        listed = mention.get("normalisations") or []
        if not isinstance(listed, list) or not all(_is_pair_of_texts(pair) for pair in listed):
            raise self._fail("normalisations is not a list of pairs", listed)
        self.draft.normalisations += [(place, authority, name) for authority, name in listed]

    def _relation(self, relation: dict[str, Any], row: int) -> None:
        number = len(self.relation_place)
        key = self._key(relation, "id") if "id" in relation else f"#{number}"
        if key in self.relation_place:
            raise self._fail("a relation id occurs twice", key)
        self.relation_place[key] = number
        kind = self._text(relation, "type")
        for argument in self.records.objects(None, relation, "arguments", self.line):
            role = self._text(argument, "role", "")
            self.waiting.append(
                (self.line, row, kind, role, (number, argument.get("mention")), argument.get("relation"))
            )

    def corpus(self, digest: str) -> Corpus:
        """All that was taken, as a corpus."""
        draft = self.draft
        draft.text_ids, draft.texts, draft.document_ids = self.ids, self.texts, self.documents
        found = self.records
        draft.rows, draft.starts, draft.ends = self.rows, found.start, found.end
        draft.types = [kind or DEFAULT_TYPE for kind in found.type]
        draft.sides, draft.scores, draft.lines = self.sides, found.score, found.line  # type: ignore[assignment]
        draft.fragments = found.parts
        if self.has_alternatives:
            draft.alternatives = self.alternatives
        for line, row, kind, role, (number, mention), relation in self.waiting:
            if relation is not None:
                place, argument = -1, self._referent(self.relation_place, relation, line)
            else:
                place, argument = self._referent(self.mention_place, mention, line), -1
                row = self.rows[place]
            draft.relations.append((number, row, kind, role, place, argument))
        for line, number, members in self.equal:
            draft.equivalences += [(number, self._referent(self.mention_place, m, line)) for m in members]
        draft.text_columns = _frame(self.features)
        draft.mention_columns = _frame(self.extra)
        return assemble(draft, name=f"jsonl:{self.path.name}", digest=digest, file=self.path)

    def _referent(self, places: dict[Any, int], key: Any, line: int) -> int:
        if isinstance(key, (list, dict)) or key not in places:
            raise self._fail("an unknown referent", key, "an id of the file", line)
        return places[key]


def _frame(features: list[dict[str, Any]]) -> dict[str, Any]:
    """Columns of features; text where all values are text, else what pandas makes of the JSON values."""
    names = list(dict.fromkeys(k for f in features for k in f))
    made: dict[str, Any] = {}
    for name in names:
        values = [f.get(name) for f in features]
        there = [v for v in values if v is not None]
        full = len(there) == len(values)
        if all(isinstance(v, str) for v in there):
            made[name] = pd.Series(values, dtype="str")
        elif all(isinstance(v, bool) for v in there):
            made[name] = pd.Series(values, dtype="bool" if full else "boolean")
        elif all(isinstance(v, int) and not isinstance(v, bool) for v in there):
            made[name] = pd.Series(values, dtype="int64" if full else "Int64")
        elif all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in there):
            made[name] = pd.Series(values, dtype="float64")
        else:
            made[name] = pd.Series([None if v is None else str(v) for v in values], dtype="str")
    return made


def _is_pair_of_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value)
