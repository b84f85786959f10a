"""Fillings of all slots: their number, also with names in apposition, and draws that favour none."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from itertools import product as choices
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from tagsuite import generate
from tagsuite.catalogues.core.errors import InputError
from tagsuite.generator.combination_space import CombinationSpace
from tagsuite.generator.combine import product, sample
from tagsuite.generator.filling_count import count_fillings
from tagsuite.generator.material import Ints, Material, assemble_material, select_places
from tagsuite.generator.slot_filling import SlotFilling
from tagsuite.sentences.contexts import read_contexts

from .conftest import FORMS, entities

PAIRS: tuple[dict[int, int], ...] = ({}, {0: 1}, {2: 3}, {0: 1, 2: 3}, {1: 2, 3: 4})
"""Which slots of a sentence of five may stand in apposition."""


def integers(numbers: list[int]) -> Ints:
    return np.array(numbers, dtype=np.int32)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Material:
    """Sentences of one to five slots, and one of none."""
    path = tmp_path_factory.mktemp("wide") / "contexts.xml"
    lines = [
        f'<context id="w{n}" type="tp"><sentence>{"<slot/> and " * n}more of them.</sentence></context>'
        for n in range(6)
    ]
    text = "\n".join(lines).replace('"w0" type="tp"', '"w0" type="fp"')
    path.write_text(f'<contexts format="1" licence="MIT">\n{text}\n</contexts>\n', encoding="utf-8")
    found = read_contexts(path)
    return assemble_material(entities(), found.contexts, found.slots)


def space_of(
    material: Material,
    slots: int,
    filling: SlotFilling,
    pairs: dict[int, int],
    fillers: list[int],
    by_place: dict[int, Ints],
) -> tuple[CombinationSpace, int]:
    """A space of the sentence with so many slots, and that sentence's row."""
    places = select_places(material, f"total_number_of_names = {slots}")
    context = int(places.contexts[0])
    both = {context: pairs | {other: lead for lead, other in pairs.items()}}
    return CombinationSpace(material, integers(fillers), places, filling, by_place, both, None, True), context


FILLERS = st.lists(st.integers(0, len(FORMS) - 1), max_size=5, unique=True)


@given(
    st.integers(1, 5),
    st.sampled_from(PAIRS),
    st.lists(st.integers(0, 7), min_size=len(FORMS), max_size=len(FORMS)),
    st.lists(st.integers(-1, len(FORMS) - 1), min_size=len(FORMS), max_size=len(FORMS)),
    FILLERS,
    st.dictionaries(st.integers(0, 4), FILLERS),
    st.booleans(),
)
def test_as_many_as_are_made(
    wide: Material,
    slots: int,
    pairs: dict[int, int],
    codes: list[int],
    counterpart: list[int],
    fillers: list[int],
    by_place: dict[int, list[int]],
    distinct: bool,
) -> None:
    """Forms that come twice, pools that are empty, names alone in their entry or like their symbol."""
    filling = SlotFilling(integers(codes), 0, 0, distinct, integers(counterpart))
    pairs = {lead: other for lead, other in pairs.items() if other < slots}
    own = {place: integers(chosen) for place, chosen in by_place.items() if place < slots}
    space, context = space_of(wide, slots, filling, pairs, fillers, own)
    made = [tuple(row) for block in space.full(context, 100) for row in block.tolist()]
    assert len(set(made)) == len(made) == space.count_full(context) <= space.count_drawn(context)


LINKS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8)


@given(
    st.lists(st.integers(0, 6), min_size=10, max_size=10),
    st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=2),
    st.lists(LINKS, max_size=3),
)
def test_as_many_as_by_trying(
    codes: list[int], free: list[list[int]], linked: list[list[tuple[int, int]]]
) -> None:
    """Whichever forms are linked, in rings too."""
    units = [[(f,) for f in pool] for pool in free] + [list(pool) for pool in linked]
    cases = [[codes[f] for unit in case for f in unit] for case in choices(*units)]
    expected = sum(len(set(case)) == len(case) for case in cases)
    pools = [(integers([a for a, _ in pool]), integers([b for _, b in pool])) for pool in linked]
    assert count_fillings(integers(codes), [integers(pool) for pool in free], pools) == expected


def test_a_name_of_very_many_symbols() -> None:
    """All that is linked is one component of a thousand forms; the numbers are larger than 64 bits hold."""
    n = 1000
    codes = np.arange(2 * n, dtype=np.int32)
    symbols, name = codes[1:n], np.zeros(n - 1, dtype=np.int32)
    begin = time.process_time()
    found = count_fillings(codes, [codes] * 7, [(symbols, name)])
    assert time.process_time() - begin < 10
    assert found == (n - 1) * np.prod([2 * n - 2 - k for k in range(7)], dtype=object)


def test_no_filling_is_favoured(wide: Material, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases of a sentence most of whose fillings repeat a form are drawn as often as others."""
    monkeypatch.setattr(sample, "NUMBERED", 0)
    codes, counterpart = integers([0, 0, 0, 1, *range(2, 10)]), integers([3, 4, 3, 0, 1, *[-1] * 7])
    filling = SlotFilling(codes, 0, 0, True, counterpart)
    paired, context = space_of(wide, 4, filling, {0: 1}, [0, 1, 2, 3, 4], {3: integers([0, 5])})
    assert 0 < paired.count_full(context) < paired.count_drawn(context) / 2
    space = replace(paired, places=select_places(wide, "total_number_of_names in (0, 1, 2, 4)"))
    possible, size, times = product.count(space, full=True), 6, 600
    found: Counter[tuple[int, ...]] = Counter()
    for seed in range(times):
        drawn = list(sample.cases(replace(space, filling=replace(filling, seed=seed)), size, full=True))
        found.update((int(block.context[0]), *block.fillers.tolist()) for block in drawn)
    assert len(found) == possible
    assert {context for context, *_ in found} == set(space.places.contexts.tolist())
    # cases: how often each was drawn; without replacement the numbers vary less
    counts, expected = np.array(list(found.values())), times * size / possible
    statistic = ((counts - expected) ** 2).sum() / expected * (possible - 1) / (possible - size)
    assert 0.001 < chi2.sf(statistic, possible - 1) < 0.999


def test_all_fillings_of_the_bundled_sentences(tmp_path: Path) -> None:
    """Thousands of names stand in apposition there, beside other slots: they are counted, not made."""
    suite = generate(tmp_path / "s", "case = lower", combine="sample", size=50, fill="product")
    assert len(suite.cases) == 50
    with pytest.raises(InputError, match=r"more cases than allowed.*\d(,\d{3}){5}"):
        generate(tmp_path / "p", "case = lower", combine="product", fill="product")
