"""What a tagger reads and prints: the tables [input] and [output] of its specification."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from ...catalogues.core.settings import Settings
from .outputs.registry import OUTPUT_FORMS

InputForm = Literal[
    "lines",
    "numbered",
    "tokens",
    "text",
    "jsonl",
    "conll",
    "genetag",
    "bc2gm",
    "pubtator",
    "bioc",
    "biocjson",
    "openai_batch",
]

OffsetUnit = Literal["characters", "bytes", "utf16", "nonwhite"]


class Input(Settings):
    """`[input]`: what the tagger is sent, and how.

    Attributes
    ----------
    form : str
        ``lines`` (a case a line), ``tokens`` (the same, a blank between tokens), ``numbered`` (number,
        `separator`, text), ``text`` (the bare text; for a
        process or a file per case), ``jsonl`` (objects with `id` and `text`), ``conll`` (a token a line,
        a blank line after each case), ``genetag`` (number line, text line), ``bc2gm`` (number, blank, text),
        ``pubtator`` (``n|t|text``), ``bioc``, ``biocjson``, ``openai_batch`` (requests of `[http]`, a line
        each, for an offline batch runner).
    via : str
        ``stdin``; ``path`` (one file, ``{input}``); ``folder`` (a file per case in the folder ``{input}``).
    encoding : str
        What the text is encoded in. A character that it does not have is sent as ``?``.
    separator : str
        Between number and text of ``numbered``.
    id_prefix : str
        What ``numbered`` puts before each number, for a program that knows no bare numbers (``PMID:``). The
        tagger's output has the bare number.
    identifier : str
        What stands for ``number``: the case's ``number`` in the whole input, from 1, or its ``text_id``
        (for a tagger that looks recorded output up).
    suffix : str
        Of the file names that the tagger is given.
    id_key, text_key : str
        The keys of ``jsonl``.
    """

    form: InputForm = "lines"
    via: Literal["stdin", "path", "folder"] = "stdin"
    encoding: str = "utf-8"
    separator: str = "\t"
    id_prefix: str = ""
    identifier: Literal["number", "text_id"] = "number"
    suffix: str = ".txt"
    id_key: str = "id"
    text_key: str = "text"

    @property
    def has_identifiers(self) -> bool:
        """Whether the tagger is told the identifier of each case."""
        return self.form not in ("lines", "tokens", "text", "conll")


REMOVED_KEYS = {
    "near": "no longer a key, leave it out; strings are placed by their letters alone",
    "origin": "no longer a key, leave it out; offsets count from the start of each case",
}
"""Keys of earlier versions, and what to do without them."""


def join_mark_patterns(open_: str, close: str) -> str:
    """One pattern of two: what opens a mention is its group ``opens_``, what closes one ``closes_``."""
    return f"(?P<opens_>{open_})|(?P<closes_>{close})"


def _check_pattern(pattern: str) -> str:
    """Refuse what is no regular expression."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression ({error})") from None
    return pattern


Pattern = Annotated[str, AfterValidator(_check_pattern)]


def _check_output_form(name: str) -> str:
    """Check the name of an output form."""
    if name not in OUTPUT_FORMS:
        *most, last = map(repr, OUTPUT_FORMS)
        expected = f"{', '.join(most)} or {last}"
        raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})
    return name


