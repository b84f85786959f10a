"""`tagsuite taggers new`: a specification and a program to fill, which run at once."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text, read_text
from ...catalogues.core.toml import parse_toml
from .lookup import BUNDLED_FOLDER
from .specification import check_name

TEMPLATES_FOLDER = BUNDLED_FOLDER / "templates"
SUFFIXES = (".toml", ".py")
RESERVED_MODULES = ("gliner", "spacy", "torch", "transformers")
"""Modules that a tagger is likely to import: a file of such a name would stand before them."""


def list_kinds() -> list[str]:
    """What a stub may be like: the names of the templates."""
    return sorted(path.stem for path in TEMPLATES_FOLDER.glob("*.toml"))


def write_stub(name: str, like: str, out: Path, *, force: bool = False) -> list[Path]:
    """Write a specification and its program into a folder.

    Parameters
    ----------
    name : str
        The tagger's name, and that of its specification.
    like : str
        One of `kinds`.
    out : Path
        The folder, which may hold other files.
    force : bool
        Whether a tagger of this name is replaced, which the specification there tells.

    Returns
    -------
    list of Path
        The files: specification and program.

    Raises
    ------
    InputError
        A name that no tagger may have, an unknown kind, a file that exists.
    """
    check_name(name)
    if like not in list_kinds():
        raise InputError("no such kind of tagger", found=like, allowed=", ".join(list_kinds()))
    # a module's name, which imports must find, and no other module's
    module = re.sub(r"^(?=\d)|\W", "_", name)
    module += "_tagger" if module in (*sys.stdlib_module_names, *RESERVED_MODULES) else ""
    files = [out / f"{name}.toml", out / f"{module}.py"]
    for file in files:
        if file.exists() and not force:
            raise InputError(
                "the file exists already", file=file, allowed="another name or folder, or --force"
            )
        if file.exists() and _read_tagger_name(files[0]) != name:
            raise InputError(
                f"the file is not replaced: {files[0].name} is not the specification of a tagger {name}",
                file=file,
                allowed="another name or folder",
            )
    for file, suffix in zip(files, SUFFIXES, strict=True):
        content = (TEMPLATES_FOLDER / f"{like}{suffix}").read_text(encoding="utf-8")
        with atomic_text(file) as stream:
            stream.write(
                content.replace("NAME", name, 1).replace("MODULE", module) if suffix == ".toml" else content
            )
    return files


def _read_tagger_name(file: Path) -> object:
    """The tagger's name in a specification file; None where it is missing or not TOML."""
    try:
        return parse_toml(read_text(file), file).get("name")
    except InputError:
        return None
