"""Memory of reading is bounded whatever was printed; one thing more costs the same however many there are."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tagsuite.harness.running.inputs.cases import Batch, assemble
from tagsuite.harness.running.outputs import gate
from tagsuite.harness.running.outputs.normalised import normalise
from tagsuite.harness.running.outputs.parse import parse
from tagsuite.harness.running.outputs.placed import Joining, Placed
from tagsuite.harness.running.specification import Specification
from tagsuite.harness.running.specification.output import Output

PROGRAM = Path(__file__).parent / "programs" / "peaks.py"
SPEC: dict[str, Any] = {"format": 1, "name": "t", "command": ["t"]}


def batch(*texts: str) -> Batch:
    names = [str(i + 1) for i in range(len(texts))]
    return assemble([t.encode() for t in texts], np.arange(len(texts), dtype=np.int64), names)


def peaks(limit_mb: int, *fillers: str) -> list[tuple[str, str, int]]:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(limit_mb), *fillers], capture_output=True, text=True, check=True
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return [(form, name, int(peak)) for form, name, peak in rows]


def test_a_peak_of_300_mb_and_four_times_the_limit() -> None:
    found = peaks(16, "one line of entities", "tags by the line", "tokens", "rows", "bytes by the line")
    assert len(found) == 13 * 5
    assert [row for row in found if row[2] > 300 + 4 * 16] == []


@pytest.mark.full
def test_the_same_for_every_filler() -> None:
    assert [row for row in peaks(48) if row[2] > 300 + 4 * 48] == []


LONG = "x" * (2 * gate.LINE)
# form, what was printed, what becomes of the three cases, why
LINES = [
    ({}, f"a\n{LONG}\nc\n", {1: "garbage"}, "a line of text, where nothing but the order says whose it is"),
    ({"numbered": True}, f"1\ta\n2\t{LONG}\n3\tc\n", {1: "garbage"}, "a line with its identifier"),
    ({"form": "conll"}, f"a\tO\n\n{LONG}\tO\n\nc\tO\n\n", {1: "garbage"}, "a token"),
    ({"form": "offsets"}, f"1\t0\t1\tgp\n2\t0\t1\t{LONG}\n", {1: "garbage"}, "a row"),
    (
        {"form": "pubtator"},
        f"1|t|a\n2|t|b\n2\t0\t1\tb\t{LONG}\n3|t|c\n",
        {1: "garbage"},
        "a mention of a record",
    ),
]


@pytest.mark.parametrize(("form", "content", "fault", "why"), LINES, ids=[row[3] for row in LINES])
def test_a_line_that_is_too_long_is_garbage(
    form: dict[str, Any], content: str, fault: dict[int, str], why: str
) -> None:
    placed = parse(content.encode(), Output.model_validate(form), batch("a", "b", "c"))
    open_ = {i for i, way in enumerate(placed.way.tolist()) if way < 0}
    # a line without an identifier leaves its case open: alone it is garbage
    assert open_ == set(fault), why
    assert set(placed.fault.values()) <= {"garbage"}
    if not form:
        alone = parse(f"{LONG}\n".encode(), Output(), batch("b"))
        assert alone.fault == {0: "garbage"}


def test_lines_are_cut_where_they_are_too_long_and_counted() -> None:
    content = b"a\n" * 5 + b"b" * 50 + b"\n" + b"c\n" + b"d" * 300
    cut, numbers = gate.cut(content, 40, Output())
    assert numbers == {5, 7}
    assert cut == b"a\n" * 5 + b"b" * 50 + b"\n" + b"c\n" + b"d" * gate.HEAD
    assert gate.cut(content, 300, Output()) == (content, set())


def one(types: list[str]) -> Placed:
    count = len(types)
    return Placed(
        np.zeros(count, np.int64),
        np.arange(count),
        np.arange(count) + 1,
        np.arange(count, dtype=np.int32),
        np.full(count, np.nan),
        np.full(count, "", dtype=object),
        types,
        np.zeros(1, np.int8),
        np.zeros(1, np.int32),
    )


def test_results_of_single_cases_are_joined_without_an_array_of_the_batch_for_each() -> None:
    count = 8000
    tracemalloc.start()
    found = Joining(count)
    for i in range(count):
        found.add(np.array([i]), one(["gp", f"t{i % 7}"]))
    whole = found.result()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert whole.case.tolist() == np.repeat(np.arange(count), 2).tolist()
    assert [whole.types[t] for t in whole.type[-2:]] == ["gp", f"t{(count - 1) % 7}"]
    assert peak < 16 << 20


class Counted(str):
    """A type that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


def test_types_are_looked_up_and_not_searched_for() -> None:
    count = 3000
    placed = one([Counted(f"t{i:05}") for i in range(count)])
    Counted.compared = 0
    found = normalise(placed, Specification.model_validate(SPEC))
    assert len(found.placed.types) == count
    assert Counted.compared < 20 * count


# lines, whether they are read: with a limit of 1 MB there are 132 MiB of memory, and a line takes 905 bytes
PLACED = [(150_000, True), (155_000, False), (300_000, False)]


@pytest.mark.parametrize(("lines", "read"), PLACED)
def test_what_is_read_by_lines_is_also_placed(lines: int, read: bool) -> None:
    found = gate.too_much(b"\n" * lines, Output(form="pubtator"), 1)
    assert found == ("" if read else f"more output than can be read at once: {lines} bytes")
