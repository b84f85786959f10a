"""`tagsuite taggers train`: start a tagger's own training program on any annotated corpus."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.errors import InputError, TagsuiteError
from .lookup import find_specification
from .preparation import check_program
from .processes.guards import Guards
from .tagger import Tagger, fill_options
from .training_record import write_training_record

if TYPE_CHECKING:
    pass


class TrainingError(TagsuiteError):
    """Raised when a training program ends with an exit code that is no success."""


def train_tagger(tagger: str, corpus: str, out: Path, options: Mapping[str, str]) -> None:
    """Write a corpus where a tagger's `[train]` command finds it, and start the command.

    The corpus is given as CoNLL (``{corpus}``) and as lines with inline tags (``{corpus_sgml}``); the command
    writes ``{model}``. What it prints goes to standard error. What the model learnt from
    is kept in a file beside it.

    Raises
    ------
    InputError
        A tagger that cannot be trained, a bad corpus, an output that exists.
    TrainingError
        The program failed.
    """
    from ...sentences.formats import read_corpus, write_corpus

    path, spec = find_specification(tagger)
    if spec.train is None:
        raise InputError(
            f"the tagger {spec.name} cannot be trained: its specification has no [train]", file=path
        )
    if out.exists():
        raise InputError("the model exists already", file=out, allowed="a new name")
    # a model that is yet to be trained cannot be demanded
    ready = Tagger(spec, path, fill_options(spec, path, options, complete=False))
    read = read_corpus(corpus)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tagsuite-train-") as scratch:
        places = {
            **ready.placeholder_values,
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
        command = ready.fill_command(spec.train.command, places)
        check_program(ready, command[0])
        code = _run_training(command, ready.make_environment(places))
    if code not in spec.success:
        raise TrainingError(f"the training program of {spec.name} ended with exit code {code}")
    if not out.exists():
        raise TrainingError(f"the training program of {spec.name} said success and wrote no {out}")
    write_training_record(out, spec.name, read)


def _run_training(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run the program where we are; what it prints goes to standard error. Return its exit code."""
    with Guards() as guards, Path(os.devnull).open("rb") as nothing:
        try:
            guard = guards.start(command, Path.cwd(), variables, {}, (nothing.fileno(), 2, 2))
        except OSError as error:
            raise TrainingError(f"the training program cannot be started ({error})") from None
        while not guard.wait(60):
            pass
        return guards.end(guard)
