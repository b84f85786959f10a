"""Mentions as the records of a file say them, checked field by field and not yet against a text.

Every format's parser gives `MentionRecords`. A corpus is read strictly: the first problem is an `InputError`
with file and line. A tagger's output is not: each problem is kept with the identifier of the text that it
concerns, so that this text's answer is refused and all others are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import NumberTooLargeError, parse_whole_number
from ..identifiers import join_identifiers, split_identifiers
from .problems import NOT_FOUND, describe_missing_key, shorten_value


def value_at(fields: Any, path: str) -> Any:
    """Return what stands under a key, or at a path of keys and list places joined by dots; else `NOTHING`.

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
    """Return what stands at a path (see `value_at`), None where there is nothing."""
    value = value_at(fields, path)
    return None if value is NOT_FOUND else value


MAX_OFFSET = 2**31 - 1
"""The largest offset that is one at all: no text is longer."""
WRONG_CASE = "the answer to another case"
"""Of a record whose identifier is not that of the case that was asked for."""


class SpanLength(NamedTuple):
    """What stands for a mention's end where the form has its length."""

    value: Any


@dataclass
class MentionRecords:
    """Mentions by the identifier of their text, columns of one entry a mention.

    What a record must be to become a mention is defined here alone, in `add`; parsers only know where in
    their format each of its fields stands.

    Attributes
    ----------
    strict : bool
        Whether the first problem is raised; else all are kept.
    file : path or None
        For messages.
    expected_name : str or None
        The text that all of the file is about, where a file has one text.
    requires_name : bool
        Whether who wrote the file was told this name: then a record under another one is not this text's.
    names : list of str
        The identifier of each mention's text (empty when offsets run over several texts).
    start, end : list of int
        Offsets as the file counts them; of a discontinuous mention those of all its fragments together.
    fragments : list of (int, int, int)
        Place of a discontinuous mention, start and end of each of its fragments.
    type : list of str
        Empty where the file gives none.
    score : list of float
    text : list of str or None
        The mention's text as the file gives it, None where it does not.
    line : list of int or None
        Where the mention stands.
    identifiers : list of (int, str, str)
        Place of a mention, authority and identifier.
    current_line : int or None
        The line that is being read, counted from 0; None in formats whose records are not lines.
    text_lines : dict of str to list of int
        Lines about each text in a tagger's output.
    seen_names : list of str or None
        All identifiers that the file has a record for, with or without mentions; None when a text without
        mentions leaves no trace.
    broken_count : int
        Lines or records that could not be read.
    broken_names : list of str
        Identifiers of such records, where they are known.
    broken_problems : dict of str to str
        What was found in the first broken record of each identifier; under the empty one, in the first
        whose identifier is not known.
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
        """Add a mention, or say what is wrong with it; fields are as the format has them.

        Parameters
        ----------
        name : text or whole number
            The text's identifier.
        spans : sequence of (start, end)
            Whole numbers, or text that spells them; a `Length` may stand for the end. Several are fragments.
        kind : text, whole number or None
        score : number, text that spells one, or None
        text : text or None
        identifiers : text, whole number, list or None
            ``AUTHORITY:ID`` or ``ID``, several joined by ``|``; or a list of such texts, or of pairs.
        line : int, optional
            Counted from 1.
        where : str
            Which mention it is, for messages of files without lines.

        Returns
        -------
        bool
            Whether it was added.
        """
        try:
            own = _word(name, "identifier")
            edges = sorted(_span(start, end) for start, end in spans)
            if not edges:
                raise _FieldError("a mention without a place", NOT_FOUND)
            kind, score, known = _word(kind, "type"), _score(score), _identifiers(identifiers)
            text = None if text is None else _word(text, "text")
        except _FieldError as wrong:
            problem = f"{where}: {wrong.problem}" if where else wrong.problem
            self.refuse(name, problem, wrong.found, line=line)
            return False
        place = len(self.names)
        if len(edges) > 1:
            self.fragments += [(place, start, end) for start, end in edges]
        self.names.append(own)
        self.start.append(edges[0][0])
        self.end.append(max(end for _, end in edges))
        self.type.append(kind)
        self.score.append(score)
        self.text.append(text)
        self.line.append(line)
        self.identifiers += [(place, *pair) for pair in known]
        self._note_line(own)
        return True

    def _note_line(self, name: str) -> None:
        """Note that the line that is being read is about a text."""
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
        """Raise or keep a problem; `name` is its text's identifier, None when that is not known."""
        if self.strict:
            shown = None if found is NOT_FOUND else found
            raise InputError(problem, file=self.file, line=line, column=column, found=shown, allowed=allowed)
        self.broken_count += 1
        known = isinstance(name, (str, int)) and not isinstance(name, bool)
        if known:
            self.broken_names.append(str(name))
            self._note_line(str(name))
        place = "" if line is None else f" in line {line}"
        wanted = f"; allowed: {allowed}" if allowed else ""
        message = problem if found is NOT_FOUND else f"{problem}: {shorten_value(found)}{place}{wanted}"
        self.broken_problems.setdefault(str(name) if known else "", message)

    def is_expected_text(self, given: Any, line: int | None = None) -> bool:
        """Whether a record is about the text that was asked for; where it says another, that is kept."""
        if (
            not self.requires_name
            or self.expected_name is None
            or not is_other_identifier(given, self.expected_name)
        ):
            return True
        self.refuse(self.expected_name, WRONG_CASE, given, line=line, allowed=self.expected_name)
        return False

    def has_key(self, name: Any, fields: Mapping[str, Any], key: str, where: str, setting: str = "") -> bool:
        """Whether a record has a key that it needs; where it has not, that is kept with those that it has.

        Parameters
        ----------
        name : text or whole number
            The text's identifier.
        fields : mapping
            The record.
        key : str
        where : str
            Which record it is.
        setting : str
            What of a tagger's specification says how the key is called.
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
        """Whether a record has one of the lists that it may have, or none at all: no list under another name.

        Where it has not, the first of `keys` is what is missing; else as `has`.
        """
        # a list at a path may be missing anywhere on the way to it
        holders = (list, dict) if "." in keys[0] else list
        if keys[0] in fields or any(value_at(fields, key) is not NOT_FOUND for key in keys):
            return True
        if not any(isinstance(one, holders) for one in fields.values()):
            return True
        self.refuse(name, describe_missing_key(f"{where} has no key", fields, keys[0], setting), line=line)
        return False

    def spans(self) -> list[list[tuple[int, int]]]:
        """Start and end of each mention, or of each of its fragments in order."""
        made = [[pair] for pair in zip(self.start, self.end, strict=True)]
        for place in {place for place, _, _ in self.fragments}:
            made[place] = []
        for place, start, end in self.fragments:
            made[place].append((start, end))
        return made

    def identifier_texts(self) -> list[str]:
        """Return the identifiers of each mention as one text; see `join_identifiers`."""
        if not self.identifiers:
            return [""] * len(self.names)
        listed: dict[int, list[tuple[str, str]]] = {}
        for place, authority, identifier in self.identifiers:
            listed.setdefault(place, []).append((authority, identifier))
        return [join_identifiers(listed.get(place, ())) for place in range(len(self.names))]

    def note_name(self, name: str) -> None:
        """Note that the file has a record for a text."""
        if self.seen_names is None:
            self.seen_names = []
        self.seen_names.append(name)
        self._note_line(name)

    def get_objects(
        self, name: str | None, holder: dict[str, Any], key: str, line: int | None = None
    ) -> list[dict[str, Any]]:
        """The objects of a list in JSON; none where the key is absent, a problem where it is anything else.

        Corpora say null for an empty list; from a tagger it is a sign that something went wrong.
        """
        value = holder[key] if key in holder else value_at(holder, key)
        if value is NOT_FOUND:
            return []
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            return value
        if not (self.strict and value is None):
            self.refuse(name, f"{key} is no list of objects", value, line=line)
        return []


class _FieldError(Exception):
    """A field is not what it must be."""

    def __init__(self, problem: str, found: Any) -> None:
        super().__init__(problem)
        self.problem = problem
        self.found = found


def parse_identifier(value: Any) -> str | None:
    """An identifier in JSON, text or a whole number; None when it is anything else."""
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None


def is_other_identifier(given: Any, name: str) -> bool:
    """Whether an identifier in JSON is there, and another text's than the one of a name."""
    return given is not None and parse_identifier(given) != name


