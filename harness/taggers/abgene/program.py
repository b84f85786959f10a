"""Substitute for the tagger ABGene: print ABGene's recorded output for each sentence.

This is a stand-alone program. It reads ``number<TAB>sentence`` lines from standard input and writes the same
lines with each mention in ``<gp>…</gp>``. For a sentence without recorded output, it writes `UNKNOWN`, which
tagsuite counts as a failure because it differs from the sentence. The number of such sentences is written to
standard error. The program needs only the Python standard library.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .recorded import RecordError, read

VERSION = "1.0"
UNKNOWN = "\ufffd never recorded \ufffd"


def mark(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a sentence with tags around its mentions, which must not overlap."""
    parts: list[str] = []
    last = 0
    for start, end in spans:
        parts += [text[last:start], "<gp>", text[start:end], "</gp>"]
        last = end
    parts.append(text[last:])
    return "".join(parts)


def main() -> None:
    """Print the recorded output for the sentences on standard input."""
    parser = argparse.ArgumentParser(prog="abgene", description="Replay recorded output of ABGene.")
    parser.add_argument("--version", action="version", version=f"abgene {VERSION}")
    parser.add_argument(
        "--recorded", type=Path, required=True, help="GENETAG folder, or file of token/TAG lines"
    )
    arguments = parser.parse_args()
    try:
        record = read(arguments.recorded)
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
        print(f"abgene: {missing} sentences have no recording, or several different ones", file=sys.stderr)
