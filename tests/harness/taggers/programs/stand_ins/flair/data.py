"""Substitute for flair's sentences."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from recorded import genes


class Sentence:
    """Text that gets labels."""

    def __init__(self, text: str) -> None:
        self.text, self.labels = text, list[Any]()

    def __len__(self) -> int:
        return len(self.text.split())

    def tag(self) -> None:
        self.labels = [
            SimpleNamespace(
                data_point=SimpleNamespace(start_position=a, end_position=b), value="Gene", score=0.5
            )
            for a, b in genes(self.text)
        ]

    def get_labels(self) -> list[Any]:
        return self.labels
