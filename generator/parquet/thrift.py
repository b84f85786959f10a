"""The part of Thrift's compact protocol that Parquet's headers and footer need.

Source: the Apache Thrift specification, "Thrift Compact protocol encoding".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
_TRUE, _FALSE = 1, 2


@dataclass(frozen=True)
class Long:
    """A 64-bit number; plain `int` stands for a 32-bit one."""

    value: int


Value = int | Long | bool | str | bytes | Sequence["Value"] | dict[int, "Value"]
"""A structure is a dict from field numbers to values; None fields are left out before."""


def varint(number: int) -> bytes:
    """An unsigned number, seven bits a byte, lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number: int) -> bytes:
    """A number with a sign, small ones of either sign short."""
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def struct(fields: dict[int, Value]) -> bytes:
    """A structure's bytes."""
    out = bytearray()
    previous = 0
    for number in sorted(fields):
        value = fields[number]
        kind = (_TRUE if value else _FALSE) if isinstance(value, bool) else _kind(value)
        step = number - previous
        if 0 < step <= 15:
            out.append(step << 4 | kind)
        else:
            out.append(kind)
            out += zigzag(number)
        previous = number
        if not isinstance(value, bool):
            out += _encode(value)
    out.append(0)
    return bytes(out)


def _kind(value: Value) -> int:
    if isinstance(value, Long):
        return I64
    if isinstance(value, int):
        return I32
    if isinstance(value, (str, bytes)):
        return BINARY
    return STRUCT if isinstance(value, dict) else LIST


def _encode(value: Value) -> bytes:
    if isinstance(value, Long):
        return zigzag(value.value)
    if isinstance(value, int):
        return zigzag(value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return varint(len(value)) + value
    if isinstance(value, dict):
        return struct(value)
    kind = _kind(value[0]) if value else STRUCT
    head = bytes([len(value) << 4 | kind]) if len(value) < 15 else bytes([0xF0 | kind]) + varint(len(value))
    return head + b"".join(_encode(v) for v in value)
