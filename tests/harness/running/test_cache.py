"""The cache of runs: what its key depends on, its messages, and what is not cached."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.preparation import prepare_tagger
from tagsuite.harness.running.run import run

PROGRAM = """import re, sys
from pathlib import Path
here = Path(__file__).parent
sys.path.insert(0, str(here))
from helper import WORD
for line in sys.stdin:
    print(re.sub(WORD, r"<gp>\\g<0></gp>", line.rstrip("\\n")))
"""
HELPER = 'WORD = r"\\b[A-Z]\\w+"\n'
TABLES = '[output]\ntags = ["gp"]\n'
COMMAND = 'command = ["{python}", "-S", "{here}/program.py"]\n'
LISTED = 'files = ["helper.py", "data"]\n'
HEAD = 'format = 1\nname = "t"\nversion = "1"\n'
DATE = re.compile(r"\(from cache, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)")


@pytest.fixture
def tagger(tmp_path: Path) -> Path:
    folder = tmp_path / "tagger"
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "helper.py").write_text(HELPER, encoding="utf-8")
    (folder / "data").mkdir()
    (folder / "data" / "words.txt").touch()
    (folder / "t.toml").write_text(HEAD + LISTED + COMMAND + TABLES, encoding="utf-8")
    return folder


FILES = [
    ({}, True, "the same again"),
    ({"helper.py": "WORD = 'x'\n"}, False, "a helper module"),
    ({"data/words.txt": "x"}, False, "a file in a folder"),
    ({"program.py": PROGRAM + "#\n"}, False, "the program that the command names"),
    ({"README.md": "x"}, True, "a file that is not listed"),
]


@pytest.mark.parametrize(("changed", "same", "why"), FILES, ids=[f[2] for f in FILES])
def test_files_of_a_specification_count(changed: dict[str, str], same: bool, why: str, tagger: Path) -> None:
    before = prepare_tagger(tagger / "t.toml")
    for name, text in changed.items():
        (tagger / name).parent.mkdir(parents=True, exist_ok=True)
        (tagger / name).write_text(text, encoding="utf-8")
    assert (prepare_tagger(tagger / "t.toml").digest == before.digest) is same, why


@pytest.mark.parametrize(
    ("head", "cached"),
    [("", False), ("files = []\n", True), ("files = []\ncache = false\n", False)],
)
def test_results_are_kept_only_where_files_are_listed(
    head: str, cached: bool, tagger: Path, tmp_path: Path, corpus: Callable[..., str]
) -> None:
    (tagger / "t.toml").write_text(HEAD + head + COMMAND + TABLES, encoding="utf-8")
    source = corpus(["the Wnt gene"])
    found = [run(source, tagger / "t.toml", tmp_path / name).cached_on for name in ("first", "second")]
    assert [bool(date) for date in found] == [False, cached]
    assert (tmp_path / "cache" / "runs").exists() is cached


def test_a_changed_helper_is_seen_and_a_cached_result_is_said(
    tagger: Path,
    tmp_path: Path,
    corpus: Callable[..., str],
    tagsuite: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    source = corpus(["the Wnt gene", "Notch"])

    def call(out: str, *more: str) -> tuple[int, str]:
        given = [source, "--tagger", tagger / "t.toml", "--out", tmp_path / out]
        done = tagsuite("run", *given, "--quiet", *more)
        assert done.returncode == 0, done.stderr
        return int(done.stdout.split()[done.stdout.split().index("2") + 1]), done.stderr

    assert call("first") == (2, "")
    mentions, said = call("second")
    assert mentions == 2
    assert DATE.search(said), said
    timings = json.loads((tmp_path / "second" / "timings.json").read_text(encoding="utf-8"))
    assert timings["from_cache"] is True
    assert timings["cached_on"] in said
    assert DATE.search(call("second")[1]), "the finished run again"
    assert (tmp_path / "second" / "run.toml").read_bytes() == (tmp_path / "first" / "run.toml").read_bytes()
    assert call("third", "--no-cache") == (2, ""), "it is run"
    (tagger / "helper.py").write_text(HELPER.replace("[A-Z]", "W"), encoding="utf-8")
    assert call("fourth") == (1, ""), "another helper, another result"


def test_a_damaged_cached_result_is_said_and_run_again(
    tagger: Path, tmp_path: Path, corpus: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    source = corpus(["the Wnt gene", "Notch"])
    first = run(source, tagger / "t.toml", tmp_path / "first", batch_size=1)
    (stored,) = (tmp_path / "cache" / "runs").glob("*/000001.shard")
    stored.write_bytes(stored.read_bytes()[:-40])
    second = run(source, tagger / "t.toml", tmp_path / "second", batch_size=1)
    assert "the cached result is damaged" in capsys.readouterr().err
    assert second.cached_on == ""
    assert second.meta == first.meta
    third = run(source, tagger / "t.toml", tmp_path / "third", batch_size=1)
    assert third.cached_on in capsys.readouterr().err
    assert third.cached_on


def test_caching_can_be_off(
    tagger: Path, tmp_path: Path, corpus: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAGSUITE_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    source = corpus(["the Wnt gene"])
    for name in ("first", "second"):
        assert run(source, tagger / "t.toml", tmp_path / name).cached_on == ""
    assert not (tmp_path / "home").exists()


def test_a_model_is_a_folder_where_there_is_one_and_a_name_elsewhere(
    tagger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    option = '[options.model]\nkind = "file_or_name"\nargument = "--model"\n'
    (tagger / "t.toml").write_text(HEAD + COMMAND + TABLES + option, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def digest(model: str) -> str:
        return prepare_tagger(tagger / "t.toml", {"model": model}).digest

    assert prepare_tagger(tagger / "t.toml", {"model": "small"}).options == {"model": "small"}
    named = digest("small")
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "weights").write_text("1", encoding="utf-8")
    assert prepare_tagger(tagger / "t.toml", {"model": "small"}).options == {"model": str(folder)}
    first = digest("small")
    (folder / "weights").write_text("2", encoding="utf-8")
    assert len({named, first, digest("small")}) == 3
    with pytest.raises(InputError, match="option model is empty; allowed: the path of a file or a name"):
        digest(" ")


def broken_cache(tmp_path: Path, kind: str) -> dict[str, str]:
    """Return the environment of a user with an unusable cache folder."""
    folder = tmp_path / "cache"
    if kind == "home":
        # as the variable's absence: the folder is below the home
        return {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/.cache", "TAGSUITE_CACHE": "/dev/null/x"}
    if kind == "file":
        folder.write_text("a file", encoding="utf-8")
    for file in folder.rglob("complete") if kind in ("bytes", "folder") else ():
        file.unlink()
        if kind == "folder":
            file.mkdir()
        else:
            file.write_bytes("2026-11-22T09:30:00Ä".encode() + b"\xff")
    return {"TAGSUITE_CACHE": str(folder)}


BROKEN = [
    ("home", "cache: ", "a home that is no folder"),
    ("file", "cache: ", "a file in its place"),
    ("bytes", "the cached result is damaged", "bytes that are no text"),
    ("folder", "cache: ", "a folder where a file should be"),
]


@pytest.mark.parametrize(("kind", "said", "why"), BROKEN, ids=[b[2] for b in BROKEN])
def test_a_run_goes_on_without_a_cache_and_says_so_once(
    kind: str, said: str, why: str, tagger: Path, tmp_path: Path, corpus: Callable[..., str],
    tagsuite_process: Callable[..., subprocess.CompletedProcess[str]],
) -> None:  # fmt: skip
    source = corpus(["the Wnt gene", "none"])
    if kind not in ("home", "file"):
        run(source, tagger / "t.toml", tmp_path / "first")
    given = [source, "--tagger", tagger / "t.toml", "--out", tmp_path / "second"]
    found = tagsuite_process("run", *given, env=broken_cache(tmp_path, kind))
    assert found.returncode == 0, (why, found.stderr)
    assert found.stderr.count(said) == 1, found.stderr
    assert "Traceback" not in found.stderr
    assert "from cache" not in found.stderr


def test_commands_over_catalogues_go_on_without_a_cache(
    tmp_path: Path, tagsuite_process: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    found = tagsuite_process(
        "generate", "--entities", "kind = gene", "--combine", "sample", "--size", "5",
        "--out", tmp_path / "s",
        env=broken_cache(tmp_path, "home"),
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert found.stderr.count("cache: ") == 1, found.stderr
