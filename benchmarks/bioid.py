"""Measure time and memory of `tagsuite evaluate bioid` on synthetic corpora, one of them ten times larger.

    python benchmarks/bioid.py [--factor 1 10] [--seed 7]

Factor 1 is the size of BioID. Each size runs in a separate process. Prints wall-clock seconds and peak
memory, reading included.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from measuring import options_of, tagsuite, taken

DOCUMENTS, CAPTIONS, ANNOTATIONS = 200, 4_500, 30_000
WORDS = [
    "staining",
    "of",
    "cells",
    "treated",
    "with",
    "5 µM",
    "shown",
    "in",
    "panel",
    "β-band",
    "after",
    "37 °C",
]
KINDS = [
    ("Uniprot:P{}", 4000),
    ("NCBI gene:{}", 4000),
    ("CHEBI:{}", 800),
    ("GO:{:07d}", 300),
    ("CVCL_{:04d}", 100),
    ("Uberon:UBERON:{:07d}", 120),
    ("NCBI taxon:{}", 40),
    ("protein:{}", 500),
]


def write(folder: Path, captions: list[tuple[int, list[str], list[tuple[int, str]]]]) -> None:
    """Write one file per document; an annotation is a word of its caption (by number) with a type."""
    by_document: dict[int, list[str]] = {}
    for number, (document, words, marks) in enumerate(captions):
        starts = np.concatenate(([0], np.cumsum([len(w.encode()) + 1 for w in words])))
        parts = [
            f'<annotation id="{i}"><infon key="type">{escape(kind)}</infon>'
            f'<location offset="{starts[word]}" length="{len(words[word].encode())}"/>'
            f"<text>{escape(words[word])}</text></annotation>"
            for i, (word, kind) in enumerate(marks)
        ]
        figure = quoteattr("figure")
        by_document.setdefault(document, []).append(
            f'<document><id>{document} {number}</id><infon key="pmc_id">{document}</infon>'
            f"<infon key={figure}>Figure {number}</infon><passage><offset>0</offset>"
            f"<text>{escape(' '.join(words))}</text>{''.join(parts)}</passage></document>"
        )
    folder.mkdir(parents=True)
    for document, bodies in by_document.items():
        text = f"<?xml version='1.0' encoding='UTF-8'?><collection>{''.join(bodies)}</collection>"
        (folder / f"{document}.xml").write_text(text, encoding="utf-8")


def make(root: Path, factor: int, seed: int) -> None:
    """Write `gold` and `run`; in the run, annotations are missed, moved, relabelled and invented."""
    rng = np.random.default_rng(seed)
    gold, run = [], []
    counts = rng.multinomial(ANNOTATIONS * factor, np.ones(CAPTIONS * factor) / (CAPTIONS * factor))
    for number, count in enumerate(counts):
        names = [f"Gene{rng.integers(5000)}-α" for _ in range(count + 2)]
        words, places = [], []
        for name in names:
            words += [str(w) for w in rng.choice(WORDS, rng.integers(3, 12))]
            places.append(len(words))
            words.append(name)
        kinds = []
        for _ in names:
            form, size = KINDS[rng.integers(len(KINDS))]
            kinds.append(form.format(rng.integers(size)))
        document = 9_000_000 + number * DOCUMENTS // CAPTIONS
        gold.append((document, words, list(zip(places[:count], kinds[:count], strict=True))))
        marks = []
        for i, (place, kind) in enumerate(zip(places, kinds, strict=True)):
            luck = rng.random()
            if (i >= count and luck < 0.9) or luck < 0.15:
                continue  # most annotations without gold counterpart, and some others, are absent
            if luck < 0.25:
                kind = "cell:x"
            elif luck < 0.4:
                kind = f"Uniprot:P{rng.integers(4000)}"
            marks.append((place + (luck > 0.95), kind))
        marks = [(place, kind) for place, kind in marks if place < len(words)]
        run.append((document, words, marks))
    write(root / "gold", gold)
    write(root / "run", run)


def main() -> None:
    """Make the corpora, evaluate each once, and print one line per corpus."""
    options = options_of(__doc__)
    options.add_argument("--factor", type=int, nargs="+", default=[1, 10])
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    print("documents  captions  annotations  seconds  CPU seconds  peak MiB")
    for factor in given.factor:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            make(root, factor, given.seed)
            words = ("evaluate", "bioid", "gold", "x:run", "--out", "out", "--no-progress")
            took = taken(tagsuite(*words), cwd=root)
            sizes = DOCUMENTS * factor, CAPTIONS * factor, ANNOTATIONS * factor
            print(
                "{:9,}  {:8,}  {:11,}  {:7.2f}  {:11.2f}  {:8.0f}".format(
                    *sizes, took.clock, took.processor, took.peak
                )
            )


if __name__ == "__main__":
    main()
