"""Tests of coverage for all kinds of parts: list lengths, slot queries, look-alikes, word lists."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tagsuite.catalogues.core.tables import OutputFormat
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
from tagsuite.generator.recipe_file import read_recipe
from tagsuite.generator.suite import generate
from tagsuite.generator.suite_plan import plan_suite_parts
from tagsuite.generator.workflow import report_coverage
from tagsuite.sentences.suites import read_suite

from .coverage_oracle import verified

FEATURES = ("case", "slot.list_position", "total_number_of_names")


def covered(suite: Path, capsys: pytest.CaptureFixture[str], t: int = 2) -> pd.DataFrame:
    report_coverage(suite, read_recipe(suite), t, FEATURES, OutputFormat.json)
    return pd.DataFrame(json.loads(capsys.readouterr().out)["coverage"])


TWO = "total_number_of_names = 2"
PARTS = {
    "lists of seven": PartOptions(contexts="list_position = middle", list_lengths=(7,), combine="tway"),
    "controls": PartOptions(contexts="context.type = fp", combine="each", entities="case = upper"),
    "product with a query for the second slot": PartOptions(
        entities="case = upper and length < 4",
        contexts=f"{TWO} and appositive = none",
        slots={"2": "case = lower"},
        combine="product",
    ),
    # no name is chosen for all slots, and names for the first: apposition of a name and its symbol
    "tway where only a slot's query has names": PartOptions(
        entities="name_vs_symbol = symbol",
        contexts=f"appositive = symbol_after_name and {TWO}",
        slots={"1": "name_vs_symbol = name"},
        combine="tway",
    ),
    "tway with overlapping queries for two of three slots": PartOptions(
        entities="case = mixed",
        contexts="total_number_of_names = 3 and appositive = none",
        slots={"1": "case in (lower, upper)", "3": "case = lower or contains_hyphen"},
        combine="tway",
        times=2,
    ),
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_nothing_is_attested_that_a_suite_cannot_have(
    tmp_path: Path, part: PartOptions, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = SuiteRecipe((replace(part, features=FEATURES),))
    generate(recipe, tmp_path / "s")
    # a value comes with others, but in sentences without slots, which have one of these features alone
    numbers = (1, 2) if part.contexts == "context.type = fp" else (2,)
    table = pd.concat([covered(tmp_path / "s", capsys, t) for t in numbers])
    assert table["attested"].sum() > 0
    assert (table["attested"] == table["covered"]).all(), table.to_string()


SUITES: dict[str, tuple[PartOptions, ...]] = {
    "a sample": (PartOptions(combine="sample", size=300),),
    "a sample of any fillers": (
        PartOptions(contexts="total_number_of_names >= 2", combine="sample", size=100, fillers="any"),
    ),
    "a covering suite of any fillers, in apposition or not": (
        PartOptions(entities="words < 3", combine="tway", fillers="any", appositives="any", limit=30),
    ),
    "two parts, with versions of lists": (
        PartOptions(contexts="list_type != none", list_lengths=(5,), combine="zip", repeat_forms=True),
        PartOptions(entities="species = human", contexts="appositive != none", combine="each"),
    ),
}
CHOICES = [
    (1, ("species", "plural_position", "number", "context.type")),
    (2, ("kind", "name_vs_symbol", "characters", "accepts", "position")),
    (3, ("case", "contains_function_word", "list_position", "appositive")),
]


@pytest.mark.parametrize("parts", SUITES.values(), ids=SUITES)
def test_figures_are_those_of_plain_rules(tmp_path: Path, parts: tuple[PartOptions, ...]) -> None:
    recipe = SuiteRecipe(parts)
    generate(recipe, tmp_path / "s")
    material = plan_suite_parts(recipe).material
    for t, features in CHOICES:
        assert verified(tmp_path / "s", material, parts, t, features).covered > 0


def test_sentences_with_look_alikes_cover_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = PartOptions(
        contexts="context.type = tp and position = initial",
        combine="sample",
        size=1,
        look_alikes="all",
        negatives=0.9,
    )
    generate(SuiteRecipe((part,)), tmp_path / "s")
    mentions = pq.read_table(tmp_path / "s" / "mentions.parquet").num_rows
    table = covered(tmp_path / "s", capsys, t=1)
    assert table["covered"].max() <= mentions


def test_lists_give_columns_and_queries(tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text("TP53\nMDM2\ninsulin\n", encoding="utf-8")
    suite = SuiteOptions(lists={"known": str(tmp_path / "known.txt")})
    part = PartOptions(
        entities="in_list.known", contexts="position = initial and total_number_of_names = 1", combine="each"
    )
    generate(SuiteRecipe((part,), suite), tmp_path / "s")
    mentions = read_suite(tmp_path / "s").inline_features().mentions
    assert mentions["in_list.known"].dtype == bool
    assert mentions["in_list.known"].all()
    assert 0 < len(set(mentions["data"]) & {"TP53", "MDM2", "insulin"}) == mentions["data"].nunique()
    made = (tmp_path / "s" / "suite.toml").read_text(encoding="utf-8")
    assert "list-known" in made


def test_pairs_tell_their_feature_and_mention(tmp_path: Path) -> None:
    part = PartOptions(
        contexts="context.type = tp", combine="contrast", contrast=("contains_hyphen", "position"), size=6
    )
    generate(SuiteRecipe((part,)), tmp_path / "s")
    cases = pq.read_table(tmp_path / "s" / "cases.parquet").to_pandas()
    mentions = read_suite(tmp_path / "s").inline_features().mentions
    marked = mentions[mentions["contrast"].notna()].merge(cases, left_on="text_id", right_on="case_id")
    assert len(marked) == len(cases), "one mention a case"
    for _, pair in marked.groupby("pair_id"):
        assert len(pair) == 2
        (feature,) = set(pair["contrast"])
        assert pair[str(feature)].nunique(dropna=False) == 2
