"""Repetitions and variants of a run: separate folders, separate results, resuming."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tagsuite as package
from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.folder.runs import Run, read_run
from tagsuite.harness.running.preparation import prepare_tagger
from tagsuite.harness.running.repeats import read_repetitions, run_repeatedly
from tagsuite.harness.running.run import run
from tagsuite.harness.running.variants import make_variant_name, read_variants

CORPUS = "".join(f"<gp>gene{i}</gp> is here.\n" for i in range(8))
PROGRAM = """import os, sys
with open(os.environ["LOG"], "a") as log:
    log.write(sys.argv[1] + os.environ["AGAIN"] + "\\n")
for i, line in enumerate(sys.stdin):
    name, rest = line.split(" ", 1)
    # in repetition k the k-th name is not found
    print(line if str(i + 1) == sys.argv[1] else f"<gp>{name}</gp> {rest}", end="")
"""
SPECIFICATION = """format = 1
name = "t"
version = "1"
command = ["{python}", "-I", "-S", "{here}/t.py", "{repeat}", "{option:word}"]
files = ["t.py"]
environment = { AGAIN = "{repeat}", LOG = "{here}/asked.log" }
[options.word]
default = "a"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "t.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "t.toml").write_text(SPECIFICATION, encoding="utf-8")
    (tmp_path / "c.sgml").write_text(CORPUS, encoding="utf-8")
    (tmp_path / "asked.log").write_text("", encoding="utf-8")
    return tmp_path


def once(place: Path, **options: Any) -> Callable[[int, Path], Run]:
    tagger = prepare_tagger(place / "t.toml")

    def one(number: int, folder: Path) -> Run:
        return run(f"sgml:{place}/c.sgml", tagger, folder, repeat=number, **options)

    return one


def log(place: Path) -> list[str]:
    return (place / "asked.log").read_text(encoding="utf-8").split()


def content(folder: Path) -> dict[str, bytes]:
    times = ("timings.json", "costs.parquet")
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.name not in times)
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def test_each_repetition_is_asked_and_has_a_key_of_its_own(place: Path) -> None:
    done = run_repeatedly(once(place), place / "out", 3)
    assert log(place) == ["11", "22", "33"]
    assert done.times == 3
    found = read_repetitions(done)
    assert [r.folder for r in found] == [place / "out", place / "out/repeats/2", place / "out/repeats/3"]
    assert len({r.meta["run"]["key"] for r in found}) == 3
    assert len({r.signature for r in found}) == 1
    assert [r.meta["run"].get("repeat", 1) for r in found] == [1, 2, 3]
    missed = [set(range(8)) - set(r.predictions["text_id"].astype(int) % 8) for r in found]
    assert len({tuple(m) for m in missed}) == 3, "the cache gave none to another"
    run_repeatedly(once(place), place / "again", 3)
    assert log(place) == ["11", "22", "33"], "the second time nothing was run"
    assert content(place / "out") == content(place / "again")


@pytest.mark.parametrize(
    ("before", "then", "asked", "why"),
    [
        (1, 3, ["22", "33"], "what is finished is not asked again"),
        (3, 2, [], "a smaller number reads what is there"),
        (3, 3, [], "the same again"),
    ],
)
def test_another_number_of_repetitions(
    place: Path, before: int, then: int, asked: list[str], why: str
) -> None:
    run_repeatedly(once(place, cache=False), place / "out", before)
    (place / "asked.log").write_text("", encoding="utf-8")
    assert run_repeatedly(once(place, cache=False), place / "out", then).times == then, why
    assert log(place) == asked, why


def test_what_is_ended_between_repetitions_goes_on_there(place: Path) -> None:
    whole = run_repeatedly(once(place, cache=False), place / "whole", 3)
    (place / "asked.log").write_text("", encoding="utf-8")
    single = once(place, cache=False)

    def ended(number: int, folder: Path) -> Run:
        if number == 3:
            raise KeyboardInterrupt
        return single(number, folder)

    with pytest.raises(KeyboardInterrupt):
        run_repeatedly(ended, place / "out", 3)
    assert read_run(place / "out").times == 1, "what is unfinished does not count"
    done = run_repeatedly(single, place / "out", 3)
    assert log(place) == ["11", "22", "33"]
    assert content(done.folder) == content(whole.folder)


def test_a_repetition_that_is_missing_or_another_is_refused(place: Path) -> None:
    done = run_repeatedly(once(place), place / "out", 2)
    text = (place / "out/repeats/2/run.toml").read_text(encoding="utf-8")
    (place / "out/repeats/2/run.toml").write_text(text.replace("t@1#", "u@1#"), encoding="utf-8")
    with pytest.raises(InputError, match="the tagger of the repetition"):
        read_repetitions(done)
    (place / "out/repeats/2/run.toml").unlink()
    with pytest.raises(InputError, match="not a run folder"):
        read_repetitions(done)


