"""Tests of the command `generate`: suites, recipes, error messages."""

from __future__ import annotations

import filecmp
import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe_file import read_recipe
from tagsuite.generator.suite import DATA_FILES
from tagsuite.sentences.suites import read_suite

NAMES = (*DATA_FILES, "suite.toml")

RECIPE = """
format = 1
[suite]
name = "two parts"
seed = 5
capitalise_initial = true
[[part]]
entities = "case = lower"
contexts = "position = initial"
combine = "sample"
size = 40
negatives = 0.2
look_alikes = "all"
[[part]]
combine = "contrast"
contrast = ["contains_hyphen"]
entities = "length < 8"
contexts = "context.type = tp"
size = 10
"""


def test_a_recipe_of_several_parts_comes_again_byte_for_byte(tagsuite: Call, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    first = tagsuite(
        "generate", "--from", tmp_path / "recipe.toml", "--out", tmp_path / "one", "--format", "json"
    )
    assert first.returncode == 0, first.stderr
    (row,) = json.loads(first.stdout)["suites"]
    assert row["cases"] == 50 + 20
    assert row["pairs"] == 10
    again = tagsuite("generate", "--from", tmp_path / "one", "--out", tmp_path / "elsewhere" / "two")
    assert again.returncode == 0, again.stderr
    same, different, missing = filecmp.cmpfiles(
        tmp_path / "one", tmp_path / "elsewhere" / "two", NAMES, shallow=False
    )
    assert (sorted(same), different, missing) == (sorted(NAMES), [], [])
    cases = pq.read_table(tmp_path / "one" / "cases.parquet").to_pandas()
    mentions = read_suite(tmp_path / "one").inline_features().mentions
    assert cases["part"].value_counts().to_dict() == {0: 50, 1: 20}
    assert (~cases["case_id"].isin(mentions["text_id"])).sum() == 10, "look-alikes are no mentions"
    assert sorted(cases.loc[cases["pair_id"] >= 0, "pair_id"].value_counts().unique()) == [2]
    assert "transformation" in mentions
    initial = mentions[(mentions["position"] == "initial") & (mentions["start"] == 0)]
    assert not initial["data"].str[0].str.islower().any()
    texts = dict(zip(cases["case_id"], cases["text"], strict=True))
    rows = zip(mentions["text_id"], mentions["start"], mentions["end"], mentions["data"], strict=True)
    assert all(texts[i][a:b] == form for i, a, b, form in rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--contexts", "sentence_words > 9000"], "no context satisfies"),
        (["--entities", "in_list.training = false"], "--list training=FILE"),
        (
            ["--negatives", "0.6", "--controls", "0.4"],
            "negatives and controls must add up to less than 1: found '0.6 and 0.4'",
        ),
        (["--combine", "contrast"], "set contrast = FEATURE"),
        (["--from", "r.toml", "--seed", "3"], "can be changed only in the recipe file: found '--seed'"),
        (["--combine", "tway", "--contrast", "case"], "contrast needs combine = contrast: found 'tway'"),
        (
            ["--combine", "each", "--slot", "99=all"],
            "no selected context has a slot with this number: found '99'",
        ),
        (
            ["--combine", "product", "--fill", "product"],
            "found 'more than 1,000,000'",
        ),
        (
            ["--look-alikes", "all", "--look-alikes-file", "e.xml"],
            "only 0 of 1 entries are of kind look_alike: found 'wee1'",
        ),
        (["--catalogue", "l.xml"], "only 0 of 1 entries are of kind entity: found 'kg'"),
    ],
)
def test_bad_options(
    refused: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.toml").write_text(RECIPE, encoding="utf-8")
    for name, kind, form in (("e.xml", "entity", "wee1"), ("l.xml", "look_alike", "kg")):
        body = f'<entity id="{name}" look_alike_category="unit">{form}</entity>'
        body = body if kind == "look_alike" else body.replace(' look_alike_category="unit"', "")
        Path(name).write_text(f'<entities format="1" kind="{kind}">{body}</entities>', encoding="utf-8")
    assert message in refused("generate", *arguments, "--out", tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_coverage_and_dry_run(tagsuite: Call, tmp_path: Path) -> None:
    options = ["--entities", "length < 6", "--contexts", "total_number_of_names < 3"]
    options += ["--combine", "tway", "--feature", "case", "--feature", "slot.position"]
    dry = tagsuite("generate", *options, "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert "would be covered" in dry.stderr
    done = tagsuite("generate", *options, "--out", tmp_path / "s")
    assert done.returncode == 0, done.stderr
    verify = ("generate", "--verify", tmp_path / "s", "--feature", "case", "--feature", "position")
    found = tagsuite(*verify, "--format", "json")
    (row,) = json.loads(found.stdout)["coverage"]
    assert row["covered"] == row["attested"] > 0
    assert row["uncovered"] == 0


@pytest.mark.parametrize(
    ("arguments", "first", "warned", "why"),
    [
        ([], "plan: sample of 1,000 cases, seed 0", False, "the default"),
        (["--seed", "4", "--size", "50"], "plan: sample of 50 cases, seed 4", False, "size and seed"),
        (["--entities", "data = TP53", "--size", "10"], "plan: sample of 10 cases", False, "few by request"),
        (
            ["--entities", "contains_function_word >= 2", "--size", "40"],
            "plan: sample of 40",
            True,
            "few names",
        ),
    ],
)
def test_what_was_chosen_is_said_first_and_few_names_are_warned_of(
    arguments: list[str], first: str, warned: bool, why: str, tagsuite: Call, tmp_path: Path
) -> None:
    one = ("--contexts", "total_number_of_names = 1")
    done = tagsuite("generate", *arguments, *one, "--format", "json", "--out", tmp_path / "s")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0].startswith(first), why
    assert ("uses few names" in done.stderr) is warned, why
    row = json.loads(done.stdout)["suites"][0]
    names = read_suite(tmp_path / "s").inline_features().mentions["data"].astype(str).value_counts()
    assert row["effective_names"] == pytest.approx(names.sum() ** 2 / (names**2).sum(), abs=0.06), why
    counts = tomllib.loads((tmp_path / "s" / "suite.toml").read_text())["counts"]
    assert counts["effective_names"] == row["effective_names"]
    assert counts["effective_contexts"] == row["effective_contexts"]


def test_a_recipe_without_a_way_to_combine_means_the_product(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text('format = 1\n[[part]]\nentities = "data = TP53"\n')
    assert read_recipe(file).parts[0].combine == "product"
    assert PartOptions().combine == "sample"
