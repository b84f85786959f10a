"""What taggers of today return, turned into one common answer.

Known by their looks, so that none of their libraries is imported: spaCy's ``Doc`` and spans, the output of
Hugging Face's token classification with or without an aggregation strategy, GLiNER's dicts, tuples, strings.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

MentionFields = dict[str, Any]
"""Of ``start``, ``end``, ``type``, ``text``, ``score``, ``identifiers``: those that are known."""

LIST_KEYS = ("mentions", "entities", "ents", "spans")
"""Keys of a dict that may hold the list of mentions."""
TYPE_KEYS = ("type", "entity_group", "entity", "label", "label_")
TEXTS = ("text", "word", "span")
SHOWN = 80
ALLOWED_SHAPES = (
    "a list of dicts (start, end, type), of tuples (start, end, type) or of strings, an empty list where "
    "there is nothing, a spaCy Doc, or a text that holds JSON"
)


class ShapeError(Exception):
    """An answer is of none of the shapes that are known.

    Attributes
    ----------
    problem, found : str
        What is wrong with what type, and what was found.
    """

    def __init__(self, problem: str, found: Any) -> None:
        kind = "None" if found is None else type(found).__name__
        self.problem, self.found = f"{problem}: {kind}", format_value(found)
        super().__init__(f"{problem}: {self.found}")


def format_value(found: Any, max_length: int = SHOWN) -> str:
    """What was found, with its type, short enough to be shown."""
    if found is None:
        return "None"
    try:
        text = repr(found)
    except Exception:  # an object whose repr fails is shown by its type alone
        return type(found).__name__
    return f"{type(found).__name__} {text if len(text) <= max_length else text[:max_length] + '…'}"


def convert_answer(answer: Any) -> list[MentionFields]:
    """A tagger's answer about one text as a list of mentions.

    Parameters
    ----------
    answer
        What the tagger returned.

    Returns
    -------
    list of dict
        Each has ``start`` and ``end``, or else ``text``; ``type`` and ``score`` where the tagger says them.

    Raises
    ------
    ShapeError
        With what was found.

    Examples
    --------
    >>> common([{"entity_group": "Gene", "start": 0, "end": 3, "word": "p53", "score": 0.5}])
    [{'start': 0, 'end': 3, 'type': 'Gene', 'score': 0.5}]
    >>> common([(0, 3, "gene")]), common(["p53"])
    ([{'start': 0, 'end': 3, 'type': 'gene'}], [{'text': 'p53'}])
    """
    if hasattr(answer, "ents") and hasattr(answer, "text"):
        return list(_convert_document(answer))
    if isinstance(answer, Mapping):
        for key in LIST_KEYS:
            if isinstance(answer.get(key), Sequence) and not isinstance(answer[key], str):
                return convert_answer(answer[key])
        raise ShapeError("the answer is a dict without a list of mentions", answer)
    if answer is None or isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        raise ShapeError("the answer is no list of mentions", answer)
    found = list(answer)
    if any(isinstance(one, Mapping) and "entity" in one and "index" in one for one in found):
        found = _join_pieces(found)
    return [_convert_mention(one) for one in found]


def _convert_mention(one: Any) -> MentionFields:
    if isinstance(one, str):
        return {"text": str(one)}
    if isinstance(one, Mapping):
        return _convert_fields(one, one)
    if isinstance(one, (tuple, list)) and not hasattr(one, "_fields"):
        if not 2 <= len(one) <= 4:
            raise ShapeError(
                "a tuple is not (start, end), (start, end, type) or (start, end, type, score)", one
            )
        return _convert_fields(dict(zip(("start", "end", "type", "score"), one, strict=False)), one)
    if hasattr(one, "start_char") and hasattr(one, "end_char"):
        # a span of spaCy's: its `start` and `end` are tokens
        names = {"start": one.start_char, "end": one.end_char, "type": getattr(one, "label_", None)}
        return _convert_fields(names, one)
    names = {k: getattr(one, k) for k in ("start", "end", "score", *TYPE_KEYS, *TEXTS) if hasattr(one, k)}
    if not names or isinstance(one, (int, float, bytes)):
        raise ShapeError("a mention is of no known shape", one)
    return _convert_fields(names, one)


def _convert_fields(fields: Mapping[str, Any], one: Any) -> MentionFields:
    """A mention of its fields, under whichever of their names; `one` is shown where they are wrong."""
    mention: MentionFields = {}
    start, end = fields.get("start"), fields.get("end")
    if start is not None or end is not None:
        mention |= {"start": _convert_offset(start, "start", one), "end": _convert_offset(end, "end", one)}
    else:
        # of a mention with offsets the text is left out: tokenizers change it
        text = next((fields[k] for k in TEXTS if isinstance(fields.get(k), str)), None)
        if text is None:
            raise ShapeError("a mention has neither start and end nor a text", one)
        mention["text"] = text
    kind = next((fields[k] for k in TYPE_KEYS if fields.get(k) is not None), None)
    if kind is not None:
        if not isinstance(kind, str):
            raise ShapeError("a mention's type is no text", one)
        mention["type"] = kind
    score = _convert_score(fields.get("score"), one)
    if (known := fields.get("identifiers")) is not None:
        listed = known if isinstance(known, (list, tuple)) else [known]
        if not all(isinstance(name, str) for name in listed):
            raise ShapeError("a mention's identifiers are neither a text nor a list of texts", one)
        mention["identifiers"] = list(listed)
    return mention if score is None else {**mention, "score": score}


def _convert_offset(value: Any, name: str, one: Any) -> int:
    """An offset of any kind of whole number, NumPy's included."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise ShapeError(f"a mention's {name} is no whole number", one)


