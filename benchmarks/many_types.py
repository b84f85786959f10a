"""Measure time and memory of `run`, `score` and `report` with very many entity types.

    python benchmarks/many_types.py                # 100,000 types, one mention each
    python benchmarks/many_types.py --types 10000

Each step is a separate process, so that its peak of resident memory is its own. Each must end with exit
status 0, or 3 if some output was not used.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from measuring import options_of, tagsuite, taken

TAGGER = r"""
import sys
for line in sys.stdin:
    name, text = line.rstrip("\n").split("\t", 1)
    # a text's number is in its words
    print(name, 0, 4, "type" + text.split()[2], sep="\t")
"""
SPECIFICATION = """format = 1
name = "many-types"
command = ["{{python}}", "-I", "-S", "{program}"]
[input]
form = "numbered"
[output]
form = "offsets"
columns = ["id", "start", "end", "type"]
[limits]
batch = 600
"""


def made(folder: Path, types: int) -> None:
    """Write a corpus with one text and one mention per type, and a tagger that finds the mentions."""
    lines = (
        f'{{"text_id":"{i}","text":"gene number {i} binds.","mentions":'
        f'[{{"id":{i},"start":0,"end":4,"type":"type{i}"}}]}}\n'
        for i in range(types)
    )
    (folder / "corpus.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "tagger.py").write_text(TAGGER, encoding="utf-8")
    (folder / "tagger.toml").write_text(SPECIFICATION.format(program=folder / "tagger.py"), encoding="utf-8")


def main() -> None:
    """Run all steps and print a table."""
    parser = options_of(__doc__)
    parser.add_argument("--types", type=int, default=100_000)
    types = parser.parse_args().types
    print("| step | status | seconds | processor | peak, MiB |", "|---|---|---|---|---|", sep="\n")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made(folder, types)
        run = str(folder / "run")
        corpus, tagger = f"jsonl:{folder / 'corpus.jsonl'}", str(folder / "tagger.toml")
        steps = {
            "run": ["run", corpus, "--tagger", tagger, "--out", run],
            "score, one notion": ["score", run, "--notion", "strict", "--format", "csv"],
            "score, six notions": ["score", run, "--format", "csv"],
            "report": ["report", run, "--out", str(folder / "report.html")],
        }
        for name, words in steps.items():
            took = taken(tagsuite(*words), allowed=(0, 3))
            print(
                f"| {name} | {took.status} | {took.clock:.1f} | {took.processor:.1f} | {took.peak:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
