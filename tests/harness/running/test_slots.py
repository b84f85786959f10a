"""Slots with persistent processes: starts, reproducible results, windows of requests, slot numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.run import run

RunOn = Callable[..., Run]
Write = Callable[..., Path]
WriteCorpus = Callable[..., str]
FILES = ("predictions.parquet", "outcomes.parquet", "run.toml")
# it counts its starts; its faults are named by the case. It is started hundreds of times, so it imports next
# to nothing: a request has nothing in it that JSON and Python write otherwise
COUNTING = """import sys, time
open(sys.argv[1] + "/starts", "a").write("x")
print("loading", file=sys.stderr)
print("loaded", flush=True)
for number, line in enumerate(sys.stdin):
    if not line.strip():
        continue
    case = eval(line)
    text = case["text"]
    if "=leak=" in text and number > 2:
        sys.exit("too much by now")
    if "=crash=" in text:
        sys.exit("cannot cope")
    if "=hang=" in text:
        open("hanging", "w").close()
        time.sleep(600)
    if "=garbage=" in text:
        print("what?", flush=True)
        continue
    names = [word for word in text.split() if word[:3] in ("ABC", "DEF")]
    found = ['{"start": %d, "end": %d}' % (text.index(n), text.index(n) + len(n)) for n in names]
    print('{"id": "%s", "mentions": [%s]}' % (case["id"], ", ".join(found)), flush=True)
    if "=twice=" in text:
        print('{"id": "%s", "mentions": []}' % case["id"], flush=True)
    if "=leave=" in text:
        sys.exit(0)
"""
# also at the beginning and the end of shards of eight; an answer too many is what the next shard would meet
GUILTY = {
    3: "crash", 7: "garbage", 8: "leak", 13: "leave", 15: "twice", 16: "hang", 23: "crash", 30: "garbage",
    31: "leak", 33: "leave", 39: "twice", 40: "garbage", 47: "twice",
}  # fmt: skip


@pytest.fixture
def counting(tmp_path: Path) -> Write:
    """Return a function that writes a persistent tagger, which counts its starts in the file `starts`."""

    def write(
        persistent: str = "", program: str = COUNTING, name: str = "counting", case: float = 30.0
    ) -> Path:
        (tmp_path / f"{name}.py").write_text(program, encoding="utf-8")
        path = tmp_path / f"{name}.toml"
        path.write_text(
            f'format = 1\nname = "{name}"\nmode = "persistent"\n'
            f'command = ["{{python}}", "-I", "-S", "{{here}}/{name}.py", "{tmp_path}"]\n'
            '[input]\nform = "jsonl"\n[output]\nform = "jsonl"\n'
            f'[persistent]\nready = "loaded"\n{persistent}\n'
            f"[limits]\nstart = 60.0\ncase = {case}\n",
            encoding="utf-8",
        )
        return path

    return write


def starts(folder: Path) -> int:
    """Return the number of starts since the last call."""
    path = folder / "starts"
    count = path.stat().st_size
    path.unlink()
    return count


def timed(done: Run) -> dict[str, object]:
    timings: dict[str, object] = json.loads((done.folder / "timings.json").read_text())
    return timings


# a line for a line; where the text says so it waits until the tagger runs in so many slots
MEETING = """import os, sys, time
folder, slot = sys.argv[1:]
assert slot == os.environ["CUDA_VISIBLE_DEVICES"]
open(f"{folder}/slot-{slot}", "w").close()
for line in sys.stdin:
    for _ in range(1000 if "wait" in line else 0):
        there = sum(name.startswith("slot-") for name in os.listdir(folder))
        if there >= int(open(f"{folder}/slots").read()):
            break
        time.sleep(0.01)
    print(line.replace("GENE", "<gp>GENE</gp>"), end="", flush=True)
