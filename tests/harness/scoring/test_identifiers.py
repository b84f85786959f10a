"""Scores that compare identifiers: mentions, and sets of identifiers per document."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

Mention = tuple[str, str, str]
"""Form, type and identifiers of a mention."""
TEXT = "Aspirin for asthma and MS, or asthma."
GOLD: list[Mention] = [("Aspirin", "chemical", "MESH:D1"), ("asthma", "disease", "MESH:D2")]


def write(path: Path, mentions: Sequence[Mention]) -> str:
    """Write a document with mentions as jsonl, and return its specification."""
    rows = []
    for form, kind, names in mentions:
        pairs = [name.rpartition(":")[::2] for name in names.split("|") if name]
        start = TEXT.index(form)
        rows.append({"start": start, "end": start + len(form), "type": kind, "normalisations": pairs})
    line = {"text_id": "1", "document_id": "d", "text": TEXT, "mentions": rows}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return f"jsonl:{path}"


@pytest.fixture
def score(tagsuite: Call, tmp_path: Path) -> Callable[..., CompletedProcess[str]]:
    """Return a function that scores predicted mentions with their identifiers."""

    def run(predicted: Sequence[Mention], *options: str) -> CompletedProcess[str]:
        gold, guess = write(tmp_path / "g.jsonl", GOLD), write(tmp_path / "p.jsonl", predicted)
        given = ("--gold", gold, "--predicted", guess, "--format", "json", "--identifiers")
        done: CompletedProcess[str] = tagsuite("score", *given, *options)
        return done

    return run


COUNTS: list[tuple[list[Mention], tuple[str, ...], int, str]] = [
    (GOLD, (), 2, "all right"),
    ([GOLD[0], ("asthma", "disease", "MESH:D9")], (), 1, "a wrong identifier"),
    ([GOLD[0], ("asthma", "chemical", "MESH:D2")], (), 1, "a wrong type"),
    ([GOLD[0], ("asthma", "chemical", "MESH:D2")], ("--ignore-types",), 2, "types do not count"),
    ([GOLD[0], ("asthma", "disease", "D2")], (), 1, "an authority is missing where others are given"),
    ([("Aspirin", "chemical", "D1"), ("asthma", "disease", "D2")], (), 2, "no authorities on one side"),
    ([GOLD[0], ("asthma", "disease", "")], (), 1, "no identifier"),
]


@pytest.mark.parametrize("notion", ["strict", "sloppy", "left", "pnp"])
@pytest.mark.parametrize(("predicted", "options", "right", "why"), COUNTS)
def test_a_mention_needs_its_identifier(
    score: Call, predicted: list[Mention], options: tuple[str, ...], right: int, why: str, notion: str
) -> None:
    done = score(predicted, "--notion", notion, *options)
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)["scores"][0]
    assert (row["gold"], row["gold_matched"]) == (2, right), why
    assert "|identifiers:compared|" in row["signature"]


def test_errors_name_it(score: Call) -> None:
    predicted = [GOLD[0], ("asthma", "disease", "MESH:D9")]
    rows = json.loads(score(predicted, "--show", "errors", "--notion", "strict").stdout)["errors"]
    assert [(row["error"], row["data"]) for row in rows] == [("wrong identifier", "asthma")]


DOCUMENTS: list[tuple[list[Mention], tuple[int, int, int], str]] = [
    (GOLD, (2, 0, 0), "all right"),
    ([("MS", "disease", "MESH:D2"), *GOLD[:1]], (2, 0, 0), "the place of a mention does not matter"),
    ([("MS", "disease", "MESH:D2"), *GOLD], (2, 0, 0), "each identifier counts once"),
    ([*GOLD[:1], ("asthma", "disease", "MESH:D9")], (1, 1, 1), "one is missing, one is spurious"),
]


@pytest.mark.parametrize(("predicted", "counts", "why"), DOCUMENTS)
def test_sets_of_identifiers_per_document(
    score: Call, predicted: list[Mention], counts: tuple[int, int, int], why: str
) -> None:
    rows = json.loads(score(predicted, "--show", "identifiers").stdout)["identifiers"]
    assert tuple(rows[0][name] for name in ("matched", "missing", "spurious")) == counts, why
    assert [row["type"] for row in rows] == ["all", "chemical", "disease"]


REFUSED = [
    ([("Aspirin", "chemical", "")], (), "have none; leave out the run or --identifiers"),
    (GOLD, ("--alternatives", "optimal"), "the gold corpus has no alternatives"),
]


@pytest.mark.parametrize(("predicted", "options", "problem"), REFUSED)
def test_what_cannot_be_compared(
    score: Call, predicted: list[Mention], options: tuple[str, ...], problem: str
) -> None:
    done = score(predicted, *options)
    assert done.returncode == 2
    assert problem in done.stderr
