"""JSON lines: one object a text with everything that the corpus has of it.

Keys: ``text_id``, ``document_id``, ``text``, further columns of the text under ``features``; ``mentions``,
objects with ``id``, ``start``, ``end``, ``type``, and where they apply ``side``, ``score``, ``fragments``
([[start, end], …]), ``normalisations`` ([[authority, identifier], …]), ``features``; ``alternatives``,
``relations``, ``equivalences``. Offsets are code points.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_path, digest_bytes
from ...catalogues.core.limits import Cost
from ...catalogues.core.numbers import FARTHEST
from ..corpus import Corpus
from .base import DEFAULT_TYPE, EVERYTHING, Format, Options
from .build import Draft, assemble
from .loss import further_columns
from .records import TOO_LONG, Records, identifier, missing_key
from .textlines import read_lines_bytes
from .views import equivalence_sets, relation_views, views

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


@dataclass(frozen=True)
class Keys:
    """What the keys of texts and mentions are called; a corpus has no mention's `text`."""

    name: str = "text_id"
    mentions: str = "mentions"
    start: str = "start"
    end: str = "end"
    type: str = "type"
    text: str = "text"
    score: str = "score"
    fragments: str = "fragments"


class Rest(Protocol):
    """Takes what a corpus has beside the mentions; see `parse`."""

    def take_text(self, thing: dict[str, Any], line: int) -> None:
        """Take an object, before its mentions."""

    def take_mention(self, mention: dict[str, Any]) -> None:
        """Take a mention that was added."""

    def take_links(self, thing: dict[str, Any]) -> None:
        """Take an object, after its mentions."""


def parse(content: bytes, records: Records, keys: Keys | None = None, rest: Rest | None = None) -> None:
    """Read an object a line.

    Parameters
    ----------
    content : bytes
        UTF-8.
    records : Records
        Where the mentions go, and how problems are taken.
    keys : Keys, optional
        Those of a corpus, by default.
    rest : Rest, optional
        What else is wanted of each object and mention.
    """
    import orjson

    keys = keys or Keys()
    records.seen = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        if number - 1 in records.cut:
            records.refuse(None, TOO_LONG, line=number)
            continue
        try:
            thing = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            allowed = "a JSON object a line"
            problem = f"not valid JSON ({error.msg})"
            records.refuse(None, problem, line.decode(), line=number, column=error.colno, allowed=allowed)
            continue
        own = _name(thing, records, keys.name)
        if own is None:
            _refuse_nameless(thing, records, keys, number)
            continue
        records.see(own)
        if not records.strict and not _has_mentions(thing, records, own, keys):
            continue
        if rest is not None:
            rest.take_text(thing, number)
        for place, mention in enumerate(records.objects(own, thing, keys.mentions, number)):
            spans = [(mention.get(keys.start), mention.get(keys.end))]
            if mention.get(keys.fragments) not in (None, []):
                spans = _pairs(mention[keys.fragments])
            elif not records.strict and not all(
                records.has(own, mention, key, f"{keys.mentions}[{place}]", setting)
                for key, setting in ((keys.start, "start_key"), (keys.end, "end_key"))
            ):
                continue
            kind, score, text = (mention.get(k) for k in (keys.type, keys.score, keys.text))
            if records.add(own, spans, kind, score, text, line=number) and rest is not None:
                rest.take_mention(mention)
        if rest is not None:
            rest.take_links(thing)


def _refuse_nameless(thing: Any, records: Records, keys: Keys, line: int) -> None:
    """Say that a line has no identifier, and of a tagger's object which keys it has."""
    if records.strict or not isinstance(thing, dict) or keys.name in thing:
        records.refuse(None, "not an object with an identifier", thing, line=line)
    else:
        records.refuse(None, missing_key("the object has no key", thing, keys.name, "id_key"), line=line)


def _has_mentions(thing: dict[str, Any], records: Records, own: str, keys: Keys) -> bool:
    """Whether an object of a tagger's has its mentions, or none at all: no list under another name."""
    if keys.mentions in thing or not any(isinstance(value, list) for value in thing.values()):
        return True
    records.refuse(own, missing_key("the object has no key", thing, keys.mentions, "mentions_key"))
    return False


