"""Fixtures for the tests of taggers: Pythons in which third-party libraries are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest


@pytest.fixture(scope="session")
def python_with() -> Callable[[str], str]:
    """Return a function that finds a Python with a library, among TAGSUITE_PEERS_PYTHON and this one."""
    named = os.environ.get("TAGSUITE_PEERS_PYTHON", "").split(os.pathsep)

    def find(module: str) -> str:
        for python in (*named, sys.executable):
            trial = [python, "-c", f"import {module}"]
            if python and subprocess.run(trial, capture_output=True, check=False).returncode == 0:
                return python
        pytest.skip(f"no {module} here; TAGSUITE_PEERS_PYTHON may name a Python that has it")

    return find
