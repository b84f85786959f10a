"""Replies of endpoints, kept by what was asked, so that nothing is asked twice."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ....catalogues.cache import cache_folder, reason_of, say_unusable
from ....catalogues.core.tables import say

PATIENCE = 60.0
"""Seconds that another run may hold the file."""
TABLE = (
    "CREATE TABLE IF NOT EXISTS replies "
    "(digest TEXT PRIMARY KEY, content BLOB NOT NULL, seconds REAL NOT NULL) "
    "WITHOUT ROWID"
)


@dataclass(frozen=True)
class Kept:
    """A reply and the seconds that it took."""

    content: bytes
    seconds: float


class Replies:
    """The replies of a run, in an SQLite file; those of former runs in the user's cache are found too.

    A reply is written before anything is made of it: when the run is killed, it is not asked for again.
    In the end the run's replies are added to the cache. An object belongs to the thread that made it.

    Parameters
    ----------
    own : Path or None
        The run's file; without one nothing survives the run but what goes to the cache.
    shared : Path or None
        The user's cache; None where it is not to be used.
    """

    def __init__(self, own: Path | None, shared: Path | None) -> None:
        self._own, self._shared = own, shared
        with _explained(own):
            self._kept = sqlite3.connect(own or ":memory:", timeout=PATIENCE, isolation_level=None)
            # a reply is in the file when it is written, also if the process is killed the moment after
            self._kept.execute("PRAGMA journal_mode=WAL")
            self._kept.execute("PRAGMA synchronous=NORMAL")
            self._kept.execute(TABLE)
        self._former = _opened(shared)

    def get(self, digest: str) -> Kept | None:
        """The reply to a request; None when there is none."""
        query = "SELECT content, seconds FROM replies WHERE digest = ?"
        with _explained(self._own):
            row = self._kept.execute(query, (digest,)).fetchone()
        if row is None and self._former is not None:
            try:
                row = self._former.execute(query, (digest,)).fetchone()
            except sqlite3.Error as error:
                say(f"tagsuite: {self._shared}: kept replies cannot be read ({error})")
                self._former.close()
                self._former = None
        return None if row is None else Kept(bytes(row[0]), float(row[1]))

    def put(self, digest: str, kept: Kept) -> None:
        """Keep the reply to a request."""
        with _explained(self._own):
            row = (digest, kept.content, kept.seconds)
            self._kept.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", row)

    def close(self) -> None:
        """Add what was kept to the cache; one that cannot be written costs time alone, which is said."""
        if self._former is not None:
            self._former.close()
        if self._shared is not None:
            try:
                self._shared.parent.mkdir(parents=True, exist_ok=True)
                with contextlib.closing(sqlite3.connect(self._shared, timeout=PATIENCE)) as cache, cache:
                    cache.execute(TABLE)
                    rows = self._kept.execute("SELECT digest, content, seconds FROM replies")
                    cache.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", rows)
            except (sqlite3.Error, OSError) as error:
                say_unusable(cache_folder() or self._shared.parent, reason_of(error))
        self._kept.close()


def _opened(shared: Path | None) -> sqlite3.Connection | None:
    """The user's cache for reading; None where there is none."""
    try:
        if shared is None or not shared.is_file():
            return None
        return sqlite3.connect(f"{shared.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)
    except (sqlite3.Error, OSError) as error:
        say(f"tagsuite: {shared}: kept replies cannot be read ({error})")
        return None


@contextlib.contextmanager
def _explained(file: Path | None) -> Iterator[None]:
    """Make of the library's errors those of any file that cannot be written."""
    try:
        yield
    except sqlite3.Error as error:
        code = errno.ENOSPC if "full" in str(error) else errno.EIO
        raise OSError(code, f"replies cannot be kept: {error}", str(file or "memory")) from None
