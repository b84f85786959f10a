"""HTTP client for an endpoint; it sends requests in parallel, limits their rate, and retries after faults."""

from __future__ import annotations

import asyncio
import email.utils
import queue
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....catalogues.core.errors import MissingExtraError
from ....catalogues.core.files import digest_bytes
from ..outcomes import REPLY_BYTES, Fault
from ..processes.process import EXCERPT_BYTES
from ..tagger import Tagger, hide_secrets
from . import requests
from .replies import Exchange, ReplyStore, StoredReply, read_reply, read_tokens

if TYPE_CHECKING:
    import httpx

RETRY_STATUSES = frozenset({408, 409, 425, 429})
"""HTTP statuses below 500 after which a request is retried; statuses from 500 are always retried."""
PAUSE_STATUSES = frozenset({429, 503})
"""HTTP statuses for which the ``Retry-After`` header is respected."""
MAX_PAUSE_SECONDS = 600.0
MAX_REPLY_BYTES = 1 << 24
"""Maximum size of a reply in bytes, unless `limits.output_mb` is smaller."""
MAX_CASES_AHEAD = 1024
"""Maximum number of replies that are kept in memory until the reply to an earlier request arrives."""
POLL_SECONDS = 0.1
"""Seconds between two checks of whether the run must stop."""


def import_httpx() -> Any:
    """Return the module httpx.

    Raises
    ------
    MissingExtraError
        If httpx is not installed.
    """
    try:
        import httpx
    except ImportError:
        raise MissingExtraError("httpx", "http", 'a tagger of mode = "http"') from None
    return httpx


