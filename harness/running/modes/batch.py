"""Mode ``batch``: one process for a batch of cases."""

from __future__ import annotations

import numpy as np

from ..costs import SPENT, Costs, of_askings, of_tokens
from ..outputs.placed import Joining, Placed
from ..processes.process import End
from .attempt import Attempt, Reply, TooLarge, outcome, process, read, written


def send(attempt: Attempt) -> Reply:
    """Send the whole batch to one process."""
    tagger, sent, folder = attempt.tagger, attempt.sent, attempt.folder
    with process(attempt, "{number}") as result:
        form, end = tagger.spec.output, result.end
        if end.fault or form.via != "path" or "{number}" not in form.path:
            fault, ended, placed = outcome(result, tagger, sent, folder)
            return Reply(fault, ended, placed, [end], result.printed, _costs(attempt, end, placed))
        found = Joining(len(sent))
        for i in range(len(sent)):
            with written(tagger, result, folder, sent.names[i]) as output:
                if output is None:
                    continue
                try:
                    found.add_one(i, read(output, tagger, sent.take_one(i), whole_case=True))
                except TooLarge:
                    return Reply("flood", end.message, None, [end], result.printed)
        placed = found.result()
        return Reply("", end.message, placed, [end], result.printed, _costs(attempt, end, placed))


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
