"""A dask cluster without workers, with workers that are killed, whose scheduler is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running import cluster as cluster_module
from tagsuite.harness.running.cluster import dask_engine
from tagsuite.harness.running.run import run

FILES = ("predictions.parquet", "outcomes.parquet", "run.toml")
# a scheduler in a process of its own, that a test may kill, and a worker in another
SCHEDULER = """import asyncio
from distributed import Scheduler
async def main():
    async with Scheduler(host="tcp://127.0.0.1", port=0, dashboard_address=None) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()
asyncio.run(main())
"""
WORKER = """import asyncio, os, sys
from distributed import Worker
async def main():
    own = dict(pair.split("=") for pair in sys.argv[3:])
    own = {name: float(amount) for name, amount in own.items()}
    async with Worker(sys.argv[1], nthreads=1, local_directory=sys.argv[2], resources=own) as worker:
        print(os.getpid(), flush=True)
        await worker.finished()
asyncio.run(main())
"""
# one with a keeper, which is a process more
KEPT = """import asyncio, sys
from distributed import Nanny
async def main():
    async with Nanny(sys.argv[1], nthreads=1, local_directory=sys.argv[2]) as nanny:
        print(nanny.process.pid, flush=True)
        await nanny.finished()
if __name__ == "__main__":
    asyncio.run(main())
"""


class Cluster:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[str]] = []
        self.workers: list[int] = []
        (folder / "scheduler.py").write_text(SCHEDULER, encoding="utf-8")
        (folder / "worker.py").write_text(WORKER, encoding="utf-8")
        (folder / "kept.py").write_text(KEPT, encoding="utf-8")
        self.scheduler = self._start("scheduler.py")
        self.address = self._line(self.scheduler)

    def _start(self, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, *words]
        process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.processes.append(process)
        return process

    @staticmethod
    def _line(process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        return process.stdout.readline().strip()

    def add(self, *resources: str, kept: bool = False) -> None:
        """Start a worker; one with a keeper is started again when it is killed."""
        name = "kept.py" if kept else "worker.py"
        self.workers.append(int(self._line(self._start(name, self.address, str(self.folder), *resources))))

    def end(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    (tmp_path / "cluster").mkdir()
    made = Cluster(tmp_path / "cluster")
    yield made
    made.end()


@pytest.fixture
def task(corpus: Callable[..., str], faulty: Callable[..., Path]) -> tuple[str, Path]:
    texts = [f"Case {i}: GENE{i}A binds {'=crash=' if i == 17 else 'it'}" for i in range(60)]
    return corpus(texts), faulty("sgml")


def same(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


@pytest.mark.filterwarnings("ignore")
def test_no_workers_are_said_and_awaited(
    cluster: Cluster, task: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, spec = task
    with pytest.raises(InputError, match=r"no workers for 3 s.*dask worker.*finished shards are kept"):
        run(source, spec, tmp_path / "run", engine=dask_engine(cluster.address, quiet=1.0, workers=3.0))
    said = f"tagsuite: the dask scheduler {cluster.address} has no workers; they are awaited for 2 s more"
    assert capsys.readouterr().err.count(said) == 1


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_comes_late_is_used(
    cluster: Cluster, task: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, spec = task
    run(source, spec, tmp_path / "local", batch_size=6, cache=False)
    late = threading.Thread(target=cluster.add)

    def told(message: str) -> None:
        said.append(message)
        late.start()

    said: list[str] = []
    monkeypatch.setattr(cluster_module, "say", told)
    engine = dask_engine(cluster.address, quiet=0.5)
    run(source, spec, tmp_path / "run", batch_size=6, cache=False, engine=engine)
    late.join()
    assert len(said) == 1
    assert "has no workers" in said[0]
    assert same(tmp_path / "run", tmp_path / "local")


@pytest.mark.filterwarnings("ignore")
def test_a_tagger_that_needs_a_gpu_goes_to_workers_that_have_one(
    cluster: Cluster, corpus: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    program = tmp_path / "t.py"
    program.write_text(
        f"import os, sys\nopen({str(pids)!r}, 'a').write(f'{{os.getppid()}} ')\nprint(sys.stdin.read())"
    )
    spec = tmp_path / "t.toml"
    spec.write_text(
        'format = 1\nname = "t"\ncommand = ["{python}", "{here}/t.py"]\nresources = { GPU = 1 }\n',
        encoding="utf-8",
    )
    source = corpus(["Wnt", "Notch", "p53", "Myc"])
    cluster.add()
    with pytest.raises(InputError, match=r"has had no workers with GPU=1 for 2 s.*--resources GPU=1"):
        run(source, spec, tmp_path / "none", engine=dask_engine(cluster.address, quiet=0.5, workers=2.0))
    assert not pids.exists()
    cluster.add("GPU=1")
    run(source, spec, tmp_path / "run", batch_size=1, cache=False, engine=dask_engine(cluster.address))
    done = run(source, spec, tmp_path / "local", batch_size=1, cache=False, engine=dask_engine(), jobs=2)
    assert done.outcome_counts == {"ok": 4}
    assert same(tmp_path / "run", tmp_path / "local")


@pytest.mark.filterwarnings("ignore")
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
        if done >= 6 * shards and cluster.scheduler.poll() is None:
            cluster.scheduler.kill()
            cluster.scheduler.wait()

    with pytest.raises(InputError, match=r"scheduler is gone.*finished shards are kept"):
        run(
            source, spec, tmp_path / "run", batch_size=6, cache=False,
            engine=dask_engine(cluster.address, patience=5.0), progress=kill,
        )  # fmt: skip
    assert len(list((tmp_path / "run" / ".shards").glob("*.shard"))) >= shards
    run(source, spec, tmp_path / "run", batch_size=6, cache=False)
    assert same(tmp_path / "run", tmp_path / "local")


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
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

    engine = dask_engine(cluster.address)
    run(source, spec, tmp_path / "run", batch_size=6, cache=False, engine=engine, progress=kill)
    assert len(killed) == 2
    assert same(tmp_path / "run", tmp_path / "local")


@pytest.mark.filterwarnings("ignore")
def test_a_tagger_that_cannot_start_is_started_three_times_in_the_whole_run(
    cluster: Cluster, corpus: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "t.py").write_text(
        f"import sys\nopen({str(tmp_path / 'starts')!r}, 'a').write('x')\nsys.exit('model not found')\n",
        encoding="utf-8",
    )
    (tmp_path / "t.toml").write_text(
        'format = 1\nname = "t"\ncommand = ["{python}", "-I", "-S", "{here}/t.py"]\n', encoding="utf-8"
    )
    source = corpus([f"Case {i}: GENE{i}A binds" for i in range(60)])
    run(source, tmp_path / "t.toml", tmp_path / "local", batch_size=6, cache=False)
    assert (tmp_path / "starts").read_text() == "xxx"
    cluster.add()
    cluster.add()
    engine = dask_engine(cluster.address)
    done = run(source, tmp_path / "t.toml", tmp_path / "run", batch_size=6, cache=False, engine=engine)
    assert (tmp_path / "starts").read_text() == "xxx" * 2, "three starts more, with 10 shards on two workers"
    assert done.outcome_counts == {"ok": 0, "abandoned": 60}
    assert [failure["stderr"] for failure in done.meta["failure"]] == ["model not found"]
    assert same(tmp_path / "run", tmp_path / "local")
