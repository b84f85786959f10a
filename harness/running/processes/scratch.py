"""Scratch folders of taggers: created, checked for space, and removed with all their content."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ....catalogues.core.errors import InputError

MIN_FREE_BYTES = 1 << 20
"""Bytes that must be free besides what a tagger has written; where they are not, something may be missing."""
_DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT)


@contextlib.contextmanager
def make_scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Make a folder that is removed in the end, whatever is in it then."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        yield folder
    finally:
        remove_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder, if it exists, and all that is in it; what cannot be removed stays."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.is_dir():
        # nested deeper than Python can follow, or closed to us
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*command, str(folder)], capture_output=True, check=False)


def open_nameless_file(folder: Path, buffering: int = 0) -> IO[bytes]:
    """Open a file on a folder's device that has no name: no tagger can remove it."""
    return tempfile.TemporaryFile(dir=folder, buffering=buffering)


def check_disk(folder: Path, *, failed: bool) -> None:
    """Make sure that the disk had space for all that a tagger wrote, before its output is believed.

    Parameters
    ----------
    folder : Path
        The scratch folder that it wrote to; the one that this was in, where the tagger has removed it.
    failed : bool
        Whether it failed. A tagger without space may fail in any way, or cut its output off and report
        success; so the disk is looked at after every process, and after one that failed it is written to,
        which finds quotas too.

    Raises
    ------
    InputError
        When there is no space.
    """
    while not folder.is_dir():
        folder = folder.parent
    found = os.statvfs(folder)
    # some file systems do not count their blocks or names
    low = found.f_blocks > 0 and found.f_bavail * found.f_frsize < MIN_FREE_BYTES
    low |= found.f_files > 0 and found.f_favail == 0
    if not (low or failed):
        return
    try:
        # space that is reserved for root and quotas show in writing alone; random bytes cannot be compressed
        with open_nameless_file(folder, -1) as probe:
            probe.write(os.urandom(MIN_FREE_BYTES))
    except OSError as error:
        if error.errno not in _DISK_FULL_ERRORS:
            raise
        raise InputError(
            f"the disk is full ({os.strerror(error.errno)}), which is not the tagger's fault",
            file=folder,
            allowed="room on that disk, then the same command again: finished shards are kept",
        ) from None
