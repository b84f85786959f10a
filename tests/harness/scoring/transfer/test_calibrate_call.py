"""Tests of `tagsuite.calibrate` with frames and corpora."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import tagsuite as library


def test_corpora_frames_and_runs_are_taken_alike(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = library.run(f"sgml:{runs / 'gold.sgml'}", "kex", runs / "kex--gold")
    suite = library.run(runs / "suite", "kex", runs / "kex")
    gold = library.read_corpus(f"sgml:{runs / 'gold.sgml'}")
    tables = [
        library.calibrate(suite, known, predicted=predicted, ignore_types=True)
        for known, predicted in (
            (run, None),
            ([runs / "kex--gold"], None),
            (gold, run.predictions),
            (f"sgml:{runs / 'gold.sgml'}", run.predictions),
        )
    ]
    assert "12 mentions in 12 annotated sentences" in capsys.readouterr().err
    assert tables[0]["class"].tolist() == ["all"], "no class is asked"
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])


def test_a_misspelt_choice_is_told_with_what_was_meant(runs: Path) -> None:
    with pytest.raises(TypeError, match="did you mean 'composition'"):
        library.calibrate(runs / "kex", runs / "kex--gold", compositon="genetag-train")
