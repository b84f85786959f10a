"""What can be told to be wrong before anything is generated or run."""

from __future__ import annotations

from ...catalogues.plumbing.errors import InputError
from ...harness.running.specification import find, read_specification
from ...harness.scoring.acceptance.criteria import read_criteria
from ...sentences.formats.registry import parse_spec
from .model import StudyFile
from .places import Places


def check_first(study: StudyFile, places: Places) -> None:
    """Read the criteria and specifications that a study names, and look for its corpora.

    Raises
    ------
    InputError
        With the file at fault, minutes before it would be needed.
    """
    if study.acceptance:
        read_criteria(places.path(study.acceptance))
    for tagger in study.tagger:
        read_specification(find(places.tagger(tagger.tagger)))
    for corpus in study.corpus:
        _, path, _ = parse_spec(places.spec(corpus.gold))
        if not path.exists():
            raise InputError(
                f"corpus {corpus.name}: no such file or folder",
                file=path,
                allowed='gold = "FORMAT:PATH", the path seen from the study file',
            )
