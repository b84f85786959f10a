"""One round trip for every format: what comes back is what was written, as far as the format can carry it."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tagsuite.catalogues.core.errors import InputError
from tagsuite.sentences.formats import FORMAT_NAMES, get_format, losses, read_corpus, write_corpus
from tagsuite.sentences.formats.base import Carries


def _beside(name: str) -> ModuleType:
    """A helper module of this folder (test folders are no packages)."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


corpora = _beside("corpora")
Profile = corpora.Profile

BOTH = [n for n in FORMAT_NAMES if get_format(n).read is not None and get_format(n).write is not None]
PROFILES = {
    # what a format carries, without anything that needs care
    **{name: Profile() for name in BOTH},
    "bc2gm": Profile(breaks=False, documents="none", snap="solid"),
    "genetag": Profile(documents="none", snap="whitespace", single_blanks=True),
    "sgml": Profile(breaks=False, documents="none", ids="numbers", names=4, fits=corpora.no_tag),
    "conll": Profile(options="[comments=yes]", breaks=False, snap="notions", filled=True),
    "bioc": Profile(colons=False, columns="text", fits=corpora.xml),
    "biocjson": Profile(colons=False, columns="text"),
    "brat": Profile(documents="own", words=True, colons=False),
    "bionlp": Profile(documents="own", words=True, colons=False),
    "pubtator": Profile(breaks=False, documents="own", colons=False),
    "csv": Profile(columns="text"),
}
VARIANTS = [
    *PROFILES.items(),
    ("bioc", Profile(options="[offsets=bytes]", colons=False, columns="text", fits=corpora.xml)),
    ("brat", Profile(options="[offsets=bytes]", documents="own", words=True, colons=False)),
    ("conll", Profile(options="[comments=yes,scheme=iobes]", breaks=False, snap="notions", filled=True)),
    ("conll", Profile(options="[comments=yes,scheme=iob1]", breaks=False, snap="notions", filled=True)),
    (
        "conll",
        Profile(options="[comments=yes,tokeniser=whitespace]", breaks=False, snap="whitespace", filled=True),
    ),
]
SETTINGS = settings(
    deadline=None, max_examples=6, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)


@pytest.mark.parametrize(("name", "profile"), VARIANTS, ids=[n + p.options for n, p in VARIANTS])
@given(data=st.data())
@SETTINGS
def test_nothing_is_lost_that_the_format_can_carry(name: str, profile: object, data: st.DataObject) -> None:
    _carried(name, profile, data)


@pytest.mark.full
@pytest.mark.parametrize(("name", "profile"), VARIANTS, ids=[n + p.options for n, p in VARIANTS])
@given(data=st.data())
@settings(SETTINGS, max_examples=80)
def test_nothing_is_lost_in_many_more(name: str, profile: object, data: st.DataObject) -> None:
    _carried(name, profile, data)


def _carried(name: str, profile: object, data: st.DataObject) -> None:
    corpus = data.draw(corpora.corpora(get_format(name).carries, profile))
    with tempfile.TemporaryDirectory() as folder:
        spec = f"{name}{profile.options}:{folder}/made"  # type: ignore[attr-defined]
        assert write_corpus(corpus, spec) == ()
        again = read_corpus(spec)
    assert corpora.canonical(again) == corpora.canonical(corpus)


@pytest.mark.parametrize("name", sorted(PROFILES))
@given(data=st.data())
@SETTINGS
def test_what_is_lost_is_said(name: str, data: st.DataObject) -> None:
    """Of any corpus at all: refused with a message, or read back the same, or a loss was named."""
    sides = get_format(name).carries.sides
    everything = Carries(
        document_ids=True, scores=True, sides=sides, fragments=True, alternatives=True, normalisations=True,
        relations=True, equivalences=True, text_features=True, mention_features=True,
    )  # fmt: skip
    corpus = data.draw(corpora.corpora(everything, Profile()))
    with tempfile.TemporaryDirectory() as folder:
        spec = f"{name}:{folder}/made"
        try:
            lost = write_corpus(corpus, spec)
        except InputError as error:
            assert "cannot carry" in str(error) or "XML" in str(error)  # noqa: PT017
            return
        assert lost == losses(corpus, name)
        again = read_corpus(spec)
        same = corpora.canonical(again) == corpora.canonical(corpus)
        assert same or lost
        assert len(again.texts) == len(corpus.texts)
        # what was read back is carried whole the second time
        once = write_corpus(again, f"{name}:{folder}/twice")
        assert corpora.canonical(read_corpus(f"{name}:{folder}/twice")) == corpora.canonical(again), once
