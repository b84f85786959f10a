"""Estimates of results on corpora, in reports and studies: table, chart and wrong calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring.options import ClassOptions
from tagsuite.harness.scoring.transfer.composition import make_composition, write_composition
from tagsuite.harness.scoring.transfer.level_checks import ADVICE
from tagsuite.harness.scoring.transfer.options import TransferOptions
from tagsuite.harness.scoring.transfer.standardise import COLUMNS
from tagsuite.reports.sections.findings import Findings, score_folders
from tagsuite.reports.sections.transfer import estimate_entries, transfer_section
from tagsuite.reports.study.study_file import StudyPaths, read_study
from tagsuite.sentences.formats.registry import read_corpus

NAMES = ("IL-2", "p53", "BRCA1", "actin", "protein kinase C", "tumor necrosis factor", "Ras", "cdc2")
GOLD = "".join(
    f"We found that <gp>{name}</gp> binds the receptor in {place}.\n"
    for name in NAMES
    for place in ("yeast", "vitro", "liver")
)
STUDY = """
format = 1
title = "t"
predictions = "predictions.toml"
[[suite]]
name = "made"
[[suite.part]]
combine = "sample"
size = 300
[[corpus]]
name = "real"
gold = "sgml:real.sgml"
[[tagger]]
name = "k"
tagger = "kex"
[score]
by = ["case"]
"""
PREDICTIONS = 'format = 1\n[[class]]\nname = "long"\nquery = "words >= 2"\nrecall = "low"\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a corpus, its composition and the files of a study."""
    folder = tmp_path_factory.mktemp("expected")
    for name, content in (("real.sgml", GOLD), ("study.toml", STUDY), ("predictions.toml", PREDICTIONS)):
        (folder / name).write_text(content, encoding="utf-8")
    write_composition(make_composition(read_corpus(f"sgml:{folder / 'real.sgml'}")), folder / "real.parquet")
    return folder


@pytest.fixture(scope="module")
def done(place: Path, tagsuite: Callable[..., Any]) -> Path:
    """Output folder of a study with estimates."""
    file = place / "with.toml"
    file.write_text(STUDY + '[transfer]\nstandardise = "real.parquet"\nallowance = 0.5\n', encoding="utf-8")
    found = tagsuite("study", file, "--out", place / "out")
    assert found.returncode == 0, found.stderr
    return place / "out"


def test_the_study_has_table_picture_and_columns(done: Path) -> None:
    table = pd.read_csv(done / "expected.csv")
    assert set(table["class"]) >= {"all", "long", "case = lower"}
    assert set(table["measure"]) == {"recall", "precision"}
    row = table[(table["class"] == "all") & (table["measure"] == "recall")].iloc[0]
    assert (row["tagger"], row["suite"], row["corpus"]) == ("k", "made", "real")
    assert row["mentions"] == len(NAMES) * 3
    assert row["standardised_low"] < row["standardised"] < row["standardised_high"]
    scores = pd.read_csv(done / "scores.csv")
    real = scores[(scores["class"] == "all") & (scores["notion"] == "strict")].set_index("corpus")["recall"]
    assert row["observed"] == pytest.approx(real["real"])
    assert row["suite_value"] == pytest.approx(real["made"])

    compared = pd.read_csv(done / "comparison.csv")
    assert set(COLUMNS) <= set(compared.columns)
    of_class = table[(table["class"] == "long") & (table["measure"] == "recall")].iloc[0]
    on_corpus = compared[(compared["corpus"] == "real") & (compared["class"] == "long")].iloc[0]
    assert on_corpus["standardised"] == pytest.approx(of_class["standardised"], nan_ok=True)
    page = (done / "report.html").read_text(encoding="utf-8")
    assert "Estimated results on corpora" in page
    assert 'data-name="figure-expected-made-real-recall"' in page
    assert "columns, fitted to" in page, "how the model came out is said"