def _name(thing: Any, records: Records, key: str) -> str | None:
    """The identifier of an object; a corpus need not give it, its texts are counted then."""
    if not isinstance(thing, dict):
        return None
    if records.name is not None:
        return records.name
    if records.strict and key not in thing:
        return str(len(records.seen or ()))
    return identifier(thing[key]) if key in thing else None


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    """Fragments as pairs; what is no pair becomes one that no mention can have."""
    if not isinstance(value, list):
        return [(value, None)]
    return [tuple(one) if isinstance(one, list) and len(one) == 2 else (one, None) for one in value]


class _Reader:
    """Collects what a corpus has beside the mentions' places, types and scores."""

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

    def fail(
        self, problem: str, found: object, allowed: str | None = None, line: int | None = None
    ) -> InputError:
        return InputError(problem, file=self.path, line=line or self.line, found=found, allowed=allowed)

    def whole(self, thing: dict[str, Any], key: str) -> int:
        value = thing.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.fail(f"{key} is not a whole number", value, "a whole number")
        self.near(key, value)
        return value

    def near(self, key: str, value: Any) -> None:
        """Refuse a number that no column of ours holds."""
        if isinstance(value, int) and abs(value) > FARTHEST:
            raise self.fail(f"{key} is too large", value, f"numbers up to {FARTHEST}")

    def key(self, thing: dict[str, Any], key: str) -> str | int:
        """An id."""
        value = thing[key]
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            raise self.fail(f"{key} is neither text nor a whole number", value)
        self.near(key, value)
        return value

    def text(self, thing: dict[str, Any], key: str, otherwise: str | None = None) -> str:
        value = thing.get(key, otherwise)
        if not isinstance(value, str):
            raise self.fail(f"{key} is not text", value, "a string")
        return value

    def take_text(self, thing: dict[str, Any], line: int) -> None:
        self.line = line
        unknown = sorted(set(thing) - _TEXT_KEYS)
        if unknown:
            raise self.fail("an unknown key", unknown[0], ", ".join(sorted(_TEXT_KEYS)))
        self.ids.append(self.key(thing, "text_id") if "text_id" in thing else len(self.ids))
        self.documents.append(self.text(thing, "document_id", ""))
        self.texts.append(self.text(thing, "text"))
        self.features.append(self._features(thing))

    def take_links(self, thing: dict[str, Any]) -> None:
        row = len(self.ids) - 1
        if "alternatives" in thing:
            self.has_alternatives = True
        for other in self.records.objects(None, thing, "alternatives", self.line):
            rows, starts, ends, types = self.alternatives
            rows.append(row)
            starts.append(self.whole(other, "start"))
            ends.append(self.whole(other, "end"))
            types.append(self.text(other, "type", DEFAULT_TYPE))
        for relation in self.records.objects(None, thing, "relations", self.line):
            self._relation(relation, row)
        listed = thing.get("equivalences") or []
        if not isinstance(listed, list) or not all(isinstance(x, list) for x in listed):
            raise self.fail("equivalences is not a list of lists", listed)
        for members in listed:
            self.equal.append((self.line, len(self.equal), members))

    def _features(self, thing: dict[str, Any]) -> dict[str, Any]:
        features = thing.get("features") or {}
        if not isinstance(features, dict):
            raise self.fail("features is not an object", features)
        return features

    def take_mention(self, mention: dict[str, Any]) -> None:
        unknown = sorted(set(mention) - _MENTION_KEYS)
        if unknown:
            raise self.fail("an unknown key of a mention", unknown[0], ", ".join(sorted(_MENTION_KEYS)))
        place = len(self.records) - 1
        if "id" in mention:
            key = self.key(mention, "id")
            if key in self.mention_place:
                raise self.fail("a mention id occurs twice", key)
            self.mention_place[key] = place
        side = mention.get("side", "gold")
        if side not in ("gold", "predicted"):
            raise self.fail("an unknown side", side, "gold, predicted")
        self.rows.append(len(self.ids) - 1)
        self.sides.append(side)
        self.extra.append(self._features(mention))
        listed = mention.get("normalisations") or []
        if not isinstance(listed, list) or not all(_is_pair_of_texts(pair) for pair in listed):
            raise self.fail("normalisations is not a list of pairs", listed)
        self.draft.normalisations += [(place, authority, name) for authority, name in listed]

    def _relation(self, relation: dict[str, Any], row: int) -> None:
        number = len(self.relation_place)
        key = self.key(relation, "id") if "id" in relation else f"#{number}"
        if key in self.relation_place:
            raise self.fail("a relation id occurs twice", key)
        self.relation_place[key] = number
        kind = self.text(relation, "type")
        for argument in self.records.objects(None, relation, "arguments", self.line):
            role = self.text(argument, "role", "")
            self.waiting.append(
                (self.line, row, kind, role, (number, argument.get("mention")), argument.get("relation"))
            )

    def corpus(self, digest: str) -> Corpus:
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
            raise self.fail("an unknown referent", key, "an id of the file", line)
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


