"""Python functions as taggers: named functions in their own processes, objects in this process."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.preparation import prepare_tagger
from tagsuite.harness.running.run import run

WriteCorpus = Callable[..., str]
PROGRAMS = Path(__file__).parent / "programs"
NAMED = "python:named_functions:"
FILES = ("predictions.parquet", "outcomes.parquet", "run.toml")

# text, outcome, spans, what is said of it, why
CASES: list[tuple[str, str, list[tuple[int, int]], str, str]] = [
    ("the Wnt gene", "ok", [(4, 7)], "", "spans as tuples"),
    ("raise Wnt", "crash", [], "ValueError: no raise Wnt", "an exception in one case"),
    ("exit Wnt", "crash", [], "SystemExit: enough", "sys.exit in one"),
    ("memory Wnt", "memory", [], "MemoryError", "the memory that it asks for is not there"),
    ("none Wnt", "garbage", [], "found None; allowed: a list of", "it forgets to return"),
    ("words Wnt", "garbage", [], "", "a text that holds no JSON"),
    ("model Wnt", "ok", [(6, 9)], "", "what a language model says; one of its names is invented"),
    ("strings Wnt Notch Wnt", "ok", [(8, 11), (12, 17), (18, 21)], "", "strings, each in its place"),
    ("mixed Wnt", "ok", [(0, 5), (6, 9)], "", "strings and spans"),
    ("beyond", "unaligned", [(0, 3)], "", "offsets beyond the text; the other mention is kept"),
    ("far Wnt", "garbage", [], "", "offsets beyond every text"),
    ("print Wnt", "ok", [(6, 9)], "", "what it prints is no answer"),
    ("generator Wnt", "ok", [(10, 13)], "", "a generator"),
    ("nothing Wnt", "ok", [], "", "an empty list"),
    ("and Notch\nhere", "ok", [(4, 9)], "", "a line break in a text"),
]
OUTCOMES = [outcome for _, outcome, *_ in CASES]
SPANS = [(place, *span) for place, (_, _, spans, _, _) in enumerate(CASES) for span in spans]


@pytest.fixture(autouse=True)
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the test functions, which are also importable from the working folder."""
    monkeypatch.chdir(tmp_path)
    source = (PROGRAMS / "named_functions.py").read_text(encoding="utf-8")
    (tmp_path / "named_functions.py").write_text(source, encoding="utf-8")
    return imported(tmp_path / "named_functions.py")


