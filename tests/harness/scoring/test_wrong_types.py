"""Mentions that a tagger finds with another type: what is listed, counted, found and accepted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

TEXT = "Aspirin for asthma and MS."
GOLD = {"Aspirin": "chemical", "asthma": "disease", "MS": "disease"}
CLASSES = 'format = 1\n[[class]]\nname = "all"\nquery = "all"\nnotion = "strict"\nmin_recall = 0.9\n'


def write(path: Path, mentions: dict[str, str]) -> str:
    """Write one text with mentions as a jsonl corpus, and return its specification."""
    entities = [
        {"start": TEXT.index(form), "end": TEXT.index(form) + len(form), "type": kind}
        for form, kind in mentions.items()
    ]
    path.write_text(json.dumps({"text_id": "1", "text": TEXT, "mentions": entities}) + "\n", encoding="utf-8")
    return f"jsonl:{path}"


@pytest.fixture
def show(tagsuite: Call, tmp_path: Path) -> Callable[..., list[dict[str, object]]]:
    """Return a function that scores predicted mentions and returns the rows of a table."""

    def run(predicted: dict[str, str], table: str, *options: str) -> list[dict[str, object]]:
        gold, guess = write(tmp_path / "g.jsonl", GOLD), write(tmp_path / "p.jsonl", predicted)
        shown = ("--show", table, "--notion", "strict", "--format", "json")
        done = tagsuite("score", "--gold", gold, "--predicted", guess, *shown, *options)
        assert done.returncode == 0, done.stderr
        rows: list[dict[str, object]] = json.loads(done.stdout)[table]
        return rows

    return run


ERRORS = [
    (GOLD, [], "all right"),
    (
        GOLD | {"MS": "chemical"},
        [("wrong type", "MS", "disease", "chemical")],
        "one row for the pair, not a missed and a spurious one",
    ),
    (
        {"Aspirin": "chemical", "asthma and MS": "chemical"},
        [
            ("missed", "asthma", "disease", ""),
            ("missed", "MS", "disease", ""),
            ("spurious", "asthma and MS", "chemical", ""),
        ],
        "another span is no wrong type",
    ),
]


@pytest.mark.parametrize(("predicted", "errors", "why"), ERRORS)
def test_errors(
    show: Callable[..., list[dict[str, object]]],
    predicted: dict[str, str],
    errors: list[tuple[str, ...]],
    why: str,
) -> None:
    rows = show(predicted, "errors")
    found = [tuple(row[c] for c in ("error", "data", "type", "predicted_type")) for row in rows]
    assert sorted(found) == sorted(errors), why


CONFUSIONS = [
    ((), [("disease", "chemical", 1, 0.5)], "one of two diseases"),
    (("--ignore-types",), [], "types do not count"),
]


@pytest.mark.parametrize(("options", "rows", "why"), CONFUSIONS)
def test_confusions(
    show: Callable[..., list[dict[str, object]]], options: tuple[str, ...], rows: list[object], why: str
) -> None:
    table = show(GOLD | {"MS": "chemical"}, "confusions", *options)
    found = [tuple(row[c] for c in ("gold_type", "predicted_type", "count", "share")) for row in table]
    assert found == rows, why


def test_texts_show_the_types(show: Callable[..., list[dict[str, object]]]) -> None:
    row = show(GOLD | {"MS": "chemical"}, "errors")[0]
    assert row["gold"] == "⟦Aspirin⟧chemical for ⟦asthma⟧disease and ⟦MS⟧disease."
    assert row["predicted"] == "⟦Aspirin⟧chemical for ⟦asthma⟧disease and ⟦MS⟧chemical."


def test_false_alarms_are_counted_by_type(tagsuite: Call, tmp_path: Path) -> None:
    texts = ["Aspirin helps.", "It was cold.", "MS and AD."]
    mentions: list[list[dict[str, object]]] = [[], [], [{"start": 0, "end": 2, "type": "disease"}]]
    kinds = ["chemical", "disease", "chemical"]
    predicted = [[{"start": 0, "end": 2, "type": kind}] for kind in kinds]
    for name, rows in (("g", mentions), ("p", predicted)):
        lines = (
            json.dumps({"text_id": str(i), "text": text, "mentions": own})
            for i, (text, own) in enumerate(zip(texts, rows, strict=True))
        )
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sides = ("--gold", "jsonl:g.jsonl", "--predicted", "jsonl:p.jsonl")
    done = tagsuite("score", *sides, "--show", "false-alarms", "--format", "json", cwd=tmp_path)
    rows = json.loads(done.stdout)["scores"]
    found = [(row["type"], row["cases"], row["false_alarms"]) for row in rows]
    assert found == [("all", 2, 2), ("chemical", 2, 1), ("disease", 2, 1)]


TAGGER = """
def find(text):
    names = {"Aspirin": "chemical", "asthma": "disease", "MS": "chemical"}
    return [(text.index(n), text.index(n) + len(n), t) for n, t in names.items() if n in text]
"""


def test_acceptance_and_report_name_it(
    tagsuite: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mistyping.py").write_text(TAGGER, encoding="utf-8")
    (tmp_path / "criteria.toml").write_text(CLASSES, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    gold = write(tmp_path / "g.jsonl", GOLD)
    done = tagsuite("run", gold, "--tagger", "python:mistyping:find", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    accepted = tagsuite("accept", "criteria.toml", "run", cwd=tmp_path)
    assert accepted.returncode == 1
    assert "'MS' is a disease, found as chemical, in: " in accepted.stdout + accepted.stderr
    assert tagsuite("report", "run", "-o", "report.md", cwd=tmp_path).returncode == 0
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "and another 33.3 % with a wrong type" in page
    assert "Mentions to which mistyping.find gave a wrong type" in page


def test_discover_names_it(tagsuite: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tagger that gives the wrong type to long names gives a wrong type and does not miss them."""
    (tmp_path / "mistyping.py").write_text(
        "import re\n"
        "def find(text):\n"
        "    spans = [m.span() for m in re.finditer('zo[a-z]+( [a-z]+ga)*', text)]\n"
        "    return [(a, b, 'drug' if ' ' in text[a:b] else 'symptom') for a, b in spans]\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    letters = [a + b for a in "abcdefgh" for b in "klmnop"]
    names = [f"zo{x}" if i % 2 else f"zo{x} {x}ga ruga" for i, x in enumerate(letters * 4)]
    rows = [f"Case {i % 7} had <symptom>{name}</symptom> on day {i % 11}." for i, name in enumerate(names)]
    (tmp_path / "g.sgml").write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = tagsuite("run", "sgml:g.sgml", "--tagger", "python:mistyping:find", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = tagsuite("discover", "run", "--feature", "words", cwd=tmp_path)
    assert "gives the wrong type to names of 3 words" in found.stdout + found.stderr
