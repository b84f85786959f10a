"""The run folder being written: what finished shards hold, as files that people read."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ....catalogues.core.files import atomic_text, sync
from ..outcomes import REPEATABLE
from ..plan import Plan
from . import tables
from .arrow import categories, known, numbers, values
from .run_file import Signed, write_run_file
from .shard import Shard
from .sink import Sink
from .totals import Totals


class RunWriter:
    """What is written of a run: begun while taggers run, complete when run.toml stands.

    Parameters
    ----------
    plan : Plan
    scratch : Path
        A folder on the same device for files that are not complete.
    """

    def __init__(self, plan: Plan, scratch: Path) -> None:
        self.plan = plan
        self.totals = Totals()
        self.next = 0
        self._stderr = plan.folder / "stderr"
        self._stderr.mkdir(exist_ok=True)
        ids = plan.cases.ids
        id_type = tables.id_type(ids)
        self._ids = ids if ids.type == id_type else ids.cast(id_type)
        self._mentions, self._parts, self._outcomes, self._costs, self._replies = (
            Sink(scratch, table, id_type)
            for table in (
                tables.PREDICTIONS,
                tables.FRAGMENTS,
                tables.OUTCOMES,
                tables.COSTS,
                tables.REPLIES,
            )
        )
        # of the one form without offsets, and of no other
        has_strings = plan.tagger.spec.output.form == "names"
        self._strings = Sink(scratch, tables.STRINGS, id_type) if has_strings else None
        self._costly = False

    def add(self, shard: Shard) -> None:
        """Write the next shard, in order."""
        low, high = self.plan.bounds[self.next]
        ids = self._ids[low:high]
        first = self.totals.mentions
        if len(shard.fragments):
            self._parts.add(_fragments(shard, first, self._parts.schema))
        if len(shard.mentions):
            self._mentions.add(_mentions(shard, ids, first, self._mentions.schema))
        if self._strings is not None and shard.strings is not None:
            self._strings.add(_strings(shard.strings, ids, first, self._strings.schema))
        self._outcomes.add(_outcomes(shard, ids, self._outcomes.schema))
        if len(shard.replies):
            case, reply = shard.replies.columns
            columns = [_taken(ids, case), reply]
            self._replies.add(pa.Table.from_arrays(columns, schema=self._replies.schema))
        self._costs.add(_costs(shard, ids, self._costs.schema))
        self._costly = self._costly or any(not np.isnan(values(c)).all() for c in shard.costs)
        self.totals.add(self.next, shard, ids)
        if shard.record.stderr:
            (self._stderr / f"shard-{self.next:06d}.txt").write_bytes(shard.record.stderr)
        self.next += 1

    @property
    def repeatable(self) -> bool:
        """Whether another day would give the same: no time-out, no crash, no want of memory."""
        return all(name in REPEATABLE for name, n in self.totals.outcomes.items() if n)

    def close(self, timing: dict[str, Any]) -> None:
        """Write what is left, run.toml last: a folder that has it is complete."""
        out = self.plan.folder
        self._mentions.close(out)
        self._parts.close(out if self._parts.rows else None)
        if self._strings is not None:
            self._strings.close(out)
        self._outcomes.close(out)
        self._costs.close(out if self._costly else None)
        self._replies.close(out if self._replies.rows else None)
        with atomic_text(out / "timings.json") as stream:
            json.dump(
                {**timing, "starts": self.totals.starts, "shards": self.totals.timings}, stream, indent=1
            )
            stream.write("\n")
        if self.totals.aside.content:
            (self._stderr / "processes.txt").write_bytes(self.totals.aside.content)
        # what run.toml vouches for is on the disk before it
        for path in [*out.glob("*"), *self._stderr.iterdir(), out]:
            sync(path)
        plan = self.plan
        signed = Signed.of(plan.tagger, out)
        write_run_file(out, out, plan.cases, signed, self.totals, key=plan.key, shards=len(plan.bounds))

    def __enter__(self) -> RunWriter:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close files that will not be complete."""
        if kind is None:
            return
        sinks = (self._mentions, self._parts, self._strings, self._outcomes, self._costs, self._replies)
        for sink in filter(None, sinks):
            # what is given up may be broken: the reason is on its way already
            with contextlib.suppress(OSError):
                sink.close(None)


def _mentions(shard: Shard, ids: pa.Array, first: int, schema: pa.Schema) -> pa.Table:
    """Rows of predictions.parquet: mentions under numbers from `first` on, cases by their identifiers."""
    mentions = shard.mentions
    count = len(mentions)
    return pa.Table.from_arrays(
        [
            numbers(np.arange(first, first + count)),
            _taken(ids, mentions["case"]),
            categories(np.zeros(count, np.int32), ["predicted"]),
            *(mentions[name] for name in ("start", "end", "type", "score", "identifiers")),
        ],
        schema=schema,
    )


def _fragments(shard: Shard, first: int, schema: pa.Schema) -> pa.Table:
    """Rows of fragments.parquet."""
    mention, start, end = shard.fragments.columns
    return pa.Table.from_arrays([numbers(values(mention) + first), start, end], schema=schema)


def _strings(strings: pa.RecordBatch, ids: pa.Array, first: int, schema: pa.Schema) -> pa.Table:
    """Rows of strings.parquet; a string that stands nowhere has no mention."""
    mention = strings["mention"]
    shifted = numbers(values(mention) + first)
    there = pa.Array.from_buffers(
        shifted.type, len(mention), [mention.buffers()[0], shifted.buffers()[1]], offset=0
    )
    columns = [strings[name] for name in ("text", "type", "score", "status")]
    return pa.Table.from_arrays([_taken(ids, strings["case"]), *columns, there], schema=schema)


def _outcomes(shard: Shard, ids: pa.Array, schema: pa.Schema) -> pa.Table:
    """Rows of outcomes.parquet."""
    columns = [shard.cases[name] for name in ("outcome", "placed", "unplaced", "reason")]
    return pa.Table.from_arrays([ids, *columns], schema=schema)


def _costs(shard: Shard, ids: pa.Array, schema: pa.Schema) -> pa.Table:
    """Rows of costs.parquet."""
    columns = [known(values(shard.costs[f.name]), f.type) for f in schema if f.name != "case_id"]
    return pa.Table.from_arrays([ids, *columns], schema=schema)


def _taken(ids: pa.Array, places: pa.Array) -> pa.Array:
    """The identifiers at some places; numbers without Arrow's kernels, which take a while to load."""
    return numbers(values(ids)[values(places)]) if pa.types.is_integer(ids.type) else ids.take(places)
