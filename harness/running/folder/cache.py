"""Finished runs kept by what they depend on, so that the same run again costs nothing."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from ....catalogues.cache import cache_folder
from ....catalogues.core.output_folder import atomic_folder
from ....catalogues.core.tables import say
from .store import ShardStore


def runs_folder() -> Path | None:
    """Where finished shards are kept; None when caching is off."""
    folder = cache_folder()
    return None if folder is None else folder / "runs"


def replies_file() -> Path | None:
    """Where the replies of endpoints are kept; None when caching is off."""
    folder = cache_folder()
    return None if folder is None else folder / "replies.sqlite"


def fetch(key: str, store: ShardStore, count: int) -> str:
    """Put the finished shards of an earlier run of the same key in place.

    Returns
    -------
    str
        When the earlier run was done (``2026-11-22T09:30:00Z``); empty when there is none that is whole.
    """
    folder = runs_folder()
    if folder is None:
        return ""
    stored = folder / key
    try:
        date = (stored / "complete").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""
    for number in range(count):
        if store.has(number):
            continue
        shard = ShardStore(stored).read(number)
        if shard is None:
            say(f"tagsuite: {stored}: the cached result is damaged; it is dropped, and the tagger run")
            shutil.rmtree(stored)
            return ""
        store.put(number, shard)
    return date


def keep(key: str, shards: Path) -> None:
    """Keep the finished shards of a run.

    A cache that cannot be written (full, read-only) loses nothing but time; the caller says so.
    """
    folder = runs_folder()
    if folder is None:
        return
    stored = folder / key
    if (stored / "complete").is_file():
        return
    with atomic_folder(stored, "cached run", force=True) as temporary:
        for file in sorted(shards.glob("*.shard")):
            shutil.copyfile(file, temporary / file.name)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        (temporary / "complete").write_text(now + "\n", encoding="ascii")
