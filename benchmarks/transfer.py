"""What default suites say of corpora: class recall and differences between taggers, raw and standardised.

    python benchmarks/transfer.py --data DIR --cache DIR     # DIR: bc2gm/, jnlpba/ as ../shared/data has them

Two default suites of 3,000 cases and four taggers: kex, yapex, pos trained on bc2gm/train, and pos trained on
jnlpba/train. Targets are bc2gm/test and jnlpba/test (its proteins, DNA and RNA); the composition is that of
the training part of the corpus of the other origin, so that nothing of a target but the truth is looked at.
Suites, models and runs are kept in the cache folder and made once; delete it to begin anew.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pandas as pd
from tagsuite.sentences.corpus import Corpus
from tagsuite.sentences.formats import read_corpus, write_corpus

SEEDS = (11, 12)
SIZE = 3000
GENES = ("protein", "DNA", "RNA")
"""The types of the JNLPBA corpus that are genes and their products; cells are not."""
BREAK = re.compile(r"(?<=[.?!])\s+(?=[A-Z])|\n")
TAGGERS = {"kex": "kex", "yapex": "yapex", "pos-bc2gm": "pos", "pos-jnlpba": "pos"}


def tagsuite(*words: str) -> None:
    """Run a command of the command line."""
    subprocess.run([sys.executable, "-m", "tagsuite", *words], check=True, stdout=subprocess.DEVNULL)


def genes_only(corpus: Corpus) -> Corpus:
    """A corpus with mentions of genes and their products alone, all of one type."""
    kept = corpus.mentions[corpus.mentions["type"].isin(GENES)].reset_index(drop=True)
    return corpus.with_mentions(kept.assign(type="gp"))


def jnlpba_test(source: Path) -> Corpus:
    """The test part, whose abstracts begin with a line of their own."""
    lines, document = [], ""
    begun = False
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("###MEDLINE:"):
            document, begun = line.partition(":")[2], False
        elif line.strip():
            if not begun:
                lines += [f"# text_id = {len(lines)}", f"# document_id = {document}"]
            begun = True
            lines.append(line)
        else:
            begun = False
            lines.append("")
    copy = source_copy("\n".join(lines) + "\n")
    return genes_only(read_corpus(f"conll:{copy}"))


def source_copy(content: str) -> Path:
    """A text in a temporary file."""
    import tempfile

    folder = Path(tempfile.mkdtemp())
    (folder / "corpus.conll").write_text(content, encoding="utf-8")
    return folder / "corpus.conll"


def jnlpba_train(source: Path) -> Corpus:
    """The training part, a sentence a text."""
    import tempfile

    folder = Path(tempfile.mkdtemp())
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    whole = genes_only(read_corpus(f"brat:{folder}"))
    shutil.rmtree(folder)
    texts, mentions = [], []
    spans = zip(*(whole.mentions[c] for c in ("text_id", "start", "end")), strict=True)
    of_text: dict[str, list[tuple[int, int]]] = {}
    for name, start, end in spans:
        of_text.setdefault(name, []).append((start, end))
    for document, text in zip(whole.texts["text_id"], whole.texts["text"], strict=True):
        pairs = of_text.get(document, [])
        cuts = [m.span() for m in BREAK.finditer(text)]
        cuts = [c for c in cuts if not any(s < c[1] and c[0] < e for s, e in pairs)]
        begins = [0, *(c[1] for c in cuts)]
        ends = [*(c[0] for c in cuts), len(text)]
        for number, (low, high) in enumerate(zip(begins, ends, strict=True)):
            if not text[low:high].strip():
                continue
            name = f"{document}.{number}"
            texts.append((name, str(document), text[low:high]))
            mentions += [(name, s - low, e - low) for s, e in pairs if low <= s and e <= high]
    frame = pd.DataFrame(mentions, columns=["text_id", "start", "end"])
    frame = frame.assign(mention_id=range(len(frame)), side="gold", type="gp", score=float("nan"))
    return Corpus(
        "jnlpba-train",
        pd.DataFrame(texts, columns=["text_id", "document_id", "text"]).astype("str"),
        frame[["mention_id", "text_id", "side", "start", "end", "type", "score"]],
    )


def prepare(data: Path, cache: Path) -> None:
    """Corpora, suites, models and runs, where they are not there yet."""
    cache.mkdir(parents=True, exist_ok=True)
    readers = {
        "bc2gm-train": lambda: read_corpus(f"bc2gm:{data / 'bc2gm/train'}"),
        "bc2gm-test": lambda: read_corpus(f"bc2gm:{data / 'bc2gm/test'}"),
        "jnlpba-train": lambda: jnlpba_train(data / "jnlpba/train_standoff.tar.gz"),
        "jnlpba-test": lambda: jnlpba_test(data / "jnlpba/Genia4EReval2.iob2"),
    }
    for name, read in readers.items():
        if not (cache / f"{name}.jsonl").exists():
            write_corpus(read(), f"jsonl:{cache / name}.jsonl")
    for seed in SEEDS:
        if not (cache / f"suite-{seed}").exists():
            draw = ["--combine", "sample", "--size", str(SIZE), "--seed", str(seed)]
            tagsuite("generate", *draw, "--out", str(cache / f"suite-{seed}"))
    for origin in ("bc2gm", "jnlpba"):
        if not (cache / f"pos-{origin}.model").exists():
            learnt = ["--corpus", f"jsonl:{cache / origin}-train.jsonl"]
            tagsuite("taggers", "train", "pos", *learnt, "--out", str(cache / f"pos-{origin}.model"))
    for name in ("bc2gm-test", "jnlpba-test", *(f"suite-{s}" for s in SEEDS)):
        place = str(cache / name) if name.startswith("suite") else f"jsonl:{cache / name}.jsonl"
        for tagger, program in TAGGERS.items():
            out = cache / f"{tagger}--{name}"
            if not out.exists():
                model = ["--option", f"model={cache / tagger}.model"] if program == "pos" else []
                options = [*model, "--quiet", "--no-cache", "--out", str(out)]
                tagsuite("run", place, "--tagger", program, *options)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/transfer"))
    given = parser.parse_args()
    prepare(given.data, given.cache)


if __name__ == "__main__":
    main()
