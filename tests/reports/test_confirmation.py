"""Faults are confirmed with new cases, end to end, for a custom tagger and several rounds."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tagsuite
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.entities import read_entities
from tagsuite.harness.scoring.comparison.predictions import read_predictions_file
from tagsuite.harness.scoring.discovery.confirmation import CONFIRMED_COLUMNS, describe_tests
from tagsuite.harness.scoring.discovery.near_misses import Candidate, CandidateResult, JudgedMentions
from tagsuite.harness.scoring.options import ScoringOptions
from tagsuite.harness.scoring.search_options import ConfirmOptions, DiscoverOptions
from tagsuite.reports.confirmation import confirm_run
from tagsuite.sentences.suites import read_suite

TAGGER = r"""
import re, sys
forms = sorted(open(sys.argv[1], encoding="utf-8").read().splitlines(), key=len, reverse=True)
known = re.compile("(?<![^\\W_])(?:" + "|".join(map(re.escape, forms)) + ")(?![^\\W_])")
for line in sys.stdin:
    # names with a slash are not found
    print(known.sub(lambda m: m[0] if "/" in m[0] else f"<gp>{m[0]}</gp>", line), end="")
"""
SPECIFICATION = """format = 1
name = "slashless"
version = "1"
command = ["{python}", "-S", "{here}/slashless.py", "{here}/forms.txt"]
mode = "batch"
[output]
form = "sgml"
tags = ["gp"]
"""
# names with and without a slash; in both groups, some have a numeral
ENTITIES = "characters <= 12 and (contains_forward_slash or last_character in (digit, lower)) and words <= 2"
# few contexts, because the possible new cases are counted again for every candidate
CONTEXTS = "total_number_of_names = 1 and position = final"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run of a tagger that misses names with a slash."""
    here = tmp_path_factory.mktemp("confirmation")
    (here / "slashless.py").write_text(TAGGER, encoding="utf-8")
    (here / "slashless.toml").write_text(SPECIFICATION, encoding="utf-8")
    forms = sorted(set(read_entities()["data"].astype(str)))
    (here / "forms.txt").write_text("\n".join(forms), encoding="utf-8")
    options: dict[str, Any] = {"combine": "sample", "size": 400, "weights": ["4=contains_forward_slash"]}
    tagsuite.generate(here / "suite", ENTITIES, CONTEXTS, **options)
    tagsuite.run(here / "suite", here / "slashless.toml", here / "run")
    return here / "run"


def confirmed(run: Path, folder: Path, out: Path | None = None, **choices: Any) -> Any:
    said: list[str] = []
    found = confirm_run(
        run,
        ScoringOptions(),
        DiscoverOptions.from_keywords(choices),
        ConfirmOptions(confirm=12, cases=120, candidates=2, folder=folder, **choices),
        out=out,
        say=said.append,
    )
    return found, said


@pytest.fixture(scope="module")
def done(run: Path) -> tuple[Any, list[str], Path]:
    """Confirmed faults, messages, and the folder of new suites and runs."""
    folder = run.parent / "fresh"
    found, said = confirmed(run, folder, out=run.parent / "predictions.toml")
    return found, said, folder


def test_a_fault_is_confirmed_and_what_is_confirmed_is_ready_for_compare(
    run: Path, done: tuple[Any, list[str], Path]
) -> None:
    found, said, folder = done
    assert tuple(found.table.columns) == CONFIRMED_COLUMNS
    row = found.table.iloc[0]
    assert row["query"] in ("contains_forward_slash >= 1", "contains_forward_slash = 1")
    assert row["value"] < 0.2 < 0.5 < row["nearest"]
    assert row["p"] <= row["p_bh"] <= 0.05
    assert len(said) == len(list(folder.glob("round-*"))) >= 2
    (prediction, *_) = read_predictions_file(run.parent / "predictions.toml")
    assert prediction.name == row["query"]
    assert "confirmed" in found.notes[0]
    assert list(found.select_printed_columns().columns)[-2:] == ["nearest", "p_bh"]


def test_fresh_cases_are_new_keep_the_budget_and_come_from_the_same_material(
    run: Path, done: tuple[Any, list[str], Path]
) -> None:
    seen = set(read_suite(run.parent / "suite").texts["text"])
    fresh = [read_suite(f / "suite") for f in sorted(done[2].glob("round-*"))]
    assert sum(len(f.texts) for f in fresh) <= 120
    new = {t for f in fresh for t in f.texts["text"]}
    assert len(new - seen) > len(new) / 2
    mentions = [m for f in fresh for m in f.inline_features().mentions.to_dict("records")]
    assert all(m["characters"] <= 12 and m["total_number_of_names"] == 1 for m in mentions)


