"""From finished shards to the run folder that people read."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...catalogues.core.files import atomic_text, sync
from ...catalogues.core.toml import write_toml
from .arrow import categories, numbers
from .cases import Cases, Places
from .outcomes import NAMES, REPEATABLE
from .placed import WAYS
from .runs import FORMAT, tagger_part, to_folder
from .solving import Failure, Solved
from .specification import Specification
from .tagger import Tagger

SHOWN = 20
"""Cases that run.toml names for one kind of failure; outcomes.parquet has them all."""
ROWS = 100_000
"""Rows that are written at once, or more."""
WORD = pa.dictionary(pa.int32(), pa.string())


class _Totals:
    """What is summed over the shards for run.toml and timings.json."""

    def __init__(self) -> None:
        self.mentions = 0
        self.strays = 0
        self.unplaced = 0
        self.merged = 0
        self.types: Counter[str] = Counter()
        self.dropped: set[str] = set()
        self.outcomes: Counter[str] = Counter()
        self.placed: Counter[str] = Counter()
        self.unmapped: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.failures: dict[tuple[str, str], list[Failure]] = {}
        self.timings: list[dict[str, Any]] = []

    def add(self, number: int, low: int, solved: Solved) -> None:
        self.mentions += len(solved.case)
        self.strays += solved.strays
        self.unplaced += int(solved.unplaced.sum())
        self.merged += solved.merged
        for name, n in zip(solved.types, np.bincount(solved.type, minlength=len(solved.types)), strict=True):
            self.types[name] += int(n)
        self.dropped.update(solved.dropped)
        for i, n in enumerate(np.bincount(solved.outcome, minlength=len(NAMES)).tolist()):
            self.outcomes[NAMES[i]] += n
        for i, n in enumerate(np.bincount(solved.way[solved.way >= 0], minlength=len(WAYS)).tolist()):
            self.placed[WAYS[i]] += n
        self.unmapped.update(solved.unmapped)
        self.codes.update(solved.codes)
        for failure in solved.failures:
            moved = Failure(failure.place + low, failure.outcome, failure.said, failure.stderr, failure.found)
            self.failures.setdefault((failure.outcome, failure.said), []).append(moved)
        self.timings.append(
            {
                "shard": number,
                "cases": len(solved.outcome),
                "attempts": solved.attempts,
                "seconds": round(solved.seconds, 3),
                "peak_mb": round(solved.peak_mb, 1),
            }
        )


class _Sink:
    """A Parquet file written block by block.

    Parameters
    ----------
    path : Path
        A file beside the finished shards; it is moved to its place when all is written.
    schema : Arrow schema
    few : list of str
        Columns of few distinct values; the others that are integers are written as differences.
    """

    def __init__(self, path: Path, schema: pa.Schema, few: list[str]) -> None:
        self.path = path
        self.schema = schema
        many = [f.name for f in schema if f.name not in few and pa.types.is_integer(f.type)]
        # without Arrow's own schema in the file: who reads it gets texts, not dictionaries
        self._writer = pq.ParquetWriter(
            path,
            schema,
            store_schema=False,
            write_statistics=False,
            use_dictionary=few,
            column_encoding=dict.fromkeys(many, "DELTA_BINARY_PACKED"),
        )
        self._waiting: list[pa.Table] = []
        self.rows = 0

    def add(self, table: pa.Table) -> None:
        """Write a table, or keep it until there are more rows."""
        self._waiting.append(table)
        self.rows += len(table)
        if sum(map(len, self._waiting)) >= ROWS:
            self._write()

    def _write(self) -> None:
        table = pa.concat_tables(self._waiting)
        self._waiting = []
        self._writer.write_table(table.unify_dictionaries().combine_chunks(), row_group_size=1 << 20)

    def close(self, target: Path | None) -> None:
        """Write the rest and move the file to its place; without a place it is given up."""
        if target is not None and self._waiting:
            self._write()
        self._writer.close()
        if target is not None:
            self.path.replace(target)
        else:
            self.path.unlink(missing_ok=True)


class Finish:
    """What is written of a run: begun while taggers run, complete when run.toml stands.

    Parameters
    ----------
    cases : Cases
    tagger : Tagger
    bounds : sequence of (int, int)
        First case and last (exclusive) of each shard.
    out : Path
        The run folder.
    scratch : Path
        A folder on the same device for files that are not complete.
    """

    def __init__(
        self, cases: Cases, tagger: Tagger, bounds: Sequence[tuple[int, int]], out: Path, scratch: Path
    ) -> None:
        self.cases, self.tagger, self.bounds, self.out = cases, tagger, bounds, out
        self.totals = _Totals()
        self.next = 0
        self._stderr = out / "stderr"
        self._stderr.mkdir(exist_ok=True)
        id_type = pa.int64() if pa.types.is_integer(cases.ids.type) else pa.string()
        self._ids = cases.ids if cases.ids.type == id_type else cases.ids.cast(id_type)
        self._mentions = _Sink(
            scratch / "predictions.part",
            pa.schema(
                [
                    ("mention_id", pa.int64()),
                    ("text_id", id_type),
                    ("side", WORD),
                    ("start", pa.int64()),
                    ("end", pa.int64()),
                    ("type", WORD),
                    ("score", pa.float64()),
                ]
            ),
            ["side", "type", "score"],
        )
        self._parts = _Sink(
            scratch / "fragments.part",
            pa.schema([("mention_id", pa.int64()), ("start", pa.int64()), ("end", pa.int64())]),
            [],
        )
        self._outcomes = _Sink(
            scratch / "outcomes.part",
            pa.schema(
                [
                    ("case_id", id_type),
                    ("outcome", WORD),
                    ("placed", WORD),
                    ("unplaced", pa.int32()),
                    ("said", WORD),
                ]
            ),
            ["outcome", "placed", "unplaced", "said"],
        )

    def add(self, solved: Solved) -> None:
        """Write the next shard, in order."""
        low, high = self.bounds[self.next]
        if len(solved.parts):
            self._parts.add(_fragments(solved, self.totals.mentions, self._parts.schema))
        if len(solved.case):
            self._mentions.add(_mentions(solved, self._ids, low, self.totals.mentions, self._mentions.schema))
        self._outcomes.add(_outcomes(solved, self._ids, low, high, self._outcomes.schema))
        self.totals.add(self.next, low, solved)
        if solved.stderr:
            (self._stderr / f"shard-{self.next:06d}.txt").write_bytes(solved.stderr)
        self.next += 1

    @property
    def repeatable(self) -> bool:
        """Whether another day would give the same: no time-out, no crash, no want of memory."""
        return all(name in REPEATABLE for name, n in self.totals.outcomes.items() if n)

    def close(self, key: str, timing: dict[str, Any]) -> None:
        """Write what is left, run.toml last: a folder that has it is complete."""
        self._mentions.close(self.out / "predictions.parquet")
        self._parts.close(self.out / "fragments.parquet" if self._parts.rows else None)
        self._outcomes.close(self.out / "outcomes.parquet")
        with atomic_text(self.out / "timings.json") as stream:
            json.dump({**timing, "shards": self.totals.timings}, stream, indent=1)
            stream.write("\n")
        # what run.toml vouches for is on the disk before it
        for path in [*self.out.glob("*"), *self._stderr.iterdir(), self.out]:
            sync(path)
        with atomic_text(self.out / "run.toml", durable=True) as stream:
            stream.write(write_toml(_meta(self.cases, self.tagger, self.bounds, self.out, key, self.totals)))

    def __enter__(self) -> Finish:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close files that will not be complete."""
        if kind is None:
            return
        for sink in (self._mentions, self._parts, self._outcomes):
            # what is given up may be broken: the reason is on its way already
            with contextlib.suppress(OSError):
                sink.close(None)


