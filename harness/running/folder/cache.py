"""Cache of finished runs; the key is a checksum of everything that can change the results."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from ....catalogues.cache import cache_folder, describe_error, report_unusable
from ....catalogues.core.errors import InputError
from ....catalogues.core.messages import say
from ....catalogues.core.output_folder import atomic_folder
from .shard import ShardStore

RUNS_FOLDER = "runs"
"""Subfolder of the user's cache that contains the finished shards of earlier runs."""
DATE_FORMAT = "%Y-%m-%dT%H:%M:%S%z"


def fetch_shards(key: str, store: ShardStore, count: int) -> str:
    """Copy the cached shards of an earlier run that has the same key.

    Returns
    -------
    str
        Time of the earlier run (``2026-11-22T09:30:00Z``); empty if there is no such run or it is damaged.
    """
    folder = cache_folder()
    if folder is None:
        return ""
    stored = folder / RUNS_FOLDER / key
    try:
        date = (stored / "complete").read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return ""
    except OSError as error:
        report_unusable(folder, describe_error(error))
        return ""
    try:
        datetime.strptime(date, DATE_FORMAT)
        for number in sorted({*range(count)} - store.finished):
            store.put(number, ShardStore(stored).read(number))
    except (OSError, InputError, ValueError):
        say(f"tagsuite: {stored}: the cached result is damaged; it is removed, and the tagger runs again")
        shutil.rmtree(stored, ignore_errors=True)
        return ""
    return date


def keep_shards(key: str, shards: Path) -> None:
    """Store the finished shards of a run in the cache; if that fails, only print a message."""
    folder = cache_folder()
    if folder is None:
        return
    stored = folder / RUNS_FOLDER / key
    try:
        if (stored / "complete").is_file():
            return
        with atomic_folder(stored, "cached run", force=True) as temporary:
            for file in sorted(shards.glob("*.shard")):
                shutil.copyfile(file, temporary / file.name)
            now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
            (temporary / "complete").write_text(now + "\n", encoding="ascii")
    except (OSError, InputError) as error:
        report_unusable(folder, describe_error(error))
