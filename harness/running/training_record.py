"""Record of the corpus on which a model was trained, in a file next to the model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...catalogues.core.files import digest_path, write_bytes
from ...catalogues.core.messages import say
from ...catalogues.core.settings import Settings, load_settings
from ...catalogues.core.toml import write_toml
from .specification import CorpusPart

if TYPE_CHECKING:
    from ...sentences.corpus import Corpus


RECORD_SUFFIX = ".training.toml"
"""Suffix that is appended to a model's file name to form the name of its training record."""


class TrainingRecord(Settings):
    """Training corpus of a model, stored in ``MODEL.training.toml``.

    Attributes
    ----------
    tagger : str
        Name of the trained tagger.
    corpus : str
        Name of the training corpus.
    digest : str
        Checksum of the corpus.
    model : str
        Checksum of the model after training; the model file may have changed since.
    trained_on : list of str
        Names of the corpora whose sentences, as bundled with tagsuite, occur in the training corpus.
    """

    format: Literal[1]
    tagger: str
    corpus: str
    digest: str
    model: str
    trained_on: list[CorpusPart]


def write_training_record(model: Path, tagger: str, corpus: Corpus) -> None:
    """Write the training record of a model."""
    from ...sentences.contexts import detect_corpora

    record = TrainingRecord(
        format=1,
        tagger=tagger,
        corpus=corpus.name,
        digest=corpus.digest,
        model=digest_path(model),
        trained_on=list(detect_corpora(corpus.texts["text"])),
    )
    write_bytes(_get_record_path(model), write_toml(record.model_dump()).encode())


def list_training_corpora(models: Iterable[Path]) -> tuple[str, ...]:
    """Return the corpora on which models were trained, according to their training records.

    Raises
    ------
    InputError
        If a training record cannot be read.
    """
    corpora: dict[str, None] = {}
    for model in models:
        if (path := _get_record_path(model)).is_file():
            record = load_settings(path, TrainingRecord)
            if record.model == digest_path(model):
                corpora |= dict.fromkeys(record.trained_on)
            else:
                say(f"{path} describes a different version of {model.name} and is ignored")
    return tuple(corpora)


def _get_record_path(model: Path) -> Path:
    return model.with_name(model.name + RECORD_SUFFIX)
