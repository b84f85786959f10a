"""The documentation agrees with the code: examples are valid, every outcome and every key is explained."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tagsuite.harness.running.lookup import list_bundled_files
from tagsuite.harness.running.outcomes import OUTCOMES
from tagsuite.harness.running.outputs.placement import MATCH_KINDS
from tagsuite.harness.running.specification import Limits, PersistentSettings, Specification
from tagsuite.harness.running.specification_forms import Input, Output

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "reference" / "tagger-specifications.md").read_text(encoding="utf-8")
EXAMPLES = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)]


@pytest.mark.parametrize("example", [e for e in EXAMPLES if "format" in e], ids=lambda e: e["name"])
def test_worked_examples_are_valid(example: dict[str, object]) -> None:
    Specification.model_validate(example)


def test_parts_of_examples_are_valid() -> None:
    base = {"format": 1, "name": "x", "command": ["x"]}
    parts = [e for e in EXAMPLES if "format" not in e]
    assert parts
    for part in parts:
        Specification.model_validate({**base, **part})


@pytest.mark.parametrize(
    "model", [Specification, Input, Output, Limits, PersistentSettings], ids=lambda m: m.__name__
)
def test_every_key_is_explained(model: type[Specification]) -> None:
    for name, field in model.model_fields.items():
        assert re.search(rf"`([\w.]+\.)?{field.alias or name}`|\[{name}", PAGE), name


def test_every_outcome_and_way_is_explained() -> None:
    page = (DOCS / "reference" / "running.md").read_text(encoding="utf-8")
    for name in [*OUTCOMES, *MATCH_KINDS]:
        assert f"`{name}`" in page


def test_every_bundled_specification_is_listed() -> None:
    for path in list_bundled_files():
        assert f"`{path.stem}`" in PAGE, path.stem
