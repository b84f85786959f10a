"""Views of errors, boundaries, false alarms and thresholds, on texts small enough to check by eye."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.signature import list_differences
from tagsuite.harness.scoring.statistics.intervals import wilson_interval
from tagsuite.harness.scoring.views.boundaries import count_edge_words, count_right_edges
from tagsuite.harness.scoring.views.errors import list_errors
from tagsuite.harness.scoring.views.false_alarms import count_false_alarms, list_alarm_tokens
from tagsuite.harness.scoring.views.registry import VIEWS, build_view
from tagsuite.harness.scoring.views.thresholds import build_curves

from .conftest import Made, make_pair

TEXTS = [
    "Serum IL-2 and the Brca1 protein.",
    "Patients had a better QoL.",
    "A protein was seen.",
    "It is so.",
]


def at(row: int, form: str) -> tuple[int, tuple[tuple[int, int], ...]]:
    start = TEXTS[row].index(form)
    return row, ((start, start + len(form)),)


@pytest.fixture(scope="module")
def scored() -> Any:
    gold = [Made(*at(0, "Serum IL-2")), Made(*at(0, "Brca1"))]
    guesses = [("IL-2", 0, 0.9), ("Brca1 protein", 0, 0.4), ("QoL", 1, 0.8), ("protein", 2, 0.1)]
    predicted = [Made(*at(row, form), score=value) for form, row, value in guesses]
    keywords = Class.from_query("keyword", "keyword contains protein")
    return score(*make_pair(TEXTS, gold, predicted), classes=[keywords])


def test_errors_are_shown_in_their_texts(scored: Any) -> None:
    table = list_errors(scored, "strict")
    assert table["error"].tolist() == ["missed", "spurious", "missed", "spurious", "spurious", "spurious"]
    first = table.iloc[0]
    assert first["gold"] == "⟦Serum IL-2⟧ and the ⟦Brca1⟧ protein."
    assert first["predicted"] == "Serum ⟦IL-2⟧ and the ⟦Brca1 protein⟧."
    assert table["data"].tolist()[-1] == "protein"
    assert not len(
        list_errors(scored, "right", "all", limit=1).query("error == 'missed' and data == 'Serum IL-2'")
    )


@pytest.mark.parametrize(
    ("spans", "marked"),
    [
        ([(0, 4), (0, 13)], "⟦⟦IL-2⟧ receptor⟧ it"),
        ([(5, 13), (0, 13)], "⟦IL-2 ⟦receptor⟧⟧ it"),
        ([(0, 4), (4, 13)], "⟦IL-2⟧⟦ receptor⟧ it"),
    ],
)
def test_nested_and_touching_mentions_are_marked(spans: list[tuple[int, int]], marked: str) -> None:
    table = list_errors(
        score(*make_pair(["IL-2 receptor it"], [Made(0, (span,)) for span in spans], [])), "strict"
    )
    assert set(table["gold"]) == {marked}


def test_errors_are_drawn_by_seed_and_kept_in_order(scored: Any) -> None:
    whole = list_errors(scored, "strict")
    draws = [list_errors(scored, "strict", limit=3, seed=seed) for seed in range(6)]
    pd.testing.assert_frame_equal(draws[0], list_errors(scored, "strict", limit=3, seed=0))
    assert len({tuple(d["start"]) for d in draws}) > 1
    for draw in draws:
        assert len(draw.merge(whole)) == 3


def test_boundaries(scored: Any) -> None:
    shown = count_right_edges(scored).set_index("edge")
    assert shown["pairs"].eq(2).all()
    assert shown["right"].to_dict() == {"left": 1, "right": 1, "either": 2, "both": 0}
    words = count_edge_words(scored)
    assert set(words[["edge", "change", "words"]].itertuples(index=False, name=None)) == {
        ("left", "lost", "serum"),
        ("right", "added", "protein"),
    }


def test_false_alarms_count_cases(scored: Any) -> None:
    table = count_false_alarms(scored).set_index("class")
    assert (table.loc["all", "cases"], table.loc["all", "false_alarms"]) == (3, 2)
    assert (table.loc["keyword", "cases"], table.loc["keyword", "false_alarms"]) == (1, 1)
    assert table.loc["all", "unit"] == "case"
    assert table["recall"].isna()["all"]
    tokens = list_alarm_tokens(scored).set_index("data")
    assert tokens.loc["QoL", "typographic_features"] == "mixed_case"
    assert tokens.loc["protein", "keyword"] == "protein"
    assert tokens["cases"].tolist() == [1, 1]


THRESHOLD_TEXTS = ["a b c d e f"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    gold=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3)), max_size=5),
    guesses=st.lists(
        st.tuples(st.integers(0, 5), st.integers(1, 3), st.sampled_from([0.1, 0.3, 0.5, 0.9])),
        min_size=1,
        max_size=7,
    ),
    notion=st.sampled_from(["strict", "sloppy", "left_or_right"]),
)
def test_every_threshold_is_what_scoring_the_kept_ones_gives(gold: Any, guesses: Any, notion: str) -> None:
    def span(first: int, words: int) -> tuple[tuple[int, int], ...]:
        return ((first * 2, min(first + words, 6) * 2 - 1),)

    golds = [Made(0, span(a, n)) for a, n in gold]
    predicted = [Made(0, span(a, n), score=s) for a, n, s in guesses]
    classes = [Class.from_query("short", "length <= 1"), Class.from_query("long", "length > 1")]
    pair = make_pair(THRESHOLD_TEXTS, golds, predicted)
    scores = score(*pair, classes=classes)
    anew = {}
    for threshold in {s for _, _, s in guesses}:
        kept = [p for p in predicted if p.score >= threshold]
        pair = make_pair(THRESHOLD_TEXTS, golds, kept)
        again = score(*pair, notions=[notion], classes=classes)
        anew[threshold] = again.wilson_table.set_index("class")
    for name in ("all", "short", "long"):
        found = build_curves(scores, notion, [name])
        if name == "all":
            assert found["threshold"].tolist() == sorted({s for _, _, s in guesses}, reverse=True)
        for row in found.itertuples():
            for column in ("gold", "predicted", "gold_matched", "predicted_matched"):
                assert getattr(row, column) == anew[row.threshold].loc[name, column], (name, column)


def test_the_best_threshold_is_kept_when_points_are_few(scored: Any) -> None:
    whole = build_curves(scored, "sloppy")
    few = build_curves(scored, "sloppy", points=2)
    assert whole["best"].sum() == few["best"].sum() == 1
    assert len(few) < len(whole)


def test_a_curve_needs_confidences() -> None:
    pair = make_pair(TEXTS, [Made(*at(0, "Brca1"))], [Made(*at(0, "Brca1"))])
    with pytest.raises(InputError, match="some predictions have no confidence"):
        build_curves(score(*pair))
    with pytest.raises(InputError, match="this notion has no threshold curve: found 'pnp'"):
        build_curves(score(*pair), "pnp")
    with pytest.raises(InputError, match=r"not available with these options: .*--counting published"):
        build_curves(score(*pair, counting="published"))
    with pytest.raises(InputError, match=r"found '--pairing one-to-one .*allowed: --pairing any"):
        build_curves(score(*pair, pairing="one-to-one"))


def spent(scores: Any) -> pd.DataFrame:
    """Return costs with one second per text and no other values."""
    frame = pd.DataFrame({"case_id": scores.corpus.texts["text_id"], "seconds": 1.0})
    return frame.assign(input_tokens=np.nan, output_tokens=np.nan, price=np.nan, shared=0)


@pytest.mark.parametrize("name", sorted({*VIEWS} - {"confusions", "identifiers"}))
def test_every_view_is_a_table(scored: Any, name: str) -> None:
    assert len(build_view(name, [scored, scored], limit=2, costs=[spent(scored)] * 2)) >= 2


def test_verdicts_of_every_mention(scored: Any) -> None:
    table = scored.verdicts()
    assert table["side"].tolist() == ["gold"] * 2 + ["predicted"] * 4
    assert table["sloppy"].tolist() == [1, 1, 1, 1, 0, 0]
    assert table["pnp"].tolist()[:2] == [3 / 4, 1.0]


def test_wilson_against_published_values() -> None:
    """Wilson intervals equal those in Newcombe 1998, table I (81/263, 15/148, 0/20 and 1/29 at 95 %)."""
    low, high = wilson_interval([81, 15, 0, 1], [263, 148, 20, 29])
    np.testing.assert_allclose(low, [0.2553, 0.0624, 0.0, 0.0061], atol=5e-5)
    np.testing.assert_allclose(high, [0.3662, 0.1605, 0.1611, 0.1718], atol=5e-5)


def test_signatures_name_what_differs(scored: Any) -> None:
    one = scored.table["signature"].iloc[0]
    other = (
        score(*make_pair(TEXTS, [], []), notions=["sloppy"], tagger="tagger:x@1").table["signature"].iloc[0]
    )
    assert one.startswith(
        "corpus:0123456789ab|predictions:fedcba987654|notion:strict|pairing:any|counting:text|"
    )
    assert list_differences(one, other) == ["notion: strict, sloppy"]
    named = scored.table.set_index("class").loc["keyword", "signature"].iloc[0]
    assert "class:keyword contains protein" in named


@pytest.mark.parametrize("name", [v for v in VIEWS if v not in ("thresholds", "identifiers")])
def test_an_empty_corpus_gives_undefined_figures_and_no_failure(name: str) -> None:
    scores = score(*make_pair([], [], []), by=["case", "type"])
    table = build_view(name, [scores], costs=[spent(scores)])
    for column in {"precision", "recall", "f1", "share", "false_alarm_rate"} & set(table.columns):
        assert table[column].isna().all()
