"""The command `score`, called like a user does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring.options import ScoringOptions
from tagsuite.harness.scoring.score_runs import score_predictions, score_runs

GOLD = "<gp>IL-2</gp> activates <gp>p53</gp> in cells.\nNothing here.\nWe saw <gp>Brca1 protein</gp>.\n"
GUESS = "<gp>IL-2</gp> activates p53 in cells.\n<gp>Nothing</gp> here.\nWe saw <gp>Brca1</gp> protein.\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, content in (("gold.sgml", GOLD), ("guess.sgml", GUESS)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    return f"sgml:{tmp_path / 'gold.sgml'}", f"sgml:{tmp_path / 'guess.sgml'}"


@pytest.fixture
def folder(tmp_path: Path, files: tuple[str, str]) -> Path:
    """Run folder over gold.sgml."""
    scores = score_predictions(*files, ScoringOptions())
    run = tmp_path / "run"
    run.mkdir()
    scores.predicted.to_parquet(run / "predictions.parquet")
    pd.DataFrame({"case_id": [0, 1, 2], "outcome": ["ok", "ok", "timeout"]}).to_parquet(
        run / "outcomes.parquet"
    )
    (run / "run.toml").write_text(
        "format = 1\n[run]\nlabel = 'toy@1'\nsignature = 'corpus:abc|tagger:toy@1'\n"
        "input = 'sgml:../gold.sgml'\ncases = 3\nkey = 'k'\n[outcomes]\nok = 2\ntimeout = 1\n",
        encoding="utf-8",
    )
    return run


def test_runs_are_scored_against_their_input_or_another_gold(
    folder: Path, files: tuple[str, str], tmp_path: Path, capsys: Any
) -> None:
    (own,) = score_runs([folder], ScoringOptions(notions=("strict",)))
    assert own.table["tp"].tolist() == [1]
    assert own.table["run"].tolist() == ["run"]
    assert own.table["signature"].iloc[0].startswith("corpus:abc|tagger:toy@1|notion:strict|")
    assert "the tagger failed on 1 of 3 texts (1 timeout)" in capsys.readouterr().err
    other = tmp_path / "other.sgml"
    other.write_text(GOLD.replace("<gp>Brca1 protein</gp>", "<gp>Brca1</gp> protein"), encoding="utf-8")
    (again,) = score_runs([folder], ScoringOptions(notions=("strict",)), gold=f"sgml:{other}")
    assert again.table["tp"].tolist() == [2]
    assert again.table["signature"].iloc[0] != own.table["signature"].iloc[0]


MENTIONS = (
    '{"start": 0, "end": 3, "type": "gp"}',
    '{"start": 8, "end": 11, "type": "gp"}',
)
GOLDS = [
    (MENTIONS[::-1], "", "the same mentions in another order"),
    (MENTIONS[:1], "b is not comparable with a: corpus: ", "other mentions"),
]


@pytest.mark.parametrize(("mentions", "told", "why"), GOLDS, ids=[why for *_, why in GOLDS])
def test_golds_that_list_the_same_in_another_order_are_one(
    tagsuite: Any, tmp_path: Path, mentions: tuple[str, ...], told: str, why: str
) -> None:
    for name, listed in (("a", MENTIONS), ("b", mentions)):
        line = f'{{"text_id": "1", "text": "p53 and p21 are.", "mentions": [{", ".join(listed)}]}}\n'
        (tmp_path / f"{name}.jsonl").write_text(line, encoding="utf-8")
        done = tagsuite("run", f"jsonl:{tmp_path / name}.jsonl", "--tagger", "kex", "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
    done = tagsuite("score", tmp_path / "a", tmp_path / "b", "--notion", "strict", "--ignore-types")
    against = tagsuite("compare", tmp_path / "b", "--against", tmp_path / "a", "--by", "case")
    assert told in done.stderr, why
    assert ("not comparable" in done.stderr, "differ in corpus: " in against.stderr) == (bool(told),) * 2, why


def test_a_run_whose_predictions_lack_a_column_is_refused(folder: Path) -> None:
    file = folder / "predictions.parquet"
    pd.read_parquet(file).drop(columns="start").to_parquet(file)
    with pytest.raises(InputError, match=r"predictions.parquet: columns are missing.*allowed: .*start"):
        score_runs([folder], ScoringOptions())


def test_errors_are_lines_of_json_and_ser_is_shown(tagsuite: Any, files: tuple[str, str]) -> None:
    places = ("score", "--gold", files[0], "--predicted", files[1], "--notion", "slot_error")
    done = tagsuite(*places, "--show", "errors", "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = {(r["error"], r["data"]) for r in rows}
    assert wrong == {
        ("missed", "p53"),
        ("missed", "Brca1 protein"),
        ("spurious", "Brca1"),
        ("spurious", "Nothing"),
    }, done.stderr
    assert tagsuite(*places).stdout.split("\n")[0].split()[-1] == "ser"


def test_intervals_are_printed_beside_their_figures(tagsuite: Any, files: tuple[str, str]) -> None:
    done = tagsuite("score", "--gold", files[0], "--predicted", files[1], "--notion", "strict")
    head, _, first, *_ = (line.split() for line in done.stdout.splitlines())
    assert head[-3:] == ["precision", "recall", "f1"]
    assert first[-6:] == [".33", "[.01–.96]", ".33", "[.01–.96]", ".33", "[.02–.94]"]


UNHEEDED = [
    (("--limit", "2"), "--limit "),
    (("--show", "errors", "--limit", "1", "--seed", "5"), ""),
    (("--show", "boundaries", "--pairing", "greedy"), "--pairing "),
    (("--show", "verdicts", "--intervals", "wilson"), "--intervals "),
    (("--show", "verdicts", "--pairing", "greedy"), ""),
]


@pytest.mark.parametrize(("given", "told"), UNHEEDED, ids=[" ".join(given) for given, _ in UNHEEDED])
def test_an_option_that_a_table_would_not_heed_is_refused(
    tagsuite: Any, files: tuple[str, str], given: tuple[str, ...], told: str
) -> None:
    done = tagsuite("score", "--gold", files[0], "--predicted", files[1], "--notion", "strict", *given)
    assert done.returncode == (2 if told else 0)
    assert told in done.stderr
