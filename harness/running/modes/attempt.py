"""One attempt at a batch: the way into every mode, what modes are given and give back."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..costs import Costs
from ..inputs.cases import Batch
from ..inputs.forms import adapt_texts
from ..outcomes import Fault
from ..outputs.placement import Placement
from ..processes.guards import Guards, StderrExcerpt
from ..processes.process import ProcessEnd
from ..processes.scratch import check_disk, make_scratch_folder
from ..processes.slots import Slots, StartFailure
from ..tagger import Tagger


@dataclass(frozen=True)
class Attempt:
    """A batch that is to be sent once; a shard is one at first, and is cut where that fails.

    Attributes
    ----------
    tagger : Tagger
    sent : Batch
        The texts: a mode has them as the tagger sees them.
    guards, slots :
        What starts its processes, and how many of them run at once.
    folder : Path
        A scratch folder: a mode has one of its own.
    patience : int or None
        Where each case is asked alone (all modes but batch), the number of failures without any success after
        which the rest is left as it is.
    cases_per_job : int
        Number of cases per job: larger batches are divided, so that no slot is idle; 0 where none is.
    on_progress : callable
        Called with the number of cases that have just been answered or have failed; not in mode batch.
    """

    tagger: Tagger
    sent: Batch
    guards: Guards
    slots: Slots
    folder: Path
    patience: int | None = None
    cases_per_job: int = 0
    on_progress: Callable[[int], None] = lambda _: None

    def is_hopeless(self, failed: int, *, answered: bool) -> bool:
        """Return True if the rest is left as it is, because many cases failed and none was answered."""
        return self.patience is not None and failed >= self.patience and not answered


@dataclass
class ProcessRecord:
    """What processes did that were started, or ended, at no case's fault: they are kept from batch to batch.

    Which batch meets them depends on what ran before, so that nothing of it is told of the batch.

    Attributes
    ----------
    starts : int
        Processes that were started.
    ends : list of End
        Those that ended.
    stderr : Heard
        What they printed on standard error.
    has_read : bool
        Whether one has read of its input.
    """

    starts: int = 0
    ends: list[ProcessEnd] = field(default_factory=list)
    stderr: StderrExcerpt = field(default_factory=StderrExcerpt)
    has_read: bool = False

    def add(self, end: ProcessEnd, said: bytes) -> None:
        """Add how a process ended, and its last words."""
        self.ends.append(end)
        self.stderr.add(said)


@dataclass
class BatchReply:
    """What came of sending a batch once.

    Attributes
    ----------
    fault : str
        Why the whole of it failed; empty when it did not.
    message : str
        How the process ended, in words.
    placed : Placed or None
        The mentions, by places of the batch.
    ends : list of End
        One for each process; of one that is kept those that failed at the first case that they were asked.
    stderr : bytes
        What these processes printed there.
    costs : array or None
        What each case cost; see `costs`.
    case_fault : dict
        Cases that failed alone, in all modes but batch.
    process_record : Passing or None
        The other processes of a tagger that is kept.
    replies : dict of int to str
        What was printed for cases that failed before it was parsed.
    """

    fault: str = ""
    message: str = ""
    placed: Placement | None = None
    ends: list[ProcessEnd] = field(default_factory=list)
    stderr: bytes = b""
    costs: Costs | None = None
    case_fault: dict[int, Fault] = field(default_factory=dict)
    process_record: ProcessRecord | None = None
    replies: dict[int, str] = field(default_factory=dict)


MODE_MODULES = {
    "batch": "files",
    "document": "files",
    "persistent": "persistent",
    "python": "python",
    "http": "http",
}
"""The module of each mode, with ``send(attempt: Attempt) -> Reply``."""


def send_batch(attempt: Attempt) -> BatchReply:
    """Send a batch through the tagger once: as the tagger sees it, in a folder of its own."""
    spec = attempt.tagger.spec
    mode = importlib.import_module(f".{MODE_MODULES[spec.mode]}", __package__)
    sent = adapt_texts(attempt.sent, spec.input)
    with make_scratch_folder(attempt.folder, "try") as folder:
        try:
            reply: BatchReply = mode.send(replace(attempt, sent=sent, folder=folder))
        except StartFailure:
            # it may be our disk that keeps it from starting
            check_disk(folder, failed=True)
            raise
        # once more before this frees space itself: another tagger may have found none meanwhile
        check_disk(folder, failed=bool(reply.fault or reply.case_fault))
        return reply