"""


@pytest.mark.parametrize("mode", ["batch", "persistent"])
def test_fewer_cases_than_a_shard_has_occupy_all_slots(
    mode: str, tmp_path: Path, corpus: WriteCorpus
) -> None:
    (tmp_path / "meeting.py").write_text(MEETING)
    (tmp_path / "t.toml").write_text(
        f'format = 1\nname = "t"\nmode = "{mode}"\n'
        'command = ["{python}", "-S", "{here}/meeting.py", "{here}", "{slot}"]\n'
        'environment = { CUDA_VISIBLE_DEVICES = "{slot}" }\n[limits]\ncase = 60\n'
    )
    source = corpus([f"{'wait' if i % 10 == 9 else 'a'} GENE {i}" for i in range(40)])
    found = []
    for jobs in (1, 4):
        (tmp_path / "slots").write_text(str(jobs))
        done = run(source, tmp_path / "t.toml", tmp_path / f"run{jobs}", jobs=jobs, cache=False)
        assert sorted(p.name for p in tmp_path.glob("slot-*")) == [f"slot-{i}" for i in range(jobs)]
        found.append(done)
    assert found[1].outcome_counts == {"ok": 40}
    # it says where a tagger runs, and nothing of what it is
    assert found[1].meta["run"]["command"][-1] == "{slot}"
    assert same(found[0].folder, found[1].folder)


# faults by case: none, some of each kind, all
DIVIDED: list[tuple[str, dict[int, str]]] = [
    ("no fault", {}),
    ("the first", dict.fromkeys(range(8), "crash")),
    ("some", {3: "garbage", 11: "crash", 12: "crash", 20: "garbage", 21: "segfault", 38: "crash"}),
    ("all", dict.fromkeys(range(40), "crash")),
]


@pytest.mark.parametrize("mode", ["batch", "persistent", "document"])
@pytest.mark.parametrize(("why", "guilty"), DIVIDED, ids=[d[0] for d in DIVIDED])
def test_the_same_bytes_however_cases_are_divided_among_jobs(
    why: str, guilty: dict[int, str], mode: str, tmp_path: Path, corpus: WriteCorpus, faulty: Write
) -> None:
    texts = [f"ABC{i} here {f'={guilty[i]}=' if i in guilty else 'and there'}" for i in range(40)]
    source, spec = corpus(texts), faulty("sgml", mode=mode)
    found = [run(source, spec, tmp_path / f"run{n}", jobs=n, cache=False).folder for n in (1, 3, 4)]
    for name in FILES:
        assert len({(folder / name).read_bytes() for folder in found}) == 1, f"{why}: {name}"


@pytest.mark.parametrize("mode", ["memory", "process"])
def test_progress_moves_with_cases(mode: str, tmp_path: Path, run_on: RunOn) -> None:
    (tmp_path / "waiting.py").write_text(
        f"import os, time\ndef tag(text):\n    for _ in range(2000 if '9' in text else 0):\n"
        f"        if os.path.exists({str(tmp_path / 'seen')!r}):\n            break\n"
        "        time.sleep(0.01)\n    return []\n"
    )
    (tmp_path / "t.toml").write_text(
        'format = 1\nname = "t"\nmode = "python"\n[python]\nfunction = "waiting:tag"\n[limits]\ncase = 60\n'
    )
    seen: list[int] = []

    def show(done: int, count: int) -> None:
        seen.append(done)
        if done >= 5:
            (tmp_path / "seen").touch()

    space: dict[str, Callable[[str], object]] = {}
    exec((tmp_path / "waiting.py").read_text(), space)
    tagger = space["tag"] if mode == "memory" else tmp_path / "t.toml"
    run_on([f"case {i}" for i in range(12)], tagger, cache=False, progress=show)
    assert seen == sorted(set(seen)), "never backwards"
    assert seen[0] == 0
    assert 9 in seen, "the case at which it waits is the tenth"
    assert seen[-1] == 12


def same(one: Path, other: Path) -> bool:
    said = [{p.name: p.read_bytes() for p in (run / "stderr").glob("shard-*")} for run in (one, other)]
    return said[0] == said[1] and all((one / n).read_bytes() == (other / n).read_bytes() for n in FILES)


@pytest.mark.parametrize(
    ("cases", "batch"),
    [(60, 10), pytest.param(100_000, None, marks=[pytest.mark.full, pytest.mark.timeout(900)])],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_process_is_started_once_for_each_slot(
    jobs: int, cases: int, batch: int | None, tmp_path: Path, corpus: WriteCorpus, counting: Write
) -> None:
    source = corpus([f"Case {i}: ABC{i} binds" for i in range(cases)])
    done = run(source, counting(), tmp_path / "run", jobs=jobs, batch_size=batch, cache=False)
    assert done.outcome_counts == {"ok": cases}
    assert done.meta["run"]["shards"] == 6
    assert len(done.predictions) == cases
    assert starts(tmp_path) == jobs
    timings = timed(done)
    assert timings["starts"] == jobs
    assert done.meta["exit_codes"] == {}
    assert "loading" in (done.folder / "stderr" / "processes.txt").read_text()


@pytest.mark.parametrize(
    "persistent", ["", "batch_in_flight = 4", 'batch_in_flight = 3\nwindow_end = "blank"']
)
def test_the_same_bytes_whatever_processes_the_shards_met(
    persistent: str, tmp_path: Path, corpus: WriteCorpus, counting: Write, impatient_asker: None
) -> None:
    texts = [f"Case {i}: ABC{i} binds DEF{i}" for i in range(48)]
    for place, kind in GUILTY.items():
        texts[place] += f" ={kind}="
    source, spec = corpus(texts), counting(persistent)
    runs = [
        run(source, spec, tmp_path / f"run{i}", jobs=jobs, batch_size=8, cache=False)
        for i, jobs in enumerate((1, 2, 6))
    ]
    assert all(same(runs[0].folder, other.folder) for other in runs[1:])
    counts = runs[0].outcome_counts
    assert counts == {"ok": 42, "crash": 2, "timeout": 1, "garbage": 3}
    assert runs[0].meta["exit_codes"] == {"-9": 1, "1": 2}, "processes that failed at their first case"
    wrong = [place for place, outcome in enumerate(runs[0].outcomes["outcome"]) if outcome != "ok"]
    assert wrong == [place for place, kind in GUILTY.items() if kind in ("crash", "garbage", "hang")]
    found = runs[0].predictions.groupby("text_id").size()
    assert found.tolist() == [2] * 42


# the answers to all are longer than any pipe, and come while the requests are still being written
LARGE = """import sys
open(sys.argv[1] + "/starts", "a").write("x")
for line in sys.stdin:
    print(line.rstrip("\\n"), flush=True)
