"""Outputs that cannot be written where they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tagsuite.catalogues.plumbing.errors import InputError
from tagsuite.catalogues.plumbing.files import atomic_folder, atomic_text


def test_a_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the output is a folder"), atomic_text(tmp_path):
        pass
    assert tmp_path.is_dir()


@pytest.mark.parametrize("writer", [atomic_text, atomic_folder])
@pytest.mark.parametrize("place", ["there/out", "there/deeper/out"])
def test_a_file_in_place_of_a_folder_is_told(
    writer: Callable[[Path], AbstractContextManager[object]], place: str, tmp_path: Path
) -> None:
    (tmp_path / "there").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="folder is a file"), writer(tmp_path / place):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["there"]
