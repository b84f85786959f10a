"""Reproducible random damage to files: changed bytes, JSON values and Parquet columns."""

from __future__ import annotations

import gzip
import io
import json
import random
from typing import Any

TOKENS = [
    *(b"\0", b"\xff\xfe", b"\xc3", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\t", b'"', b"'", b"<", b"</", b"&"),
    *(b"]]>", b"|", b"[", b"{", b"null", b"true", b"NaN", b"-1", b"1e999", b"9" * 20, b"9223372036854775808"),
    *(b"18446744073709551616", b"9" * 5000, b"0x" + b"f" * 40, b"[" * 3000, b"(" * 3000, b"a." * 5000),
    *(b"<x>" * 1000, b'{"a":' * 1000, "é\u2028𝛼\u0301²Ⅳ٣".encode(), b"\\", b"\\ud800", b"a" * 20000),
    *(b"%s%n{0}", b"../../x", b"<!DOCTYPE a [<!ENTITY b 'c'>]>"),
    b"T1\tgp 99999999999999999999999 999999999999999999999999\tx\n",
]
VALUES: list[Any] = [
    *(None, True, -1, 0, 2**31, 2**63 - 1, 2**63, -(2**63), 1.5, 1e308, "", "x", "\ud83e", "9" * 5000),
    *([], [[]], [None], {}, {"a": None}, ["a", 1], [[0, 2**63]]),
]


def mutate(content: bytes, name: str, draw: random.Random) -> bytes:
    """Return a damaged copy of a file's content."""
    if content[:4] == b"PAR1" and draw.random() < 0.7:
        return _columns(content, draw)
    if content[:2] == b"\x1f\x8b" and draw.random() < 0.7:
        return gzip.compress(_bytes(gzip.decompress(content), draw), mtime=0)
    if content[:1] in (b"{", b"[") and draw.random() < 0.7:
        return _json(content, draw)
    return _bytes(content, draw)


def _bytes(content: bytes, draw: random.Random) -> bytes:
    """Change, insert or delete bytes in up to four places."""
    made = bytearray(content)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        place = draw.randrange(len(made) + 1)
        other = draw.randrange(len(made) + 1)
        low, high = min(place, other), min(max(place, other), min(place, other) + 40)
        way = draw.randrange(7)
        if way == 0 and made:
            made[min(place, len(made) - 1)] ^= 1 << draw.randrange(8)
        elif way == 1:
            made[place:place] = draw.choice(TOKENS)
        elif way == 2:
            made[low:high] = b""
        elif way == 3:
            made[low:high] = draw.choice(TOKENS)
        elif way == 4:
            made[place:place] = made[low:high]
        elif way == 5:
            del made[place:]
        else:
            _swap_number(made, draw)
    return bytes(made)


def _swap_number(made: bytearray, draw: random.Random) -> None:
    """Replace a number by another one, since readers may trust offsets."""
    digits = [i for i, b in enumerate(made) if 48 <= b <= 57 and (not i or not 48 <= made[i - 1] <= 57)]
    if not digits:
        return
    low = high = draw.choice(digits)
    while high < len(made) and 48 <= made[high] <= 57:
        high += 1
    made[low:high] = draw.choice(
        [b"0", b"1", b"99", b"-1", b"1.5", b"9" * 20, str(2**63).encode(), b"9" * 5000]
    )


def _json(content: bytes, draw: random.Random) -> bytes:
    """Replace a value in a JSON document or line by a value of another kind."""
    lines = content.splitlines(keepends=True)
    number = draw.randrange(len(lines))
    whole = False
    try:
        root = json.loads(lines[number])
    except ValueError:
        root, whole = json.loads(content), True
    places: list[tuple[Any, Any]] = []
    waiting = [root]
    while waiting:
        inside = waiting.pop()
        for key in inside if isinstance(inside, dict) else range(len(inside)):
            places.append((inside, key))
            if isinstance(inside[key], (dict, list)):
                waiting.append(inside[key])
    if places:
        inside, key = draw.choice(places)
        if draw.random() < 0.2:
            del inside[key]
        else:
            inside[key] = draw.choice(VALUES)
    made = json.dumps(root).encode()
    return made if whole else b"".join([*lines[:number], made + b"\n", *lines[number + 1 :]])


def _columns(content: bytes, draw: random.Random) -> bytes:
    """Drop, duplicate or convert a Parquet column, or make a value missing or out of range."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(content))
    if draw.random() < 0.3:
        # without pandas' own account of the columns
        table = table.replace_schema_metadata(None)
    rows = table.num_rows
    place = draw.randrange(table.num_columns)
    name = table.column_names[place]
    others: list[Any] = [
        pa.nulls(rows),
        pa.array([2**62] * rows, pa.int64()),
        pa.array([2**63 + 1] * rows, pa.uint64()),
        pa.array([-5] * rows, pa.int8()),
        pa.array([1.5] * rows),
        pa.array([float("nan")] * rows),
        pa.array(["x"] * rows),
        pa.array(["7"] * rows, pa.large_string()),
        pa.array([b"\xff"] * rows),
        pa.array([True] * rows),
        pa.array([[1]] * rows),
        pa.array([{"a": 1}] * rows),
        pa.array([2**62] * rows, pa.timestamp("us")),
        pa.array(["x"] * rows).dictionary_encode(),
        pa.array([0] * rows, pa.date32()),
        pa.array([None, *["x"] * (rows - 1)]) if rows else pa.nulls(0),
    ]
    way = draw.randrange(5)
    if way == 0:
        table = table.drop_columns([name])
    elif way == 1:
        table = table.append_column(name, draw.choice(others))
    elif way == 2:
        table = table.slice(0, draw.randrange(rows + 1))
    else:
        table = table.set_column(place, name, draw.choice(others))
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()
