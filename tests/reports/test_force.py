"""For each command, `--force` replaces the command's own output folder and nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

Files = dict[str, bytes]

MARKER = ".tagsuite.toml"
STUDY = """format = 1
title = "t"
[[suite]]
name = "s"
[[suite.part]]
combine = "sample"
size = 4
entities = "case = upper"
[[tagger]]
name = "k"
tagger = "kex"
[invariance]
perturb = ["case"]
"""
DOCUMENTS = [{"document": "a", "terms": ["Nose", "Ear"]}]
EVALUATE = "evaluate indexing --gold gold.jsonl --predicted gold.jsonl --tree tree.bin --out"
# arguments of a command before its output folder
COMMANDS = {
    "generate": "generate --entities case=upper --combine sample --size 5 --out",
    "run": "run suite --tagger kex --times 2 --out",
    "recorded": "run suite --recorded suite:suite --tagger-name t --out",
    "report": "report run --out",
    "init": "init",
    "invariance": "invariance suite --tagger kex --perturb case --out",
    "indexing": EVALUATE,
    "probe": "probe length --tagger kex --most 64 --out",
    "discover": "discover run --confirm 12 --cases 24 --candidates 1 --folder",
    "study": "study study.toml --out",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, tagsuite: Call) -> Path:
    """Folder with inputs and the output folder of each command."""
    here = tmp_path_factory.mktemp("force")
    (here / "study.toml").write_text(STUDY, encoding="utf-8")
    (here / "tree.bin").write_text("Body;A01\nNose;A01.100\nEar;A01.200\n", encoding="utf-8")
    lines = [json.dumps(line) + "\n" for line in DOCUMENTS]
    (here / "gold.jsonl").write_text("".join(lines), encoding="utf-8")
    words = "generate --entities case=upper --combine sample --size 200 --seed 3 --out suite"
    assert tagsuite(*words.split(), cwd=here).returncode == 0
    assert tagsuite("run", "suite", "--tagger", "kex", "--out", "run", cwd=here).returncode == 0
    for name, command in COMMANDS.items():
        done = tagsuite(*command.split(), f"out-{name}", cwd=here)
        assert done.returncode == 0, (name, done.stderr)
    return here


def contents(folder: Path) -> Files:
    found = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}


@pytest.mark.parametrize("name", COMMANDS)
def test_force_replaces_what_the_same_command_wrote(
    name: str, made: Path, tmp_path: Path, tagsuite: Call
) -> None:
    command = COMMANDS[name]
    out = tmp_path / "out"
    shutil.copytree(made / f"out-{name}", out)
    before = contents(out)
    assert MARKER in before
    forced = partial(tagsuite, *command.split(), out, "--force", cwd=made)
    # a folder with a user's file
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    done = forced()
    assert (done.returncode, "not part of" in done.stderr, "mine.txt" in done.stderr) == (2, True, True)
    assert contents(out).items() > before.items()
    (out / "mine.txt").unlink()
    # folders of the same command, finished and unfinished
    for lost in (None, sorted(before)[-1]):
        if lost is not None:
            (out / lost).unlink()
        done = forced()
        assert done.returncode == 0, done.stderr
        assert contents(out).keys() == before.keys()
    # folders without a marker
    (out / MARKER).unlink()
    done = forced()
    assert done.returncode == 2
    assert "no marker" in done.stderr
    assert contents(out).keys() - {MARKER} == before.keys() - {MARKER}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("content", ["suite", "report", "mine"])
def test_force_replaces_nothing_else(
    name: str, content: str, made: Path, tmp_path: Path, tagsuite: Call
) -> None:
    out = tmp_path / "out"
    if content == "mine":
        out.mkdir()
        (out / "mine.txt").write_text("mine", encoding="utf-8")
    else:
        shutil.copytree(made / {"suite": "out-generate", "report": "out-report"}[content], out)
    if (name, content) in {("generate", "suite"), ("report", "report")}:
        pytest.skip("its own")
    before = contents(out)
    for force in ([], ["--force"]):
        done = tagsuite(*COMMANDS[name].split(), out, *force, cwd=made)
        assert done.returncode == 2, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        assert contents(out) == before


INPUTS = [
    ("run . --tagger kex --out . --force", "suite", "the suite itself, from within"),
    ("run suite --tagger kex --out suite --force", "", "the suite itself"),
    ("generate --from suite --out suite --force", "", "the recipe"),
    ("report out-run --scores out-report/scores.csv --out out-report --force", "", "a score table"),
    ("run parquet:out-run --tagger kex --out out-run --force", "", "a corpus"),
    ("run suite --recorded parquet:out-run --tagger-name t --out out-run --force", "", "predictions"),
    ("study study.toml --out . --force", "", "the folder of the study"),
    ("demo --out . --force", "", "a folder of other things"),
    ("study ../study.toml --out . --force", "out-study", "the current directory"),
    ("sentences convert parquet:tables parquet[force=yes]:tables", "", "a corpus that is converted"),
]


@pytest.mark.parametrize(("command", "inside", "why"), INPUTS, ids=[i[2] for i in INPUTS])
def test_an_input_is_not_replaced(command: str, inside: str, why: str, made: Path, tagsuite: Call) -> None:
    if "tables" in command and not (made / "tables").exists():
        assert tagsuite("sentences", "convert", "suite", "parquet:tables", cwd=made).returncode == 0
    before = contents(made)
    done = tagsuite(*command.split(), cwd=made / inside)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), why
    assert contents(made) == before, why


def test_a_study_without_force_continues_and_with_force_begins_again(
    made: Path, tmp_path: Path, tagsuite: Call
) -> None:
    out = tmp_path / "out"
    shutil.copytree(made / "out-study", out)
    run = out / "runs" / "k--s" / "timings.json"
    time = run.stat().st_mtime_ns
    assert tagsuite("study", "study.toml", "--out", out, cwd=made).returncode == 0
    assert run.stat().st_mtime_ns == time
    (out / "discovered").mkdir()
    (out / "discovered" / "old.toml").write_text("", encoding="utf-8")
    (tmp_path / "wrong.toml").write_text(STUDY.replace('"kex"', '"no-such-tagger"'), encoding="utf-8")
    assert tagsuite("study", tmp_path / "wrong.toml", "--out", out, "--force").returncode == 2
    assert run.stat().st_mtime_ns == time, "a study that cannot be run deletes nothing"
    assert tagsuite("study", "study.toml", "--out", out, "--force", cwd=made).returncode == 0
    assert run.stat().st_mtime_ns != time
    assert not (out / "discovered").exists()


def test_folders_without_a_marker_are_read_as_before(made: Path, tmp_path: Path, tagsuite: Call) -> None:
    for name in ("suite", "run"):
        shutil.copytree(made / name, tmp_path / name)
    scored = [tagsuite("score", "run", "--format", "csv", cwd=tmp_path).stdout]
    for name in ("suite", "run"):
        (tmp_path / name / MARKER).unlink()
    scored.append(tagsuite("score", "run", "--format", "csv", cwd=tmp_path).stdout)
    assert scored[0] == scored[1] != ""


WRITER = """
import sys, time
from tagsuite.catalogues.core.output_folder import atomic_folder

with atomic_folder(sys.argv[1], "suite") as folder:
    print("begun", flush=True)
    sys.stdin.read()
    (folder / "raw.txt").write_text("first")
"""


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_of_two_generate_into_one_folder_the_second_is_refused(
    force: list[str], tmp_path: Path, refused: Callable[..., str]
) -> None:
    out = tmp_path / "out"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, out], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "begun\n"
        told = refused("generate", "--combine", "sample", "--size", "3", "--out", out, *force)
        assert "another process is writing into this folder" in told
        first.communicate("")
    assert first.returncode == 0
    assert (out / "raw.txt").read_text(encoding="utf-8") == "first"
