"""ABGene as it was: replays output that the tagger once printed, sentence by sentence.

A program of its own: ``number<TAB>sentence`` lines on standard input; the same lines on standard output
with each mention in ``<gp>…</gp>``. A sentence that was never recorded comes back as `UNKNOWN_COST` in its
place, which is not its text, so that whoever asked takes it for no answer; their number is on standard
error. It needs nothing but the Python standard library.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .recorded import RecordError, read

VERSION = "1.0"
UNKNOWN = "\ufffd never recorded \ufffd"


def mark(text: str, spans: list[tuple[int, int]]) -> str:
    """The sentence with its mentions in tags; they do not overlap."""
    parts: list[str] = []
    last = 0
    for start, end in spans:
        parts += [text[last:start], "<gp>", text[start:end], "</gp>"]
        last = end
    parts.append(text[last:])
    return "".join(parts)


def main() -> None:
    """Replay over standard input."""
    parser = argparse.ArgumentParser(prog="abgene", description="Replays recorded output of ABGene.")
    parser.add_argument("--version", action="version", version=f"abgene {VERSION}")
    parser.add_argument("--recorded", type=Path, required=True, help="a GENETAG folder, or inline token/TAG")
    asked = parser.parse_args()
    try:
        record = read(asked.recorded)
    except RecordError as error:
        sys.exit(f"abgene: {error}")
    stdin = open(0, encoding="utf-8", newline="\n")  # noqa: SIM115 - standard input is no path
    out = open(1, "w", encoding="utf-8", newline="\n", closefd=False)  # noqa: SIM115
    missing = 0
    for line in stdin:
        number, _, text = line.rstrip("\n").partition("\t")
        spans = record.find(text)
        missing += spans is None
        out.write(f"{number}\t{UNKNOWN if spans is None else mark(text, spans)}\n")
    out.flush()
    if missing:
        print(f"abgene: {missing} sentences were never recorded, or differently", file=sys.stderr)
