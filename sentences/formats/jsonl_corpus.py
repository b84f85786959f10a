"""Builder of a corpus from JSON lines: texts, features, relations and equivalences."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import MAX_OFFSET
from ..corpus import Corpus
from .base import DEFAULT_TYPE
from .draft import Draft, assemble_corpus
from .records import MentionRecords

JsonObject = dict[str, Any]
_TEXT_KEYS = (
    *("text_id", "document_id", "text", "features"),
    *("mentions", "alternatives", "relations", "equivalences"),
)
_MENTION_KEYS = ("id", "start", "end", "type", "side", "score", "fragments", "normalisations", "features")
_REQUIRED = object()
_KINDS: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "an integer": int,
    "text or an integer": (str, int),
    "an object": dict,
    "a list": list,
}


class JsonlReader:
    """Builder of a corpus from JSON objects; the spans, types and scores of mentions are in `records`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self.records = MentionRecords(strict=True, file=path)
        # ids, document ids and contents of texts; rows and sides of mentions; features of both
        self.text_ids: list[Any] = []
        self.documents: list[str] = []
        self.texts: list[str] = []
        self.text_features: list[JsonObject] = []
        self.rows: list[int] = []
        self.sides: list[str] = []
        self.mention_features: list[JsonObject] = []
        self.draft = Draft(self.text_ids, self.texts, self.documents, self.rows, sides=self.sides)
        self.alternatives: tuple[list[int], list[int], list[int], list[str]] = [], [], [], []
        self.mention_place: dict[Any, int] = {}
        self.relation_place: dict[Any, int] = {}
        # references to mentions and relations, which can come later in the file
        self.arguments: list[tuple[int, int, str, str, Any, JsonObject]] = []
        self.equivalences: list[tuple[int, list[Any]]] = []

    def take_text(self, thing: JsonObject, line: int) -> None:
        """Add a text with its ids and features; `line` is its line number in the file."""
        self.line = line
        self._refuse_unknown(thing, _TEXT_KEYS)
        self.text_ids.append(self._value(thing, "text_id", "text or an integer", len(self.texts)))
        self.documents.append(self._value(thing, "document_id", "text", ""))
        self.texts.append(self._value(thing, "text", "text"))
        self.text_features.append(self._value(thing, "features", "an object", {}))

    def take_mention(self, mention: JsonObject) -> None:
        """Add the id, side, features and normalisations of a mention."""
        self._refuse_unknown(mention, _MENTION_KEYS)
        place = len(self.rows)
        self._name(mention, self.mention_place, place)
        side = mention.get("side", "gold")
        if side not in ("gold", "predicted"):
            raise self._fail("unknown side", side, "gold, predicted")
        self.rows.append(len(self.texts) - 1)
        self.sides.append(side)
        self.mention_features.append(self._value(mention, "features", "an object", {}))
        for pair in self._value(mention, "normalisations", "a list", []):
            if not isinstance(pair, list) or [type(part) for part in pair] != [str, str]:
                raise self._fail(
                    "normalisations must be pairs of authority and identifier", pair, '["NCBI Gene", "3558"]'
                )
            self.draft.normalisations.append((place, *pair))

    def take_links(self, thing: JsonObject) -> None:
        """Add the alternative spans, relations and equivalences of a text whose mentions were added."""
        row = len(self.texts) - 1
        if "alternatives" in thing:
            self.draft.alternatives = self.alternatives
        for other in self.records.get_objects(None, thing, "alternatives", self.line):
            self.alternatives[0].append(row)
            self.alternatives[1].append(self._value(other, "start", "an integer"))
            self.alternatives[2].append(self._value(other, "end", "an integer"))
            self.alternatives[3].append(self._value(other, "type", "text", DEFAULT_TYPE))
        for relation in self.records.get_objects(None, thing, "relations", self.line):
            number = len(self.relation_place)
            self._name(relation, self.relation_place, number, f"#{number}")
            kind = self._value(relation, "type", "text")
            for argument in self.records.get_objects(None, relation, "arguments", self.line):
                role = self._value(argument, "role", "text", "")
                self.arguments.append((self.line, row, kind, role, number, argument))
        for members in self._value(thing, "equivalences", "a list", []):
            if not isinstance(members, list):
                raise self._fail("equivalences must be a list of lists", members)
            self.equivalences.append((self.line, members))

    def make_corpus(self, digest: str) -> Corpus:
        """Return the corpus made from all added texts; `digest` is its checksum."""
        draft, records = self.draft, self.records
        draft.starts, draft.ends, draft.scores = records.start, records.end, records.score
        draft.lines = [line or 0 for line in records.line]
        draft.types = [kind or DEFAULT_TYPE for kind in records.type]
        draft.fragments = records.fragments
        for line, row, kind, role, number, argument in self.arguments:
            if (relation := argument.get("relation")) is not None:
                other = self._referent(self.relation_place, relation, line)
                draft.relations.append((number, row, kind, role, -1, other))
            else:
                place = self._referent(self.mention_place, argument.get("mention"), line)
                draft.relations.append((number, self.rows[place], kind, role, place, -1))
        for number, (line, members) in enumerate(self.equivalences):
            draft.equivalences += [(number, self._referent(self.mention_place, m, line)) for m in members]
        draft.text_columns, draft.mention_columns = map(_columns, (self.text_features, self.mention_features))
        return assemble_corpus(draft, name=f"jsonl:{self.path.name}", digest=digest, file=self.path)

    def _fail(
        self, problem: str, found: object, allowed: str | None = None, line: int | None = None
    ) -> InputError:
        return InputError(problem, file=self.path, line=line or self.line, found=found, allowed=allowed)

    def _refuse_unknown(self, thing: JsonObject, allowed: Collection[str]) -> None:
        unknown = sorted(set(thing) - set(allowed))
        if unknown:
            raise self._fail("unknown key", unknown[0], ", ".join(sorted(allowed)))

    def _value(self, thing: JsonObject, key: str, kind: str, default: Any = _REQUIRED) -> Any:
        """Return the value of a key, or the default if the key is missing; raise InputError for a wrong type.

        If the default is an object or a list, null is also replaced by the default.
        """
        value = thing.get(key, default)
        if value is None and isinstance(default, (dict, list)):
            return default
        if not isinstance(value, _KINDS[kind]) or isinstance(value, bool):
            raise self._fail(f"the value of {key} is not {kind}", None if value is _REQUIRED else value)
        if isinstance(value, int) and abs(value) > MAX_OFFSET:
            raise self._fail(f"the value of {key} is too large", value, f"numbers up to {MAX_OFFSET}")
        return value

    def _name(self, thing: JsonObject, places: dict[Any, int], place: int, default: Any = None) -> None:
        """Store the index of a mention or relation in the dictionary `places`, keyed by its id."""
        key = self._value(thing, "id", "text or an integer", default) if "id" in thing else default
        if key in places:
            raise self._fail("duplicate id", key)
        if key is not None:
            places[key] = place

    def _referent(self, places: dict[Any, int], key: Any, line: int) -> int:
        if isinstance(key, (list, dict)) or key not in places:
            raise self._fail("reference to an unknown id", key, "the id of a mention or relation", line)
        return places[key]


def _columns(features: list[JsonObject]) -> JsonObject:
    """Return one column per feature; values of mixed types are converted to strings."""
    names = dict.fromkeys(name for row in features for name in row)
    return {name: _column([row.get(name) for row in features]) for name in names}


def _column(values: list[Any]) -> pd.Series:
    kinds = {type(value) for value in values if value is not None}
    full = None not in values
    if kinds == {bool}:
        return pd.Series(values, dtype="bool" if full else "boolean")
    if kinds == {int}:
        return pd.Series(values, dtype="int64" if full else "Int64")
    if kinds and kinds <= {int, float}:
        return pd.Series(values, dtype="float64")
    return pd.Series([None if value is None else str(value) for value in values], dtype="str")
