"""Conversion of recorded tagger output to a run folder."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa

from ....catalogues.core.files import digest_bytes
from ....catalogues.core.output_folder import atomic_folder
from ....sentences.identifiers import join_identifier_column
from ..inputs.cases import read_cases
from ..specification import check_name
from .run_file import make_relative, write_run_file
from .runs import Run, is_run, read_run
from .shard import Summary
from .tables import FRAGMENTS, OUTCOMES, PREDICTIONS, Table, TableWriter


def record_predictions(
    source: str,
    predictions: str,
    tagger: str,
    out: str | os.PathLike[str],
    *,
    version: str = "recorded",
    force: bool = False,
) -> Run:
    """Write a run folder from predictions that were recorded without tagsuite.

    Parameters
    ----------
    source : str
        Texts that the tagger received: a suite folder, or ``FORMAT:PATH``.
    predictions : str
        The recorded mentions, ``FORMAT:PATH``.
    tagger, version : str
        Name and version of the tagger, which are part of each score's signature.
    out : path
        The run folder. If it already contains a run with the same recorded output, that run is returned.
    force : bool
        Replace another run in `out`.

    Returns
    -------
    Run
        The run. Every case has the outcome ``ok``, because recorded output contains no failures.

    Raises
    ------
    InputError
        If a file is invalid, or a mention belongs to a text that is missing from `source`.
    """
    from ....sentences.formats.registry import parse_spec, read_corpus, read_predictions

    check_name(tagger)
    cases = read_cases(source)
    gold = read_corpus(source)
    guesses = read_predictions(predictions, gold)
    label = f"{tagger}@{version}"
    key = digest_bytes(
        b"recorded 3",
        label.encode(),
        cases.digest.encode(),
        guesses.digest.encode(),
        # a file with its duplicates merged differs from the same file with all of them
        str(len(guesses.mentions)).encode(),
    )
    folder = Path(out)
    inputs = [parse_spec(place)[1] for place in (source, predictions)]
    if is_run(folder) and not force:
        earlier = read_run(folder)
        if earlier.meta["run"].get("key") == key:
            return earlier
    with atomic_folder(folder, "run", force=force, inputs=inputs) as temporary:
        mentions = guesses.mentions
        mentions = mentions.assign(identifiers=join_identifier_column(mentions, guesses.normalisations))
        kind = cases.ids.type
        _write(mentions, PREDICTIONS, temporary, kind)
        if guesses.fragments is not None and len(guesses.fragments):
            _write(guesses.fragments, FRAGMENTS, temporary, kind)
        ids = gold.texts["text_id"]
        outcomes = {"case_id": ids, "outcome": "ok", "placed": "identical", "unplaced": 0, "reason": None}
        _write(pd.DataFrame(outcomes), OUTCOMES, temporary, kind)
        (temporary / "stderr").mkdir()
        summary = Summary(
            mentions=len(mentions),
            merged=guesses.merged_count,
            types=Counter(mentions["type"].astype(str)),
            outcomes=Counter(ok=len(ids)),
            placed=Counter(identical=len(ids)),
            is_silent=False,
        )
        signed = {
            "name": tagger,
            "version": version,
            "label": label,
            "digest": guesses.digest,
            "mode": "recorded",
            "recorded": make_relative(predictions, folder),
        }
        write_run_file(temporary, folder, cases, signed, summary, key=key, shards=0)
    return read_run(folder)


def _write(frame: pd.DataFrame, table: Table, folder: Path, ids: pa.DataType) -> None:
    """Write a data frame as a table of the run folder, with the columns that the table requires."""
    writer = TableWriter(folder, table, ids)
    writer.add(pa.Table.from_pandas(frame[list(table.columns)], schema=writer.schema, preserve_index=False))
    writer.close(folder)
