"""The specification of a function that is named without a file."""

from __future__ import annotations

import re
from pathlib import Path

from ....catalogues.core.errors import InputError
from ..specification import Limits, Specification
from ..specification.python import NAME, Python

FUNCTION = "python:"
"""What begins the name of a function."""
PASSED = ["PYTHONPATH", "PYTHONUTF8", "HF_*", "TRANSFORMERS_*", "TORCH_*", "XDG_CACHE_HOME"]
"""Your variables that a function sees besides the few that all see."""


def of_function(function: str, name: str = "") -> tuple[Path, Specification]:
    """The specification of a function that has no file.

    Its place is the working folder, which it is imported from.
    """
    if not re.fullmatch(NAME, function):
        raise InputError(
            "not the name of a function",
            found=f"{FUNCTION}{function}",
            allowed="python:package.module:function",
        )
    spec = Specification(
        format=1,
        name=name or function.replace(":", "."),
        mode="python",
        python=Python(function=function),
        limits=Limits(start=300.0, case=30.0),
        pass_environment=PASSED,
        # what a function loads nobody declares
        cache=False,
    )
    return Path.cwd() / (name or f"{FUNCTION}{function}"), spec
