"""Replies of endpoints: what they hold, and those that are kept so that nothing is asked twice."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ....catalogues.cache import cache_folder, describe_error, report_unusable
from ....catalogues.core.messages import say
from ..outcomes import Fault
from ..processes.process import EXCERPT_BYTES
from ..specification import HttpSettings

LOCK_SECONDS = 60.0
"""Seconds that another run may hold the file."""
CREATE_TABLE = (
    "CREATE TABLE IF NOT EXISTS replies "
    "(digest TEXT PRIMARY KEY, content BLOB NOT NULL, seconds REAL NOT NULL) "
    "WITHOUT ROWID"
)


@dataclass(frozen=True)
class Exchange:
    """What came of asking an endpoint for a case.

    Attributes
    ----------
    fault : Fault or None
        Why there is no answer.
    answer : bytes
    is_final : bool
        Whether asking again is of no use.
    pause : float
        Seconds that the endpoint wants to be left alone.
    seconds : float
        From the request to the end of its reply.
    attempts : int
        Requests that were sent.
    tokens_in, tokens_out : int or None
        Sums over all these requests; None where no reply states them.
    reply : bytes
        The beginning of the reply, without the secrets that it repeats.
    """

    fault: Fault | None = None
    answer: bytes = b""
    is_final: bool = False
    pause: float = 0.0
    seconds: float = 0.0
    attempts: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    reply: bytes = b""

    def sum_costs(self, exchanges: Sequence[Exchange]) -> Exchange:
        """Return the last of some requests with the costs of `exchanges` one."""
        fault = self.fault
        if fault is not None and not self.is_final and len(exchanges) > 1:
            fault = fault._replace(message=f"{fault.message}, {len(exchanges)} tries")
        read = [got.tokens_in for got in exchanges if got.tokens_in is not None]
        written = [got.tokens_out for got in exchanges if got.tokens_out is not None]
        return replace(
            self,
            attempts=len(exchanges),
            fault=fault,
            tokens_in=sum(read) if read else None,
            tokens_out=sum(written) if written else None,
        )

    def drop_costs(self) -> Exchange:
        """Return the same for another case with the same request, which costs nothing more."""
        read, written = (None if number is None else 0 for number in (self.tokens_in, self.tokens_out))
        return replace(self, attempts=0, tokens_in=read, tokens_out=written)


class MissingPathError(Exception):
    """A path leads nowhere."""


def read_reply(content: bytes, table: HttpSettings, seconds: float) -> Exchange:
    """Return the answer in a reply, and what it cost."""
    path = table.answer_path
    if not path and not any(table.token_paths):
        return Exchange(answer=content, is_final=True, seconds=seconds)
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        return Exchange(
            Fault("garbage", f"the reply is not valid JSON ({error.msg})", content[:EXCERPT_BYTES])
        )
    read, written = (read_count(reply, place) for place in table.token_paths)
    try:
        answer = read_answer(reply, path) if path else content
    except MissingPathError as missing:
        fault = Fault("garbage", f"the reply has no {path}: {missing}", content[:EXCERPT_BYTES])
        return Exchange(fault, tokens_in=read, tokens_out=written)
    return Exchange(answer=answer, is_final=True, seconds=seconds, tokens_in=read, tokens_out=written)


def read_tokens(content: bytes, table: HttpSettings) -> tuple[int | None, int | None]:
    """Return the numbers of tokens read and written, where a reply says them."""
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None, None
    read, written = (read_count(reply, place) for place in table.token_paths)
    return read, written


def read_answer(reply: Any, path: str) -> bytes:
    """The answer at a path: a text as it is, anything else as JSON.

    Raises
    ------
    MissingError
        When there is none.
    """
    answer = _get_value(reply, path)
    if answer is None:
        raise MissingPathError("it is null")
    return answer.encode("utf-8", "replace") if isinstance(answer, str) else orjson.dumps(answer)


def _get_value(thing: Any, path: str) -> Any:
    """What stands at a path of keys and places."""
    for part in path.split("."):
        if isinstance(thing, dict) and part in thing:
            thing = thing[part]
        elif isinstance(thing, list) and part.isdecimal() and int(part) < len(thing):
            thing = thing[int(part)]
        else:
            raise MissingPathError(f"{part!r} is not in {_describe_value(thing)}")
    return thing


def _describe_value(thing: Any) -> str:
    if isinstance(thing, dict):
        return f"an object with the keys {', '.join(sorted(thing)[:10])}" if thing else "an empty object"
    return f"a list of {len(thing)}" if isinstance(thing, list) else "what is no object"


def read_count(reply: Any, path: str) -> int | None:
    """The number at a path; None where there is none."""
    if not path:
        return None
    try:
        found = _get_value(reply, path)
    except MissingPathError:
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


class StoredReply(NamedTuple):
    """A reply and the seconds that it took."""

    content: bytes
    seconds: float


class ReplyStore:
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
        with _convert_errors(own):
            self._connection = sqlite3.connect(own or ":memory:", timeout=LOCK_SECONDS, isolation_level=None)
            # a reply is in the file when it is written, also if the process is killed the moment after
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(CREATE_TABLE)
        self._cache = _open_cache(shared)

    def get(self, digest: str) -> StoredReply | None:
        """The reply to a request; None when there is none."""
        query = "SELECT content, seconds FROM replies WHERE digest = ?"
        with _convert_errors(self._own):
            row = self._connection.execute(query, (digest,)).fetchone()
        if row is None and self._cache is not None:
            try:
                row = self._cache.execute(query, (digest,)).fetchone()
            except sqlite3.Error as error:
                say(f"tagsuite: {self._shared}: kept replies cannot be read ({error})")
                self._cache.close()
                self._cache = None
        return None if row is None else StoredReply(bytes(row[0]), float(row[1]))

    def put(self, digest: str, kept: StoredReply) -> None:
        """Keep the reply to a request."""
        with _convert_errors(self._own):
            row = (digest, kept.content, kept.seconds)
            self._connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", row)

    def close(self) -> None:
        """Add what was kept to the cache; one that cannot be written costs time alone, which is said."""
        if self._cache is not None:
            self._cache.close()
        if self._shared is not None:
            try:
                self._shared.parent.mkdir(parents=True, exist_ok=True)
                with contextlib.closing(sqlite3.connect(self._shared, timeout=LOCK_SECONDS)) as cache, cache:
                    cache.execute(CREATE_TABLE)
                    rows = self._connection.execute("SELECT digest, content, seconds FROM replies")
                    cache.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", rows)
            except (sqlite3.Error, OSError) as error:
                report_unusable(cache_folder() or self._shared.parent, describe_error(error))
        self._connection.close()


def _open_cache(shared: Path | None) -> sqlite3.Connection | None:
    """The user's cache for reading; None where there is none."""
    try:
        if shared is None or not shared.is_file():
            return None
        return sqlite3.connect(f"{shared.resolve().as_uri()}?mode=ro", uri=True, timeout=LOCK_SECONDS)
    except (sqlite3.Error, OSError) as error:
        say(f"tagsuite: {shared}: kept replies cannot be read ({error})")
        return None


@contextlib.contextmanager
def _convert_errors(file: Path | None) -> Iterator[None]:
    """Make of the library's errors those of any file that cannot be written."""
    try:
        yield
    except sqlite3.Error as error:
        code = errno.ENOSPC if "full" in str(error) else errno.EIO
        raise OSError(code, f"replies cannot be kept: {error}", str(file or "memory")) from None
