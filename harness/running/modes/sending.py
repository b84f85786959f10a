"""The one way into the modes: a batch is sent in the mode of its tagger's specification.

A mode is the module of its name in this package, with ``send(attempt: Attempt) -> Reply``; it is imported
when it is asked for. `Specification.mode` lists the names.
"""

from __future__ import annotations

import importlib
import tempfile
from dataclasses import replace
from pathlib import Path

from ..inputs import forms as inputs
from ..processes.disk import check_disk
from ..processes.slots import CannotStart
from ..processes.trees import remove
from .attempt import Attempt, Reply


def send(attempt: Attempt) -> Reply:
    """Send a batch through the tagger once: as the tagger sees it, in a folder of its own."""
    spec = attempt.tagger.spec
    folder = Path(tempfile.mkdtemp(dir=attempt.folder, prefix="try"))
    try:
        mode = importlib.import_module(f".{spec.mode}", __package__)
        sent = inputs.as_sent(attempt.sent, spec.input)
        result: Reply = mode.send(replace(attempt, sent=sent, folder=folder))
        # once more before this frees space itself: another tagger may have found none meanwhile
        check_disk(folder, failed=bool(result.fault or result.case_fault))
        return result
    except CannotStart:
        # it may be our disk that keeps it from starting
        check_disk(folder, failed=True)
        raise
    finally:
        remove(folder)
