"""Parsing of endpoint replies, and their storage, so that no request is sent twice."""

from __future__ import annotations

import contextlib
import errno
import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ....catalogues.cache import describe_error, report_unusable
from ....catalogues.core.messages import say
from ..outcomes import Fault
from ..processes.process import EXCERPT_BYTES
from ..specification import HttpSettings

LOCK_SECONDS = 60.0
"""Maximum number of seconds to wait until another run releases the reply file."""
CREATE_TABLE = (
    "CREATE TABLE IF NOT EXISTS replies "
    "(digest TEXT PRIMARY KEY, content BLOB NOT NULL, seconds REAL NOT NULL) "
    "WITHOUT ROWID"
)


@dataclass(frozen=True)
class Exchange:
    """Result of sending one case to an endpoint.

    Attributes
    ----------
    fault : Fault or None
        Reason why there is no usable answer.
    answer : bytes
    is_final : bool
        True if the request is not sent again: it was answered, or a retry is useless.
    pause : float
        Seconds that the endpoint asks the client to wait.
    seconds : float
        Seconds from the start of the request to the end of the reply.
    attempts : int
        Number of requests that were sent.
    tokens_in, tokens_out : float
        Number of input and output tokens of all requests; NaN if no reply contains it.
    reply : bytes
        Beginning of the reply, with secrets masked.
    """

    fault: Fault | None = None
    answer: bytes = b""
    is_final: bool = False
    pause: float = 0.0
    seconds: float = 0.0
    attempts: int = 0
    tokens_in: float = math.nan
    tokens_out: float = math.nan
    reply: bytes = b""

    def sum_costs(self, exchanges: Sequence[Exchange]) -> Exchange:
        """Return a copy with the total costs of `exchanges` (all attempts to send one request)."""
        fault = self.fault
        if fault is not None and not self.is_final and len(exchanges) > 1:
            fault = fault._replace(message=f"{fault.message}, {len(exchanges)} tries")
        tokens_in = _sum_known(got.tokens_in for got in exchanges)
        tokens_out = _sum_known(got.tokens_out for got in exchanges)
        return replace(self, attempts=len(exchanges), fault=fault, tokens_in=tokens_in, tokens_out=tokens_out)

    def drop_costs(self) -> Exchange:
        """Return a copy in which all costs are 0, for a case that shares its request with another case."""
        # unknown numbers stay NaN
        return replace(self, attempts=0, tokens_in=0 * self.tokens_in, tokens_out=0 * self.tokens_out)


def _sum_known(counts: Iterable[float]) -> float:
    """Return the sum of the known numbers; NaN if there are none."""
    known = [count for count in counts if not math.isnan(count)]
    return sum(known) if known else math.nan


class MissingPathError(Exception):
    """Error for a path that does not exist in a reply."""


def read_reply(content: bytes, table: HttpSettings, seconds: float) -> Exchange:
    """Return the answer and the costs in a reply."""
    path = table.answer_path
    if not path and not any(table.token_paths):
        return Exchange(answer=content, is_final=True, seconds=seconds)
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        fault = Fault("garbage", f"the reply is not valid JSON ({error.msg})", content[:EXCERPT_BYTES])
        return Exchange(fault)
    tokens_in, tokens_out = (read_count(reply, place) for place in table.token_paths)
    try:
        answer = read_answer(reply, path) if path else content
    except MissingPathError as missing:
        fault = Fault("garbage", f"the reply has no {path}: {missing}", content[:EXCERPT_BYTES])
        return Exchange(fault, tokens_in=tokens_in, tokens_out=tokens_out)
    return Exchange(answer=answer, is_final=True, seconds=seconds, tokens_in=tokens_in, tokens_out=tokens_out)


def read_tokens(content: bytes, table: HttpSettings) -> tuple[float, float]:
    """Return the input and output token counts in a reply; NaN for a count that is missing."""
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError:
        return math.nan, math.nan
    return read_count(reply, table.token_paths[0]), read_count(reply, table.token_paths[1])


