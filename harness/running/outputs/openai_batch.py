"""Output of offline batch runners for chat endpoints: each line is a JSON object with one answer.

vLLM's ``run-batch`` and commercial services write objects with ``custom_id``, ``response`` (``status_code``,
``body``) and ``error``. The lines may be in any order. The answers in the objects have the form
`Output.answer_form`.
"""

from __future__ import annotations

from typing import Any

import orjson

from ....sentences.formats.problems import describe_missing_key, shorten_value
from ..endpoints.replies import MissingPathError, read_answer, read_count
from ..specification import CHAT_ANSWER_PATH, CHAT_TOKEN_PATHS
from .parse import TaggerOutput, match_case_ids, parse_output
from .placement import Placement

SHOWN = 200
"""Maximum number of characters shown from an error message."""


def read(printed: TaggerOutput) -> Placement:
    """Parse one JSON object per line, and assign the objects to cases by identifier."""
    sent = printed.sent
    placed = Placement(len(sent))
    lines = [(number, line) for number, line in enumerate(printed.text.split(b"\n")) if line.strip()]
    records: list[Any] = []
    problems: dict[int, str] = {}
    for place, (_, line) in enumerate(lines):
        try:
            records.append(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            records.append(None)
            problems[place] = f"not valid JSON ({error.msg})"
    names = [record.get("custom_id") if isinstance(record, dict) else None for record in records]
    owned, strays = match_case_ids((n if isinstance(n, str) else None for n in names), placed, sent.case_ids)
    placed.strays = len(strays)
    placed.stray_problem = next((problems.get(n) or _describe_stray(records[n]) for n in strays), "")
    for case, record_numbers in owned.items():
        placed.lines[case] = [lines[n][0] for n in record_numbers]
        record = records[record_numbers[0]]
        # replies with an unusable answer have costs, too
        read, written = (read_count(record.get("response"), f"body.{path}") for path in CHAT_TOKEN_PATHS)
        placed.tokens[case] = read, written
        if case not in placed.faults:
            _place_answer(printed, placed, case, record)
    return placed


def _place_answer(printed: TaggerOutput, placed: Placement, case: int, record: dict[str, Any]) -> None:
    form = printed.form
    inner = form.model_copy(update={"form": form.answer_form, "encoding": "utf-8"})
    try:
        answer = _read_answer(record)
    except _NoReplyError as failed:
        placed.refuse(case, "crash", str(failed))
    except MissingPathError as missing:
        placed.refuse(case, "garbage", f"no response.body.{CHAT_ANSWER_PATH}: {missing}")
    else:
        answer_placement = parse_output(
            answer, inner, printed.sent.take([case]), is_single_case=True, reply_policy="none"
        )
        if not answer_placement.match_kinds and not answer_placement.faults:
            answer_placement.refuse(0, "garbage", answer_placement.stray_problem)
        placed.add([case], answer_placement)


def _describe_stray(record: Any) -> str:
    """Return a message that explains why a line belongs to no case."""
    if not isinstance(record, dict):
        return f"not an object with a custom_id: {shorten_value(record)}"
    if "custom_id" not in record:
        return describe_missing_key("the object has no key", record, "custom_id")
    return f"a line without the custom_id of a case: {shorten_value(record['custom_id'])}"


class _NoReplyError(Exception):
    """Error for a case for which the batch runner received no reply."""


def _read_answer(record: dict[str, Any]) -> bytes:
    response = record.get("response")
    if response is None and record.get("error") is None:
        missing = describe_missing_key("the object has no key", record, "response")
        raise _NoReplyError("no response: null" if "response" in record else missing)
    status = response.get("status_code", 200) if isinstance(response, dict) else None
    if record.get("error") is not None or status != 200:
        details = record.get("error") or (response.get("body") if isinstance(response, dict) else None)
        words = f"status {status}" if isinstance(status, int) else "no response"
        excerpt = "" if details is None else f": {orjson.dumps(details).decode()[:SHOWN]}"
        raise _NoReplyError(f"{words}{excerpt}")
    return read_answer(response, f"body.{CHAT_ANSWER_PATH}")
