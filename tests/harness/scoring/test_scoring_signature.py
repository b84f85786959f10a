"""Signatures contain all that affects scores, such as the content of a tagger and the pairing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tagsuite.harness.running.folder.recording import record_predictions
from tagsuite.harness.running.run import run
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.options import ScoringOptions
from tagsuite.harness.scoring.score_runs import score_runs

from .conftest import Made, make_pair

PROGRAM = """import re, sys
for line in sys.stdin:
    sys.stdout.write(re.sub(r"{pattern}", r"<gp>\\\\g<0></gp>", line))
"""
SPECIFICATION = """format = 1
name = "same"
{version}command = ["{{python}}", "-S", "{{here}}/program.py"]
files = ["program.py"]
[input]
form = "lines"
[output]
form = "sgml"
"""
GOLD = "We saw <gp>IL-2</gp> and <gp>p53</gp>.\n"


def tagger(folder: Path, pattern: str, version: str = 'version = "1"\n') -> Path:
    """Return the specification of a program; all have the same name and version."""
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM.format(pattern=pattern), encoding="utf-8")
    (folder / "same.toml").write_text(SPECIFICATION.format(version=version), encoding="utf-8")
    return folder / "same.toml"


def part(folder: Path) -> str:
    """Return the part of a run's signature for the tagger."""
    (scores,) = score_runs([folder], ScoringOptions(notions=("strict",)))
    return str(scores.table["signature"].iloc[0]).split("|")[1]


def test_two_programs_of_one_name_and_version_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "gold.sgml").write_text(GOLD, encoding="utf-8")
    source = f"sgml:{tmp_path / 'gold.sgml'}"
    taggers = {"one": "IL-2", "again": "IL-2", "other": "p53"}
    parts = {}
    for name, pattern in taggers.items():
        done = run(source, tagger(tmp_path / name, pattern), tmp_path / f"run-{name}", cache=False)
        assert done.outcome_counts["ok"] == 1, done.meta
        assert done.tagger == "same@1"
        assert done.signature.split("|")[1] == done.tagger_part, "run.toml says the same"
        parts[name] = part(done.folder)
    assert parts["one"].startswith("tagger:same@1#")
    assert parts["one"] == parts["again"], "wherever it stands"
    assert parts["one"] != parts["other"]
    unversioned = run(source, tagger(tmp_path / "none", "IL", ""), tmp_path / "run-none", cache=False)
    assert unversioned.tagger_part == f"tagger:{unversioned.tagger}", "the digest is its version already"


def test_what_was_recorded_is_told_apart_by_its_mentions(tmp_path: Path) -> None:
    parts = []
    for name, content in (("gold", GOLD), ("guess", GOLD.replace("<gp>p53</gp>", "p53"))):
        (tmp_path / f"{name}.sgml").write_text(content, encoding="utf-8")
        places = (f"sgml:{tmp_path / 'gold.sgml'}", f"sgml:{tmp_path / name}.sgml")
        parts.append(part(record_predictions(*places, "mine", tmp_path / f"run-{name}", version="1").folder))
    assert len(set(parts)) == 2
    assert all(p.startswith("tagger:mine@1#") for p in parts)


@pytest.mark.parametrize(
    ("notion", "pairing", "named"),
    [
        ("strict", "any", "any"),
        ("strict", "one-to-one", "one-to-one"),
        ("muc_strict", "any", "muc"),
        ("muc_partial", "greedy", "muc"),
        ("overlap_credit", "any", "greatest-total"),
        ("slot_error", "any", "greatest-total"),
        ("iob2_strict", "any", "labels"),
    ],
)
def test_the_signature_names_the_pairing_that_was_made(notion: str, pairing: Any, named: str) -> None:
    pair = make_pair(["IL-2 binds"], [Made(0, ((0, 4),))], [Made(0, ((0, 4),))])
    signature = score(*pair, notions=[notion], pairing=pairing).table["signature"].iloc[0]
    assert f"|notion:{notion}|pairing:{named}|" in signature
