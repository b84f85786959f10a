"""Tests of pos, which is trained, and of abgene, which replays recorded output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.harness.running.run import run
from tagsuite.harness.running.training import TrainingError, train_tagger
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.taggers.abgene.recorded import RecordError, read
from tagsuite.harness.taggers.pos.repair import repair
from tagsuite.harness.taggers.pos.tokens import Span, decode, encode, read_tagged, tokenise, write_tagged
from tagsuite.sentences.formats import read_corpus

Start = Callable[..., CompletedProcess[str]]
LESSONS = [
    "We saw that <gp>p53</gp> binds <gp>MDM2</gp>.",
    "The <gp>wee1</gp> gene and <gp>cdc25</gp> are expressed.",
    "No gene is mentioned in this sentence.",
    "Mutants of <gp>cdc2</gp> were viable.",
    "The <gp>IL-2 receptor</gp> was found on cells.",
] * 12


def test_training_through_the_command_and_a_run(tmp_path: Path, tagged: Callable[..., str]) -> None:
    pytest.importorskip("pycrfsuite")
    corpus = f"sgml:{tagged(LESSONS)}"
    train_tagger("pos", corpus, tmp_path / "model", {})
    train_tagger("pos", corpus, tmp_path / "again", {})
    assert (tmp_path / "model").read_bytes() == (tmp_path / "again").read_bytes()
    done = run(corpus, "pos", tmp_path / "run", options={"model": str(tmp_path / "model")})
    assert done.outcome_counts == {"ok": len(LESSONS)}
    found = done.predictions
    gold = read_corpus(corpus).mentions
    key = ["text_id", "start", "end", "type"]
    assert found[key].astype("str").to_numpy().tolist() == gold[key].astype("str").to_numpy().tolist()


def test_a_corpus_without_mentions_teaches_nothing(tmp_path: Path, tagged: Callable[..., str]) -> None:
    pytest.importorskip("pycrfsuite")
    with pytest.raises(TrainingError, match="exit code 1"):
        train_tagger("pos", f"sgml:{tagged(['No mention at all.'])}", tmp_path / "model", {})
    assert not (tmp_path / "model").exists()


def test_a_file_that_is_no_model_is_refused(start: Start, tagged: Callable[..., str]) -> None:
    done = start("pos", "tag", "--model", tagged(["not a model"], "model"), lines=["a"])
    assert done.returncode == 1
    assert "is not a model file of the pos tagger" in done.stderr
    assert "Traceback" not in done.stderr


@given(st.text(st.sampled_from(list("ab1-( )α")), min_size=1, max_size=30), st.data())
def test_tags_carry_mentions_of_whole_tokens(text: str, data: st.DataObject) -> None:
    places = tokenise(text)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(places)), max_size=6)))
    spans = [Span(places[a][0], places[b - 1][1], "gp") for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    assert decode(places, encode(places, spans)) == spans
    assert read_tagged(write_tagged(text, spans)) == (text, spans)


@pytest.mark.parametrize("line", ["a </gp>", "<gp> a", "<gp>a</x>"])
def test_tags_that_do_not_pair(line: str) -> None:
    with pytest.raises(ValueError, match=r"no opening tag|no closing tag"):
        read_tagged(line)


REPAIRS = [
    ("the <gp>IL-2) and</gp> so", "the <gp>IL-2</gp>) and so", "a bracket that opens before the mention"),
    ("the <gp>hTAF (II</gp>) gene", "the <gp>hTAF (II)</gp> gene", "a bracket that closes just after it"),
    ("<gp>growth hormone</gp> (GH) rose", "<gp>growth hormone</gp> (<gp>GH</gp>) rose", "an abbreviation"),
    ("<gp>growth hormone</gp> (XY)", "<gp>growth hormone</gp> (XY)", "letters that the name has not"),
    ("<gp>growth hormone</gp> (Rh)", "<gp>growth hormone</gp> (Rh)", "its first letter begins no word"),
    ("<gp>Raf (1)</gp> rose", "<gp>Raf (1)</gp> rose", "brackets that pair"),
]


@pytest.mark.parametrize(("given_line", "expected", "why"), REPAIRS, ids=[r[2] for r in REPAIRS])
def test_brackets_and_abbreviations(given_line: str, expected: str, why: str) -> None:
    text, spans = read_tagged(given_line)
    assert write_tagged(text, repair(text, spans)) == expected, why


def folder(place: Path, spans: str = "@@1|1 2|raf kinase\n") -> Path:
    place.mkdir()
    (place / "TOKENIZED_CORPUS").write_text(
        "@@1 The/TAG raf/TAG kinase/TAG (/TAG x/TAG )/TAG\n@@2 So/TAG ./.\n"
    )
    (place / "Test.format").write_text(spans)
    return place


def test_recorded_output_is_replayed(tmp_path: Path, tagged: Callable[..., str]) -> None:
    texts = ["The raf kinase (x)", "So.", "The raf kinase (y)"]
    inline = tagged(
        ["@@1/CD The/DT raf/NEWGENE kinase/MULTIGENE (/( x/GENE )/)", "@@2/CD So/RB ./."], "inline"
    )
    for name, place in (("a", str(folder(tmp_path / "recorded"))), ("b", inline)):
        done = run(f"sgml:{tagged(texts)}", "abgene", tmp_path / name, options={"recorded": place})
        assert done.outcome_counts == {"ok": 2, "garbage": 1}
        spans = done.predictions[["text_id", "start", "end"]].itertuples(index=False)
        words = [texts[int(text)][start:end] for text, start, end in spans]
        assert words == (["raf kinase"] if name == "a" else ["raf kinase", "x"])


def test_what_was_recorded_in_two_ways_is_not_chosen_from(tagged: Callable[..., str]) -> None:
    record = read(Path(tagged(["@@1 a/GENE b/NN", "@@2 a/NN b/NN", "@@3 c/GENE d/NN"])))
    assert record.find("a b") is None
    assert record.find("cd") == [(0, 1)]


UNREADABLE = [
    ("@@1|5 6|x\n", "line 1"),
    ("@@9|0 0|x\n", "no sentence @@9"),
    ("nothing\n", "no sentence nothing"),
]


@pytest.mark.parametrize(("spans", "said"), UNREADABLE)
def test_recorded_output_that_cannot_be_read(spans: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=said):
        read(folder(tmp_path / "recorded", spans))


def test_abgene_gives_the_published_counts(tmp_path: Path, shared_data: Path) -> None:
    source = shared_data / "genetag" / "test"
    done = run(f"genetag:{source}", "abgene", tmp_path / "run", options={"recorded": str(source)})
    assert done.outcome_counts == {"ok": 2500}
    lines = (source / "abgene" / "eval.out").read_text(encoding="utf-8").splitlines()
    gold = read_corpus(f"genetag:{source}")
    row = score(gold, done.predictions, notions=["strict"], alternatives="published").table.iloc[0]
    verdicts = [line.partition("|")[0].lstrip("*") for line in lines if "|" in line]
    expected = [verdicts.count(verdict) for verdict in ("TP", "FP", "FN")]
    assert [row["tp"], row["fp"], row["fn"]] == expected


@pytest.mark.full
def test_pos_on_bc2gm(tmp_path: Path, shared_data: Path) -> None:
    pytest.importorskip("pycrfsuite")
    train_tagger("pos", f"bc2gm:{shared_data / 'bc2gm' / 'train'}", tmp_path / "model", {})
    test = f"bc2gm:{shared_data / 'bc2gm' / 'test'}"
    done = run(test, "pos", tmp_path / "run", options={"model": str(tmp_path / "model")})
    gold = read_corpus(test)
    plain = score(gold, done.predictions, notions=["strict"])
    published = score(gold, done.predictions, notions=["strict"], alternatives="published")
    for scores, least in ((plain, 0.722), (published, 0.841)):
        assert scores.table.iloc[0]["f1"] > least
