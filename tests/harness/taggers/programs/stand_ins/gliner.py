"""Substitute for the library GLiNER."""

from __future__ import annotations

from typing import Any

from recorded import genes, note


class GLiNER:
    """Model."""

    @classmethod
    def from_pretrained(cls, name: str) -> GLiNER:
        assert name
        return cls()

    def to(self, device: str) -> GLiNER:
        assert device == "cpu"
        return self

    def eval(self) -> GLiNER:
        return self

    def inference(
        self, texts: list[str], labels: list[str], threshold: float = 0.5, batch_size: int = 8
    ) -> list[list[dict[str, Any]]]:
        assert (labels, threshold) == (["gene", "protein"], 0.5)
        note(len(texts), batch_size)
        return [[{"start": a, "end": b, "label": "gene", "score": 0.5} for a, b in genes(t)] for t in texts]