def _span(start: Any, end: Any) -> tuple[int, int]:
    first = _offset(start, "start")
    if isinstance(end, SpanLength):
        return first, first + _offset(end.value, "length")
    return first, _offset(end, "end")


def _offset(value: Any, what: str) -> int:
    try:
        return parse_whole_number(value, MAX_OFFSET)
    except NumberTooLargeError:
        problem = f"{what} lies beyond every text"
    except ValueError:
        problem = f"{what} is no whole number"
    raise _FieldError(problem, value)


def _score(value: Any) -> float:
    if value is None or value == "":
        return float("nan")
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            return float(value)
        except (ValueError, OverflowError):
            pass
    raise _FieldError("score is no number", value)


def _identifiers(value: Any) -> list[tuple[str, str]]:
    if value is None or value == "":
        return []
    if isinstance(value, list):
        pairs = [one if isinstance(one, list) and len(one) == 2 else None for one in value]
        if all(pair is not None and all(isinstance(part, str) for part in pair) for pair in pairs):
            return [(authority, name) for authority, name in value]
        return [pair for one in value for pair in split_identifiers(_word(one, "identifier"))]
    return split_identifiers(_word(value, "identifier"))


def _word(value: Any, what: str) -> str:
    if value is None:
        return ""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise _FieldError(f"{what} is no text", value)
