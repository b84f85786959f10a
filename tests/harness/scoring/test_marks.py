"""Marks count as an array of flags counts, however the axis was put together."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tagsuite.harness.scoring.pairing import marks as module
from tagsuite.harness.scoring.pairing.marks import Marks

pieces = st.lists(st.lists(st.booleans(), max_size=150), min_size=1, max_size=5)


@given(pieces=pieces, block=st.sampled_from([1, 7, module.BLOCK]))
def test_marks_are_the_flags(pieces: list[list[bool]], block: int) -> None:
    marks = Marks()
    for piece in pieces:
        marks.extend(np.array(piece, dtype=np.bool_))
    flags = np.array([flag for piece in pieces for flag in piece], dtype=np.bool_)
    places = np.arange(len(flags))
    assert marks.at(places).tolist() == flags.tolist()
    with patch.object(module, "BLOCK", block):  # places are looked up block by block
        assert marks.up_to(places).tolist() == np.cumsum(flags).tolist()
