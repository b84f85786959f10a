"""Names in apposition in a covering suite: of the couples that add most, never of one that adds less."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tagsuite.catalogues.entity_features import entity_features
from tagsuite.generator.plan import make_plan
from tagsuite.generator.recipe import PartOptions, SuiteOptions, SuiteRecipe

SENTENCE = 'The <slot expects="name"/> (<slot expects="symbol"/>) is rare.'


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Entries with a name and a symbol, and one sentence with an apposition."""
    draw = random.Random(1)
    rows = []
    for entry in range(240):
        words = draw.sample(("alpha", "Beta", "receptor", "3", "heat-shock", "factor/2", "of", "Kinases"), 3)
        symbol = "".join(draw.sample(("A", "b", "1", "-", "2", "/", "C"), 3)) + str(entry)
        rows += [(f"{' '.join(words)} {entry}", "name", str(entry)), (f"q{symbol}", "symbol", str(entry))]
    data, sorts, entries = (pd.Series(v, dtype="str") for v in zip(*rows, strict=True))
    frame = entity_features(data, given=pd.DataFrame({"name_vs_symbol": pd.Categorical(sorts)}))
    # some are known, some were made up: how natural a name is decides between names that add alike
    made_up = entries.astype("int") % 4 == 0
    frame = frame.assign(entity_id=data.index.astype("str"), data=data, kind="gene")
    frame["source_type"] = pd.Categorical(np.where(made_up, "invention", "database"))
    frame["corpus_frequency"] = pd.array(np.where(made_up, 0, 5), dtype="Int64")
    frame.assign(source_authority="T", source_id=entries).to_parquet(tmp_path / "e.parquet")
    (tmp_path / "c.xml").write_text(
        '<contexts format="1" licence="MIT"><context id="a" type="tp"><sentence>'
        f"{SENTENCE}</sentence></context></contexts>",
        encoding="utf-8",
    )
    return str(tmp_path / "e.parquet"), str(tmp_path / "c.xml")


@pytest.mark.parametrize("seed", range(5))
def test_no_case_covers_nothing(files: tuple[str, str], seed: int) -> None:
    """Two tastes beside each other once weighed more than one combination: the choice ended with an error."""
    options = SuiteOptions(catalogue=files[:1], sentences=files[1:], seed=seed)
    (part,) = make_plan(SuiteRecipe((PartOptions(combine="tway"),), options)).parts
    assert part.cases > 10
    possible, _, covered = re.findall(r"[\d,]+", part.notes[0])
    assert possible == covered
