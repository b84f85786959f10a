"""Entry point that starts the pos tagger if Python runs this folder (``python -I .../pos``)."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

# the folder is a package of its own, found in its parent
sys.path[0] = str(Path(__file__).resolve().parent.parent)
import_module("pos.program").main()
