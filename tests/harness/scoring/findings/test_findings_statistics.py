"""Tests of intervals and p values: by brute force, other programs, and simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.statistics.corrections import benjamini_hochberg, holm
from tagsuite.harness.scoring.statistics.design import (
    DOCUMENTS_BY_FORMS,
    TEXTS_BY_FORMS,
    Design,
    find_overlaps,
    make_design,
)
from tagsuite.harness.scoring.statistics.differences import estimate_difference
from tagsuite.harness.scoring.statistics.groups import ENTITIES_BY_CONTEXTS, Groups
from tagsuite.harness.scoring.statistics.intervals import score_interval, wilson_interval
from tagsuite.harness.scoring.statistics.jackknife import ShareSums, estimate_variance
from tagsuite.harness.scoring.statistics.paired_differences import compare_paired
from tagsuite.harness.scoring.statistics.shares import make_share_estimate, name_method
from tagsuite.harness.scoring.statistics.sums import estimate_measures, sum_class

from ..conftest import Made, make_pair
from .conftest import crossed_suite, scored


def ways(found: np.ndarray[Any, Any], inside: np.ndarray[Any, Any] | None = None) -> list[ShareSums]:
    """Return the sums of a matrix of verdicts by entity, context and pair."""
    there = np.ones(found.shape) if inside is None else inside.astype(float)
    hits = found * there
    return [
        ShareSums(hits.sum(1), there.sum(1)),
        ShareSums(hits.sum(0), there.sum(0)),
        ShareSums(hits.ravel(), there.ravel()),
    ]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12).map(
        lambda pairs: [(min(p), max(p)) for p in pairs]
    )
)
def test_leaving_out_is_what_it_says(pairs: list[tuple[int, int]]) -> None:
    part, whole = (np.array(v, dtype=float) for v in zip(*pairs, strict=True))
    sums = ShareSums(part, whole)
    for i, change in enumerate(sums.leave_one_out_changes()):
        p, w = np.delete(part, i).sum(), np.delete(whole, i).sum()
        if w == 0 or whole.sum() == 0:
            assert np.isnan(change)
        else:
            assert change == pytest.approx(p / w - part.sum() / whole.sum())


def test_independent_mentions_get_wilson_s_interval_nearly() -> None:
    hits = np.array([1.0] * 130 + [0.0] * 70)
    sums = [ShareSums(hits, np.ones(200))]
    found = make_share_estimate(0.65, 200.0, estimate_variance([sums]), 0.95, TEXTS_BY_FORMS)
    low, high = wilson_interval(130, 200)
    assert [found.low, found.high] == pytest.approx([float(low), float(high)], abs=0.002)
    assert found.effective_size == pytest.approx(199, abs=1.01)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_all_or_nothing_does_not_collapse(value: float) -> None:
    found = np.full((40, 6), value)
    it = make_share_estimate(value, 240.0, estimate_variance([ways(found)]), 0.95, ENTITIES_BY_CONTEXTS)
    assert it.method == "wilson, effective n: entities × contexts"
    assert it.effective_size == 6, "as many as there are contexts, the way that has fewer groups"
    low, high = score_interval(value, 6, 1.959964)
    assert [it.low, it.high] == pytest.approx([float(low), float(high)], abs=1e-6)
    assert it.high - it.low > 0.3


@pytest.mark.parametrize(
    ("ways_", "bounded", "name"),
    [
        ((True, True), False, "jackknife: a × b"),
        ((True, True), True, "wilson, effective n: a × b"),
        ((True, False), False, "jackknife: a only"),
        ((False, False), True, "wilson, effective n: one group of a × b"),
    ],
)
def test_names_of_methods(ways_: tuple[bool, ...], bounded: bool, name: str) -> None:
    assert name_method("a × b", ways_, bounded=bounded) == name


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections_agree_with_their_definitions_and_each_other(p: list[float]) -> None:
    values = np.array(p)
    adjusted = benjamini_hochberg(values)
    # a test is rejected when some larger p value q is at most rate * (number of p values up to q) / all
    bounds = [min(min(q * len(p) / (values <= q).sum() for q in p if q >= one), 1.0) for one in p]
    assert adjusted == pytest.approx(bounds)
    assert (holm(values) >= adjusted - 1e-12).all(), "Holm is the stricter one"
    assert (adjusted >= values - 1e-12).all()


@given(st.integers(0, 10_000))
def test_a_difference_turned_round_has_the_other_sign(seed: int) -> None:
    generator = np.random.Generator(np.random.PCG64(seed))
    one, other = (ways((generator.random((8, 5)) < p).astype(float)) for p in (0.3, 0.6))
    design = Design(ENTITIES_BY_CONTEXTS, ())
    there, back = estimate_difference(one, other, design, 0.9), estimate_difference(other, one, design, 0.9)
    assert there.estimate.value == pytest.approx(-back.estimate.value)
    assert there.estimate.low == pytest.approx(-back.estimate.high)
    assert there.p == pytest.approx(back.p)
    assert there.estimate.low <= there.estimate.value <= there.estimate.high
    assert (there.p < 0.1) == (there.estimate.low > 0 or there.estimate.high < 0), "test and interval agree"


def test_the_table_for_all_classes_equals_one_class_after_the_other() -> None:
    generator = np.random.Generator(np.random.PCG64(2))
    shape = (12, 9)
    features = {
        "case": pd.Categorical(generator.choice(["upper", "lower", "mixed"], shape).ravel()),
        "tokenisation_hazards": pd.Series(
            generator.choice(["slash", "slash|hyphen", "hyphen"], shape).ravel(), dtype="str"
        ),
    }
    found = scored(
        generator.random(shape) < 0.7, features=features, by=["case", "tokenisation_hazards", "words"]
    )
    table, design = found.table, make_design(found)
    assert len(table) > 12
    for row in table.to_dict("records"):
        one = estimate_measures(sum_class(found, design, row["notion"], row["class"]), design, 0.95)
        for measure in ("precision", "recall", "f1"):
            expected = one[measure].low, one[measure].high
            got = row[f"{measure}_low"], row[f"{measure}_high"]
            assert got == pytest.approx(expected, nan_ok=True), (row["class"], measure)


def test_designs() -> None:
    gold, guesses = make_pair(
        ["AB binds.", "CD binds.", "EF binds."], [Made(0, ((0, 2),))], [Made(1, ((0, 2),))]
    )
    assert make_design(score(gold, guesses)).name == DOCUMENTS_BY_FORMS
    texts = gold.texts.assign(document_id=pd.Series(["", "", ""], dtype="str"))
    assert make_design(score(replace(gold, texts=texts), guesses)).name == TEXTS_BY_FORMS, (
        "documents are not told"
    )
    suite = scored(np.ones((3, 2), dtype=bool))
    design = make_design(suite)
    assert design.name == ENTITIES_BY_CONTEXTS
    assert [w.size for w in design.ways] == [3, 2, 6]
    assert design.ways[0].gold.tolist() == design.ways[0].predicted.tolist(), (
        "what overlaps has the same entity"
    )


def test_in_a_corpus_names_cross_documents() -> None:
    texts = [f"{name} binds, x{i}." for i, name in enumerate(["AB", "AB", "AB", "CD", "EF", "GH"] * 4)]
    golds = [Made(i, ((0, 2),)) for i in range(24)]
    # one name is missed wherever it stands, and something else is proposed there
    guesses = [Made(i, ((0, 2),) if t[:2] != "AB" else ((10, 12),)) for i, t in enumerate(texts)]
    found = score(*make_pair(texts, golds, guesses), by=["case"])
    documents, forms, pairs = make_design(found).ways
    assert make_design(found).pair_weight == 1.0
    assert (documents.size, forms.size, pairs.size) == (12, 10, 30)
    assert forms.gold.tolist()[:6] == [0, 0, 0, 1, 2, 3]
    assert forms.predicted.tolist()[3:6] == [1, 2, 3], "what overlaps has the same form"
    apart = sum_class(found, make_design(found), "strict", "all")["recall"]
    both, alone = estimate_variance([apart], 1.0).variance, estimate_variance([apart[:1]], 1.0).variance
    assert both[0, 0] > 2 * alone[0, 0], "the same name recurs, and with it its fault"
    assert found.table["interval"].str.contains("documents × surface forms|texts × surface forms").all()


def test_a_spurious_mention_has_the_entity_of_its_case_or_its_own_form() -> None:
    suite = crossed_suite(np.ones((2, 2), dtype=bool))
    extra = suite.predictions.assign(start=7, end=12)
    # case 3 loses its gold mention: there, only the form is left
    gold = replace(suite.gold, mentions=suite.gold.mentions.iloc[:3])
    found = score(gold, extra)
    entity = make_design(found).ways[0].predicted
    assert entity[:2].tolist() == [entity[0]] * 2, "both cases of the first entity"
    assert entity[3] not in entity[:3].tolist()
    assert not len(find_overlaps(found)[0])


def test_paired_finds_a_difference_and_says_how_large() -> None:
    generator = np.random.Generator(np.random.PCG64(9))
    logit = generator.normal(size=(60, 1)) + generator.normal(size=(1, 20))
    first = generator.random((60, 20)) < 1 / (1 + np.exp(-logit - 1.5))
    second = generator.random((60, 20)) < 1 / (1 + np.exp(-logit))
    table = compare_paired(scored(first), scored(second, "other"))
    row = table[(table["class"] == "all") & (table["measure"] == "recall")].iloc[0]
    assert row["difference"] == pytest.approx(first.mean() - second.mean())
    assert row["difference_low"] > 0
    assert row["p"] <= row["p_bh"] <= row["p_holm"] < 0.01
    same = compare_paired(scored(first), scored(first, "other"))
    assert (same["difference"] == 0).all()
    assert (same["p"] == 1).all()


@pytest.mark.parametrize(
    ("missed", "p", "why"),
    [
        ([(i, i) for i in range(6)], 2**-6, "six names in six contexts, as in the mid-p of McNemar's test"),
        ([(0, i) for i in range(6)], 0.5, "all in one name, which could have been any name"),
        ([(i, 0) for i in range(6)], 0.5, "all in one context"),
        ([(0, 0), (0, 1), (1, 2)], 0.25, "signs of 2 + 1 by name: 3 is one of four sums, half of it counts"),
        ([], 1.0, "no difference"),
    ],
)
def test_p_of_a_difference_is_that_of_exchanging_the_taggers(
    missed: list[tuple[int, int]], p: float, why: str
) -> None:
    second = np.ones((10, 6), dtype=bool)
    for name, context in missed:
        second[name, context] = False
    table = compare_paired(scored(np.ones((10, 6), dtype=bool)), scored(second, "other"), names=["all"])
    row = table[table["measure"] == "recall"].iloc[0]
    assert row["p"] == pytest.approx(p), why
    assert (row["difference_low"] > 0) == (p <= 0.05), "interval and test agree"


def test_equal_taggers_are_called_different_as_rarely_as_promised() -> None:
    """McNemar's exact test on the same data fails, because cases are not independent."""
    rejected = mcnemar = 0
    tries = 200
    design = Design(ENTITIES_BY_CONTEXTS, ())
    for seed in range(tries):
        generator = np.random.Generator(np.random.PCG64(seed))
        taggers = []
        for _ in range(2):
            logit = 1.2 * generator.normal(size=(100, 1)) + 1.2 * generator.normal(size=(1, 15))
            taggers.append(generator.random((100, 15)) < 1 / (1 + np.exp(-logit)))
        one, other = taggers
        b, c = int((one & ~other).sum()), int((~one & other).sum())
        mcnemar += stats.binomtest(b, b + c).pvalue < 0.05
        found = estimate_difference(ways(one.astype(float)), ways(other.astype(float)), design, 0.95)
        rejected += found.p < 0.05
    assert mcnemar > tries / 2
    assert rejected <= 0.08 * tries


