"""`tagsuite run --recorded`: recorded output in a run folder."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.folder.recording import record_predictions
from tagsuite.harness.running.folder.runs import read_run
from tagsuite.harness.running.run import run

Command = Callable[..., subprocess.CompletedProcess[str]]
GOLD = "the <gp>p53</gp> gene\nα and <gp>MDM2</gp> bind\nnothing here\n"
TAGGED = "the <gp>p53 gene</gp>\n<gp>α</gp> and <gp>MDM2</gp> bind\nnothing here\n"
SPANS = [(0, 4, 12), (1, 0, 1), (1, 6, 10)]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Write a corpus and recorded output of a tagger for it."""
    (tmp_path / "gold.sgml").write_text(GOLD, encoding="utf-8")
    (tmp_path / "tagged.sgml").write_text(TAGGED, encoding="utf-8")
    return f"sgml:{tmp_path / 'gold.sgml'}", f"sgml:{tmp_path / 'tagged.sgml'}"


def test_the_command_makes_a_run_folder(files: tuple[str, str], tmp_path: Path, tagsuite: Command) -> None:
    out = tmp_path / "run"
    given = ["--recorded", files[1], "--tagger-name", "old", "--tagger-version", "2.1", "--out", out]
    done = tagsuite("run", files[0], *given, "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "run,tagger,corpus,cases,mentions,ok,unplaced,strays\nrun,old@2.1,sgml:gold.sgml,3,3,3,0,0\n"
    )
    made = read_run(out)
    places = {text: i for i, text in enumerate(made.outcomes["case_id"])}
    frame = made.predictions
    found = zip(frame["text_id"].map(places), frame["start"], frame["end"], strict=True)
    assert sorted(found) == SPANS
    assert set(frame["side"]) == {"predicted"}
    assert made.outcomes["outcome"].tolist() == ["ok"] * 3
    assert len(made.load_corpus().mentions) == 2
    assert tomllib.loads((out / "run.toml").read_text())["run"]["mode"] == "recorded"


def test_its_tables_are_those_of_any_run(files: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "cat.toml").write_text('format = 1\nname = "cat"\ncommand = ["cat"]\n', encoding="utf-8")
    run(files[0], tmp_path / "cat.toml", tmp_path / "run", cache=False)
    record_predictions(*files, "old", tmp_path / "recorded")
    for name in ("predictions.parquet", "outcomes.parquet"):
        own, other = (pq.read_schema(tmp_path / place / name) for place in ("recorded", "run"))
        assert own.equals(other, check_metadata=True), name


NAMES = [
    ("_old+2-β.x", "", "all signs that the message allows"),
    (".old", "invalid tagger name", "a name that hides a file"),
]


@pytest.mark.parametrize(("name", "told", "why"), NAMES, ids=[n[2] for n in NAMES])
def test_names_of_taggers(name: str, told: str, why: str, files: tuple[str, str], tmp_path: Path) -> None:
    if not told:
        assert record_predictions(*files, name, tmp_path / "run").tagger == f"{name}@recorded", why
        return
    with pytest.raises(InputError, match=told):
        record_predictions(*files, name, tmp_path / "run")


def test_the_same_record_is_left_and_another_is_refused(files: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "run"
    record_predictions(*files, "old", out)
    before = (out / "run.toml").stat().st_mtime_ns
    record_predictions(*files, "old", out)
    assert (out / "run.toml").stat().st_mtime_ns == before
    with pytest.raises(InputError, match="not empty"):
        record_predictions(*files, "other", out)
    assert record_predictions(*files, "other", out, force=True).tagger == "other@recorded"


def test_what_does_not_belong_to_the_corpus_is_refused(files: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "tagged.sgml").write_text("quite <gp>another</gp> text\n", encoding="utf-8")
    with pytest.raises(InputError):
        record_predictions(*files, "old", tmp_path / "run")
    assert not (tmp_path / "run").exists()


WRONG = [
    ([], "--tagger, --recorded", "neither a tagger nor a record"),
    (["--tagger", "kex", "--recorded", "sgml:x"], "not both", "both"),
    (["--recorded", "sgml:x"], "--tagger-name", "a record of nobody"),
    (["--recorded", "sgml:x", "--tagger-name", "old", "--jobs", "2"], "--jobs", "jobs for nothing"),
    (["--tagger", "kex", "--tagger-name", "old"], "--recorded", "a name that the specification has"),
]


@pytest.mark.parametrize(("given", "message", "why"), WRONG, ids=[w[2] for w in WRONG])
def test_wrong_usage(
    given: list[str], message: str, why: str, files: tuple[str, str], tmp_path: Path, tagsuite: Command
) -> None:
    done = tagsuite("run", files[0], *given, "--out", tmp_path / "run")
    assert done.returncode == 2, why
    assert message in done.stderr.replace("\n", " ")
    assert not (tmp_path / "run").exists()
