"""Mode ``batch``: one process for a batch of cases."""

from __future__ import annotations

from ..outputs.placed import Joining
from .attempt import Attempt, Reply, TooLarge, process, read, written


def send(attempt: Attempt) -> Reply:
    """Send the whole batch to one process."""
    tagger, sent, folder = attempt.tagger, attempt.sent, attempt.folder
    with process(attempt, "{number}") as result:
        end, printed = result.end, result.printed
        if end.fault:
            return Reply(end.fault, end.message, None, [end], printed)
        form = tagger.spec.output
        try:
            if form.via == "path" and "{number}" in form.path:
                found = Joining(len(sent))
                for i in range(len(sent)):
                    with written(tagger, result, folder, sent.names[i]) as output:
                        if output is not None:
                            placed = read(output, tagger, sent.take_one(i), whole_case=True)
                            found.add_one(i, placed)
                return Reply("", end.message, found.result(), [end], printed)
            with written(tagger, result, folder) as output:
                if output is None:
                    return Reply("short", f"{end.message}, and no output file", None, [end], printed)
                return Reply("", end.message, read(output, tagger, sent), [end], printed)
        except TooLarge:
            return Reply("flood", end.message, None, [end], printed)
