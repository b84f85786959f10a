"""Mode ``batch``: one process for a batch of cases."""

from __future__ import annotations

import numpy as np

from ..costs import SPENT, Costs, of_askings, of_tokens
from ..outputs.placed import Placed
from ..processes.process import End
from .attempt import Attempt, Reply
from .files import process


def send(attempt: Attempt) -> Reply:
    """Send the whole batch to one process."""
    with process(attempt, "{number}") as done:
        reply = done.reply()
    reply.costs = _costs(attempt, done.end, reply.placed)
    return reply


def _costs(attempt: Attempt, end: End, placed: Placed | None) -> Costs:
    """What each case cost: a share of the process's seconds, and tokens and price where its reply says them.

    A case without an answer has no seconds, as in every mode: those in which it is answered are to come.
    """
    count, table = len(attempt.sent), attempt.tagger.spec.http
    answered = np.zeros(count, np.bool_) if placed is None else placed.way >= 0
    seconds = np.where(answered, end.seconds, np.nan)
    costs = of_askings(seconds, np.zeros(count, np.int64), attempt.sent.characters)
    if placed is not None and placed.tokens is not None:
        prices = (None, None) if table is None else (table.price_in, table.price_out)
        costs[:, SPENT] = [of_tokens(read, written, *prices) for read, written in placed.tokens.tolist()]
    return costs
