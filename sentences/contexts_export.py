"""Chosen contexts as files: XML and records to be read again, CSV and Parquet for use elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..catalogues.cache import to_table, write_table
from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text
from . import choosing
from .contexts import Contexts, write_context_file
from .contexts_xml import ContextFile

KINDS = (".xml", ".txt", ".csv", ".parquet")


def export(contexts: Contexts, ids: Sequence[str], out: Path) -> str:
    """Write some contexts and say how many.

    XML and records hold the contexts with the features that files store, and the licence notes of the files
    that they come from; CSV and Parquet hold a row a slot (or context without slots) with every feature.

    Raises
    ------
    InputError
        When the name ends in none of KINDS, or no context is chosen.
    """
    if out.suffix not in KINDS:
        raise InputError("unknown kind of output", file=out, allowed=", ".join(KINDS))
    if not ids:
        raise InputError("the query chooses no context", allowed="a query that chooses some")
    if out.suffix in (".xml", ".txt"):
        content = ContextFile(choosing.part(contexts, ids), note="; ".join(contexts.notes))
        write_context_file(out, content)
        return f"{len(ids)} contexts: {out}"
    frame = contexts.joined()
    frame = frame[frame["context_id"].isin(list(ids))].reset_index(drop=True)
    frame["slot"] = frame["slot"].astype("Int32")
    if out.suffix == ".csv":
        with atomic_text(out) as stream:
            frame.to_csv(stream, index=False, lineterminator="\n")
    else:
        write_table(to_table(frame), out)
    return f"{len(ids)} contexts, {len(frame)} rows: {out}"
