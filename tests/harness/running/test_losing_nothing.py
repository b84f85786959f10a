"""Many cases, random faults, a harness killed at random points: every case is answered or reported."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

# from the tests' folder
from harness.running.programs.faults import PROCESS  # type: ignore[import-not-found]
from harness.running.test_faults import BATCH, check  # type: ignore[import-not-found]

from tagsuite.harness.running.folder.runs import Run, read_run
from tagsuite.harness.running.run import run

PROGRAMS = Path(__file__).parent / "programs"
Driven = Callable[..., tuple[int, str]]
# outcomes of the faults of single answers; the others do something to the process, or are slow
SLOW = {"hang", "memory", "flood"}
ALL = {fault: outcome for fault, outcome, *_ in BATCH if fault not in PROCESS}
QUICK = {fault: outcome for fault, outcome in ALL.items() if fault not in SLOW}
FILES = ("predictions.parquet", "outcomes.parquet", "run.toml")


def make(count: int, share: float, faults: dict[str, str], seed: int) -> tuple[list[str], dict[int, str]]:
    """Return sentences with faults at random places."""
    draw = random.Random(seed)
    where = [i for i in range(count) if draw.random() < share]
    # each kind, as often as the others, in a random order
    kinds = [sorted(faults)[n % len(faults)] for n in range(len(where))]
    draw.shuffle(kinds)
    guilty = dict(zip(where, kinds, strict=True))
    words = "the a of binds cells levels in mice was lower after treatment β-catenin naïve (see text) < 9 &"
    texts = []
    for i in range(count):
        body = " ".join(draw.choices(words.split(), k=draw.randint(3, 25)))
        fault = f"={guilty[i]}=" if i in guilty else "plain"
        texts.append(f'Case {i}: GENE{i}A {body} {fault}. Then "TF{draw.randint(1, 99)}" {body[::-1]}.')
    return texts, guilty


def verify(done: Run, texts: list[str], guilty: dict[int, str], faults: dict[str, str]) -> None:
    assert sum(done.outcome_counts.values()) == len(texts)
    check(done, texts, {i: faults[fault] for i, fault in guilty.items()})


LIMITS = "[limits]\nstart = {start}\ncase = 0.005\nmemory_mb = 200\noutput_mb = 4\n"


def calm_and_killed(
    source: str, spec: Path, folder: Path, batch: int, points: list[int], driven: Driven
) -> Run:
    """Run once undisturbed, and once killed repeatedly after some cases; compare the bytes."""
    calm = run(source, spec, folder / "calm", batch_size=batch, jobs=2, cache=False)
    for point in points:
        assert (
            driven(source, spec, folder / "killed", 2, batch, "SIGKILL", "cases", point)[0] == -signal.SIGKILL
        )
    assert driven(source, spec, folder / "killed", 2, batch)[0] == 0
    for name in FILES:
        assert (folder / "killed" / name).read_bytes() == (folder / "calm" / name).read_bytes(), name
    said = {p.name: p.read_bytes() for p in (folder / "calm" / "stderr").iterdir()}
    assert {p.name: p.read_bytes() for p in (folder / "killed" / "stderr").iterdir()} == said
    assert not (folder / "killed" / ".shards").exists()
    return calm


def random_points(seed: int, cases: int, batch: int, count: int) -> list[int]:
    """Return numbers of cases at which to kill the run, some shards apart."""
    last = (cases - 1) // batch
    drawn = np.random.default_rng(seed).choice(np.arange(1, last + 1), count, replace=False)
    return sorted((drawn * batch).tolist())


@pytest.mark.parametrize(
    "count", [1000, pytest.param(100_000, marks=[pytest.mark.full, pytest.mark.timeout(7200)])]
)
def test_every_case_is_answered_or_reported(
    count: int, tmp_path: Path, corpus: Callable[..., str], faulty: Callable[..., Path], driven: Driven
) -> None:
    few = count == 1000
    faults = QUICK if few else ALL
    texts, guilty = make(count, 0.01 if few else 0.002, faults, seed=count)
    assert len(guilty) >= 8
    assert few or set(guilty.values()) == set(faults)
    spec = faulty("sgml", LIMITS.format(start=20.0 if few else 2.5))
    batch = min(count // 10, 250)
    points = random_points(count, count, batch, 3 if few else 12)
    calm = calm_and_killed(corpus(texts), spec, tmp_path, batch, points, driven)
    verify(calm, texts, guilty, faults)


def _taggers(tmp_path: Path) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
            place = (folder / "cwd").readlink()
        except OSError:
            continue
        if b"faulty_tagger.py" in line and place.is_relative_to(tmp_path):
            found.append(folder.name)
    return found


def test_an_interrupted_run_ends_its_taggers_and_resumes(
    tmp_path: Path, corpus: Callable[..., str], faulty: Callable[..., Path], driven: Driven, impatient: None
) -> None:
    texts = [f"Case {i}: GENE{i}" for i in range(6)]
    texts[4] += " =hang="
    spec = faulty("sgml", LIMITS.format(start=300.0))
    source = corpus(texts)
    code, _ = driven(source, spec, tmp_path / "run", 1, 2, "SIGINT", "cases", 4)
    assert code == -signal.SIGINT
    assert not list((tmp_path / "run" / ".shards").glob("work*")), "it was an exception, and cleared up"
    assert _taggers(tmp_path) == []
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "run" / ".shards").glob("*.shard")}
    assert len(before) == 2
    done = run(source, spec, tmp_path / "run", batch_size=2, cache=False)
    assert done.outcome_counts == {"ok": 5, "timeout": 1}
    assert read_run(tmp_path / "run").meta == done.meta
