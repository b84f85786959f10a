"""Attempt to run a tagger on a batch: input, results, and selection of the module for the mode."""

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
    """Single attempt to run the tagger on a batch, which is a whole shard or a part of it.

    Attributes
    ----------
    tagger : Tagger
    sent : Batch
        Texts of the batch; `send_batch` passes them to the mode in the form that the tagger receives.
    guards : Guards
        Guards that start the processes.
    slots : Slots
        Slots that limit the number of processes.
    folder : Path
        Scratch folder of the shard; `send_batch` passes a subfolder for this attempt to the mode.
    patience : int or None
        In modes other than batch: if this number of cases have failed and none was answered, the remaining
        cases are skipped.
    cases_per_job : int
        Maximum number of cases that one job gets; larger batches are divided, so that all jobs are busy. If
        it is 0, batches are not divided.
    on_progress : callable
        Function called with the number of newly answered or failed cases; not used in mode batch.
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
        """Return True if `patience` cases have failed and none was answered; other cases are then skipped."""
        return self.patience is not None and failed >= self.patience and not answered


@dataclass
class ProcessRecord:
    """Record of a persistent tagger's processes: all starts, and the ends that no case caused.

    A process may serve several batches, so these data are recorded separately from the results of a batch.

    Attributes
    ----------
    starts : int
        Number of processes that were started.
    ends : list of ProcessEnd
        Ends of processes that no case caused.
    stderr : StderrExcerpt
        Standard error of these processes.
    has_read : bool
        True if at least one process has read its input.
    """

    starts: int = 0
    ends: list[ProcessEnd] = field(default_factory=list)
    stderr: StderrExcerpt = field(default_factory=StderrExcerpt)
    has_read: bool = False

    def add(self, end: ProcessEnd, stderr: bytes) -> None:
        """Record the end of a process, and its last output on standard error."""
        self.ends.append(end)
        self.stderr.add(stderr)


@dataclass
class BatchReply:
    """Results of one attempt to run a batch.

    Attributes
    ----------
    fault : str
        Outcome of all cases if the batch failed as a whole; otherwise empty.
    message : str
        Description of how the process ended.
    placed : Placement or None
        Aligned mentions; cases are identified by their position in the batch.
    ends : list of ProcessEnd
        Ends of the processes; for a persistent tagger, only processes that failed at their first case.
    stderr : bytes
        Standard error of these processes.
    costs : array or None
        Array of costs with one row per case.
    case_fault : dict
        Faults of single cases, in modes other than batch.
    process_record : ProcessRecord or None
        Starts of a persistent tagger's processes, and the ends that no case caused.
    replies : dict of int to str
        Unparsed output for failed cases.
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


def send_batch(attempt: Attempt) -> BatchReply:
    """Send a batch to the tagger once, using a separate scratch folder."""
    spec = attempt.tagger.spec
    # each module of a mode has ``send(attempt: Attempt) -> BatchReply``
    name = "files" if spec.mode in ("batch", "document") else spec.mode
    mode = importlib.import_module(f".{name}", __package__)
    sent = adapt_texts(attempt.sent, spec.input)
    with make_scratch_folder(attempt.folder, "try") as folder:
        try:
            reply: BatchReply = mode.send(replace(attempt, sent=sent, folder=folder))
        except StartFailure:
            # a full disk may be the reason why it cannot start
            check_disk(folder, failed=True)
            raise
        # check again before this folder is removed, because another tagger may have filled the disk
        check_disk(folder, failed=bool(reply.fault or reply.case_fault))
        return reply
