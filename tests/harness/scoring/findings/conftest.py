"""Fixtures: artificial crossed suites, and runs of two taggers over a small generated suite."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.harness.scoring.engine import score
from tagsuite.sentences.corpus import Corpus


@dataclass(frozen=True)
class Crossed:
    """A suite of entities × contexts, and predicted mentions."""

    gold: Corpus
    predictions: pd.DataFrame


def texts_of(pattern: str, numbers: np.ndarray[Any, Any]) -> Any:
    """Return a text for each number."""
    distinct = [pattern.format(n) for n in range(int(numbers.max(initial=-1)) + 1)]
    return pd.array(distinct, dtype="str").take(numbers)


def crossed_suite(found: np.ndarray[Any, Any], features: dict[str, Any] | None = None) -> Crossed:
    """Return a suite with a case per entity and context; `found` (entities × contexts) marks found names."""
    entities, contexts = found.shape
    size = entities * contexts
    entity, context = (
        a.ravel() for a in np.meshgrid(np.arange(entities), np.arange(contexts), indexing="ij")
    )
    ids = pd.DataFrame({"text_id": np.arange(size)})
    names = texts_of("AB{:04}", entity)
    mentions = ids.assign(mention_id=ids["text_id"], side="gold", start=0, end=6, type="gp", score=np.nan)
    mentions = mentions.astype({"side": "str", "type": "str"}).assign(**(features or {}))
    # what is missed is proposed one character too short, so that it is wrong on both sides
    predictions = mentions.assign(side="predicted", end=np.where(found.ravel(), 6, 5)).astype({"side": "str"})
    mentions = mentions.assign(entity_id=texts_of("e{}", entity), slot=0, data=names)
    texts = ids.assign(
        document_id="",
        text=names + texts_of(" binds the receptor in setting {}.", context),
        context_id=texts_of("c{}", context),
        pair_id=-1,
    ).astype({"document_id": "str"})
    return Crossed(Corpus("crossed", texts, mentions, digest="0123456789ab"), predictions)


def scored(found: np.ndarray[Any, Any], run: str = "one", **options: Any) -> Any:
    """Make and score a crossed suite."""
    made = crossed_suite(found, options.pop("features", None))
    notions = options.pop("notions", ["strict", "sloppy"])
    return score(made.gold, made.predictions, notions=notions, run=run, **options)


@pytest.fixture(scope="session")
def two_runs(tagsuite: Call, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return run folders of kex and of a dictionary over a suite that has contexts without names."""
    folder = tmp_path_factory.mktemp("findings")
    terms = folder / "terms.txt"
    # some of every case, so that a class of any case has hits whatever was drawn
    names = "BRCA1 TP53 CDK2 IL-2 actin albumin c-fos c-myc collagen insulin interleukin p53 prolactin ras"
    terms.write_text("\n".join(names.split()) + "\n", encoding="utf-8")
    made = tagsuite(
        "generate", "--entities", "all", "--contexts", "all", "--combine", "sample", "--size", 250,
        "--negatives", 0.3, "--out", folder / "suite",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    for name, options in (("kex", ()), ("dictionary", ("--option", f"terms={terms}"))):
        done = tagsuite("run", folder / "suite", "--tagger", name, *options, "--out", folder / name)
        assert done.returncode == 0, done.stderr
    return folder / "kex", folder / "dictionary"
