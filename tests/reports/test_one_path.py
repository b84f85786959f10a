"""Python, command line and report give the same rows, choices, messages and warnings."""

from __future__ import annotations

import inspect
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

import tagsuite
from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.scoring import commands
from tagsuite.harness.scoring.comparison import commands as comparison_commands
from tagsuite.harness.scoring.transfer import commands as transfer_commands
from tagsuite.reports import commands as report_commands
from tagsuite.reports import discover_commands

GOLD = "<gp>IL-2</gp> activates <gp>p53</gp> in cells.\nNothing here.\nWe saw <gp>Brca1 protein</gp>.\n"


@pytest.fixture(scope="module", name="call")
def fixture_call(request: pytest.FixtureRequest) -> Call:
    """Run the command line (in this module, `tagsuite` is the package)."""
    found: Call = request.getfixturevalue("tagsuite")
    return found


@pytest.fixture(scope="module")
def run(call: Call, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run over a small suite in which mentions share entities and contexts."""
    folder = tmp_path_factory.mktemp("one-path")
    suite = folder / "suite"
    asked = ("--entities", "contains_hyphen", "--combine", "sample", "--size", 120, "--out", suite)
    for arguments in (
        ("generate", *asked),
        ("run", suite, "--tagger", "kex", "--out", folder / "kex"),
    ):
        done = call(*arguments)
        assert done.returncode == 0, done.stderr
    return folder / "kex"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    """Gold mentions, predictions with another type, and predictions of which some have another type."""
    contents = {
        "gold": GOLD,
        "other": GOLD.replace("gp>", "GENE>"),
        "mixed": GOLD.replace("<gp>p53</gp>", "<GENE>p53</GENE>"),
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.sgml").write_text(content, encoding="utf-8")
    gold, other, mixed = (f"sgml:{tmp_path / name}.sgml" for name in contents)
    return gold, other, mixed


def read_csv(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""], dtype="str")


def same(table: pd.DataFrame, frame: pd.DataFrame) -> None:
    """Raise AssertionError if cells differ; CSV and JSON values are converted to the types of the frame."""
    assert list(table.columns) == list(frame.columns)
    for name in frame.columns:
        values = table[name].fillna("") if frame[name].dtype == "str" else table[name]
        pd.testing.assert_series_equal(values.astype(frame[name].dtype), frame[name], check_exact=True)


@pytest.mark.parametrize("by", [("case",), ("tokenisation_hazards", "case,contains_hyphen")])
def test_frame_csv_json_and_report_hold_the_same_table(
    call: Call, run: Path, tmp_path: Path, by: tuple[str, ...]
) -> None:
    frame = tagsuite.score(run, by=by).table
    asked = [word for name in by for word in ("--by", name)]
    same(read_csv(call("score", run, *asked, "--format", "csv").stdout), frame)
    same(pd.DataFrame(json.loads(call("score", run, *asked, "--format", "json").stdout)["scores"]), frame)
    done = call("report", run, *asked, "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    same(read_csv((tmp_path / "report" / "scores.csv").read_text(encoding="utf-8")), frame)
    document = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    same(pd.DataFrame(document["scores"]), frame)
    # the tables of the page have the same intervals
    figures = pd.DataFrame(document["tables"]["overview"]["rows"])
    whole = frame[(frame["notion"] == "strict") & (frame["class"] == "all")].iloc[0]
    for name in ("recall", "recall_low", "recall_high", "precision_low", "precision_high"):
        assert figures[name].tolist() == [whole[name]], name
    assert (frame["interval"].str.contains("entities × contexts")).any()


@pytest.mark.parametrize(
    ("option", "text", "name", "value"),
    [
        ("--confidence", "1.5", "confidence", 1.5),
        ("--pairing", "each", "pairing", "each"),
        ("--type-map", "gp=", "type_map", ["gp="]),
        ("--list", "seen=none.txt", "lists", {"seen": "none.txt"}),
        ("--by", "lenght", "by", "lenght"),
    ],
)
def test_bad_values_get_the_same_message(
    refused: Callable[..., str], files: tuple[str, str, str], option: str, text: str, name: str, value: Any
) -> None:
    gold, _, mixed = files
    with pytest.raises(InputError) as error:
        tagsuite.score(gold=gold, predicted=mixed, **{name: value})
    assert text.removeprefix("seen=") in str(error.value)
    message = str(error.value).replace(f"`{name}`", option)
    assert refused("score", "--gold", gold, "--predicted", mixed, option, text) == message


@pytest.mark.parametrize(
    ("predicted", "options", "right", "part", "told"),
    [
        (1, {}, 3, "|types:ignored|", ("no type in common", "gp", "GENE", "types are ignored")),
        (2, {}, 2, "", ("match nothing", "1 of type 'GENE'", "gp")),
        (2, {"type_map": {"GENE": "gp"}}, 3, "|types:GENE=gp|", ()),
        (0, {"type_map": {"GEEN": "gp"}}, 3, "", ("no mention has type GEEN",)),
        (2, {"ignore_types": True}, 3, "|types:ignored|", ("types are ignored: GENE, gp",)),
        (0, {}, 3, "", ()),
    ],
)
def test_types_that_no_gold_mention_has_are_told(
    call: Call,
    files: tuple[str, str, str],
    capfd: Any,
    predicted: int,
    options: dict[str, Any],
    right: int,
    part: str,
    told: tuple[str, ...],
) -> None:
    words = ["score", "--gold", files[0], "--predicted", files[predicted], "--notion", "strict"]
    words += ["--ignore-types"] if "ignore_types" in options else []
    words += [w for old, new in options.get("type_map", {}).items() for w in ("--type-map", f"{old}={new}")]
    done = call(*words, "--format", "csv")
    capfd.readouterr()
    scores = tagsuite.score(gold=files[0], predicted=files[predicted], notions=["strict"], **options)
    assert capfd.readouterr().err.strip() == done.stderr.strip()
    assert bool(done.stderr) is bool(told)
    assert all(words in done.stderr for words in told)
    assert scores.table["tp"].iloc[0] == right
    assert part in scores.table["signature"].iloc[0]
    same(read_csv(done.stdout), scores.table)


@pytest.mark.parametrize(
    ("command", "function", "renamed", "left_out"),
    [
        (commands.score_command, tagsuite.score,
         {"runs": "run", "notion": "notions", "word_list": "lists"}, {"show", "limit", "seed", "form"}),
        (comparison_commands.compare_command, tagsuite.compare, {"word_list": "lists"},
         {"scatter", "form"}),
        (transfer_commands.calibrate_command, tagsuite.calibrate, {"word_list": "lists"}, {"form"}),
        (discover_commands.discover_command, tagsuite.discover,
         {"measure": "measures", "feature": "features"},
         {"form", "gold", "pairing", "alternatives", "counting", "ignore_types", "type_map", "word_list"}),
        (report_commands.report_command, tagsuite.report,
         {"word_list": "lists", "force": "overwrite"}, {"quiet"}),
    ],
)  # fmt: skip
def test_what_the_command_has_the_function_has(
    command: Callable[..., Any], function: Callable[..., Any], renamed: dict[str, str], left_out: set[str]
) -> None:
    """Python functions have all options of their commands, except those for printing results."""
    has = {renamed.get(name, name) for name in inspect.signature(command).parameters} - left_out
    assert has <= set(inspect.signature(function).parameters)


def test_a_report_from_python_is_that_of_the_command(call: Call, run: Path, tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text(tagsuite.score(run).table.to_csv(index=False), encoding="utf-8")
    asked = ("--by", "case", "--scores", scores, "--title", "T", "--about", "why", "--least", "7")
    done = call("report", run, *asked, "--quiet", "--out", tmp_path / "a.md")
    assert (done.returncode, done.stderr) == (0, "")
    tagsuite.report(run, tmp_path / "b.md", by="case", scores=str(scores), title="T", about="why", least=7)
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert text == (tmp_path / "b.md").read_text(encoding="utf-8")
    # the command that reproduces the report contains all options
    assert f"--by case --scores {scores} --title T --about why --least 7\n" in text
    with pytest.raises(InputError, match="found '0'"):
        tagsuite.report(run, tmp_path / "b.md", least=0)
    tagsuite.report(run, tmp_path / "b.md", classes={"numeral": "contains_a_numeral"})
    text = (tmp_path / "b.md").read_text(encoding="utf-8")
    assert "| numeral |" in text
    assert f"tagsuite report {run}\n" in text


def test_choices_of_comparing_are_those_of_the_command(call: Call, run: Path, tmp_path: Path) -> None:
    words = tmp_path / "seen.txt"
    words.write_text("IL-2\n", encoding="utf-8")
    options = ("--suite", run, "--by", "in_list.seen", "--list", f"seen={words}", "--ignore-types")
    done = call("compare", run, *options, "--confidence", "0.9", "--format", "csv")
    lists = {"seen": str(words)}
    found = tagsuite.compare(
        run, suite=run, by="in_list.seen", lists=lists, ignore_types=True, confidence=0.9
    )
    assert found["signature"].str.contains("types:ignored").all()
    shown = ["class", "recall_low", "recall_high", "signature"]
    same(read_csv(done.stdout)[shown], found[shown])
    against = tagsuite.compare(run, against=run, by="case")
    assert (against["difference"].dropna() == 0).all()


def test_discovering_scores_a_run_as_it_is_asked(run: Path) -> None:
    found = tagsuite.discover(run, type_map={"gp": "protein"}, show="costs")
    assert "cost" in found
    with pytest.raises(InputError, match="no effect on existing scores"):
        tagsuite.discover(tagsuite.score(run), type_map={"gp": "protein"})
    with pytest.raises(InputError, match="allowed: faults, costs"):
        tagsuite.discover(run, show="all")


def test_the_commands_in_a_report_repeat_runs_and_report(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands name functions, options and own features so that they can be used as printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    contents = {
        "gold.sgml": GOLD,
        "mine.py": "def find(text, word: str):\n    at = text.find(word)\n"
        "    return [(at, at + len(word), 'gp')] if at >= 0 else []\n",
        "own.xml": '<taxonomy format="1"><feature name="has_p" scope="entity" category="own" kind="boolean">'
        "<definition>Contains p.</definition><pattern>p</pattern><phrase>names with p</phrase>"
        "</feature></taxonomy>",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    call(
        "run", "sgml:gold.sgml", "--tagger", "python:mine:find", "--option", "word=p53", "--out", "runs/mine"
    )
    asked = ("report", "runs/mine", "--taxonomy", "own.xml", "--by", "has_p")
    done = call(*asked, "--out", "a.md")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    repeat, report = (shlex.split(line)[1:] for line in text.splitlines() if line.startswith("tagsuite r"))
    done = call(*repeat[:-1], "runs/again")
    assert (done.returncode, repeat[-1]) == (0, "runs/mine"), done.stderr
    predictions = [
        (tmp_path / "runs" / name / "predictions.parquet").read_bytes() for name in ("mine", "again")
    ]
    assert predictions[0] == predictions[1]
    assert call(*report, "--out", "b.md").returncode == 0
    assert (tmp_path / "b.md").read_text(encoding="utf-8") == text
