"""Tests of minimal pairs: both cases agree in all but the contrasted feature and what follows from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.catalogues.value_codes import encode_value_texts
from tagsuite.generator.case_limits import Weight
from tagsuite.generator.cases import repeat_by_weight
from tagsuite.generator.combination_space import CombinationSpace
from tagsuite.generator.combine import product
from tagsuite.generator.contrast.minimal_pairs import (
    MinimalPairs,
    find_real_pairs,
    list_shared_features,
    place_pairs,
    transform_forms,
)
from tagsuite.generator.contrast.transformations import TRANSFORMATIONS
from tagsuite.generator.material import Material
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
from tagsuite.generator.suite_plan import plan_suite_parts


@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [
        ("upper_case", "Mdm2", "MDM2"),
        ("title_case", "pray for elves", "Pray For Elves"),
        ("initial_capital", "insulin", "Insulin"),
        ("hyphen_to_space", "IL-2", "IL 2"),
        ("hyphen_removed", "IL-2", "IL2"),
        ("hyphen_removed", "insulin", None),
        ("Greek_to_unicode", "beta catenin", "β catenin"),
        ("Greek_to_spelled", "β-catenin", "beta-catenin"),
        ("Greek_to_square_brackets", "β-catenin", "[beta]-catenin"),
        ("Greek_to_curly_brackets", "alpha 1 globin", "{alpha} 1 globin"),
        ("Greek_to_unicode", "alphabet protein", None),
        ("numeral_to_Roman", "interleukin 14", "interleukin XIV"),
        ("numeral_to_Arabic", "caspase IV", "caspase 4"),
        ("numeral_to_front", "protein kinase 2", "2 protein kinase"),
        ("numeral_to_end", "glucose 6 phosphatase", "glucose phosphatase 6"),
        ("last_word_in_parentheses", "protein kinase C", "protein kinase (C)"),
        ("parentheses_removed", "kinase (C) one", "kinase C one"),
        ("plural_s", "cyclin", "cyclins"),
        ("plural_s_removed", "cyclins", "cyclin"),
        ("plural_s_removed", "class", None),
        ("genitive_of_first_word", "Huntington disease protein", "Huntington's disease protein"),
        ("genitive_removed", "Huntington's disease protein", "Huntington disease protein"),
    ],
)
def test_transformations(name: str, form: str, expected: str | None) -> None:
    assert TRANSFORMATIONS[name](form) == expected


@pytest.mark.parametrize("feature", ["case", "contains_hyphen", "Greek_letter_format", "contains_plural"])
def test_transformed_forms_change_that_feature_alone(material: Material, feature: str) -> None:
    contrast = taxonomy().find(feature)
    rows = np.arange(len(material.fillers))
    made, sources = transform_forms(material.fillers, contrast, rows)
    assert len(made) == len(sources) > 0
    both = pd.concat([material.fillers.take(sources), made], ignore_index=True)
    size = len(made)
    for other in list_shared_features(contrast, ("entity",)):
        codes, _ = encode_value_texts(both, other)
        assert (codes[:size] == codes[size:]).all(), other.qualified_name
    codes, _ = encode_value_texts(both, contrast)
    assert (codes[:size] != codes[size:]).all()
    assert made["transformation"].isin(list(TRANSFORMATIONS)).all()


def test_real_pairs_use_each_row_once(material: Material) -> None:
    frame = pd.DataFrame(
        {"case": pd.Categorical(["upper", "lower", "upper", "mixed", "upper"]), "words": [1, 1, 1, 1, 2]}
    )
    pairs = find_real_pairs(frame, taxonomy().find("case", ("entity",)), ("entity",), np.arange(5))
    assert pairs.tolist() == [[0, 1], [2, 3]]


def test_places_of_sentences_left_out_make_no_pair(
    space_for: Callable[..., CombinationSpace],
) -> None:
    space = space_for(context_query="total_number_of_names = 1")
    chosen = space.places.slots[:2].tolist()
    left_out = next(s for s in range(len(space.material.slots)) if s not in space.places.slots)
    pairs = np.array([chosen, [chosen[0], left_out], [left_out, chosen[1]]])
    kept = place_pairs(space, MinimalPairs("slot.position", pairs, of_entities=False))
    assert kept.pairs.tolist() == [chosen]


@pytest.mark.parametrize("times", [0, 2])
def test_weights(material: Material, space_for: Callable[..., CombinationSpace], times: int) -> None:
    space = space_for(context_query="total_number_of_names = 1")
    plain = list(product.make_product_cases(space, full=False))
    repeated = repeat_by_weight(material, plain, [Weight("case = upper", times)])
    # two forms are in upper case
    assert sum(map(len, repeated)) == sum(map(len, plain)) + (times - 1) * 2 * len(space.places.slots)


@pytest.mark.parametrize(
    ("feature", "least", "pairs"),
    [("slot.position", 20, 0), ("slot.preceding_word_is_article", 20, 6)],
)
def test_names_beside_a_contrasted_place_fit_both_sentences(feature: str, least: int, pairs: int) -> None:
    """The other names also fit the second sentence, and a name and its symbol belong to one gene."""
    part = PartOptions(combine="contrast", contrast=(feature,))
    planned = plan_suite_parts(SuiteRecipe((part,), SuiteOptions(seed=3))).parts[0]
    space = planned.space
    counterpart = space.filling.counterpart
    assert counterpart is not None
    several = own = 0
    for block in planned.blocks():
        for names, context in zip(np.split(block.fillers, 2), block.context.tolist(), strict=True):
            slots = int(space.material.first_slot[context]) + np.arange(len(names))
            for place, slot in enumerate(slots.tolist()):
                assert space.check_condition(int(space.condition[slot]), names[[place]])[0], (context, place)
            partners = space.list_partners(context, same_entry=True)
            assert all(counterpart[names[one]] == names[other] for one, other in partners.items())
            several += len(names) > 1
            own += bool(partners)
    assert several > least
    assert own >= pairs
