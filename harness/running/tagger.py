"""A tagger that is ready to run: its specification, options filled in, and how a process of it is started."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError
from .outcomes import ReplyPolicy
from .processes.guards import Guards
from .processes.process import LaunchSettings, decode_printed, run_program
from .processes.scratch import make_scratch_folder, open_nameless_file
from .shell import ShellQuoter
from .specification import Scalar, Specification, TaggerOption

PASSED_VARIABLES = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP",
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "JAVA_HOME", "CUDA_*", "NVIDIA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
)  # fmt: skip
"""The caller's environment variables that every tagger sees; `*` stands for any end."""
MAX_PRINTED_MB = 1
"""What a version command, or one that describes, may print, in MiB."""
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([a-z_]+)(?::([\w.-]+))?\}")


MIN_SECRET_BYTES = 8
"""Bytes of a value that is hidden; shorter ones occur in any text."""
SECRET_MASK = b"[hidden]"


@dataclass(frozen=True)
class Tagger:
    """A specification with everything that a run of it needs.

    Attributes
    ----------
    spec : Specification
    path : Path
        The specification file.
    options : dict
        Every option that has a value.
    version : str
        As the specification or its version command says.
    digest : str
        SHA-256 over the specification, the options, and the content of its files.
    repeat : int
        Which repetition of a run it is in, from 1 on: all that a tagger sees of it is ``{repeat}``.
    function : callable or None
        In mode ``python`` an object in memory, which is called in this process.
    has_list_input : bool
        Whether the function takes a list of texts.
    trained_on : tuple of str
        The corpora that it was trained on, as its specification and what stands beside its models say.
    keep_replies : str
        The cases whose replies are kept in the run folder.
    """

    spec: Specification
    path: Path
    options: Mapping[str, Scalar]
    version: str = ""
    digest: str = ""
    repeat: int = 1
    function: Callable[..., Any] | None = None
    has_list_input: bool = False
    trained_on: tuple[str, ...] = ()
    keep_replies: ReplyPolicy = "failed"

    @property
    def label(self) -> str:
        """``name@version``, or the name and the digest's first digits where no version is known."""
        return f"{self.spec.name}@{self.version or self.digest[:12]}"

    @property
    def files(self) -> list[Path]:
        """The specification, where it is a file, and the files among the options."""
        known = self.spec.options
        named = [
            Path(str(v)) for name, v in self.options.items() if name in known and known[name].kind == "file"
        ]
        return [self.path, *named] if self.path.is_file() else named

    def make_launch_settings(
        self, values: Mapping[str, str], scratch: Path, command: Sequence[str] | None = None
    ) -> LaunchSettings:
        """How to start a process, given the places of one attempt (``input``, ``slot`` …).

        It is one of the specification's command, or of another `command`, which no shell reads.
        """
        spec = self.spec
        known = {**self.placeholder_values, "work": str(scratch), **values}
        shell = spec.shell and command is None
        return LaunchSettings(
            self.fill_command(spec.command if command is None else command, known, shell=shell),
            Path(self.fill_placeholders(spec.working_folder, known) or scratch),
            scratch,
            self.make_environment(known),
            shell=shell,
            memory_mb=spec.limits.memory_mb,
            output_mb=spec.limits.output_mb,
            success=spec.success,
        )

    @property
    def placeholder_values(self) -> dict[str, str]:
        """The placeholders that have a value wherever a specification has any.

        The slot is the first one where no batch is sent: for the version command, a training program.
        """
        here = str(self.path.resolve().parent)
        return {"python": sys.executable, "here": here, "repeat": str(self.repeat), "slot": "0"}

    def fill_placeholders(
        self, text: str, values: Mapping[str, str] | None = None, quoting: ShellQuoter | None = None
    ) -> str:
        """Fill the placeholders of one string; ``{{`` and ``}}`` are braces.

        With `quoting`, what they stand for is quoted for a shell.

        Raises
        ------
        InputError
            For a placeholder that has no value here, or that cannot be quoted where it stands.
        """
        result = ""
        at = 0
        for match in PLACEHOLDER.finditer(text):
            before, value = text[at : match.start()], self._resolve_placeholder(match, values or {})
            if quoting is not None:
                before = quoting.consume(before)
                try:
                    value = quoting.consume(value) if match[0] in ("{{", "}}") else quoting.quote(value)
                except ValueError as error:
                    raise InputError(f"command: {error}", file=self.path, found=text) from None
            result += before + value
            at = match.end()
        rest = text[at:]
        return result + (rest if quoting is None else quoting.consume(rest))

    def _resolve_placeholder(self, match: re.Match[str], places: Mapping[str, str]) -> str:
        """What stands for one placeholder."""
        if match[0] in ("{{", "}}"):
            return match[0][0]
        name, argument = match[1], match[2]
        if name == "option" and argument is not None:
            if argument not in self.options:
                raise InputError(
                    f"the command uses option {argument}, which has no value",
                    file=self.path,
                    allowed=f"--option {argument}=VALUE",
                )
            return str(self.options[argument])
        if name == "env" and argument is not None:
            if argument not in os.environ:
                raise InputError(
                    f"the environment variable {argument} is not set",
                    file=self.path,
                    allowed="set it, or edit the file",
                )
            return os.environ[argument]
        if argument is None and name in places:
            return places[name]
        raise InputError(
            "unknown placeholder",
            file=self.path,
            found=match[0],
            allowed=", ".join(f"{{{p}}}" for p in [*sorted(places), "option:NAME", "env:NAME", "options"]),
        )

    def fill_command(
        self, command: Sequence[str], values: Mapping[str, str], *, shell: bool = False
    ) -> list[str]:
        """Fill the placeholders of a command; the argument ``{options}`` becomes all options that are set.

        In a command that a shell reads, what placeholders put in is quoted.
        """
        result: list[str] = []
        quoting = ShellQuoter() if shell else None
        for word in command:
            if word == "{options}":
                given = self._list_option_arguments()
                result += given if quoting is None else [" ".join(map(quoting.quote, given))]
                continue
            result.append(self.fill_placeholders(word, values, quoting))
            if quoting is not None:
                quoting.consume(" ")
        return result

    def _list_option_arguments(self) -> list[str]:
        """The options that are set, as arguments."""
        result: list[str] = []
        for name, option in self.spec.options.items():
            if not option.argument or name not in self.options:
                continue
            if option.kind != "flag":
                result += [option.argument, str(self.options[name])]
            elif self.options[name] is True:
                result.append(option.argument)
        return result

    @property
    def secrets(self) -> list[bytes]:
        """Values of environment variables that the tagger is given and that it may repeat, longest first."""
        spec = self.spec
        texts = [*spec.environment.values(), *spec.command]
        if spec.http is not None:
            texts += [*spec.http.headers.values(), *spec.http.optional_headers.values()]
        names = {name for text in texts for name in find_variables(text)}
        names |= {name for name in os.environ if any(map(partial(fnmatchcase, name), spec.pass_environment))}
        values = {os.environ.get(name, "").encode() for name in names}
        return sorted((v for v in values if len(v) >= MIN_SECRET_BYTES), key=len, reverse=True)

    def find_misplaced_file(self, message: str) -> str:
        """Return a file beside the specification that a process says it cannot find; empty without any.

        A command may name it without its folder, which the folder that the process is started in is not.
        """
        if self.spec.working_folder:
            return ""
        here = self.path.resolve().parent
        words = " ".join(self.spec.command).split()
        return next(
            (w for w in words if w in message and not Path(w).is_absolute() and (here / w).is_file()), ""
        )

    def make_environment(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return all variables that a tagger sees: a few for all taggers, those it asks for, those it sets.

        A function is imported from ``PYTHONPATH`` too. Its relative paths are relative to our working folder.
        """
        wanted = [
            *PASSED_VARIABLES,
            *self.spec.pass_environment,
            *(["PYTHONPATH"] if self.spec.python else []),
        ]
        whole = {name for name in wanted if not name.endswith("*")}
        begin = tuple(name[:-1] for name in wanted if name.endswith("*"))
        passed = {k: v for k, v in os.environ.items() if k in whole or k.startswith(begin)}
        if "PYTHONPATH" in passed:
            folders = passed["PYTHONPATH"].split(os.pathsep)
            passed["PYTHONPATH"] = os.pathsep.join(str(Path(folder).absolute()) for folder in folders)
        return {**passed, **{k: self.fill_placeholders(v, values) for k, v in self.spec.environment.items()}}


def hide_secrets(content: bytes, secrets: Sequence[bytes]) -> bytes:
    """Return what a tagger said without the secrets that it repeats."""
    for secret in secrets:
        content = content.replace(secret, SECRET_MASK)
    return content


def find_variables(text: str) -> list[str]:
    """The caller's environment variables that the placeholders of a string name."""
    return [match[2] for match in PLACEHOLDER.finditer(text) if match[1] == "env" and match[2]]


def fill_options(
    spec: Specification, path: Path, given: Mapping[str, str], *, complete: bool = True
) -> dict[str, Scalar]:
    """Check options that were given as strings, and add the defaults.

    Parameters
    ----------
    spec, path :
        The specification and its file.
    given : mapping
        Values by name.
    complete : bool
        Whether required options must have a value.
    """
    for name in given:
        if name not in spec.options:
            raise InputError(
                f"the tagger {spec.name} has no option {name}",
                allowed=", ".join(spec.options) or "this tagger takes none",
            )
    options: dict[str, Scalar] = {}
    for name, option in spec.options.items():
        if name in given:
            options[name] = _parse_value(name, option, given[name])
        elif option.default is not None:
            value = option.default
            if option.kind == "file":
                value = str((path.resolve().parent / str(value)).resolve())
            options[name] = value
        elif option.required and complete:
            raise InputError(
                f"the tagger {spec.name} needs the option {name}"
                + (f" ({option.help})" if option.help else ""),
                allowed=f'--option {name}=VALUE, or in a study options = {{ {name} = "VALUE" }}',
            )
        if option.kind == "file" and name in options and not Path(str(options[name])).exists():
            raise InputError(f"option {name}: no such file", file=str(options[name]))
    return options


def is_file_option(option: TaggerOption, value: Scalar) -> bool:
    """Whether an option's value is a file or folder, whose content counts."""
    return option.kind == "file" or (option.kind == "file_or_name" and Path(str(value)).exists())


def _parse_value(name: str, option: TaggerOption, text: str) -> Scalar:
    if option.kind in ("file", "file_or_name") and not text.strip():
        also = " or a name" if option.kind == "file_or_name" else ""
        raise InputError(f"option {name} is empty", allowed=f"the path of a file{also}")
    if is_file_option(option, text):
        return str(Path(text).resolve())
    if option.kind == "flag":
        # few taggers have any
        from .functions.caller import convert_value

        try:
            return bool(convert_value("bool", text))
        except ValueError:
            raise InputError(f"option {name} is a flag", found=text, allowed="true, false") from None
    return text


def capture_output(tagger: Tagger, command: Sequence[str], description: str) -> tuple[bytes, bytes]:
    """Run a short program of a tagger's, such as its version command; gives its output and standard error.

    Raises
    ------
    InputError
        When it cannot be started, prints too much, or does not end in `limits.start`; `description` it is.
    """
    with make_scratch_folder(Path(tempfile.gettempdir()), "tagsuite-version-") as own, Guards() as guards:
        start = replace(tagger.make_launch_settings({}, own, command), output_mb=MAX_PRINTED_MB)
        with open_nameless_file(own) as stdout, open_nameless_file(own) as stderr:
            end, error = run_program(start, guards, None, stdout, stderr, tagger.spec.limits.start)
            printed = os.pread(stdout.fileno(), MAX_PRINTED_MB * 2**20, 0)
    if end.fault in ("no_program", "timeout", "flood"):
        why = decode_printed(error).strip() if end.fault == "no_program" else end.fault
        raise InputError(f"{description} fails ({why})", file=tagger.path, found=" ".join(start.command))
    return printed, error
