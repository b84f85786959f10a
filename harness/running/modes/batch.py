"""Mode ``batch``: one process for a batch of cases."""

from __future__ import annotations

from ..costs import Costs, of_tokens, unknown
from ..outputs.placed import Joining, Placed
from ..specification import Specification
from .attempt import Attempt, Reply, TooLarge, outcome, process, read, written


def send(attempt: Attempt) -> Reply:
    """Send the whole batch to one process."""
    tagger, sent, folder = attempt.tagger, attempt.sent, attempt.folder
    with process(attempt, "{number}") as result:
        form, end = tagger.spec.output, result.end
        if end.fault or form.via != "path" or "{number}" not in form.path:
            fault, ended, placed = outcome(result, tagger, sent, folder)
            return Reply(fault, ended, placed, [end], result.printed, _costs(placed, tagger.spec))
        found = Joining(len(sent))
        for i in range(len(sent)):
            with written(tagger, result, folder, sent.names[i]) as output:
                if output is None:
                    continue
                try:
                    found.add_one(i, read(output, tagger, sent.take_one(i), whole_case=True))
                except TooLarge:
                    return Reply("flood", end.message, None, [end], result.printed)
        return Reply("", end.message, found.result(), [end], result.printed)


def _costs(placed: Placed | None, spec: Specification) -> Costs | None:
    """What each case cost, where its reply says how many tokens that were; nobody knows its seconds."""
    if placed is None or placed.tokens is None:
        return None
    costs = unknown(len(placed.tokens))
    prices = (None, None) if spec.http is None else (spec.http.price_in, spec.http.price_out)
    costs[:, 2:] = [of_tokens(read, written, *prices) for read, written in placed.tokens.tolist()]
    return costs
