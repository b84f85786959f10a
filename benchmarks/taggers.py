"""Speed of the bundled taggers, and time, memory and scores of `pos`.

    python benchmarks/taggers.py --bc2gm DIR             # DIR holds train/ and test/
    python benchmarks/taggers.py --bc2gm DIR --train     # trains pos, and scores it on test

The dictionary's terms are the surface forms of the training mentions. Whole processes are timed, start of
Python included. Figures go to standard output as a table.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tagsuite.harness.running.bundled import BUNDLED
from tagsuite.sentences.formats import read_corpus
from tagsuite.sentences.scene import surface_forms


def timed(command: list[str], given: Path) -> float:
    """Seconds of one process that reads a file."""
    begun = time.perf_counter()
    with given.open("rb") as stream:
        subprocess.run(command, stdin=stream, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def speed(texts: list[str], scratch: Path, terms: list[str], model: Path | None) -> None:
    """Sentences a second of each tagger that can run."""
    (scratch / "lines").write_text("".join(f"{t}\n" for t in texts), encoding="utf-8")
    (scratch / "numbered").write_text("".join(f"{i}\t{t}\n" for i, t in enumerate(texts)), encoding="utf-8")
    (scratch / "terms").write_text("".join(f"{t}\n" for t in terms), encoding="utf-8")
    runs = {
        "kex": (["kex/kex.py"], "lines"),
        "yapex": (["yapex"], "numbered"),
        "dictionary": (["dictionary/dictionary.py", "--terms", str(scratch / "terms")], "lines"),
    }
    if model is not None:
        runs["pos"] = (["pos", "tag", "--model", str(model)], "lines")
    for name, (command, given) in runs.items():
        seconds = timed([sys.executable, "-I", str(BUNDLED / command[0]), *command[1:]], scratch / given)
        print(f"{name}\t{len(texts)} sentences\t{seconds:.2f} s\t{len(texts) / seconds:,.0f} a second")


def train(corpus: str, model: Path) -> None:
    """Train `pos`, and print the time and the memory of the whole."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "tagsuite", "taggers", "train", "pos"]
    subprocess.run([*command, "--corpus", corpus, "--out", str(model)], check=True)
    seconds = time.perf_counter() - begun
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"train\t{seconds:.1f} s\t{used.ru_utime:.1f} s of a core\t{used.ru_maxrss // 1024} MB")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description="Speed of the bundled taggers, and what pos reaches.")
    parser.add_argument("--bc2gm", type=Path, required=True, help="the folder with train/ and test/")
    parser.add_argument("--train", action="store_true", help="train pos as well, and score it")
    asked = parser.parse_args()
    learnt = read_corpus(f"bc2gm:{asked.bc2gm / 'train'}")
    terms = sorted(set(surface_forms(learnt.texts, learnt.mentions)))
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        model = scratch / "model" if asked.train else None
        if model is not None:
            train(f"bc2gm:{asked.bc2gm / 'train'}", model)
        speed(learnt.texts["text"].tolist(), scratch, terms, model)
        if model is None:
            return
        start = [sys.executable, "-m", "tagsuite"]
        test = f"bc2gm:{asked.bc2gm / 'test'}"
        run = [*start, "run", test, "--tagger", "pos", "--option", f"model={model}", "--quiet", "--no-cache"]
        subprocess.run([*run, "--out", str(scratch / "run")], check=True)
        for alternatives in ("none", "published"):
            score = [*start, "score", str(scratch / "run"), "--notion", "strict"]
            subprocess.run([*score, "--alternatives", alternatives], check=True)


if __name__ == "__main__":
    main()
