"""A tagger that is ready to run: its specification, its options, and the command that starts it."""

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
from .processes.scratch import make_scratch_folder
from .shell import ShellQuoter
from .specification import BUNDLED_FOLDER, Scalar, Specification, TaggerOption

PASSED_VARIABLES = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP",
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "JAVA_HOME", "CUDA_*", "NVIDIA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
)  # fmt: skip
"""Environment variables of the caller that every tagger receives; `*` stands for any ending."""
MAX_PRINTED_MB = 1
"""Maximum output, in MiB, of a version command or of the program that describes a function."""
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([a-z_]+)(?::([\w.-]+))?\}")


MIN_SECRET_BYTES = 8
"""Minimum length of a secret that is masked in messages; a shorter value could occur in ordinary text."""
SECRET_MASK = b"[hidden]"


@dataclass(frozen=True)
class Tagger:
    """Tagger that is ready to run, with its specification, options and version.

    Attributes
    ----------
    spec : Specification
    path : Path
        The specification file.
    options : dict
        Values of the options; options that have no value are left out.
    version : str
        Version from the specification or its version command.
    digest : str
        Checksum of the specification, the options, and the content of its files.
    repeat : int
        Number of the repetition, from 1; the tagger receives it only as ``{repeat}``.
    function : callable or None
        In mode ``python``, a Python object that is called in this process.
    has_list_input : bool
        True if the function takes a list of texts.
    trained_on : tuple of str
        Corpora on which the tagger was trained, from its specification and its models' training records.
    keep_replies : str
        Cases whose replies are stored in the run folder.
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
        """``name@version``, or the name with the first digits of the checksum if there is no version."""
        return f"{self.spec.name}@{self.version or self.digest[:12]}"

    @property
    def files(self) -> list[Path]:
        """Paths of the specification file (if it exists) and of all files given as option values."""
        files = [Path(str(v)) for name, v in self.options.items() if self.spec.options[name].kind == "file"]
        return [self.path, *files] if self.path.is_file() else files

    def make_launch_settings(
        self, values: Mapping[str, str], scratch: Path, command: Sequence[str] | None = None
    ) -> LaunchSettings:
        """Return the settings with which a process of the tagger is started.

        Parameters
        ----------
        values : mapping
            Values of placeholders for one attempt (``input``, ``slot`` …).
        scratch : Path
            Scratch folder of the process.
        command : sequence of str, optional
            Command to run, without a shell, instead of the command in the specification.
        """
        spec = self.spec
        all_values = {**self.placeholder_values, "work": str(scratch), **values}
        shell = spec.shell and command is None
        return LaunchSettings(
            self.fill_command(spec.command if command is None else command, all_values, shell=shell),
            Path(self.fill_placeholders(spec.working_folder, all_values) or scratch),
            scratch,
            self.make_environment(all_values),
            shell=shell,
            memory_mb=spec.limits.memory_mb,
            output_mb=spec.limits.output_mb,
            success=spec.success,
        )

    @property
    def placeholder_values(self) -> dict[str, str]:
        """Values of the placeholders that every command may use.

        The slot is 0 for commands that process no batch: the version command and the training program.
        """
        here = str(self.path.resolve().parent)
        folders = {"here": here, "bundled": str(BUNDLED_FOLDER)}
        return {"python": sys.executable, **folders, "repeat": str(self.repeat), "slot": "0"}

    def fill_placeholders(
        self, text: str, values: Mapping[str, str] | None = None, quoting: ShellQuoter | None = None
    ) -> str:
        """Replace the placeholders in a string with their values; ``{{`` and ``}}`` become single braces.

        If `quoting` is given, the values are quoted for a shell.

        Raises
        ------
        InputError
            If a placeholder has no value in this command, or cannot be quoted at its position.
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
        """Return the value of one placeholder, or a single brace for a doubled brace."""
        if match[0] in ("{{", "}}"):
            return match[0][0]
        name, argument = match[1], match[2]
        if name == "option" and argument is not None:
            if argument not in self.options:
                raise InputError(
                    f"the command uses option {argument}, which has no value; give --option {argument}=VALUE",
                    file=self.path,
                )
            return str(self.options[argument])
        if name == "env" and argument is not None:
            if argument not in os.environ:
                raise InputError(
                    f"the environment variable {argument} is not set; set it, or correct the specification",
                    file=self.path,
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
        """Replace the placeholders in a command, and replace ``{options}`` with all options that are set.

        If `shell` is True, the values are quoted for the shell.
        """
        result: list[str] = []
        quoting = ShellQuoter() if shell else None
        for word in command:
            if word != "{options}":
                result.append(self.fill_placeholders(word, values, quoting))
                if quoting is not None:
                    quoting.consume(" ")
                continue
            words: list[str] = []
            for name, option in self.spec.options.items():
                value = self.options.get(name)
                if option.argument and value is not None and (option.kind != "flag" or value is True):
                    words += [option.argument] if option.kind == "flag" else [option.argument, str(value)]
            result += words if quoting is None else [" ".join(map(quoting.quote, words))]
        return result

    @property
    def secrets(self) -> list[bytes]:
        """Values of environment variables that the tagger receives and might print, the longest first."""
        spec = self.spec
        texts = [*spec.environment.values(), *spec.command]
        if spec.http is not None:
            texts += [*spec.http.headers.values(), *spec.http.optional_headers.values()]
        names = {name for text in texts for name in find_variables(text)}
        names |= {name for name in os.environ if any(map(partial(fnmatchcase, name), spec.pass_environment))}
        values = {os.environ.get(name, "").encode() for name in names}
        return sorted((v for v in values if len(v) >= MIN_SECRET_BYTES), key=len, reverse=True)

    def find_misplaced_file(self, message: str) -> str:
        """Return a file name in the command that also occurs in `message` and in the specification's folder.

        The process starts in another folder, so it cannot find this file. Returns '' if there is none.
        """
        if self.spec.working_folder:
            return ""
        here = self.path.resolve().parent
        words = " ".join(self.spec.command).split()
        return next(
            (w for w in words if w in message and not Path(w).is_absolute() and (here / w).is_file()), ""
        )

    def make_environment(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return the environment variables of a tagger process.

        They are the permitted variables of the caller, and the variables that the specification sets. A
        Python function also receives ``PYTHONPATH``, with absolute paths.
        """
        for_functions = ["PYTHONPATH"] if self.spec.python else []
        wanted = [*PASSED_VARIABLES, *self.spec.pass_environment, *for_functions]
        passed = {k: v for k, v in os.environ.items() if any(map(partial(fnmatchcase, k), wanted))}
        if "PYTHONPATH" in passed:
            folders = passed["PYTHONPATH"].split(os.pathsep)
            passed["PYTHONPATH"] = os.pathsep.join(str(Path(folder).absolute()) for folder in folders)
        return {**passed, **{k: self.fill_placeholders(v, values) for k, v in self.spec.environment.items()}}


def hide_secrets(content: bytes, secrets: Sequence[bytes]) -> bytes:
    """Return printed output with all secrets masked."""
    for secret in secrets:
        content = content.replace(secret, SECRET_MASK)
    return content


def find_variables(text: str) -> list[str]:
    """Return the names of the environment variables that placeholders in a string refer to."""
    return [match[2] for match in PLACEHOLDER.finditer(text) if match[1] == "env" and match[2]]


def fill_options(
    spec: Specification, path: Path, given: Mapping[str, str], *, complete: bool = True
) -> dict[str, Scalar]:
    """Check option values that were given as strings, and add the defaults.

    Parameters
    ----------
    spec : Specification
    path : Path
        The specification file.
    given : mapping
        Option values by name.
    complete : bool
        Require a value for each required option.

    Returns
    -------
    dict
        Values of all options that have one.

    Raises
    ------
    InputError
        If an option is unknown, required but missing, or has an invalid value.
    """
    for name in given:
        if name not in spec.options:
            raise InputError(
                f"the tagger {spec.name} has no option {name}",
                allowed=", ".join(spec.options) or "no options",
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
                + (f" ({option.help})" if option.help else "")
                + f'; give --option {name}=VALUE, or options = {{ {name} = "VALUE" }} in a study'
            )
        if option.kind == "file" and name in options and not Path(str(options[name])).exists():
            raise InputError(f"option {name}: no such file", file=str(options[name]))
    return options


def is_file_option(option: TaggerOption, value: Scalar) -> bool:
    """Return True if an option's value is a file or folder; its content is then part of the checksum."""
    return option.kind == "file" or (option.kind == "file_or_name" and Path(str(value)).exists())


def _parse_value(name: str, option: TaggerOption, text: str) -> Scalar:
    if option.kind in ("file", "file_or_name") and not text.strip():
        also = " or a name" if option.kind == "file_or_name" else ""
        raise InputError(f"option {name} is empty", allowed=f"the path of a file{also}")
    if is_file_option(option, text):
        return str(Path(text).resolve())
    if option.kind == "flag":
        # imported here, because few taggers have flags
        from .functions.caller import convert_value

        try:
            return bool(convert_value("bool", text))
        except ValueError:
            raise InputError(f"option {name} is a flag", found=text, allowed="true, false") from None
    return text


def capture_output(tagger: Tagger, command: Sequence[str], description: str) -> tuple[bytes, bytes]:
    """Run a short command of a tagger, such as its version command; return its output and standard error.

    Raises
    ------
    InputError
        If the command cannot be started, prints too much, or exceeds the time limit `start`. The message
        begins with `description`.
    """
    with make_scratch_folder(Path(tempfile.gettempdir()), "tagsuite-version-") as own, Guards() as guards:
        start = replace(tagger.make_launch_settings({}, own, command), output_mb=MAX_PRINTED_MB)
        with tempfile.TemporaryFile(dir=own) as stdout, tempfile.TemporaryFile(dir=own) as stderr:
            end, error = run_program(start, guards, None, stdout, stderr, tagger.spec.limits.start)
            printed = os.pread(stdout.fileno(), MAX_PRINTED_MB * 2**20, 0)
    if end.fault in ("no_program", "timeout", "flood"):
        why = decode_printed(error).strip() if end.fault == "no_program" else end.fault
        raise InputError(f"{description} fails ({why})", file=tagger.path, found=" ".join(start.command))
    return printed, error
