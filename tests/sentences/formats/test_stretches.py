"""Large inputs are looked at piece by piece: what is found does not hang on where they are cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tagsuite.catalogues.core.arrays import inner_bytes, places_of
from tagsuite.sentences.formats import inline

TAGGED = (
    "the <gp>β-catenin</gp> gene, p < 0.05\n"
    "\n"
    "<dna>a <gp>b</gp></dna> and <gp>α</gp>\n"
    "one that is <gp>open\n"
    "<rna>mRNA</rna> at the very end"
).encode()


@pytest.mark.parametrize("content", [TAGGED, TAGGED + b"\n", b"", b"\n", b"no tags"])
@pytest.mark.parametrize("stretch", [1, 5, 40, 90])
def test_tags(content: bytes, stretch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = inline.parse_inline(content)
    monkeypatch.setattr(inline, "_STRETCH", stretch)
    cut = inline.parse_inline(content)
    assert cut.lines() == whole.lines()
    assert [column.tolist() for column in cut.spans()] == [column.tolist() for column in whole.spans()]
    assert [cut.types[i] for i in cut.type] == [whole.types[i] for i in whole.type]
    assert cut.problems == whole.problems
    if content == TAGGED:
        assert cut.problems == {3: "<gp> is not closed on its line"}
        assert [cut.types[i] for i in cut.type] == ["gp", "dna", "gp", "gp", "rna"]


@given(text=st.text("aβ\n\r𝛼<", max_size=40))
def test_places(text: str) -> None:
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    plain = data.tolist()
    assert places_of(data, b"\n\r").tolist() == [i for i, byte in enumerate(plain) if byte in b"\n\r"]
    assert inner_bytes(data).tolist() == [i for i, byte in enumerate(plain) if 0x80 <= byte < 0xC0]
