"""Tests that every reader either reads a damaged file or reports an error, in bounded time and memory.

`make test` runs 50 mutants per reader, `make check-full` 20,000 in total. The name of the reader and the
number of the mutant determine it, and a failure shows both.
"""

from __future__ import annotations

import contextlib
import random
import resource
import signal
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tagsuite.catalogues.core import patterns
from tagsuite.catalogues.core.errors import TagsuiteError
from tagsuite.catalogues.imports.registry import SOURCE_KINDS
from tagsuite.catalogues.query.nodes import KEYWORDS
from tagsuite.sentences.formats import read_corpus
from tagsuite.sentences.formats.registry import list_readable_formats

from . import goldens, mutants

Goldens = dict[str, Any]

SHORT, IN_ALL = 50, 20_000
SECONDS, MEMORY = 30, 2 << 30
FORMATS = tuple(list_readable_formats())
READERS = (
    *FORMATS,
    *(f"{name}-predictions" for name in FORMATS if name != "suite"),
    *("parquet-table", "csv-table", "bc2gm-lines", "suite-keys", "suite-cases", "run"),
    *("entities-xml", "entities-records", "entities-parquet", "contexts-xml", "taxonomy"),
    *(f"import-{kind}" for kind in (*SOURCE_KINDS, "gzip")),
    *(f"toml-{kind}" for kind in goldens.TOML),
    *("bioid", "bioid-published", "bioid-equivalence", "biotope", "biotope-zip"),
    *("mesh", "tree", "frequencies"),
    *(f"indexing-{kind}" for kind in goldens.INDEXING),
    *("scores-csv", "scores-json", "query"),
)
OUTPUTS = tuple(f"output-{form}" for form in goldens.OUTPUTS)

ALL = [*READERS, *OUTPUTS]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Goldens:
    """Return the valid files of every reader."""
    return {**goldens.goldens(tmp_path_factory.mktemp("goldens")), **goldens.outputs()}


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAGSUITE_CACHE", "")
    monkeypatch.setattr(patterns, "TIME_LIMIT_SECONDS", 0.5)


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Limit the processor time and the memory of a reader."""

    def end(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {SECONDS} s of processor time")

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    usual = resource.getrlimit(resource.RLIMIT_AS)
    former = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, usual[1]))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, usual)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)


def failures(golden: Any, count: int, folder: Path) -> list[str]:
    """Return one line per failure among the first `count` mutants."""
    found = []
    goldens.put(folder, golden.files)
    names = sorted(golden.files)
    for number in range(count):
        draw = random.Random(f"{golden.name} {number}")
        name = draw.choice(names)
        (folder / name).write_bytes(mutants.mutate(golden.files[name], name, draw))
        try:
            with watched():
                golden.read(folder)
        except TagsuiteError as error:
            if not str(error):
                found.append(f"mutant {number} of {name}: an error without words")
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            ours = [f for f in frames if "site-packages" not in f.filename]
            place = ", ".join(f"{Path(f.filename).name}:{f.lineno}" for f in (ours[-1], frames[-1]))
            found.append(f"mutant {number} of {name}: {type(error).__name__}: {str(error)[:200]} ({place})")
        (folder / name).write_bytes(golden.files[name])
    return found


def test_every_reader_has_its_good_files(good: Goldens, tmp_path: Path) -> None:
    assert sorted(good) == sorted((*READERS, *OUTPUTS))
    for name, golden in good.items():
        goldens.put(tmp_path / name, golden.files)
        golden.read(tmp_path / name)


@pytest.mark.parametrize("count", [SHORT, pytest.param(-(-IN_ALL // len(ALL)), marks=pytest.mark.full)])
@pytest.mark.parametrize("name", ALL)
def test_mutants(good: Goldens, name: str, count: int, tmp_path: Path) -> None:
    assert failures(good[name], count, tmp_path) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
KEYS = [
    *("id", "text_id", "text", "start", "end", "type", "score", "side", "fragments", "normalisations"),
    *("features", "mentions", "alternatives", "relations", "equivalences", "documents", "passages"),
    *("sentences", "annotations", "locations", "offset", "length", "infons", "nodes", "refid", "role"),
    *("arguments", "mention", "relation"),
]
SHAPED = st.recursive(
    JSON,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
)


@pytest.mark.parametrize("form", ["jsonl", "biocjson"])
@settings(suppress_health_check=list(HealthCheck))
@given(thing=st.dictionaries(st.sampled_from(KEYS), SHAPED, max_size=6))
def test_any_json_with_the_keys_of_a_format(form: str, thing: dict, tmp_path: Path) -> None:
    whole = {**thing, "documents": [thing]} if form == "biocjson" else {"text": "p53 gene", **thing}
    (tmp_path / "f").write_bytes(orjson.dumps(whole))
    with watched(), contextlib.suppress(TagsuiteError):
        read_corpus(f"{form}:{tmp_path / 'f'}")


WORDS = [*sorted(KEYWORDS), "length", "data", "case", "upper", "is_ASCII", "(", ")", ",", "=", "!=", "<", "~"]
WORDS += ["/a+/", "/(a*)*b/", '"x"', "'", '"', "3", "1e400", "-1", "entity.", "é", "\\", "\n"]


@settings(suppress_health_check=list(HealthCheck))
@given(words=st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=12))
def test_any_words_as_a_query(good: Goldens, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(" ".join(words).encode())
    with watched(), contextlib.suppress(TagsuiteError):
        good["query"].read(tmp_path)
