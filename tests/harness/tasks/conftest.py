"""Fixtures that write invented files in the formats of the published evaluations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

HEAD = "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE collection SYSTEM 'BioC.dtd'>\n"

# type (None: no infon), start and length in bytes, text
Mark = tuple[str | None, int, int, str]


def caption(document: str, figure: str, text: str, marks: list[Mark]) -> str:
    """Return a BioC document for a figure caption with annotations."""
    parts = [
        f'<annotation id="{i}">'
        + (f'<infon key="type">{escape(kind)}</infon>' if kind is not None else "")
        + f'<location offset="{start}" length="{length}"/><text>{escape(words)}</text></annotation>'
        for i, (kind, start, length, words) in enumerate(marks)
    ]
    return (
        f'<document><id>{document} {figure}</id><infon key="pmc_id">{document}</infon>'
        f'<infon key="figure">{figure}</infon><passage><offset>0</offset><text>{escape(text)}</text>'
        f"{''.join(parts)}</passage></document>"
    )


@pytest.fixture
def bioid_folder(tmp_path: Path) -> Callable[..., Path]:
    """Write captions (document, figure, text, annotations) to a folder, as one BioC file per keyword."""

    def write(name: str, **files: list[tuple[str, str, str, list[Mark]]]) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for file, captions in files.items():
            body = "\n".join(caption(*c) for c in captions)
            text = f"{HEAD}<collection><source>made up</source><date/><key/>\n{body}\n</collection>\n"
            (folder / f"{file}.xml").write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def standoff_folder(tmp_path: Path) -> Callable[..., Path]:
    """Write files, given as a mapping from name to content, to a folder."""

    def write(folder: str, files: dict[str, str]) -> Path:
        root = tmp_path / folder
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            (root / name).write_text(content, encoding="utf-8")
        return root

    return write
