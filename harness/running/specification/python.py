"""`[python]` of a specification: the function that is the tagger."""

from __future__ import annotations

from pydantic import Field

from ....catalogues.core.settings import Settings

NAME = r"[A-Za-z_][\w]*(?:\.[A-Za-z_][\w]*)*:[A-Za-z_][\w]*(?:\.[A-Za-z_][\w]*)*"
"""``package.module:function``, or an attribute of what is there."""
PROGRAM = ["{python}", "-P", "-m", "tagsuite.harness.running.functions.program"]
"""The program that calls a function, before its name and options."""
FORM, SPANS = "names", "jsonl"
"""The forms in which a function's answers are placed: with strings among them, and all with offsets."""


class Python(Settings):
    """`[python]`: a function as a tagger.

    Attributes
    ----------
    function : str
        ``package.module:function``, importable from the specification's folder and ``PYTHONPATH``.
    window : int
        Texts in a call of a function that takes a list of them.
    """

    function: str = Field(pattern=f"^{NAME}$")
    window: int = Field(default=32, gt=0)