def read_answer(reply: Any, path: str) -> bytes:
    """Return the answer at a path in a reply: a string as bytes, anything else as JSON.

    Raises
    ------
    MissingPathError
        If the path does not exist.
    """
    answer = _get_value(reply, path)
    if answer is None:
        raise MissingPathError("it is null")
    return answer.encode("utf-8", "replace") if isinstance(answer, str) else orjson.dumps(answer)


def _get_value(value: Any, path: str) -> Any:
    """Return the value at a dotted path of keys and list indices in a reply."""
    for part in path.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise MissingPathError(f"there is no {part!r} in {_describe_value(value)}")
    return value


def _describe_value(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object with the keys {', '.join(sorted(value)[:10])}" if value else "an empty object"
    return f"a list of length {len(value)}" if isinstance(value, list) else "a value that is not an object"


def read_count(reply: Any, path: str) -> float:
    """Return the non-negative integer at a path in a reply; NaN if the path has no such value."""
    try:
        count = _get_value(reply, path)
    except MissingPathError:
        return math.nan
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else math.nan


class StoredReply(NamedTuple):
    """Content of a stored reply, and the seconds from the request to the end of the reply."""

    content: bytes
    seconds: float


class ReplyStore:
    """Store of a run's replies in an SQLite file, with access to replies of earlier runs in the cache.

    A reply is stored before it is parsed, so that its request is not sent again if the run is killed. At the
    end of the run, its replies are added to the cache. A store may only be used in the thread that created
    it.

    Parameters
    ----------
    own : Path or None
        The run's file; None to keep its replies in memory until they are added to the cache.
    shared : Path or None
        The file in the user's cache; None if the cache is not used.
    """

    def __init__(self, own: Path | None, shared: Path | None) -> None:
        self._own, self._shared = own, shared
        with _convert_errors(own):
            self._connection = sqlite3.connect(own or ":memory:", timeout=LOCK_SECONDS, isolation_level=None)
            # with these settings, a stored reply survives if the process is killed
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(CREATE_TABLE)
        self._cache = _open_cache(shared)

    def get(self, digest: str) -> StoredReply | None:
        """Return the stored reply to the request with the given checksum; None if no reply is stored."""
        query = "SELECT content, seconds FROM replies WHERE digest = ?"
        with _convert_errors(self._own):
            row = self._connection.execute(query, (digest,)).fetchone()
        if row is None and self._cache is not None:
            try:
                row = self._cache.execute(query, (digest,)).fetchone()
            except sqlite3.Error as error:
                say(f"tagsuite: {self._shared}: stored replies cannot be read ({error})")
                self._cache.close()
                self._cache = None
        return None if row is None else StoredReply(bytes(row[0]), float(row[1]))

    def put(self, digest: str, reply: StoredReply) -> None:
        """Store the reply to a request."""
        with _convert_errors(self._own):
            row = (digest, reply.content, reply.seconds)
            self._connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", row)

    def close(self) -> None:
        """Add the replies to the user's cache; if that fails, only print a message."""
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
                report_unusable(self._shared.parent, describe_error(error))
        self._connection.close()


def _open_cache(shared: Path | None) -> sqlite3.Connection | None:
    """Open the user's cache for reading; return None if it does not exist."""
    try:
        if shared is None or not shared.is_file():
            return None
        return sqlite3.connect(f"{shared.resolve().as_uri()}?mode=ro", uri=True, timeout=LOCK_SECONDS)
    except (sqlite3.Error, OSError) as error:
        say(f"tagsuite: {shared}: stored replies cannot be read ({error})")
        return None


@contextlib.contextmanager
def _convert_errors(file: Path | None) -> Iterator[None]:
    """Convert SQLite errors to OSError."""
    try:
        yield
    except sqlite3.Error as error:
        code = errno.ENOSPC if "full" in str(error) else errno.EIO
        raise OSError(code, f"replies cannot be stored: {error}", str(file or "memory")) from None
