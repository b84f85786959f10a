"""Tagger specifications: TOML files that declare how a program is started, its input and its output."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ...catalogues.core.errors import InputError
from ...catalogues.core.settings import Settings
from .specification_forms import Input, Output, Pattern

Scalar = str | int | float | bool
NAME_PATTERN = r"[\w.+-]+"
"""Regular expression for the name of a tagger."""


def check_name(name: str) -> None:
    """Raise InputError if `name` is not allowed as the name of a tagger."""
    # a file whose name begins with a dot is hidden
    if not re.fullmatch(NAME_PATTERN, name) or name.startswith("."):
        raise InputError(
            "invalid tagger name", found=name, allowed="letters, digits, . _ + -, not beginning with ."
        )


CHAT_ANSWER_PATH = "choices.0.message.content"
"""Path of the answer in a chat completion reply."""
CHAT_TOKEN_PATHS = ("usage.prompt_tokens", "usage.completion_tokens")
"""Paths of the input and output token counts in a chat completion reply."""


class HttpSettings(Settings):
    """Table `[http]`: an endpoint that receives one request per case.

    Attributes
    ----------
    url : str
        Address of the endpoint; it may contain ``{option:NAME}``.
    headers : table
        Headers of every request. ``{env:NAME}`` inserts an environment variable of the caller, which is never
        written to a file.
    optional_headers : table
        Further headers; a header is left out if its environment variable is not set.
    body : str
        Jinja2 template of the body of a request, with the names ``text``, ``id`` and ``option``.
    preset : str
        ``openai``: make a chat completion request from the following keys, instead of from `body`.
    model : str
        Name of the model; it may contain ``{option:NAME}``.
    system, prompt : str
        Templates of the system message and the user message.
    temperature : float or None
        Sampling temperature; by default, the endpoint chooses it.
    schema : table
        JSON schema that the answer must follow (structured output).
    answer : str
        Path of the answer in the reply (``choices.0.message.content``); by default, the whole reply.
    in_flight : int
        Maximum number of open requests.
    per_minute : float or None
        Maximum number of requests per minute.
    tries : int
        Maximum number of requests that are sent to get a usable answer for a case.
    backoff : float
        Seconds before the second try, doubled before each further try.
    tokens_in, tokens_out : str
        Paths of the input and output token counts in the reply.
    price_in, price_out : float or None
        Price per million input and output tokens.
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
            raise ValueError("http.body: set either http.body or http.preset, but not both")
        if self.preset and not self.model:
            raise ValueError("http.model: required with the preset 'openai'")
        if "{env:" in self.url:
            raise ValueError("http.url: {env:…} is allowed only in headers, which are never stored")
        return self

    @property
    def answer_path(self) -> str:
        """Path of the answer in the reply; empty if the whole reply is the answer."""
        return self.answer or (CHAT_ANSWER_PATH if self.preset else "")

    @property
    def token_paths(self) -> tuple[str, str]:
        """Paths of the input and output token counts in the reply; empty if they are unknown."""
        defaults = CHAT_TOKEN_PATHS if self.preset else ("", "")
        return self.tokens_in or defaults[0], self.tokens_out or defaults[1]


BUNDLED_FOLDER = Path(__file__).resolve().parent.parent / "taggers"
"""Folder with the specifications of the bundled taggers."""
FUNCTION_PATTERN = r"[A-Za-z_][\w]*(?:\.[A-Za-z_][\w]*)*:[A-Za-z_][\w]*(?:\.[A-Za-z_][\w]*)*"
"""Regular expression for ``package.module:function``; the function may be an attribute of an object."""
FUNCTION_COMMAND = ["{python}", "-P", "-m", "tagsuite.harness.running.functions.program"]
"""Command of the program that calls a Python function; the function and its options follow."""
STRINGS_FORM, OFFSETS_FORM = "names", "jsonl"
"""Output forms for functions that return strings, and for functions that return only offsets."""


