"""`tagsuite taggers train`: start a tagger's own training program on any annotated corpus."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ...catalogues.core.errors import InputError, TagsuiteError
from .specification import find, read_specification
from .tagger import check_program, expand_all, fill_options


class TrainingError(TagsuiteError):
    """Raised when a training program ends with an exit code that is no success."""


def train(tagger: str, corpus: str, out: Path, options: Mapping[str, str]) -> None:
    """Write a corpus where a tagger's `[train]` command finds it, and start the command.

    The corpus is given as CoNLL (``{corpus}``) and as lines with inline tags (``{corpus_sgml}``); the command
    writes ``{model}``. What it prints goes to standard error.

    Raises
    ------
    InputError
        A tagger that cannot be trained, a bad corpus, an output that exists.
    TrainingError
        The program failed.
    """
    from ...sentences.formats import read_corpus, write_corpus

    path = find(tagger)
    spec = read_specification(path)
    if spec.train is None:
        raise InputError(
            f"the tagger {spec.name} cannot be trained: its specification has no [train]", file=path
        )
    if out.exists():
        raise InputError("the model exists already", file=out, allowed="a new name")
    # a model that is yet to be trained cannot be demanded
    values = fill_options(spec, path, options, complete=False)
    read = read_corpus(corpus)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tagsuite-train-") as scratch:
        places = {
            "python": sys.executable,
            "here": str(path.resolve().parent),
            "work": scratch,
            "corpus": str(Path(scratch) / "corpus.conll"),
            "corpus_sgml": str(Path(scratch) / "corpus.sgml"),
            "model": str(out.resolve()),
        }
        wanted = " ".join(spec.train.command)
        if "{corpus}" in wanted:
            write_corpus(read, f"conll:{places['corpus']}")
        if "{corpus_sgml}" in wanted:
            write_corpus(read, f"sgml:{places['corpus_sgml']}")
        command = expand_all(spec.train.command, places, values, spec.options, path)
        check_program(spec, command[0], path)
        done = subprocess.run(
            command, stdout=sys.stderr.fileno(), stdin=subprocess.DEVNULL, env=os.environ, check=False
        )
    if done.returncode not in spec.success:
        raise TrainingError(f"the training program of {spec.name} ended with exit code {done.returncode}")
    if not out.exists():
        raise TrainingError(f"the training program of {spec.name} said success and wrote no {out}")
