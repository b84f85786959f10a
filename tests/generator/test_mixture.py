"""Tests of the names in a default sample: frequency, number of words and kind have a corpus's proportions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.entities import read_entities
from tagsuite.generator import combine
from tagsuite.generator.attestation import is_attested
from tagsuite.generator.combine.mixture import (
    SHARES_FILE,
    bundled_shares,
    is_joined,
    split_shares,
)
from tagsuite.generator.combine.strata import read_gold_corpus
from tagsuite.generator.covering.combinations import closed_features, make_items
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
from tagsuite.generator.suite_plan import plan_suite_parts
from tagsuite.tools.curation.frequency import format_shares

from .conftest import made

ONE = {"combine": "sample", "contexts": "total_number_of_names = 1"}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """Return the mentions of a sample of sentences with one name."""
    return made(SuiteOptions(seed=5), tmp_path_factory.mktemp("n") / "s", size=2000, **ONE)


def test_bands_have_the_shares_of_a_corpus(tmp_path: Path) -> None:
    frame = read_entities()
    bands = [[0, 1, 3, 9, 40][i % 5] for i in range(len(frame))]
    frame = frame.assign(corpus_frequency=pd.array(bands, dtype="Int64"))
    frame.to_parquet(tmp_path / "e.parquet")
    files = SuiteOptions(catalogue=(str(tmp_path / "e.parquet"),), seed=5)
    # no more than there are names of each band and number of words
    mentions = made(files, tmp_path / "s", size=200, entities="kind = gene", **ONE)
    drawn = mentions["corpus_frequency"].astype(int), mentions["words"].astype(int)
    asked = {(b, w): share for b, words in bundled_shares()["shares"].items() for w, share in words.items()}
    for low, high, band in ((0, 0, "0"), (1, 1, "1"), (2, 4, "2-4"), (5, 19, "5-19")):
        for number in ("1", "2", "3"):
            found = (drawn[0].between(low, high) & (drawn[1] == int(number))).mean()
            assert found == pytest.approx(asked[band, number], abs=0.02), (band, number)


def test_the_other_slots_of_a_sentence_keep_the_shares_of_words(tmp_path: Path) -> None:
    """Many slots accept only symbols; longer names compensate for them in other slots, as far as possible."""
    asked = {n: sum(words[n] for words in bundled_shares()["shares"].values()) for n in ("1", "2", "3", "4")}
    sample = made(SuiteOptions(seed=5), tmp_path / "s", combine="sample", size=1000)
    found = sample["words"].astype(int).value_counts(normalize=True)
    for number, share in asked.items():
        assert found[int(number)] == pytest.approx(share, abs=0.045), number


def test_invented_sentences_make_up_for_what_attested_ones_lack_and_no_more() -> None:
    """Each value has twenty places, or all that exist."""
    part = PartOptions(combine="sample", size=10)
    space = plan_suite_parts(SuiteRecipe((part,), SuiteOptions(seed=5))).parts[0].space
    every = (
        plan_suite_parts(SuiteRecipe((replace(part, attested="any"),), SuiteOptions(seed=5))).parts[0].space
    )
    features = [f for f in closed_features(("slot", "context")) if not f.is_catalogue_only]
    has = make_items(space.material.environments, features).has
    attested = is_attested(space.material.contexts)[space.material.slot_context]
    slots = space.places.slots
    there = has[slots].sum(axis=0)
    assert (there >= np.minimum(20, has[every.places.slots].sum(axis=0))).all()
    missing = np.maximum(20 - has[slots[attested[slots]]].sum(axis=0), 0).sum()
    assert 0 < (~attested[slots]).sum() <= missing


def test_the_bundled_shares_are_what_the_corpus_gives(shared_data: Path) -> None:
    made = format_shares(f"bc2gm:{shared_data / 'bc2gm' / 'train'}")
    assert made == resources.files(combine).joinpath(SHARES_FILE).read_text(encoding="utf-8")


def test_a_corpus_without_shares_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text('{"text_id": "1", "text": "No name.", "mentions": []}\n')
    with pytest.raises(InputError, match="no gold mentions"):
        read_gold_corpus(f"jsonl:{tmp_path / 'empty.jsonl'}")


@pytest.mark.parametrize(
    ("contexts", "low", "high", "why"),
    [
        ("", 0.09, 0.13, "as in the corpus: .11; a sentence as often as any other would give .07"),
        ("tokenisation_hazards in (hyphen, slash)", 0.5, 1.0, "where all are asked for, all are alike"),
    ],
)
def test_names_are_joined_by_hyphens_and_slashes_as_often_as_in_a_corpus(
    contexts: str, low: float, high: float, why: str, tmp_path: Path
) -> None:
    mentions = made(SuiteOptions(seed=5), tmp_path / "s", combine="sample", size=1000, contexts=contexts)
    assert bundled_shares()["joined"] == pytest.approx(0.11, abs=0.005)
    assert low < is_joined(mentions["tokenisation_hazards"]).mean() < high, why


def test_half_of_the_names_that_no_corpus_has_are_of_nomenclatures(names: pd.DataFrame) -> None:
    literature = names["source_type"].astype(str) == "literature"
    unseen = names["corpus_frequency"].astype(int) == 0
    assert literature[unseen].mean() == pytest.approx(0.5, abs=0.05)
    assert literature[~unseen].mean() > 0.8  # others that it has are few


def test_names_stand_for_the_mentions_of_the_corpus(names: pd.DataFrame) -> None:
    """Selected names are not drawn more often than in the corpus, within a band and number of words."""
    entities = read_entities()
    for low, high, band, words in ((0, 0, "0", 2), (1, 1, "1", 1), (2, 4, "2-4", 1), (5, 19, "5-19", 1)):

        def here(frame: pd.DataFrame) -> pd.DataFrame:
            often = frame["corpus_frequency"].fillna(0).astype(int)
            read = frame["source_type"].astype(str) == "literature"
            return frame[read & often.between(low, high) & (frame["words"].astype(int) == words)]  # noqa: B023

        there = here(entities)
        chosen = there[there["source_field"].astype(str) != "sampled"]
        others = entities[entities["source_type"].astype(str) == "database"]
        frequency = others["corpus_frequency"].fillna(0)
        known = frequency.between(low, high) & (frequency > 0) & (others["words"].astype(int) == words)
        known_corpus = bundled_shares()
        mentions = known_corpus["shares"][band][str(words)] * known_corpus["mentions"]
        corpus = mentions - frequency[known].sum()
        share = (chosen["corpus_frequency"].astype(int) + 1).sum() / corpus
        found = (here(names)["source_field"].astype(str) != "sampled").mean()
        assert found == pytest.approx(min(share, 1.0), abs=0.06), (band, words)


@pytest.mark.parametrize(
    ("read", "there", "expected", "why"),
    [
        ({"gene": 3, "family": 1}, {"gene": 10, "family": 10}, [0.75, 0.25], "kinds as in literature"),
        ({"gene": 1, "family": 1}, {"gene": 99, "family": 1}, [0.94, 0.06], "but three times the mean"),
        ({"protein": 1}, {"gene": 3, "family": 1}, [0.75, 0.25], "nothing is alike: all equally often"),
    ],
)
def test_names_of_nomenclatures_have_the_kinds_and_forms_of_literature(
    read: dict[str, int], there: dict[str, int], expected: Sequence[float], why: str
) -> None:
    here, in_literature = np.split(pd.factorize(np.array([*there, *read]))[0], [len(there)])
    numbers, often = (np.array(list(counts.values()), dtype=float) for counts in (there, read))
    shares = split_shares(numbers, here, often, in_literature)
    assert shares.tolist() == pytest.approx(list(expected), abs=0.01), why