class FunctionSettings(Settings):
    """Table `[python]`: a Python function as a tagger.

    Attributes
    ----------
    function : str
        ``package.module:function``, importable from the specification's folder or ``PYTHONPATH``.
    window : int
        Number of texts per call, if the function takes a list of texts.
    """

    function: str = Field(pattern=f"^{FUNCTION_PATTERN}$")
    window: int = Field(default=32, gt=0)


class Limits(Settings):
    """Table `[limits]`: limits on time, memory and output; a tagger that exceeds one is terminated.

    Attributes
    ----------
    start : float
        Seconds that a process may need to start before it can process its first case.
    batch : float or None
        Seconds for a batch, in addition to `start`; by default, `case` times the number of cases.
    case : float
        Seconds per case: the limit for each case in the modes ``persistent`` and ``document``, and the mean
        over the cases of a batch in mode ``batch``.
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
        """Maximum size of one output in bytes."""
        return self.output_mb * 2**20


class PersistentSettings(Settings):
    """Table `[persistent]`: the protocol of a process that answers one request after another.

    Attributes
    ----------
    end : str
        End of an answer: ``line`` (every answer is one line), ``blank`` (a blank line), or ``marker``.
    marker : str
        The line that ends an answer if `end` is ``marker``.
    ready : str
        Text in the line that the process prints on standard output when it is ready for requests.
    batch_in_flight : int
        Number of requests that are sent together; the answers must be in the same order. The time limit for
        them is ``limits.case`` times their number.
    window_end : str
        ``blank``: send an empty line after the requests that are sent together.
    """

    end: Literal["line", "blank", "marker"] = "line"
    marker: str = ""
    ready: str = ""
    batch_in_flight: int = Field(default=1, ge=1)
    window_end: Literal["none", "blank"] = "none"


class TaggerOption(Settings):
    """Table `[options.NAME]`: an option that ``run --option NAME=VALUE`` sets.

    Attributes
    ----------
    default : scalar or None
        Default value; for an option of kind `file`, a path relative to the specification's folder.
    kind : str
        ``text``, ``file`` (its content is part of the tagger's checksum), ``file_or_name`` (an existing file
        or folder, otherwise a name, for example of a model to download), or ``flag``.
    argument : str
        Argument that is inserted before the value where the command contains ``{options}``.
    required : bool
        True if every run must set this option.
    help : str
        Purpose of the option.
    """

    default: Scalar | None = None
    kind: Literal["text", "file", "file_or_name", "flag"] = "text"
    argument: str = ""
    required: bool = False
    help: str = ""


class Command(Settings):
    """Tables `[version_command]` and `[train]`: an additional command of the tagger.

    Attributes
    ----------
    command : list of str
        Program and arguments, with the same placeholders as the main command; `[train]` also has ``{corpus}``
        and ``{model}``.
    pattern : str
        Regular expression for `[version_command]`; its first group, or its match if it has no group, is the
        version.
    """

    command: list[str] = Field(min_length=1)
    pattern: Pattern = r"\S.*"


CorpusPart = Annotated[str, Field(pattern=r"^[\w.+-]+:[\w.+-]+$")]
"""Name of a corpus and its part, for example ``bc2gm:train``."""


class Specification(Settings):
    """Specification of a tagger; docs/reference/tagger-specifications.md explains it with examples.

    Attributes
    ----------
    name, version, description, homepage, licence : str
        Description of the tagger. A run is recorded as ``name@version``.
    not_run : str
        Reason why tagsuite's authors have not run this specification; empty if they have.
    command : list of str
        Program and arguments, with placeholders; empty in the modes ``http`` and ``python``.
    shell : bool
        Join the command with spaces and run it with ``sh -c``; the values of placeholders are quoted.
    mode : str
        ``batch`` (one process per batch of cases), ``persistent`` (one process for many requests),
        ``document`` (one process per case), ``python`` (a function in its own processes; see `python`),
        ``http`` (one request per case to the endpoint in `[http]`).
    batch_size : int or None
        Number of cases per batch; by default, it depends on the size of the input.
    working_folder : str
        Folder in which the program is started; by default, a new scratch folder.
    environment : table
        Environment variables that are set for the tagger.
    pass_environment : list of str
        Further environment variables of the caller that the tagger receives: names, or prefixes followed by
        ``*``.
    resources : table
        Resources that a dask worker must have for each tagger that it runs (``{ GPU = 1 }``).
    success : list of int
        Exit codes that mean success.
    files : list of str
        Files and folders (models, jars) whose content is part of the tagger's checksum.
    cache : bool
        Reuse the stored result for the same input and the same checksum.
    types : table
        Map from the tagger's types to the types in tagsuite; ``"*"`` stands for all other types, and an empty
        value drops the mention.
    trained_on : list of str
        Corpora on which the tagger was trained (``bc2gm:train``). A note is printed if a suite contains
        sentences or names from them. Models that are given as options have their own training records.
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
    def _add_function_keys(cls, keys: Any) -> Any:
        """Set the keys that mode ``python`` determines; raise ValueError if the specification sets one."""
        if not isinstance(keys, dict) or keys.get("mode") != "python":
            return keys
        output = keys.get("output", {})
        for key, value in {**keys, **(output if isinstance(output, dict) else {})}.items():
            if key in ("command", "shell", "input", "form", "via", "path"):
                raise ValueError(
                    f"{key}: not allowed in mode 'python', which sets this key itself; found {value!r}"
                )
        table = keys.get("python")
        function = table.get("function") if isinstance(table, dict) else getattr(table, "function", "")
        fixed = {"command": [*FUNCTION_COMMAND, str(function), "{options}"], "input": {"form": "jsonl"}}
        output = {"form": STRINGS_FORM, **output} if isinstance(output, dict) else output
        return {"working_folder": "{here}", **keys, **fixed, "output": output}

    @model_validator(mode="after")
    def _check_consistency(self) -> Specification:
        if self.input.form == "openai_batch" and (self.http is None or self.mode != "batch"):
            raise ValueError("input.form: 'openai_batch' needs mode 'batch' and the table [http]")
        if (self.mode == "python") != (self.python is not None):
            raise ValueError("python.function: required in mode 'python' and not allowed in other modes")
        if self.mode == "http":
            self._check_endpoint_keys()
        elif not self.command:
            raise ValueError("command: a program and its arguments are required")
        if self.mode == "persistent" and (self.input.via != "stdin" or self.output.via != "stdout"):
            raise ValueError("mode: 'persistent' needs input.via 'stdin' and output.via 'stdout'")
        if self.mode == "persistent" and self.persistent.end == "marker" and not self.persistent.marker:
            raise ValueError("persistent.marker: required if persistent.end is 'marker'")
        if self.persistent.window_end == "blank" and self.input.form not in ("jsonl", "numbered"):
            raise ValueError("persistent.window_end: 'blank' needs input.form 'jsonl' or 'numbered'")
        if self.input.via == "folder" and self.mode != "batch":
            raise ValueError("input.via: 'folder' needs mode 'batch'")
        if self.input.form == "text" and self.mode == "batch" and self.input.via != "folder":
            raise ValueError("input.form: 'text' needs mode 'document' or input.via 'folder'")
        has_one_case = self.mode != "batch" or "{number}" in self.output.path
        if self.output.form == "offsets" and not has_one_case and "id" not in self.output.column_names:
            raise ValueError("output.columns: id is required if a process receives several cases")
        if "{number}" in self.output.path and self.mode == "batch" and self.input.via != "folder":
            raise ValueError("output.path: {number} is allowed only with one file or process per case")
        return self

    def _check_endpoint_keys(self) -> None:
        if self.http is None or not self.http.url:
            raise ValueError("http.url: required in mode 'http'")
        for key in ("command", "shell", "environment"):
            if getattr(self, key):
                raise ValueError(f"{key}: not allowed in mode 'http', which starts no program")
        if self.output.via != "stdout":
            raise ValueError("output.via: must be 'stdout' in mode 'http', where the reply is the output")

    @property
    def endpoint(self) -> HttpSettings:
        """Table ``[http]``, which the specification must have."""
        assert self.http is not None  # noqa: S101 - checked when the file is read
        return self.http
