"""Cases packed for a script to read: columns as arrays, compressed, in base64."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from ..sections.cases import Answers, CaseSource, Mentions

TYPES = {"u1": 2**8 - 1, "u2": 2**16 - 1, "u4": 2**32 - 1}
ALIGN = 4
LEVEL = 6
"""Of compression; 9 takes several times as long for little."""


class Packer:
    """A JSON document whose arrays lie behind it as bytes.

    The result is: the length of the JSON text (four bytes, little-endian), the text, then the arrays, each
    at a multiple of four. The text's ``arrays`` lists type, offset and length of each; elsewhere an array is
    its number in that list.
    """

    def __init__(self) -> None:
        self._arrays: list[bytes] = []
        self._places: list[tuple[str, int, int]] = []
        self._size = 0

    def numbers(self, values: NDArray[Any]) -> int:
        """Keep whole numbers in the smallest type that holds them."""
        top = int(values.max()) if len(values) else 0
        kind = next(k for k, most in TYPES.items() if top <= most)
        return self._keep(kind, values.astype(f"<{kind}").tobytes(), len(values))

    def flags(self, values: NDArray[np.bool_]) -> int:
        """Keep truth values, eight to a byte, the first in the lowest bit."""
        packed = np.packbits(values, bitorder="little")
        return self._keep("u1", packed.tobytes(), len(packed))

    def texts(self, values: list[str]) -> int:
        """Keep a list of texts."""
        content = orjson.dumps(values)
        return self._keep("u1", content, len(content))

    def finish(self, document: dict[str, Any]) -> str:
        """Everything, compressed, in base64."""
        head = orjson.dumps({**document, "arrays": self._places})
        head += b" " * (-(4 + len(head)) % ALIGN)
        whole = b"".join([len(head).to_bytes(4, "little"), head, *self._arrays])
        return base64.b64encode(zlib.compress(whole, LEVEL)).decode("ascii")

    def _keep(self, kind: str, content: bytes, length: int) -> int:
        self._places.append((kind, self._size, length))
        content += b"\0" * (-len(content) % ALIGN)
        self._arrays.append(content)
        self._size += len(content)
        return len(self._places) - 1


def pack(source: CaseSource) -> str:
    """The cases of one suite or corpus, for the report's script."""
    packer = Packer()
    return packer.finish(
        {
            "name": source.name,
            "suite": source.is_suite,
            "cases": len(source.texts),
            "texts": packer.texts(source.texts),
            "ids": packer.texts(source.ids) if source.ids else None,
            "values": source.values,
            "gold": _mentions(packer, source.gold),
            "taggers": [_answers(packer, a) for a in source.answers],
        }
    )


def _mentions(packer: Packer, side: Mentions) -> dict[str, Any]:
    return {
        "count": packer.numbers(side.count),
        "start": packer.numbers(side.start),
        "length": packer.numbers(side.length),
        "codes": {name: packer.numbers(codes) for name, codes in side.codes.items()},
        "classes": {name: packer.flags(inside) for name, inside in side.classes.items()},
    }


def _answers(packer: Packer, answers: Answers) -> dict[str, Any]:
    return {
        "name": answers.tagger,
        "notion": answers.notion,
        "predicted": _mentions(packer, answers.predicted),
        "verdict": packer.numbers(answers.verdict),
        "gold": packer.numbers(answers.gold),
        "outcome": {name: packer.numbers(rows) for name, rows in answers.outcome.items()},
        "failures": {str(row): failure for row, failure in answers.failures.items()},
    }
