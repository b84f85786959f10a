"""Mode ``http``: an endpoint is sent a request a case, many of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from ..costs import compute_token_costs, make_unknown_costs
from ..endpoints.client import EndpointClient
from ..endpoints.replies import Exchange
from ..endpoints.requests import RequestBodies
from ..folder.cache import get_replies_file
from ..outcomes import Fault, decode_excerpt
from ..outputs.parse import parse_output
from ..outputs.placement import Placement
from ..processes.process import NOT_STARTED
from ..specification import HttpSettings
from .attempt import Attempt, BatchReply


def send(attempt: Attempt) -> BatchReply:
    """Ask for every case of the batch.

    The first cases are asked before the rest: where none of them reaches the endpoint it counts as a tagger
    that cannot start, and where none of them is answered the rest is not asked.
    """
    sent, slots = attempt.sent, attempt.slots
    costs, found = make_unknown_costs(len(sent)), Placement(len(sent))
    result = BatchReply(costs=costs, placed=found)
    client = attempt.guards.get_or_make(lambda: _make_client(attempt))
    first = len(sent) if attempt.patience is None else min(attempt.patience, len(sent))
    with slots.hold_slot():
        got = list(_send_cases(attempt, client, range(first)))
        refused = _find_refusal(got)
        if refused is None:
            slots.note_started()
        else:
            slots.note_failed_start(refused)
    if refused is not None and attempt.patience is not None:
        return BatchReply(refused.outcome, refused.message, ends=[replace(NOT_STARTED, unread=True)])
    rest: Iterable[Exchange] = ()
    if any(not one.fault for one in got):
        rest = _send_cases(attempt, client, range(first, len(sent)))
    for case, one in enumerate(chain(got, rest)):
        attempt.on_progress(1)
        costs[case] = _compute_cost(one, attempt.tagger.spec.endpoint)
        if not one.fault:
            found.add([case], _place_answer(attempt, case, one))
            continue
        result.case_fault[case] = one.fault
        if attempt.tagger.keep_replies != "none":
            result.replies[case] = decode_excerpt(one.reply)
    return result


def _find_refusal(got: Sequence[Exchange]) -> Fault | None:
    """Why no case reached the endpoint; None where some did, or nothing was asked."""
    faults = [one.fault for one in got]
    return faults[0] if faults and all(f is not None and f.outcome == "no_program" for f in faults) else None


def _make_client(attempt: Attempt) -> EndpointClient:
    home = attempt.guards.home
    own = None if home is None else home / "replies.sqlite"
    return EndpointClient(attempt.tagger, own, get_replies_file() if attempt.tagger.spec.cache else None)


def _send_cases(attempt: Attempt, client: EndpointClient, cases: range) -> Iterator[Exchange]:
    """Yield what came of asking for some cases, in their order."""
    bodies = RequestBodies(attempt.tagger)
    sent = attempt.sent
    made = (bodies.make_body(sent.case_ids[case], sent.texts[case]) for case in cases)
    return client.send_requests(made, attempt.guards.check)


def _place_answer(attempt: Attempt, case: int, got: Exchange) -> Placement:
    """Place the answer to a case."""
    form, keep = attempt.tagger.spec.output, attempt.tagger.keep_replies
    placed = parse_output(got.answer, form, attempt.sent.take([case]), is_single_case=True, reply_policy=keep)
    if not placed.match_kinds and not placed.faults:
        placed.refuse(0, "garbage" if placed.strays else "short", placed.stray_problem)
    if placed.replies:
        # all that the endpoint replied, and not the answer alone
        placed.replies = {0: decode_excerpt(got.reply)}
    return placed


def _compute_cost(got: Exchange, table: HttpSettings) -> list[float]:
    """Seconds, attempts, tokens and price; NaN where nobody says it."""
    nothing = float("nan")
    read = nothing if got.tokens_in is None else float(got.tokens_in)
    written = nothing if got.tokens_out is None else float(got.tokens_out)
    seconds = nothing if got.fault else got.seconds
    spent = compute_token_costs(read, written, table.price_in, table.price_out)
    return [seconds, float(got.attempts), *spent, nothing if got.fault else 0.0]
