"""Persistent taggers: ends of answers, waiting, replacement of processes that fail."""

from __future__ import annotations

import json
import select
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.processes import persistent_process
from tagsuite.harness.running.processes.guards import KEPT_BYTES

from .conftest import eventually

LINES = """import re, sys
for line in sys.stdin:
    print(re.sub(r"\\b[A-Z]\\w+", r"<gp>\\g<0></gp>", line.rstrip("\\n")), flush=True)
"""
CONLL = """import re, sys
print("tagger 1.0 loading", flush=True)
print("model loaded", flush=True)
for line in sys.stdin:
    for token in re.findall(r"\\w+|[^\\w\\s]", line):
        print(token, "B-gp" if token[0].isupper() else "O", sep="\\t")
    print(flush=True)
"""
MARKER = """import re, sys
for line in sys.stdin:
    for m in re.finditer(r"\\b[A-Z]\\w+", line):
        print(m.start(), m.end(), "gp", sep="\\t")
    print("== done", flush=True)
"""
LEAKY = """import re, sys
for number, line in enumerate(sys.stdin):
    if number == 3:
        sys.exit("out of patience after three")
    print(re.sub(r"\\b[A-Z]\\w+", r"<gp>\\g<0></gp>", line.rstrip("\\n")), flush=True)
"""
LATIN = """import sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line.replace(b"\\xe9t\\xe9", b"<gp>\\xe9t\\xe9</gp>"))
    sys.stdout.buffer.flush()
"""
TEXTS = ["the Wnt gene", "", "Notch, here", "and no gene (0.5)", "β Wnt"]
SPANS = [[0, 4, 7], [2, 0, 5], [4, 2, 5]]
SHAPES = [
    ("lines", LINES, '[output]\ntags = ["gp"]\n', "an answer a line"),
    (
        "conll", CONLL, '[output]\nform = "conll"\n[persistent]\nend = "blank"\nready = "model loaded"\n',
        "a blank line ends an answer, and the process says when it is ready",
    ),
    (
        "marker", MARKER,
        '[output]\nform = "offsets"\ncolumns = ["start", "end", "type"]\n'
        '[persistent]\nend = "marker"\nmarker = "== done"\n',
        "a line of its own ends an answer",
    ),
    ("leaky", LEAKY, '[output]\ntags = ["gp"]\n', "a process that leaves after three answers is replaced"),
]  # fmt: skip


def all_codes(done: Run) -> dict[str, int]:
    """Return the exit codes of all processes from timings.json, because their shard is not determined."""
    timings = json.loads((done.folder / "timings.json").read_text())
    return dict(sum((Counter(shard["exit_codes"]) for shard in timings["shards"]), Counter()))


@pytest.fixture
def ask(run_program: Callable[..., Run]) -> Callable[..., Run]:
    """Return a function that runs a persistent tagger."""
    return partial(run_program, mode="persistent")


@pytest.mark.parametrize(("name", "content", "rest", "why"), SHAPES, ids=[s[3] for s in SHAPES])
def test_how_answers_end(name: str, content: str, rest: str, why: str, ask: Callable[..., Run]) -> None:
    done = ask(content, TEXTS, rest)
    assert done.outcome_counts == {"ok": 5}
    rows = done.predictions.assign(text_id=done.predictions["text_id"].astype(int))
    assert rows[["text_id", "start", "end"]].to_numpy().tolist() == SPANS
    if name == "leaky":
        assert done.meta["exit_codes"] == {}, "none of it is a case's fault"
        assert all_codes(done) == {"0": 1, "1": 1}
        assert "out of patience" in "".join(p.read_text() for p in (done.folder / "stderr").iterdir())


def test_another_encoding_both_ways(ask: Callable[..., Run]) -> None:
    rest = '[input]\nencoding = "latin-1"\n[output]\nencoding = "latin-1"\ntags = ["gp"]\n'
    done = ask(LATIN, ["l'été β", "rien"], rest)
    assert done.outcome_counts == {"ok": 2}
    assert done.predictions[["start", "end"]].to_numpy().tolist() == [[2, 5]]


def test_a_process_that_never_says_that_it_is_ready(ask: Callable[..., Run]) -> None:
    rest = '[output]\ntags = ["gp"]\n[persistent]\nready = "never"\n[limits]\nstart = 0.5\n'
    done = ask(LINES, ["the Wnt gene"], rest)
    assert done.outcome_counts == {"ok": 0, "abandoned": 1}
    (failure,) = done.meta["failure"]
    # its input is not closed before it is ended: it would leave with 0 now and then, and not fail alike
    wanted = "3 starts failed in the same way before reading any input (timeout: signal 9 (SIGKILL))"
    assert wanted in failure["said"]


FLOODING = """import sys
for line in sys.stdin:
    if "=flood=" in line:
        while True:
            print("all work and no play\\n" * 100, file=sys.stderr if "stderr" in sys.argv else sys.stdout)
    print(line.rstrip("\\n"), flush=True)
"""


