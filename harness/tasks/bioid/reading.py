"""Reader of BioID collections: one BioC file per article, one BioC document per figure caption.

The BioC reader parses the files. This module identifies captions by the infons `pmc_id` and `figure`,
converts offsets to bytes, and checks them against the text. It can also reproduce the released program,
which reads only the first passage of a caption.
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
    """Captions and annotations of a reference collection or of a run.

    Attributes
    ----------
    name : str
        Name of the folder.
    captions : DataFrame
        `document` and `figure` of each caption, sorted by file name and, within a file, in file order.
    annotations : DataFrame
        One row per annotation: `caption` (row of `captions`), `start` and `end` (in bytes, covering all
        locations), `first` (start of the location that is listed first), `type` (can be missing), `text`.
    digest : str
        SHA-256 checksum of the files.
    notes : tuple of str
        Remarks about repeated captions.
    """

    name: str
    captions: pd.DataFrame
    annotations: pd.DataFrame
    digest: str
    notes: tuple[str, ...]


class _CaptionReader:
    """Object that receives captions and annotations from the BioC reader."""

    def __init__(self, as_published: bool) -> None:
        self.as_published = as_published
        self.records = MentionRecords(strict=True)
        self.documents: list[str] = []
        self.figures: list[str] = []
        self.places: list[tuple[Path, int]] = []
        self.texts: list[str] = []
        self.bases: list[int] = []
        self.rows: list[tuple[int, int, int, int, int, str | None, str, int, int]] = []
        # row of the text of each passage and sentence in the current document
        self.row_of: dict[int, int] = {}

    def read(self, path: Path) -> None:
        """Read the captions in a file."""
        self.path, self.records = path, MentionRecords(strict=True, file=path)
        parse(read_bytes(path), self.records, self)

    def take_document(self, document: dict[str, Any]) -> None:
        """Add a caption, and the texts of its passages and sentences."""
        line = document.get("line")
        infons = infons_as_text(document)
        for key in ("pmc_id", "figure"):
            if not infons.get(key):
                raise InputError(
                    f"a document has no infon {key}",
                    file=self.path,
                    line=line,
                    allowed=f'<infon key="{key}">…</infon>',
                )
        self.documents.append(infons["pmc_id"])
        self.figures.append(infons["figure"])
        self.places.append((self.path, line or 0))
        passages = document.get("passages", [])
        if not passages:
            raise InputError("a document has no passage", file=self.path, line=line)
        self.row_of = {}
        for passage in passages[:1] if self.as_published else passages:
            text, base = passage.get("text") or "", self._base(passage)
            self._add_text(passage, text, base)
            if not self.as_published:
                for sentence in passage.get("sentences", []):
                    sentence_text = sentence.get("text")
                    # annotations of a sentence without text refer to the text of the passage
                    sentence_base = self._base(sentence) if sentence_text else base
                    self._add_text(sentence, sentence_text or text, sentence_base)

    def _add_text(self, block: dict[str, Any], text: str, base: int) -> None:
        self.row_of[id(block)] = len(self.texts)
        self.texts.append(text)
        self.bases.append(base)

    def _base(self, block: dict[str, Any]) -> int:
        return self._whole(block.get("offset") or "0", "offset", block.get("line"))

    def _whole(self, value: Any, name: str, line: int | None) -> int:
        try:
            number = parse_whole_number(value)
        except ValueError:
            number = -1
        if number < 0:
            raise InputError(
                f"{name} is not a valid number", file=self.path, line=line, found=value, allowed="0, 1, 2, …"
            )
        return number

    def take_mention(self, block: dict[str, Any], annotation: dict[str, Any]) -> None:
        """Add the last annotation that was read, if its passage is used."""
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
        """Return the file and line number of an annotation, for messages."""
        return self.places[self.rows[row][0]][0], self.rows[row][-1]


# columns of annotations; `parts` is the number of locations, `row` the number of the text
ANNOTATION_COLUMNS = ("caption", "start", "end", "first", "parts", "type", "text", "row", "line")


def read_collection(
    folder: str | PathLike[str],
    *,
    offsets: Unit = "bytes",
    as_published: bool = False,
    progress: bool = False,
) -> Collection:
    """Read all `*.xml` files in a folder, sorted by name.

    Parameters
    ----------
    folder : path
        Folder of BioC files.
    offsets : {"bytes", "characters", "utf16"}
        Unit of offsets in the files; they are converted to bytes.
    as_published : bool
        Whether to read only annotations in the first passage, and not to check offsets, as in the released
        program.
    progress : bool
        Whether to show progress on standard error.

    Raises
    ------
    InputError
        If the folder contains no BioC file or a file is invalid: for example, a caption has no `pmc_id` or
        `figure`, an annotation has no valid location, or its recorded text differs from the caption.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError("no such folder; a folder of BioC files (*.xml) is needed", file=root)
    paths = sorted(root.glob("*.xml"))
    if not paths:
        raise InputError("the folder contains no BioC file (*.xml)", file=root)
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
    rows, notes = _select_captions(captions, draft.places, as_published)
    number = np.full(len(captions), -1)
    number[rows] = np.arange(len(rows))
    annotations["caption"] = number[annotations["caption"]]
    annotations = annotations[annotations["caption"] >= 0].reset_index(drop=True)
    captions = captions.iloc[rows].reset_index(drop=True)
    digest = digest_files((path.name, path) for path in paths)
    return Collection(root.name, captions, annotations.drop(columns=["parts", "row", "line"]), digest, notes)


