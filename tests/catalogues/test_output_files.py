"""Tests of outputs that cannot be written to the given path."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.files import atomic_text, digest_path
from tagsuite.catalogues.core.output_folder import atomic_folder

Writer = Callable[[Path], AbstractContextManager[object]]
suite_folder = partial(atomic_folder, kind="suite")


def test_a_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the output is a folder"), atomic_text(tmp_path):
        pass
    assert tmp_path.is_dir()


@pytest.mark.parametrize("writer", [atomic_text, suite_folder])
@pytest.mark.parametrize("place", ["there/out", "there/deeper/out"])
def test_a_file_in_place_of_a_folder_is_told(writer: Writer, place: str, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="path is a file"), writer(tmp_path / place):
        pass
    assert (tmp_path / "there").read_text(encoding="utf-8") == "mine"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "out").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "out")
    with atomic_text(tmp_path / "link") as stream:
        stream.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "out").read_text(encoding="utf-8") == "new"
    assert [p.name for p in (tmp_path / "real").iterdir()] == ["out"]


def test_a_pipe_is_written_into_and_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with atomic_text(tmp_path / "pipe") as stream:
            stream.write("content")
        assert os.read(reader, 100) == b"content"
    finally:
        os.close(reader)
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("writer", [atomic_text, suite_folder])
def test_a_full_disk_is_told_with_the_output(writer: Writer, tmp_path: Path) -> None:
    reason = os.strerror(errno.ENOSPC)
    told = pytest.raises(InputError, match=rf"out: the output cannot be written \({reason}\)")
    with told, writer(tmp_path / "out"):
        raise OSError(errno.ENOSPC, reason)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("writer", [atomic_text, suite_folder])
def test_what_was_there_stays_when_the_writing_fails(writer: Writer, tmp_path: Path) -> None:
    old = tmp_path / "out"
    if writer is suite_folder:
        old.mkdir()
    else:
        old.write_text("old", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt), writer(old):
        raise KeyboardInterrupt
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert old.is_dir() or old.read_text(encoding="utf-8") == "old"


def test_the_digest_of_a_folder_is_that_of_its_content(tmp_path: Path) -> None:
    """Test that files compiled by Python do not change the checksum of a folder."""
    for name in ("b.py", "deep/a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    before = digest_path(tmp_path)
    for name in ("__pycache__/b.cpython-311.pyc", "deep/__pycache__/x.pyc"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"1")
    assert digest_path(tmp_path) == before
    (tmp_path / "deep" / "a.txt").write_text("else", encoding="utf-8")
    assert digest_path(tmp_path) != before


SGML = "<gp>BRCA1</gp> binds p53.\n"
TAGSUITE = f"{shlex.quote(sys.executable)} -m tagsuite"


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a bash command in which `tagsuite` is the version under test."""
    words = ["bash", "-c", f'tagsuite() {{ {TAGSUITE} "$@"; }}; {command}']
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)


REDIRECTED = [
    ("{convert} jsonl:/dev/stdout >> log", "keep me\n{line}", "appended to a file"),
    ("{convert} jsonl:/dev/stdout > log", "{line}", "a file that the shell emptied"),
    ("{convert} jsonl:/dev/fd/5 5>> log", "keep me\n{line}", "another stream"),
    ("{convert} jsonl:/proc/self/fd/1 >> log", "keep me\n{line}", "the stream by its other name"),
    ("{{ echo a; {convert} jsonl:/dev/stdout; echo b; }} >> log", "keep me\na\n{line}b\n", "in the middle"),
    ("{convert} jsonl:/dev/stdout | cat >> log", "keep me\n{line}", "a pipe"),
    ("{convert} jsonl:log", "{line}", "the file itself is replaced"),
]


@pytest.mark.parametrize(("command", "content", "why"), REDIRECTED, ids=[r[2] for r in REDIRECTED])
def test_a_redirected_stream_is_continued(
    command: str, content: str, why: str, tmp_path: Path, tagsuite: Callable[..., object]
) -> None:
    (tmp_path / "s.sgml").write_text(SGML, encoding="utf-8")
    convert = "tagsuite sentences convert --quiet sgml:s.sgml"
    tagsuite("sentences", "convert", "sgml:s.sgml", "jsonl:line.jsonl", cwd=tmp_path)
    line = (tmp_path / "line.jsonl").read_text(encoding="utf-8")
    (tmp_path / "log").write_text("keep me\n", encoding="utf-8")
    done = shell(command.format(convert=convert), tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "log").read_text(encoding="utf-8") == content.format(line=line), why
    assert sorted(p.name for p in tmp_path.iterdir()) == ["line.jsonl", "log", "s.sgml"]