def _mentions(solved: Solved, ids: pa.Array, low: int, first: int, schema: pa.Schema) -> pa.Table:
    count = len(solved.case)
    return pa.Table.from_arrays(
        [
            numbers(np.arange(first, first + count)),
            _taken(ids, solved.case + low),
            categories(np.zeros(count, np.int32), ["predicted"]),
            numbers(solved.start),
            numbers(solved.end),
            categories(solved.type, solved.types),
            numbers(solved.score),
        ],
        schema=schema,
    )


def _fragments(solved: Solved, first: int, schema: pa.Schema) -> pa.Table:
    owner, start, end = (np.ascontiguousarray(column) for column in solved.parts.T)
    return pa.Table.from_arrays([numbers(owner + first), numbers(start), numbers(end)], schema=schema)


def _taken(ids: pa.Array, places: Places) -> pa.Array:
    if pa.types.is_integer(ids.type):
        values = np.frombuffer(ids.buffers()[1], dtype=np.int64)[ids.offset : ids.offset + len(ids)]
        return numbers(values[places])
    return ids.take(numbers(places))


def _outcomes(solved: Solved, ids: pa.Array, low: int, high: int, schema: pa.Schema) -> pa.Table:
    words: dict[str, int] = {}
    said = np.full(high - low, -1, dtype=np.int32)
    for failure in solved.failures:
        said[failure.place] = words.setdefault(failure.said, len(words))
    return pa.Table.from_arrays(
        [
            ids[low:high],
            categories(solved.outcome, NAMES),
            # no way is the missing value
            categories(solved.way, WAYS),
            numbers(solved.unplaced),
            categories(said, list(words)),
        ],
        schema=schema,
    )


