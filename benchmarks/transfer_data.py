"""Corpora, suites, taggers and runs of the benchmarks of transfer; kept in a cache folder."""

from __future__ import annotations

import csv
import gzip
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from functools import cache as cached
from pathlib import Path

import numpy as np
import pandas as pd
from measuring import tagsuite, taken
from numpy.typing import NDArray

from tagsuite.harness.scoring.classes import Class, read_classes
from tagsuite.harness.scoring.options import ScoringOptions
from tagsuite.harness.scoring.score_runs import score_runs
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.transfer.composition import Composition, make_composition
from tagsuite.sentences.corpus import Corpus
from tagsuite.sentences.formats import read_corpus, write_corpus

SUITES = ("11", "12", "13", "14", "15")
"""Random seeds of the default suites."""
CONSTRUCTED = "constructed"
"""Name of a further suite, without sentences from corpora."""
SIZE = 3000
GENES = ("protein", "DNA", "RNA")
"""Types of genes and gene products in the JNLPBA corpus, which also has types of cells."""
BREAK = re.compile(r"(?<=[.?!])\s+(?=[A-Z])|\n")
OTHER = {"bc2gm": "jnlpba", "jnlpba": "bc2gm"}
"""Public corpus that the user has, by target."""
LISTS = Path(__file__).with_name("transfer_classes")
"""Folder with the fixed list of classes of each target."""
LEAST = 40
"""Minimum number of mentions in a class, and outside it."""
OPTIONS = ScoringOptions(notions=("strict",), ignore_types=True)
TAGGERS = {
    "kex": "kex",
    "yapex": "yapex",
    "dictionary": "dictionary",
    "pos-bc2gm": "pos",
    "pos-jnlpba": "pos",
}
HGNC_COLUMNS = ("symbol", "name", "alias_symbol", "alias_name", "prev_symbol", "prev_name")


def genes_only(corpus: Corpus) -> Corpus:
    """Return a corpus with only the mentions of genes and gene products, all with one type."""
    kept = corpus.mentions[corpus.mentions["type"].isin(GENES)].reset_index(drop=True)
    return corpus.with_mentions(kept.assign(type="gp"))


def jnlpba_test(source: Path) -> Corpus:
    """Return the test part of JNLPBA, whose abstracts begin with a separate line."""
    lines: list[str] = []
    document = ""
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
    """Yield the path of a temporary file with a text."""
    folder = Path(tempfile.mkdtemp())
    (folder / "corpus.conll").write_text(content, encoding="utf-8")
    return folder / "corpus.conll"


def jnlpba_train(source: Path) -> Corpus:
    """Return the training part of JNLPBA, one sentence per text."""
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


def write_dictionary(source: Path, path: Path) -> None:
    """Write the symbols and names of HGNC with at least three characters, one per line."""
    with gzip.open(source, "rt", encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        fields = {part.strip() for row in rows for c in HGNC_COLUMNS for part in row[c].split("|")}
    path.write_text("\n".join(sorted(f for f in fields if len(f) > 2)) + "\n", encoding="utf-8")


def options_of_tagger(tagger: str, cache: Path) -> list[str]:
    """Return the options with which a tagger is run."""
    if TAGGERS[tagger] == "pos":
        return ["--option", f"model={cache / tagger}.model"]
    if tagger == "dictionary":
        return ["--option", f"terms={cache / 'hgnc.txt'}", "--option", "shortest=3"]
    return []


def prepare(data: Path, cache: Path, parts: tuple[str, ...] = ("test",)) -> None:
    """Make the corpora, suites, models and runs that do not yet exist."""
    cache.mkdir(parents=True, exist_ok=True)
    readers: dict[str, Callable[[], Corpus]] = {
        "bc2gm-train": lambda: read_corpus(f"bc2gm:{data / 'bc2gm/train'}"),
        "bc2gm-test": lambda: read_corpus(f"bc2gm:{data / 'bc2gm/test'}"),
        "jnlpba-train": lambda: jnlpba_train(data / "jnlpba/train_standoff.tar.gz"),
        "jnlpba-test": lambda: jnlpba_test(data / "jnlpba/Genia4EReval2.iob2"),
    }
    for name, read in readers.items():
        if not (cache / f"{name}.jsonl").exists():
            write_corpus(read(), f"jsonl:{cache / name}.jsonl")
    if not (cache / "hgnc.txt").exists():
        write_dictionary(data / "hgnc/hgnc_complete_set_2024-10-17.txt.gz", cache / "hgnc.txt")
    for suite in (*SUITES, CONSTRUCTED):
        if not (cache / f"suite-{suite}").exists():
            seed = suite if suite in SUITES else SUITES[0]
            draw = ["--combine", "sample", "--size", str(SIZE), "--seed", seed]
            if suite == CONSTRUCTED:
                draw += ["--contexts", "context.source_type = invention"]
            taken(tagsuite("generate", *draw, "--out", str(cache / f"suite-{suite}")))
    for origin in OTHER:
        if not (cache / f"pos-{origin}.model").exists():
            learnt = ["--corpus", f"jsonl:{cache / origin}-train.jsonl"]
            taken(tagsuite("taggers", "train", "pos", *learnt, "--out", str(cache / f"pos-{origin}.model")))
    inputs = {f"suite-{s}": str(cache / f"suite-{s}") for s in (*SUITES, CONSTRUCTED)}
    inputs |= {f"{o}-{p}": f"jsonl:{cache / o}-{p}.jsonl" for o in OTHER for p in {"test", *parts}}
    for name, place in inputs.items():
        for tagger, program in TAGGERS.items():
            out = cache / f"{tagger}--{name}"
            if not out.exists():
                options = [*options_of_tagger(tagger, cache), "--quiet", "--no-cache", "--out", str(out)]
                taken(tagsuite("run", place, "--tagger", program, *options))


@cached
def scored(cache: Path, tagger: str, name: str, origin: str = "") -> Scores:
    """Return the scores of a run under the strict notion, with the classes of a target."""
    return score_runs([cache / f"{tagger}--{name}"], OPTIONS, classes=listed(origin) if origin else [])[0]


@cached
def composed(cache: Path, name: str) -> Composition:
    """Return the composition of a corpus."""
    return make_composition(read_corpus(f"jsonl:{cache / name}.jsonl"))


@cached
def listed(origin: str) -> list[Class]:
    """Return the fixed list of classes of a target."""
    return read_classes(LISTS / f"{origin}.toml")


def usable(over: Composition, origin: str) -> list[int]:
    """Return the positions of the classes with 40 to n - 40 mentions, without those that select the same."""
    kept: dict[bytes, int] = {}
    for position, c in enumerate(listed(origin)):
        mask = np.asarray(c.query.evaluate(over.frame), dtype=bool)
        size = over.weights[mask].sum()
        if LEAST <= size <= over.mention_count - LEAST:
            kept.setdefault(mask.tobytes(), position)
    return sorted(kept.values())


def recalls(scores: Scores, names: list[str]) -> NDArray[np.float64]:
    """Return the recall of each class."""
    return scores.wilson_table.set_index("class").loc[names, "recall"].to_numpy(dtype=float)


def kind_of(tagger: str, origin: str) -> str:
    """Return which corpus the tagger was trained on: ``neither``, the ``target`` or the ``public`` one."""
    home = tagger.removeprefix("pos-")
    return "neither" if home not in OTHER else "target" if home == origin else "public"
