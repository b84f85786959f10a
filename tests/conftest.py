"""Fixtures for all tests: the folder of corpora, the command line, and the demo."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # program.py serves a program of its own too
from program import Call, in_own_process, in_this_process, refusal  # type: ignore[import-not-found]

# before numpy is loaded: threads of linear algebra that wait for each other take the processors from other
# test processes, and what is multiplied here is small
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# garbage is sought as seldom as the program seeks it: what libraries and tests are made of stays to the end
gc.set_threshold(300_000, 50, 100)

ROOT = Path(__file__).resolve().parent.parent

# how many examples a property is tried on: `make check-full` asks for the second
settings.register_profile("quick", max_examples=20, deadline=None)
settings.register_profile("thorough", max_examples=200, deadline=None)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of corpora; the test is skipped if it is missing."""
    folder = Path(os.environ.get("TAGSUITE_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "README.md").is_file():
        pytest.skip(f"no corpora: neither TAGSUITE_DATA nor {folder} holds them")
    return folder


@pytest.fixture(scope="session")
def tagsuite() -> Call:
    """Return a function that runs the command line in the process of the tests and returns its output."""
    return in_this_process


@pytest.fixture(scope="session")
def refused() -> Callable[..., str]:
    """Return a function that runs the command line in the process of the tests and returns its message."""
    return refusal  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def tagsuite_process() -> Call:
    """Return a function that runs the command line in a separate process and returns its output."""
    return in_own_process


@pytest.fixture(scope="session")
def demo(
    tagsuite: Call, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Path, str]:
    """Return the folder of the demo (read-only) and its output; the demo runs once for all test processes."""
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
