"""The record beside a trained model: which corpora it was trained on."""

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
"""What the name of the file ends with that says what a model learnt from."""


class TrainingRecord(Settings):
    """What a model learnt from, kept in a file beside it: ``MODEL.training.toml``.

    Attributes
    ----------
    tagger, corpus : str
        What was trained, and the corpus's name.
    digest : str
        Of the corpus.
    model : str
        Of the model, which may be another one by now.
    trained_on : list of str
        The corpora among the bundled contexts' whose sentences it has seen.
    """

    format: Literal[1]
    tagger: str
    corpus: str
    digest: str
    model: str
    trained_on: list[CorpusPart]


def write_training_record(model: Path, tagger: str, corpus: Corpus) -> None:
    """Write the file beside a model that was trained on a corpus."""
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
    """The corpora that some models were trained on, as far as files beside them say.

    Raises
    ------
    InputError
        For such a file that cannot be read.
    """
    found: dict[str, None] = {}
    for model in models:
        if (beside := _get_record_path(model)).is_file():
            record = load_settings(beside, TrainingRecord)
            if record.model == digest_path(model):
                found |= dict.fromkeys(record.trained_on)
            else:
                say(f"{beside} describes a different version of {model.name} and is ignored")
    return tuple(found)


def _get_record_path(model: Path) -> Path:
    return model.with_name(model.name + RECORD_SUFFIX)