def test_a_process_that_talks_for_ever_is_not_waited_for(ask: Callable[..., Run]) -> None:
    texts = [f"Case {i} {'=flood=' if i % 5 == 2 else ''}" for i in range(20)]
    done = ask(FLOODING, texts, '[output]\ntags = ["gp"]\n[limits]\noutput_mb = 4\n')
    assert done.outcome_counts == {"ok": 16, "garbage": 4}
    assert all_codes(done) == {"0": 1, "-9": 18}, "what answers well is asked on"


def test_an_answer_that_waits_when_the_time_is_up_is_no_time_out(
    ask: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = persistent_process.PersistentProcess._exchange

    def held_up(self: persistent_process.PersistentProcess, rest: memoryview, deadline: float) -> memoryview:
        if not rest:
            # what asks is kept from running until the answer is there, and its time over
            assert eventually(lambda: bool(select.select([self.stdout], [], [], 0)[0]))
            deadline = 0.0
        return exchange(self, rest, deadline)

    monkeypatch.setattr(persistent_process.PersistentProcess, "_exchange", held_up)
    done = ask(LINES, TEXTS, '[output]\ntags = ["gp"]\n')
    assert done.outcome_counts == {"ok": 5}
    assert all_codes(done) == {"0": 1}


@pytest.mark.parametrize(("words", "code"), [(50_000, "0"), (150_000, "-9")])
def test_a_process_that_says_goodbye_leaves_by_itself_unless_it_says_too_much(
    words: int, code: str, ask: Callable[..., Run]
) -> None:
    program = f"{LINES}print('goodbye ' * {words})\nsys.exit(0)\n"
    done = ask(program, TEXTS, '[output]\ntags = ["gp"]\n')
    assert done.outcome_counts == {"ok": 5}
    assert all_codes(done) == {code: 1}, "a full pipe is no reason to end it, more than 1 MiB is"


NOISY = """import sys
print("began", file=sys.stderr)
for line in sys.stdin:
    if "=crash=" in line:
        print("x" * 30_000, file=sys.stderr)
        sys.exit("the last words")
    print(line.rstrip("\\n"), flush=True)
"""


AHEAD = """import json, sys
for number, line in enumerate(sys.stdin):
    case = json.loads(line) if line.startswith("{") else {"id": str(number), "text": line}
    answer = json.dumps({"id": case["id"], "mentions": [{"start": 0, "end": 3}]})
    print(answer, flush=True)
    if "Notch" in case["text"]:
        print(answer, flush=True)
"""


@pytest.mark.parametrize("form", ["jsonl", "names"])
def test_an_extra_answer_does_not_shift_the_rest(form: str, ask: Callable[..., Run]) -> None:
    rest = f'[input]\nform = "jsonl"\n[output]\nform = "{form}"\n'
    done = ask(AHEAD, ["the Wnt", "one Notch", "and two", "or three"], rest)
    assert done.outcomes["outcome"].tolist() == ["ok", "ok", "garbage", "garbage"]
    assert done.meta["failure"][0]["found"].startswith("this is the answer to a different case: '2'")


LATE = """import json, sys
said = ""
for number, line in enumerate(sys.stdin):
    if number == 2:
        print(said, flush=True)
    said = json.dumps({"id": json.loads(line)["id"], "mentions": []})
    print(said, flush=True)
"""


def test_a_kept_process_that_answers_the_batch_before_is_replaced(ask: Callable[..., Run]) -> None:
    rest = '[input]\nform = "jsonl"\n[output]\nform = "jsonl"\n'
    done = ask(LATE, ["one", "two", "three", "four"], rest, batch_size=2)
    assert done.outcome_counts == {"ok": 4}


def test_who_is_told_no_identifiers_may_number_answers(ask: Callable[..., Run]) -> None:
    done = ask(AHEAD, ["the Wnt", "and two"], '[output]\nform = "jsonl"\n')
    assert done.outcome_counts == {"ok": 2}


@pytest.mark.parametrize("mode", ["persistent", "document", "batch"])
def test_what_many_processes_say_is_kept_as_of_one(mode: str, run_program: Callable[..., Run]) -> None:
    texts = [f"Case {i} {'=crash=' if i % 2 else ''}" for i in range(20)]
    done = run_program(NOISY, texts, '[output]\ntags = ["gp"]\n', mode=mode)
    assert done.outcome_counts == {"ok": 10, "crash": 10}
    said = (done.folder / "stderr" / "shard-000000.txt").read_bytes()
    assert said.startswith(b"began\n")
    assert b" bytes left out ...\n" in said
    assert said.endswith(b"the last words\n" if mode == "persistent" else (b"the last words\n", b"began\n"))
    assert len(said) < 2 * KEPT_BYTES + 100
