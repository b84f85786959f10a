"""What an endpoint's reply holds: the answer, the tokens, or why it is no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from ..outcomes import Fault
from ..processes.stderr import EXCERPT
from ..specification import Http


@dataclass(frozen=True)
class Got:
    """What came of asking for a case.

    Attributes
    ----------
    fault : Fault or None
        Why there is no answer.
    answer : bytes
    final : bool
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
    final: bool = False
    pause: float = 0.0
    seconds: float = 0.0
    attempts: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    reply: bytes = b""

    def after(self, every: Sequence[Got]) -> Got:
        """Return the last of some requests with the costs of `every` one."""
        fault = self.fault
        if fault is not None and not self.final and len(every) > 1:
            fault = fault._replace(message=f"{fault.message}, {len(every)} tries")
        read = [got.tokens_in for got in every if got.tokens_in is not None]
        written = [got.tokens_out for got in every if got.tokens_out is not None]
        return replace(
            self,
            attempts=len(every),
            fault=fault,
            tokens_in=sum(read) if read else None,
            tokens_out=sum(written) if written else None,
        )

    def shared(self) -> Got:
        """Return the same for another case with the same request, which costs nothing more."""
        read, written = (None if number is None else 0 for number in (self.tokens_in, self.tokens_out))
        return replace(self, attempts=0, tokens_in=read, tokens_out=written)


class MissingError(Exception):
    """A path leads nowhere."""


def read_reply(content: bytes, table: Http, seconds: float) -> Got:
    """Return the answer in a reply, and what it cost."""
    path = table.answer_path
    if not path and not any(table.token_paths):
        return Got(answer=content, final=True, seconds=seconds)
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        return Got(Fault("garbage", f"the reply is not valid JSON ({error.msg})", content[:EXCERPT]))
    read, written = (count_at(reply, place) for place in table.token_paths)
    try:
        answer = answer_at(reply, path) if path else content
    except MissingError as missing:
        fault = Fault("garbage", f"the reply has no {path}: {missing}", content[:EXCERPT])
        return Got(fault, tokens_in=read, tokens_out=written)
    return Got(answer=answer, final=True, seconds=seconds, tokens_in=read, tokens_out=written)


def read_tokens(content: bytes, table: Http) -> tuple[int | None, int | None]:
    """Return the numbers of tokens read and written, where a reply says them."""
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None, None
    read, written = (count_at(reply, place) for place in table.token_paths)
    return read, written


def answer_at(reply: Any, path: str) -> bytes:
    """The answer at a path: a text as it is, anything else as JSON.

    Raises
    ------
    MissingError
        When there is none.
    """
    answer = _at(reply, path)
    if answer is None:
        raise MissingError("it is null")
    return answer.encode("utf-8", "replace") if isinstance(answer, str) else orjson.dumps(answer)


def _at(thing: Any, path: str) -> Any:
    """What stands at a path of keys and places."""
    for part in path.split("."):
        if isinstance(thing, dict) and part in thing:
            thing = thing[part]
        elif isinstance(thing, list) and part.isdecimal() and int(part) < len(thing):
            thing = thing[int(part)]
        else:
            raise MissingError(f"{part!r} is not in {_described(thing)}")
    return thing


def _described(thing: Any) -> str:
    if isinstance(thing, dict):
        return f"an object with the keys {', '.join(sorted(thing)[:10])}" if thing else "an empty object"
    return f"a list of {len(thing)}" if isinstance(thing, list) else "what is no object"


def count_at(reply: Any, path: str) -> int | None:
    """The number at a path; None where there is none."""
    if not path:
        return None
    try:
        found = _at(reply, path)
    except MissingError:
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None
