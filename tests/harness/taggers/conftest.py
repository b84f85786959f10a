"""Fixtures for the bundled taggers: files, a separate cache, and a way to start a tagger."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.harness.running.specification import BUNDLED_FOLDER


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAGSUITE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def start() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that starts a bundled program like the harness: isolated, lines on standard input."""

    def run(
        program: str, *arguments: str, lines: list[str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", str(BUNDLED_FOLDER / program), *arguments],
            input="".join(f"{line}\n" for line in lines or []),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.fixture
def tagged(tmp_path: Path) -> Callable[..., str]:
    """Return a function that writes lines into a file and returns its path."""

    def write(lines: list[str], name: str = "lines.sgml") -> str:
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(tmp_path / name)

    return write
