"""Positions of strings without offsets; a perfect answer gets exactly the gold positions."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.harness.running.outputs.place_strings import place_strings

# text, strings, settings, what each becomes ("start-end status", several where it takes all), why
PLACES = [
    ("p53 binds p53", ["p53", "p53"], {}, ["0-3 exact", "10-13 exact"], "equal strings in order of the text"),
    ("p53 binds p53", ["p53"], {}, ["0-3 ambiguous"], "one of two, and nothing tells which"),
    ("p53 binds p53s", ["p53"], {}, ["0-3 exact"], "a whole word before a part of one"),
    ("p53s bind", ["p53"], {}, ["0-3 exact"], "a part of a word where there is no whole one"),
    ("IL-20 and IL-2", ["IL-2"], {}, ["10-14 exact"], "not inside the longer word"),
    ("BCAT and CAT", ["CAT"], {}, ["9-12 exact"], "nor at its end"),
    (
        "the IL-2 receptor binds IL-2", ["IL-2", "IL-2 receptor"], {},
        ["24-28 exact", "4-17 exact"], "a prefix has a place of its own",
    ),
    ("the IL-2 receptor", ["IL-2", "IL-2 receptor"], {}, ["4-8 exact", "4-17 exact"], "nested: it has none"),
    (
        "IL-2 receptor, IL-2", ["IL-2", "IL-2", "IL-2 receptor"], {},
        ["0-4 exact", "15-19 exact", "0-13 exact"], "nested once and alone once",
    ),
    ("Il-2 and IL-2", ["IL-2", "Il-2"], {}, ["9-13 exact", "0-4 exact"], "each to its own case"),
    ("il-2 and IL-2", ["IL-2", "IL-2"], {}, ["0-4 changed", "9-13 exact"], "the second in another case"),
    ("( IL - 2 ) is", ["(IL-2)"], {}, ["0-10 changed"], "other blanks"),
    ("(IL-2) is", ["-LRB- IL-2 -RRB-"], {}, ["0-6 changed"], "brackets of the Penn Treebank"),
    ("caf\u0065\u0301 is", ["café"], {}, ["0-5 changed"], "another composition"),
    ("the same transcript", ["Met"], {}, ["invented"], "letters of two words are no name"),
    ("a catalogue", ["CAT"], {}, ["invented"], "another case inside a word is no variant"),
    ("p53 is", ["BRCA1"], {}, ["invented"], "it stands nowhere"),
    ("p53 is", ["p53", "p53"], {}, ["0-3 exact", "0-3 exact"], "answered more often than it stands"),
    ("p53 is", ["p53", "P53"], {}, ["0-3 exact", "0-3 changed"], "the same in another case"),
    ("a a a a", ["a a", "a a"], {}, ["0-3 exact", "4-7 exact"], "occurrences apart before overlapping ones"),
    ("a a a", ["a a", "a a"], {}, ["0-3 exact", "2-5 exact"], "overlapping ones where there are no others"),
    ("p53 and p53", ["p53"], {"occurrences": "all"}, ["0-3 exact 8-11 exact"], "all"),
    ("p53 and p53s", ["p53"], {"occurrences": "all"}, ["0-3 exact"], "all of the best kind"),
    ("p53 and P53", ["P53", "p53"], {"occurrences": "all"}, ["8-11 exact", "0-3 exact"], "each its own"),
    ("p53 and p53", ["p53", "p53"], {"occurrences": "first"}, ["0-3 exact", "0-3 exact"], "the first"),
    ("interleukn-2 is", ["interleukin-2"], {}, ["invented"], "other letters"),
    ("p53 is", ["", " "], {}, ["invented", "invented"], "nothing stands nowhere"),
    ("", ["p53"], {}, ["invented"], "an empty text"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "strings", "settings", "expected", "why"), PLACES, ids=[row[-1] for row in PLACES]
)
def test_a_string_is_placed(
    text: str, strings: list[str], settings: dict[str, object], expected: list[str], why: str
) -> None:
    found = place_strings(text, strings, **settings)  # type: ignore[arg-type]
    shown = [" ".join(f"{a}-{b} {s}" for a, b, s in spots) or "invented" for spots in found]
    assert shown == expected, why


def test_equal_strings_of_two_types_share_a_place_where_there_are_too_few() -> None:
    assert place_strings("p53 is", ["p53", "p53"], ["gene", "protein"]) == [[(0, 3, "exact")]] * 2
    placed = place_strings("p53 is p53", ["p53", "p53", "p53"], ["gene", "gene", "protein"])
    assert [spots[0][:2] for spots in placed] == [(0, 3), (7, 10), (0, 3)]


def test_places_that_are_given_away_are_not_given_again() -> None:
    assert place_strings("p53 is p53", ["p53"], taken=[(0, 3)]) == [[(7, 10, "exact")]]


NAMES = [
    *("IL-2", "Il-2", "IL-20", "IL-2 receptor", "IL-2 receptor alpha", "il-2", "anti-IL-2", "IL2", "2"),
    *("p53", "P53", "p53-binding protein", "binding protein", "receptor", "NF-κB", "NF κB", "a-a", "a a a"),
]
LETTERS = st.text("aAb2- ", min_size=1, max_size=5).map(str.strip)
OWN = LETTERS.filter(lambda name: name[:1].isalnum() and name[-1:].isalnum())
FILLERS = [" x ", ", ", " (", "; xx, ", ". "]


@st.composite
def annotated(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    """Return a text and its gold mentions: separate names, and names inside longer names."""
    names = draw(st.lists(st.one_of(st.sampled_from(NAMES), OWN), min_size=1, max_size=8))
    text = draw(st.sampled_from(["", "x "]))
    gold = []
    for name in names:
        gold.append((len(text), len(text) + len(name)))
        text += name + draw(st.sampled_from(FILLERS))
    for name in dict.fromkeys(names):
        if not draw(st.booleans()):
            continue
        for low, high in gold[: len(names)]:
            gold += [
                (at, at + len(name))
                for at in range(low, high - len(name) + 1)
                if (at, at + len(name)) != (low, high)
                and text.startswith(name, at)
                and not (text[at - 1 : at].isalnum() and at > low)
                and not text[at + len(name)].isalnum()
            ]
    return text, sorted(gold)


@given(annotated(), st.randoms(use_true_random=False))
def test_a_perfect_answer_is_placed_on_the_gold_in_any_order(
    made: tuple[str, list[tuple[int, int]]], chance: random.Random
) -> None:
    text, gold = made
    answer = [text[start:end] for start, end in gold]
    for _ in range(3):
        placed = place_strings(text, answer)
        assert [[spot.status for spot in spots] for spots in placed] == [["exact"]] * len(gold)
        assert sorted(spots[0][:2] for spots in placed) == gold
        assert all(text[slice(*spots[0][:2])] == string for spots, string in zip(placed, answer, strict=True))
        chance.shuffle(answer)


@given(st.text("aAb2- .", max_size=30), st.lists(st.text("aAb2- ", max_size=4), max_size=6), st.randoms())
def test_the_order_of_unequal_strings_does_not_matter(
    text: str, strings: list[str], chance: random.Random
) -> None:
    def outcome(order: list[str], **settings: Any) -> list[tuple[str, list[tuple[int, int, str]]]]:
        placed = place_strings(text, order, **settings)
        return sorted(
            (string, [(low, high, status) for low, high, status in spots])
            for string, spots in zip(order, placed, strict=True)
        )

    other = chance.sample(strings, len(strings))
    each: list[dict[str, Any]] = [{}, {"occurrences": "all"}, {"occurrences": "first"}]
    for settings in each:
        assert outcome(strings, **settings) == outcome(other, **settings)
        for spots in place_strings(text, strings, **settings):
            assert all(0 <= start < end <= len(text) for start, end, _ in spots)
