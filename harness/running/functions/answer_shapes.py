"""Conversion of answers from common tagger libraries to lists of mentions.

The form of an answer is recognised without importing the libraries. It may be spaCy's ``Doc`` or spans, the
output of Hugging Face token classification with or without an aggregation strategy, GLiNER's dicts, tuples,
or strings.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MentionFields = dict[str, Any]
"""Mention as a dict; its keys are some of start, end, type, text, score and identifiers."""

LIST_KEYS = ("mentions", "entities", "ents", "spans")
"""Keys of a dict that may contain the list of mentions."""
TYPE_KEYS = ("type", "entity_group", "entity", "label", "label_")
TEXTS = ("text", "word", "span")
SHOWN = 80
ALLOWED_SHAPES = (
    "a list of dicts (start, end, type), of tuples (start, end, type) or of strings, an empty list if "
    "there are no mentions, a spaCy Doc, or a JSON text"
)


class ShapeError(Exception):
    """Error for a tagger's answer in an unknown form.

    Attributes
    ----------
    problem : str
        Description of the problem, with the type of the value.
    found : str
        Description of the unknown value.
    """

    def __init__(self, problem: str, value: Any) -> None:
        kind = "None" if value is None else type(value).__name__
        self.problem, self.found = f"{problem}: {kind}", format_value(value)
        super().__init__(f"{problem}: {self.found}")


def format_value(value: Any, max_length: int = SHOWN) -> str:
    """Return the type and the repr of a value, cut to a maximum length."""
    if value is None:
        return "None"
    try:
        text = repr(value)
    except Exception:  # an object whose repr fails is shown by its type alone
        return type(value).__name__
    return f"{type(value).__name__} {text if len(text) <= max_length else text[:max_length] + '…'}"


def convert_answer(answer: Any) -> list[MentionFields]:
    """Return a tagger's answer for one text as a list of mentions.

    Parameters
    ----------
    answer
        Return value of the tagger.

    Returns
    -------
    list of dict
        Each mention has ``start`` and ``end``, or ``text`` if the answer has no offsets, and ``type`` and
        ``score`` if they are known.

    Raises
    ------
    ShapeError
        If the answer has an unknown form.

    Examples
    --------
    >>> convert_answer([{"entity_group": "Gene", "start": 0, "end": 3, "word": "p53", "score": 0.5}])
    [{'start': 0, 'end': 3, 'type': 'Gene', 'score': 0.5}]
    >>> convert_answer([(0, 3, "gene")]), convert_answer(["p53"])
    ([{'start': 0, 'end': 3, 'type': 'gene'}], [{'text': 'p53'}])
    """
    if hasattr(answer, "ents") and hasattr(answer, "text"):
        return _convert_document(answer)
    if isinstance(answer, Mapping):
        for key in LIST_KEYS:
            if isinstance(answer.get(key), Sequence) and not isinstance(answer[key], str):
                return convert_answer(answer[key])
        raise ShapeError("the answer is a dict without a list of mentions", answer)
    if answer is None or isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        raise ShapeError("the answer is not a list of mentions", answer)
    items = list(answer)
    if any(isinstance(item, Mapping) and "entity" in item and "index" in item for item in items):
        items = _join_pieces(items)
    return [_convert_mention(item) for item in items]


def _convert_mention(item: Any) -> MentionFields:
    if isinstance(item, str):
        return {"text": str(item)}
    if isinstance(item, Mapping):
        return _convert_fields(item, item)
    if isinstance(item, (tuple, list)) and not hasattr(item, "_fields"):
        if not 2 <= len(item) <= 4:
            raise ShapeError(
                "a tuple must be (start, end), (start, end, type) or (start, end, type, score)", item
            )
        return _convert_fields(dict(zip(("start", "end", "type", "score"), item, strict=False)), item)
    if hasattr(item, "start_char") and hasattr(item, "end_char"):
        # a spaCy span, whose `start` and `end` count tokens
        names = {"start": item.start_char, "end": item.end_char, "type": getattr(item, "label_", None)}
        return _convert_fields(names, item)
    names = {k: getattr(item, k) for k in ("start", "end", "score", *TYPE_KEYS, *TEXTS) if hasattr(item, k)}
    if not names or isinstance(item, (int, float, bytes)):
        raise ShapeError("a mention has an unknown form", item)
    return _convert_fields(names, item)


def _convert_fields(fields: Mapping[str, Any], item: Any) -> MentionFields:
    """Convert a dict with any of the accepted key names to a mention; error messages show `item`."""
    mention: MentionFields = {}
    start, end = fields.get("start"), fields.get("end")
    if start is not None or end is not None:
        mention |= {"start": _convert_offset(start, "start", item), "end": _convert_offset(end, "end", item)}
    else:
        # the text of a mention with offsets is ignored, because tokenizers change it
        text = next((fields[k] for k in TEXTS if isinstance(fields.get(k), str)), None)
        if text is None:
            raise ShapeError("a mention has neither offsets (start, end) nor a text", item)
        mention["text"] = text
    kind = next((fields[k] for k in TYPE_KEYS if fields.get(k) is not None), None)
    if kind is not None:
        if not isinstance(kind, str):
            raise ShapeError("a mention's type is not a string", item)
        mention["type"] = kind
    score = _convert_score(fields.get("score"), item)
    if (identifiers := fields.get("identifiers")) is not None:
        listed = identifiers if isinstance(identifiers, (list, tuple)) else [identifiers]
        if not all(isinstance(name, str) for name in listed):
            raise ShapeError("a mention's identifiers are neither a string nor a list of strings", item)
        mention["identifiers"] = list(listed)
    return mention if score is None else {**mention, "score": score}


def _convert_offset(value: Any, name: str, item: Any) -> int:
    """Return an offset of any integer type, including those of NumPy, as an int."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise ShapeError(f"a mention's {name} is not a whole number", item)


