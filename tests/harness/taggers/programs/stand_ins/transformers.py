"""Substitute for Hugging Face's transformers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recorded import genes, note

__version__ = "0.0"


def pipeline(task: str, **options: Any) -> Callable[..., list[list[dict[str, Any]]]]:
    """Return a pipeline for a task."""
    assert task == "token-classification"
    assert set(options) == {"model", "aggregation_strategy", "device"}

    def tag(texts: list[str], batch_size: int = 1) -> list[list[dict[str, Any]]]:
        note(len(texts), batch_size)
        return [
            [{"start": a, "end": b, "entity_group": "GENE", "score": 0.5} for a, b in genes(text)]
            for text in texts
        ]

    return tag
