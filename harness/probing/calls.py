"""Calls to a tagger with probe texts; the answers are saved in a file so that no text is sent twice."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text, digest_bytes, read_text
from ..running.run import run
from ..running.tagger import Tagger
from .texts import Probe

ANSWERS_FILE = "answers.jsonl"
FORMAT = 1
NEW_FOLDER = "use a new folder, or --force to replace this one"

Span = tuple[int, int]
ProbeAnswer = tuple[str, tuple[Span, ...]]
"""Outcome of one text, and the sorted spans of all mentions predicted in it, including duplicates."""


class CallLimitError(Exception):
    """Error raised if a probe would send more texts than its options allow."""


@dataclass(frozen=True)
class Call:
    """Text that was sent to a tagger, and the tagger's answer.

    Attributes
    ----------
    probe : Probe
        Text that was sent, and the positions of the mention in it.
    outcome : str
        Outcome of the text, one of `OUTCOMES`.
    spans : tuple of (int, int)
        Sorted spans of the predicted mentions of all types.
    """

    probe: Probe
    outcome: str
    spans: tuple[Span, ...]


@dataclass
class ProbeSession:
    """All texts that one probe sends to a tagger, and the saved answers.

    Attributes
    ----------
    tagger : Tagger
        Tagger that is measured.
    folder : Path
        Folder for `answers.jsonl`.
    max_calls : int
        Maximum number of texts to send, including texts sent before an interruption.
    say : callable
        Function called with each progress message.
    calls : list of Call
        Texts and answers, in the order in which they were sent.
    """

    tagger: Tagger
    folder: Path
    max_calls: int
    say: Callable[[str], None] = lambda _: None
    calls: list[Call] = field(default_factory=list)
    _answers: dict[str, ProbeAnswer] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        output = self.tagger.spec.output.model_copy(update={"duplicates": "keep"})
        # keep duplicate mentions: two overlapping windows both report a mention, which reveals the windows
        spec = self.tagger.spec.model_copy(update={"output": output})
        self.tagger = replace(self.tagger, spec=spec)
        path = self.folder / ANSWERS_FILE
        if path.is_file():
            self._answers = _read_answers(path, self.tagger)
        else:
            head = {"format": FORMAT, "tagger": self.tagger.label, "digest": self.tagger.digest}
            with atomic_text(path) as stream:
                stream.write(json.dumps(head) + "\n")

    def send_probes(self, probes: Sequence[Probe]) -> list[Call]:
        """Send texts to the tagger in one run; use saved answers for texts that were sent before.

        Raises
        ------
        CallLimitError
            If the probe would exceed `max_calls` texts; in this case, no text is sent.
        """
        if len(self.calls) + len(probes) > self.max_calls:
            raise CallLimitError
        unknown = [p for p in probes if _make_key(p) not in self._answers]
        if unknown:
            self.say(f"sending {len(unknown)} texts to the tagger (purpose: {unknown[0].purpose})")
            # equal texts in one run would be sent only once, so a repetition has its own run
            for answer, probe in zip(self._send([p.text for p in unknown]), unknown, strict=True):
                self._save_answer(_make_key(probe), answer)
        calls = [Call(p, *self._answers[_make_key(p)]) for p in probes]
        self.calls += calls
        return calls

    def _send(self, texts: Sequence[str]) -> list[ProbeAnswer]:
        with TemporaryDirectory(prefix="tagsuite-probe-") as scratch:
            source = Path(scratch) / "texts.jsonl"
            lines = [json.dumps({"text_id": i, "text": text, "mentions": []}) for i, text in enumerate(texts)]
            source.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            done = run(f"jsonl:{source}", self.tagger, Path(scratch) / "run", cache=False)
            outcomes, mentions = done.outcomes, done.predictions
        spans: dict[Any, list[Span]] = {case: [] for case in outcomes["case_id"].tolist()}
        for case, start, end in zip(mentions["text_id"], mentions["start"], mentions["end"], strict=True):
            spans[case].append((int(start), int(end)))
        return [
            (str(outcome), tuple(sorted(spans[case])))
            for case, outcome in zip(outcomes["case_id"], outcomes["outcome"], strict=True)
        ]

    def _save_answer(self, key: str, answer: ProbeAnswer) -> None:
        with (self.folder / ANSWERS_FILE).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"text": key, "outcome": answer[0], "spans": answer[1]}) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        self._answers[key] = answer


def _make_key(probe: Probe) -> str:
    return digest_bytes(probe.text.encode(), str(probe.repeat).encode())


def _read_answers(path: Path, tagger: Tagger) -> dict[str, ProbeAnswer]:
    """Read the saved answers; drop an incomplete last line, which an interrupted probe may leave."""
    content = read_text(path)
    complete = content[: content.rfind("\n") + 1]
    answers: dict[str, ProbeAnswer] = {}
    for number, line in enumerate(complete.splitlines(), start=1):
        try:
            record = json.loads(line)
            if number == 1 and (record["format"] != FORMAT or record["digest"] != tagger.digest):
                raise InputError(
                    f"the folder contains a probe of another tagger or tagger version; {NEW_FOLDER}",
                    file=path,
                    found=str(record.get("tagger")),
                    allowed=tagger.label,
                )
            if number > 1:
                spans = tuple((int(start), int(end)) for start, end in record["spans"])
                answers[str(record["text"])] = str(record["outcome"]), spans
        except (ValueError, KeyError, TypeError):
            raise InputError(
                f"the line is not a saved answer; {NEW_FOLDER}", file=path, line=number, found=line[:80]
            ) from None
    if not complete:
        raise InputError(f"the file has no header line; {NEW_FOLDER}", file=path)
    if complete != content:
        with atomic_text(path) as stream:
            stream.write(complete)
    return answers
