"""Mode ``batch``: one process for a batch of cases."""

from __future__ import annotations

from ..outputs.placed import Joining
from .attempt import Attempt, Reply, TooLarge, outcome, process, read, written


def send(attempt: Attempt) -> Reply:
    """Send the whole batch to one process."""
    tagger, sent, folder = attempt.tagger, attempt.sent, attempt.folder
    with process(attempt, "{number}") as result:
        form, end = tagger.spec.output, result.end
        if end.fault or form.via != "path" or "{number}" not in form.path:
            return Reply(*outcome(result, tagger, sent, folder), [end], result.printed)
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
