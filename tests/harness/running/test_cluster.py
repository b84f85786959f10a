"""A dask cluster without workers, with killed workers, and with a killed scheduler."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.cluster import make_dask_engine
from tagsuite.harness.running.run import run

from .conftest import eventually

pytestmark = pytest.mark.filterwarnings("ignore")
FILES = ("predictions.parquet", "outcomes.parquet", "run.toml")
PARTS = Path(__file__).parent / "programs" / "cluster_parts.py"
Parts = Callable[..., tuple[int, str]]


def ended(process: int) -> bool:
    """Return True if a part of a cluster has ended."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


class Cluster:
    """A dask scheduler and its workers, each in its own process."""

    def __init__(self, start: Parts, folder: Path) -> None:
        self.start, self.folder = start, folder
        self.workers: list[int] = []
        self.scheduler, self.address = start("scheduler")
        self.processes = [self.scheduler]

    def add(self, *resources: str, kept: bool = False) -> None:
        """Start a worker, optionally with a supervisor that restarts it after it was killed."""
        process, worker = self.start("kept" if kept else "worker", self.address, str(self.folder), *resources)
        self.processes.append(process)
        self.workers.append(int(worker))

    def kill_scheduler(self) -> None:
        if not ended(self.scheduler):
            os.kill(self.scheduler, signal.SIGKILL)
            assert eventually(lambda: ended(self.scheduler))

    def end(self) -> None:
        left = [process for process in reversed(self.processes) if not ended(process)]
        for process in left:
            os.kill(process, signal.SIGTERM)
        assert eventually(lambda: all(map(ended, left)))


@pytest.fixture(scope="session")
def parts() -> Iterator[Parts]:
    """Return a function that starts a part of a cluster; it returns its process, and address or worker.

    See `programs/cluster_parts.py` for the arguments.
    """
    pytest.importorskip("distributed")
    command = [sys.executable, str(PARTS)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as starter:
        asked, said = starter.stdin, starter.stdout
        assert asked is not None
        assert said is not None

        def start(*arguments: str) -> tuple[int, str]:
            asked.write(json.dumps(arguments) + "\n")
            asked.flush()
            process, told = said.readline().split()
            return int(process), told

        yield start
    assert starter.returncode == 0


@pytest.fixture
def cluster(parts: Parts, tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "cluster").mkdir()
    made = Cluster(parts, tmp_path / "cluster")
    yield made
    made.end()


@pytest.fixture
def task(corpus: Callable[..., str], faulty: Callable[..., Path]) -> tuple[str, Path]:
    texts = [f"Case {i}: GENE{i}A binds {'=crash=' if i == 17 else 'it'}" for i in range(60)]
    return corpus(texts), faulty("sgml")


def same(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


def test_a_tagger_that_needs_a_gpu_goes_to_workers_that_have_one(
    cluster: Cluster, corpus: Callable[..., str], program: Callable[..., Path], tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    content = f"import os, sys\nopen({str(pids)!r}, 'a').write(f'{{os.getppid()}} ')\nprint(sys.stdin.read())"
    spec = program(content, "resources = { GPU = 1 }\n")
    source = corpus(["Wnt", "Notch", "p53", "Myc"])
    cluster.add()
    cluster.add("GPU=1")
    run(source, spec, tmp_path / "run", batch_size=1, cache=False, engine=make_dask_engine(cluster.address))
    done = run(source, spec, tmp_path / "local", batch_size=1, cache=False, engine=make_dask_engine(), jobs=2)
    assert done.outcome_counts == {"ok": 4}
    assert str(cluster.workers[0]) not in pids.read_text().split()
    assert same(tmp_path / "run", tmp_path / "local")


@pytest.mark.parametrize(
    "shards", [4, pytest.param(1, marks=pytest.mark.full), pytest.param(8, marks=pytest.mark.full)]
)
def test_a_killed_scheduler_loses_nothing(
    shards: int, cluster: Cluster, task: tuple[str, Path], tmp_path: Path
) -> None:
    source, spec = task
    run(source, spec, tmp_path / "local", batch_size=6, cache=False)
    cluster.add()

    def kill(done: int, count: int) -> None:
        if done >= 6 * shards:
            cluster.kill_scheduler()

    with pytest.raises(InputError, match=r"the dask scheduler was lost.*finished shards are kept"):
        run(
            source, spec, tmp_path / "run", batch_size=6, cache=False,
            engine=make_dask_engine(cluster.address, timeout=5.0), progress=kill,
        )  # fmt: skip
    assert len(list((tmp_path / "run" / ".shards").glob("*.shard"))) >= shards
    run(source, spec, tmp_path / "run", batch_size=6, cache=False)
    assert same(tmp_path / "run", tmp_path / "local")


@pytest.mark.full
@pytest.mark.parametrize("shards", [0, 2, 5])
def test_killed_workers_lose_nothing(
    shards: int, cluster: Cluster, task: tuple[str, Path], tmp_path: Path
) -> None:
    source, spec = task
    run(source, spec, tmp_path / "local", batch_size=6, cache=False)
    cluster.add(kept=True)
    cluster.add(kept=True)
    killed: list[int] = []

    def kill(done: int, count: int) -> None:
        if done >= 6 * shards and not killed:
            killed.extend(cluster.workers)
            for worker in cluster.workers:
                os.kill(worker, signal.SIGKILL)

    engine = make_dask_engine(cluster.address)
    run(source, spec, tmp_path / "run", batch_size=6, cache=False, engine=engine, progress=kill)
    assert len(killed) == 2
    assert same(tmp_path / "run", tmp_path / "local")


def test_a_tagger_that_cannot_start_is_started_three_times_in_the_whole_run(
    cluster: Cluster, corpus: Callable[..., str], program: Callable[..., Path], tmp_path: Path
) -> None:
    starts = tmp_path / "starts"
    spec = program(f"import sys\nopen({str(starts)!r}, 'a').write('x')\nsys.exit('model not found')\n")
    source = corpus([f"Case {i}: GENE{i}A binds" for i in range(60)])
    run(source, spec, tmp_path / "local", batch_size=6, cache=False)
    assert starts.read_text() == "xxx"
    cluster.add()
    cluster.add()
    engine = make_dask_engine(cluster.address)
    done = run(source, spec, tmp_path / "run", batch_size=6, cache=False, engine=engine)
    assert starts.read_text() == "xxx" * 2, "three starts more, with 10 shards on two workers"
    assert done.outcome_counts == {"ok": 0, "abandoned": 60}
    assert [failure["stderr"] for failure in done.meta["failure"]] == ["model not found"]
    assert same(tmp_path / "run", tmp_path / "local")
