"""Every fault of a tagger: the failing case gets its outcome, all other cases their mentions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.harness.running.folder.runs import Run

RunOn = Callable[..., Run]
Write = Callable[..., Path]
NAME = re.compile(r"\b[A-Z][A-Z0-9]+\b")
LIMITS = "[limits]\nstart = {start}\ncase = 0.01\nmemory_mb = 64\noutput_mb = 4\n"

# fault, outcome of the guilty case, mentions of it that must be found, why
BATCH = [
    ("crash", "crash", 0, "an exception: exit code 1, nothing printed"),
    ("segfault", "crash", 0, "a signal"),
    ("hang", "timeout", 0, "sleeps for ever"),
    ("memory", "memory", 0, "asks for ever more memory"),
    ("flood", "flood", 0, "prints for ever"),
    ("disk_full", "disk_full", 0, "finds no space on its own disk"),
    ("garbage", "garbage", 0, "a record that is not the text"),
    ("another", "garbage", 0, "the record of another sentence"),
    ("binary", "encoding", 0, "bytes that are not UTF-8"),
    ("drop", "short", 0, "no record for this case alone"),
    ("blank", "short", 0, "a record without its text"),
    ("stop", "short", 0, "ends with success in the middle"),
    ("stop_inside", "short", 0, "ends with success inside a record"),
    ("swallow", "short", 0, "reads on and says nothing more"),
    ("unbalanced", "garbage", 0, "a tag that is never closed"),
    ("twice", "ok", 2, "the same record twice: the second is nobody's"),
    ("noise", "ok", 2, "a line about itself on standard output"),
    ("chatter", "ok", 2, "much on standard error"),
    ("swap", "ok", 2, "two records in another order"),
    ("retokenise", "ok", 2, "blanks around every sign"),
    ("ascii", "ok", 2, "a question mark for every foreign letter"),
    ("quotes", "ok", 2, "brackets and quotes as a treebank writes them"),
    ("split", "ok", 2, "a record cut at a full stop"),
    ("join", "ok", 2, "a record without its line end"),
    ("crlf", "ok", 2, "other line ends"),
    ("rewrite", "unaligned", 1, "a mention whose text nobody sent"),
    ("misplace", "unaligned", 0, "a mention of nothing"),
    ("fork", "ok", 2, "a child that outlives its parent"),
    ("close_stdout", "crash", 0, "closes its output and then writes"),
    ("close_stderr", "ok", 2, "closes its standard error"),
    ("clean", "ok", 2, "removes every file in its working folder"),
    ("vanish", "ok", 2, "removes its working folder"),
    ("nest", "ok", 2, "leaves 1,100 folders, each in the one before"),
    ("lock", "ok", 2, "leaves a folder that nobody may enter, a pipe, and links to nowhere"),
    ("wander", "ok", 2, "goes to another folder"),
    ("loud", "flood", 0, "prints for ever on standard error"),
    ("muffled", "flood", 0, "prints more on standard error than it may, and does not mind"),
    ("hoard_file", "flood", 0, "writes a file of its own for ever"),
    ("daemon", "ok", 2, "a child that leaves the session and empties its environment"),
    ("brood", "ok", 2, "twenty children, each in a session of its own"),
    ("freeze", "timeout", 0, "stops itself"),
    ("kill_self", "crash", 0, "SIGKILL, as when the system runs out of memory"),
    ("kill_group", "crash", 0, "ends its whole group"),
    ("orphan", "crash", 0, "ends the program that started it"),
    ("late", "crash", 0, "answers everything, then ends with an exit code of its own"),
    ("truncate", "ok", 2, "empties the file of its output before it goes on"),
    ("rewind", "ok", 2, "writes over the beginning of its output"),
]


def sentences(count: int, guilty: dict[int, str]) -> list[str]:
    """Return sentences in which the failing cases name their fault."""
    return [
        f"Case {i}: the β-form of GENE{i}A binds ({f'={guilty[i]}=' if i in guilty else 'p < 0.05'}) well. "
        f'Thus "it" & TF{i} déjà vu.'
        for i in range(count)
    ]


def expected(texts: list[str]) -> list[list[tuple[int, int]]]:
    return [[m.span() for m in NAME.finditer(t)] for t in texts]


def spans(done: Run) -> list[list[tuple[int, int]]]:
    frame = done.predictions
    found: dict[str, list[tuple[int, int]]] = {}
    for case, start, end in zip(frame["text_id"], frame["start"], frame["end"], strict=True):
        found.setdefault(str(case), []).append((start, end))
    return [found.get(str(i), []) for i in done.outcomes["case_id"]]


def check(done: Run, texts: list[str], guilty: dict[int, str], mentions: int | None = None) -> None:
    """Check the outcomes and mentions of failing cases, and that all other cases have all mentions."""
    outcomes = done.outcomes
    assert len(outcomes) == len(texts), "every case sent has an outcome"
    assert done.predictions["text_id"].isin(outcomes["case_id"]).all()
    found = spans(done)
    wanted = expected(texts)
    for i in range(len(texts)):
        outcome = guilty.get(i, "ok")
        assert outcomes["outcome"][i] == outcome, (i, outcomes["outcome"][i], outcomes["reason"][i])
        assert set(found[i]) <= set(wanted[i]), "what is placed is placed rightly"
        if i not in guilty:
            assert found[i] == wanted[i], i
        elif mentions is not None:
            assert len(found[i]) == mentions, (i, found[i])
        elif outcome == "ok":
            assert found[i] == wanted[i], i


@pytest.mark.parametrize(("fault", "outcome", "mentions", "why"), BATCH, ids=[b[0] for b in BATCH])
def test_a_batch_with_a_faulty_case(
    fault: str, outcome: str, mentions: int, why: str, run_on: RunOn, faulty: Write, impatient: None
) -> None:
    guilty = {2: fault}
    texts = sentences(4, guilty)
    spec = faulty("sgml", LIMITS.format(start=20.0))
    done = run_on(texts, spec, jobs=2)
    check(done, texts, dict.fromkeys(guilty, outcome), mentions)


NAMED = [
    ("numbered", "drop", "short", 0, "no record of this identifier"),
    ("numbered", "twice", "duplicate", 0, "the identifier comes twice"),
    ("numbered", "unasked", "ok", 2, "an identifier that nobody asked for"),
    ("numbered", "swap", "ok", 2, "records in another order"),
    ("jsonl", "twice", "duplicate", 0, "two objects of one identifier"),
    ("jsonl", "unasked", "ok", 2, "an object that nobody asked for"),
    ("jsonl", "broken_json", "garbage", 0, "half an object"),
    ("jsonl", "wrong_keys", "garbage", 0, "mentions without offsets"),
    ("offsets", "outside", "unaligned", 0, "offsets outside the text"),
    ("offsets", "shifted", "unaligned", 0, "offsets that are one too high"),
    ("offsets", "negative", "unaligned", 0, "an offset below 0"),
    ("offsets", "words", "garbage", 0, "offsets that are no numbers"),
    ("offsets", "noise", "ok", 2, "a line that is no row"),
    ("conll", "drop", "short", 0, "no sentence"),
    ("conll", "column", "garbage", 0, "a line with one column"),
]


@pytest.mark.parametrize(
    ("form", "fault", "outcome", "mentions", "why"), NAMED, ids=[f"{n[0]}-{n[1]}" for n in NAMED]
)
def test_a_batch_of_other_forms_with_a_faulty_case(
    form: str, fault: str, outcome: str, mentions: int, why: str, run_on: RunOn, faulty: Write
) -> None:
    guilty = {1: fault}
    texts = sentences(4, guilty)
    done = run_on(texts, faulty(form, LIMITS.format(start=20.0)))
    check(done, texts, dict.fromkeys(guilty, outcome), mentions)


def test_the_output_limit_holds_for_files(run_program: RunOn) -> None:
    content = (
        "import sys\nout = open(sys.argv[1], 'wb')\nfor line in sys.stdin.buffer:\n"
        "    while b'loud' in line:\n        out.write(line * 5000)\n    out.write(line)\n"
    )
    rest = '[limits]\noutput_mb = 2\n[output]\nvia = "path"\n'
    done = run_program(content, ["quiet", "loud"], rest, arguments=', "{output}"')
    assert done.outcomes["outcome"].tolist() == ["ok", "flood"]


# outcome and mentions of the guilty case where a mode has others than a batch
OTHERWISE: dict[str, dict[str, tuple[str, int]]] = {
    "persistent": {
        # it is asked and does not answer, or dies before it has
        "drop": ("timeout", 0),
        "swallow": ("timeout", 0),
        "swap": ("timeout", 0),
        "join": ("timeout", 0),
        "stop": ("crash", 0),
        "stop_inside": ("crash", 0),
        "truncate": ("crash", 0),
        "rewind": ("crash", 0),
        # a line is an answer
        "flood": ("garbage", 0),
        "split": ("short", 0),
        # it has answered, and is started again for the next case
        "muffled": ("ok", 2),
        "late": ("ok", 2),
    },
    # two records in the one answer are neither
    "document": {"twice": ("garbage", 0)},
}


def expected_of(fault: str, mode: str) -> tuple[str, int]:
    """Return the expected outcome and mentions of a failing case."""
    usual = next((outcome, mentions) for name, outcome, mentions, _ in BATCH if name == fault)
    return OTHERWISE.get(mode, {}).get(fault, usual)


# the others are tried in the full check
IN_MODES = {
    "persistent": {"crash", "hang", "garbage", "stop", "noise", "daemon", "vanish", "loud", "close_stdout"},
    "document": {"crash", "hang", "split", "daemon", "vanish", "orphan"},
}


@pytest.mark.parametrize(
    ("mode", "fault"),
    [
        pytest.param(mode, b[0], marks=[] if b[0] in few else [pytest.mark.full])
        for mode, few in IN_MODES.items()
        for b in BATCH
    ],
)
def test_other_modes_with_a_faulty_case(
    mode: str, fault: str, run_on: RunOn, faulty: Write, request: pytest.FixtureRequest
) -> None:
    guilty = {2: fault}
    texts = sentences(5, guilty)
    request.getfixturevalue("impatient" if mode == "document" else "impatient_asker")
    limits = LIMITS.format(start=20.0)
    done = run_on(texts, faulty("sgml", limits, mode=mode))
    outcome, mentions = expected_of(fault, mode)
    check(done, texts, {2: outcome}, mentions)


def test_a_shard_in_which_nothing_succeeds_is_given_up(tmp_path: Path, run_on: RunOn, faulty: Write) -> None:
    guilty = dict.fromkeys(range(40), "crash")
    done = run_on(sentences(40, guilty), faulty("sgml"), batch_size=40)
    counts = done.outcome_counts
    assert counts["ok"] == 0
    assert counts["crash"] + counts["abandoned"] == 40
    assert counts["abandoned"] > 20
    timings = json.loads((tmp_path / "run" / "timings.json").read_text())
    assert timings["starts"] < 35, "a few dozen attempts, not 79"
    assert sum(done.meta["exit_codes"].values()) == counts["crash"], "those of cases that failed alone"
