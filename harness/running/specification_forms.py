"""Input and output forms of a tagger: the tables [input] and [output] of its specification."""

from __future__ import annotations

import re
from typing import Annotated, Literal

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
    """Table `[input]`: form and channel of the tagger's input.

    Attributes
    ----------
    form : str
        ``lines`` (one case per line), ``tokens`` (one case per line, with spaces between tokens),
        ``numbered`` (number, `separator`, text), ``text`` (only the text; for one process or file per case),
        ``jsonl`` (one object per line, with `id` and `text`), ``conll`` (one token per line, a blank line
        after each case), ``genetag`` (a line with the number, a line with the text), ``bc2gm`` (number,
        space, text), ``pubtator`` (``n|t|text``), ``bioc``, ``biocjson``, ``openai_batch`` (one request of
        `[http]` per line, for an offline batch runner).
    via : str
        ``stdin``; ``path`` (one file, ``{input}``); ``folder`` (one file per case in the folder ``{input}``).
    encoding : str
        Character encoding. Characters that it cannot represent are sent as ``?``.
    separator : str
        Separator between number and text in ``numbered``.
    id_prefix : str
        Prefix of each number in ``numbered``, for a program that requires one (``PMID:``). The tagger's
        output contains the number without the prefix.
    identifier : str
        Identifier of a case: ``number`` (its number in the whole input, from 1) or ``text_id`` (for a tagger
        that looks up recorded output).
    suffix : str
        Ending of the names of input files.
    id_key, text_key : str
        Keys of the objects in ``jsonl``.
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
        """True if the tagger receives the identifier of each case."""
        return self.form not in ("lines", "tokens", "text", "conll")


def join_mark_patterns(open_: str, close: str) -> str:
    """Return a pattern that matches either expression, in a group named ``opens_`` or ``closes_``."""
    return f"(?P<opens_>{open_})|(?P<closes_>{close})"


def _check_pattern(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression ({error})") from None
    return pattern


Pattern = Annotated[str, AfterValidator(_check_pattern)]


def _check_output_form(name: str) -> str:
    if name not in OUTPUT_FORMS:
        *most, last = map(repr, OUTPUT_FORMS)
        expected = f"{', '.join(most)} or {last}"
        raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})
    return name


class Output(Settings):
    """Table `[output]`: form and channel of the tagger's output.

    Attributes
    ----------
    form : str
        Forms that repeat the text: ``sgml`` (inline tags), ``token_tag`` (``IL-2/NN``), ``conll``.
        Forms with offsets: ``offsets`` (a table), ``jsonl``, ``pubtator``, ``brat``, ``bioc``, ``biocjson``.
        Form without offsets: ``names`` (strings in JSON lists). Form for the replies of an offline batch
        runner: ``openai_batch``, whose answers have the form `answer_form`.
    answer_form : str
        Form of the answers in ``openai_batch``.
    via : str
        ``stdout``, or ``path`` for a file given by `path`.
    path : str
        Path of the output file: ``{output}``, or another pattern with placeholders. If the pattern contains
        ``{number}``, there is one file per case.
    encoding : str
        Character encoding of the output.
    tags : list of str
        ``sgml``: the elements that mark mentions; if empty, all elements that are not in the text sent.
    open, close : str
        ``sgml``: regular expressions for marks other than tags; the group ``type`` in `open` gives the type.
    numbered : bool
        ``sgml`` and ``token_tag``: each line begins with the number of the case and `separator`.
    token_column, tag_column : int
        ``conll``: columns with the token and the tag, counted from 0, or from the end if negative.
    scheme : str
        ``iob`` (IOB1), ``iob2``, ``iobes``, or ``io`` (successive tokens with the same tag are one mention).
    outside : list of str
        ``conll`` with scheme ``io``, and ``token_tag``: tags of tokens outside mentions.
    columns : list of str
        ``offsets``: names of the columns, chosen from ``id start end length type text score identifiers -``.
    pattern : str
        ``offsets``: a regular expression with groups named like columns, as an alternative to `columns`.
    header, comment : int, str
        ``offsets``: number of lines to skip at the beginning; prefix of further lines to skip.
    unit, base, inclusive : str, int, bool
        Convention of offsets: their unit, the first offset in a text (0 or 1), and whether the end offset
        belongs to the mention.
    type : str
        Type of mentions for which the output gives no type; the type map is not applied to it.
    duplicates : str
        Treatment of mentions with the same text, span and type: ``merge`` joins them and keeps the highest
        score, ``keep`` counts each of them.
    id_key, mentions_key, start_key, end_key, type_key, text_key, score_key, fragments_key, identifiers_key
        Keys of ``jsonl`` and ``names``; ``span.begin`` is the key ``begin`` in the object ``span``.
    occurrences : str
        ``names``: ``each`` (n equal strings mark the first n occurrences), ``all`` (a string marks
        all its occurrences), ``first`` (a string marks the first occurrence).
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

    @model_validator(mode="after")
    def _check_keys(self) -> Output:
        if self.answer_form == "openai_batch":
            raise ValueError("answer_form: 'openai_batch' cannot be nested in 'openai_batch'")
        allowed = {"id", "start", "end", "length", "type", "text", "score", "identifiers", "-"}
        if bool(self.open) != bool(self.close):
            raise ValueError("open, close: set both keys or neither")
        if self.open:
            _check_pattern(join_mark_patterns(self.open, self.close))
        names = set(re.compile(self.pattern).groupindex) if self.pattern else set(self.columns)
        for name in sorted(names - allowed):
            raise ValueError(f"columns: unknown column {name!r}; allowed: {', '.join(sorted(allowed))}")
        if self.form == "offsets" and not ({"start", "end"} <= names or {"start", "length"} <= names):
            raise ValueError("columns: start and end, or start and length, are required")
        return self

    @property
    def column_names(self) -> frozenset[str]:
        """Names of the columns, or of the groups in the pattern, for the form ``offsets``."""
        return frozenset(re.compile(self.pattern).groupindex if self.pattern else self.columns)
