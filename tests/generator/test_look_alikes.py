"""Tests of look-alikes: they occur only in sentences written for them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.entities import read_look_alikes
from tagsuite.generator.case_limits import Weight
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
from tagsuite.generator.suite import generate
from tagsuite.generator.suite_plan import plan_suite_parts
from tagsuite.sentences.contexts import read_contexts

CATEGORIES = sorted(set(read_look_alikes()["look_alike_category"].astype("str")))


def negatives(folder: Path, part: PartOptions, suite: SuiteOptions | None = None) -> pd.DataFrame:
    """Return the cases without a mention, with the context of each."""
    generate(SuiteRecipe((part,), suite or SuiteOptions()), folder)
    cases: pd.DataFrame = pq.read_table(folder / "cases.parquet").to_pandas()
    mentions = pq.read_table(folder / "mentions.parquet").to_pandas()
    bare = ~cases["case_id"].isin(mentions["text_id"])
    return cases[bare].astype({"context_id": "str"})


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_stands_where_it_is_accepted(category: str) -> None:
    part = PartOptions(
        entities="data = TP53", combine="each", look_alikes=f"look_alike_category = {category}"
    )
    plan = plan_suite_parts(SuiteRecipe((part,)))
    slots = read_contexts().slots
    ours = set(slots.loc[slots["accepts"] == category, "context_id"])
    look_alikes = ~plan.material.gold
    used: set[str] = set()
    for block in plan.parts[0].blocks():
        if look_alikes[block.fillers].any():
            assert look_alikes[block.fillers].all()
            used |= set(plan.material.contexts["context_id"].iloc[block.context])
    assert used == ours


def test_no_entity_stands_in_a_context_of_look_alikes() -> None:
    plan = plan_suite_parts(SuiteRecipe((PartOptions(combine="each", contexts="position != medial"),)))
    types = plan.material.contexts["context.type"].astype("str").to_numpy()
    used = {t for b in plan.parts[0].blocks() for t in types[b.context] if len(b.fillers)}
    assert used == {"tp"}


QUERIES = [
    # of contexts, of look-alikes, what all contexts of look-alikes then have
    ("context.type = tp and position = initial", "all", "position", {"initial"}),
    ("position = final", "look_alike_category in (unit, strain)", "accepts", {"unit", "strain"}),
]


@pytest.mark.parametrize(("contexts", "look_alikes", "column", "values"), QUERIES)
def test_queries_choose_among_contexts_of_look_alikes(
    contexts: str, look_alikes: str, column: str, values: set[str], tmp_path: Path
) -> None:
    part = PartOptions("", "length = 4", contexts, look_alikes, size=20, negatives=0.5)
    found = negatives(tmp_path / "s", part)
    assert len(found) == 20
    slots = read_contexts().slots
    mine = slots[slots["context_id"].isin(found["context_id"])]
    assert set(mine[column].astype("str")) == values


def test_that_no_context_is_for_them_is_told() -> None:
    part = PartOptions(contexts="accepts in (unit, gene)", look_alikes="look_alike_category = strain")
    with pytest.raises(InputError, match=r"no selected context accepts look-alikes \(strain\)"):
        plan_suite_parts(SuiteRecipe((part,)))


OWN = """<contexts format="1">
<context id="a" type="tp"><sentence><slot/> was cloned.</sentence></context>
<context id="b" type="fp"><sentence>We drove to <slot/> and back.</sentence></context>
</contexts>"""

MIXED = OWN.replace("to <slot/>", 'from <slot accepts="unit"/> to <slot accepts="strain disease"/>')


def test_a_slot_of_ones_own_fp_context_takes_any_look_alike(tmp_path: Path) -> None:
    (tmp_path / "own.xml").write_text(OWN, encoding="utf-8")
    part = PartOptions(entities="data = TP53", look_alikes="all")
    suite = SuiteOptions(sentences=(str(tmp_path / "own.xml"),))
    found = negatives(tmp_path / "s", part, suite)
    assert set(found["context_id"]) == {"b"}
    assert sorted(found["text"]) == sorted(
        f"We drove to {form} and back." for form in read_look_alikes()["data"]
    )


def test_each_slot_of_a_sentence_takes_what_it_accepts(tmp_path: Path) -> None:
    (tmp_path / "own.xml").write_text(MIXED, encoding="utf-8")
    part = PartOptions(
        entities="data = TP53", look_alikes="all", negatives=0.5, combine="each", weights=(Weight("all", 40),)
    )
    found = negatives(tmp_path / "s", part, SuiteOptions(sentences=(str(tmp_path / "own.xml"),)))
    frame = read_look_alikes()
    kind = dict(zip(frame["data"], frame["look_alike_category"].astype("str"), strict=True))
    pairs = found["text"].str.extract(r"^We drove from (.+) to (.+) and back\.$")
    assert len(pairs) == 40
    assert set(pairs[0].map(kind)) == {"unit"}
    assert set(pairs[1].map(kind)) == {"strain", "disease"}


@pytest.mark.parametrize(
    ("share", "rounds", "why"),
    [
        (0.3, 1, "fewer controls than there are: each once, not the first ones"),
        (0.8, 4, "each as often as any other"),
    ],
)
def test_controls_are_drawn_and_each_is_used_before_any_is_used_again(
    share: float, rounds: int, why: str
) -> None:
    def controls(seed: int) -> list[int]:
        part = PartOptions(
            entities="length = 4", contexts="total_number_of_names <= 1", size=250, controls=share
        )
        planned = plan_suite_parts(SuiteRecipe((part,), SuiteOptions(seed=seed))).parts[0]
        bare = planned.space.material.templates.slot_counts == 0
        return [c for block in planned.blocks() for c in block.context.tolist() if bare[c]]

    found, other = controls(1), controls(2)
    counts = Counter(found)
    assert max(counts.values()) - min(counts.values()) <= 1, why
    assert max(counts.values()) <= rounds + 1, why
    assert found == controls(1)
    if rounds == 1:
        assert set(found) != set(other), "another seed draws others"


def test_no_look_alike_stands_twice_before_all_that_fit_did() -> None:
    part = PartOptions(entities="length = 4", size=300, look_alikes="all", negatives=0.5)
    plan = plan_suite_parts(SuiteRecipe((part,), SuiteOptions(seed=3)))
    fillers = np.concatenate([block.fillers for block in plan.parts[0].blocks()])
    used = np.bincount(plan.material.form_code[fillers[~plan.material.gold[fillers]]])
    assert used.max() == 1