def _convert_score(value: Any, one: Any) -> float | None:
    """A score of any kind of number; none where it is none."""
    if value is None or isinstance(value, str):
        if value is None:
            return None
        raise ShapeError("a mention's score is no number", one)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ShapeError("a mention's score is no number", one) from None
    if math.isnan(number):
        return None
    if math.isinf(number):
        raise ShapeError("a mention's score is infinite", one)
    return number


def _convert_document(document: Any) -> Iterator[MentionFields]:
    """The entities of a spaCy document and the spans of its groups, each once."""
    spans = [(span, None) for span in document.ents]
    groups = getattr(document, "spans", None)
    if isinstance(groups, Mapping):
        for group in groups.values():
            scores = getattr(group, "attrs", {}).get("scores")
            found = list(group)
            known = list(scores) if scores is not None and len(scores) == len(found) else [None] * len(found)
            spans += zip(found, known, strict=True)
    seen = set()
    for span, score in spans:
        mention = _convert_mention(span)
        key = (mention.get("start"), mention.get("end"), mention.get("type"))
        if key not in seen:
            seen.add(key)
            number = _convert_score(score, span)
            yield mention if number is None else {**mention, "score": number}


def _join_pieces(pieces: Sequence[Any]) -> list[Any]:
    """Pieces of words joined as the strategy *simple* joins them: by their index, B- and I-."""
    made: list[dict[str, Any]] = []
    last: Any = None
    scores: list[float] = []
    for piece in pieces:
        if not (isinstance(piece, Mapping) and "entity" in piece and "index" in piece):
            raise ShapeError("some pieces of words have no entity or index", piece)
        mark, dash, kind = str(piece["entity"]).partition("-")
        if not dash or mark not in ("B", "I"):
            mark, kind = "I", str(piece["entity"])
        goes_on = made and mark == "I" and made[-1]["type"] == kind and piece["index"] == last + 1
        if not goes_on:
            made.append({"start": piece.get("start"), "end": piece.get("end"), "type": kind})
            scores = []
        made[-1]["end"] = piece.get("end")
        if piece.get("score") is not None:
            scores.append(float(piece["score"]))
            made[-1]["score"] = sum(scores) / len(scores)
        last = piece["index"]
    return made
