"""Mentions as given in a file; their fields are checked but not yet compared with the texts.

The parsers of all formats fill `MentionRecords`. When a corpus is read, the first problem raises an
InputError with file and line. When tagger output is read, each problem is stored with the id of the text, so
that only the answer for this text is rejected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import NumberTooLargeError, parse_whole_number
from ..identifiers import join_by_mention, split_identifiers
from .problems import NOT_FOUND, describe_missing_key, shorten_value


def value_at(fields: Any, path: str) -> Any:
    """Return the value at a key, or at a dotted path of keys and list indexes; NOT_FOUND if there is none.

    Examples
    --------
    >>> value_at({"span": {"begin": 7}}, "span.begin"), value_at({"span.begin": 8}, "span.begin")
    (7, 8)
    """
    if isinstance(fields, dict) and path in fields:
        return fields[path]
    for part in path.split("."):
        if isinstance(fields, dict) and part in fields:
            fields = fields[part]
        elif isinstance(fields, list) and part.isdecimal() and int(part) < len(fields):
            fields = fields[int(part)]
        else:
            return NOT_FOUND
    return fields


def value_or_none(fields: Any, path: str) -> Any:
    """Return the value at a key or dotted path, or None if there is none."""
    value = value_at(fields, path)
    return None if value is NOT_FOUND else value


MAX_OFFSET = 2**31 - 1
"""Largest valid offset."""
WRONG_CASE = "this is the answer to a different case"
"""Message about a record whose id differs from the id of the expected case."""


class SpanLength(NamedTuple):
    """Length of a mention, for formats that store lengths instead of ends."""

    value: Any


@dataclass
class MentionRecords:
    """Mentions as given in a file, stored as columns with one value per mention.

    The parsers of the formats extract the fields of a mention; the method `add` checks them.

    Attributes
    ----------
    strict : bool
        Whether the first problem raises an InputError; otherwise problems are stored.
    file : path or None
        File that is being read, for messages.
    expected_name : str or None
        Id of the text if the file is about one text, otherwise None.
    requires_name : bool
        Whether a record with an id other than `expected_name` is a problem.
    names : list of str
        Id of the text that contains each mention; "" if the offsets refer to several joined texts.
    start, end : list of int
        Offsets as in the file; the span of a discontinuous mention includes all its fragments.
    fragments : list of (int, int, int)
        Index of a discontinuous mention, and start and end of each of its fragments.
    type : list of str
        Type of each mention, or "".
    score : list of float
        Score of each mention, or NaN.
    text : list of str or None
        Text of each mention as given in the file.
    line : list of int or None
        Line number of each mention, from 1.
    identifiers : list of (int, str, str)
        Index of a mention, authority and identifier.
    current_line : int or None
        Number (from 0) of the line that is being read; None if the file does not have one record per line.
    text_lines : dict of str to list of int
        In tagger output, the numbers (from 0) of the lines that belong to each text.
    seen_names : list of str or None
        Ids of all texts that the file contains; None if the format lists only texts with mentions.
    broken_count : int
        Number of lines or records that could not be read.
    broken_names : list of str
        Text ids of the records that could not be read, if known.
    broken_problems : dict of str to str
        First problem for each text id; the key "" is used for records without a known text id.
    """

    strict: bool = False
    file: str | PathLike[str] | None = None
    expected_name: str | None = None
    requires_name: bool = False
    names: list[str] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    fragments: list[tuple[int, int, int]] = field(default_factory=list)
    type: list[str] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    text: list[str | None] = field(default_factory=list)
    line: list[int | None] = field(default_factory=list)
    identifiers: list[tuple[int, str, str]] = field(default_factory=list)
    current_line: int | None = None
    text_lines: dict[str, list[int]] = field(default_factory=dict)
    seen_names: list[str] | None = None
    broken_count: int = 0
    broken_names: list[str] = field(default_factory=list)
    broken_problems: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    def add(
        self,
        name: Any,
        spans: Sequence[tuple[Any, Any]],
        kind: Any = None,
        score: Any = None,
        text: Any = None,
        identifiers: Any = None,
        line: int | None = None,
        where: str = "",
    ) -> bool:
        """Check the fields of a mention and add it, or report the problem.

        Parameters
        ----------
        name : str or int
            Id of the text.
        spans : sequence of (start, end)
            Start and end as integers or strings; the end can be a `SpanLength`. Several spans are the
            fragments of a discontinuous mention.
        kind : str, int or None
            Type of the mention.
        score : number, str or None
            Score of the mention, as a number or string.
        text : str or None
            Text of the mention as given in the file.
        identifiers : str, int, list or None
            ``AUTHORITY:ID`` or ``ID``, joined by ``|``; or a list of such strings, or of pairs of authority
            and identifier.
        line : int, optional
            Line number, from 1.
        where : str
            Description of the mention, for messages about formats without line numbers.

        Returns
        -------
        bool
            True if the mention was added.
        """
        try:
            text_name = _word(name, "identifier")
            edges = sorted(_span(start, end) for start, end in spans)
            if not edges:
                raise _FieldError("a mention has no location", NOT_FOUND)
            kind, score, pairs = _word(kind, "type"), _score(score), _identifiers(identifiers)
            text = None if text is None else _word(text, "text")
        except _FieldError as wrong:
            problem = f"{where}: {wrong.problem}" if where else wrong.problem
            self.refuse(name, problem, wrong.found, line=line)
            return False
        place = len(self.names)
        if len(edges) > 1:
            self.fragments += [(place, start, end) for start, end in edges]
        self.names.append(text_name)
        self.start.append(edges[0][0])
        self.end.append(max(end for _, end in edges))
        self.type.append(kind)
        self.score.append(score)
        self.text.append(text)
        self.line.append(line)
        self.identifiers += [(place, *pair) for pair in pairs]
        self._note_line(text_name)
        return True

    def _note_line(self, name: str) -> None:
        """Record that the current line belongs to a text."""
        if self.current_line is None:
            return
        lines = self.text_lines.setdefault(name, [])
        if not lines or lines[-1] != self.current_line:
            lines.append(self.current_line)

    def refuse(
        self,
        name: Any,
        problem: str,
        found: Any = NOT_FOUND,
        *,
        line: int | None = None,
        column: int | None = None,
        allowed: str | None = None,
    ) -> None:
        """Raise an InputError about a problem if `strict` is true; otherwise store the problem.

        Parameters
        ----------
        name : str, int or None
            Id of the text, if known.
        problem : str
            Message.
        found : object
            Value found, for the message.
        line, column : int, optional
            Position in the file, from 1.
        allowed : str, optional
            Allowed values, for the message.
        """
        if self.strict:
            shown = None if found is NOT_FOUND else found
            raise InputError(problem, file=self.file, line=line, column=column, found=shown, allowed=allowed)
        self.broken_count += 1
        is_named = isinstance(name, (str, int)) and not isinstance(name, bool)
        if is_named:
            self.broken_names.append(str(name))
            self._note_line(str(name))
        place = "" if line is None else f" in line {line}"
        wanted = f"; allowed: {allowed}" if allowed else ""
        message = problem if found is NOT_FOUND else f"{problem}: {shorten_value(found)}{place}{wanted}"
        self.broken_problems.setdefault(str(name) if is_named else "", message)

    def is_expected_text(self, name: Any, line: int | None = None) -> bool:
        """Return True if the id in a record is missing or is the expected id; otherwise report a problem."""
        if (
            not self.requires_name
            or self.expected_name is None
            or not is_other_identifier(name, self.expected_name)
        ):
            return True
        self.refuse(self.expected_name, WRONG_CASE, name, line=line, allowed=self.expected_name)
        return False

    def has_key(self, name: Any, fields: Mapping[str, Any], key: str, where: str, setting: str = "") -> bool:
        """Return True if a record has a required key; otherwise report a problem that lists its keys.

        Parameters
        ----------
        name : str or int
            Id of the text.
        fields : mapping
            Record.
        key : str
            Required key.
        where : str
            Description of the record, for messages.
        setting : str
            Key of the tagger specification that sets the name of `key`.
        """
        if key in fields or value_at(fields, key) is not NOT_FOUND:
            return True
        self.refuse(name, describe_missing_key(f"{where} has no key", fields, key, setting))
        return False

    def has_list(
        self,
        name: Any,
        fields: Mapping[str, Any],
        keys: Sequence[str],
        where: str,
        *,
        setting: str = "",
        line: int | None = None,
    ) -> bool:
        """Return True unless a record contains lists but has none of `keys`; otherwise report a problem.

        The message states that the first of `keys` is missing. For the other parameters, see `has_key`.
        """
        # with a dotted path, any object may be a parent of the list
        holders = (list, dict) if "." in keys[0] else list
        if keys[0] in fields or any(value_at(fields, key) is not NOT_FOUND for key in keys):
            return True
        if not any(isinstance(value, holders) for value in fields.values()):
            return True
        self.refuse(name, describe_missing_key(f"{where} has no key", fields, keys[0], setting), line=line)
        return False

    def spans(self) -> list[list[tuple[int, int]]]:
        """Return the spans of each mention: one per fragment, or only one if the mention is contiguous."""
        spans = [[pair] for pair in zip(self.start, self.end, strict=True)]
        for place in {place for place, _, _ in self.fragments}:
            spans[place] = []
        for place, start, end in self.fragments:
            spans[place].append((start, end))
        return spans

    def identifier_texts(self) -> list[str]:
        """Return the identifiers of each mention as one string; see `join_identifiers`."""
        texts = join_by_mention(self.identifiers)
        return [texts.get(place, "") for place in range(len(self.names))]

    def note_name(self, name: str) -> None:
        """Record that the file contains data about the text with this id."""
        if self.seen_names is None:
            self.seen_names = []
        self.seen_names.append(name)
        self._note_line(name)

    def get_objects(
        self, name: str | None, holder: dict[str, Any], key: str, line: int | None = None
    ) -> list[dict[str, Any]]:
        """Return the list of JSON objects at a key, or an empty list if the key is missing.

        In a corpus, null is read as an empty list. Any other value is reported as a problem.
        """
        value = holder[key] if key in holder else value_at(holder, key)
        if value is NOT_FOUND:
            return []
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return value
        if not (self.strict and value is None):
            self.refuse(name, f"{key} is not a list of objects", value, line=line)
        return []


class _FieldError(Exception):
    """Error raised if a field has an invalid value."""

    def __init__(self, problem: str, found: Any) -> None:
        super().__init__(problem)
        self.problem = problem
        self.found = found


def parse_identifier(value: Any) -> str | None:
    """Return an id from JSON as a string, or None if it is neither a string nor an integer."""
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None


def is_other_identifier(value: Any, name: str) -> bool:
    """Return True if an id from JSON is present and differs from `name`."""
    return value is not None and parse_identifier(value) != name


def _span(start: Any, end: Any) -> tuple[int, int]:
    first = _offset(start, "start")
    if isinstance(end, SpanLength):
        return first, first + _offset(end.value, "length")
    return first, _offset(end, "end")


def _offset(value: Any, field_name: str) -> int:
    try:
        return parse_whole_number(value, MAX_OFFSET)
    except NumberTooLargeError:
        problem = f"{field_name} is out of range"
    except ValueError:
        problem = f"{field_name} is not an integer"
    raise _FieldError(problem, value)


def _score(value: Any) -> float:
    if value is None or value == "":
        return float("nan")
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            return float(value)
        except (ValueError, OverflowError):
            pass
    raise _FieldError("score is not a number", value)


def _identifiers(value: Any) -> list[tuple[str, str]]:
    if value is None or value == "":
        return []
    if isinstance(value, list):
        pairs = [item if isinstance(item, list) and len(item) == 2 else None for item in value]
        if all(pair is not None and all(isinstance(part, str) for part in pair) for pair in pairs):
            return [(authority, name) for authority, name in value]
        return [pair for item in value for pair in split_identifiers(_word(item, "identifier"))]
    return split_identifiers(_word(value, "identifier"))


def _word(value: Any, field_name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise _FieldError(f"{field_name} is not text", value)
