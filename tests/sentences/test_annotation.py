"""Tests of the annotation of corpora and suites with features."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from marked import corpus, shown  # type: ignore[import-not-found]  # in tests/
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.sentences.annotate import annotate, write_annotations
from tagsuite.sentences.context_features import CARRIED_FEATURES as CARRIED_NAMES
from tagsuite.sentences.formats import read_corpus

GIVEN = {"name_vs_symbol", "length", "contains_plural", "plural_position"}
"""Features for which the catalogue may have other values than those computed from the surface form."""


@pytest.fixture(scope="module")
def suite(tagsuite: Call, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("suite") / "suite"
    options = ("--combine", "sample", "--size", 1200, "--seed", 7, "--negatives", "0.2")
    done = tagsuite("generate", *options, "--out", out)
    assert done.returncode == 0, done.stderr
    return out


def test_generated_cases_have_the_features_that_the_catalogues_say(suite: Path) -> None:
    read = read_corpus(str(suite)).inline_features()
    assert len(read.mentions) > 1000
    computed = annotate(read, recompute=True)
    columns = [
        f.column for f in taxonomy().select_scopes("entity", "slot", "context") if not f.is_catalogue_only
    ]
    compared = [c for c in columns if c in read.mentions and c in computed and c not in GIVEN]
    assert len(compared) > 60
    for column in compared:
        assert shown(computed[column]) == shown(read.mentions[column]), column


def test_a_suite_keeps_what_its_catalogue_knew(suite: Path) -> None:
    read = read_corpus(str(suite))
    kept, spread = annotate(read), read.inline_features().mentions
    assert len(spread.columns) > 80
    for column in spread:
        assert shown(kept[column]) == shown(spread[column]), column


def test_only_the_features_that_are_asked_for() -> None:
    found = annotate(corpus("The <p53> gene."), features=["case", "slot.position", "context.position"])
    added = [c for c in found.columns if c not in corpus("<x>").mentions.columns]
    assert sorted(added) == ["case", "context.position", "data", "position"]


CARRIED = [
    # text with gold in <>, predicted, features, why
    ("The QoL and MRI of <p53> fell.", "QoL", "mixed_case", "the tempting token itself"),
    ("The QoL and MRI of <p53> fell.", "QoL and MRI", "mixed_case|all_caps", "both tokens"),
    ("The QoL and MRI of <p53> fell.", "fell", "", "a token without looks"),
    ("The QoL and MRI of <p53> fell.", "p53", "", "a gold mention"),
    ("The <p53> protein phase fell.", "p53 protein phase", "keyword|ase", "what is beyond the gold mention"),
]


@pytest.mark.parametrize(("line", "predicted", "features", "why"), CARRIED)
def test_spurious_mentions_tell_which_token_tempted(
    line: str, predicted: str, features: str, why: str
) -> None:
    gold = corpus(line)
    start = gold.texts["text"].iloc[0].index(predicted)
    mention = gold.mentions.iloc[[0]].assign(start=start, end=start + len(predicted), side="predicted")
    found = annotate(gold, mention, ["carried_features"])
    assert shown(found["carried_features"]) == [features], why


def test_values_of_carried_features_are_the_taxonomys() -> None:
    assert tuple(v.name for v in taxonomy().find("mention.carried_features").values) == CARRIED_NAMES


def test_features_of_documents_are_their_sentences() -> None:
    """Check that each mention in a text with several sentences gets the context of its sentence."""
    parts = ["The <p53> gene fell.", "MRI was done.", "<A1> and <B1> rose."]
    apart = annotate(corpus(*parts))
    together = annotate(corpus(" ".join(parts)))
    same = [c for c in apart.columns if c not in ("text_id", "start", "end", "mention_id")]
    for column in same:
        assert shown(together[column]) == shown(apart[column]), column


def test_order_of_mentions_does_not_matter() -> None:
    read = corpus("<A1>, <B1> and <C1> rose.", "Both <X> (<tumor protein y>) and <Z>.")
    turned = replace(read, mentions=read.mentions.iloc[::-1])
    forth, back = annotate(read), annotate(turned)
    for column in forth:
        assert shown(back[column].sort_index()) == shown(forth[column]), column


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_tables_on_disk(name: str, tmp_path: Path) -> None:
    (tmp_path / "c.sgml").write_text("The <gp>p53</gp> gene.\n<gp>A1</gp>, who?\n", encoding="utf-8")
    (tmp_path / "list.txt").write_text("p53\n", encoding="utf-8")
    spec = f"sgml:{tmp_path / 'c.sgml'}"
    write_annotations(spec, tmp_path / name, features=["case"], word_lists=[f"mine={tmp_path / 'list.txt'}"])
    first = (tmp_path / name).read_bytes()
    read = pd.read_csv(tmp_path / name) if name.endswith("csv") else pd.read_parquet(tmp_path / name)
    assert read["in_list.mine"].tolist() == [True, False]
    assert read["case"].tolist() == ["lower", "upper"]
    write_annotations(spec, tmp_path / name, features=["case"], word_lists=[f"mine={tmp_path / 'list.txt'}"])
    assert (tmp_path / name).read_bytes() == first


@pytest.mark.parametrize(
    ("name", "features", "lists", "message"),
    [
        ("a.xlsx", None, [], "unknown kind of output"),
        ("a.csv", None, ["mine"], "mine"),
        ("a.csv", ["colour"], [], "unknown feature"),
        ("a.csv", ["in_list.mine"], [], r"in_list.mine needs the word list 'mine'; use --list mine=FILE"),
    ],
)
def test_wrong_outputs_features_and_lists_are_refused(
    name: str, features: list[str] | None, lists: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "c.sgml").write_text("The <gp>p53</gp> gene.\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        write_annotations(f"sgml:{tmp_path / 'c.sgml'}", tmp_path / name, features=features, word_lists=lists)


def test_every_gold_mention_of_a_real_corpus_is_annotated(shared_data: Path) -> None:
    read = read_corpus(f"bc2gm:{shared_data / 'bc2gm' / 'test'}")
    found = annotate(
        read, features=["list_type", "list_position", "position", "preceding_word", "appositive"]
    )
    assert len(found) == 6331
    assert found["position"].notna().all()
    members = found["list_type"] != "none"
    assert (members == (found["list_position"] != "single")).all()
    assert 0.15 < members.mean() < 0.35
    assert set(found["appositive"]) == {"none", "symbol_after_name", "name_after_symbol"}
