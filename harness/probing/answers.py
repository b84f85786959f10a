"""A tagger's answers to single texts: each is kept in a file when it is there, and never asked for twice."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text, digest_bytes, read_text
from ..running.folder.runs import Run
from ..running.run import run
from ..running.tagger import Tagger
from .texts import Probe

FILE = "answers.jsonl"
FORMAT = 1

Span = tuple[int, int]


class OutOfCallsError(Exception):
    """As many texts were sent as may be."""


@dataclass(frozen=True)
class Answer:
    """What a tagger said of a text.

    Attributes
    ----------
    outcome : str
        ``ok``, or another of a run's outcomes.
    spans : tuple of (int, int)
        The mentions of any type in order of place, equal ones as often as they came.
    """

    outcome: str
    spans: tuple[Span, ...]


@dataclass
class Answers:
    """The tagger that is asked, what may be asked, and what was answered.

    Attributes
    ----------
    tagger : Tagger
    folder : Path
        Gets `answers.jsonl`.
    calls : int
        Texts that may be asked, those that were answered before among them.
    say : callable
        Called with a line about what is done.
    asked : list of (Probe, Answer)
        In order.
    """

    tagger: Tagger
    folder: Path
    calls: int
    say: Callable[[str], None] = lambda _: None
    asked: list[tuple[Probe, Answer]] = field(default_factory=list)
    _kept: dict[str, Answer] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        output = self.tagger.spec.output.model_copy(update={"duplicates": "keep"})
        # a mention that two windows find comes twice: that shows the windows
        spec = self.tagger.spec.model_copy(update={"output": output})
        self.tagger = replace(self.tagger, spec=spec)
        path = self.folder / FILE
        if path.is_file():
            self._kept = _read(path, self.tagger)
        else:
            head = {"format": FORMAT, "tagger": self.tagger.label, "digest": self.tagger.digest}
            with atomic_text(path) as stream:
                stream.write(json.dumps(head) + "\n")

    def ask(self, probes: Sequence[Probe]) -> list[Answer]:
        """The answers to some texts, which are sent together where they are not known.

        Raises
        ------
        OutOfCallsError
            When they are more than may be sent; nothing is sent then.
        """
        if len(self.asked) + len(probes) > self.calls:
            raise OutOfCallsError
        unknown = [p for p in probes if _key(p) not in self._kept]
        if unknown:
            self.say(f"sending {len(unknown)} texts: {unknown[0].purpose}")
            # equal texts that are sent together would not be asked for apart
            for answer, probe in zip(self._send([p.text for p in unknown]), unknown, strict=True):
                self._keep(_key(probe), answer)
        answers = [self._kept[_key(p)] for p in probes]
        self.asked += zip(probes, answers, strict=True)
        return answers

    def _send(self, texts: Sequence[str]) -> list[Answer]:
        scratch = self.folder / ".asking"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        try:
            source = scratch / "texts.jsonl"
            lines = [json.dumps({"text_id": i, "text": text, "mentions": []}) for i, text in enumerate(texts)]
            source.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            return _answers(run(f"jsonl:{source}", self.tagger, scratch / "run", cache=False))
        finally:
            shutil.rmtree(scratch)

    def _keep(self, key: str, answer: Answer) -> None:
        line = {"text": key, "outcome": answer.outcome, "spans": answer.spans}
        with (self.folder / FILE).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        self._kept[key] = answer


def _answers(done: Run) -> list[Answer]:
    found: dict[Any, list[Span]] = {case: [] for case in done.outcomes["case_id"].tolist()}
    mentions = done.predictions
    for case, start, end in zip(mentions["text_id"], mentions["start"], mentions["end"], strict=True):
        found[case].append((int(start), int(end)))
    return [
        Answer(str(outcome), tuple(sorted(found[case])))
        for case, outcome in zip(done.outcomes["case_id"], done.outcomes["outcome"], strict=True)
    ]


def _key(probe: Probe) -> str:
    return digest_bytes(probe.text.encode(), str(probe.repeat).encode())


def _read(path: Path, tagger: Tagger) -> dict[str, Answer]:
    """What was answered before; a last line without an end was being written when the program was killed."""
    lines = read_text(path).split("\n")
    whole, cut = lines[:-1], lines[-1]
    kept: dict[str, Answer] = {}
    for number, line in enumerate(whole, start=1):
        try:
            thing = json.loads(line)
            if number == 1:
                if thing["format"] != FORMAT or thing["digest"] != tagger.digest:
                    raise InputError(
                        "the folder holds a probe of another tagger",
                        file=path,
                        found=str(thing.get("tagger")),
                        allowed=f"a new folder, or --force to replace it ({tagger.label})",
                    )
                continue
            spans = tuple((int(start), int(end)) for start, end in thing["spans"])
            kept[str(thing["text"])] = Answer(str(thing["outcome"]), spans)
        except (ValueError, KeyError, TypeError):
            raise InputError(
                "not an answer to a probe", file=path, line=number, found=line[:80], allowed="--force"
            ) from None
    if not whole:
        raise InputError("the file has no head", file=path, allowed="a new folder, or --force")
    if cut:
        with atomic_text(path) as stream:
            stream.write("".join(line + "\n" for line in whole))
    return kept
