"""The one way into the modes: a batch is sent in the mode of its tagger's specification.

A mode is the module of its name in this package, with ``send(attempt: Attempt) -> Reply``; it is imported
when it is asked for. `Specification.mode` lists the names.
"""

from __future__ import annotations

import importlib
from dataclasses import replace

from ..inputs import forms as inputs
from ..processes.scratch import check_disk, scratch
from ..processes.slots import CannotStart
from .attempt import Attempt, Reply


def send(attempt: Attempt) -> Reply:
    """Send a batch through the tagger once: as the tagger sees it, in a folder of its own."""
    spec = attempt.tagger.spec
    mode = importlib.import_module(f".{spec.mode}", __package__)
    sent = inputs.as_sent(attempt.sent, spec.input)
    with scratch(attempt.folder, "try") as folder:
        try:
            reply: Reply = mode.send(replace(attempt, sent=sent, folder=folder))
        except CannotStart:
            # it may be our disk that keeps it from starting
            check_disk(folder, failed=True)
            raise
        # once more before this frees space itself: another tagger may have found none meanwhile
        check_disk(folder, failed=bool(reply.fault or reply.case_fault))
        return reply
