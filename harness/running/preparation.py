"""Preparation of a tagger for a run: lookup, check of its program or endpoint, version and checksum."""

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
from ...catalogues.core.patterns import search_texts
from .lookup import find_specification
from .processes.process import decode_printed
from .tagger import Tagger, capture_output, fill_options, is_file_option

if TYPE_CHECKING:
    from .functions.function_taggers import FunctionDescription


def prepare_tagger(tagger: str | os.PathLike[str], given: Mapping[str, str] | None = None) -> Tagger:
    """Find a tagger by its name or specification file, check it, and prepare it for a run.

    Parameters
    ----------
    tagger : str or path
        Name of a tagger, a TOML file, or ``python:package.module:function``.
    given : mapping, optional
        Values of options as strings, as on the command line.

    Raises
    ------
    InputError
        If the tagger or an option is unknown, the specification is invalid, a required option is missing, or
        the program does not exist.
    """
    path, spec = find_specification(tagger)
    function: FunctionDescription | None = None
    if spec.python is not None:
        # imported here, because few taggers are functions
        from .functions.function_taggers import describe_function

        function = describe_function(spec, path, given or {})
        spec = function.spec
    options = fill_options(spec, path, given or {})
    if function is not None:
        function.check_options(options)
    trained_on = spec.trained_on
    if models := [Path(str(v)) for name, v in options.items() if is_file_option(spec.options[name], v)]:
        from .training_record import list_training_corpora

        trained_on = [*trained_on, *list_training_corpora(models)]
    ready = Tagger(
        spec,
        path,
        options,
        has_list_input=bool(function and function.has_list_input),
        trained_on=tuple(dict.fromkeys(trained_on)),
    )
    if spec.mode == "http":
        check_endpoint(ready)
    elif spec.input.form == "openai_batch":
        from .endpoints.requests import make_line_formatter

        make_line_formatter(ready)
    if spec.command and not spec.shell:
        # the name of the program is the same in all attempts
        check_program(ready, ready.fill_placeholders(spec.command[0], ready.placeholder_values))
    if spec.limits.memory_mb is not None and not hasattr(resource, "prlimit"):
        raise InputError("limits.memory_mb works only on Linux; remove the key", file=path)
    version = spec.version or (function.version if function else _read_version(ready))
    ready = replace(ready, version=version)
    return replace(ready, digest=_compute_digest(ready, function.source if function else ""))


def check_program(tagger: Tagger, name: str) -> None:
    """Raise InputError if the program `name` of a tagger does not exist."""
    spec, places = tagger.spec, tagger.placeholder_values
    search = os.environ.get("PATH")
    if "PATH" in spec.environment:
        search = tagger.fill_placeholders(spec.environment["PATH"], places)
    if os.sep in name and spec.working_folder and not Path(name).is_absolute():
        name = str(Path(tagger.fill_placeholders(spec.working_folder, places)) / name)
    if shutil.which(name, path=search) is None:
        if (file := tagger.find_misplaced_file(name)) != "":
            raise InputError(
                f"the program {name} is in the specification's folder, which is not on PATH; write "
                f"{{here}}/{file} in the command",
                file=tagger.path,
            )
        raise InputError(
            f"the tagger {spec.name} cannot be started: no such program ({name}); install it"
            + (f" ({spec.homepage})" if spec.homepage else "")
            + ", or correct the key command",
            file=tagger.path,
        )


def check_endpoint(tagger: Tagger) -> None:
    """Raise InputError if the address, a header or a template of an endpoint is invalid."""
    from .endpoints.client import import_httpx
    from .endpoints.requests import RequestBodies, make_address, make_headers

    import_httpx()
    make_address(tagger)
    make_headers(tagger)
    RequestBodies(tagger)


def _read_version(tagger: Tagger) -> str:
    spec, path = tagger.spec, tagger.path
    if spec.version_of is None:
        return ""
    printed, error = capture_output(tagger, spec.version_of.command, "the version command")
    text = decode_printed(printed + b"\n" + error)
    try:
        (matches,) = search_texts(spec.version_of.pattern, [text])
    except InputError as error:
        raise InputError(f"version_command: {error}", file=path) from None
    if not matches:
        raise InputError(
            "the output of the version command contains no version number",
            file=path,
            found=text.strip(),
            allowed=f"text that matches {spec.version_of.pattern}",
        )
    match = matches[0]
    return ((match.groups[0] or "") if match.groups else text[match.start : match.end]).strip()


def _compute_digest(tagger: Tagger, source: str) -> str:
    """Return a checksum of the specification, the options, the files, and the `source` of a function."""
    spec, places = tagger.spec, tagger.placeholder_values
    here = places["here"]
    # without defaults, so that a new key does not change the digests of specifications without it
    declared = spec.model_dump_json(
        exclude={"description", "homepage", "licence", "not_run", "resources"}, exclude_defaults=True
    )
    parts = [declared, tagger.version]
    for name, value in sorted(tagger.options.items()):
        content = digest_path(str(value)) if is_file_option(spec.options[name], value) else repr(value)
        parts.append(f"option {name} {content}")
    for name in spec.files:
        file = Path(here) / tagger.fill_placeholders(name, places)
        if not file.exists():
            raise InputError("files: this file or folder does not exist", file=tagger.path, found=str(file))
        parts.append(f"file {name} {digest_path(file)}")
    # the content of each program in the command counts, whatever its position
    for word in spec.command:
        bare = word.replace("{here}", here).replace("{bundled}", places["bundled"])
        if "{" not in bare and os.sep in bare and Path(bare).is_file():
            parts.append(f"program {word} {digest_path(bare)}")
    if source:
        parts.append(f"source {source}")
    return digest_bytes(*(p.encode() for p in parts))