"""


@pytest.mark.parametrize("size", [1, 7, 64])
def test_large_texts_block_nobody(size: int, tmp_path: Path, run_program: RunOn) -> None:
    # a pipe holds 64 KiB
    texts = [f"Case {i} " + f"ABC{i} " * 40_000 for i in range(30)]
    done = run_program(
        LARGE, texts, f"[persistent]\nbatch_in_flight = {size}\n[limits]\ncase = 60.0\n",
        mode="persistent", arguments=f', "{tmp_path}"', batch_size=15, cache=False,
    )  # fmt: skip
    assert done.outcome_counts == {"ok": 30}
    assert starts(tmp_path) == 1


@pytest.mark.parametrize("size", [2, 5, 100])
def test_a_window_is_written_before_it_is_answered(
    size: int, tmp_path: Path, run_on: RunOn, counting: Write
) -> None:
    program = """import json, sys
open(sys.argv[1] + "/starts", "a").write("x")
print("loaded", flush=True)
window = []
for line in sys.stdin:
    if line.strip():
        window.append(json.loads(line)["id"])
        continue
    print(len(window), file=sys.stderr)
    for name in window:
        print(json.dumps({"id": name, "mentions": []}))
    sys.stdout.flush()
    window = []
"""
    spec = counting(f'batch_in_flight = {size}\nwindow_end = "blank"', program)
    done = run_on(["a b"] * 23, spec, batch_size=12, cache=False)
    assert done.outcome_counts == {"ok": 23}
    said = [int(n) for n in (done.folder / "stderr" / "processes.txt").read_text().split()]
    # windows end with their shard
    assert said == [
        min(size, high - low) for high, start in ((12, 0), (11, 0)) for low in range(start, high, size)
    ]
    assert starts(tmp_path) == 1


def test_a_window_has_the_time_of_its_cases(tmp_path: Path, run_on: RunOn, counting: Write) -> None:
    # each takes a quarter of a second; one alone may take less than all of them together
    program = COUNTING.replace("    found =", "    time.sleep(0.25)\n    found =")
    spec = counting("batch_in_flight = 12", program, case=1.0)
    done = run_on([f"ABC{i}" for i in range(12)], spec, cache=False)
    assert done.outcome_counts == {"ok": 12}
    assert starts(tmp_path) == 1, "three seconds are more than the one of a case, and less than twelve"