def read(path: Path, options: Options) -> Corpus:  # noqa: ARG001 - a reader's signature
    """Read a file of JSON lines."""
    content = read_lines_bytes(path, "a JSON object a line")
    reader = _Reader(path)
    parse(content, reader.records, rest=reader)
    return reader.corpus(digest_bytes(content))


def write(corpus: Corpus, path: Path, options: Options) -> None:  # noqa: ARG001 - a writer's signature
    """Write a JSON object a text."""
    import orjson

    relations: dict[Any, list[dict[str, Any]]] = {}
    for relation in relation_views(corpus):
        arguments = [
            {"role": a.role, "mention": a.mention_id}
            if a.relation_id < 0
            else {"role": a.role, "relation": a.relation_id}
            for a in relation.arguments
        ]
        made = {"id": relation.relation_id, "type": relation.type, "arguments": arguments}
        relations.setdefault(relation.text_ids[0], []).append(made)
    home = dict(zip(corpus.mentions["mention_id"].tolist(), corpus.mentions["text_id"].tolist(), strict=True))
    equal: dict[Any, list[list[int]]] = {}
    for members in equivalence_sets(corpus):
        equal.setdefault(home[members[0]], []).append(members)
    others: dict[Any, list[dict[str, Any]]] = {}
    if corpus.alternatives is not None:
        for row in corpus.alternatives.to_dict("records"):
            others.setdefault(row.pop("text_id"), []).append({str(k): v for k, v in row.items()})
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        for text in views(corpus):
            thing: dict[str, Any] = {
                "text_id": text.text_id,
                "document_id": text.document_id,
                "text": text.text,
            }
            if text.extra:
                thing["features"] = text.extra
            thing["mentions"] = []
            for m in text.mentions:
                made = {"id": m.mention_id, "start": m.start, "end": m.end, "type": m.type}
                if m.side != "gold":
                    made["side"] = m.side
                if m.score is not None:
                    made["score"] = m.score
                if len(m.spans) > 1:
                    made["fragments"] = m.spans
                if m.normalisations:
                    made["normalisations"] = m.normalisations
                if m.extra:
                    made["features"] = m.extra
                thing["mentions"].append(made)
            if corpus.alternatives is not None:
                thing["alternatives"] = others.get(text.text_id, [])
            if text.text_id in relations:
                thing["relations"] = relations[text.text_id]
            if text.text_id in equal:
                thing["equivalences"] = equal[text.text_id]
            stream.write(orjson.dumps(thing, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY))


def more_losses(corpus: Corpus, options: Options) -> list[str]:  # noqa: ARG001 - a hook's signature
    """Categories come back as text, and a column without any value does not come back."""
    lost = []
    for what, frame in further_columns(corpus):
        categories = [c for c in frame.columns if isinstance(frame[c].dtype, pd.CategoricalDtype)]
        empty = [c for c in frame.columns if frame[c].isna().all()]
        if categories:
            lost.append(f"{len(categories)} categorical columns of {what} (read back as text)")
        if empty:
            lost.append(f"{len(empty)} columns of {what} without any value")
    return lost


FORMAT = Format(
    name="jsonl",
    title="JSON lines: an object a text with all that the corpus has on it",
    place="file",
    read=read,
    write=write,
    carries=EVERYTHING,
    more_losses=more_losses,
    parse=parse,
    cost=Cost(6, {b"\n": 20, b"{": 500, b"[": 100, b",": 100}),
)
