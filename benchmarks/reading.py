"""Memory of reading the largest files that are admitted: the figures in docs/formats.md.

    python benchmarks/reading.py                       # all formats of one file of text
    python benchmarks/reading.py --formats pubtator --input-mb 128

Each format declares what a byte, and each sign that parts two values, may take (`Cost`), and a file that may
take more than 3.75 times the limit and 128 MB is refused before it is read. Here each format is given files
of long texts, of long texts with a wide letter in each, of texts with many mentions, and of tiny texts,
each as large as is still admitted, and every one is read by a process of its own. Exit status 1 where a peak
is larger than the memory that is admitted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measuring import options_of
from tagsuite.catalogues.core.limits import DEFAULT_MB, ROOM, VARIABLE, input_limit, memory_limit
from tagsuite.sentences.formats.registry import get_format

SENTENCE = "The p53 gene was found to bind IL-2 in most of the cells that were looked at. "
READ = """
import resource, sys
from tagsuite.sentences.formats import read_corpus
found = read_corpus(sys.argv[1])
print(len(found.texts), len(found.mentions), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""

Document = Callable[[int, str, int], str]
"""A document from its number, its text and how many mentions (of *p53*) it has."""


def _pubtator(number: int, text: str, mentions: int) -> str:
    rows = "".join(f"{number}\t4\t7\tp53\tGene\t{i}\n" for i in range(mentions))
    return f"{number}|t|{text}\n{number}|a|\n{rows}\n"


def _bioc(number: int, text: str, mentions: int) -> str:
    rows = "".join(
        f'<annotation id="{i}"><infon key="type">Gene</infon><location offset="4" length="3"/>'
        "<text>p53</text></annotation>"
        for i in range(mentions)
    )
    return (
        f"<document><id>{number}</id><passage><offset>0</offset><text>{text}</text>{rows}"
        "</passage></document>\n"
    )


def _biocjson(number: int, text: str, mentions: int) -> str:
    rows = ",".join(
        f'{{"id":"{i}","infons":{{"type":"Gene"}},"text":"p53","locations":[{{"offset":4,"length":3}}]}}'
        for i in range(mentions)
    )
    return (
        f'{{"id":"{number}","infons":{{}},"passages":[{{"offset":0,"infons":{{}},"text":"{text}",'
        f'"sentences":[],"annotations":[{rows}],"relations":[]}}],"relations":[]}}'
    )


def _jsonl(number: int, text: str, mentions: int) -> str:
    rows = ",".join(f'{{"id":{number * 100 + i},"start":4,"end":7,"type":"Gene"}}' for i in range(mentions))
    return f'{{"text_id":"{number}","text":"{text}","mentions":[{rows}]}}\n'


def _sgml(number: int, text: str, mentions: int) -> str:  # noqa: ARG001 - as the others
    return text + " the <gp>p53</gp>" * mentions + "\n"


def _conll(number: int, text: str, mentions: int) -> str:  # noqa: ARG001
    rows = [f"{word}\tO\n" for word in text.split()] + ["p53\tB-gp\n"] * mentions
    return "".join(rows) + "\n"


DOCUMENTS: dict[str, tuple[str, Document, str, str]] = {
    "pubtator": ("", _pubtator, "", ""),
    "bioc": ("<collection><source/><date/><key/>\n", _bioc, "", "</collection>\n"),
    "biocjson": ('{"source":"","date":"","key":"","infons":{},"documents":[', _biocjson, ",", "]}"),
    "jsonl": ("", _jsonl, "", ""),
    "sgml": ("", _sgml, "", ""),
    "conll": ("", _conll, "", ""),
}
"""What stands before the documents, a document, what stands between two, and after them."""
FILLERS = {
    "long texts": (SENTENCE * 60, 0),
    "long texts, one β in each": (SENTENCE * 60 + "β", 0),
    "long texts, one 𝛼 in each": (SENTENCE * 60 + "𝛼", 0),
    "many mentions": (SENTENCE * 20, 40),
    "tiny texts": ("The p53", 1),
}


def largest(name: str, text: str, mentions: int, limit: int) -> bytes:
    """The largest file of such documents that is admitted."""
    head, document, between, end = DOCUMENTS[name]
    cost = get_format(name).cost
    made, size, total = [head.encode()], 0, ROOM
    number = 0
    while True:
        # documents in hundreds: their cost is looked up so often only
        part = between.join(document(number + i, text, mentions) for i in range(100)).encode()
        size, total = size + len(part), total + cost.of(part) + cost.wider(part)
        if size > limit - 1000 or total > memory_limit(limit) - (1 << 20):
            break
        made += [between.encode()] if number else []
        made.append(part)
        number += 100
    return b"".join([*made, end.encode()])


def main() -> int:
    """Measure and print the table."""
    parser = options_of(__doc__)
    parser.add_argument("--formats", nargs="+", choices=[*DOCUMENTS], default=[*DOCUMENTS])
    parser.add_argument("--fillers", nargs="+", choices=[*FILLERS], default=[*FILLERS])
    parser.add_argument("--input-mb", type=int, default=DEFAULT_MB)
    arguments = parser.parse_args()
    os.environ[VARIABLE] = str(arguments.input_mb)
    limit = input_limit()
    most = memory_limit(limit) >> 20
    print(
        "| format | filler | file, MB | mentions | seconds | peak, MiB |",
        "|---|---|---|---|---|---|",
        sep="\n",
    )
    worst = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.formats:
            for filler in arguments.fillers:
                text, mentions = FILLERS[filler]
                file = Path(scratch) / "file"
                file.write_bytes(largest(name, text, mentions, limit))
                began = time.perf_counter()
                words = [sys.executable, "-c", READ, f"{name}:{file}"]
                done = subprocess.run(words, capture_output=True, text=True, check=False)
                seconds = time.perf_counter() - began
                if done.returncode:
                    print(f"| {name} | {filler} | | | | {done.stderr.strip()[-200:]} |", flush=True)
                    worst = 1
                    continue
                _, count, peak = map(int, done.stdout.split())
                worst |= int(peak > most)
                size = file.stat().st_size >> 20
                print(f"| {name} | {filler} | {size} | {count:,} | {seconds:.0f} | {peak:,} |", flush=True)
    print(f"admitted: {most:,} MiB", file=sys.stderr)
    return worst


if __name__ == "__main__":
    sys.exit(main())
