"""JSON lines: one object a text with everything that the corpus says of it.

Keys: ``text_id``, ``document_id``, ``text``, further columns of the text under ``features``; ``mentions``,
objects with ``id``, ``start``, ``end``, ``type``, and where they apply ``side``, ``score``, ``fragments``
([[start, end], …]), ``normalisations`` ([[authority, identifier], …]), ``features``; ``alternatives``,
``relations``, ``equivalences``. Offsets are code points.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_path, digest_bytes
from ...catalogues.core.numbers import FARTHEST
from ..corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus
from .base import EVERYTHING, Format, Options
from .build import Draft, assemble
from .textlines import read_lines_text, split_lines
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


class _Reader:
    """Collects the columns of a file, line by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self.ids: list[Any] = []
        self.documents: list[str] = []
        self.texts: list[str] = []
        self.features: list[dict[str, Any]] = []
        self.rows: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.types: list[str] = []
        self.sides: list[str] = []
        self.scores: list[float] = []
        self.extra: list[dict[str, Any]] = []
        self.lines: list[int] = []
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

    def objects(self, thing: dict[str, Any], key: str) -> list[dict[str, Any]]:
        listed = thing.get(key) or []
        if not isinstance(listed, list) or not all(isinstance(x, dict) for x in listed):
            raise self.fail(f"{key} is not a list of objects", listed)
        return listed

    def take(self, thing: Any) -> None:
        if not isinstance(thing, dict):
            raise self.fail("not an object", thing, "a JSON object a line")
        unknown = sorted(set(thing) - _TEXT_KEYS)
        if unknown:
            raise self.fail("an unknown key", unknown[0], ", ".join(sorted(_TEXT_KEYS)))
        key = self.key(thing, "text_id") if "text_id" in thing else len(self.ids)
        row = len(self.ids)
        self.ids.append(key)
        self.documents.append(self.text(thing, "document_id", ""))
        self.texts.append(self.text(thing, "text"))
        self.features.append(self._features(thing))
        for mention in self.objects(thing, "mentions"):
            self._mention(mention, row)
        if "alternatives" in thing:
            self.has_alternatives = True
        for other in self.objects(thing, "alternatives"):
            rows, starts, ends, types = self.alternatives
            rows.append(row)
            starts.append(self.whole(other, "start"))
            ends.append(self.whole(other, "end"))
            types.append(self.text(other, "type", "gp"))
        for relation in self.objects(thing, "relations"):
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

    def _mention(self, mention: dict[str, Any], row: int) -> None:
        unknown = sorted(set(mention) - _MENTION_KEYS)
        if unknown:
            raise self.fail("an unknown key of a mention", unknown[0], ", ".join(sorted(_MENTION_KEYS)))
        start, end = self.whole(mention, "start"), self.whole(mention, "end")
        length = len(self.texts[row])
        if not 0 <= start < end <= length:
            raise self.fail(
                "an offset outside the text", f"{start} to {end}", f"0 <= start < end <= {length}"
            )
        place = len(self.rows)
        if "id" in mention:
            key = self.key(mention, "id")
            if key in self.mention_place:
                raise self.fail("a mention id occurs twice", key)
            self.mention_place[key] = place
        score = mention.get("score")
        if score is not None and (not isinstance(score, (int, float)) or isinstance(score, bool)):
            raise self.fail("score is not a number", score)
        side = mention.get("side", "gold")
        if side not in ("gold", "predicted"):
            raise self.fail("an unknown side", side, "gold, predicted")
        self.rows.append(row)
        self.starts.append(start)
        self.ends.append(end)
        self.types.append(self.text(mention, "type", "gp"))
        self.sides.append(side)
        self.scores.append(math.nan if score is None else float(score))
        self.extra.append(self._features(mention))
        self.lines.append(self.line)
        for pair in self._pairs(mention, "fragments", int):
            self.draft.fragments.append((place, pair[0], pair[1]))
        for pair in self._pairs(mention, "normalisations", str):
            self.draft.normalisations.append((place, pair[0], pair[1]))

    def _pairs(self, mention: dict[str, Any], key: str, kind: type) -> list[list[Any]]:
        listed = mention.get(key) or []
        fits = isinstance(listed, list) and all(
            isinstance(p, list) and len(p) == 2 and all(isinstance(x, kind) for x in p) for p in listed
        )
        if not fits:
            raise self.fail(f"{key} is not a list of pairs", listed)
        for pair in listed:
            for value in pair:
                self.near(key, value)
        made: list[list[Any]] = listed
        return made

    def _relation(self, relation: dict[str, Any], row: int) -> None:
        number = len(self.relation_place)
        key = self.key(relation, "id") if "id" in relation else f"#{number}"
        if key in self.relation_place:
            raise self.fail("a relation id occurs twice", key)
        self.relation_place[key] = number
        kind = self.text(relation, "type")
        for argument in self.objects(relation, "arguments"):
            role = self.text(argument, "role", "")
            self.waiting.append(
                (self.line, row, kind, role, (number, argument.get("mention")), argument.get("relation"))
            )

    def corpus(self, digest: str) -> Corpus:
        draft = self.draft
        draft.text_ids, draft.texts, draft.document_ids = self.ids, self.texts, self.documents
        draft.rows, draft.starts, draft.ends, draft.types = self.rows, self.starts, self.ends, self.types
        draft.sides, draft.scores, draft.lines = self.sides, self.scores, self.lines
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


def read(path: Path, options: Options) -> Corpus:  # noqa: ARG001 - a reader's signature
    """Read a file of JSON lines."""
    import orjson

    content = read_lines_text(path, "a JSON object a line")
    reader = _Reader(path)
    for number, line in enumerate(split_lines(content), start=1):
        reader.line = number
        if not line.strip():
            continue
        try:
            thing = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise InputError(
                f"not valid JSON ({error.msg})",
                file=path,
                line=number,
                column=error.colno,
                found=line,
                allowed="a JSON object a line",
            ) from None
        reader.take(thing)
    return reader.corpus(digest_bytes(content.encode()))


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
    for frame, known, what in (
        (corpus.texts, TEXT_COLUMNS, "texts"),
        (corpus.mentions, MENTION_COLUMNS, "mentions"),
    ):
        columns = [c for c in frame.columns if c not in known]
        categories = [c for c in columns if isinstance(frame[c].dtype, pd.CategoricalDtype)]
        empty = [c for c in columns if frame[c].isna().all()]
        if categories:
            lost.append(f"{len(categories)} categorical columns of {what} (read back as text)")
        if empty:
            lost.append(f"{len(empty)} columns of {what} without any value")
    return lost


FORMAT = Format(
    name="jsonl",
    title="JSON lines: an object a text with all that the corpus says of it",
    place="file",
    read=read,
    write=write,
    carries=EVERYTHING,
    more_losses=more_losses,
)
