"""Fixtures: corpora of upper-case and lower-case names, and runs over a suite and annotated sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tagsuite as library
from tagsuite.catalogues.query import Query
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.transfer.composition import make_composition, write_composition
from tagsuite.sentences.corpus import Corpus
from tagsuite.sentences.formats.registry import read_corpus

UPPER, LOWER = "case = upper", "case = lower"
CLASSES = [Class(name, Query.parse(name)) for name in (UPPER, LOWER)]


def corpus_of(names: list[str], contexts: list[str], name: str = "made") -> Corpus:
    """Return a corpus with one text per name and context, as in a suite."""
    size = len(names)
    texts = pd.DataFrame(
        {
            "text_id": np.arange(size),
            "document_id": pd.Series([""] * size, dtype="str"),
            "text": pd.Series(
                [f"We saw {n} {c}." for n, c in zip(names, contexts, strict=True)], dtype="str"
            ),
            "context_id": pd.Series(contexts, dtype="str"),
        }
    )
    mentions = pd.DataFrame(
        {
            "mention_id": np.arange(size),
            "text_id": np.arange(size),
            "side": pd.Series(["gold"] * size, dtype="str"),
            "start": np.full(size, 7),
            "end": [7 + len(n) for n in names],
            "type": pd.Series(["gp"] * size, dtype="str"),
            "score": np.full(size, np.nan),
            "entity_id": pd.Series(names, dtype="str"),
        }
    )
    return Corpus(name, texts, mentions)


def named(upper: int, lower: int, each: int, seed: int) -> tuple[list[str], list[str]]:
    """Return a corpus of upper-case and lower-case names."""
    generator = np.random.Generator(np.random.PCG64(seed))
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    own = ["".join(generator.choice(letters, 6)) for _ in range(upper + lower)]
    forms = [n.upper() if i < upper else n for i, n in enumerate(own)]
    names = [f for f in forms for _ in range(each)]
    return names, [f"in setting {c}" for c in generator.integers(0, 30, len(names))]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run over a small suite, annotated sentences, and a run over these."""
    folder = tmp_path_factory.mktemp("runs")
    suite = library.generate(folder / "suite", "contains_hyphen", combine="sample", size=60)
    library.run(suite, "kex", folder / "kex")
    names = ["p53", "BRCA1", "wee1", "TNF-alpha", "cdc25", "interleukin 2"]
    lines = [f"We saw that <gp>{n}</gp> binds {m} in cells.\n" for n in names for m in ("DNA", "it")]
    (folder / "gold.sgml").write_text("".join(lines), encoding="utf-8")
    write_composition(make_composition(read_corpus(str(folder / "suite"))), folder / "suite.parquet")
    library.run(f"sgml:{folder / 'gold.sgml'}", "kex", folder / "kex--gold")
    library.run(f"sgml:{folder / 'gold.sgml'}", lambda _: [], folder / "nothing")
    return folder
