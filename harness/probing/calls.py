"""Texts that are sent to a tagger: what it found is kept in a file, and no text is sent twice."""

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

Span = tuple[int, int]
ProbeAnswer = tuple[str, tuple[Span, ...]]
"""The outcome of a text, and its mentions of any type in order of place, equal ones as often as they came."""


class CallLimitError(Exception):
    """As many texts were sent as may be."""


@dataclass(frozen=True)
class Call:
    """A text that was sent, and what the tagger found in it.

    Attributes
    ----------
    probe : Probe
    outcome : str
        ``ok``, or another of a run's outcomes.
    spans : tuple of (int, int)
        See `Found`.
    """

    probe: Probe
    outcome: str
    spans: tuple[Span, ...]


@dataclass
class ProbeSession:
    """The texts of a probe.

    Attributes
    ----------
    tagger : Tagger
    folder : Path
        Gets `answers.jsonl`.
    max_calls : int
        Maximum number of texts, those that were sent before among them.
    say : callable
        Called with a line about what is done.
    calls : list of Call
        In order.
    """

    tagger: Tagger
    folder: Path
    max_calls: int
    say: Callable[[str], None] = lambda _: None
    calls: list[Call] = field(default_factory=list)
    _answers: dict[str, ProbeAnswer] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        output = self.tagger.spec.output.model_copy(update={"duplicates": "keep"})
        # a mention that two windows find comes twice: that shows the windows
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
        """Send some texts together, but for those that were sent before.

        Raises
        ------
        OutOfCallsError
            When they are more than may be sent; nothing is sent then.
        """
        if len(self.calls) + len(probes) > self.max_calls:
            raise CallLimitError
        unknown = [p for p in probes if _make_key(p) not in self._answers]
        if unknown:
            self.say(f"sending {len(unknown)} texts: {unknown[0].purpose}")
            # equal texts that are sent together would not be asked for apart
            for found, probe in zip(self._send([p.text for p in unknown]), unknown, strict=True):
                self._keep_answer(_make_key(probe), found)
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

    def _keep_answer(self, key: str, found: ProbeAnswer) -> None:
        with (self.folder / ANSWERS_FILE).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"text": key, "outcome": found[0], "spans": found[1]}) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        self._answers[key] = found


def _make_key(probe: Probe) -> str:
    return digest_bytes(probe.text.encode(), str(probe.repeat).encode())


def _read_answers(path: Path, tagger: Tagger) -> dict[str, ProbeAnswer]:
    """Read what was found before; a last line without an end is left of a program that was killed."""
    content = read_text(path)
    whole = content[: content.rfind("\n") + 1]
    kept: dict[str, ProbeAnswer] = {}
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            thing = json.loads(line)
            if number == 1 and (thing["format"] != FORMAT or thing["digest"] != tagger.digest):
                raise InputError(
                    "the folder holds a probe of another tagger",
                    file=path,
                    found=str(thing.get("tagger")),
                    allowed=f"a new folder, or --force to replace it ({tagger.label})",
                )
            if number > 1:
                spans = tuple((int(start), int(end)) for start, end in thing["spans"])
                kept[str(thing["text"])] = str(thing["outcome"]), spans
        except (ValueError, KeyError, TypeError):
            raise InputError(
                "not an answer to a probe", file=path, line=number, found=line[:80], allowed="--force"
            ) from None
    if not whole:
        raise InputError("the file has no head", file=path, allowed="a new folder, or --force")
    if whole != content:
        with atomic_text(path) as stream:
            stream.write(whole)
    return kept
