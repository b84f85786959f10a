"""A tagger made ready: found by its name, checked, its version and its digest."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_bytes, digest_path
from ...catalogues.core.patterns import searched
from .lookup import find_specification
from .processes.process import readable
from .tagger import Tagger, fill_options, is_file, printed_by

if TYPE_CHECKING:
    from .functions.taggers import FunctionDescription


def prepare(tagger: str | os.PathLike[str], given: Mapping[str, str] | None = None) -> Tagger:
    """Find a tagger by name or specification file, and make it ready.

    Parameters
    ----------
    tagger : str or path
        A tagger's name, a TOML file, or ``python:package.module:function``.
    given : mapping, optional
        Options as strings, as the command line gives them.

    Raises
    ------
    InputError
        Unknown tagger, bad specification, unknown or missing option, missing program.
    """
    path, spec = find_specification(tagger)
    function: FunctionDescription | None = None
    if spec.python is not None:
        # few taggers are functions
        from .functions.taggers import describe

        function = describe(spec, path, given or {})
        spec = function.spec
    options = fill_options(spec, path, given or {})
    if function is not None:
        function.check(options)
    trained_on = spec.trained_on
    if models := [Path(str(v)) for name, v in options.items() if is_file(spec.options[name], v)]:
        from .training_record import corpora_learnt_from

        trained_on = [*trained_on, *corpora_learnt_from(models)]
    ready = Tagger(
        spec,
        path,
        options,
        several=bool(function and function.several),
        trained_on=tuple(dict.fromkeys(trained_on)),
    )
    if spec.mode == "http":
        check_endpoint(ready)
    elif spec.input.form == "openai_batch":
        from .endpoints.requests import batch_lines

        batch_lines(ready)
    if spec.command and not spec.shell:
        # the program's own name depends on no attempt
        check_program(ready, ready.fill(spec.command[0], ready.places))
    if spec.limits.memory_mb is not None and not hasattr(resource, "prlimit"):
        raise InputError("limits.memory_mb needs Linux", file=path, allowed="the file without it")
    version = spec.version or (function.version if function else _version(ready))
    ready = replace(ready, version=version)
    return replace(ready, digest=_digest(ready, function.source if function else ""))


def check_program(tagger: Tagger, name: str) -> None:
    """Refuse a program that is not there, before anything is started."""
    spec, places = tagger.spec, tagger.places
    search = os.environ.get("PATH")
    if "PATH" in spec.environment:
        search = tagger.fill(spec.environment["PATH"], places)
    if os.sep in name and spec.working_folder and not Path(name).is_absolute():
        name = str(Path(tagger.fill(spec.working_folder, places)) / name)
    if shutil.which(name, path=search) is None:
        if (file := tagger.misplaced_file(name)) != "":
            raise InputError(
                "the program is looked for on PATH, and stands beside the specification",
                file=tagger.path,
                found=name,
                allowed=f"{{here}}/{file} in the command",
            )
        raise InputError(
            f"the tagger {spec.name} cannot be started: no such program",
            file=tagger.path,
            found=name,
            allowed=(f"install it ({spec.homepage}), " if spec.homepage else "install it, ")
            + "or correct command",
        )


def check_endpoint(tagger: Tagger) -> None:
    """Refuse an endpoint whose address, headers or templates cannot be used, before anything is sent."""
    from .endpoints.client import library
    from .endpoints.requests import Bodies, address, headers

    library()
    address(tagger)
    headers(tagger)
    Bodies(tagger)


def _version(tagger: Tagger) -> str:
    spec, path = tagger.spec, tagger.path
    if spec.version_of is None:
        return ""
    printed, error = printed_by(tagger, spec.version_of.command, "the version command")
    text = readable(printed + b"\n" + error)
    try:
        (found,) = searched(spec.version_of.pattern, [text])
    except InputError as error:
        raise InputError(f"version_command: {error}", file=path) from None
    if not found:
        raise InputError(
            "the version command prints no version",
            file=path,
            found=text.strip(),
            allowed=spec.version_of.pattern,
        )
    match = found[0]
    return ((match.groups[0] or "") if match.groups else text[match.start : match.end]).strip()


def _digest(tagger: Tagger, source: str) -> str:
    """Return a digest of the specification, the options, the content of files, and a function's source."""
    spec, places = tagger.spec, tagger.places
    here = places["here"]
    # without defaults: a key that is added some day changes the digest of nobody who does not use it
    declared = spec.model_dump_json(
        exclude={"description", "homepage", "licence", "not_run", "resources"}, exclude_defaults=True
    )
    parts = [declared, tagger.version]
    for name, value in sorted(tagger.options.items()):
        content = digest_path(str(value)) if is_file(spec.options[name], value) else repr(value)
        parts.append(f"option {name} {content}")
    for name in spec.files:
        file = Path(here) / tagger.fill(name, places)
        if not file.exists():
            raise InputError("files: no such file or folder", file=tagger.path, found=str(file))
        parts.append(f"file {name} {digest_path(file)}")
    # programs named in the command count by their content, wherever they stand
    for word in spec.command:
        bare = word.replace("{here}", here)
        if "{" not in bare and os.sep in bare and Path(bare).is_file():
            parts.append(f"program {word} {digest_path(bare)}")
    if source:
        parts.append(f"source {source}")
    return digest_bytes(*(p.encode() for p in parts))
