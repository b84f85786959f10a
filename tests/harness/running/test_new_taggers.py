"""Taggers registered by other packages, and templates for new taggers."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import get_args

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.commands import TemplateName
from tagsuite.harness.running.lookup import find_specification
from tagsuite.harness.running.run import run
from tagsuite.harness.running.stubs import write_stub

NEEDS = {"spacy": "spacy", "huggingface": "transformers", "http": "httpx"}
SPECIFICATION = 'format = 1\nname = "theirs"\nversion = "3"\ncommand = ["cat"]\n'
POINTS = """[tagsuite.taggers]
theirs = theirpack:theirs.toml
called = theirpack.functions:tag
kex = theirpack.functions:tag
broken = theirpack:missing.toml
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a package that registers taggers."""
    site = tmp_path / "site"
    (site / "theirpack").mkdir(parents=True)
    (site / "theirpack" / "__init__.py").write_text("")
    (site / "theirpack" / "functions.py").write_text("def tag(text):\n    return [(0, 1)]\n")
    (site / "theirpack" / "theirs.toml").write_text(SPECIFICATION)
    about = site / "theirpack-1.5.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirpack\nVersion: 1.5\n")
    (about / "entry_points.txt").write_text(POINTS)
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    monkeypatch.setenv("PYTHONPATH", str(site))
    importlib.invalidate_caches()
    return site


def test_a_package_brings_taggers(package: Path, corpus: Callable[..., str], tmp_path: Path) -> None:
    path, spec = find_specification("theirs")
    assert (path, spec.version) == (package / "theirpack" / "theirs.toml", "3")
    source = corpus(["Wnt", "Notch"])
    assert run(source, "theirs", tmp_path / "theirs").tagger == "theirs@3"
    done = run(source, "called", tmp_path / "called")
    assert done.predictions[["start", "end"]].to_numpy().tolist() == [[0, 1], [0, 1]]
    assert done.tagger.startswith("called@")
    assert done.meta["tagger"]["specification"] == "called"
    with pytest.raises(
        InputError, match=r"theirpack 1.5 registers the tagger broken but does not contain its specification"
    ):
        find_specification("broken")
    with pytest.raises(InputError, match="called, kex, theirs, a specification file"):
        find_specification("their")


def test_the_bundled_one_comes_first_which_is_said(package: Path, tagsuite: Call) -> None:
    (package / "theirpack" / "missing.toml").write_text(SPECIFICATION)
    listed = tagsuite("taggers", "list", "--format", "csv")
    assert listed.returncode == 0, listed.stderr
    assert (
        "tagsuite: kex is a bundled tagger; the one registered by theirpack 1.5 is ignored" in listed.stderr
    )
    rows = {line.split(",")[0]: line.split(",")[1:3] for line in listed.stdout.splitlines()}
    assert rows["theirs"] == ["theirpack 1.5", "batch"]
    assert rows["called"] == ["theirpack 1.5", "python"]
    assert rows["kex"][0].startswith("tagsuite ")
    shown = tagsuite("taggers", "show", "kex")
    assert 'name = "kex"' in shown.stdout
    assert 'function = "theirpack.functions:tag"' in tagsuite("taggers", "show", "called").stdout


@contextmanager
def standing_in(program: str) -> Iterator[list[str]]:
    """Start the endpoint that belongs to a template, on a free port; return the options for it."""
    command = [sys.executable, program, "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
        assert server.stdout is not None
        yield ["--option", f"url={server.stdout.readline().strip()}"]
        server.terminate()


@pytest.mark.parametrize("like", get_args(TemplateName))
def test_a_stub_runs_at_once(like: str, tmp_path: Path, tagsuite: Call) -> None:
    made = tagsuite("taggers", "new", "my-tagger", "--like", like, "--out", tmp_path / "stub")
    assert made.returncode == 0, made.stderr
    written = made.stdout.splitlines()
    assert written == [str(tmp_path / "stub" / name) for name in ("my-tagger.toml", "my_tagger.py")]
    compile(Path(written[1]).read_text(), written[1], "exec")
    assert "NAME" not in Path(written[0]).read_text()
    assert "MODULE" not in Path(written[0]).read_text()
    if like in NEEDS:
        pytest.importorskip(NEEDS[like], reason=f"the stub like {like} needs it")
    if like == "huggingface" and "HF_MODEL" not in os.environ:
        pytest.skip("HF_MODEL names no model")
    none: list[str] = []
    endpoint: AbstractContextManager[list[str]] = nullcontext(none)
    if like == "http":
        endpoint = standing_in(written[1])
    with endpoint as options:
        checked = tagsuite("taggers", "check", written[0], *options)
    assert checked.returncode == 0, checked.stderr
    assert "wrong:" not in checked.stderr


def test_nothing_is_replaced_unless_asked(tmp_path: Path) -> None:
    written = write_stub("mine", "lines", tmp_path)
    written[1].write_text("mine")
    with pytest.raises(InputError, match=r"the file already exists.*--force"):
        write_stub("mine", "jsonl", tmp_path)
    assert written[1].read_text() == "mine"
    (tmp_path / "new.py").write_text("only the program is there")
    with pytest.raises(InputError, match="already exists"):
        write_stub("new", "lines", tmp_path)
    assert not (tmp_path / "new.toml").exists()
    write_stub("mine", "jsonl", tmp_path, force=True)
    assert 'form = "jsonl"' in written[0].read_text()
    # files that are not of a tagger of that name
    (tmp_path / "table.toml").write_text('name = "else"')
    for name in ("new", "table"):
        with pytest.raises(InputError, match="does not specify a tagger named"):
            write_stub(name, "lines", tmp_path, force=True)
    assert (tmp_path / "new.py").read_text() == "only the program is there"


@pytest.mark.parametrize("name", ["a b", "../x"])
def test_what_cannot_be_made(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="invalid tagger name"):
        write_stub(name, "lines", tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_module_has_no_name_of_a_library(tmp_path: Path) -> None:
    assert [write_stub(n, "lines", tmp_path)[1].name for n in ("spacy", "re", "2nd")] == [
        "spacy_tagger.py",
        "re_tagger.py",
        "_2nd.py",
    ]
