"""Processes and files that taggers leave behind are ended or removed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.preparation import prepare_tagger

from .conftest import eventually

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"
MODES = ["batch", "persistent", "document"]

DAEMON = (
    "import os, sys, time\n"
    "if os.fork() == 0:\n    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        os.chdir('/')\n"
    "        os.execve(sys.executable, ['DAEMON', '-I', '-S', '-c', 'import time; time.sleep(600)'], {})\n"
    "    os._exit(0)\n"
    "time.sleep(0.2)\n"
)


def daemons(mark: str) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes().startswith(mark.encode()):
                found.append(folder.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("mode", MODES)
def test_a_daemon_without_session_and_environment_is_ended_with_its_tagger(
    mode: str, tagger: Callable[..., Path], run_on: Callable[..., Run]
) -> None:
    mark = f"daemon-{mode}-{os.getpid()}"
    spec = tagger(DAEMON.replace("DAEMON", mark) + ECHO, f'mode = "{mode}"')
    done = run_on(["a", "b"], spec)
    assert done.outcome_counts == {"ok": 2}
    assert daemons(mark) == []


def test_children_of_a_version_command_are_ended(tmp_path: Path, tagger: Callable[..., Path]) -> None:
    mark = f"daemon-version-{os.getpid()}"
    (tmp_path / "v.py").write_text(DAEMON.replace("DAEMON", mark) + "print('1.2.3')\n", encoding="utf-8")
    spec = tagger(ECHO, 'version_command = { command = ["{python}", "-I", "-S", "{here}/v.py"] }')
    assert prepare_tagger(spec).version == "1.2.3"
    assert daemons(mark) == []


def test_a_daemon_of_a_harness_that_is_killed(
    tmp_path: Path, tagger: Callable[..., Path], corpus: Callable[..., str]
) -> None:
    mark = f"daemon-killed-{os.getpid()}"
    spec = tagger(DAEMON.replace("DAEMON", mark) + "import time\ntime.sleep(600)\n")
    drive = Path(__file__).parent / "programs" / "drive.py"
    process = subprocess.Popen(
        [sys.executable, str(drive), corpus(["a"]), str(spec), str(tmp_path / "run"), "1", "10"]
    )
    assert eventually(lambda: bool(daemons(mark)))
    process.kill()
    process.wait()
    assert eventually(lambda: not daemons(mark))
