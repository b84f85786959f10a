"""Files that nobody declares and a tagger may load, and so part of what a result depends on.

A program that is named in a command counts in the tagger's digest. What it loads (a helper module, a word
list) nobody declares, so whatever stands in the specification's folder (``{here}``) is looked at.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...catalogues.cache import cache_folder
from ...catalogues.core.files import digest_bytes, digest_file
from .specification import BUNDLED, Specification

LARGEST = 1 << 20
"""Bytes of a file that is read whole; of a larger one size and time of change count."""
MOST = 2_000
"""Files that are looked at; a folder of more is somebody's home, and no result is kept for it."""
CODE = re.compile(
    r"\.(pyx?|so|dll|dylib|jar|class|java|kt|scala|groovy|p[lm]|sh|bash|rb|m?js|ts|lua|tcl|r|jl|php|awk|sed"
    r"|c|cc|cpp|h|go|rs|hs|ml|lisp|scm|pro|exe|bin|whl)",
    re.IGNORECASE,
)
"""Endings of programs and their parts. They tell one tagger from another; other files tell results."""
NOT_LOADED = re.compile(r"\.(md|html?|log|pdf|png|svg|tex|part|swp|bak|orig|lock)", re.IGNORECASE)
"""Endings of what people read and what programs leave behind."""
RESULTS = ("run.toml", "suite.toml", "report.html", "pyvenv.cfg", ".shards")
"""A folder that holds one of these is a result of ours, or a Python environment."""
_OURS = re.compile(rb"^format[ \t]*=[ \t]*\d+[ \t\r]*(#.*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Dependencies:
    """The files that stand beside a specification.

    Attributes
    ----------
    code, other : tuple of str
        Name and digest of each file: programs and their parts; all else.
    """

    code: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 over it all."""
        return digest_bytes(*(line.encode() for line in (*self.code, *self.other)))


def dependencies_of(spec: Specification, path: Path) -> Dependencies | None:
    """Look at what stands beside a specification whose command names its folder; None for too many files.

    Left out are folders of results, the cache, hidden files and folders, Python's compiled files, settings
    files of tagsuite, what people read, and what this process prints to.
    """
    here = path.resolve().parent
    # what comes with tagsuite says all its files, and a test holds it to that
    if here == BUNDLED or not _names(spec, here):
        return Dependencies()
    code: list[str] = []
    other: list[str] = []
    for count, file in enumerate(_files(here, cache_folder(), _printed_to())):
        if count >= MOST:
            return None
        is_code = bool(CODE.fullmatch(file.suffix)) or (not file.suffix and os.access(file, os.X_OK))
        # what has just gone or may not be read, no program loads
        with contextlib.suppress(FileNotFoundError, PermissionError):
            line = f"{file.relative_to(here).as_posix()}\0{_content(file, by_time=not is_code)}"
            (code if is_code else other).append(line)
    return Dependencies(tuple(code), tuple(other))


def _names(spec: Specification, here: Path) -> bool:
    """Whether a specification's commands or places mean its own folder."""
    words = [*spec.command, *spec.environment.values(), spec.working_folder]
    words += spec.version_of.command if spec.version_of else []
    return any("{here}" in word or str(here) in word for word in words)


def _files(here: Path, cache: Path | None, printed: set[tuple[int, int]]) -> Iterator[Path]:
    cache = None if cache is None else cache.resolve()
    for place, folders, names in os.walk(here):
        folder = Path(place)
        if folder == cache or (folder != here and any((folder / name).exists() for name in RESULTS)):
            folders.clear()
            continue
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n != "__pycache__")
        for name in sorted(names):
            file = folder / name
            if name.startswith(".") or NOT_LOADED.fullmatch(file.suffix):
                continue
            try:
                found = file.stat()
            except OSError:
                # a link to nowhere
                continue
            if not stat.S_ISREG(found.st_mode) or (found.st_dev, found.st_ino) in printed:
                continue
            if file.suffix == ".toml" and found.st_size <= LARGEST and _is_ours(file):
                continue
            yield file


def _is_ours(file: Path) -> bool:
    try:
        return _OURS.search(file.read_bytes()) is not None
    except OSError:
        return False


def _printed_to() -> set[tuple[int, int]]:
    """The files that our own output goes to: they grow while we run."""
    found = set()
    for handle in (1, 2):
        try:
            there = os.fstat(handle)
        except OSError:
            # closed
            continue
        found.add((there.st_dev, there.st_ino))
    return found


def _content(file: Path, *, by_time: bool) -> str:
    found = file.stat()
    if found.st_size <= LARGEST:
        return digest_file(file)
    return f"{found.st_size} bytes" + (f" of {found.st_mtime_ns}" if by_time else "")