def test_a_report_of_runs(done: Path, place: Path, tagsuite: Callable[..., Any], tmp_path: Path) -> None:
    runs = (done / "runs" / "k--made", done / "runs" / "k--real")
    options = ("--standardise", place / "real.parquet", "--allowance", "0.5")
    found = tagsuite("report", *runs, "--by", "case", *options, "--out", tmp_path / "r.html")
    assert found.returncode == 0, found.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert 'id="expected' in page
    assert "--allowance 0.5" in page, "the command that gives the same again"
    alone = tagsuite("report", runs[1], *options, "--out", tmp_path / "alone.html")
    assert alone.returncode == 2
    assert "estimates need a run on a suite" in alone.stderr


def test_what_is_expected_without_a_corpus(done: Path, place: Path) -> None:
    options = TransferOptions(standardise=str(place / "real.parquet"))
    entries = score_folders([done / "runs" / "k--made"], classes=ClassOptions(by=("case",)))
    table, notes = estimate_entries(entries, options)
    assert set(table["measure"]) == {"recall"}
    assert table["observed"].isna().all()
    assert notes
    section = transfer_section(Findings(estimates=table))
    assert [type(b).__name__ for b in section.blocks] == ["Table"], "no truth, no picture"
    assert estimate_entries(entries, TransferOptions())[0].empty
    assert not transfer_section(Findings()).blocks
    warning = f"k on made: .95 and .26; {ADVICE}"
    lead = transfer_section(Findings(estimates=table, notes=(warning, "another note"))).lead
    assert lead.endswith(f"Warning: {warning}.")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("[transfer]\n", "transfer: standardise is missing"),
        ('[transfer]\nstandardise = "nowhere.parquet"\n', "transfer.standardise: unknown composition"),
        ('[transfer]\nstandardise = "real.sgml"\n', "real.sgml"),
    ],
)
def test_wrong_tables_are_refused(place: Path, tmp_path: Path, lines: str, told: str) -> None:
    file = tmp_path / "study.toml"
    file.write_text(STUDY + lines, encoding="utf-8")
    (tmp_path / "real.sgml").write_text(GOLD, encoding="utf-8")
    (tmp_path / "predictions.toml").write_text(PREDICTIONS, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_study(file, StudyPaths.from_file(file, tmp_path / "out", None))
    assert told in str(caught.value)


def test_a_corpus_of_the_study_is_evidence(done: Path, place: Path, tagsuite: Callable[..., Any]) -> None:
    """It is not a target then, and its results change the estimates."""
    file = place / "evidence.toml"
    file.write_text(STUDY + '[transfer]\nstandardise = "real.parquet"\nevidence = ["real"]\n', "utf-8")
    found = tagsuite("study", file, "--out", place / "out2")
    assert found.returncode == 0, found.stderr
    tables = {folder.name: pd.read_csv(folder / "expected.csv") for folder in (done, place / "out2")}
    assert tables["out"]["corpus"].unique().tolist() == ["real"]
    assert tables["out2"]["corpus"].isna().all()
    values = [t[t["measure"] == "recall"].set_index("class")["standardised"]["all"] for t in tables.values()]
    assert values[0] != values[1]


@pytest.mark.parametrize(
    ("evidence", "told"),
    [("made", "requires runs on annotated corpora"), ("yapex", "requires runs of the same tagger")],
)
def test_wrong_evidence_is_refused(
    evidence: str, told: str, done: Path, place: Path, tagsuite: Callable[..., Any]
) -> None:
    runs = done / "runs"
    other = place / "yapex"
    if evidence == "yapex":
        tagsuite("run", f"sgml:{place / 'real.sgml'}", "--tagger", "yapex", "--out", other, "--force")
    words = ["--standardise", place / "real.parquet", "--by", "case"]
    given = other if evidence == "yapex" else runs / "k--made"
    refused = tagsuite("compare", "--suite", runs / "k--made", "--evidence", given, *words)
    assert refused.returncode == 2
    assert told in refused.stderr
