"""Read a BioID collection: BioC files, one a document, one BioC document a figure caption.

What is this task's own, and so not the general BioC reader's: captions are found by the infons `pmc_id` and
`figure`, offsets count bytes and are checked against the text, and the released program looks only at the
first passage of a caption.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from lxml import etree
from numpy.typing import NDArray
from tqdm import tqdm

from ....catalogues.core import xml
from ....catalogues.core.errors import InputError
from ....catalogues.core.files import digest_bytes, digest_file
from ....catalogues.core.numbers import whole
from ....catalogues.core.offsets import OffsetMap
from ....catalogues.core.text import TextColumn
from ....catalogues.core.units import Unit

Element = etree._Element


@dataclass(frozen=True, eq=False)
class Collection:
    """Captions and their annotations.

    Attributes
    ----------
    name : str
        The folder's name.
    captions : DataFrame
        One row a caption, in the order of file names and within a file: `document`, `figure`.
    annotations : DataFrame
        One row an annotation: `caption` (row of `captions`), `start`, `end` (bytes; the hull of all
        locations), `first` (start of the location listed first), `type` (missing where there is none),
        `text`.
    digest : str
        SHA-256 of the files.
    notes : tuple of str
        What the reader has to tell.
    """

    name: str
    captions: pd.DataFrame
    annotations: pd.DataFrame
    digest: str
    notes: tuple[str, ...]


@dataclass
class _Draft:
    documents: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    places: list[tuple[Path, int]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    bases: list[int] = field(default_factory=list)
    rows: list[tuple[int, int, int, int, int, str | None, str, int, int]] = field(default_factory=list)

    def place(self, row: int) -> tuple[Path, int]:
        """File and line of an annotation."""
        return self.places[self.rows[row][0]][0], self.rows[row][-1]


# of each annotation; `parts`: how many locations it has, `row`: the number of its text
COLUMNS = ("caption", "start", "end", "first", "parts", "type", "text", "row", "line")


def read_collection(
    folder: str | PathLike[str],
    *,
    offsets: Unit = "bytes",
    as_published: bool = False,
    progress: bool = False,
) -> Collection:
    """Read every `*.xml` of a folder, in the order of names.

    Parameters
    ----------
    folder : path
        BioC files.
    offsets : {"bytes", "characters", "utf16"}
        What the file counts; the result counts bytes.
    as_published : bool
        Look at the first passage's own annotations only and check no offset, as the released program does.
    progress : bool
        Show progress on standard error.

    Raises
    ------
    InputError
        With file and line: no file, not well-formed, entity declarations, no `pmc_id` or `figure`, an
        annotation without location, a location without offset or length, an offset outside the text, or one
        where the text is not the one recorded.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError("no such folder", file=root, allowed="a folder of BioC files (*.xml)")
    paths = sorted(root.glob("*.xml"))
    if not paths:
        raise InputError("no BioC file in the folder", file=root, allowed="files named *.xml")
    draft = _Draft()
    for path in tqdm(paths, desc=f"reading {root.name}", unit="file", disable=None if progress else True):
        _read_file(path, draft, as_published)
    columns = list(zip(*draft.rows, strict=True)) or [()] * len(COLUMNS)
    annotations = pd.DataFrame(
        {
            name: pd.Series(values, dtype="str" if name in ("type", "text") else "int64")
            for name, values in zip(COLUMNS, columns, strict=True)
        }
    )
    if not as_published:
        _to_bytes(draft, annotations, offsets)
    captions = pd.DataFrame({"document": draft.documents, "figure": draft.figures}, dtype="str")
    kept, notes = _once(captions, draft.places, as_published)
    if kept is not None:
        number = np.full(len(captions), -1)
        number[kept] = np.arange(len(kept))
        annotations["caption"] = number[annotations["caption"]]
        annotations = annotations[annotations["caption"] >= 0].reset_index(drop=True)
        captions = captions.iloc[kept].reset_index(drop=True)
    digest = digest_bytes(*(f"{path.name}\0{digest_file(path)}".encode() for path in paths))
    return Collection(root.name, captions, annotations.drop(columns=["parts", "row", "line"]), digest, notes)


