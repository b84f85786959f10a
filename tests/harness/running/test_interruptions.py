"""Interrupted runs (a signal, a full disk, a power failure): the same command again gives the same bytes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.run import run

from .conftest import corpus_in

FULL = [pytest.mark.full, pytest.mark.timeout(3600)]
SIGNALS = ("SIGKILL", "SIGTERM", "SIGINT")


def left(folder: Path) -> dict[str, bytes]:
    """Return the content of every file of a run folder except times."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name not in ("timings.json", "costs.parquet")
    }


@pytest.fixture(scope="module")
def troubled(faulty_in: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return a tagger and a corpus of six shards with four cases, some of which cause faults."""
    faults = {1: "crash", 6: "drop", 9: "chatter", 14: "rewrite", 15: "garbage", 21: "segfault"}
    texts = [f"Case {i}: GENE{i}A binds {f'={faults[i]}=' if i in faults else 'TF9'}" for i in range(24)]
    folder = tmp_path_factory.mktemp("troubled")
    return corpus_in(folder, texts), faulty_in(folder, "sgml")


@pytest.fixture(scope="module")
def calm(troubled: tuple[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the folder of a run that was not interrupted.

    The folders of the other runs are its siblings, because run.toml contains the path of the input relative
    to the folder.
    """
    folder = tmp_path_factory.mktemp("runs") / "calm"
    done = run(*troubled, folder, batch_size=4, cache=False)
    assert done.outcome_counts["crash"] == 2
    return folder


@pytest.mark.parametrize("count", [3, pytest.param(100, marks=FULL)])
def test_a_run_killed_anywhere_leaves_the_same_bytes(
    count: int, tmp_path: Path, troubled: tuple[str, Path], driven: Callable[..., tuple[int, str]]
) -> None:
    source, spec = troubled
    jobs, batch = 2, 4
    code, steps = driven(source, spec, tmp_path / "calm", jobs, batch)
    assert code == 0
    wanted = left(tmp_path / "calm")
    draw = np.random.default_rng(count)
    # from the first step to the last, each signal in turn; then again at a random point of what is left
    points = np.linspace(1, int(steps), count, dtype=int).tolist()
    killed = 0
    for place, point in enumerate(points):
        name = SIGNALS[place % len(SIGNALS)]
        out = tmp_path / f"killed-{point}"
        code, count_of_steps = driven(source, spec, out, jobs, batch, name, "steps", point)
        if code == 0:
            # shards that finish in their order are not read again: it took fewer steps than the calm run
            assert int(count_of_steps) < point <= int(steps), f"{name} at step {point}"
        else:
            # SIGTERM is what Ctrl-C is while taggers run
            assert code in (-getattr(signal, name), -signal.SIGINT), f"{name} at step {point}"
        killed += code < 0
        code, _ = driven(source, spec, out, jobs, batch, name, "steps", draw.integers(1, int(steps)))
        assert code <= 0
        code, _ = driven(source, spec, out, jobs, batch)
        assert code == 0
        assert left(out) == wanted, f"{name} at step {point}"
    assert killed >= 0.9 * count - 1


class Destructor:
    """Object whose destructor interrupts its own process, where the exception is lost."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number

    def __del__(self) -> None:
        signal.raise_signal(self.number)


# when it comes: at the beginning, between shards, after the last one
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", [0, 8, 24])
def test_an_interruption_whose_exception_is_lost(
    moment: int, number: signal.Signals, troubled: tuple[str, Path], calm: Path
) -> None:
    source, spec = troubled
    out = calm.with_name(f"lost-{moment}-{number.name}")

    def lose(done: int, _: int) -> None:
        if done == moment:
            Destructor(number)

    # a shell's background job would ignore Ctrl-C
    usual: dict[signal.Signals, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    before = {kind: signal.signal(kind, handler) for kind, handler in usual.items()}
    try:
        with pytest.raises(KeyboardInterrupt):
            run(source, spec, out, batch_size=4, cache=False, progress=lose)
        assert {kind: signal.getsignal(kind) for kind in usual} == usual
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
    run(source, spec, out, batch_size=4, cache=False)
    assert left(out) == left(calm)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Return a function that mounts a file system of a given size; a further call enlarges it."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = False

    def mount(size: int) -> Path:
        nonlocal mounted
        more = f"{'remount,' if mounted else ''}size={size}"
        command = ["mount", "-t", "tmpfs", "-o", more, "tmpfs", str(place)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            pytest.skip("no mount here")
        if done.returncode:
            pytest.skip(f"a file system may not be mounted here: {done.stderr.strip()}")
        mounted = True
        return place

    yield mount
    if mounted:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


# it writes much more than it reads; without room it says so and exits with 1, or goes on and says success
WRITER = """import sys
for line in open(0, "rb"):
    try:
        marked = line.rstrip().replace(b"GENE", b"<gp>GENE</gp>")
        sys.stdout.buffer.write(marked + b" " * 100_000 + b"\\n")
        sys.stdout.buffer.flush()
    except OSError:
        if sys.argv[1] == "honest":
            raise
    if b"noisy" in line:
        print("a noisy line", file=sys.stderr, flush=True)
    if b"guilty" in line:
        sys.exit(3)
"""


def filler(ballast: Path, size: int) -> Callable[[int, int], None]:
    """Return a callback that fills a disk, except for some bytes, after two shards."""

    def fill(done: int, _: int) -> None:
        if done >= 20 and not ballast.exists():
            found = os.statvfs(ballast.parent)
            with ballast.open("wb") as stream:
                os.posix_fallocate(stream.fileno(), 0, max(found.f_bavail * found.f_frsize - size, 1))

    return fill


@pytest.mark.parametrize("manner", ["honest", "careless"])
@pytest.mark.parametrize("count", [3, pytest.param(20, marks=FULL)])
def test_a_full_disk_is_ours_and_costs_nothing(
    count: int, manner: str, tmp_path: Path, corpus: Callable[..., str], small_disk: Callable[[int], Path]
) -> None:
    kinds = {3: "noisy", 17: "guilty", 30: "noisy", 44: "guilty"}
    source = corpus([f"Case {i} GENE {kinds.get(i, '')} {'word ' * 1_000}" for i in range(60)])
    (tmp_path / "writer.py").write_text(WRITER, encoding="utf-8")
    spec = tmp_path / "writer.toml"
    spec.write_text(
        f'format = 1\nname = "writer"\n'
        f'command = ["{{python}}", "-I", "-S", "{{here}}/writer.py", "{manner}"]\n'
        '[output]\ntags = ["gp"]\n',
        encoding="utf-8",
    )
    # as deep as the others: run.toml says where the input is, seen from the folder
    calm = tmp_path / "large" / "calm"
    assert run(source, spec, calm, batch_size=10, cache=False).outcome_counts == {"ok": 58, "crash": 2}
    wanted = left(calm)
    assert any(name.startswith("stderr/") for name in wanted)
    said = []
    # a batch is 50 kB, its answer 1 MB: in the first sizes there is room for the former alone
    sizes = [800_000, 900_000, *np.linspace(1 << 16, 3 << 20, count - 2, dtype=int).tolist()]
    for place, size in enumerate(sizes):
        # the disk is small from the beginning, or somebody else fills it later
        later = bool(place % 2)
        disk = small_disk(64 << 20 if later else size)
        out, ballast = disk / f"run-{size}", disk / "ballast"
        fill = filler(ballast, size) if later else None
        try:
            run(source, spec, out, batch_size=10, jobs=2, cache=False, progress=fill)
        except InputError as error:
            said.append(str(error))
        ballast.unlink(missing_ok=True)
        small_disk(64 << 20)
        run(source, spec, out, batch_size=10, cache=False)
        assert left(out) == wanted, f"{size} bytes"
        subprocess.run(["rm", "-r", str(out)], check=True)
    assert len(said) >= count // 2
    assert all("No space left on device" in s and "same command again" in s for s in said), said


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


DAMAGE = [
    (cut, "half of it is missing"),
    (lambda content: b"", "a power cut left its name alone"),
    (lambda content: bytes(len(content)), "a power cut left zeros"),
    (lambda content: content[:-1] + bytes([content[-1] ^ 1]), "one bit at the end"),
    (None, "another shard in its place"),
]


@pytest.fixture(scope="module")
def stopped(troubled: tuple[str, Path], calm: Path) -> Path:
    """Return a function that copies a run interrupted after four shards to a sibling of the complete run."""
    source, spec = troubled
    folder = calm.with_name("stopped")

    def stop(done: int, count: int) -> None:
        if done >= 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(source, spec, folder, batch_size=4, cache=False, progress=stop)
    return folder


@pytest.mark.parametrize(("damage", "why"), DAMAGE, ids=[d[1] for d in DAMAGE])
def test_a_damaged_shard_is_said_dropped_and_run_again(
    damage: Callable[[bytes], bytes] | None,
    why: str,
    troubled: tuple[str, Path],
    calm: Path,
    stopped: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = calm.with_name(why)
    shutil.copytree(stopped, out)
    shards = sorted((out / ".shards").glob("*.shard"))
    assert len(shards) == 4
    content = shards[2].read_bytes()
    shards[2].write_bytes(shards[1].read_bytes() if damage is None else damage(content))
    seen: list[int] = []
    run(*troubled, out, batch_size=4, cache=False, progress=lambda done, _: seen.append(done))
    said = capsys.readouterr().err
    assert f"{shards[2]}: the shard is damaged or truncated; it is removed and run again" in said
    assert seen[0] == 12, "the other three are taken as they are"
    assert left(out) == left(calm)


def test_what_survives_a_power_cut_is_on_the_disk_before_it_is_relied_on(
    tmp_path: Path, troubled: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, spec = troubled
    fsync, replace = os.fsync, os.replace
    log: list[tuple[str, str]] = []

    def note_sync(handle: int) -> None:
        log.append(("sync", str(Path(f"/proc/self/fd/{handle}").readlink())))
        fsync(handle)

    def note_rename(self: Path, target: Path) -> Path:
        log.append(("sync as" if ("sync", str(self)) in log else "rename", str(target)))
        replace(self, target)
        return Path(target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_rename)
    out = tmp_path / "run"
    done = run(source, spec, out, batch_size=4, cache=False)
    monkeypatch.undo()

    def at(what: str, place: Path) -> int:
        return log.index((what, str(place)))

    shards = out / ".shards"
    at("sync", tmp_path), at("sync", out)
    for number in range(6):
        named = at("sync as", shards / f"{number:06d}.shard")
        assert ("sync", str(shards)) in log[named:], "its name too"
        assert at("sync as", shards / "plan.json") < named
    end = at("sync as", out / "run.toml")
    for path in [*out.glob("*.parquet"), out / "timings.json", *(out / "stderr").iterdir(), out / "stderr"]:
        assert at("sync", path) < end, f"{path.name} before run.toml, which vouches for it"
    assert ("sync", str(out)) in log[end:]
    assert done.outcome_counts["crash"] == 2
