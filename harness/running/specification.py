"""Tagger specifications: a TOML file that says how to start a program, what it reads and what it prints."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ...catalogues.core.errors import InputError
from ...catalogues.core.settings import Settings
from .specification_forms import Input, Output, Pattern

Scalar = str | int | float | bool
NAME_PATTERN = r"[\w.+-]+"
"""A tagger's name."""


def check_name(name: str) -> None:
    """Refuse what is no tagger's name.

    Raises
    ------
    InputError
        With what is allowed.
    """
    # a file of a name that begins with a dot is hidden
    if not re.fullmatch(NAME_PATTERN, name) or name.startswith("."):
        raise InputError("not a tagger's name", found=name, allowed="letters, digits, . _ + -")


CHAT_ANSWER_PATH = "choices.0.message.content"
"""Where the reply of a chat completion has its answer."""
CHAT_TOKEN_PATHS = ("usage.prompt_tokens", "usage.completion_tokens")
"""Where it has the tokens that were read and written."""


class HttpSettings(Settings):
    """`[http]`: an endpoint that is asked case by case.

    Attributes
    ----------
    url : str
        Where requests are posted to; it may hold ``{option:NAME}``.
    headers : table
        Sent with every request. ``{env:NAME}`` puts in a variable of the caller's, which is written nowhere.
    optional_headers : table
        The same; one whose variable is not set is left out.
    body : str
        A Jinja2 template of a request's body; it sees ``text``, ``id`` and ``option``.
    preset : str
        ``openai``: instead of `body`, a chat completion of these:
    model, system, prompt : str
        The model, with ``{option:NAME}``; the system's message and the user's, templates as `body` is.
    temperature : float or None
        The endpoint's own when absent.
    schema : table
        A JSON schema that the answer must follow (structured output).
    answer : str
        The path of the answer in the reply (``choices.0.message.content``); without one all of it is that.
    in_flight : int
        Requests that are open at once.
    per_minute : float or None
        Requests that are begun in a minute, at most.
    tries : int
        How often a case is asked until there is an answer that can be used.
    backoff : float
        Seconds before the second try, doubled before each further one.
    tokens_in, tokens_out : str
        Paths of the numbers of tokens in the reply.
    price_in, price_out : float or None
        Price of a million tokens.
    """

    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    optional_headers: dict[str, str] = Field(default_factory=dict)
    body: str = ""
    preset: Literal["", "openai"] = ""
    model: str = ""
    system: str = ""
    prompt: str = "{{ text }}"
    temperature: float | None = Field(default=None, ge=0)
    schema_: dict[str, Any] = Field(default_factory=dict, alias="schema")
    answer: str = ""
    in_flight: int = Field(default=8, ge=1, le=1024)
    per_minute: float | None = Field(default=None, gt=0)
    tries: int = Field(default=5, ge=1)
    backoff: float = Field(default=1.0, ge=0)
    tokens_in: str = ""
    tokens_out: str = ""
    price_in: float | None = Field(default=None, ge=0)
    price_out: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _check_keys(self) -> HttpSettings:
        if bool(self.preset) == bool(self.body):
            raise ValueError("http.body: needed, or http.preset in its place")
        if self.preset and not self.model:
            raise ValueError("http.model: needed by the preset 'openai'")
        if "{env:" in self.url:
            raise ValueError("http.url: {env:…} may stand in headers alone, which are written nowhere")
        return self

    @property
    def answer_path(self) -> str:
        """Where the answer stands."""
        return self.answer or (CHAT_ANSWER_PATH if self.preset else "")

    @property
    def token_paths(self) -> tuple[str, str]:
        """Where the numbers of tokens stand; empty where nobody says it."""
        known = CHAT_TOKEN_PATHS if self.preset else ("", "")
        return self.tokens_in or known[0], self.tokens_out or known[1]


FUNCTION_PATTERN = r"[A-Za-z_][\w]*(?:\.[A-Za-z_][\w]*)*:[A-Za-z_][\w]*(?:\.[A-Za-z_][\w]*)*"
"""``package.module:function``, or an attribute of what is there."""
FUNCTION_COMMAND = ["{python}", "-P", "-m", "tagsuite.harness.running.functions.program"]
"""The program that calls a function, before its name and options."""
STRINGS_FORM, OFFSETS_FORM = "names", "jsonl"
"""The forms in which a function's answers are placed: with strings among them, and all with offsets."""


class FunctionSettings(Settings):
    """`[python]`: a function as a tagger.

    Attributes
    ----------
    function : str
        ``package.module:function``, importable from the specification's folder and ``PYTHONPATH``.
    window : int
        Texts in a call of a function that takes a list of them.
    """

    function: str = Field(pattern=f"^{FUNCTION_PATTERN}$")
    window: int = Field(default=32, gt=0)