def test_force_removes_the_repetitions_of_another_run(place: Path) -> None:
    run_repeatedly(once(place), place / "out", 3)
    (place / "c.sgml").write_text(CORPUS + "<gp>more</gp> is here.\n", encoding="utf-8")
    with pytest.raises(InputError, match="another run"):
        run_repeatedly(once(place), place / "out", 2)
    done = run_repeatedly(once(place, force=True), place / "out", 2)
    assert done.times == 2
    assert sorted(p.name for p in (place / "out/repeats").iterdir()) == ["2"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"times": 0}, "out of range"),
        ({"vary": {"word": ["a"]}}, "at least two values, all different"),
        ({"vary": {"word": [1, "1"]}}, "at least two values, all different"),
        ({"vary": {"word": ["a", "b"]}, "options": {"word": "c"}}, "both varied and fixed"),
        ({"vary": {"nothing": ["a", "b"]}}, "has no option nothing"),
        ({"vary": {"word": range(40), "n": range(40)}}, "out of range"),
        ({"vary": ["=a,b"]}, "needs a name and a value"),
        ({"vary": ["word=a,b", "word=c,d"]}, "twice"),
    ],
)
def test_repetitions_and_variants_that_make_no_sense(
    place: Path, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        package.run(f"sgml:{place}/c.sgml", place / "t.toml", place / "out", **given)
    assert log(place) == [], "nothing was run"


def test_folders_of_variants_have_safe_names() -> None:
    long = [make_variant_name({"prompt": "x" * 300 + end}) for end in "ab"]
    assert make_variant_name({"a": "1", "b": "../x"}) == "a=1+b=..%2Fx"
    assert len(set(long)) == 2
    assert max(map(len, long)) < 100


def test_variants_are_runs_of_all_combinations_on_the_command_line_and_in_python(
    place: Path, tagsuite: Any
) -> None:
    words = [f"sgml:{place}/c.sgml", "--tagger", str(place / "t.toml"), "--out", str(place / "out")]
    done = tagsuite("run", *words, "--vary", "word=a,b", "--times", "2", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert [line.split(",")[0] for line in done.stdout.splitlines()[1:]] == ['"word=a'] * 2 + ['"word=b'] * 2
    factors, variants = read_variants(place / "out")
    assert factors == {"word": ["a", "b"]}
    assert [v.run.times for v in variants] == [2, 2]
    assert [v.run.meta["tagger"]["options"]["word"] for v in variants] == ["a", "b"]
    expected = figures(place / "out")
    source, file = f"sgml:{place}/c.sgml", place / "t.toml"
    variants = package.run(source, file, place / "mapping", vary={"word": ["a", "b"]}, times=2)
    assert [(v.levels, v.run.times) for v in variants] == [({"word": "a"}, 2), ({"word": "b"}, 2)]
    assert figures(place / "mapping") == expected
    # as it is written on the command line
    package.run(source, file, place / "texts", vary=["word=a,b"], times=2)
    assert figures(place / "texts") == expected


def figures(folder: Path) -> dict[str, bytes]:
    return {k: v for k, v in content(folder).items() if k.endswith(("predictions.parquet", "variants.toml"))}


def test_an_object_in_memory_gets_the_values_themselves(place: Path) -> None:
    seen: list[object] = []

    def found(text: str, least: float = 0.0) -> list[str]:
        seen.append(least)
        return [text.split()[0]] if least < 1 else []

    variants = package.run(f"sgml:{place}/c.sgml", found, place / "out", vary={"least": [0.5, 2]})
    assert set(seen) == {0.5, 2}
    assert {type(value) for value in seen} == {float, int}
    assert [len(v.run.predictions) for v in variants] == [8, 0]
    assert [v.levels for v in variants] == [{"least": "0.5"}, {"least": "2"}]


def test_a_tagger_that_is_ready_has_its_options(place: Path) -> None:
    with pytest.raises(InputError, match="vary does not accept a prepared Tagger"):
        package.run(
            f"sgml:{place}/c.sgml", prepare_tagger(place / "t.toml"), place / "out", vary={"word": ["a", "b"]}
        )


def test_unfinished_variants_are_refused(place: Path) -> None:
    single = once(place)
    with pytest.raises(InputError, match="the folder has no variants"):
        read_variants(place)
    (place / "out/variants").mkdir(parents=True)
    with pytest.raises(InputError, match="unfinished"):
        read_variants(place / "out")
    run_repeatedly(single, place / "run", 1)
    with pytest.raises(
        InputError,
        match="the output folder contains the output of another command; use a new folder: found 'run'",
    ):
        package.run(f"sgml:{place}/c.sgml", place / "t.toml", place / "run", vary={"word": ["a", "b"]})
