"""Scratch folders of taggers: creation, check of free disk space, and removal with all their content."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ....catalogues.core.errors import InputError

MIN_FREE_BYTES = 1 << 20
"""Minimum free disk space, in bytes, after a tagger has run; with less, its output may be incomplete."""
_DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT)


@contextlib.contextmanager
def make_scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Make a scratch folder, and remove it with all its content at the end of the ``with`` block."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        yield folder
    finally:
        remove_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder with all its content, if it exists; ignore files that cannot be removed."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.is_dir():
        # nested too deeply for Python, or without permission
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*command, str(folder)], capture_output=True, check=False)


def check_disk(folder: Path, *, failed: bool) -> None:
    """Raise InputError if the disk was full, so that a tagger's output may be incomplete.

    Parameters
    ----------
    folder : Path
        The tagger's scratch folder, or its parent if the tagger has removed it.
    failed : bool
        True if the tagger failed. In this case a file is written as a test, which also detects quotas.

    Raises
    ------
    InputError
        If the disk is full.
    """
    while not folder.is_dir():
        folder = folder.parent
    status = os.statvfs(folder)
    # some file systems do not report their blocks or inodes
    low = status.f_blocks > 0 and status.f_bavail * status.f_frsize < MIN_FREE_BYTES
    low |= status.f_files > 0 and status.f_favail == 0
    if not (low or failed):
        return
    try:
        # only writing shows quotas and space reserved for root; random bytes cannot be compressed
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(os.urandom(MIN_FREE_BYTES))
    except OSError as error:
        if error.errno not in _DISK_FULL_ERRORS:
            raise
        raise InputError(
            f"the disk is full ({os.strerror(error.errno)}); free some space and run the same command again "
            "(finished shards are kept)",
            file=folder,
        ) from None