def _convert_score(value: Any, item: Any) -> float | None:
    """Return a score of any number type as a float; None if it is missing or NaN."""
    if value is None:
        return None
    try:
        number = None if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        raise ShapeError("a mention's score is not a number", item)
    if math.isnan(number):
        return None
    if math.isinf(number):
        raise ShapeError("a mention's score is infinite", item)
    return number


def _convert_document(document: Any) -> list[MentionFields]:
    """Return the entities of a spaCy document and the spans of its span groups, without duplicates."""
    spans = [(span, None) for span in document.ents]
    groups = getattr(document, "spans", None)
    if isinstance(groups, Mapping):
        for group in groups.values():
            scores = getattr(group, "attrs", {}).get("scores")
            group_spans = list(group)
            known_scores = list(scores) if scores is not None else []
            if len(known_scores) != len(group_spans):
                known_scores = [None] * len(group_spans)
            spans += zip(group_spans, known_scores, strict=True)
    mentions: dict[object, MentionFields] = {}
    for span, score in spans:
        mention, number = _convert_mention(span), _convert_score(score, span)
        key = tuple(map(mention.get, ("start", "end", "type")))
        mentions.setdefault(key, mention if number is None else {**mention, "score": number})
    return list(mentions.values())


def _join_pieces(pieces: Sequence[Any]) -> list[Any]:
    """Join subword pieces into mentions, like Hugging Face's aggregation strategy *simple*."""
    mentions: list[dict[str, Any]] = []
    last: Any = None
    scores: list[float] = []
    for piece in pieces:
        if not (isinstance(piece, Mapping) and "entity" in piece and "index" in piece):
            raise ShapeError("some subword pieces have no key 'entity' or 'index'", piece)
        mark, dash, kind = str(piece["entity"]).partition("-")
        if not dash or mark not in ("B", "I"):
            mark, kind = "I", str(piece["entity"])
        goes_on = mentions and mark == "I" and mentions[-1]["type"] == kind and piece["index"] == last + 1
        if not goes_on:
            mentions.append({"start": piece.get("start"), "end": piece.get("end"), "type": kind})
            scores = []
        mentions[-1]["end"] = piece.get("end")
        if piece.get("score") is not None:
            scores.append(float(piece["score"]))
            mentions[-1]["score"] = sum(scores) / len(scores)
        last = piece["index"]
    return mentions
