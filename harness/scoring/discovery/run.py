"""Discovery in one run: what its tagger misses, or what single features cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ....sentences.corpus import Corpus
from ....sentences.suite_file import META, read_suite_meta
from ...running.folder.runs import Run, read_run
from ..options import DiscoverOptions, ScoringOptions
from ..runs import Finished, score_runs
from .discover import column_of
from .discovered import Discovered, check_show, discover_scores


def discover_run(
    run: Finished,
    scoring: ScoringOptions,
    search: DiscoverOptions,
    *,
    show: str = "faults",
    out: Path | None = None,
    gold: str | Corpus = "",
) -> Discovered:
    """Discover the faults of one run, or the costs of features; see `discover_scores`.

    The costs are of the features that are searched, or of those that the run's suite was made to contrast.
    """
    check_show(show, out)
    one = read_run(run)
    scores = score_runs([one], replace(scoring, notions=(search.notion,)), gold=gold)[0]
    recipe = contrasted(one) if show == "costs" else ()
    return discover_scores(scores, search, show=show, out=out, confidence=scoring.confidence, recipe=recipe)


def contrasted(run: Run) -> tuple[str, ...]:
    """The columns of the features that the recipe of a run's suite contrasts; none where none is named."""
    suite = Path(run.input)
    if not (suite / META).is_file():
        return ()
    names = [name for part in read_suite_meta(suite).get("part", []) for name in part.get("contrast", [])]
    return tuple(dict.fromkeys(map(column_of, names)))
