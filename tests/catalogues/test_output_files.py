"""Outputs that cannot be written where they are asked for."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.files import atomic_text, digest_path
from tagsuite.catalogues.core.output_folder import atomic_folder

suite_folder = partial(atomic_folder, kind="suite")


def test_a_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the output is a folder"), atomic_text(tmp_path):
        pass
    assert tmp_path.is_dir()


@pytest.mark.parametrize("writer", [atomic_text, suite_folder])
@pytest.mark.parametrize("place", ["there/out", "there/deeper/out"])
def test_a_file_in_place_of_a_folder_is_told(
    writer: Callable[[Path], AbstractContextManager[object]], place: str, tmp_path: Path
) -> None:
    (tmp_path / "there").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="folder is a file"), writer(tmp_path / place):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["there"]


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
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_with_the_output(
    writer: Callable[[Path], AbstractContextManager[object]], number: int, tmp_path: Path
) -> None:
    told = pytest.raises(InputError, match=rf"out: cannot be written \({os.strerror(number)}\)")
    with told, writer(tmp_path / "out"):
        raise OSError(number, os.strerror(number))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="the system has no /dev/full")
def test_a_full_device_is_told() -> None:
    with pytest.raises(InputError, match="/dev/full: cannot be written"), atomic_text("/dev/full") as stream:
        stream.write("content")
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("writer", [atomic_text, suite_folder])
def test_what_was_there_stays_when_the_writing_fails(
    writer: Callable[[Path], AbstractContextManager[object]], tmp_path: Path
) -> None:
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
    """A program that ran once has compiled files beside it; it is the same program."""
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
    # the folder's own name, and that of what it lies in, do not count
    (tmp_path / "__pycache__" / "whole").mkdir()
    (tmp_path / "__pycache__" / "whole" / "a").write_text("a", encoding="utf-8")
    alone = digest_path(tmp_path / "__pycache__" / "whole")
    (tmp_path / "__pycache__" / "whole").rename(tmp_path / "other")
    assert digest_path(tmp_path / "other") == alone
