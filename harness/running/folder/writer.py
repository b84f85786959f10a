"""Writing of a run folder from finished shards: tables, messages, timings and finally run.toml."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ....catalogues.core.files import atomic_text, sync_to_disk
from ..processes.guards import StderrExcerpt
from .run_file import describe_tagger, write_run_file
from .shard import ShardStore, Summary, numbers
from .tables import REQUIRED_TABLES, TABLES, TableWriter

if TYPE_CHECKING:
    from ..engines import Plan


def write_run(plan: Plan, store: ShardStore, run_timing: Mapping[str, Any]) -> Summary:
    """Write the run folder from its finished shards; run.toml is written last and marks it as complete.

    Parameters
    ----------
    plan : Plan
    store : ShardStore
    run_timing : mapping
        First entries of timings.json.

    Returns
    -------
    Summary
        Counts of the run.
    """
    out, ids = plan.folder, plan.cases.ids
    messages = out / "stderr"
    messages.mkdir(exist_ok=True)
    summary, other_stderr, timings = Summary(), StderrExcerpt(), []
    writers: dict[str, TableWriter] = {}
    written_tables = {table.name for table in REQUIRED_TABLES}
    for number, (first, last) in enumerate(plan.bounds):
        shard = store.read(number)
        for name, batch in shard.tables.items():
            writers[name] = writers.get(name) or TableWriter(store.folder, TABLES[name], ids.type)
            rows = _make_rows(batch, ids[first:last], summary.mentions)
            writers[name].add(rows)
            if any(column.null_count < len(column) for column in rows.columns[1:]):
                written_tables.add(name)
        summary.add(shard.summary, first)
        other_stderr.add(shard.summary.aside)
        timings.append(
            {
                "shard": number,
                "cases": last - first,
                "attempts": shard.summary.attempts,
                "starts": shard.summary.starts,
                "exit_codes": dict(sorted(shard.summary.ended.items())),
                "seconds": round(shard.summary.seconds, 3),
                "peak_mb": round(shard.summary.peak_mb, 1),
            }
        )
        if shard.summary.stderr:
            (messages / f"shard-{number:06d}.txt").write_bytes(shard.summary.stderr)
    for name, writer in writers.items():
        writer.close(out if name in written_tables else None)
    with atomic_text(out / "timings.json") as stream:
        json.dump({**run_timing, "starts": summary.starts, "shards": timings}, stream, indent=1)
        stream.write("\n")
    if other_stderr.content:
        (messages / "processes.txt").write_bytes(other_stderr.content)
    # all files are on the disk before run.toml marks the folder as complete
    for path in [*out.glob("*"), *messages.iterdir(), out]:
        sync_to_disk(path)
    tagger = describe_tagger(plan.tagger, out)
    write_run_file(out, out, plan.cases, tagger, summary, key=plan.key, shards=len(plan.bounds))
    return summary


def _make_rows(batch: pa.RecordBatch, ids: pa.Array, first: int) -> pa.Table:
    """Replace the positions of cases by identifiers, and number the mentions, starting at `first`."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    for name in columns.keys() & {"case_id", "text_id"}:
        columns[name] = ids.take(columns[name])
    if "mention_id" in columns:
        columns["mention_id"] = pc.add(columns["mention_id"], numbers([first])[0])
    return pa.table(columns)
