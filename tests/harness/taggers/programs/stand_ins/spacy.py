"""Substitute for the library spaCy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

from recorded import genes, note

__version__ = "0.0"


class Pipeline:
    """Trained or blank pipeline."""

    def add_pipe(self, name: str, config: dict[str, str]) -> Pipeline:
        assert (name, config) == ("entity_ruler", {"phrase_matcher_attr": "LOWER"})
        return self

    def add_patterns(self, patterns: list[dict[str, str]]) -> None:
        assert patterns == [{"label": "gp", "pattern": "p53"}]

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Any]:
        known = list(texts)
        note(len(known), batch_size)
        for text in known:
            spans = genes(text)
            yield SimpleNamespace(
                ents=[
                    SimpleNamespace(start_char=a, end_char=b, label_="GENE", text=text[a:b]) for a, b in spans
                ]
            )


def load(name: str) -> Pipeline:
    """Return a trained pipeline."""
    assert name
    return Pipeline()


def blank(language: str) -> Pipeline:
    """Return a pipeline without components."""
    assert language == "en"
    return Pipeline()
