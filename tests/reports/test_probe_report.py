"""`tagsuite probe length` writes its files, table and messages."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

PLANTED = Path(__file__).parents[1] / "harness" / "probing" / "planted.py"


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory, tagsuite: Call) -> tuple[Path, CompletedProcess[str]]:
    """Output folder of a probe of a tagger that reads in windows, and the finished command."""
    folder = tmp_path_factory.mktemp("probe")
    words = [sys.executable, str(PLANTED), "--window", "128", "--overlap", "16", "--answers", "listed"]
    specification = f'format = 1\nname = "planted"\nversion = "1"\ncommand = {json.dumps(words)}\n'
    specification += '[input]\nform = "jsonl"\n[output]\nform = "jsonl"\n'
    (folder / "planted.toml").write_text(specification, encoding="utf-8")
    called = (
        f"probe length --tagger {folder / 'planted.toml'} --most 600 --out {folder / 'out'} --format json"
    )
    done = tagsuite(*called.split())
    assert done.returncode == 0, done.stderr
    return folder / "out", done


def test_the_table_says_what_was_found(probed: tuple[Path, CompletedProcess[str]]) -> None:
    out, done = probed
    (row,) = json.loads(done.stdout)["length"]
    assert (row["verdict"], row["seam_from"], row["seam_to"]) == ("windows", 112, 128)
    assert row["seam_step"] == 112
    assert json.loads((out / "length.json").read_text(encoding="utf-8")) == json.loads(done.stdout)


def test_every_place_is_in_the_file_of_probes(probed: tuple[Path, CompletedProcess[str]]) -> None:
    with (probed[0] / "probes.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    (row,) = json.loads(probed[1].stdout)["length"]
    assert len({r["call"] for r in rows}) == row["calls"]
    # a name of four words that begins at word 112 to 124 is in two windows
    twice = {int(r["words_before"]) for r in rows if r["times"] == "2" and int(r["words_before"]) < 200}
    assert twice == set(range(112, 125))


def test_the_report_draws_how_many_were_found(probed: tuple[Path, CompletedProcess[str]]) -> None:
    page = (probed[0] / "report.html").read_text(encoding="utf-8")
    for part in (
        "Windows with a seam at words 112 to 128, and then every 112 words",
        "Mentions found, by number of words before them",
        "track range",
    ):
        assert part in page
