"""Taggers that propose mentions for a composition, given as taggers to run or as existing runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.messages import say
from ....sentences.corpus import Corpus
from ....sentences.formats.registry import read_corpus
from ...running.folder.runs import Run, is_run, read_run
from ...running.run import run as run_tagger
from .composition import Composition, get_tagger_name
from .proposals import make_proposed_composition

SUGGESTED = ("kex", "yapex", "runs of dictionary", "runs of pos")
"""Bundled taggers; those that need options must be run first."""


def compose_from_proposals(
    raw: str, annotated: str, proposers: Sequence[str], tested: str = ""
) -> tuple[Composition, tuple[str, ...]]:
    """Return the composition of an unannotated corpus, and notes; see `make_proposed_composition`.

    Parameters
    ----------
    raw, annotated : str
        Corpora as ``FORMAT:PATH``.
    proposers : sequence of str
        Names or specifications of taggers to run on both corpora, or folders of existing runs. A tagger with
        existing runs needs one run on each corpus.
    tested : str
        Tagger for which results will be estimated; it must not be among the proposers.

    Raises
    ------
    InputError
        If there are fewer than two proposers, if the tested tagger is one of them, or if a run is missing.
    """
    corpora = read_corpus(raw), read_corpus(annotated)
    found: dict[str, tuple[pd.DataFrame, pd.DataFrame]] = {}
    runs = [read_run(place) for place in proposers if is_run(place)]
    for part in dict.fromkeys(run.tagger_part for run in runs):
        first, second = (_find_run([r for r in runs if r.tagger_part == part], c) for c in corpora)
        found[part] = first.predictions, second.predictions
    taggers = [name for name in proposers if not is_run(name)]
    names = [*found, *dict.fromkeys(taggers)]
    if tested and (same := [name for name in names if _is_tagger(name, tested)]):
        raise InputError(f"the tested tagger {tested} must not be a proposer", found=", ".join(same))
    if len(names) <= 1:
        others = [name for name in SUGGESTED if not any(_is_tagger(one, name) for one in (*names, tested))]
        raise InputError(
            "a composition of unannotated text needs at least two proposers (--proposer)",
            found=", ".join(names) or "none",
            allowed=", ".join(others),
        )
    with TemporaryDirectory(prefix="tagsuite-proposers-") as folder:
        for number, tagger in enumerate(taggers):
            say(f"running {tagger} on {corpora[0].name} and {corpora[1].name}")
            done = [
                run_tagger(place, tagger, Path(folder) / f"{number}-{side}")
                for side, place in enumerate((raw, annotated))
            ]
            found[done[0].tagger_part] = done[0].predictions, done[1].predictions
    return make_proposed_composition(*corpora, found)


def _is_tagger(part: str, name: str) -> bool:
    """Return True if `part` (a signature part or a tagger's name) stands for the tagger `name`."""
    return part == name or get_tagger_name(part) == Path(name).stem


def _find_run(runs: Sequence[Run], corpus: Corpus) -> Run:
    """Return the run on the texts of a corpus.

    Raises
    ------
    InputError
        If there is no such run.
    """
    texts = corpus.texts["text"].tolist()
    for run in runs:
        if run.load_corpus().texts["text"].tolist() == texts:
            return run
    raise InputError(
        f"{runs[0].tagger} needs a run on {corpus.name}; give it with a further --proposer",
        found=", ".join(f"{run.name} on {run.meta['run']['corpus']}" for run in runs),
    )
