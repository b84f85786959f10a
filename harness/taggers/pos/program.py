"""Trainable sequence tagger, based on a conditional random field over tokens.

This is a stand-alone program. The command ``train`` trains a model on lines with inline tags. The command
``tag`` reads one sentence per line from standard input and writes the same lines with inline tags around
mentions. The program needs the Python standard library and python-crfsuite.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from . import model
from .features import sentence
from .repair import repair
from .tokens import Span, decode, encode, read_tagged, tokenise, write_tagged

VERSION = "1.0"


def train(corpus: Path, out: Path, *, algorithm: str, iterations: int) -> str:
    """Train a model on lines with inline tags, write it, and return a summary as text.

    Raises
    ------
    ValueError
        If an opening or closing tag is missing in a line, or the corpus has no mentions.
    """
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    trainer.set_params(PARAMETERS[algorithm] | {"max_iterations": iterations})
    types: Counter[str] = Counter()
    count = 0
    with corpus.open(encoding="utf-8", newline="\n") as stream:
        for number, line in enumerate(stream, 1):
            try:
                text, spans = read_tagged(line.rstrip("\n"))
            except ValueError as error:
                raise ValueError(f"{corpus}, line {number}: {error}") from None
            places = tokenise(text)
            if places:
                trainer.append(sentence(text, places), encode(places, spans))
                count += 1
                types.update(span.type for span in spans)
    if not types:
        raise ValueError(f"{corpus} has no mentions to learn from")
    with tempfile.TemporaryDirectory(prefix="pos-") as scratch:
        file = Path(scratch) / "model"
        trainer.train(str(file))
        crf = file.read_bytes()
    about = {
        "algorithm": algorithm,
        "iterations": iterations,
        "sentences": count,
        "types": dict(sorted(types.items())),
        "version": VERSION,
    }
    unfinished = out.with_name(f".{out.name}.{os.getpid()}")
    model.save(unfinished, crf, about)
    unfinished.replace(out)
    return f"pos: {count} sentences, {sum(types.values())} mentions -> {out}"


PARAMETERS: dict[str, dict[str, object]] = {
    "ap": {},
    "lbfgs": {"c2": 1.0, "feature.possible_transitions": True},
}


class Tagger:
    """Trained model that finds mentions.

    Parameters
    ----------
    path : Path
        Model file that `train` wrote.
    mend : bool
        True if brackets and abbreviations are corrected.
    """

    def __init__(self, path: Path, *, mend: bool = True) -> None:
        import pycrfsuite

        # the CRF reads these bytes in place but keeps no reference to them
        self.content, self.about = model.load(path)
        self.crf = pycrfsuite.Tagger()
        self.crf.open_inmemory(self.content)
        self.mend = mend

    def mentions(self, text: str) -> list[Span]:
        """Return the mentions that the model finds in a sentence."""
        places = tokenise(text)
        if not places:
            return []
        spans = decode(places, self.crf.tag(sentence(text, places)))
        return repair(text, spans) if self.mend else spans


def tag(path: Path, *, mend: bool) -> None:
    """Tag the sentences on standard input."""
    tagger = Tagger(path, mend=mend)
    stdin = open(0, encoding="utf-8", newline="\n")  # noqa: SIM115 - standard input is no path
    out = open(1, "w", encoding="utf-8", newline="\n", closefd=False)  # noqa: SIM115
    for line in stdin:
        text = line.rstrip("\n")
        out.write(write_tagged(text, tagger.mentions(text)) + "\n")
    out.flush()


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="pos", description="Train a CRF, or tag mentions with it.")
    parser.add_argument("--version", action="version", version=f"pos {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True)
    learn = commands.add_parser("train", help="train a model")
    learn.add_argument("--corpus", type=Path, required=True, help="training corpus: lines with inline tags")
    learn.add_argument("--model", type=Path, required=True, help="model file to write")
    learn.add_argument("--algorithm", choices=sorted(PARAMETERS), default="ap")
    learn.add_argument("--iterations", type=int, default=10)
    mark = commands.add_parser("tag", help="tag standard input")
    mark.add_argument("--model", type=Path, required=True, help="model file")
    mark.add_argument("--raw", action="store_true", help="do not correct brackets and abbreviations")
    return parser.parse_args()


def main() -> None:
    """Train a model or tag standard input."""
    options = arguments()
    try:
        if options.command == "train":
            summary = train(
                options.corpus, options.model, algorithm=options.algorithm, iterations=options.iterations
            )
            print(summary, file=sys.stderr)
        else:
            tag(options.model, mend=not options.raw)
    except ImportError:
        sys.exit("pos: python-crfsuite is not installed: pip install 'tagsuite[crf]'")
    except (ValueError, OSError, model.ModelError) as error:
        sys.exit(f"pos: {error}")
