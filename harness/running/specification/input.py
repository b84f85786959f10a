"""`[input]` of a specification: what the tagger is sent."""

from __future__ import annotations

from typing import Literal

from ....catalogues.core.settings import Settings

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
    def names_cases(self) -> bool:
        """Whether the tagger is told the identifier of each case."""
        return self.form not in ("lines", "tokens", "text", "conll")
