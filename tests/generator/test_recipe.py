"""Tests of recipes: command line, Python and TOML give the same object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.generator.case_limits import CaseLimit, Share, Weight
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
from tagsuite.generator.recipe_file import format_recipe, read_recipe
from tagsuite.generator.suite_plan import plan_suite_parts
from tagsuite.generator.writing.case_texts import CaseTextWriter

RECIPE = SuiteRecipe(
    (
        PartOptions(
            combine="sample",
            size=5,
            stratify=("case",),
            shares=(Share(("upper",), 2.0), Share(("lower",), 1.0)),
            slots={"1": "length = 3"},
            weights=(Weight("case = upper", 2),),
            max_per=(CaseLimit("case", 7),),
            negatives=0.5,
        ),
        PartOptions(combine="tway", t=3, list_lengths=(4, 5)),
    ),
    SuiteOptions(name="s", seed=3, look_alikes_file=("l.xml",), lists={"known": "k.txt"}),
)


def test_a_written_recipe_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(format_recipe(RECIPE), encoding="utf-8")
    assert read_recipe(tmp_path) == RECIPE
    assert RECIPE.list_lengths == [4, 5]


def test_texts_stand_for_what_has_two_sides() -> None:
    given: dict[str, Any] = {
        "slots": ["1=length = 3"],
        "weights": ["2=case = upper"],
        "max_per": [{"of": "case", "cases": 7}],
    }
    part = PartOptions(**given)
    assert part.slots == RECIPE.parts[0].slots
    assert (part.weights, part.max_per) == (RECIPE.parts[0].weights, RECIPE.parts[0].max_per)
    assert SuiteOptions(catalogue=(Path("a") / "b.xml",)).catalogue == ("a/b.xml",)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[part]]\nsize = 0\n", r"part\[1\].size: input should be greater than or equal to 1"),
        (
            "[[part]]\n[[part]]\nsize = 1\n",
            r"part\[2\]: size needs combine = sample or contrast: found 'product'",
        ),
        ("[[part]]\nnegatives = 1.0\n", r"part\[1\].negatives: input should be less than 1"),
        ("[[part]]\nsizes = 1\n", r"part\[1\].sizes: unknown key.*allowed: size"),
        ("[[part]]\n[[part.weights]]\ntimes = 2\n", r"part\[1\].weights\[1\].query: field required"),
        ("", "part is missing"),
        ("format = 2\n[[part]]\n", "format"),
    ],
)
def test_mistakes_in_a_recipe_are_placed(tmp_path: Path, text: str, message: str) -> None:
    text = text if text.startswith("format") else f"format = 1\n{text}"
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_recipe(tmp_path / "r.toml")


WRONG_NAMES = [
    ('entities = "lenght = 3"', r"part\[2\]\.entities: unknown feature 'lenght'"),
    ('contexts = "case ="', r"part\[2\]\.contexts: the query is incomplete"),
    ('slots = { 2 = "lenght = 3" }', r"part\[2\]\.slots\.2: unknown feature"),
    ('weights = [{ query = "lenght = 3", times = 2 }]', r"part\[2\]\.weights\[1\]\.query: unknown feature"),
    ('max_per = [{ of = "lenght", cases = 2 }]', r"part\[2\]\.max_per\[1\]\.of: unknown feature"),
    ('combine = "sample"\nstratify = ["case", "lenght"]', r"part\[2\]\.stratify\[2\]: unknown feature"),
]


@pytest.mark.parametrize(("line", "told"), WRONG_NAMES)
def test_a_wrong_query_in_a_file_is_named_with_file_and_key(line: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text(f"format = 1\n[[part]]\n[[part]]\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"r\.toml: {told}"):
        read_recipe(path)


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ({"max_per": ("2=case",)}, "the option max_per leaves out 22 of 30 cases"),
        ({"max_per": ("2=case",), "weights": ("2=all",)}, "the option max_per leaves out 52 of 60 cases"),
    ],
)
def test_a_note_says_what_a_limit_leaves_out(options: dict[str, Any], note: str) -> None:
    part = PartOptions(combine="sample", size=30, contexts="total_number_of_names = 1", **options)
    planned = plan_suite_parts(SuiteRecipe((part,))).parts[0]
    assert [n for n in planned.notes if "max_per" in n] == [note]


def test_a_note_says_that_no_entity_is_used() -> None:
    part = PartOptions(entities="case = lower", contexts="context.type = fp", combine="each")
    assert "no entity is used" in plan_suite_parts(SuiteRecipe((part,))).parts[0].notes[-1]


def test_the_shares_of_negatives_and_controls_add_up() -> None:
    part = PartOptions(
        entities="length = 4", combine="sample", size=50, look_alikes="all", negatives=0.3, controls=0.2
    )
    planned = plan_suite_parts(SuiteRecipe((part,))).parts[0]
    assert planned.cases == 100
    assert planned.notes[-2].startswith("30 cases with look-alikes")
    assert planned.notes[-1].startswith("20 controls from")


def test_the_size_of_weighted_cases_is_not_that_of_the_first() -> None:
    part = PartOptions(
        entities="length = 3",
        contexts="position = initial",
        combine="each",
        weights=(Weight("case = upper", 2),),
    )
    plan = plan_suite_parts(SuiteRecipe((part,)))
    write = CaseTextWriter(plan.material)
    assert plan.estimate_bytes() == sum(len(write(block).raw) for block in plan.parts[0].blocks())
