"""Tests of the cache: dtypes are preserved, damaged files are rebuilt, and caching can be turned off."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from tagsuite.catalogues.cache import cache_folder, cached_frame


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "data": pd.Series(["p53", None, "β"], dtype="str"),
            "case": pd.Categorical(["lower", None, "lower"], categories=["upper", "lower"]),
            "nothing": pd.Categorical([None, None, None], categories=pd.Index([], dtype="str")),
            "length": np.array([3, 0, 1], dtype="int32"),
            "holes": pd.array([1, None, 3], dtype="Int32"),
            "is_ASCII": np.array([True, True, False]),
            "maybe": pd.array([True, None, False], dtype="boolean"),
        }
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAGSUITE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_frame_comes_back_as_it_was_and_is_built_once(folder: Path) -> None:
    build = Mock(side_effect=frame)
    assert_frame_equal(cached_frame("x", ["a"], build), frame())
    assert_frame_equal(cached_frame("x", ["a"], build), frame())
    assert build.call_count == 1
    assert [p.name[:2] for p in folder.iterdir()] == ["x-"]


def test_other_parts_are_another_frame(folder: Path) -> None:
    for parts in (["a"], ["b"], ["a", "b"], ["ab"]):
        cached_frame("x", parts, frame)
    assert len(list(folder.iterdir())) == 4


def test_only_the_columns_asked_for(folder: Path) -> None:
    for _ in range(2):
        chosen = cached_frame("x", [], frame, columns=["maybe", "absent_column", "data"])
        assert_frame_equal(chosen, frame()[["maybe", "data"]])


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "no Parquet": lambda content: b"nonsense",
    "cut off": lambda content: content[: len(content) // 2],
    "bytes changed": lambda content: content[:40] + bytes(b ^ 0xFF for b in content[40:60]) + content[60:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_told_and_made_anew(
    damage: Callable[[bytes], bytes], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = Mock(side_effect=frame)
    cached_frame("x", [], build)
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert_frame_equal(cached_frame("x", [], build), frame())
    assert build.call_count == 2
    assert f"{file} is damaged" in capsys.readouterr().err
    assert_frame_equal(cached_frame("x", [], build), frame())
    assert build.call_count == 2
    assert capsys.readouterr().err == ""


def test_caching_can_be_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TAGSUITE_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    build = Mock(side_effect=frame)
    assert_frame_equal(cached_frame("x", [], build, columns=["data"]), frame()[["data"]])
    cached_frame("x", [], build)
    assert build.call_count == 2
    assert list(tmp_path.iterdir()) == []


def test_the_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TAGSUITE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "tagsuite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "tagsuite"


def test_a_folder_that_cannot_be_written_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("TAGSUITE_CACHE", str(tmp_path / "file"))
    assert_frame_equal(cached_frame("x", [], frame), frame())
    assert "cannot be used" in capsys.readouterr().err


def test_the_files_used_longest_ago_are_deleted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tagsuite.catalogues.cache.MAX_CACHED_FILES", 3)
    for n, part in enumerate("abc"):
        cached_frame(part, [], frame)
        (file,) = folder.glob(f"{part}-*")
        os.utime(file, (n, n))
    cached_frame("a", [], frame)  # used again: now the newest
    cached_frame("d", [], frame)
    assert sorted(p.name[0] for p in folder.iterdir()) == ["a", "c", "d"]
    mine = [folder / f"mine{n}.parquet" for n in range(4)]
    for path in mine:
        path.write_bytes(b"not a cached frame")
    cached_frame("e", [], frame)
    assert all(path.is_file() for path in mine)