class Limits(Settings):
    """`[limits]`: what the tagger may use before it is ended.

    Attributes
    ----------
    start : float
        Seconds that a process may take before its first case.
    batch : float or None
        Seconds for a batch besides `start`; when absent, `case` times the number of cases.
    case : float
        Seconds for a case (persistent and document mode: for each; batch mode: on average).
    memory_mb : int or None
        Private memory of a process in MiB.
    output_mb : int
        Size of one output file in MiB.
    """

    start: float = Field(default=60.0, gt=0)
    batch: float | None = Field(default=None, gt=0)
    case: float = Field(default=1.0, gt=0)
    memory_mb: int | None = Field(default=None, gt=0)
    output_mb: int = Field(default=1024, gt=0)

    @property
    def output_bytes(self) -> int:
        """The size of one output, in bytes."""
        return self.output_mb * 2**20


class PersistentSettings(Settings):
    """`[persistent]`: how one process answers request after request.

    Attributes
    ----------
    end : str
        What ends an answer: ``line`` (every answer is one line), ``blank`` (a blank line), or ``marker``.
    marker : str
        The line that ends an answer when `end` is ``marker``.
    ready : str
        A line on standard output that contains this is awaited before the first request.
    batch_in_flight : int
        Requests that are written before their answers are awaited, in the order of the requests. The time for
        all of them is ``limits.case`` times their number.
    window_end : str
        ``blank``: an empty line is sent after these requests, so that the tagger knows that they are all.
    """

    end: Literal["line", "blank", "marker"] = "line"
    marker: str = ""
    ready: str = ""
    batch_in_flight: int = Field(default=1, ge=1)
    window_end: Literal["none", "blank"] = "none"


class TaggerOption(Settings):
    """`[options.NAME]`: a parameter that ``run --option NAME=VALUE`` sets.

    Attributes
    ----------
    default : scalar or None
        Used when the option is not given; a `file` default is relative to the specification's folder.
    kind : str
        ``text``, ``file`` (its content counts in the tagger's digest), ``file_or_name`` (a file or folder
        where there is one, else the name of something that is found elsewhere, such as a model), or ``flag``.
    argument : str
        Where ``{options}`` stands in the command: this, then the value.
    required : bool
        Whether a run without it is refused.
    help : str
        What it is for.
    """

    default: Scalar | None = None
    kind: Literal["text", "file", "file_or_name", "flag"] = "text"
    argument: str = ""
    required: bool = False
    help: str = ""


class Command(Settings):
    """`[version]` and `[train]`: a command of its own.

    Attributes
    ----------
    command : list of str
        With the placeholders of the main command; `[train]` has ``{corpus}`` and ``{model}`` besides.
    pattern : str
        `[version]`: a regular expression whose first group (or whole match) is the version.
    """

    command: list[str] = Field(min_length=1)
    pattern: Pattern = r"\S.*"


CorpusPart = Annotated[str, Field(pattern=r"^[\w.+-]+:[\w.+-]+$")]
"""A corpus and its part, ``bc2gm:train``."""


