"""Round-trip tests for all formats: a corpus that is read back is the same, or a loss is reported."""

from __future__ import annotations

import tempfile
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError
from tagsuite.sentences.formats import FORMAT_NAMES, get_format, read_corpus, write_corpus

from . import corpora
from .corpora import Profile

BOTH = [n for n in FORMAT_NAMES if get_format(n).read is not None and get_format(n).write is not None]
GENES: dict[str, Any] = {"documents": "none", "names": 1, "tables": ("alternatives",)}
BIOC: dict[str, Any] = {
    "colons": False,
    "columns": "text",
    "tables": (*corpora.LINKED, "scores", "sides", "features"),
}
FILES: dict[str, Any] = {"documents": "own", "words": True, "colons": False, "tables": corpora.LINKED}
CONLL: dict[str, Any] = {"breaks": False, "filled": True, "nesting": "flat", "tables": ()}
PROFILES = {
    # restrictions on the data that each format can store
    **{name: Profile() for name in BOTH},
    "bc2gm": Profile(breaks=False, snap="solid", **GENES),
    "genetag": Profile(snap="whitespace", single_blanks=True, **GENES),
    "sgml": Profile(
        breaks=False,
        documents="none",
        ids="numbers",
        names=4,
        nesting="nested",
        tables=(),
        fits=corpora.no_tag,
    ),
    "conll": Profile(options="[comments=yes]", snap="notions", **CONLL),
    "bioc": Profile(fits=corpora.xml, **BIOC),
    "biocjson": Profile(**BIOC),
    "brat": Profile(**FILES),
    "bionlp": Profile(**FILES),
    "pubtator": Profile(breaks=False, documents="own", colons=False, tables=("normalisations",)),
    "csv": Profile(columns="text"),
}
VARIANTS = [
    *PROFILES.items(),
    ("bioc", Profile(options="[offsets=bytes]", fits=corpora.xml, **BIOC)),
    ("brat", Profile(options="[offsets=bytes]", **FILES)),
    ("conll", Profile(options="[comments=yes,scheme=iobes]", snap="notions", **CONLL)),
    ("conll", Profile(options="[comments=yes,scheme=iob1]", snap="notions", **CONLL)),
    ("conll", Profile(options="[comments=yes,tokeniser=whitespace]", snap="whitespace", **CONLL)),
]
SETTINGS = settings(
    deadline=None, max_examples=6, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)


@pytest.mark.parametrize(("name", "profile"), VARIANTS, ids=[n + p.options for n, p in VARIANTS])
@given(data=st.data())
@SETTINGS
def test_nothing_is_lost_that_the_format_can_carry(name: str, profile: Profile, data: st.DataObject) -> None:
    _carried(name, profile, data)


@pytest.mark.full
@pytest.mark.parametrize(("name", "profile"), VARIANTS, ids=[n + p.options for n, p in VARIANTS])
@given(data=st.data())
@settings(SETTINGS, max_examples=80)
def test_nothing_is_lost_in_many_more(name: str, profile: Profile, data: st.DataObject) -> None:
    _carried(name, profile, data)


def _carried(name: str, profile: Profile, data: st.DataObject) -> None:
    corpus = data.draw(corpora.corpora(profile))
    with tempfile.TemporaryDirectory() as folder:
        spec = f"{name}{profile.options}:{folder}/made"
        assert write_corpus(corpus, spec) == ()
        again = read_corpus(spec)
    assert corpora.canonical(again) == corpora.canonical(corpus)


@pytest.mark.parametrize("name", sorted(PROFILES))
@given(data=st.data())
@SETTINGS
def test_what_is_lost_is_reported(name: str, data: st.DataObject) -> None:
    """Check that any corpus is rejected with a message, read back unchanged, or a loss is reported."""
    tables = tuple(t for t in corpora.TABLES if t != "sides" or get_format(name).has_sides)
    corpus = data.draw(corpora.corpora(Profile(tables=tables)))
    with tempfile.TemporaryDirectory() as folder:
        spec = f"{name}:{folder}/made"
        try:
            lost = write_corpus(corpus, spec)
        except InputError as error:
            assert "cannot store" in str(error) or "XML" in str(error)  # noqa: PT017
            return
        again = read_corpus(spec)
        assert bool(lost) == (corpora.canonical(again) != corpora.canonical(corpus)), lost
        assert len(again.texts) == len(corpus.texts)
        # a corpus that was read back is stored completely the second time
        once = write_corpus(again, f"{name}:{folder}/twice")
        assert corpora.canonical(read_corpus(f"{name}:{folder}/twice")) == corpora.canonical(again), once
