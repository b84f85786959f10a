"""What all tests share: the folder of real material, and the command line as a user calls it."""

from __future__ import annotations

import fcntl
import gc
import io
import os
import shutil
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; a test that asks for it is skipped where it is absent."""
    folder = Path(os.environ.get("TAGSUITE_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "README.md").is_file():
        pytest.skip(f"no corpora: neither TAGSUITE_DATA nor {folder} holds them")
    return folder


@dataclass(frozen=True)
class _Streams:
    """Standard input, output and errors of one command, in place of the ones of the tests."""

    stdin: io.TextIOWrapper
    stdout: io.TextIOWrapper
    stderr: io.TextIOWrapper

    @classmethod
    def of(cls, stdin: str, encoding: str) -> _Streams:
        given, out, err = io.BytesIO(stdin.encode("utf-8")), io.BytesIO(), io.BytesIO()
        return cls(
            io.TextIOWrapper(given, encoding="utf-8"),
            io.TextIOWrapper(out, encoding=encoding, newline="\n"),
            io.TextIOWrapper(err, encoding=encoding, errors="backslashreplace", newline="\n"),
        )

    def printed(self) -> tuple[str, str]:
        """What was written to standard output and to standard error."""
        texts = []
        for stream in (self.stdout, self.stderr):
            stream.flush()
            assert isinstance(stream.buffer, io.BytesIO)
            texts.append(stream.buffer.getvalue().decode("utf-8"))
        return texts[0], texts[1]


def _status(program: Callable[[], None]) -> int:
    """Run the program as the interpreter does: its exit status, and a traceback for what it did not catch."""
    try:
        program()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except Exception:
        traceback.print_exc()
        return 1
    return 0


@pytest.fixture(scope="session")
def tagsuite() -> Call:
    """Run the command line within the tests' own process and give what it printed.

    The program is the one that `python -m tagsuite` runs, with its own arguments, streams, variables and
    working folder. `encoding` is that of the terminal. For what only a process has (its locale, its modules,
    its start and end, programs that write to the same terminal) there is `tagsuite_process`.
    """
    from tagsuite.__main__ import main

    def call(
        *arguments: object,
        cwd: Path | None = None,
        stdin: str = "",
        env: dict[str, str] | None = None,
        encoding: str = "utf-8",
    ) -> subprocess.CompletedProcess[str]:
        words = ["tagsuite", *map(str, arguments)]
        streams = _Streams.of(stdin, encoding)
        collection = gc.get_threshold()
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            before = dict(os.environ)
            for name, value in {"COLUMNS": "200", "NO_COLOR": "1", **(env or {})}.items():
                os.environ[name] = value
            patch.setattr(sys, "argv", words)
            for name in ("stdin", "stdout", "stderr"):
                patch.setattr(sys, name, getattr(streams, name))
            if cwd is not None:
                patch.chdir(cwd)
            try:
                status = _status(main)
            finally:
                gc.unfreeze()
                gc.set_threshold(*collection)
                for name in os.environ.keys() - before.keys():
                    del os.environ[name]
                os.environ.update(before)
        return subprocess.CompletedProcess(words, status, *streams.printed())

    return call


@pytest.fixture(scope="session")
def tagsuite_process() -> Call:
    """Run the command line in a process of its own and give what it printed."""

    def call(
        *arguments: object,
        cwd: Path | None = None,
        stdin: str | None = None,
        env: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", **(env or {})}
        return subprocess.run(
            [sys.executable, "-m", "tagsuite", *map(str, arguments)],
            cwd=cwd,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=280,
            check=False,
        )

    return call


@pytest.fixture(scope="session")
def demo(
    tagsuite: Call, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Path, str]:
    """The demo's folder, to be read only, and what it printed: made once for all test processes."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if hasattr(request.config, "workerinput") else base
    folder, printed = shared / "the-demo" / "demo", shared / "the-demo" / "printed.txt"
    with (shared / "the-demo.lock").open("w") as lock:
        # who comes second waits
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not printed.exists():
            shutil.rmtree(folder.parent, ignore_errors=True)
            folder.parent.mkdir()
            done = tagsuite("demo", "--out", "demo", cwd=folder.parent)
            assert done.returncode == 0, done.stderr
            printed.write_text(done.stdout, encoding="utf-8")
    return folder, printed.read_text(encoding="utf-8")
