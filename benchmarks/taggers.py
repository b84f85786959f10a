"""Measure the speed of the bundled taggers, and the time, memory and scores of `pos`.

    python benchmarks/taggers.py --bc2gm DIR             # DIR contains train/ and test/
    python benchmarks/taggers.py --bc2gm DIR --train     # train pos and score it on test

The terms of the dictionary are the surface forms of the training mentions. Complete processes are timed,
start of Python included. Figures are printed as a table.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import options_of, tagsuite, taken

from tagsuite.harness.running.specification import BUNDLED_FOLDER
from tagsuite.sentences.annotated_texts import get_surface_forms
from tagsuite.sentences.formats import read_corpus


def speed(texts: list[str], scratch: Path, terms: list[str], model: Path | None) -> None:
    """Print the sentences per second of each tagger that can run."""
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
        words = [sys.executable, "-I", str(BUNDLED_FOLDER / command[0]), *command[1:]]
        seconds = taken(words, given=scratch / given).clock
        print(f"{name}\t{len(texts)} sentences\t{seconds:.2f} s\t{len(texts) / seconds:,.0f} per second")


def train(corpus: str, model: Path) -> None:
    """Train `pos` and print time and memory."""
    took = taken(tagsuite("taggers", "train", "pos", "--corpus", corpus, "--out", model))
    print(f"train\t{took.clock:.1f} s\t{took.processor:.1f} s processor\t{took.peak:.0f} MB")


def main() -> None:
    """Run the measurements."""
    parser = options_of(__doc__)
    parser.add_argument("--bc2gm", type=Path, required=True, help="folder with train/ and test/")
    parser.add_argument("--train", action="store_true", help="train and score pos too")
    asked = parser.parse_args()
    learnt = read_corpus(f"bc2gm:{asked.bc2gm / 'train'}")
    terms = sorted(set(get_surface_forms(learnt.texts, learnt.mentions)))
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        model = scratch / "model" if asked.train else None
        if model is not None:
            train(f"bc2gm:{asked.bc2gm / 'train'}", model)
        speed(learnt.texts["text"].tolist(), scratch, terms, model)
        if model is None:
            return
        run, test = scratch / "run", f"bc2gm:{asked.bc2gm / 'test'}"
        words = ["--tagger", "pos", "--option", f"model={model}", "--quiet", "--no-cache"]
        subprocess.run(tagsuite("run", test, *words, "--out", run), check=True)
        for alternatives in ("none", "published"):
            words = ["--notion", "strict", "--alternatives", alternatives]
            subprocess.run(tagsuite("score", run, *words), check=True)


if __name__ == "__main__":
    main()