@pytest.mark.parametrize(("entities", "contexts", "deviation"), [(50, 15, 1.0), (100, 30, 0.5), (10, 5, 0.0)])
def test_intervals_cover(entities: int, contexts: int, deviation: float) -> None:
    from scipy.special import expit

    generator = np.random.Generator(np.random.PCG64(77))
    true = expit(1.0 + deviation * np.sqrt(2.0) * generator.normal(size=1_000_000)).mean()
    covered, tries = 0, 800
    for _ in range(tries):
        logit = 1.0 + deviation * (
            generator.normal(size=(entities, 1)) + generator.normal(size=(1, contexts))
        )
        found = (generator.random((entities, contexts)) < expit(logit)).astype(float)
        it = make_share_estimate(
            float(found.mean()),
            float(found.size),
            estimate_variance([ways(found)]),
            0.95,
            ENTITIES_BY_CONTEXTS,
        )
        covered += it.low <= true <= it.high
    assert covered / tries >= 0.925
    assert deviation == 0.0 or covered / tries <= 0.985


GENERATOR = np.random.Generator(np.random.PCG64(3))
RIGHT = (GENERATOR.random((2, 60)) < 0.6).astype(np.float64)
GROUPS = Groups.from_crossed("entities × contexts", np.arange(60) // 5, np.arange(60) % 5)


def left_out(right: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the covariances of shares from leaving out each group."""
    shares = np.array([[one[groups != g].mean() for g in np.unique(groups)] for one in right])
    changes = shares - right.mean(axis=1, keepdims=True)
    size = shares.shape[1]
    return np.asarray(changes @ changes.T * (size - 1) / size)


@pytest.mark.parametrize("common", [0.5, 1.0])
def test_what_two_ways_share_is_taken_away(common: float) -> None:
    entities, contexts, pairs = (left_out(RIGHT, way) for way in GROUPS.ways)
    expected = entities + contexts - common * pairs
    least = [pairs] if common == 0.5 else [pairs, entities, contexts]
    for i in range(2):
        expected[i, i] = max(expected[i, i], *(matrix[i, i] for matrix in least))
    found = estimate_variance([GROUPS.sum_by_group(one, np.ones(60)) for one in RIGHT], common)
    assert found.variance == pytest.approx(expected)
    # after Satterthwaite, of the ways that were left out
    variances = np.array([[way[i, i] for i in range(2)] for way in (entities, contexts)])
    freedom = variances.sum(axis=0) ** 2 / (variances**2 / np.array([[11.0], [4.0]])).sum(axis=0)
    most = np.inf if common == 0.5 else 11.0
    assert found.degrees_of_freedom == pytest.approx(np.minimum(freedom, most))


def test_repetitions_add_what_their_pairs_do_not_explain() -> None:
    right = np.concatenate([RIGHT[0], RIGHT[1] * (np.arange(60) % 3 > 0)])
    thrice = Groups("r", (*(np.tile(way, 2) for way in GROUPS.ways), np.arange(120) // 60, np.arange(120)))
    *sums, repetitions, in_each = thrice.sum_by_group(right, np.ones(120))
    plain, found = estimate_variance([sums]), estimate_variance([sums], repeats=(repetitions, in_each))
    beyond = left_out(right[None], thrice.ways[3]) - left_out(right[None], thrice.ways[4])
    assert beyond[0, 0] > 0
    assert found.variance == pytest.approx(plain.variance + beyond)
    assert found.degrees_of_freedom[0] < plain.degrees_of_freedom[0]
