"""What an endpoint's reply holds: the answer, the tokens, or why it is no answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import orjson

from ..outcomes import Fault
from ..processes.stderr import EXCERPT
from ..specification.http import Http


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

    def after(self, attempts: int) -> Got:
        """The same, after some requests."""
        fault = self.fault
        if fault is not None and not self.final and attempts > 1:
            fault = fault._replace(message=f"{fault.message}, {attempts} tries")
        return replace(self, attempts=attempts, fault=fault)


class MissingError(Exception):
    """A path leads nowhere."""


def read_reply(content: bytes, table: Http, seconds: float) -> Got:
    """Look for the answer in a reply."""
    path = table.answer_path
    if not path and not any(table.token_paths):
        return Got(answer=content, final=True, seconds=seconds)
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        return Got(Fault("garbage", f"the reply is not valid JSON ({error.msg})", content[:EXCERPT]))
    try:
        answer = answer_at(reply, path) if path else content
    except MissingError as missing:
        return Got(Fault("garbage", f"the reply has no {path}: {missing}", content[:EXCERPT]))
    tokens_in, tokens_out = (count_at(reply, place) for place in table.token_paths)
    return Got(answer=answer, final=True, seconds=seconds, tokens_in=tokens_in, tokens_out=tokens_out)


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
