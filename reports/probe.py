"""Function that runs the length probe of a tagger and writes its results and a report."""

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
"""Number of equal parts into which the longest text is divided."""


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
    """Find out how many words of a long text a tagger reads, and write the results to a folder.

    Parameters
    ----------
    tagger : str or path
        Name of a bundled tagger, or a specification file.
    out : path
        Output folder; an interrupted probe in it is continued.
    suite : str
        Suite folder or ``FORMAT:PATH`` that contains the cases to use; by default, bundled cases.
    tagger_options : mapping, optional
        Values of the options in the specification.
    options : LengthOptions, optional
    force : bool
        Whether to empty `out` first.
    say : callable
        Function called with each progress message.

    Raises
    ------
    InputError
        If the input, specification or folder is invalid, or the tagger finds no mention in short texts.
    """
    ready = prepare_tagger(tagger, tagger_options)
    inputs = [*ready.files, *([parse_spec(suite)[1]] if suite else [])]
    folder = Path(out)
    with claim_folder(folder, "probe", force=force, inputs=inputs):
        result = probe_length(ready, folder, options or LengthOptions(), suite, say)
        with atomic_text(folder / "probes.csv") as stream:
            stream.write(format_frame(result.make_probe_table(), OutputFormat.csv))
        with atomic_text(folder / "length.json") as stream:
            stream.write(format_frame(result.make_table(), OutputFormat.json, key="length"))
        save_report(make_length_report(result), folder / "report.html")
    return result


def make_length_report(result: LengthResult) -> Report:
    """Return the report of a length probe."""
    verdict = result.verdict[:1].upper() + result.verdict[1:]
    return Report(
        title=f"How many words {result.tagger} reads",
        about="The same sentence is placed at many positions in long neutral texts.",
        tested=(
            f"{result.call_count:,} texts of at most {result.max_words:,} words, "
            f"with “{result.case.mention}” in "
            f"“{result.case.text}”",
        ),
        verdict=(f"{verdict}.",),
        sections=(_section(result, verdict),),
        version=__version__,
    )


def _section(result: LengthResult, verdict: str) -> Section:
    columns = (
        Column("group", "words before"),
        Column("places", "places", "count"),
        Column("found", "found", "range", low="low", high="high"),
        Column("twice", "found twice", "count"),
        Column("cut", "found in part", "count"),
    )
    shares = summarise_places(result.make_probe_table(), result.max_words)
    note = "Intervals are Wilson intervals. Each text contains one or several copies of the sentence."
    blocks: list[Block] = [
        Table("length-places", "Mentions found, by number of words before them", shares, columns, note)
    ]
    if result.notes:
        blocks.append(TextBlock(tuple(result.notes), "list"))
    lead = f"{verdict}; {result.call_count:,} texts were sent."
    return Section("length", "How many words it reads", lead, tuple(blocks), short="Length")


def summarise_places(probes: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return the share of mentions found per part of the longest text; parts without mentions are omitted."""
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
