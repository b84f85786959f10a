"""What can be told to be wrong before anything is generated or run, and where."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.word_lists import WORDFREQ
from ...harness.running.specification import find, read_specification
from ...harness.scoring.acceptance.criteria import read_criteria
from ...harness.scoring.division import parse_by
from ...harness.scoring.notions import find_notion
from ...sentences.formats.registry import parse_spec
from .model import StudyFile
from .places import Places


@contextmanager
def told_of(file: Path, key: str) -> Iterator[None]:
    """Tell errors that name no file where they are: the study, and the key's path in it."""
    try:
        yield
    except InputError as error:
        if error.file is None:
            error.file = str(file)
            error.problem = f"{key}: {error.problem}"
        raise


def check_first(study: StudyFile, places: Places, file: Path) -> None:
    """Look for the files that a study names, read criteria and specifications, look features up.

    Raises
    ------
    InputError
        With the file or the key at fault, minutes before it would be needed.
    """
    named = {"score.classes": study.score.classes, "predictions": study.predictions}
    named["acceptance"] = study.acceptance
    named |= {f"score.lists.{n}": f for n, f in study.score.lists.items() if not f.startswith(WORDFREQ)}
    for key, name in named.items():
        with told_of(file, key):
            if name and not places.path(name).is_file():
                raise InputError(
                    "no such file",
                    file=places.path(name),
                    allowed=f"{key} in {file} names it; its path is seen from there",
                )
    for i, by in enumerate(study.score.by, 1):
        with told_of(file, f"score.by[{i}]"):
            parse_by(by)
    for i, notion in enumerate(study.score.notions, 1):
        with told_of(file, f"score.notions[{i}]"):
            find_notion(notion)
    if study.acceptance:
        scored = [find_notion(n).name for n in study.score.notions]
        for criterion in read_criteria(places.path(study.acceptance)):
            if scored and criterion.notion not in scored:
                raise InputError(
                    f"class {criterion.one.name}: a notion that the study does not score",
                    file=places.path(study.acceptance),
                    found=criterion.notion,
                    allowed=f"{', '.join(scored)} (score.notions in {file})",
                )
    for i, tagger in enumerate(study.tagger, 1):
        with told_of(file, f"tagger[{i}].tagger"):
            read_specification(find(places.tagger(tagger.tagger)))
    for corpus in study.corpus:
        _, path, _ = parse_spec(places.spec(corpus.gold))
        if not path.exists():
            raise InputError(
                f"corpus {corpus.name}: no such file or folder",
                file=path,
                allowed='gold = "FORMAT:PATH", the path seen from the study file',
            )
