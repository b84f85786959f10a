"""Implementation of `tagsuite taggers train`: run a tagger's training program on an annotated corpus."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...catalogues.core.errors import InputError, TagsuiteError
from .lookup import find_specification
from .preparation import check_program
from .processes.guards import Guards
from .tagger import Tagger, fill_options
from .training_record import write_training_record


class TrainingError(TagsuiteError):
    """Error for a training program that fails or writes no model."""


def train_tagger(tagger: str, corpus: str, out: Path, options: Mapping[str, str]) -> None:
    """Train a tagger with the `[train]` command of its specification.

    The command reads the corpus as CoNLL (``{corpus}``) or as lines with inline tags (``{corpus_sgml}``), and
    writes the model (``{model}``). Its output goes to standard error. A training record is written to the
    folder that contains the model.

    Raises
    ------
    InputError
        If the tagger cannot be trained, the corpus is invalid, or the model already exists.
    TrainingError
        If the training program fails.
    """
    from ...sentences.formats import read_corpus, write_corpus

    path, spec = find_specification(tagger)
    if spec.train is None:
        raise InputError(
            f"the tagger {spec.name} cannot be trained: its specification has no [train]", file=path
        )
    if out.exists():
        raise InputError("the model already exists; choose another name", file=out)
    # the model is an option of many taggers, and does not exist yet
    ready = Tagger(spec, path, fill_options(spec, path, options, complete=False))
    training_corpus = read_corpus(corpus)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tagsuite-train-") as scratch:
        places = {**ready.placeholder_values, "work": scratch, "model": str(out.resolve())}
        for name, form in (("corpus", "conll"), ("corpus_sgml", "sgml")):
            places[name] = str(Path(scratch) / f"corpus.{form}")
            if f"{{{name}}}" in " ".join(spec.train.command):
                write_corpus(training_corpus, f"{form}:{places[name]}")
        command = ready.fill_command(spec.train.command, places)
        check_program(ready, command[0])
        code = _run_training(command, ready.make_environment(places))
    if code not in spec.success:
        raise TrainingError(f"the training program of {spec.name} ended with exit code {code}")
    if not out.exists():
        raise TrainingError(f"the training program of {spec.name} reported success but did not write {out}")
    write_training_record(out, spec.name, training_corpus)


def _run_training(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run a training program in the working folder, and return its exit code; its output goes to stderr."""
    with Guards() as guards, Path(os.devnull).open("rb") as nothing:
        try:
            guard = guards.start(command, Path.cwd(), variables, {}, (nothing.fileno(), 2, 2))
        except OSError as error:
            raise TrainingError(f"the training program cannot be started ({error})") from None
        while not guard.wait(60):
            pass
        return guards.end(guard)
