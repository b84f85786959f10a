"""The files of one side: a folder or a zip, with `.txt`, `.a1` and `.a2` by document."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path, PurePosixPath

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import decode, digest_bytes, opened, read_bytes
from ....catalogues.core.limits import packed_limit, too_large

ENDINGS = (".txt", ".a1", ".a2")


@dataclass(frozen=True)
class Files:
    """Contents by document and ending; `place` names a file in messages."""

    name: str
    contents: Mapping[tuple[str, str], str]
    digest: str
    root: str

    def documents(self, ending: str) -> list[str]:
        """Documents that have a file with this ending, in order of name."""
        return sorted(document for document, kind in self.contents if kind == ending)

    def place(self, document: str, ending: str) -> str:
        """File name for messages."""
        return f"{self.root}/{document}{ending}"


def read_files(path: str | PathLike[str]) -> Files:
    """Read the files of a folder or a zip; what lies in folders inside a zip counts by its own name.

    Raises
    ------
    InputError
        No such path, not a zip, no annotation file in it, a document twice, or text that is not UTF-8.
    """
    source = Path(path)
    raw: dict[tuple[str, str], tuple[str, bytes]] = {}
    if source.is_dir():
        found = [(str(p), p.name, read_bytes(p)) for p in sorted(source.iterdir()) if p.suffix in ENDINGS]
    elif source.exists():
        found = _unzip(source)
    else:
        raise InputError(
            "no such file or folder", file=source, allowed="a folder or zip of .txt, .a1 and .a2 files"
        )
    for place, name, content in found:
        key = (PurePosixPath(name).stem, PurePosixPath(name).suffix)
        if key in raw:
            raise InputError("a document twice", file=source, found=name)
        raw[key] = (place, content)
    if not raw:
        raise InputError("no annotation files", file=source, allowed="files named *.txt, *.a1, *.a2")
    digest = digest_bytes(*(f"{d}{k}\0".encode() + raw[d, k][1] for d, k in sorted(raw)))
    contents = {key: decode(content, place) for key, (place, content) in raw.items()}
    return Files(source.name, contents, digest, str(source))


def _unzip(source: Path) -> list[tuple[str, str, bytes]]:
    try:
        with opened(source) as packed, zipfile.ZipFile(packed) as archive:
            limit = packed_limit(packed.seek(0, os.SEEK_END))
            found = sorted(
                (i for i in archive.infolist() if i.filename.endswith(ENDINGS)), key=lambda i: i.filename
            )
            # no more comes out of a member than its entry says
            if sum(i.file_size for i in found) > limit:
                raise too_large(source, limit, packed=True)
            return [
                (f"{source}/{i.filename}", PurePosixPath(i.filename).name, archive.read(i)) for i in found
            ]
    # a member that is encrypted or packed by an unknown method: RuntimeError or a kind of it
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
        OverflowError,
    ) as error:
        raise InputError(
            f"not a zip that can be read ({error})", file=source, allowed="a folder or a zip"
        ) from None
