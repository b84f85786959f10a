"""Export of entities as XML, plain-text records, CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from .cache import frame_to_table, write_table
from .core.errors import InputError
from .core.files import atomic_text
from .entities_xml import EntityEntry, EntityFile, is_given, write_entity_file
from .feature import LIST_PREFIX
from .taxonomy import taxonomy
from .values import format_cell_value

if TYPE_CHECKING:
    import pandas as pd

EXPORT_FORMATS = {".xml": "XML", ".txt": "plain-text records", ".csv": "CSV", ".parquet": "Parquet"}


def make_entries(frame: pd.DataFrame, *, computed: bool) -> Iterable[EntityEntry]:
    """Convert each row of a table of entities to an `EntityEntry`.

    Parameters
    ----------
    frame : DataFrame
        Entities as returned by `read_entities`.
    computed : bool
        Include computed features in the entries.
    """
    known = {f.name: f for f in taxonomy().select_scopes("entity")}
    names = [c for c in frame.columns if (c in known or c.startswith(LIST_PREFIX)) and c != "data"]
    given = [c for c in names if c.startswith(LIST_PREFIX) or is_given(known[c])]
    others = [c for c in names if c not in given] if computed else []
    columns = {c: [format_cell_value(v) for v in frame[c].tolist()] for c in [*given, *others]}
    ids, data = frame["entity_id"].astype("str").tolist(), frame["data"].tolist()
    for i, (entry_id, form) in enumerate(zip(ids, data, strict=True)):
        stated = {c: columns[c][i] for c in given if columns[c][i]}
        yield EntityEntry(entry_id, form, stated, {c: columns[c][i] for c in others})


def write_entities(
    frame: pd.DataFrame,
    path: str | PathLike[str],
    *,
    note: str = "",
) -> None:
    """Write a table of entities; the extension of the file name determines the format.

    Computed features are written in all formats except XML.

    Parameters
    ----------
    frame : DataFrame
        `entity_id`, `data` and entity features, as returned by `read_entities`.
    path : path
        Path of the output file: ``.xml``, ``.txt`` (records), ``.csv`` or ``.parquet``.
    note : str
        Note for XML files; other formats ignore it.

    Raises
    ------
    InputError
        If the extension is unknown or the format cannot store a value.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in EXPORT_FORMATS:
        allowed = ", ".join(f"{s} ({name})" for s, name in EXPORT_FORMATS.items())
        raise InputError("unknown extension of the output file", file=path, found=suffix, allowed=allowed)
    if suffix in (".xml", ".txt"):
        entries = tuple(make_entries(frame, computed=suffix == ".txt"))
        write_entity_file(EntityFile(entries, note=note), path)
    elif suffix == ".parquet":
        write_table(frame_to_table(frame), path)
    else:
        with atomic_text(path) as stream:
            _as_text(frame).to_csv(stream, index=False, lineterminator="\n")


def _as_text(frame: pd.DataFrame) -> pd.DataFrame:
    """Replace the values of Boolean columns with the texts "true", "false" and "" (absent)."""
    booleans = [c for c in frame.columns if str(frame[c].dtype) in ("bool", "boolean")]
    return frame.assign(**{c: [format_cell_value(v) for v in frame[c].tolist()] for c in booleans})
