"""Writing of a run folder from its finished shards: tables and files that people read, run.toml last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ....catalogues.core.files import atomic_text, sync_to_disk
from ..processes.guards import StderrExcerpt
from .run_file import describe_tagger, write_run_file
from .shard import Shard, ShardStore, Summary, numbers
from .tables import REQUIRED_TABLES, TABLES, TableWriter

if TYPE_CHECKING:
    from ..engines import Plan


def write_run(plan: Plan, store: ShardStore, run_timing: Mapping[str, Any]) -> Summary:
    """Write the files of a run whose shards are finished; run.toml comes last: a folder with it is complete.

    Parameters
    ----------
    plan : Plan
    store : ShardStore
    run_timing : mapping
        What timings.json begins with.

    Returns
    -------
    Summary
        Counts of the run.
    """
    out, ids = plan.folder, plan.cases.ids
    messages = out / "stderr"
    messages.mkdir(exist_ok=True)
    summary, aside, timings = Summary(), StderrExcerpt(), []
    sinks: dict[str, TableWriter] = {}
    known = {table.name for table in REQUIRED_TABLES}
    for number, (first, last) in enumerate(plan.bounds):
        shard = store.read(number)
        for name, batch in shard.tables.items():
            sinks[name] = sinks.get(name) or TableWriter(store.folder, TABLES[name], ids.type)
            rows = _make_rows(batch, ids[first:last], summary.mentions)
            sinks[name].add(rows)
            if any(column.null_count < len(column) for column in rows.columns[1:]):
                known.add(name)
        summary.add(shard.summary, first)
        aside.add(shard.summary.aside)
        timings.append(_make_timing(number, shard))
        if shard.summary.stderr:
            (messages / f"shard-{number:06d}.txt").write_bytes(shard.summary.stderr)
    for name, sink in sinks.items():
        sink.close(out if name in known else None)
    with atomic_text(out / "timings.json") as stream:
        json.dump({**run_timing, "starts": summary.starts, "shards": timings}, stream, indent=1)
        stream.write("\n")
    if aside.content:
        (messages / "processes.txt").write_bytes(aside.content)
    # what run.toml vouches for is on the disk before it
    for path in [*out.glob("*"), *messages.iterdir(), out]:
        sync_to_disk(path)
    tagger = describe_tagger(plan.tagger, out)
    write_run_file(out, out, plan.cases, tagger, summary, key=plan.key, shards=len(plan.bounds))
    return summary


def _make_rows(batch: pa.RecordBatch, ids: pa.Array, first: int) -> pa.Table:
    """Return rows with identifiers of cases for their places, and mentions numbered from `first`."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    for name in columns.keys() & {"case_id", "text_id"}:
        columns[name] = ids.take(columns[name])
    if "mention_id" in columns:
        columns["mention_id"] = pc.add(columns["mention_id"], numbers([first])[0])
    return pa.table(columns)


def _make_timing(number: int, shard: Shard) -> dict[str, Any]:
    summary = shard.summary
    return {
        "shard": number,
        "cases": sum(summary.outcomes.values()),
        "attempts": summary.attempts,
        "starts": summary.starts,
        "exit_codes": dict(sorted(summary.ended.items())),
        "seconds": round(summary.seconds, 3),
        "peak_mb": round(summary.peak_mb, 1),
    }