def _meta(
    cases: Cases, tagger: Tagger, bounds: Sequence[tuple[int, int]], out: Path, key: str, totals: _Totals
) -> dict[str, Any]:
    from ...catalogues.core.version import __version__

    spec: Specification = tagger.spec
    ids = cases.ids
    failures = [
        {
            "outcome": outcome,
            "said": said,
            "count": len(found),
            "cases": [ids[f.place].as_py() for f in found[:SHOWN]],
            "found": next((f.found for f in found if f.found), ""),
            "stderr": next((f.stderr for f in found if f.stderr), ""),
        }
        for (outcome, said), found in sorted(totals.failures.items())
    ]
    return {
        "format": FORMAT,
        "run": {
            "tagger": spec.name,
            "version": tagger.version,
            "label": tagger.label,
            "tagsuite": __version__,
            "input": to_folder(cases.spec, out),
            "corpus": cases.name,
            "input_digest": cases.digest,
            "signature": f"{cases.signature}|{tagger_part(tagger.label, tagger.digest)}",
            "mode": spec.mode,
            "command": spec.command,
            "cases": len(cases),
            "mentions": totals.mentions,
            "unplaced": totals.unplaced,
            "merged": totals.merged,
            "strays": totals.strays,
            "shards": len(bounds),
            "key": key,
        },
        "tagger": {
            "specification": tagger.path.name,
            "digest": tagger.digest,
            "options": {
                name: _shown(spec, name, value, out) for name, value in sorted(tagger.options.items())
            },
        },
        "outcomes": {name: n for name in NAMES if (n := totals.outcomes[name]) or name == "ok"},
        "placed": {name: n for name in WAYS if (n := totals.placed[name])},
        "exit_codes": dict(sorted(totals.codes.items())),
        "unmapped_types": dict(sorted(totals.unmapped.items())),
        "dropped_types": sorted(totals.dropped),
        "foreign_types": foreign(totals.types, cases.gold_types()),
        **({"failure": failures} if failures else {}),
    }


def foreign(types: Mapping[str, int], gold: Collection[str]) -> dict[str, int]:
    """Types that no gold mention has, with their number; none where there is no gold."""
    return {name: n for name, n in sorted(types.items()) if n and name not in gold} if gold else {}


def _shown(
    spec: Specification, name: str, value: str | int | float | bool, out: Path
) -> str | int | float | bool:
    return to_folder(str(value), out) if spec.options[name].kind == "file" else value
