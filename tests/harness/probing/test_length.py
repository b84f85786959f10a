"""Tests of the length probe: known limits and seams of test taggers are found with few texts."""

from __future__ import annotations

import functools
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.probing import LengthOptions
from tagsuite.harness.probing.calls import ANSWERS_FILE
from tagsuite.harness.probing.findings import LengthResult
from tagsuite.harness.probing.length import probe_length
from tagsuite.harness.running.functions.function_taggers import make_tagger
from tagsuite.harness.running.preparation import prepare_tagger

PROGRAM = Path(__file__).parent / "planted.py"
SPECIFICATION = """format = 1
name = "planted"
version = "1"
pass_environment = ["PLANTED_LOG"]
command = [{command}]
[input]
form = "jsonl"
[output]
form = "jsonl"
"""
CALLS = 40
SHORT, LONG = 1600, LengthOptions().most
"""Number of words in the longest text; shorter than the default, which is enough for most tests."""


def program() -> ModuleType:
    """Import the test tagger as a module (test folders are not packages)."""
    spec = importlib.util.spec_from_file_location("planted", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


READER = program()


def planted(folder: Path, arguments: str) -> Path:
    """Write the specification of a test tagger with a given way of reading."""
    words = [sys.executable, "-I", "-S", str(PROGRAM), *arguments.split()]
    path = folder / "planted.toml"
    path.write_text(SPECIFICATION.format(command=", ".join(map(json.dumps, words))), encoding="utf-8")
    return path


def probe(folder: Path, arguments: str, most: int) -> LengthResult:
    """Run the probe in memory on a given way of reading, without one process per text."""
    given = READER.reading(arguments.split())
    return probe_length(
        make_tagger(functools.partial(READER.mentions, given=given)), folder, LengthOptions(most=most)
    )


def probe_program(folder: Path, arguments: str, **options: int) -> LengthResult:
    """Run the probe on a test tagger that is a program."""
    out = folder / "out"
    out.mkdir(parents=True, exist_ok=True)
    return probe_length(prepare_tagger(planted(folder, arguments)), out, LengthOptions(**options))


@pytest.mark.parametrize(
    ("arguments", "most", "low", "high", "step", "why"),
    [
        ("--window 384 --overlap 32 --answers listed", SHORT, 352, 384, 352, "two windows find it"),
        ("--window 384 --overlap 32 --answers parts", SHORT, 349, 387, 352, "parts are found too"),
        ("--window 384 --overlap 2", LONG, 381, 385, 382, "the mention is longer than the overlap"),
        ("--window 384 --overlap 192 --answers listed", SHORT, 192, 1536, 0, "half is read twice"),
        ("--window 512", LONG, 509, 515, 512, "lost at each seam"),
        ("--window 512 --alarms", LONG, 509, 515, 512, "false alarms are no seams"),
        ("--window 3000 --overlap 100 --answers parts", LONG, 2897, 2903, 0, "one seam only"),
        ("--unit tokens --window 512", LONG, 445, 450, 448, "punctuation marks count"),
        ("--unit characters --window 1000", LONG, 147, 156, 153, "characters count"),
    ],
)
def test_seams_of_windows_are_found(
    tmp_path: Path, arguments: str, most: int, low: int, high: int, step: int, why: str
) -> None:
    found = probe(tmp_path, arguments, most)
    assert found.kind == "windows", (why, found.verdict)
    assert found.limit is None
    assert found.seam is not None
    assert (found.seam.low, found.seam.high, found.seam.step) == (low, high, step), why
    assert found.call_count < CALLS


@pytest.mark.parametrize(
    ("arguments", "most", "side", "unit", "limit", "why"),
    [
        ("--limit 384", SHORT, "before", "words", 384, "the first words are read"),
        ("--limit 384 --alarms", SHORT, "before", "words", 384, "false alarms are no seams"),
        ("--limit 20", SHORT, "before", "words", 20, "near the beginning"),
        ("--last 500", SHORT, "after", "words", 500, "the last words are read"),
        ("--refuse 600", SHORT, "whole", "words", 600, "longer texts get an empty answer"),
        ("--unit characters --limit 1000", SHORT, "before", "characters", 1000, "characters count"),
    ],
)
def test_limits_are_found(
    tmp_path: Path, arguments: str, most: int, side: str, unit: str, limit: int, why: str
) -> None:
    found = probe(tmp_path, arguments, most).limit
    assert found is not None, why
    assert found.side == side, why
    # words are added one by one
    assert limit - {"words": 0, "characters": 20}[unit] <= getattr(found, unit) <= limit, why
    assert found.words < found.characters


@pytest.mark.parametrize(
    ("arguments", "kind", "why"),
    [
        ("", "no limit", "all is read"),
        ("--alarms", "no limit", "false alarms alone are nothing"),
        ("--window 384 --overlap 32", "no limit", "merged answers leave no trace and lose nothing"),
        ("--decay 0.9", "irregular", "less and less is found"),
        ("--misses 0.02", "irregular", "few losses anywhere"),
        ("--flips 0.3", "unstable", "another answer to the same text"),
    ],
)
def test_other_ways_of_reading_are_told_apart(tmp_path: Path, arguments: str, kind: str, why: str) -> None:
    found = probe(tmp_path, arguments, SHORT)
    assert found.kind == kind, (why, found.verdict)
    assert found.seam is None
    assert found.limit is None


def test_a_probe_that_stopped_sends_no_text_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("PLANTED_LOG", str(log))
    # a mention that two windows find is given twice by a program too
    arguments = "--window 384 --overlap 32 --answers listed"
    whole = probe_program(tmp_path / "whole", arguments, most=SHORT)
    sent = log.read_text(encoding="utf-8").splitlines()
    assert len(sent) == whole.call_count
    assert whole.seam is not None
    assert (whole.seam.low, whole.seam.step) == (352, 352)
    log.unlink()
    stopped = probe_program(tmp_path / "stopped", arguments, most=SHORT, calls=10)
    assert stopped.kind == "undecided"
    assert stopped.call_count <= 10
    # killed while a line was written
    with (tmp_path / "stopped" / "out" / ANSWERS_FILE).open("a", encoding="utf-8") as stream:
        stream.write('{"text": "abc", "outc')
    resumed = probe_program(tmp_path / "stopped", arguments, most=SHORT)
    assert (resumed.verdict, resumed.call_count) == (whole.verdict, whole.call_count)
    assert log.read_text(encoding="utf-8").splitlines() == sent
    assert (tmp_path / "stopped" / "out" / ANSWERS_FILE).read_bytes() == (
        tmp_path / "whole" / "out" / ANSWERS_FILE
    ).read_bytes()


def test_the_answers_of_another_tagger_are_refused(tmp_path: Path) -> None:
    probe_program(tmp_path, "--limit 384", most=500)
    with pytest.raises(InputError, match="another tagger"):
        probe_program(tmp_path, "--limit 128", most=500)


def test_a_tagger_that_finds_no_case_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="finds no mention"):
        probe(tmp_path, "--limit 1", SHORT)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("Nothing here.\n", {}, "no case is suitable"),
        ("A <gp>p53</gp> and <gp>p53</gp>.\n", {}, "no case is suitable"),
        ("The <gp>p53</gp> protein.\n", {"case": 2}, "the case with this number does not exist"),
    ],
)
def test_cases_that_cannot_be_used_are_refused(
    tmp_path: Path, content: str, options: dict[str, int], message: str
) -> None:
    (tmp_path / "cases.sgml").write_text(content, encoding="utf-8")
    tagger = prepare_tagger(planted(tmp_path, ""))
    with pytest.raises(InputError, match=message):
        probe_length(tagger, tmp_path, LengthOptions(**options), f"sgml:{tmp_path / 'cases.sgml'}")


def test_the_cases_of_a_suite_are_used(tmp_path: Path) -> None:
    content = "The mouse <gp>Abc1</gp> gene.\nThe human <gp>insulin receptor</gp> was cloned here.\n"
    (tmp_path / "cases.sgml").write_text(content, encoding="utf-8")
    tagger = prepare_tagger(planted(tmp_path, "--window 100"))
    found = probe_length(tagger, tmp_path, LengthOptions(most=1000), f"sgml:{tmp_path / 'cases.sgml'}")
    assert (found.case.number, found.case.mention) == (2, "insulin receptor")
    assert found.seam is not None
    assert (found.seam.low, found.seam.high) == (99, 101)
