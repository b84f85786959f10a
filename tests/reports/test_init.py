"""`tagsuite init` writes a study that runs, and errors in it are reported with the next step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.catalogues.core.errors import InputError
from tagsuite.reports.study.starter import STARTER_FILES, write_starter


def test_the_folder_runs_as_it_is(tmp_path: Path, tagsuite: Call) -> None:
    made = tagsuite("init", "mine", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert sorted(p.name for p in (tmp_path / "mine").iterdir()) == sorted([".tagsuite.toml", *STARTER_FILES])
    assert all(name in made.stdout for name in STARTER_FILES)
    assert "tagsuite study study.toml" in made.stderr
    done = tagsuite("study", "study.toml", "--out", "results", cwd=tmp_path / "mine")
    assert done.returncode == 0, done.stderr
    for told in ("mine F", "lower-case forms", "symbols in capitals", "passed, uncertain", "≤"):
        assert told in done.stdout
    assert (tmp_path / "mine" / "results" / "scores.csv").is_file()

    # a criterion without a query is checked, but does not become a class that repeats "all"
    scores = (tmp_path / "mine" / "results" / "scores.csv").read_text(encoding="utf-8")
    assert "sentences without a name" not in scores
    accepted = (tmp_path / "mine" / "results" / "acceptance.csv").read_text(encoding="utf-8")
    assert "sentences without a name,all,strict,false_alarms" in accepted

    # a failed criterion gives exit status 1 and a list of sentences
    criteria = tmp_path / "mine" / "criteria.toml"
    criteria.write_text(criteria.read_text().replace("max_false_alarms = 0.75", "max_false_alarms = 0.1"))
    failed = tagsuite("study", "study.toml", "--out", "results", cwd=tmp_path / "mine")
    assert failed.returncode == 1
    assert "sentences without a name: false_alarms" in failed.stderr
    assert "false alarm '" in failed.stderr


MISTAKES = [
    # file, text to replace, new text, exit status, expected message
    ("study.toml", 'tagger = "tagger.toml"', 'tagger = "tager.toml"', 2, ("tager.toml", "no such tagger")),
    ("study.toml", "type = fp", "type = fq", 2, ("study.toml: suite[1]", "tp, fp")),
    ("study.toml", 'tagger = "tagger.toml"', 'tagger = "dictionary"', 2,
     ("needs the option terms", "options =")),
    ("study.toml", "sgml:corpus.sgml", "sgml:nowhere.sgml", 2,
     ("nowhere.sgml", "no such file", "a path relative to the study file")),
    ("tagger.toml", '"sh", "{here}', '"nosuchprogram", "{here}', 2,
     ("no such program", "nosuchprogram", "correct the key command")),
    ("tagger.sh", "exec sed", "sed 3", 1, ("crash", "missing command", "tagsuite taggers check", "results")),
    ("classes.toml", 'name = "with a hyphen"', 'name = "short symbols"', 2, ("classes.toml", "same name")),
    ("criteria.toml", "min_recall = 0.85", "", 2, ("criteria.toml", "min_recall, min_precision")),
    ("study.toml", "[score]", '[score]\nnotions = ["sloppy"]', 2,
     ("criteria.toml", "symbols in capitals", "strict", "allowed: sloppy")),
    ("corpus.sgml", "<gp>TP53</gp>", "<gp>TP53", 2, ("corpus.sgml:1", "gp")),]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new", "status", "told"), MISTAKES, ids=[f"{m[0]}: {m[2]}" for m in MISTAKES]
)
def test_a_mistake_is_told_with_the_next_step(
    tagsuite: Call,
    refused: Callable[..., str],
    tmp_path: Path,
    name: str,
    old: str,
    new: str,
    status: int,
    told: tuple[str, ...],
) -> None:
    folder = tmp_path / "mine"
    write_starter(folder)
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new), encoding="utf-8")
    asked = ("study", folder / "study.toml", "--out", folder / "results")
    if status == 2:
        message = refused(*asked)
    else:
        result = tagsuite(*asked)
        assert result.returncode == status, result.stderr
        message = result.stderr
    for part in told:
        assert part in message


def test_a_bundled_tagger_and_a_corpus_of_ones_own(tmp_path: Path) -> None:
    corpus = tmp_path / "mine.sgml"
    corpus.write_text("<gp>ATM</gp> is a kinase.\n", encoding="utf-8")
    written = write_starter(tmp_path / "folder", tagger="kex", corpus=f"sgml:{corpus}")
    assert set(written) == set(STARTER_FILES) - {"tagger.toml", "tagger.sh", "corpus.sgml"}
    study = (tmp_path / "folder" / "study.toml").read_text(encoding="utf-8")
    assert 'tagger = "kex"' in study
    assert f'gold = "sgml:{corpus}"' in study
    assert "tagger.sh" not in (tmp_path / "folder" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("tagger", "corpus", "told"),
    [
        ("none.toml", "", "no such tagger specification"),
        ("", "sgml:plain.sgml", "contains no mentions"),
    ],
)
def test_wrong_taggers_and_corpora_are_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tagger: str, corpus: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain.sgml").write_text("No gene.\n", encoding="utf-8")
    with pytest.raises(InputError, match=told):
        write_starter(Path("folder"), tagger=tagger, corpus=corpus)
    assert not Path("folder").exists()


def test_types_of_ones_own(tmp_path: Path, tagsuite: Call) -> None:
    made = tagsuite("init", "mine", "--types", "chemical,disease", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    folder = tmp_path / "mine"
    assert tagsuite("sentences", "check", "contexts.xml", cwd=folder).returncode == 0
    done = tagsuite("study", "study.toml", "--out", "results", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "mine finds 100.0" in done.stdout
    gold = (folder / "results" / "suites" / "suite" / "gold.sgml").read_text(encoding="utf-8")
    assert "<chemical>" in gold
    assert "<disease>" in gold
    for words, problem in (
        (("--types", "rare disease"), "a type cannot be written as a tag"),
        (("--types", ","), "a type cannot be written as a tag"),
        (("--types", "disease", "--tagger", "kex"), "cannot be combined"),
    ):
        refused = tagsuite("init", "other", *words, cwd=tmp_path)
        assert refused.returncode == 2
        assert problem in refused.stderr
