"""What all tests share: the folder of real material, and the command line as a user calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; a test that asks for it is skipped where it is absent."""
    folder = Path(os.environ.get("TAGSUITE_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "README.md").is_file():
        pytest.skip(f"no corpora: neither TAGSUITE_DATA nor {folder} holds them")
    return folder


@pytest.fixture(scope="session")
def tagsuite() -> Callable[..., subprocess.CompletedProcess[str]]:
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