class EndpointClient:
    """HTTP client that all shards of a run share; it works in its own thread.

    Parameters
    ----------
    tagger : Tagger
    own, shared : Path or None
        Files with the replies stored by the run and in the user's cache; see `ReplyStore`.
    """

    def __init__(self, tagger: Tagger, own: Path | None, shared: Path | None) -> None:
        self._httpx = import_httpx()
        self._spec, self._table = tagger.spec, tagger.spec.endpoint
        self._url, self._headers = requests.make_address(tagger), requests.make_headers(tagger)
        self._repeat = tagger.repeat
        self._secrets = tagger.secrets
        self._max_bytes = min(MAX_REPLY_BYTES, self._spec.limits.output_bytes)
        self._in_flight: dict[str, asyncio.Task[Exchange]] = {}
        self._counted_digests: set[str] = set()
        self._next_time = 0.0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="endpoint", daemon=True)
        self._thread.start()
        try:
            self._run(self._open(own, shared))
        except BaseException:
            self._end()
            raise

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _open(self, own: Path | None, shared: Path | None) -> None:
        self._replies = ReplyStore(own, shared)
        self._semaphore = asyncio.Semaphore(self._table.in_flight)
        # the time limit applies to the whole request, so httpx has none; each connection is used for one
        # request, so that a second response is never taken for the answer to the next request
        self._client: httpx.AsyncClient = self._httpx.AsyncClient(
            limits=self._httpx.Limits(max_connections=self._table.in_flight, max_keepalive_connections=0),
            headers={"Accept-Encoding": "identity", "Connection": "close"},
            timeout=None,
            follow_redirects=False,
        )

    def close(self) -> None:
        """Close the connections, and add the stored replies to the user's cache."""
        try:
            self._run(self._close())
        finally:
            self._end()

    async def _close(self) -> None:
        await self._client.aclose()
        self._replies.close()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def send_requests(self, bodies: Iterable[bytes], check: Callable[[], None]) -> Iterator[Exchange]:
        """Send requests; yield their results in the same order.

        Parameters
        ----------
        bodies : iterable of bytes
            Bodies of the requests.
        check : callable
            Function that raises an exception if the run must stop.
        """
        done: queue.SimpleQueue[Exchange | None] = queue.SimpleQueue()
        work: Future[None] = asyncio.run_coroutine_threadsafe(self._send_all(bodies, done), self._loop)
        work.add_done_callback(lambda _: done.put(None))
        try:
            while True:
                check()
                try:
                    got = done.get(timeout=POLL_SECONDS)
                except queue.Empty:
                    continue
                if got is None:
                    break
                yield got
            work.result()
        finally:
            # also if this generator is closed early
            work.cancel()

    async def _send_all(self, bodies: Iterable[bytes], done: queue.SimpleQueue[Exchange | None]) -> None:
        waiting: deque[asyncio.Task[Exchange]] = deque()
        try:
            for body in bodies:
                waiting.append(asyncio.create_task(self._send_or_reuse(body)))
                if len(waiting) >= MAX_CASES_AHEAD + self._table.in_flight:
                    done.put(await waiting[0])
                    waiting.popleft()
            while waiting:
                done.put(await waiting[0])
                waiting.popleft()
        finally:
            for task in waiting:
                task.cancel()

    async def _send_or_reuse(self, body: bytes) -> Exchange:
        """Return the stored reply to an identical request, or send the request."""
        # each repetition of a run sends its own requests
        repetition = [str(self._repeat).encode()] if self._repeat > 1 else []
        digest = digest_bytes(self._url.encode(), body, *repetition)
        stored = self._replies.get(digest)
        reused = None if stored is None else read_reply(stored.content, self._table, stored.seconds)
        if stored is not None and reused is not None and not reused.fault:
            return self._count_once(digest, replace(reused, reply=stored.content[:REPLY_BYTES]))
        task = self._in_flight.get(digest)
        if task is not None:
            return self._count_once(digest, await asyncio.shield(task))
        task = self._in_flight[digest] = asyncio.create_task(self._send_with_retries(digest, body))
        # the costs of the request belong to the case that sends it
        self._counted_digests.add(digest)
        try:
            return await task
        finally:
            task.cancel()
            self._in_flight.pop(digest, None)

    def _count_once(self, digest: str, got: Exchange) -> Exchange:
        """Return the result of a request; its costs are 0 if an identical request was already counted."""
        if digest in self._counted_digests:
            return got.drop_costs()
        self._counted_digests.add(digest)
        return got

    async def _send_with_retries(self, digest: str, body: bytes) -> Exchange:
        """Send a request repeatedly until it is answered, a retry is useless, or all tries have been used."""
        tries = self._table.tries
        every: list[Exchange] = []
        for attempt in range(1, tries + 1):
            async with self._semaphore:
                await self._await_turn()
                got = await self._send_once(digest, body)
            every.append(got)
            if got.is_final or attempt == tries:
                break
            await asyncio.sleep(max(self._table.backoff * 2.0 ** (attempt - 1), got.pause))
        return got.sum_costs(every)

    async def _await_turn(self) -> None:
        """Wait until the rate limit allows the next request."""
        if self._table.per_minute is None:
            return
        now = time.monotonic()
        turn = max(self._next_time, now)
        self._next_time = turn + 60.0 / self._table.per_minute
        await asyncio.sleep(turn - now)

    async def _send_once(self, digest: str, body: bytes) -> Exchange:
        """Send a request once; store the reply if it contains an answer."""
        httpx = self._httpx
        began = time.monotonic()
        status, pause = 0, 0.0
        content = b""
        try:
            async with (
                asyncio.timeout(self._spec.limits.case),
                self._client.stream("POST", self._url, content=body, headers=self._headers) as response,
            ):
                status = response.status_code
                pause = _parse_pause(response.headers.get("Retry-After")) if status in PAUSE_STATUSES else 0.0
                content = await self._read_content(response)
        except TimeoutError:
            return Exchange(Fault("timeout", "no reply within the time limit"))
        except _UnusableReplyError as error:
            return Exchange(Fault(*error.args), is_final=True)
        except (httpx.ConnectError, httpx.ProxyError):
            return Exchange(Fault("no_program", "no connection to the endpoint"))
        except httpx.LocalProtocolError:
            # the exception's message may contain a header
            return Exchange(Fault("crash", "the request could not be sent"), is_final=True)
        except httpx.TransportError:
            if 200 <= status < 300:
                return Exchange(Fault("garbage", "the reply is cut off"))
            if not status:
                return Exchange(Fault("crash", "the connection was closed without a reply"))
        content = hide_secrets(content, self._secrets)
        if not 200 <= status < 300:
            final = status not in RETRY_STATUSES and status < 500
            fault = Fault("crash", f"status {status}", content[:EXCERPT_BYTES])
            tokens_in, tokens_out = read_tokens(content, self._table)
            return Exchange(
                fault,
                is_final=final,
                pause=pause,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                reply=content[:REPLY_BYTES],
            )
        got = read_reply(content, self._table, time.monotonic() - began)
        if not got.fault:
            self._replies.put(digest, StoredReply(content, got.seconds))
        return replace(got, reply=content[:REPLY_BYTES])

    async def _read_content(self, response: httpx.Response) -> bytes:
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in ("", "identity", "gzip"):
            # the name is not shown, because a header may contain a key
            raise _UnusableReplyError(
                "garbage", "the content encoding of the reply is not gzip and was not requested"
            )
        parts: list[bytes] = []
        size = 0
        async for part in response.aiter_raw():
            size += len(part)
            if size > self._max_bytes:
                raise _UnusableReplyError("flood", f"the reply is larger than {self._max_bytes >> 20} MiB")
            parts.append(part)
        content = b"".join(parts)
        return await asyncio.to_thread(_unpack, content, self._max_bytes) if encoding == "gzip" else content


def _unpack(content: bytes, most: int) -> bytes:
    """Return a decompressed gzip reply; raise an error if it is larger than `most` bytes."""
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        unpacked = stream.decompress(content, most + 1)
    except zlib.error:
        raise _UnusableReplyError("garbage", "the reply is not compressed in its declared encoding") from None
    if len(unpacked) > most:
        raise _UnusableReplyError("flood", f"the reply is larger than {most >> 20} MiB")
    if not stream.eof:
        raise _UnusableReplyError("garbage", "the compressed reply is cut off")
    return unpacked


class _UnusableReplyError(Exception):
    """Error for a reply that is larger than the limit or cannot be decompressed."""


def _parse_pause(header: str | None) -> float:
    """Return the seconds to wait according to a ``Retry-After`` header, which contains a number or a date."""
    if not header:
        return 0.0
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = (email.utils.parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return 0.0
    return min(max(seconds, 0.0), MAX_PAUSE_SECONDS) if seconds == seconds else 0.0
