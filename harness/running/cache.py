"""Finished runs kept by what they depend on, so that the same run again costs nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ...catalogues.plumbing.files import atomic_folder


def cache_folder() -> Path:
    """Where finished shards are kept: ``TAGSUITE_CACHE``, else the user's cache folder."""
    own = os.environ.get("TAGSUITE_CACHE")
    if own:
        return Path(own) / "runs"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tagsuite" / "runs"


def fetch(key: str, shards: Path) -> bool:
    """Put the finished shards of an earlier run of the same key in place; False when there are none."""
    stored = cache_folder() / key
    if not (stored / "complete").is_file():
        return False
    for file in sorted(stored.glob("*.shard")):
        shutil.copyfile(file, shards / file.name)
    return True


def keep(key: str, shards: Path) -> None:
    """Keep the finished shards of a run.

    A cache that cannot be written (full, read-only) loses nothing but time; the caller says so.
    """
    stored = cache_folder() / key
    if (stored / "complete").is_file():
        return
    with atomic_folder(stored, force=True) as temporary:
        for file in sorted(shards.glob("*.shard")):
            shutil.copyfile(file, temporary / file.name)
        (temporary / "complete").touch()
