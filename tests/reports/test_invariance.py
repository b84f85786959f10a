"""Invariance tests, end to end, find the exact failure rates of a tagger with known weaknesses."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pandas as pd
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

import tagsuite as package
from tagsuite.catalogues.core.errors import InputError
from tagsuite.generator.perturbing.options import PerturbOptions
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.options import ClassOptions, ScoringOptions
from tagsuite.reports.build import make_report
from tagsuite.reports.files import render_report
from tagsuite.reports.invariance.folder import CHANGE_COLUMNS, RATE_COLUMNS, InvarianceResult, read_invariance
from tagsuite.reports.invariance.run import run_invariance
from tagsuite.reports.options import ReportOptions
from tagsuite.sentences.formats import read_corpus

# finds the word before "binds", unless it has no capital letter or contains α; exits at a β
TAGGER = r"""
import re, sys
for line in sys.stdin:
    if "β" in line:
        sys.exit(1)
    def found(m):
        return m[0] if m[1] == m[1].lower() or "α" in m[1] else f"<gp>{m[1]}</gp> binds"
    print(re.sub(r"(\S+) binds", found, line), end="")
"""
SPECIFICATION = """format = 1
name = "planted"
version = "1"
command = ["{python}", "-S", "{here}/planted.py"]
mode = "batch"
[output]
form = "sgml"
tags = ["gp"]
"""
NAMES = [
    *(f"IL-{i}" for i in range(20)),
    *(f"TN{i}Fα" for i in range(20)),
    *(f"TN{i}Falpha" for i in range(20)),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the tagger and sixty sentences, with and without mentions."""
    here = tmp_path_factory.mktemp("invariance")
    (here / "planted.py").write_text(TAGGER, encoding="utf-8")
    specification = SPECIFICATION.replace("{python}", sys.executable)
    (here / "planted.toml").write_text(specification, encoding="utf-8")
    for name, tagged in (("gold", True), ("texts", False)):
        write(here / f"{name}.jsonl", NAMES, tagged=tagged)
    return here