def _once(
    captions: pd.DataFrame, places: list[tuple[Path, int]], as_published: bool
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    """Refuse a caption given twice; the released program keeps the last one that it read."""
    twice = captions.duplicated(["document", "figure"]).to_numpy(bool)
    if not twice.any():
        return None, ()
    place = int(np.flatnonzero(twice)[0])
    if not as_published:
        file, line = places[place]
        raise InputError("a caption twice", file=file, line=line, found=" ".join(captions.iloc[place]))
    kept = np.flatnonzero(~captions.duplicated(["document", "figure"], keep="last").to_numpy(bool))
    return kept.astype(np.int64), (f"{int(twice.sum())} captions stand twice: the last one read counts",)


def _read_file(path: Path, draft: _Draft, as_published: bool) -> None:
    root = xml.parse(path, huge=True)
    if root.tag != "collection":
        raise InputError(
            "not a BioC collection",
            file=path,
            line=root.sourceline,
            found=f"<{root.tag!s}>",
            allowed="<collection>",
        )
    for document in root.iterchildren("document"):
        infons = _infons(document)
        for key in ("pmc_id", "figure"):
            if not infons.get(key):
                raise InputError(
                    f"a document without the infon {key}",
                    file=path,
                    line=document.sourceline,
                    allowed=f'<infon key="{key}">…</infon>',
                )
        caption = len(draft.documents)
        draft.documents.append(infons["pmc_id"])
        draft.figures.append(infons["figure"])
        draft.places.append((path, document.sourceline or 0))
        passages = list(document.iterchildren("passage"))
        if not passages:
            raise InputError("a document without a passage", file=path, line=document.sourceline)
        for passage in passages[:1] if as_published else passages:
            _read_block(path, passage, caption, draft)
            if not as_published:
                for sentence in passage.iterchildren("sentence"):
                    _read_block(path, sentence, caption, draft)


def _read_block(path: Path, block: Element, caption: int, draft: _Draft) -> None:
    row = len(draft.texts)
    draft.texts.append(block.findtext("text") or "")
    draft.bases.append(_whole(path, block, block.findtext("offset") or "0", "offset"))
    if not draft.texts[row] and block.tag == "sentence" and row and block.getparent() is not None:
        # a sentence without a text of its own is read in its passage's
        draft.texts[row] = block.getparent().findtext("text") or ""  # type: ignore[union-attr]
        draft.bases[row] = _whole(path, block, block.getparent().findtext("offset") or "0", "offset")  # type: ignore[union-attr]
    rows = draft.rows
    for annotation in block.iterchildren("annotation"):
        spans: list[tuple[int, int]] = []
        kind: str | None = None
        text = ""
        for child in annotation:
            tag = child.tag
            if tag == "location":
                start = _whole(path, child, child.get("offset"), "offset")
                spans.append((start, start + _whole(path, child, child.get("length"), "length")))
            elif tag == "text":
                text = child.text or ""
            elif tag == "infon" and child.get("key") == "type":
                kind = child.text or None
        if not spans:
            raise InputError("an annotation without a location", file=path, line=annotation.sourceline)
        start = spans[0][0]
        end = spans[0][1]
        if len(spans) > 1:
            start, end = min(spans)[0], max(e for _, e in spans)
        line = annotation.sourceline or 0
        rows.append((caption, start, end, spans[0][0], len(spans), kind, text, row, line))


def _infons(element: Element) -> dict[str, str]:
    return {i.get("key", ""): i.text for i in element.iterchildren("infon") if i.text}


def _whole(path: Path, element: Element, value: str | None, name: str) -> int:
    if value is None:
        raise InputError(f"a location without {name}", file=path, line=element.sourceline)
    try:
        found = whole(value)
    except ValueError:
        found = -1
    if found < 0:
        raise InputError(
            f"{name} is not a number", file=path, line=element.sourceline, found=value, allowed="0, 1, 2, …"
        )
    return found


def _to_bytes(draft: _Draft, annotations: pd.DataFrame, unit: Unit) -> None:
    """Check offsets against the texts, and count them in bytes."""
    points = TextColumn(draft.texts)
    rows = annotations["row"].to_numpy(np.int64)
    base = np.array(draft.bases, dtype=np.int64)[rows] if len(rows) else rows
    counted, in_bytes = OffsetMap(points, unit), OffsetMap(points, "bytes")
    places: dict[str, NDArray[np.int64]] = {}
    for column in ("start", "end", "first"):
        place = counted.from_unit(rows, annotations[column].to_numpy(np.int64) - base)
        wrong = np.flatnonzero(place < 0)
        if len(wrong):
            file, line = draft.place(int(wrong[0]))
            raise InputError(
                f"an offset outside the text, or inside a character ({len(wrong)} such)",
                file=file,
                line=line,
                found=str(annotations[column].iloc[wrong[0]]),
                allowed=_advice(unit, int(counted.lengths[rows[wrong[0]]] + base[wrong[0]])),
            )
        places[column] = place
        annotations[column] = in_bytes.to_unit(rows, place) + base
    recorded = annotations["text"].tolist()
    parts = annotations["parts"].to_numpy()
    starts, ends = places["start"].tolist(), places["end"].tolist()
    wrong_texts = [
        i
        for i, (row, start, end, text) in enumerate(zip(rows.tolist(), starts, ends, recorded, strict=True))
        if text and parts[i] == 1 and draft.texts[row][start:end] != text
    ]
    if wrong_texts:
        first = wrong_texts[0]
        file, line = draft.place(first)
        there = draft.texts[rows[first]][starts[first] : ends[first]]
        raise InputError(
            f"the text at these offsets ({unit}) is {there!r} ({len(wrong_texts)} such)",
            file=file,
            line=line,
            found=recorded[first],
            allowed=_advice(unit, None),
        )


def _advice(unit: Unit, length: int | None) -> str:
    limit = "" if length is None else f"0 to {length}; "
    return limit + (
        "offsets count bytes, as the BioC DTD says; for a file that counts characters, --offsets characters"
        if unit == "bytes"
        else f"--offsets {unit} was given; without it offsets count bytes"
    )
