"""Names in apposition in a covering suite: of the couples that add most, never of one that adds less."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from tagsuite.catalogues.entity_features import entity_features
from tagsuite.generator.covering.greedy import Greedy
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
    stated: dict[str, Any] = {
        "entity_id": data.index.astype("str"),
        "data": data,
        "kind": "gene",
        "source_type": pd.Categorical(np.where(made_up, "invention", "database")),
        "corpus_frequency": pd.array(np.where(made_up, 0, 5), dtype="Int64"),
    }
    frame.assign(**stated, source_authority="T", source_id=entries).to_parquet(tmp_path / "e.parquet")
    (tmp_path / "c.xml").write_text(
        '<contexts format="1" licence="MIT"><context id="a" type="tp"><sentence>'
        f"{SENTENCE}</sentence></context></contexts>",
        encoding="utf-8",
    )
    return str(tmp_path / "e.parquet"), str(tmp_path / "c.xml")


@pytest.mark.parametrize("seed", range(5))
def test_what_decides_between_couples_is_less_than_a_combination(
    files: tuple[str, str], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Two tastes beside each other once weighed more than one combination: a case covered nothing."""
    lost: list[float] = []
    choose = Greedy._couple

    def checked(
        self: Greedy, pair: tuple[int, int], spare: NDArray[np.int64], taken: NDArray[np.int64]
    ) -> tuple[int, int]:
        couples = self.problem.couples(*pair)
        kinds = self.problem.kind_of[couples]
        # couples × their two places: how many new combinations each would add
        added = self._worth(np.array(pair))[kinds, [0, 1]].sum(axis=1)
        found = choose(self, pair, spare, taken)
        lost.append(float(added.max() - added[(couples == found).all(axis=1)].max()))
        return found

    monkeypatch.setattr(Greedy, "_couple", checked)
    catalogue, sentences = files
    options = SuiteOptions(catalogue=(catalogue,), sentences=(sentences,), seed=seed)
    make_plan(SuiteRecipe((PartOptions(combine="tway"),), options))
    assert len(lost) > 10
    assert max(lost) == 0
