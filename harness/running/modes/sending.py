"""The one way into the modes: a batch is sent in the mode of its tagger's specification.

A mode is the module of its name in this package, with ``send(attempt: Attempt) -> Reply``; it is imported
when it is asked for. `Specification.mode` lists the names.
"""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path

from ..inputs import forms as inputs
from ..inputs.cases import Batch
from ..processes.disk import check_disk
from ..processes.process import Guard
from ..processes.slots import CannotStart, Slots
from ..processes.trees import remove
from ..tagger import Tagger
from .attempt import Attempt, Reply


def send(
    tagger: Tagger, batch: Batch, guard: Guard, slots: Slots, scratch: Path, patience: int | None = None
) -> Reply:
    """Send a batch through the tagger once.

    Where each case is asked alone (persistent and document mode), `patience` is the number of failures
    without any success after which the rest is left as it is.
    """
    sent = inputs.as_sent(batch, tagger.spec.input)
    folder = Path(tempfile.mkdtemp(dir=scratch, prefix="try"))
    try:
        mode = importlib.import_module(f".{tagger.spec.mode}", __package__)
        result: Reply = mode.send(Attempt(tagger, sent, guard, slots, folder, patience))
        # once more before this frees space itself: another tagger may have found none meanwhile
        check_disk(folder, failed=bool(result.fault or result.case_fault))
        return result
    except CannotStart:
        # it may be our disk that keeps it from starting
        check_disk(folder, failed=True)
        raise
    finally:
        remove(folder)
