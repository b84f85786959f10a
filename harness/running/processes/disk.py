"""Whether our own disk is full: what a tagger could not write there is no fault of the tagger's."""

from __future__ import annotations

import errno
import functools
import os
import tempfile
from pathlib import Path

from ....catalogues.core.errors import InputError

MARGIN = 1 << 20
"""Bytes that must be free beside what a tagger has written; where they are not, something may be missing."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


def check_disk(folder: Path, *, failed: bool) -> None:
    """Make sure that the disk had space for all that a tagger wrote, before its output is believed.

    Parameters
    ----------
    folder : Path
        The scratch folder that it wrote to; the one that this was in, where the tagger has removed it.
    failed : bool
        Whether it failed. A tagger without space may fail in any way, or cut its output off and say success;
        so the disk is looked at after every process, and after one that failed it is written to, which
        finds quotas too.

    Raises
    ------
    InputError
        When there is no space.
    """
    while not folder.is_dir():
        folder = folder.parent
    found = os.statvfs(folder)
    # where a file system does not count its blocks or names, there are none in all
    low = found.f_blocks > 0 and found.f_bavail * found.f_frsize < MARGIN
    low |= found.f_files > 0 and found.f_favail == 0
    if not (low or failed):
        return
    try:
        # what is kept for root and the user's quota only writing tells
        with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
            left = memoryview(_noise())
            while left:
                left = left[probe.write(left) :]
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise InputError(
            f"the disk is full ({os.strerror(error.errno)}), and not by the tagger's fault",
            file=folder,
            allowed="room on that disk, then the same command again: finished shards are kept",
        ) from None


@functools.cache
def _noise() -> bytes:
    """What no file system can write in less space."""
    return os.urandom(MARGIN)
