"""The taxonomy's own examples of context and slot features, and that no feature sees what fills a slot."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from tagsuite.catalogues.taxonomy import Example, Feature, taxonomy
from tagsuite.sentences.context_features import (
    CONTEXT_COLUMNS,
    SLOT_COLUMNS,
    slot_features,
    text_features,
)


def corpus(marked: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One text with its gold mentions written in angle brackets."""
    text, spans = "", []
    for number, piece in enumerate(re.split(r"<([^<>]*)>", marked)):
        if number % 2:
            spans.append((len(text), len(text) + len(piece)))
        text += piece
    texts = pd.DataFrame({"text_id": ["t"], "text": [text]}, dtype="str")
    mentions = pd.DataFrame(spans, columns=["start", "end"], dtype="int64")
    mentions.insert(0, "text_id", pd.Series(["t"] * len(spans), dtype="str"))
    return texts, mentions


def shown(value: object) -> str:
    return "" if value != value else {True: "true", False: "false"}.get(value, str(value))  # type: ignore[call-overload]


EXAMPLES = [
    pytest.param(f, e, id=f"{f.path}-{e.text}") for f in taxonomy().of("slot", "context") for e in f.examples
]


@pytest.mark.parametrize(("feature", "example"), EXAMPLES)
def test_examples_of_the_taxonomy(feature: Feature, example: Example) -> None:
    texts = pd.DataFrame({"text_id": ["t"], "text": [example.text]}, dtype="str")
    spans = pd.DataFrame(list(example.spans), columns=["start", "end"], dtype="int64")
    spans.insert(0, "text_id", pd.Series(["t"] * len(spans), dtype="str"))
    if feature.scope == "slot":
        found = slot_features(texts, spans, spans)[feature.column].iloc[example.slot]
    else:
        found = text_features(texts, spans)[feature.column].iloc[0]
    assert shown(found) == example.value


def test_every_computed_feature_of_the_taxonomy_has_a_column() -> None:
    columns = {f.column for f in taxonomy().of("slot", "context") if not f.catalogue_only}
    assert columns == {*SLOT_COLUMNS, *CONTEXT_COLUMNS}
