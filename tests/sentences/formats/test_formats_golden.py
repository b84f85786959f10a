"""Tests of the readers on real corpora."""

from __future__ import annotations

import zipfile
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.text import remove_white_space
from tagsuite.sentences.corpus import MENTION_COLUMNS, Corpus
from tagsuite.sentences.formats import read_corpus, read_predictions, write_corpus


def spans(corpus: Corpus) -> set[tuple[str, int, int]]:
    return set(map(tuple, corpus.mentions[["text_id", "start", "end"]].to_numpy().tolist()))


def slices(corpus: Corpus, table: pd.DataFrame) -> list[str]:
    text = corpus.texts.set_index("text_id")["text"].to_dict()
    return [text[i][a:b] for i, a, b in zip(table["text_id"], table["start"], table["end"], strict=True)]


PUBLISHED = [
    # corpus, texts, mentions, alternatives, notes, recorded texts that differ
    ("bc2gm/train", 15000, 18265, 14499, 2, {"GENE.eval": 1, "ALTGENE.eval": 3}),
    ("bc2gm/test", 5000, 6331, 5068, 0, {"GENE.eval": 0, "ALTGENE.eval": 0}),
    # one alternative refers to a sentence that is not in the corpus (a digit of its id is missing)
    ("genetag/train", 7500, 8935, 6593 - 1, 4, {"Gold.format": 3}),
    ("genetag/test", 2500, 2987, 2158, 1, {"Gold.format": 0}),
]


@pytest.mark.parametrize(("spec", "texts", "gold", "alternatives", "notes", "unlike"), PUBLISHED)
def test_published_corpora(
    shared_data: Path, spec: str, texts: int, gold: int, alternatives: int, notes: int, unlike: dict[str, int]
) -> None:
    corpus = read_corpus(f"{spec.split('/')[0]}:{shared_data / spec}")
    assert corpus.alternatives is not None
    tables = [corpus.mentions, corpus.alternatives]
    assert [len(corpus.texts), *map(len, tables), len(corpus.notes)] == [texts, gold, alternatives, notes]
    assert tuple(corpus.mentions.columns) == MENTION_COLUMNS
    assert set(corpus.mentions["side"]) == {"gold"}
    assert corpus.mentions["mention_id"].is_unique
    assert corpus.name == spec.replace("/", ":")
    for (file, wrong), table in zip(unlike.items(), tables, strict=False):
        # ignoring case and white space; the other differences are faults of the published files
        recorded: Counter[tuple[str, str]] = Counter()
        for line in (shared_data / spec / file).read_text().splitlines():
            key, _, rest = line.partition("|")
            text = rest.partition("|")[2] or rest.partition(" ")[2].lstrip("0123456789")
            recorded[key, remove_white_space(text).casefold()] += 1
        pairs = zip(table["text_id"], slices(corpus, table), strict=True)
        found = Counter((key, remove_white_space(text).casefold()) for key, text in pairs)
        assert (found - recorded).total() == wrong


@pytest.mark.parametrize(("part", "count"), [("train", 9267), ("test", 3056)])
def test_recorded_predictions(shared_data: Path, part: str, count: int) -> None:
    gold = read_corpus(f"genetag:{shared_data / 'genetag' / part}")
    read = read_predictions(f"genetag:{shared_data / 'genetag' / part / 'Test.format'}", gold)
    assert len(read.mentions) == count
    assert set(read.mentions["side"]) == {"predicted"}
    assert read.texts is gold.texts
    assert read.notes == ()


def test_the_conll_edition_is_the_offsets_edition_without_overlaps(shared_data: Path) -> None:
    gold = read_corpus(f"bc2gm:{shared_data / 'bc2gm' / 'test'}")
    plain = read_corpus(f"conll:{shared_data / 'bc2gm' / 'conll' / 'test.tsv'}")
    assert (len(plain.texts), len(plain.mentions)) == (5000, 6325)
    assert set(plain.mentions["type"]) == {"GENE"}
    laid = read_predictions(f"conll:{shared_data / 'bc2gm' / 'conll' / 'test.tsv'}", gold)
    assert spans(laid) < spans(gold)
    assert len(spans(gold) - spans(laid)) == 6


def test_jnlpba_is_read_as_shipped_with_its_document_ids(shared_data: Path, tmp_path: Path) -> None:
    found = read_corpus(f"conll:{shared_data / 'jnlpba' / 'Genia4EReval2.iob2'}")
    assert (len(found.texts), found.texts["document_id"].nunique(), len(found.mentions)) == (3856, 402, 8662)
    assert found.texts["document_id"].iloc[0] == "90092414"
    write_corpus(found, f"conll[comments=yes]:{tmp_path / 'own.conll'}")
    again = read_corpus(f"conll:{tmp_path / 'own.conll'}")
    assert again.texts.equals(found.texts)
    assert again.mentions.equals(found.mentions)


def test_our_conll_is_the_published_one(shared_data: Path, tmp_path: Path) -> None:
    """Check the CoNLL output against the published CoNLL edition.

    The tokeniser is the same; only the choice between two overlapping mentions can differ.
    """
    gold = read_corpus(f"bc2gm:{shared_data / 'bc2gm' / 'test'}", type="GENE")
    write_corpus(gold, f"conll:{tmp_path / 'test.tsv'}")
    ours = (tmp_path / "test.tsv").read_text().split("\n\n")
    theirs = (shared_data / "bc2gm" / "conll" / "test.tsv").read_text().split("\n\n")
    assert [[line.split("\t")[0] for line in t.strip().split("\n")] for t in ours] == [
        [line.split("\t")[0] for line in t.strip().split("\n")] for t in theirs
    ]
    assert sum(a.strip() != b.strip() for a, b in zip(ours, theirs, strict=True)) <= 6


@pytest.mark.parametrize(
    ("part", "counts"), [("norm", [1263, 65, 1256, 0, 0]), ("rel+ner", [1303, 65, 0, 608, 2])]
)
def test_bacteria_biotope(shared_data: Path, tmp_path: Path, part: str, counts: list[int]) -> None:
    """Check the numbers of mentions, discontinuous ones, identifiers, relations and equivalences."""
    name = f"BioNLP-OST-2019_BB-{part}_dev"
    with zipfile.ZipFile(shared_data / "bacteria_biotope" / f"{name}.zip") as archive:
        archive.extractall(tmp_path)
    corpus = read_corpus(f"bionlp:{tmp_path / name}")
    tables = (corpus.mentions, corpus.fragments, corpus.normalisations, corpus.relations, corpus.equivalences)
    columns = ("mention_id", "mention_id", None, "relation_id", "equivalence_id")
    found = [
        0 if t is None else len(t) if c is None else t[c].nunique()
        for t, c in zip(tables, columns, strict=True)
    ]
    assert (len(corpus.texts), found) == (66, counts)


def test_bioc_offsets_in_bytes_are_found_out(shared_data: Path) -> None:
    found = sorted((shared_data / "bioid" / "reference_case").rglob("9000001.xml"))
    corpus = read_corpus(f"bioc:{found[0]}")
    assert len(corpus.texts) == 5
    assert corpus.notes == ("offsets are read as bytes, which fits the recorded texts best",)
    with pytest.raises(InputError, match=r"differs from the text at its offsets|outside its text"):
        read_corpus(f"bioc[offsets=characters]:{found[0]}")