FULL = "tagsuite: cannot write to standard output: No space left on device\n"
CRITERIA = """format = 1
[[class]]
name = "all"
min_recall = {least}
"""
STATUSES = [
    ("tagsuite accept low.toml run > /dev/full", 2, FULL, "not printed"),
    ("tagsuite accept high.toml run > /dev/full", 2, FULL, "failed and not printed"),
    ("tagsuite accept low.toml run | true", 0, "", "nobody reads"),
    ("tagsuite accept high.toml run | true", 1, None, "failed, and nobody reads"),
    ("tagsuite catalogue list --format csv | head -1", 0, "", "more than a pipe holds"),
    ("tagsuite catalogue list --format csv > /dev/full", 2, FULL, "more than is held back"),
    ("tagsuite --version > /dev/full", 2, FULL, "a word"),
    ("tagsuite --help | true", 0, "", "the help"),
    ("tagsuite taggers list >&-", 0, "", "a closed stream"),
    ("tagsuite taggers list 2>&- | true", 0, "", "no standard error"),
    ("tagsuite score nowhere 2>&1 | true", 2, "", "a message that nobody reads"),
    ("tagsuite score nowhere 2> /dev/full", 2, "", "a message that cannot be written"),
    ("tagsuite no-such-command 2>&1 | true", 2, "", "wrong usage that nobody reads"),
]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, tagsuite: Callable[..., object]) -> Path:
    """Return a folder with a run, and with criteria that the run meets and does not meet."""
    here = tmp_path_factory.mktemp("judged")
    (here / "c.sgml").write_text("<gp>BRCA1</gp> binds <gp>Xyz abc def</gp>.\n", encoding="utf-8")
    for name, least in (("low", 0.0), ("high", 1.0)):
        (here / f"{name}.toml").write_text(CRITERIA.format(least=least), encoding="utf-8")
    tagsuite("run", "sgml:c.sgml", "--tagger", "kex", "--out", "run", cwd=here)
    return here


@pytest.mark.parametrize(("command", "status", "told", "why"), STATUSES, ids=[s[3] for s in STATUSES])
def test_an_exit_status_has_one_meaning(
    command: str, status: int, told: str | None, why: str, judged: Path
) -> None:
    done = shell(f"{command}; exit ${{PIPESTATUS[0]}}", judged)
    assert done.returncode == status, (why, done.stderr)
    assert "Traceback" not in done.stderr + done.stdout
    assert told is None or done.stderr == told


def test_an_unforeseen_error_is_told_in_a_line_and_kept_for_a_report(tmp_path: Path) -> None:
    program = (
        "import sys, tagsuite.__main__ as program\n"
        "program.build_app = lambda *_: {}['a key that is not there']\n"
        "sys.argv = ['tagsuite', 'run', 'a suite']\n"
        "program.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    (file,) = tmp_path.iterdir()
    problem = "tagsuite: internal error: KeyError: 'a key that is not there'"
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"{problem}; please report it and attach {file}\n"
    report = file.read_text(encoding="utf-8")
    assert "tagsuite run 'a suite'" in report
    assert "Traceback (most recent call last)" in report


WITH_COLONS = [
    "generate --entities case=upper --combine sample --size 200 --seed 3 --out ./bc2gm:x",
    "run ./bc2gm:x --tagger kex --out kex-12:30",
    "run ./bc2gm:x --tagger kex --out a:b/c:d --times 2",
    "score kex-12:30",
    "report kex-12:30 --out re:port",
    "invariance ./bc2gm:x --tagger kex --perturb case --sample 10 --out in:variance",
    "discover kex-12:30 --confirm 12 --cases 24 --candidates 1 --folder ./bc2gm:confirm",
    "composition ./bc2gm:x --out com:position.parquet",
    "sentences convert ./bc2gm:x parquet:ta:bles",
    "sentences convert parquet:ta:bles jsonl:te:xts",
    "sentences annotate ./bc2gm:x --out an:notated.parquet",
    "sentences annotate ./bc2gm:x --out an:notated.csv",
    "catalogue export --out cata:logue.parquet",
    "catalogue count --catalogue cata:logue.parquet",
]


def test_names_may_contain_a_colon(tmp_path: Path, tagsuite: Callable[..., object]) -> None:
    """Test relative paths with a colon, which Arrow would take for a URI."""
    for command in WITH_COLONS:
        done = tagsuite(*command.split(), cwd=tmp_path, env={"TAGSUITE_CACHE": "ca:che"})
        assert done.returncode == 0, (command, done.stderr)  # type: ignore[attr-defined]
        assert "damaged" not in done.stderr  # type: ignore[attr-defined]