def imported(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def cases(tmp_path: Path) -> str:
    """Write the texts of the table as a corpus, which may contain line breaks."""
    lines = "".join(json.dumps({"text": text}) + "\n" for text, *_ in CASES)
    (tmp_path / "cases.jsonl").write_text(lines, encoding="utf-8")
    return "jsonl:cases.jsonl"


def spans(done: Run) -> list[tuple[int, int, int]]:
    rows = done.predictions[["text_id", "start", "end"]].astype(int).to_numpy().tolist()
    return [tuple(row) for row in rows]


def last_lines(done: Run) -> dict[int, str]:
    return {int(case): f["stderr"] for f in done.meta["failure"] for case in f["cases"]}


def content(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.mark.parametrize("name", ["tag", "many", "later"])
def test_every_case_has_its_outcome(name: str, cases: str) -> None:
    """Test a function of one text, a function of a list of texts, and a coroutine."""
    done = run(cases, NAMED + name, "run")
    assert done.outcomes["outcome"].tolist() == OUTCOMES
    assert spans(done) == SPANS
    said = last_lines(done)
    assert [said.get(place, "")[: len(c[3])] for place, c in enumerate(CASES)] == [c[3] for c in CASES]
    assert done.meta["exit_codes"] == {}
    assert json.loads((done.folder / "timings.json").read_text())["starts"] == 1
    printed = "".join(p.read_text() for p in (done.folder / "stderr").iterdir())
    assert '{"answers": [{"mentions": []}]}\n' in printed
    assert "by its number\n" in printed
    assert done.tagger == f"named_functions.{name}@0.3"
    assert done.meta["strings"]["invented"] == 1


@pytest.mark.parametrize("name", ["tag", "many", "later"])
def test_an_object_in_memory_has_the_same_outcomes(name: str, cases: str, functions: Any) -> None:
    done = run(cases, getattr(functions, name), "run")
    assert done.outcomes["outcome"].tolist() == OUTCOMES
    assert spans(done) == SPANS
    assert done.meta["run"]["mode"] == "python"
    assert done.meta["tagger"]["specification"] == ""


def test_a_process_that_dies_or_hangs_in_a_window(tmp_path: Path, corpus: WriteCorpus) -> None:
    """The other cases of the window are answered; the causing cases fail singly."""
    (tmp_path / "t.toml").write_text(
        'format = 1\nname = "t"\nmode = "python"\n[python]\nfunction = "named_functions:dies"\nwindow = 4\n'
        "[limits]\ncase = 0.5\nstart = 3.0\n",
        encoding="utf-8",
    )
    texts = ["Wnt", "Notch", "die now", "Abc", "Def", "hang here", "Ghi", "Jkl", "Mno"]
    done = run(corpus(texts), tmp_path / "t.toml", "run")
    expected = ["timeout" if t[:4] == "hang" else "crash" if t[:3] == "die" else "ok" for t in texts]
    assert done.outcomes["outcome"].tolist() == expected
    assert len(done.predictions) == 7


def test_a_hanging_case_does_not_cost_the_time_of_an_import(tmp_path: Path, corpus: WriteCorpus) -> None:
    (tmp_path / "t.toml").write_text(
        'format = 1\nname = "t"\nmode = "python"\n[python]\nfunction = "named_functions:hangs"\n'
        "[limits]\ncase = 0.5\nstart = 3600\n",
        encoding="utf-8",
    )
    done = run(corpus([f"{'hang' if i == 40 else 'a'} Gene{i}" for i in range(64)]), "t.toml", "run")
    assert done.outcome_counts == {"ok": 63, "timeout": 1}
    assert json.loads((done.folder / "timings.json").read_text())["starts"] == 3, "it is asked twice"


@pytest.mark.parametrize("name", ["hostile", "hostile_many"])
def test_no_case_has_the_answer_to_another(name: str, corpus: WriteCorpus, functions: Any) -> None:
    kinds = list(functions.HOSTILE)
    texts = [f"{kinds[i // 2 % len(kinds)] if i % 2 else 'a'} Gene{'x' * i}" for i in range(36)]
    done = run(corpus(texts), NAMED + name, "run", batch_size=12)
    assert done.outcome_counts == {"ok": 36}
    assert spans(done) == [(i, text.index("G"), len(text)) for i, text in enumerate(texts)]


def test_a_copy_of_our_own_process_ends_where_the_function_returns(corpus: WriteCorpus) -> None:
    copies: list[int] = []

    def fork(text: str) -> list[Any]:
        if copy := os.fork():
            copies.append(copy)
        return []

    run(corpus(["the Wnt gene"]), fork, "run")
    for _ in range(1000):
        ended, status = os.waitpid(copies[0], os.WNOHANG)
        if ended:
            break
        time.sleep(0.02)
    else:
        os.kill(copies[0], signal.SIGKILL)
        os.waitpid(copies[0], 0)
    assert ended, "it goes on with our work"
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize("relative", [False, True])
def test_a_function_is_imported_from_pythonpath(
    relative: bool, tmp_path: Path, corpus: WriteCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("library", "specifications"):
        (tmp_path / folder).mkdir()
    (tmp_path / "library" / "elsewhere.py").write_text("def tag(text):\n    return [(0, 1)]\n")
    spec = tmp_path / "specifications" / "t.toml"
    spec.write_text('format = 1\nname = "t"\nmode = "python"\n[python]\nfunction = "elsewhere:tag"\n')
    monkeypatch.setenv("PYTHONPATH", "library" if relative else str(tmp_path / "library"))
    assert spans(run(corpus(["Wnt"]), spec, "run")) == [(0, 0, 1)]


@pytest.mark.parametrize(
    ("options", "kinds", "starts", "why"),
    [
        ({}, ["gp"], [4], "none"),
        ({"shift": "-1"}, ["gp"], [3], "a whole number"),
        ({"kinds": "a, b"}, ["a", "b"], [4, 4], "a list"),
        ({"upper": "yes"}, ["gp"], [4], "a flag"),
    ],
)
def test_options_are_keyword_arguments(
    options: dict[str, str], kinds: list[str], starts: list[int], why: str, corpus: WriteCorpus
) -> None:
    found = run(corpus(["the Wnt gene"]), NAMED + "tag", "run", options=options).predictions
    assert found["type"].astype(str).tolist() == kinds
    assert found["start"].tolist() == starts


REFUSED = [
    (NAMED + "tag", {"shif": "1"}, "no option shif; allowed: shift, kinds", "no such parameter"),
    (NAMED + "tag", {"shift": "one"}, "found 'one'; allowed: a whole number", "no number"),
    (NAMED + "tag", {"upper": "maybe"}, "allowed: true, false", "no flag"),
    (NAMED + "tug", {}, "AttributeError: module 'named_functions' has no", "no such function"),
    (NAMED + "no_function", {}, "TypeError: the object is not callable: int 5", "not callable"),
    ("python:nowhere:tag", {}, "No module named 'nowhere'", "no such module"),
    ("python:named_functions", {}, "the text after python: is not the name of a function", "a module alone"),
    ("python:exits:tag", {}, "SystemExit: 3", "a module that exits"),
    ("python:ends:tag", {}, "its process ended", "a module that ends its process"),
]  # fmt: skip


@pytest.mark.parametrize(("tagger", "options", "told", "why"), REFUSED, ids=[r[3] for r in REFUSED])
def test_what_cannot_be_run_is_refused_before(
    tagger: str, options: dict[str, str], told: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "ends.py").write_text("import os\nos._exit(0)\n")
    with pytest.raises(InputError) as caught:
        prepare_tagger(tagger, options)
    assert told in str(caught.value)


def test_the_digest_is_of_the_source_and_of_nothing_beside_it(tmp_path: Path) -> None:
    before = prepare_tagger(NAMED + "tag")
    (tmp_path / "another.py").write_text("x = 1\n")
    assert prepare_tagger(NAMED + "tag").digest == before.digest
    assert prepare_tagger(NAMED + "many").digest != before.digest
    assert prepare_tagger(NAMED + "tag", {"shift": "1"}).digest != before.digest
    source = tmp_path / "named_functions.py"
    source.write_text(source.read_text() + "\n# another\n")
    assert prepare_tagger(NAMED + "tag").digest != before.digest
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text('__version__ = "2.5"\n')
    (tmp_path / "pack" / "inner.py").write_text("def tag(text):\n    return []\n")
    assert prepare_tagger("python:pack.inner:tag").version == "2.5"


def test_nothing_is_cached(corpus: WriteCorpus, functions: Any, tmp_path: Path) -> None:
    source = corpus(["the Wnt gene"])
    run(source, NAMED + "tag", "one")
    run(source, functions.tag, "two")
    assert not (tmp_path / "cache").exists()


class _EndedError(Exception):
    pass


def test_an_object_in_memory_is_resumed_and_another_refused(corpus: WriteCorpus, functions: Any) -> None:
    source = corpus([f"the Wnt{i} gene" for i in range(100)])

    def end(done: int, count: int) -> None:
        if done >= 40:
            raise _EndedError

    with pytest.raises(_EndedError):
        run(source, functions.slow, "run", batch_size=20, progress=end)
    with pytest.raises(InputError, match="an unfinished run of another tagger or input"):
        run(source, functions.tag, "run", batch_size=20)
    done = run(source, functions.slow, "run", batch_size=20)
    assert done.outcome_counts == {"ok": 100}
    assert content(done.folder) == content(run(source, functions.slow, "whole", batch_size=20).folder)
    with pytest.raises(InputError, match="the folder already contains another run"):
        run(source, functions.tag, "run", batch_size=20)


def lower(text: str) -> Any:
    return []


def upper(text: str) -> Any:
    return [(0, 1)]


# two objects, whether they are one tagger, why
TWINS: list[tuple[Callable[[Any], Any], Callable[[Any], Any], bool, str]] = [
    (lambda f: f.tag, lambda f: f.tag, True, "one function"),
    (lambda f: lower, lambda f: upper, False, "two functions"),
    (lambda f: f.Model(0.5), lambda f: f.Model(0.5), True, "two objects of one type"),
    (lambda f: versioned(f, "1"), lambda f: versioned(f, "2"), False, "another version"),
    (lambda f: f.Model(0.5).predict, lambda f: f.Model(0.5).__call__, True, "one method by two names"),
    (lambda f: f.Model(0.5).predict, lambda f: f.tag, False, "a method and a function"),
    (
        lambda f: functools.partial(f.tag, shift=1),
        lambda f: functools.partial(f.tag, shift=2),
        False,
        "a partial function",
    ),
]


def versioned(functions: Any, version: str) -> Any:
    model = functions.Model(0.5)
    model.meta = {"version": version}
    return model


@pytest.mark.parametrize(("one", "other", "same", "why"), TWINS, ids=[t[3] for t in TWINS])
def test_what_tells_objects_apart(one: Any, other: Any, same: bool, why: str, functions: Any) -> None:
    from tagsuite.harness.running.functions.function_taggers import make_tagger

    assert (make_tagger(one(functions)).digest == make_tagger(other(functions)).digest) is same


def test_names_versions_and_arguments_of_objects(corpus: WriteCorpus, functions: Any) -> None:
    from tagsuite.harness.running.functions.function_taggers import get_function_name, make_tagger

    named = [
        functions.tag,
        functions.model,
        functions.model.predict,
        functools.partial(functions.tag),
        lambda t: [],
    ]
    assert [get_function_name(f) for f in named] == ["tag", "Model", "Model.predict", "tag", "lambda"]
    done = run(corpus(["the Wnt gene"]), functions.tag, "run", options={"shift": 1})
    assert spans(done) == [(0, 5, 8)]
    with pytest.raises(
        InputError, match="the function tag has no parameter shif; allowed: shift, kinds, upper"
    ):
        make_tagger(functions.tag, {"shif": 1})
    model = run(corpus(["the Wnt gene"]), functions.model, "model").predictions
    assert model["score"].tolist() == [0.25]
    by_name = run(corpus(["the Wnt gene"]), NAMED + "model.predict", "by-name").predictions
    assert by_name["score"].tolist() == [0.25]


def test_a_specification_of_a_function(tmp_path: Path, refused: WriteCorpus) -> None:
    head = 'format = 1\nname = "t"\nmode = "python"\n'
    for text, told in [
        (head, "required in mode 'python'"),
        (head + 'command = ["x"]\n[python]\nfunction = "a:b"\n', "command: not allowed in mode 'python'"),
        (
            head + '[python]\nfunction = "a:b"\n[output]\nform = "sgml"\n',
            "form: not allowed in mode 'python'",
        ),
        (head + '[python]\nfunction = "a"\n', "python.function"),
        ('format = 1\nname = "t"\n', "command: a program and its arguments are required"),
        (head + '[python]\nfunction = "named_functions:tag"\n[options.shif]\n', "has no parameter shif"),
    ]:
        (tmp_path / "t.toml").write_text(text, encoding="utf-8")
        assert told in refused("taggers", "check", "t.toml")
