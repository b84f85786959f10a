"""Read a BioID collection: BioC files, one an article, one BioC document a figure caption.

The files are parsed by the BioC codec. The task's own is what follows: captions are found by the infons
`pmc_id` and `figure`, offsets count bytes and are checked against the text, and the released program looks
only at the first passage of a caption.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import digest_files, read_bytes
from ....catalogues.core.numbers import Unit, parse_whole_number
from ....catalogues.core.offsets import OffsetMap
from ....catalogues.core.text import Ints, TextColumn
from ....sentences.formats.bioc import parse
from ....sentences.formats.bioc_model import infons_as_text
from ....sentences.formats.records import MentionRecords


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
        Captions that stand twice.
    """

    name: str
    captions: pd.DataFrame
    annotations: pd.DataFrame
    digest: str
    notes: tuple[str, ...]


class _CaptionReader:
    """Captions and annotations of a collection's files, as the BioC codec meets them."""

    def __init__(self, as_published: bool) -> None:
        self.as_published = as_published
        self.records = MentionRecords(strict=True)
        self.documents: list[str] = []
        self.figures: list[str] = []
        self.places: list[tuple[Path, int]] = []
        self.texts: list[str] = []
        self.bases: list[int] = []
        self.rows: list[tuple[int, int, int, int, int, str | None, str, int, int]] = []
        # of the document that is read: the text of each passage and sentence that counts
        self.row_of: dict[int, int] = {}

    def read(self, path: Path) -> None:
        """Take the captions of a file."""
        self.path, self.records = path, MentionRecords(strict=True, file=path)
        parse(read_bytes(path), self.records, self)

    def take_document(self, document: dict[str, Any]) -> None:
        """Take a caption, and the texts of its passages and sentences."""
        line = document.get("line")
        infons = infons_as_text(document)
        for key in ("pmc_id", "figure"):
            if not infons.get(key):
                raise InputError(
                    f"a document without the infon {key}",
                    file=self.path,
                    line=line,
                    allowed=f'<infon key="{key}">…</infon>',
                )
        self.documents.append(infons["pmc_id"])
        self.figures.append(infons["figure"])
        self.places.append((self.path, line or 0))
        passages = document.get("passages", [])
        if not passages:
            raise InputError("a document without a passage", file=self.path, line=line)
        self.row_of = {}
        for passage in passages[:1] if self.as_published else passages:
            text, base = passage.get("text") or "", self._base(passage)
            self._add_text(passage, text, base)
            if not self.as_published:
                for sentence in passage.get("sentences", []):
                    own = sentence.get("text")
                    # a sentence without a text of its own is read in its passage's
                    self._add_text(sentence, own or text, self._base(sentence) if own else base)

    def _add_text(self, block: dict[str, Any], text: str, base: int) -> None:
        self.row_of[id(block)] = len(self.texts)
        self.texts.append(text)
        self.bases.append(base)

    def _base(self, block: dict[str, Any]) -> int:
        return self._whole(block.get("offset") or "0", "offset", block.get("line"))

    def _whole(self, value: Any, name: str, line: int | None) -> int:
        try:
            found = parse_whole_number(value)
        except ValueError:
            found = -1
        if found < 0:
            raise InputError(
                f"{name} is not a number", file=self.path, line=line, found=value, allowed="0, 1, 2, …"
            )
        return found

    def take_mention(self, block: dict[str, Any], annotation: dict[str, Any]) -> None:
        """Take the annotation that was added to the records last, if its passage or sentence counts."""
        row = self.row_of.get(id(block))
        if row is None:
            return
        records, places, line = self.records, annotation["locations"], annotation.get("line")
        firsts = [self._whole(place["offset"], "offset", line) for place in places]
        for place in places:
            self._whole(place["length"], "length", line)
        caption, kind, text = len(self.documents) - 1, records.type[-1] or None, records.text[-1] or ""
        span = records.start[-1], records.end[-1]
        self.rows.append((caption, *span, firsts[0], len(places), kind, text, row, line or 0))

    def place(self, row: int) -> tuple[Path, int]:
        """File and line of an annotation."""
        return self.places[self.rows[row][0]][0], self.rows[row][-1]


# of each annotation; `parts`: its number of locations, `row`: the number of its text
ANNOTATION_COLUMNS = ("caption", "start", "end", "first", "parts", "type", "text", "row", "line")


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
    draft = _CaptionReader(as_published)
    for path in tqdm(paths, desc=f"reading {root.name}", unit="file", disable=None if progress else True):
        draft.read(path)
    columns = list(zip(*draft.rows, strict=True)) or [()] * len(ANNOTATION_COLUMNS)
    annotations = pd.DataFrame(
        {
            name: pd.Series(values, dtype="str" if name in ("type", "text") else "int64")
            for name, values in zip(ANNOTATION_COLUMNS, columns, strict=True)
        }
    )
    if not as_published:
        _to_bytes(draft, annotations, offsets)
    captions = pd.DataFrame({"document": draft.documents, "figure": draft.figures}, dtype="str")
    kept, notes = _refuse_duplicates(captions, draft.places, as_published)
    if kept is not None:
        number = np.full(len(captions), -1)
        number[kept] = np.arange(len(kept))
        annotations["caption"] = number[annotations["caption"]]
        annotations = annotations[annotations["caption"] >= 0].reset_index(drop=True)
        captions = captions.iloc[kept].reset_index(drop=True)
    digest = digest_files((path.name, path) for path in paths)
    return Collection(root.name, captions, annotations.drop(columns=["parts", "row", "line"]), digest, notes)


def _refuse_duplicates(
    captions: pd.DataFrame, places: list[tuple[Path, int]], as_published: bool
) -> tuple[Ints | None, tuple[str, ...]]:
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


def _to_bytes(draft: _CaptionReader, annotations: pd.DataFrame, unit: Unit) -> None:
    """Check offsets against the texts, and count them in bytes."""
    points = TextColumn(draft.texts)
    rows = annotations["row"].to_numpy(np.int64)
    base = np.array(draft.bases, dtype=np.int64)[rows] if len(rows) else rows
    counted, in_bytes = OffsetMap(points, unit), OffsetMap(points, "bytes")
    places: dict[str, Ints] = {}
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
                allowed=_advise_unit(unit, int(counted.lengths[rows[wrong[0]]] + base[wrong[0]])),
            )
        places[column] = place
        annotations[column] = in_bytes.to_unit(rows, place) + base
    forms = points.slices(rows, places["start"], places["end"])
    columns = enumerate(zip(annotations["text"], forms, annotations["parts"], strict=True))
    # of several locations the text is that of all together, which nobody says how to join
    unlike = [i for i, (said, form, parts) in columns if said and parts == 1 and said != form]
    if unlike:
        first = unlike[0]
        file, line = draft.place(first)
        raise InputError(
            f"the text at these offsets ({unit}) is {forms[first]!r} ({len(unlike)} such)",
            file=file,
            line=line,
            found=annotations["text"].iloc[first],
            allowed=_advise_unit(unit, None),
        )


def _advise_unit(unit: Unit, length: int | None) -> str:
    limit = "" if length is None else f"0 to {length}; "
    return limit + (
        "offsets count bytes, as the BioC DTD says; for a file that counts characters, --offsets characters"
        if unit == "bytes"
        else f"--offsets {unit} was given; without it offsets count bytes"
    )
