"""A probe of a tagger: texts, answers, and the files and report of what was found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ..catalogues.core.files import atomic_text
from ..catalogues.core.messages import MessageFunction, say_nothing
from ..catalogues.core.output_folder import claim_folder
from ..catalogues.core.tables import OutputFormat, format_frame
from ..catalogues.core.version import __version__
from ..harness.probing import LengthOptions
from ..harness.probing.findings import LengthResult
from ..harness.probing.length import probe_length
from ..harness.running.preparation import prepare_tagger
from ..harness.scoring.statistics.intervals import wilson_interval
from ..sentences.formats.registry import parse_spec
from .files import save_report
from .model import Block, Column, Report, Section, Table, TextBlock

PART_COUNT = 16
"""Equal parts of the longest text for which a share is shown."""


def run_length_probe(
    tagger: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    suite: str = "",
    tagger_options: Mapping[str, str] | None = None,
    options: LengthOptions | None = None,
    force: bool = False,
    say: MessageFunction = say_nothing,
) -> LengthResult:
    """Find out how far a tagger reads, and write what was found.

    Parameters
    ----------
    tagger : str or path
        A bundled tagger's name, or a specification file.
    out : path
        A folder; a probe that stopped goes on in its own.
    suite : str
        A suite folder or ``FORMAT:PATH`` with the cases to use; those of tagsuite when empty.
    tagger_options : mapping, optional
        Values for the specification's options.
    options : LengthOptions, optional
    force : bool
        Whether the folder is emptied first.
    say : callable
        Called with a line about what is done.

    Raises
    ------
    InputError
        Bad input, specification or folder; a tagger that finds none of the cases alone.
    """
    ready = prepare_tagger(tagger, tagger_options)
    inputs = [*ready.files, *([parse_spec(suite)[1]] if suite else [])]
    folder = Path(out)
    with claim_folder(folder, "probe", force=force, inputs=inputs):
        found = probe_length(ready, folder, options or LengthOptions(), suite, say)
        with atomic_text(folder / "probes.csv") as stream:
            stream.write(format_frame(found.make_probe_table(), OutputFormat.csv))
        with atomic_text(folder / "length.json") as stream:
            stream.write(format_frame(found.make_table(), OutputFormat.json, key="length"))
        save_report(make_length_report(found), folder / "report.html")
    return found


def make_length_report(found: LengthResult) -> Report:
    """Return the report of a probe."""
    verdict = found.verdict[:1].upper() + found.verdict[1:]
    return Report(
        title=f"How far {found.tagger} reads",
        about="The same case at many places of neutral text.",
        tested=(
            f"{found.call_count:,} texts of at most {found.max_words:,} words, "
            f"with “{found.case.mention}” in "
            f"“{found.case.text}”",
        ),
        verdict=(f"{verdict}.",),
        sections=(_section(found, verdict),),
        version=__version__,
    )


def _section(found: LengthResult, verdict: str) -> Section:
    columns = (
        Column("group", "words before"),
        Column("places", "places", "count"),
        Column("found", "found", "range", low="low", high="high"),
        Column("twice", "found twice", "count"),
        Column("cut", "found in part", "count"),
    )
    shares = summarise_places(found.make_probe_table(), found.max_words)
    note = "Wilson's interval. Places in texts that repeat the case, and single cases in neutral text."
    blocks: list[Block] = [
        Table("length-places", "Found, by words before the mention", shares, columns, note)
    ]
    if found.notes:
        blocks.append(TextBlock(tuple(found.notes), "list"))
    lead = f"{verdict}; {found.call_count:,} texts were sent."
    return Section("length", "How far it reads", lead, tuple(blocks), short="Length")


def summarise_places(probes: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return shares found in equal parts of the longest text; parts without a place are left out."""
    part = np.minimum(probes["words_before"].to_numpy() * PART_COUNT // most, PART_COUNT - 1)
    rows = []
    for number in np.unique(part).tolist():
        own = probes[part == number]
        found = int(own["found"].sum())
        low, high = wilson_interval(found, len(own))
        rows.append(
            {
                "group": f"{number * most // PART_COUNT:,} to {(number + 1) * most // PART_COUNT - 1:,}",
                "places": len(own),
                "found": found / len(own),
                "low": float(low),
                "high": float(high),
                "twice": int((own["times"] > 1).sum()),
                "cut": int((own["changed"] != "").sum()),
            }
        )
    return pd.DataFrame(rows)