class Output(Settings):
    """`[output]`: what the tagger gives back, and where.

    Attributes
    ----------
    form : str
        Forms that print the text again: ``sgml`` (inline tags), ``token_tag`` (``IL-2/NN``), ``conll``.
        Forms that give places: ``offsets`` (a table), ``jsonl``, ``pubtator``, ``brat``, ``bioc``,
        ``biocjson``. ``names``: strings as JSON lists, without places. ``openai_batch`` holds answers of
        `answer_form`.
    answer_form : str
        The form of the answers within ``openai_batch``.
    via : str
        ``stdout``, or ``path`` with `path`.
    path : str
        A file (``{output}`` or any pattern with placeholders), or a folder of files: a pattern with
        ``{number}``, one file a case.
    encoding : str
        Of the output.
    tags : list of str
        ``sgml``: the element names that mark mentions; all when empty, except those in the text itself.
    open, close : str
        ``sgml``: regular expressions of other marks than tags; the type is the group ``type`` of `open`.
    numbered : bool
        ``sgml`` and ``token_tag``: each line begins with the case's number and `separator`.
    token_column, tag_column : int
        ``conll``: columns of token and tag, counted from 0, or from the end when negative.
    scheme : str
        ``iob`` (IOB1), ``iob2``, ``iobes``, or ``io`` (each run of one tag is a mention).
    outside : list of str
        ``conll`` with scheme ``io`` and ``token_tag``: tags that mean *not in a mention*.
    columns : list of str
        ``offsets``: what the columns hold, of ``id start end length type text score identifiers -``.
    pattern : str
        ``offsets``: instead of columns, a regular expression with groups of those names.
    header, comment : int, str
        ``offsets``: lines to pass over at the beginning; lines that begin so are passed over.
    unit, base, inclusive : str, int, bool
        The convention of offsets: counted in what, first is 0 or 1, the end is inside the mention.
    type : str
        What a mention is of which the tagger says no type; one of our types, not one of the tagger's.
    duplicates : str
        Mentions of the same text, span and type: ``merge`` makes them one (the highest score is kept),
        ``keep`` counts each.
    id_key, mentions_key, start_key, end_key, type_key, text_key, score_key, fragments_key, identifiers_key
        The keys of ``jsonl`` and ``names``; ``span.begin`` is the key ``begin`` of the object ``span``.
    occurrences : str
        ``names``: ``each`` (n equal strings take n occurrences in the order of the text), ``all`` (a string
        takes all), ``first`` (the first).
    """

    form: Annotated[str, AfterValidator(_check_output_form)] = "sgml"
    answer_form: Annotated[str, AfterValidator(_check_output_form)] = "names"
    via: Literal["stdout", "path"] = "stdout"
    path: str = "{output}"
    encoding: str = "utf-8"
    tags: list[str] = Field(default_factory=list)
    open: Pattern = ""
    close: Pattern = ""
    numbered: bool = False
    separator: str = "\t"
    token_column: int = 0
    tag_column: int = -1
    scheme: Literal["iob", "iob2", "iobes", "io"] = "iob2"
    outside: list[str] = Field(default_factory=lambda: ["O"])
    columns: list[str] = Field(default_factory=lambda: ["id", "start", "end", "type"])
    pattern: Pattern = ""
    header: int = Field(default=0, ge=0)
    comment: str = ""
    unit: OffsetUnit = "characters"
    base: Literal[0, 1] = 0
    inclusive: bool = False
    type: str = Field(default="gp", min_length=1)
    duplicates: Literal["merge", "keep"] = "merge"
    id_key: str = "id"
    mentions_key: str = "mentions"
    start_key: str = "start"
    end_key: str = "end"
    type_key: str = "type"
    text_key: str = "text"
    score_key: str = "score"
    fragments_key: str = "fragments"
    identifiers_key: str = "identifiers"
    occurrences: Literal["each", "all", "first"] = "each"

    @model_validator(mode="before")
    @classmethod
    def _refuse_removed(cls, given: Any) -> Any:
        """Name the keys of earlier versions."""
        for key in REMOVED_KEYS:
            if isinstance(given, dict) and key in given:
                raise ValueError(f"{key}: {REMOVED_KEYS[key]}")
        return given

    @model_validator(mode="after")
    def _check_keys(self) -> Output:
        if self.answer_form == "openai_batch":
            raise ValueError("answer_form: an answer holds no batch of answers")
        known = {"id", "start", "end", "length", "type", "text", "score", "identifiers", "-"}
        if bool(self.open) != bool(self.close):
            raise ValueError("open and close: one needs the other")
        if self.open:
            _check_pattern(join_mark_patterns(self.open, self.close))
        named = set(re.compile(self.pattern).groupindex) if self.pattern else set(self.columns)
        for name in sorted(named - known):
            raise ValueError(f"columns: unknown column {name!r}; allowed: {', '.join(sorted(known))}")
        if self.form == "offsets" and not ({"start", "end"} <= named or {"start", "length"} <= named):
            raise ValueError("columns: start and end, or start and length, are needed")
        return self

    @property
    def column_names(self) -> frozenset[str]:
        """What a row of ``offsets`` holds."""
        return frozenset(re.compile(self.pattern).groupindex if self.pattern else self.columns)
