"""Fixtures for the tests of running: small corpora, a misbehaving tagger, a cache folder per test."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.processes import persistent_process
from tagsuite.harness.running.processes.process import Process
from tagsuite.harness.running.run import run

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAGSUITE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def _all_may_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a persistent tagger unlimited time to exit, so that its exit code does not depend on speed."""
    monkeypatch.setattr(persistent_process, "EXIT_SECONDS", 240.0)


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a tagger from the source of a program; it returns the specification."""

    def write(content: str, rest: str = "", *, mode: str = "batch", arguments: str = "") -> Path:
        (tmp_path / "t.py").write_text(content, encoding="utf-8")
        path = tmp_path / "t.toml"
        path.write_text(
            f'format = 1\nname = "t"\nversion = "1"\nmode = "{mode}"\n'
            f'command = ["{{python}}", "-SXutf8", "{{here}}/t.py"{arguments}]\n{rest}',
            encoding="utf-8",
        )
        return path

    return write


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a tagger time out as soon as it reports that it hangs, however slow the machine is."""
    wait = Process.wait

    def until_it_hangs(self: Process, seconds: float) -> bool:
        del seconds
        while not wait(self, 0.01):
            if (self.settings.folder / "hanging").exists():
                return False
        return True

    monkeypatch.setattr(Process, "wait", until_it_hangs)


@pytest.fixture
def impatient_asker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a persistent tagger time out as soon as it reports that it hangs."""
    exchange = persistent_process.PersistentProcess._exchange

    def until_it_hangs(
        self: persistent_process.PersistentProcess, rest: memoryview, deadline: float
    ) -> memoryview:
        del deadline
        if (self.process.settings.folder / "hanging").exists():
            raise persistent_process.ExchangeFault("timeout")
        return exchange(self, rest, time.monotonic() + 0.02)

    monkeypatch.setattr(persistent_process.PersistentProcess, "_exchange", until_it_hangs)


PATIENCE = 900.0
"""Seconds after which an expected event counts as missing; much longer than it ever takes."""


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait for a condition; return True if it became true."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture(scope="session")
def driven() -> Iterator[Callable[..., tuple[int, str]]]:
    """Return a function that starts a run in a process that ends itself; gives exit code and step count.

    See `programs/drive.py` for the arguments.
    """
    command = [sys.executable, str(PROGRAMS / "drive.py"), "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as driver:
        asked, said = driver.stdin, driver.stdout
        assert asked is not None
        assert said is not None

        def drive(*arguments: object) -> tuple[int, str]:
            asked.write(json.dumps([str(a) for a in arguments]) + "\n")
            asked.flush()
            steps = ""
            while not (line := said.readline()).startswith("exit code "):
                assert line, "the driver has gone"
                steps = line.strip()
            return int(line.split()[-1]), steps

        yield drive
    assert driver.returncode == 0


def corpus_in(folder: Path, sentences: Sequence[str], name: str = "input.txt") -> str:
    """Write sentences to a folder as a corpus; return FORMAT:PATH."""
    (folder / name).write_text("".join(s + "\n" for s in sentences), encoding="utf-8")
    return f"sgml:{folder / name}"


@pytest.fixture
def corpus(tmp_path: Path) -> Callable[[Sequence[str]], str]:
    """Return a function that writes sentences as a corpus in the folder of the test."""
    return partial(corpus_in, tmp_path)


@pytest.fixture
def run_on(tmp_path: Path, corpus: Callable[..., str]) -> Callable[..., Run]:
    """Return a function that runs a tagger on sentences, by default into the folder `run` of the test."""

    def make(texts: Sequence[str], tagger: Any, out: str = "run", **options: Any) -> Run:
        return run(corpus(texts), tagger, tmp_path / out, **options)

    return make


@pytest.fixture
def run_program(program: Callable[..., Path], run_on: Callable[..., Run]) -> Callable[..., Run]:
    """Return a function that writes a tagger from a program and runs it on sentences."""

    def make(content: str, texts: Sequence[str], rest: str = "", **options: Any) -> Run:
        shape = {name: options.pop(name) for name in ("mode", "arguments") if name in options}
        return run_on(texts, program(content, rest, **shape), **options)

    return make


@pytest.fixture(scope="session")
def faulty_in() -> Callable[..., Path]:
    """Return a function that writes a specification of the misbehaving tagger to a folder."""

    def write(folder: Path, form: str = "sgml", extra: str = "", **top: object) -> Path:
        shapes = {
            "sgml": '[output]\nform = "sgml"\ntags = ["gp"]\n',
            "numbered": '[input]\nform = "numbered"\n[output]\ntags = ["gp"]\nnumbered = true\n',
            "offsets": '[input]\nform = "numbered"\n[output]\nform = "offsets"\n'
            'columns = ["id", "start", "end", "type", "text"]\n',
            "jsonl": '[input]\nform = "numbered"\n[output]\nform = "jsonl"\n',
            "conll": '[output]\nform = "conll"\n',
        }
        live = ', "live"' if top.get("mode") == "persistent" else ""
        lines = [f"{k} = {v!r}".replace("'", '"') for k, v in top.items()]
        path = folder / f"faulty-{form}.toml"
        path.write_text(
            'format = 1\nname = "faulty"\n'
            + "\n".join(lines)
            + f'\ncommand = ["{{python}}", "-I", "-S", "{PROGRAMS / "faulty_tagger.py"}", "{form}"{live}]\n'
            + shapes[form]
            + extra,
            encoding="utf-8",
        )
        return path

    return write


@pytest.fixture
def faulty(tmp_path: Path, faulty_in: Callable[..., Path]) -> Callable[..., Path]:
    """Return a function that writes a specification of the misbehaving tagger to the test's folder."""
    return partial(faulty_in, tmp_path)


@pytest.fixture
def tagger(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a program and its specification."""

    def write(program: str, head: str = "", rest: str = "") -> Path:
        (tmp_path / "t.py").write_text(program, encoding="utf-8")
        path = tmp_path / "t.toml"
        path.write_text(
            f'format = 1\nname = "t"\ncommand = ["{{python}}", "-I", "-S", "{{here}}/t.py", "{{work}}"]\n'
            f'{head}\n[output]\ntags = ["gp"]\n{rest}',
            encoding="utf-8",
        )
        return path

    return write
