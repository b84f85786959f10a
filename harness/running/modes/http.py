"""Mode ``http``: an endpoint receives one request per case, several of them in parallel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import nan

import numpy as np

from ....catalogues.cache import cache_folder
from ..costs import COST_COLUMNS, compute_token_costs
from ..endpoints.client import EndpointClient
from ..endpoints.replies import Exchange
from ..endpoints.requests import RequestBodies
from ..outcomes import Fault, decode_excerpt
from ..outputs.parse import parse_output
from ..outputs.placement import Placement
from ..processes.process import NOT_STARTED
from ..specification import HttpSettings
from .attempt import Attempt, BatchReply


def send(attempt: Attempt) -> BatchReply:
    """Send every case of the batch to the endpoint.

    The first cases are sent before the others. If none of them reaches the endpoint, this counts as a failed
    start of the tagger. If none is answered, the other cases are not sent.
    """
    sent, slots = attempt.sent, attempt.slots
    costs, found = np.full((len(sent), len(COST_COLUMNS)), np.nan), Placement(len(sent))
    result = BatchReply(costs=costs, placed=found)
    client = attempt.guards.get_or_make(lambda: _make_client(attempt))
    first = len(sent) if attempt.patience is None else min(attempt.patience, len(sent))
    with slots.hold_slot():
        exchanges = list(_send_cases(attempt, client, range(first)))
        refused = _find_refusal(exchanges)
        if refused is None:
            slots.has_started = True
        else:
            slots.note_failed_start(refused)
    if refused is not None and attempt.patience is not None:
        return BatchReply(refused.outcome, refused.message, ends=[replace(NOT_STARTED, unread=True)])
    rest: Iterable[Exchange] = ()
    if any(not exchange.fault for exchange in exchanges):
        rest = _send_cases(attempt, client, range(first, len(sent)))
    for case, exchange in enumerate(chain(exchanges, rest)):
        attempt.on_progress(1)
        costs[case] = _compute_cost(exchange, attempt.tagger.spec.endpoint)
        if not exchange.fault:
            found.add([case], _place_answer(attempt, case, exchange))
            continue
        result.case_fault[case] = exchange.fault
        if attempt.tagger.keep_replies != "none":
            result.replies[case] = decode_excerpt(exchange.reply)
    return result


def _find_refusal(exchanges: Sequence[Exchange]) -> Fault | None:
    """Return the first fault if cases were sent but none reached the endpoint; otherwise return None."""
    faults = [exchange.fault for exchange in exchanges]
    return faults[0] if faults and all(f is not None and f.outcome == "no_program" for f in faults) else None


def _make_client(attempt: Attempt) -> EndpointClient:
    folders = attempt.guards.home, cache_folder() if attempt.tagger.spec.cache else None
    own, shared = (None if folder is None else folder / "replies.sqlite" for folder in folders)
    return EndpointClient(attempt.tagger, own, shared)


def _send_cases(attempt: Attempt, client: EndpointClient, cases: range) -> Iterator[Exchange]:
    """Send a range of cases to the endpoint; yield the results in the order of the cases."""
    bodies = RequestBodies(attempt.tagger)
    sent = attempt.sent
    requests = (bodies.make_body(sent.case_ids[case], sent.texts[case]) for case in cases)
    return client.send_requests(requests, attempt.guards.check)


def _place_answer(attempt: Attempt, case: int, exchange: Exchange) -> Placement:
    """Parse the answer to a case and align its mentions."""
    form, keep = attempt.tagger.spec.output, attempt.tagger.keep_replies
    sent = attempt.sent.take([case])
    placed = parse_output(exchange.answer, form, sent, is_single_case=True, reply_policy=keep)
    if not placed.match_kinds and not placed.faults:
        placed.refuse(0, "garbage" if placed.strays else "short", placed.stray_problem)
    if placed.replies:
        # the complete reply, not only the answer in it
        placed.replies = {0: decode_excerpt(exchange.reply)}
    return placed


def _compute_cost(exchange: Exchange, table: HttpSettings) -> list[float]:
    """Return the costs of a case, in the order of `COST_COLUMNS`; unknown costs are NaN."""
    seconds, shared = (nan, nan) if exchange.fault else (exchange.seconds, 0.0)
    spent = compute_token_costs(exchange.tokens_in, exchange.tokens_out, table.price_in, table.price_out)
    return [seconds, float(exchange.attempts), *spent, shared]
