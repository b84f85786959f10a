"""Fixtures for the commands ``tagsuite catalogue …``."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest


@pytest.fixture(scope="session")
def call(tagsuite: Callable[..., CompletedProcess[str]]) -> Callable[..., str]:
    """Return a function that runs ``tagsuite catalogue`` with arguments and returns its standard output."""

    def run(*arguments: object) -> str:
        done = tagsuite("catalogue", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
