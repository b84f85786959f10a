"""What offline batch runners of chat endpoints write: a JSON object a line, the answer to one case in each.

vLLM's ``run-batch`` and the vendors write ``custom_id``, ``response`` (``status_code``, ``body``) and
``error``, in any order of lines. The answers within are read by another form, `Output.answer_form`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson

from ....sentences.formats.records import TOO_LONG, found_in, missing_key
from ..endpoints.answers import MissingError, answer_at, count_at
from ..specification.http import CHAT_ANSWER, CHAT_TOKENS
from .parse import parse
from .placed import DUPLICATE, Joining, Placed
from .printed import Printed, index

SHOWN = 200
"""Characters of an error that are shown."""


def read(printed: Printed) -> Placed:
    """An object a line, by the identifiers of cases."""
    sent, form = printed.sent, printed.form
    inner = form.model_copy(update={"form": form.answer_form, "encoding": "utf-8"})
    places = index(sent.names)
    found = Joining(len(sent))
    seen: set[int] = set()
    faults: dict[int, tuple[str, str]] = {}
    tokens = np.full((len(sent), 2), np.nan)
    strays, noise = 0, ""
    for number, line in enumerate(printed.text.split(b"\n")):
        if not line.strip():
            continue
        try:
            record = None if number in printed.long else orjson.loads(line)
            noise = noise or (TOO_LONG if record is None and number in printed.long else "")
        except orjson.JSONDecodeError as error:
            record, noise = None, noise or f"not valid JSON ({error.msg})"
        name = record.get("custom_id") if isinstance(record, dict) else None
        place = places.get(name) if isinstance(name, str) else None
        if place is None or not isinstance(record, dict):
            strays, noise = strays + 1, noise or _nameless(record)
            continue
        if place in seen:
            faults[place] = ("duplicate", DUPLICATE)
            printed.lines[place].append(number)
            continue
        seen.add(place)
        printed.lines[place] = [number]
        # a reply whose answer cannot be used was paid for too
        tokens[place] = [np.nan if n is None else n for n in _tokens(record)]
        try:
            answer = _answer(record)
        except _FailedError as failed:
            faults[place] = ("crash", str(failed))
        except MissingError as missing:
            faults[place] = ("garbage", f"no response.body.{CHAT_ANSWER}: {missing}")
        else:
            placed = parse(answer, inner, sent.take_one(place), whole_case=True)
            if placed.way[0] < 0 and not placed.fault:
                faults[place] = ("garbage", placed.noise)
            found.add_one(place, placed)
    result = found.result()
    result.way[list(faults)] = -1
    result = result.of_cases(result.way >= 0)
    result.fault |= {place: fault for place, (fault, _) in faults.items()}
    result.what |= {place: what for place, (_, what) in faults.items() if what}
    result.strays += strays
    result.noise = result.noise or noise
    result.tokens = tokens
    return result


def _nameless(record: Any) -> str:
    """Why a line is no case's."""
    if not isinstance(record, dict):
        return f"not an object with a custom_id: {found_in(record)}"
    if "custom_id" not in record:
        return _lacking(record, "custom_id")
    return f"a line without the custom_id of a case: {found_in(record['custom_id'])}"


def _lacking(record: dict[str, Any], key: str) -> str:
    return missing_key("the object has no key", record, key)


class _FailedError(Exception):
    """The runner got no reply for a case."""


def _tokens(record: dict[str, Any]) -> list[int | None]:
    """What was read and written, as the reply in a line says."""
    return [count_at(record.get("response"), f"body.{path}") for path in CHAT_TOKENS]


def _answer(record: dict[str, Any]) -> bytes:
    """The answer in a line."""
    response = record.get("response")
    if response is None and record.get("error") is None:
        raise _FailedError("no response: null" if "response" in record else _lacking(record, "response"))
    status = response.get("status_code", 200) if isinstance(response, dict) else None
    if record.get("error") is not None or status != 200:
        told = record.get("error") or (response.get("body") if isinstance(response, dict) else None)
        words = f"status {status}" if isinstance(status, int) else "no response"
        raise _FailedError(f"{words}: {orjson.dumps(told).decode()[:SHOWN]}" if told is not None else words)
    return answer_at(response, f"body.{CHAT_ANSWER}")
