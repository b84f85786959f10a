"""Files that are part of the package: lists, tables and XML beside the code that reads them."""

from __future__ import annotations

from importlib import resources
from typing import Any

from .files import decode


def bundled_bytes(package: str, *path: str) -> bytes:
    """The content of a file below a package's folder."""
    return resources.files(package).joinpath(*path).read_bytes()


def bundled_text(package: str, *path: str) -> str:
    """The text of a file below a package's folder."""
    return decode(bundled_bytes(package, *path), path[-1])


def bundled_toml(package: str, *path: str) -> dict[str, Any]:
    """The content of a TOML file below a package's folder."""
    # imported where it is needed: most commands read none of these
    import tomllib

    return tomllib.loads(bundled_text(package, *path))


def bundled_rows(package: str, *path: str) -> list[list[str]]:
    """The tab-separated rows of a file below a package's folder, without empty lines and those of remarks.

    Remarks are lines that begin with ``#``.
    """
    lines = bundled_text(package, *path).splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def bundled_files(package: str, stem: str, suffix: str = ".xml") -> list[tuple[str, bytes]]:
    """Names and contents of the files of a package's folder that begin and end so, by name."""
    folder = resources.files(package)
    names = sorted(i.name for i in folder.iterdir() if i.name.startswith(stem) and i.name.endswith(suffix))
    return [(name, folder.joinpath(name).read_bytes()) for name in names]