def write(path: Path, names: list[str], *, tagged: bool) -> None:
    lines = []
    for i, name in enumerate(names):
        mention = {"start": 13, "end": 13 + len(name), "type": "gp"}
        text = f"In cells the {name} binds."
        lines.append(json.dumps({"text_id": f"t{i}", "text": text, "mentions": [mention] if tagged else []}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def tried(place: Path, out: Path, source: str = "gold", **choices: Any) -> InvarianceResult:
    options = {k: choices.pop(k) for k in ("perturb", "seed", "sample", "swap_types") if k in choices}
    asked = ClassOptions(choices.pop("classes", ()), tuple(choices.pop("by", ())))
    return run_invariance(
        f"jsonl:{place / source}.jsonl",
        place / "planted.toml",
        out,
        PerturbOptions(**options),
        ScoringOptions(),
        asked,
        cache=False,
        **choices,
    )


@pytest.fixture(scope="module")
def done(place: Path) -> InvarianceResult:
    classes = [Class.from_query("with alpha", "data ~ /alpha/")]
    return tried(place, place / "out", classes=classes, by=["contains_hyphen"])


def row(found: InvarianceResult, perturbation: str, variant: str = "", name: str = "all") -> pd.Series:
    table = found.table
    chosen = (
        (table["perturbation"] == perturbation) & (table["variant"] == variant) & (table["class"] == name)
    )
    assert chosen.sum() == 1, (perturbation, variant, name)
    return table[chosen].iloc[0]


COUNTS = ("cases", "changed", "missing", "appeared")


def counts(one: pd.Series, *more: str) -> tuple[int, ...]:
    return tuple(int(one[name]) for name in (*COUNTS, *more))


@pytest.mark.parametrize(
    ("perturbation", "name", "expected", "why"),
    [
        ("greek", "all", (40, 40, 20, 20, 20, 20), "twenty α become alpha, and twenty the other way"),
        ("greek", "with alpha", (20, 20, 20, 0, 20, 0), "alpha becomes α"),
        ("hyphen", "contains_hyphen = 1", (20, None, None, 0, None, 0), "one case each"),
        ("sentence", "all", (60, 0, 0, 0, 0, 0), "nothing planted"),
    ],
)
def test_planted_sensitivities_are_found_with_exactly_their_rates(
    done: InvarianceResult, perturbation: str, name: str, expected: tuple[int | None, ...], why: str
) -> None:
    one = row(done, perturbation, name=name)
    for got, wanted in zip(counts(one, "right_to_wrong", "wrong_to_right"), expected, strict=True):
        assert wanted is None or got == wanted, why
    assert one["rate"] == pytest.approx(one["changed"] / one["cases"])
    assert one["rate_low"] <= one["rate"] <= one["rate_high"]
    assert one["texts"] == 60


def test_variants_of_case_are_counted_apart(done: InvarianceResult) -> None:
    table = done.table[(done.table["perturbation"] == "case") & (done.table["class"] == "all")]
    whole, *apart = table[list(COUNTS)].to_numpy().tolist()
    assert whole == np.sum(apart, axis=0).tolist() == [60, 6, 6, 0]
    assert counts(row(done, "case", "lower")) == (13, 6, 6, 0), "what has lost its capital"


def test_perturbed_texts_stand_in_files_with_their_gold_carried_along(
    place: Path, done: InvarianceResult
) -> None:
    for name in ("name", "case", "hyphen", "greek", "typography", "sentence"):
        copies = read_corpus(f"jsonl:{place / 'out' / 'texts' / name}.jsonl")
        assert len(copies.texts) == row(done, name)["cases"] == len(copies.gold)
        gold = copies.gold
        for text, start, end in zip(copies.texts["text"], gold["start"], gold["end"], strict=True):
            assert text[:start].endswith(" the ")
            assert text[end:].split()[0] == "binds."
        assert (place / "out" / name / "run.toml").is_file()


def test_without_gold_the_names_are_those_that_were_found(place: Path, tmp_path: Path) -> None:
    found = tried(place, tmp_path / "out", "texts", perturb=("name", "greek"), by=["contains_Greek_letter"])
    swapped = row(found, "name")
    assert swapped["cases"] == 40
    assert pd.isna(swapped["right_to_wrong"])
    assert found.select_columns().columns.tolist() == [
        c for c in RATE_COLUMNS if c not in ("interval", "signature", "right_to_wrong", "wrong_to_right")
    ]
    # a mention that appears puts its case into a class, according to its form in the original text
    assert counts(row(found, "greek")) == (40, 40, 20, 20)
    classes = {
        c: int(n)
        for c, n in found.table[found.table["perturbation"] == "greek"][["class", "cases"]].to_numpy()
    }
    assert classes == {"all": 40, "contains_Greek_letter": 40}
    assert "mentions that the tagger found (no gold standard)" in found.notes[0]


def test_copies_that_are_not_answered_are_changes_and_texts_that_are_not_are_left_out(
    place: Path, tmp_path: Path
) -> None:
    write(place / "beta.jsonl", ["IL-2", "IFN-beta", "IFN-β"], tagged=True)
    found = tried(place, tmp_path / "out", "beta", perturb="greek")
    one = row(found, "greek")
    assert (one["cases"], one["changed"], one["failed"], one["right_to_wrong"]) == (1, 1, 1, 1)
    assert found.changes["kind"].tolist() == ["failed"]
    assert found.failed == 2
    assert "texts not perturbed, because the tagger did not answer the original: 1" in found.notes


def test_the_same_call_again_runs_nothing_and_gives_the_same_bytes(
    place: Path, done: InvarianceResult, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    shutil.copytree(place / "out", folder)
    names = (
        "rates.parquet",
        "changes.parquet",
        "invariance.json",
        "texts/case.jsonl",
        "case/predictions.parquet",
    )
    first = [(folder / n).read_bytes() for n in names]
    shutil.rmtree(folder / "greek")
    (folder / "rates.parquet").unlink()
    times = (folder / "case" / "timings.json").read_bytes()
    classes = [Class.from_query("with alpha", "data ~ /alpha/")]
    again = tried(place, folder, classes=classes, by=["contains_hyphen"])
    assert [(folder / n).read_bytes() for n in names] == first
    assert (folder / "case" / "timings.json").read_bytes() == times
    pd.testing.assert_frame_equal(again.table, done.table)
    pd.testing.assert_frame_equal(read_invariance(folder).table, done.table)
    assert tuple(read_invariance(folder).changes.columns) == CHANGE_COLUMNS


@pytest.mark.parametrize("choices", [{"seed": 5}, {"sample": 7}, {"source": "texts"}])
def test_another_job_in_the_same_folder_is_refused(
    place: Path, done: InvarianceResult, choices: dict[str, Any]
) -> None:
    before = (place / "out" / "texts" / "case.jsonl").read_bytes()
    with pytest.raises(InputError, match="another input"):
        tried(place, place / "out", **choices)
    assert (place / "out" / "texts" / "case.jsonl").read_bytes() == before


def test_types_of_no_gene_are_not_exchanged(place: Path, tmp_path: Path) -> None:
    text = (place / "gold.jsonl").read_text(encoding="utf-8").replace('"gp"', '"disease"')
    (place / "disease.jsonl").write_text(text, encoding="utf-8")
    found = tried(place, tmp_path / "a", "disease", perturb="name")
    assert row(found, "name")["cases"] == 0
    assert pd.isna(row(found, "name")["rate"])
    assert any("see --swap-type" in note for note in found.notes)
    asked = tried(place, tmp_path / "b", "disease", perturb="name", swap_types="disease")
    assert row(asked, "name")["cases"] == 60


def test_a_report_has_a_section(place: Path, done: InvarianceResult) -> None:
    page = render_report(make_report(options=ReportOptions(invariance=(place / "out",))), "markdown")
    assert "How often the answer of planted@1 changes on jsonl:gold.jsonl" in page
    assert "| greek | 40 | 40 | 100.0" in page.replace("| greek |  |", "| greek |")
    assert "| with alpha | 20 | 20 |" in page
    assert "greek: applies to 40 of 60 texts" in page


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("nowhere", "no results of `tagsuite invariance`"),
        ("begun", "is not finished"),
        ("broken", "not valid JSON"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, folder: str, message: str) -> None:
    for name, text in (("begun", '{"format": 1, "asked": {}}'), ("broken", "{")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "invariance.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_invariance(tmp_path / folder)


def test_command_and_function_give_the_same_rates_and_changes(
    place: Path, tmp_path: Path, tagsuite: Call
) -> None:
    source, file = f"jsonl:{place / 'gold.jsonl'}", place / "planted.toml"
    words = ["invariance", source, "--tagger", str(file), "--out", str(tmp_path / "out")]
    words += ["--perturb", "greek,sentence", "--no-cache", "--by", "contains_hyphen", "--format", "json"]
    done = tagsuite(*words)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rates"]
    assert list(rows[0]) == list(RATE_COLUMNS)
    assert "greek: applies to 40 of 60 texts" in done.stderr
    shown = tagsuite(*words, "--show", "changes", "--limit", "2", "--quiet")
    first, _ = json.loads(shown.stdout)["changes"]
    assert (first["kind"], first["after"]) == ("appeared", "TN0Falpha")
    perturb = ["greek", "sentence"]
    found = package.invariance(source, file, tmp_path / "python", perturb=perturb, by="contains_hyphen")
    names = ["class", "cases", "changed"]
    assert found.table[names].to_dict("records") == [{k: r[k] for k in names} for r in rows]


STUDY = """format = 1
title = "t"
[[corpus]]
name = "first"
gold = "jsonl:gold.jsonl"
[[corpus]]
name = "second"
gold = "jsonl:gold.jsonl"
[[tagger]]
name = "one"
tagger = "planted.toml"
[[tagger]]
name = "other"
tagger = "planted.toml"
on = ["second"]
[score]
by = ["contains_hyphen"]
[invariance]
"""


@pytest.fixture
def study(place: Path, tmp_path: Path, tagsuite: Call) -> Call:
    """Run a study with some keys in [invariance]."""
    for name in ("planted.py", "planted.toml", "gold.jsonl"):
        shutil.copy(place / name, tmp_path / name)

    def run(keys: str) -> Any:
        (tmp_path / "study.toml").write_text(STUDY + keys, encoding="utf-8")
        return tagsuite("study", str(tmp_path / "study.toml"), "--out", str(tmp_path / "out"))

    return run


@pytest.mark.parametrize(
    ("keys", "runs", "texts", "why"),
    [
        ("", ["one--first", "one--second", "other--second"], 60, "every tagger where it is run"),
        ('on = ["first"]\nsample = 7\nseed = 2', ["one--first"], 7, "the other is not run there"),
    ],
)
def test_a_study_runs_its_taggers_over_perturbed_texts(
    study: Callable[[str], CompletedProcess[str]],
    tmp_path: Path,
    done: InvarianceResult,
    keys: str,
    runs: list[str],
    texts: int,
    why: str,
) -> None:
    printed = study(f'perturb = ["greek"]\n{keys}')
    assert printed.returncode == 0, printed.stderr
    assert sorted(p.name for p in (tmp_path / "out" / "invariance").iterdir()) == runs, why
    rates = pd.read_csv(tmp_path / "out" / "invariance.csv")
    whole = rates[(rates["class"] == "all") & rates["variant"].isna()]
    assert [f"{t}--{c}" for t, c in zip(whole["tagger"], whole["corpus"], strict=True)] == runs
    assert set(rates["class"]) == {"all", "contains_hyphen = 0"}, "those of the study's [score]"
    assert set(whole["texts"]) == {texts}
    for text in (printed.stdout, (tmp_path / "out" / "report.md").read_text(encoding="utf-8")):
        assert text.count("How often the answer of one changes on first") == 1
    if not keys:
        assert whole["rate_high"].tolist() == pytest.approx([row(done, "greek")["rate_high"]] * 3)


def test_a_study_is_refused_or_ends_with_3(
    study: Callable[[str], CompletedProcess[str]], tmp_path: Path
) -> None:
    refused = study('perturb = ["greek", "colour"]')
    assert (refused.returncode, (tmp_path / "out").exists()) == (2, False)
    write(tmp_path / "gold.jsonl", ["IFN-beta"], tagged=True)
    assert study('perturb = ["greek"]').returncode == 3, "the tagger fails on perturbed texts"
