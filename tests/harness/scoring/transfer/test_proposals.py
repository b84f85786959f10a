"""Tests of compositions of unannotated text, from the proposals of several taggers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

import tagsuite as library
from tagsuite.harness.scoring.transfer.composition import read_composition
from tagsuite.harness.scoring.transfer.proposals import (
    collect_proposals,
    make_proposed_composition,
    resolve_overlaps,
)
from tagsuite.sentences.corpus import Corpus
from tagsuite.sentences.formats import write_corpus

from .conftest import corpus_of, named


def spans(*rows: tuple[int, int, int]) -> pd.DataFrame:
    """Return predictions from tuples of text, start and end."""
    return pd.DataFrame(list(rows), columns=["text_id", "start", "end"])


def test_votes_and_overlaps() -> None:
    """Each span is listed once, with the taggers that predict it or overlap with it."""
    found = collect_proposals([spans((1, 0, 3), (1, 5, 9)), spans((1, 0, 3), (1, 7, 12), (2, 0, 1))])
    assert list(found.spans.itertuples(index=False, name=None)) == [
        (1, 0, 3),
        (1, 5, 9),
        (1, 7, 12),
        (2, 0, 1),
    ]
    assert found.exact.tolist() == [[True, True], [True, False], [False, True], [False, True]]
    assert found.overlapping.tolist() == [[False, False], [False, True], [True, False], [False, False]]
    probability = np.array([0.9, 0.3, 0.4, 0.1])
    assert resolve_overlaps(found, probability).tolist() == [True, False, True, True]


def plain(corpus: Corpus, name: str) -> Corpus:
    """Return a corpus without the columns of a suite."""
    texts, mentions = corpus.texts.drop(columns="context_id"), corpus.mentions.drop(columns="entity_id")
    return Corpus(name, texts, mentions)


def test_shares_of_the_text_are_recovered_from_unreliable_taggers() -> None:
    """One tagger also proposes wrong spans; the annotated text shows how much to trust each."""
    annotated, raw = (
        plain(corpus_of(*named(*sizes, 1, seed)), n)
        for n, sizes, seed in (
            ("annotated", (100, 100), 1),
            ("raw", (40, 160), 2),
        )
    )
    predictions = {}
    for name, share, wrong in (("one", 0.8, 0.0), ("two", 0.7, 0.9)):
        parts = []
        for seed, corpus in enumerate((raw, annotated)):
            generator = np.random.Generator(np.random.PCG64([seed, int(10 * share)]))
            gold = corpus.mentions[generator.random(len(corpus.mentions)) < share]
            # "We" is not a name
            noise = corpus.mentions[generator.random(len(corpus.mentions)) < wrong].assign(start=0, end=2)
            parts.append(pd.concat([gold, noise], ignore_index=True))
        predictions[name] = (parts[0], parts[1])
    found, notes = make_proposed_composition(raw, annotated, predictions)
    assert found.proposers == ("one", "two")
    lower, upper = (
        found.weights[(found.frame["case"] == case).to_numpy()].sum() for case in ("lower", "upper")
    )
    # half of the weight comes from the annotated text, where half of the names have lower case
    assert lower / (lower + upper) == pytest.approx((0.8 + 0.5) / 2, abs=0.03)
    assert found.weights.sum() == pytest.approx(200 * 0.94, rel=0.08)
    assert "an estimated 9" in notes[1]


def test_the_command_runs_taggers_and_refuses_the_tested_one(tagsuite: Call, tmp_path: Path) -> None:
    suite = library.generate(tmp_path / "suite", combine="sample", size=60, seed=1)
    write_corpus(suite.corpus, f"jsonl:{tmp_path / 'gold.jsonl'}")
    place = f"jsonl:{tmp_path / 'gold.jsonl'}"
    words = ["composition", place, "--annotated", place, "--out", str(tmp_path / "c.parquet")]
    done = tagsuite(*words, "--proposer", "kex", "--proposer", "yapex", "--tested", "pos")
    assert done.returncode == 0, done.stderr
    assert "the proposers find an estimated" in done.stderr
    assert "most uncertain" in done.stderr
    assert [part.split("@")[0] for part in read_composition(tmp_path / "c.parquet").proposers] == [
        "tagger:kex",
        "tagger:yapex",
    ]
    library.run(suite, "kex", tmp_path / "kex")
    refused = [
        (["--proposer", "kex", "--proposer", "yapex", "--tested", "kex"], "must not be a proposer"),
        (["--proposer", "kex", "--tested", "pos"], "allowed: yapex, runs of dictionary"),
    ]
    for more, told in refused:
        done = tagsuite(*words, *more)
        assert done.returncode == 2
        assert told in done.stderr
    done = tagsuite("composition", place, "--tested", "kex", "--out", str(tmp_path / "d.parquet"))
    assert "requires --proposer and --annotated" in done.stderr
    done = tagsuite(
        *("compare", "--suite", str(tmp_path / "kex"), "--by", "case"),
        *("--standardise", str(tmp_path / "c.parquet")),
    )
    assert done.returncode == 2
    assert "the composition was made from the output of the tested tagger" in done.stderr
