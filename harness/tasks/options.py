"""Options that several of the evaluations have."""

from __future__ import annotations

from typing import Annotated

from ...catalogues.core.options import Option

AsPublished = Annotated[bool, Option("Compute what the published program computes, its faults included.")]
REPLACE = "Replace the folder if the same command wrote it."
"""What the option to replace a folder says, in a command and in a table of options."""
