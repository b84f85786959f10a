"""Folders that a tagger worked in, removed with whatever it left there."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

MOVED = f".tagsuite-{uuid.uuid4().hex}-"
"""How the names of folders that were moved up begin."""
NUMBERS = itertools.count()
ROUNDS = 3
"""Times that a folder is emptied, should something still write into it."""


def remove(folder: Path) -> None:
    """Remove a folder and all that is in it, however deep it is; one that is not there is no error.

    Without recursion, and without paths that grow: the folders in a folder are moved up to the top before it
    is removed. What cannot be removed stays.
    """
    for _ in range(ROUNDS):
        with contextlib.suppress(OSError):
            _empty(folder)
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            continue
        return


def _empty(folder: Path) -> None:
    top = _open(str(folder), None)
    try:
        waiting = _folders(top)
        while waiting:
            name = waiting.pop()
            with contextlib.suppress(OSError):
                inner = _open(name, top)
                try:
                    for below in _folders(inner):
                        moved = f"{MOVED}{next(NUMBERS)}"
                        os.rename(below, moved, src_dir_fd=inner, dst_dir_fd=top)
                        waiting.append(moved)
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)


def _open(name: str, place: int | None) -> int:
    """Open a folder to empty it, be it one that may not be entered."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        handle = os.open(name, flags, dir_fd=place)
    except PermissionError:
        os.chmod(name, stat.S_IRWXU, dir_fd=place)
        return os.open(name, flags, dir_fd=place)
    if stat.S_IMODE(os.fstat(handle).st_mode) & stat.S_IRWXU != stat.S_IRWXU:
        # somebody else's folder
        with contextlib.suppress(PermissionError):
            os.fchmod(handle, stat.S_IRWXU)
    return handle


def _folders(handle: int) -> list[str]:
    """The folders in an open folder that are left when all else has been removed."""
    with os.scandir(handle) as stream:
        entries = list(stream)
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            with contextlib.suppress(OSError):
                os.unlink(entry.name, dir_fd=handle)
    return [e.name for e in entries if e.is_dir(follow_symlinks=False)]


@contextlib.contextmanager
def scratch(place: Path, prefix: str) -> Iterator[Path]:
    """A folder of its own that is removed in the end, whatever is in it then."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    try:
        yield folder
    finally:
        remove(folder)
