"""Measure the overhead of `tagsuite run` compared with a plain pipe ``tagger < raw > out``.

    python benchmarks/run.py                       # 100,000 sentences, one job
    python benchmarks/run.py --sentences 1000000   # 1,000,000
    python benchmarks/run.py --bundled             # with the bundled dictionary tagger
    python benchmarks/run.py --jobs                # one job and two jobs, with a slower tagger
    python benchmarks/run.py --persistent          # request and answer

Complete processes are timed, start of Python included. Each figure is the best of `--repeat` runs, which
alternate (`median_overhead` is the median ratio). Processor time (user and system, all processes) is printed
too; it is more reliable than wall-clock time on a busy machine, but larger when the harness parses while the
tagger is working. Sentences are random; the tagger is a fast dictionary lookup of a few thousand terms.
"""

from __future__ import annotations

import json
import os
import platform
import random
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from measuring import Taken, options_of, tagsuite, taken

TAGGER = r"""
import re, sys
terms = set(open(sys.argv[1], encoding="utf-8").read().split())
work = int(sys.argv[2])
word = re.compile(r"[A-Za-z0-9α-ω-]+")
def mark(m):
    w = m[0]
    return "<gp>" + w + "</gp>" if w in terms else w
live = len(sys.argv) > 3
out = open(1, "w", encoding="utf-8", newline="\n")
for line in open(0, encoding="utf-8", newline="\n"):
    for _ in range(work):
        word.sub(mark, line)
    out.write(word.sub(mark, line))
    if live:
        out.flush()
out.flush()
"""

SPECIFICATION = """format = 1
name = "fast"
version = "1"
command = ["{{python}}", "-I", "-S", "{{here}}/tagger.py", "{{here}}/terms.txt", "{work}"{live}]
mode = "{mode}"
[output]
form = "sgml"
tags = ["gp"]
"""


WORDS = """the of in and we found that expression was higher than levels from cells mice treated with for
after binding to domain promoter region complex phosphorylation activated by inhibits (p < 0.05) α-subunit β
human rat"""


def material(folder: Path, count: int) -> Path:
    """Write a term list and a suite of random sentences of about 25 words, two of them terms."""
    draw = random.Random(1)
    terms = [f"{''.join(draw.choices('ABCDEFGHKLMNPRSTW', k=3))}{draw.randint(1, 99)}" for _ in range(4000)]
    (folder / "terms.txt").write_text("\n".join(terms) + "\n", encoding="utf-8")
    words = WORDS.split()
    sentences = []
    for _ in range(count):
        sentence = draw.choices(words, k=23)
        for _ in range(2):
            sentence.insert(draw.randrange(len(sentence)), draw.choice(terms))
        sentences.append(" ".join(sentence) + ".")
    suite = folder / "suite"
    suite.mkdir()
    (suite / "raw.txt").write_text("".join(s + "\n" for s in sentences), encoding="utf-8")
    (suite / "suite.toml").write_text('format = 1\n[suite]\nname = "made up"\n', encoding="utf-8")
    pq.write_table(pa.table({"case_id": range(count), "text": sentences}), suite / "cases.parquet")
    return suite


def main() -> None:
    """Run the measurements and print one JSON object."""
    parser = options_of(__doc__)
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--bundled", action="store_true", help="use the bundled dictionary tagger")
    parser.add_argument("--jobs", action="store_true", help="compare one and two jobs, with a slower tagger")
    parser.add_argument("--persistent", action="store_true", help="use one process with request and answer")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        suite = material(folder, arguments.sentences)
        (folder / "tagger.py").write_text(TAGGER, encoding="utf-8")
        work = 16 if arguments.jobs else 0
        live = arguments.persistent
        spec = folder / "fast.toml"
        mode = "persistent" if live else "batch"
        spec.write_text(
            SPECIFICATION.format(work=work, mode=mode, live=', "live"' if live else ""), encoding="utf-8"
        )
        terms = str(folder / "terms.txt")
        bare = [sys.executable, "-I", "-S", str(folder / "tagger.py"), terms, str(work)]
        chosen = ["--tagger", str(spec)]
        if arguments.bundled:
            program = Path(__file__).parents[1] / "harness" / "taggers" / "dictionary" / "dictionary.py"
            bare = [sys.executable, "-I", str(program), "--terms", terms]
            chosen = ["--tagger", "dictionary", "--option", f"terms={terms}"]
        times: dict[str, list[Taken]] = {"bare": [], "1": [], "2": []}
        for _ in range(arguments.repeat):
            times["bare"].append(taken(bare, given=suite / "raw.txt", to=folder / "out.sgml"))
            for jobs in ("1", "2") if arguments.jobs else ("1",):
                out = folder / "run"
                shutil.rmtree(out, ignore_errors=True)
                command = tagsuite("run", suite, *chosen, "--out", out, "--jobs", jobs)
                times[jobs].append(taken([*command, "--no-cache", "--quiet"]))
        best = {name: round(min(one.clock for one in t), 3) for name, t in times.items() if t}
        cpu = {name: round(min(one.processor for one in t), 3) for name, t in times.items() if t}
        result = {
            "sentences": arguments.sentences,
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "tagger_sentences_per_second": round(arguments.sentences / best["bare"]),
            "seconds": best,
            "overhead": round(best["1"] / best["bare"], 3),
            "median_overhead": round(
                statistics.median(
                    ours.clock / bare.clock for ours, bare in zip(times["1"], times["bare"], strict=True)
                ),
                3,
            ),
            "processor_seconds": cpu,
            "processor_overhead": round(cpu["1"] / cpu["bare"], 3),
        }
        if arguments.jobs:
            result["speed_up_of_two_jobs"] = round(best["1"] / best["2"], 3)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