class Specification(Settings):
    """A tagger specification; docs/reference/tagger-specifications.md explains it by examples.

    Attributes
    ----------
    name, version, description, homepage, licence : str
        What the tagger is. A run is recorded under ``name@version``.
    not_run : str
        Why this specification was never run by us; empty when it was.
    command : list of str
        Program and arguments, with placeholders; none in modes ``http`` and ``python``.
    shell : bool
        Whether the command, joined by blanks, is given to ``sh -c``; what placeholders put in is quoted.
    mode : str
        ``batch`` (a process per batch of cases), ``persistent`` (one process, request and answer),
        ``document`` (a process per case), ``python`` (a function in processes of its own; see `python`),
        ``http`` (a request per case to the endpoint of `[http]`).
    batch_size : int or None
        Number of cases per batch; chosen from the size of the input and the number of jobs when absent.
    working_folder : str
        Where the program is started; a scratch folder of its own when empty.
    environment : table
        Environment variables that are set for it.
    pass_environment : list of str
        The caller's variables that it may see besides the few that all see: names, or their beginnings and
        ``*``.
    resources : table
        What a worker of a dask cluster must have for each tagger that it runs (``{ GPU = 1 }``).
    success : list of int
        Exit codes that mean success.
    files : list of str
        Files and folders (models, jars) whose content counts in the tagger's digest.
    cache : bool
        Whether the same input and the same digest may give the recorded result again.
    types : table
        The tagger's types and ours; ``"*"`` for all others, an empty value drops the mention.
    trained_on : list of str
        The corpora that it was trained on (``bc2gm:train``): suites with sentences or names of theirs are no
        news to it, which is said. What a model of its options learnt from stands beside that.
    """

    format: Literal[1]
    name: str = Field(min_length=1, pattern=f"^{NAME_PATTERN}$")
    version: str = ""
    description: str = ""
    homepage: str = ""
    licence: str = ""
    not_run: str = ""
    command: list[str] = Field(default_factory=list)
    shell: bool = False
    mode: Literal["batch", "persistent", "document", "python", "http"] = "batch"
    batch_size: int | None = Field(default=None, gt=0)
    working_folder: str = ""
    environment: dict[str, str] = Field(default_factory=dict)
    pass_environment: list[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\*?$")]] = Field(
        default_factory=list
    )
    resources: dict[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    success: list[int] = Field(default_factory=lambda: [0])
    files: list[str] = Field(default_factory=list)
    cache: bool = True
    types: dict[str, str] = Field(default_factory=dict)
    trained_on: list[CorpusPart] = Field(default_factory=list)
    input: Input = Field(default_factory=Input)
    output: Output = Field(default_factory=Output)
    limits: Limits = Field(default_factory=Limits)
    persistent: PersistentSettings = Field(default_factory=PersistentSettings)
    http: HttpSettings | None = None
    python: FunctionSettings | None = None
    options: dict[str, TaggerOption] = Field(default_factory=dict)
    version_of: Command | None = Field(default=None, alias="version_command")
    train: Command | None = None

    @model_validator(mode="before")
    @classmethod
    def _add_function_keys(cls, given: Any) -> Any:
        """A function's specification says no more than its name: program and forms follow."""
        if not isinstance(given, dict) or given.get("mode") != "python":
            return given
        output = given.get("output", {})
        for key, value in {**given, **(output if isinstance(output, dict) else {})}.items():
            if key in ("command", "shell", "input", "form", "via", "path"):
                raise ValueError(f"{key}: mode 'python' has its own; found {value!r}")
        table = given.get("python")
        named = table.get("function") if isinstance(table, dict) else getattr(table, "function", "")
        own = {"command": [*FUNCTION_COMMAND, str(named), "{options}"], "input": {"form": "jsonl"}}
        output = {"form": STRINGS_FORM, **output} if isinstance(output, dict) else output
        return {"working_folder": "{here}", **given, **own, "output": output}

    @model_validator(mode="after")
    def _check_consistency(self) -> Specification:
        if self.input.form == "openai_batch" and (self.http is None or self.mode != "batch"):
            raise ValueError("input.form: 'openai_batch' is for mode 'batch', and needs the table http")
        if (self.mode == "python") != (self.python is not None):
            raise ValueError("python.function: mode 'python' needs it, and no other mode has it")
        if self.mode == "http":
            self._check_endpoint_keys()
        elif not self.command:
            raise ValueError("command: a program and its arguments are needed")
        if self.mode == "persistent" and (self.input.via != "stdin" or self.output.via != "stdout"):
            raise ValueError("mode: a persistent tagger is asked by stdin and answers by stdout")
        if self.mode == "persistent" and self.persistent.end == "marker" and not self.persistent.marker:
            raise ValueError("persistent.marker: needed when end is 'marker'")
        if self.persistent.window_end == "blank" and self.input.form not in ("jsonl", "numbered"):
            raise ValueError("persistent.window_end: 'blank' needs input.form 'jsonl' or 'numbered'")
        if self.input.via == "folder" and self.mode != "batch":
            raise ValueError("input.via: a folder of files is for mode 'batch'")
        if self.input.form == "text" and self.mode == "batch" and self.input.via != "folder":
            raise ValueError("input.form: 'text' has no mark between cases; use mode 'document' or a folder")
        alone = self.mode != "batch" or "{number}" in self.output.path
        if self.output.form == "offsets" and not alone and "id" not in self.output.column_names:
            raise ValueError("output.columns: id is needed where a process answers for several cases")
        if "{number}" in self.output.path and self.mode == "batch" and self.input.via != "folder":
            raise ValueError("output.path: {number} needs a file or a process per case")
        return self

    def _check_endpoint_keys(self) -> None:
        """Check what mode ``http`` needs, and what it has no use for."""
        if self.http is None or not self.http.url:
            raise ValueError("http.url: needed in mode 'http'")
        for key, unused in (
            ("command", self.command),
            ("shell", self.shell),
            ("environment", self.environment),
        ):
            if unused:
                raise ValueError(f"{key}: nothing is started in mode 'http'")
        if self.output.via != "stdout":
            raise ValueError("output.via: an endpoint answers by its reply")

    @property
    def endpoint(self) -> HttpSettings:
        """The table ``[http]`` of a specification that has one."""
        assert self.http is not None  # noqa: S101 - a rule of the file
        return self.http