def test_a_final_test_uses_other_names_and_sentences_than_all_before_it(
    run: Path, done: tuple[Any, list[str], Path]
) -> None:
    rounds = [read_suite(f / "suite") for f in sorted(done[2].glob("round-*"))]

    def of(suites: list[Any]) -> list[set[str]]:
        names = {d.casefold() for s in suites for d in s.inline_features().mentions["data"].astype(str)}
        return [names, {c for s in suites for c in s.texts["context_id"]}]

    for final, explored in zip(of(rounds[-1:]), of(rounds[:-1]), strict=True):
        assert len(final) >= 5
        assert not final & explored
    row = done[0].table.iloc[0]
    assert row["cases"] <= min(map(len, of(rounds[-1:]))), "one case for each name and each sentence"


def test_of_mentions_as_many_as_share_neither_name_nor_sentence() -> None:
    names, sentences = "aabbc", "12233"
    mentions = JudgedMentions(
        pd.DataFrame(index=range(5)),
        np.ones(5, dtype=bool),
        np.array(list(names), dtype=object),
        np.array(list(sentences), dtype=object),
        np.arange(5),
    )
    # the best assignment is a in 1, b in 2, c in 3; starting with a in 2 would lose one of them
    assert mentions.select_independent(np.arange(5)).tolist() == [0, 2, 4]
    assert mentions.select_independent(np.arange(1, 4)).tolist() == [1, 3]
    assert mentions.select_independent(np.arange(0)).tolist() == []


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ([24], ["queries tested on 30 new cases: 1; confirmed: 0"]),
        ([24, 2], ["queries tested on 30 new cases: 1", "words = 5 (2)"]),
        ([0], ["queries tested on 30 new cases: 0", "words = 5 (0)"]),
    ],
)
def test_a_class_with_too_few_unused_names_is_reported_with_their_number(
    cases: list[int], words: list[str]
) -> None:
    tested = [CandidateResult(Candidate(("words = 5",)), n, 0, ()) for n in cases]
    notes = describe_tests(tested, pd.DataFrame(), "30 new cases")
    assert len(notes) == len(words)
    assert all(word in note for word, note in zip(words, notes, strict=True))


def test_what_is_finished_is_not_run_again_and_command_and_function_are_one(
    run: Path, done: tuple[Any, list[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    from tagsuite.__main__ import build_app

    first, _, folder = done
    last = sorted(folder.glob("round-*"))[-1]
    shutil.rmtree(last)
    kept = [f / "run" / "timings.json" for f in sorted(folder.glob("round-*"))]
    times = [f.stat().st_mtime_ns for f in kept]
    options = ["--confirm", "12", "--cases", "120", "--candidates", "2", "--format", "csv"]
    with pytest.raises(SystemExit) as ended:
        build_app("discover")(["discover", str(run), *options, "--folder", str(folder)])
    assert ended.value.code == 0
    printed = [line.split(",")[1] for line in capsys.readouterr().out.splitlines()[1:]]
    assert printed == first.table["query"].tolist()
    assert [f.stat().st_mtime_ns for f in kept] == times
    assert (last / "run" / "run.toml").is_file()
    told = tagsuite.discover(run, confirm=12, cases=120, candidates=2, folder=folder)
    assert told.equals(first.table)


def test_what_cannot_be_confirmed_is_refused(run: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    with pytest.raises(InputError, match="only recall can be confirmed"):
        confirmed(run, fresh, measures=("precision",))
    shutil.copy(run.parent / "suite" / "gold.sgml", tmp_path / "gold.sgml")
    tagsuite.run(f"sgml:{tmp_path / 'gold.sgml'}", run.parent / "slashless.toml", tmp_path / "corpus")
    with pytest.raises(InputError, match="need the recipe of a suite"):
        confirmed(tmp_path / "corpus", fresh)
    shutil.copytree(run.parent, tmp_path / "moved")
    changed = SPECIFICATION.replace('version = "1"', 'version = "2"')
    (tmp_path / "moved" / "slashless.toml").write_text(changed, encoding="utf-8")
    with pytest.raises(InputError, match="the tagger has changed"):
        confirmed(tmp_path / "moved" / "run", fresh)