def _select_captions(
    captions: pd.DataFrame, places: list[tuple[Path, int]], as_published: bool
) -> tuple[Ints, tuple[str, ...]]:
    """Return the rows of the captions to use, and notes; raise InputError if a caption is repeated.

    If `as_published` is true, the last of the repeated captions is used instead.
    """
    repeated = np.flatnonzero(captions.duplicated())
    if len(repeated) and not as_published:
        file, line = places[repeated[0]]
        raise InputError(
            "duplicate caption", file=file, line=line, found=" ".join(captions.iloc[int(repeated[0])])
        )
    note = f"{len(repeated)} captions are repeated; the last one was used"
    return np.flatnonzero(~captions.duplicated(keep="last")), (note,) if len(repeated) else ()


def _to_bytes(draft: _CaptionReader, annotations: pd.DataFrame, unit: Unit) -> None:
    """Check the offsets of annotations against the texts, and convert them to bytes."""
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
                f"an offset lies outside the text or inside a character ({len(wrong)} such offsets)",
                file=file,
                line=line,
                found=str(annotations[column].iloc[wrong[0]]),
                allowed=_advise_unit(unit, int(counted.lengths[rows[wrong[0]]] + base[wrong[0]])),
            )
        places[column] = place
        annotations[column] = in_bytes.to_unit(rows, place) + base
    forms = points.slices(rows, places["start"], places["end"])
    columns = enumerate(zip(annotations["text"], forms, annotations["parts"], strict=True))
    # skip annotations with several locations: it is not defined how their text is joined
    unlike = [i for i, (text, form, parts) in columns if text and parts == 1 and text != form]
    if unlike:
        first = unlike[0]
        file, line = draft.place(first)
        raise InputError(
            f"the text of an annotation differs from the caption, which has {forms[first]!r} at its offsets "
            f"(unit: {unit}; annotations that differ: {len(unlike)})",
            file=file,
            line=line,
            found=annotations["text"].iloc[first],
            allowed=_advise_unit(unit, None),
        )


def _advise_unit(unit: Unit, length: int | None) -> str:
    limit = "" if length is None else f"0 to {length}; "
    return limit + (
        "offsets in bytes, as defined by the BioC DTD, or the option offsets=characters"
        if unit == "bytes"
        else f"offsets in {unit}, according to the option offsets; the default is bytes"
    )
