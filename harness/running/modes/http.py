"""Mode ``http``: an endpoint is sent a request a case, many of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from ..costs import of_tokens, unknown
from ..endpoints.client import Client
from ..endpoints.replies import Exchange
from ..endpoints.requests import Bodies
from ..folder.cache import replies_file
from ..outcomes import Fault, read_excerpt
from ..outputs.parse import parse
from ..outputs.placed import Placed
from ..processes.process import NOT_STARTED
from ..specification import Http
from .attempt import Attempt, Reply


def send(attempt: Attempt) -> Reply:
    """Ask for every case of the batch.

    The first cases are asked before the rest: where none of them reaches the endpoint it counts as a tagger
    that cannot start, and where none of them is answered the rest is not asked.
    """
    sent, slots = attempt.sent, attempt.slots
    costs, found = unknown(len(sent)), Placed(len(sent))
    result = Reply(costs=costs, placed=found)
    client = attempt.guards.lasting(lambda: _client(attempt))
    first = len(sent) if attempt.patience is None else min(attempt.patience, len(sent))
    with slots.running():
        got = list(_asked(attempt, client, range(first)))
        refused = _refused(got)
        if refused is None:
            slots.note_started()
        else:
            slots.note_failed_start(refused)
    if refused is not None and attempt.patience is not None:
        return Reply(refused.outcome, refused.message, ends=[replace(NOT_STARTED, unread=True)])
    rest: Iterable[Exchange] = ()
    if any(not one.fault for one in got):
        rest = _asked(attempt, client, range(first, len(sent)))
    for case, one in enumerate(chain(got, rest)):
        attempt.note(1)
        costs[case] = _cost(one, attempt.tagger.spec.endpoint)
        if not one.fault:
            found.add([case], _place(attempt, case, one))
            continue
        result.case_fault[case] = one.fault
        if attempt.tagger.keep_replies != "none":
            result.replies[case] = read_excerpt(one.reply)
    return result


def _refused(got: Sequence[Exchange]) -> Fault | None:
    """Why no case reached the endpoint; None where some did, or nothing was asked."""
    faults = [one.fault for one in got]
    return faults[0] if faults and all(f is not None and f.outcome == "no_program" for f in faults) else None


def _client(attempt: Attempt) -> Client:
    home = attempt.guards.home
    own = None if home is None else home / "replies.sqlite"
    return Client(attempt.tagger, own, replies_file() if attempt.tagger.spec.cache else None)


def _asked(attempt: Attempt, client: Client, cases: range) -> Iterator[Exchange]:
    """Yield what came of asking for some cases, in their order."""
    bodies = Bodies(attempt.tagger)
    sent = attempt.sent
    made = (bodies.body(sent.names[case], sent.texts[case]) for case in cases)
    return client.ask(made, attempt.guards.check)


def _place(attempt: Attempt, case: int, got: Exchange) -> Placed:
    """Place the answer to a case."""
    form, keep = attempt.tagger.spec.output, attempt.tagger.keep_replies
    placed = parse(got.answer, form, attempt.sent.take([case]), whole_case=True, keep=keep)
    if not placed.way and not placed.faults:
        placed.refuse(0, "garbage" if placed.strays else "short", placed.noise)
    if placed.replies:
        # all that the endpoint replied, and not the answer alone
        placed.replies = {0: read_excerpt(got.reply)}
    return placed


def _cost(got: Exchange, table: Http) -> list[float]:
    """Seconds, attempts, tokens and price; NaN where nobody says it."""
    nothing = float("nan")
    read = nothing if got.tokens_in is None else float(got.tokens_in)
    written = nothing if got.tokens_out is None else float(got.tokens_out)
    seconds = nothing if got.fault else got.seconds
    spent = of_tokens(read, written, table.price_in, table.price_out)
    return [seconds, float(got.attempts), *spent, nothing if got.fault else 0.0]
