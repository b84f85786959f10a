"""Implementation of `tagsuite taggers new`: write a specification and a program that run without changes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text, read_text
from ...catalogues.core.toml import parse_toml
from .specification import BUNDLED_FOLDER, check_name

TEMPLATES_FOLDER = BUNDLED_FOLDER / "templates"
RESERVED_MODULES = ("gliner", "spacy", "torch", "transformers")
"""Modules that taggers often import; a program file with the same name would hide such a module."""


def write_stub(name: str, like: str, out: Path, *, force: bool = False) -> list[Path]:
    """Write the specification and the program of a new tagger into a folder.

    Parameters
    ----------
    name : str
        Name of the tagger and of its specification file.
    like : str
        Name of a template: a file in `TEMPLATES_FOLDER`, without its suffix.
    out : Path
        Output folder, which may contain other files.
    force : bool
        Replace the files of an existing tagger with this name.

    Returns
    -------
    list of Path
        Paths of the specification and of the program.

    Raises
    ------
    InputError
        If the name is not allowed, or a file exists.
    """
    check_name(name)
    # the program must be importable and must not hide another module
    module = re.sub(r"^(?=\d)|\W", "_", name)
    module += "_tagger" if module in (*sys.stdlib_module_names, *RESERVED_MODULES) else ""
    files = [out / f"{name}.toml", out / f"{module}.py"]
    for file in files:
        if file.exists() and not force:
            raise InputError(
                "the file already exists; choose another name or folder, or use --force to replace it",
                file=file,
            )
        if file.exists() and _read_tagger_name(files[0]) != name:
            raise InputError(
                f"the file is not replaced, because {files[0].name} does not specify a tagger named {name}; "
                "choose another name or folder",
                file=file,
            )
    for file in files:
        content = (TEMPLATES_FOLDER / f"{like}{file.suffix}").read_text(encoding="utf-8")
        if file.suffix == ".toml":
            content = content.replace("NAME", name, 1).replace("MODULE", module)
        with atomic_text(file) as stream:
            stream.write(content)
    return files


def _read_tagger_name(file: Path) -> object:
    """Return the name in a specification file; None if the file is missing or not TOML."""
    try:
        return parse_toml(read_text(file), file).get("name")
    except InputError:
        return None
