"""From finished shards to the run folder that people read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...catalogues.plumbing.files import atomic_path, atomic_text
from .arrow import categories, numbers
from .cases import Cases, Places
from .outcomes import NAMES
from .placed import WAYS
from .runs import FORMAT, to_folder, toml
from .shards import Shelf
from .solving import Failure, Solved
from .specification import Specification
from .tagger import Tagger

SHOWN = 20
"""Cases that run.toml names for one kind of failure; outcomes.parquet has them all."""


class _Totals:
    """What is summed over the shards for run.toml and timings.json."""

    def __init__(self) -> None:
        self.mentions = 0
        self.strays = 0
        self.unplaced = 0
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
        for i, n in enumerate(np.bincount(solved.outcome, minlength=len(NAMES)).tolist()):
            self.outcomes[NAMES[i]] += n
        for i, n in enumerate(np.bincount(solved.way[solved.way >= 0], minlength=len(WAYS)).tolist()):
            self.placed[WAYS[i]] += n
        self.unmapped.update(solved.unmapped)
        self.codes.update(solved.codes)
        for failure in solved.failures:
            moved = Failure(failure.place + low, failure.outcome, failure.said, failure.stderr)
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


def finish(
    cases: Cases,
    tagger: Tagger,
    shelf: Shelf,
    bounds: Sequence[tuple[int, int]],
    out: Path,
    key: str,
    timing: dict[str, Any],
) -> None:
    """Write everything but run.toml, then run.toml: a folder that has it is complete."""
    totals = _Totals()
    stderr = out / "stderr"
    stderr.mkdir(exist_ok=True)
    id_type = pa.int64() if pa.types.is_integer(cases.ids.type) else pa.string()
    word = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        [
            ("mention_id", pa.int64()),
            ("text_id", id_type),
            ("side", word),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("type", word),
            ("score", pa.float64()),
        ]
    )
    ids = cases.ids if cases.ids.type == id_type else cases.ids.cast(id_type)
    outcomes: list[pa.Table] = []
    with atomic_path(out / "predictions.parquet") as temporary, _writer(temporary, schema) as writer:
        for number, (low, high) in enumerate(bounds):
            solved = shelf.get(number)
            if len(solved.case):
                writer.write_table(_mentions(solved, ids, low, totals.mentions, schema))
            totals.add(number, low, solved)
            outcomes.append(_outcomes(solved, ids, low, high))
            if solved.stderr:
                (stderr / f"shard-{number:06d}.txt").write_bytes(solved.stderr)
    with atomic_path(out / "outcomes.parquet") as temporary:
        table = pa.concat_tables(outcomes)
        with _writer(temporary, table.schema) as writer:
            writer.write_table(table.unify_dictionaries().combine_chunks())
    with atomic_text(out / "timings.json") as stream:
        json.dump({**timing, "shards": totals.timings}, stream, indent=1)
        stream.write("\n")
    with atomic_text(out / "run.toml") as stream:
        stream.write(toml(_meta(cases, tagger, bounds, out, key, totals)))


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    # without Arrow's own schema in the file: who reads it gets texts, not dictionaries
    return pq.ParquetWriter(path, schema, store_schema=False)


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


def _taken(ids: pa.Array, places: Places) -> pa.Array:
    if pa.types.is_integer(ids.type):
        values = np.frombuffer(ids.buffers()[1], dtype=np.int64)[ids.offset : ids.offset + len(ids)]
        return numbers(values[places])
    return ids.take(numbers(places))


def _outcomes(solved: Solved, ids: pa.Array, low: int, high: int) -> pa.Table:
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
        names=["case_id", "outcome", "placed", "unplaced", "said"],
    )


def _meta(
    cases: Cases, tagger: Tagger, bounds: Sequence[tuple[int, int]], out: Path, key: str, totals: _Totals
) -> dict[str, Any]:
    from ... import __version__

    spec: Specification = tagger.spec
    ids = cases.ids
    failures = [
        {
            "outcome": outcome,
            "said": said,
            "count": len(found),
            "cases": [ids[f.place].as_py() for f in found[:SHOWN]],
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
            "signature": f"{cases.signature}|tagger:{tagger.label}",
            "mode": spec.mode,
            "command": spec.command,
            "cases": len(cases),
            "mentions": totals.mentions,
            "unplaced": totals.unplaced,
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
        **({"failure": failures} if failures else {}),
    }


def _shown(
    spec: Specification, name: str, value: str | int | float | bool, out: Path
) -> str | int | float | bool:
    return to_folder(str(value), out) if spec.options[name].kind == "file" else value
