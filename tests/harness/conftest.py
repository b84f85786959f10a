"""For the tests of taggers: Pythons in which third-party libraries are installed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def python_with(module: str) -> str:
    """Return a Python with a library, among TAGSUITE_PEERS_PYTHON and this one."""
    for python in (*os.environ.get("TAGSUITE_PEERS_PYTHON", "").split(os.pathsep), sys.executable):
        trial = [python, "-c", f"import {module}"]
        if python and subprocess.run(trial, capture_output=True, check=False).returncode == 0:
            return python
    pytest.skip(f"no {module} here; TAGSUITE_PEERS_PYTHON may name a Python that has it")
