"""Suites and results in a notebook or script: each job a function of few words, frames in and out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..catalogues.core.errors import InputError
from ..catalogues.core.options import with_keywords
from ..catalogues.core.tables import say
from ..generator.recipe import DEFAULT_MAX_CASES, PART, PartOptions, SuiteOptions, SuiteRecipe
from ..harness.scoring.options import (
    COMPARING,
    ClassOptions,
    ConfirmOptions,
    DiscoverOptions,
    ScoringOptions,
)
from ..harness.scoring.transfer.options import TransferOptions
from .arguments import Place, folder_of, path_of, runs_of
from .options import ReportOptions
from .suite_folder import Suite

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.evaluation import Finished
    from ..harness.scoring.scores import Scores
    from ..sentences.corpus import Corpus


@with_keywords((PartOptions, [n for n in PART if n not in ("entities", "contexts")]), SuiteOptions)
def generate(
    out: Place,
    entities: str = "all",
    contexts: str = "all",
    *,
    force: bool = False,
    max_cases: int = DEFAULT_MAX_CASES,
    **options: Any,
) -> Suite:
    """Make a suite: the entities that a query selects, in the contexts that a query selects.

    Parameters
    ----------
    out : path
        The suite folder to write.
    entities, contexts : str
        Queries.
    force : bool
        Whether a folder that holds a suite is replaced.
    max_cases : int
        More are refused.
    **options
        How they are combined, such as ``size=200``, ``stratify=["case"]``, ``combine="each"`` (a sample of
        1,000 cases when not given): see `tagsuite.generator.recipe.PartOptions`; and what holds for the
        suite, such as ``seed=1``: see `tagsuite.generator.recipe.SuiteOptions`.

    Raises
    ------
    InputError
        When a query or option is wrong, nothing is selected, or the folder is not empty.

    Examples
    --------
    >>> suite = generate("hyphens", "contains_hyphen", size=100)  # doctest: +SKIP
    """
    from ..generator.suite import generate as generate_suite

    suite = SuiteOptions.taken_from(options)
    part = PartOptions(entities=entities, contexts=contexts, **options)
    counts = generate_suite(SuiteRecipe((part,), suite), out, force=force, max_cases=max_cases)
    if counts.warning:
        say(counts.warning)
    return Suite(Path(out))


@with_keywords((ClassOptions, ("gold", "classes", "by")), ScoringOptions)
def score(
    found: Finished | None = None,
    *,
    predicted: Corpus | pd.DataFrame | str | None = None,
    **options: Any,
) -> Scores:
    r"""Score a run, or predictions made elsewhere, per class and notion of correctness.

    What the command ``score`` does, with the same figures, messages and warnings (on standard error).

    Parameters
    ----------
    found : Run or path, optional
        A run, or its folder; else `predicted` is needed.
    predicted : Corpus, DataFrame or str, optional
        Mentions over the texts of `gold`, or ``FORMAT:PATH``.
    **options
        ``gold``: a Corpus, path or ``FORMAT:PATH`` to score against, where that is not the run's own input;
        ``classes``: names and queries, a sequence of Class, or a classes file; ``by``: features whose values
        are classes (see `tagsuite.harness.scoring.options.ClassOptions`); and how mentions are counted, such
        as ``notions=["strict"]`` or ``pairing="one-to-one"``: see
        `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    Scores
        Its `table` is the score table, its `verdicts()` tell of every mention.

    Raises
    ------
    InputError
        When what is asked means nothing or is not there.

    Examples
    --------
    >>> score("runs/kex", classes={"numeral first": r"data ~ /^\d+-/"}).table  # doctest: +SKIP
    """
    from ..harness.evaluation import score_files, score_runs

    asked, chosen = ClassOptions.taken_from(options), ScoringOptions(**options)
    named, gold = asked.named, asked.chosen_gold
    if found is not None and predicted is None:
        return score_runs([found], chosen, classes=named, by=asked.by, gold=gold)[0]
    if predicted is not None and found is None and gold != "":
        return score_files(gold, predicted, chosen, classes=named, by=asked.by)
    raise InputError("what is scored is not clear", allowed="score(run), or score(gold=…, predicted=…)")


@with_keywords(DiscoverOptions, ConfirmOptions, (ClassOptions, ("gold",)), (ScoringOptions, COMPARING))
def discover(
    found: Scores | Finished,
    *,
    show: str = "faults",
    out: Place | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Find the combinations of features that a tagger fails at.

    Parameters
    ----------
    found : Scores, Run or path
        What `score` gave, or a run.
    show : {"faults", "costs"}
        What each feature costs in minimal pairs, instead.
    out : path, optional
        The predictions file to write.
    **options
        ``confirm=N``, how many fresh cases there may be and how they are run: see
        `tagsuite.harness.scoring.options.ConfirmOptions`; what is searched, such as ``depth=2``: see
        `tagsuite.harness.scoring.options.DiscoverOptions`; and ``gold`` and how a run is scored, as `score`
        has it.

    Returns
    -------
    DataFrame
        A row a finding, the most convincing first.
    """
    from ..harness.evaluation import discover_run
    from ..harness.scoring.discovery.discover import check_show, discover_scores
    from ..harness.scoring.scores import Scores

    # the notion is that of the search, which therefore takes its options first
    search, confirming = DiscoverOptions.taken_from(options), ConfirmOptions.taken_from(options)
    gold, target = ClassOptions.taken_from(options).chosen_gold, path_of(out)
    if confirming.confirm:
        if isinstance(found, Scores) or gold != "" or show != "faults":
            raise InputError(
                "fresh cases confirm faults of a run over its own suite",
                found="confirm with scores, gold or show",
                allowed="a run",
            )
        from .confirmation import confirm_run

        return confirm_run(found, ScoringOptions(**options), search, confirming, out=target).table
    if not isinstance(found, Scores):
        chosen = ScoringOptions(**options)
        return discover_run(found, chosen, search, show=show, out=target, gold=gold).table
    check_show(show, out)
    confidence = options.pop("confidence", 0.95)
    if options or gold != "":
        asked = ", ".join([*options, *(["gold"] if gold != "" else [])])
        raise InputError("this was scored already, in its own way", found=asked, allowed="a run")
    return discover_scores(found, search, show=show, out=target, confidence=confidence).table


@with_keywords(ClassOptions, (ScoringOptions, COMPARING), TransferOptions)
def compare(
    found: Finished | Sequence[Finished] | None = None,
    predictions: Place | None = None,
    *,
    suite: Finished | None = None,
    against: Finished | None = None,
    predicted: Corpus | pd.DataFrame | str | None = None,
    scatter: Place | None = None,
    reference: Finished | Sequence[Finished] = (),
    **options: Any,
) -> pd.DataFrame:
    """Compare what was predicted of classes with what a corpus shows; or, with `against`, taggers.

    Parameters
    ----------
    found : Run, path, or a sequence of these
        Runs over corpora.
    predictions : path, optional
        A predictions file.
    suite : Run or path, optional
        A run over a suite, whose results by ``classes`` or ``by`` are the predictions.
    against : Run or path, optional
        Another run of the same texts: the paired differences from it, per class.
    predicted : Corpus, DataFrame or str, optional
        Predictions recorded elsewhere, in place of runs.
    scatter : path, optional
        With `suite`: each class's figures on suite and corpus are written here (CSV).
    reference : Run, path, or a sequence of these
        Runs of a reference tagger over the same suite and corpora, or a bundled tagger's name.
    **options
        As `score` has them, and the one ``notion`` of recall and precision.

    Returns
    -------
    DataFrame
        The score table's columns, then expected, observed, difference, verdict and what could be seen at all.
        With `against`, a row a class and measure. With `suite` and ``standardise`` (a composition): the
        columns standardised, standardised_low, standardised_high and support as well; no run is needed then.
        With `reference`: what it and random queries would have shown, and `specificity`.
    """
    from ..harness.evaluation import compare_runs

    asked, transfer = ClassOptions.taken_from(options), TransferOptions.taken_from(options)
    done = compare_runs(
        [] if found is None else runs_of(found),
        ScoringOptions(**options),
        asked,
        predictions=path_of(predictions),
        suite=suite,
        against=against,
        predicted="" if predicted is None else predicted,
        scatter=path_of(scatter),
        transfer=transfer,
        reference=runs_of(reference),
    )
    for note in done.notes:
        say(note)
    return done.table


@with_keywords((ClassOptions, ("classes", "by")), ReportOptions, (ScoringOptions, COMPARING), TransferOptions)
def report(
    found: Finished | Sequence[Finished] = (),
    out: Place = "report.html",
    *,
    force: bool = False,
    **options: Any,
) -> Path:
    """Write what runs show as one page that works offline.

    Parameters
    ----------
    found : Run, path, or a sequence of these
        Runs over suites or corpora.
    out : path
        A file (.html, .md, .tex, .json, .csv), or a folder for all of these.
    force : bool
        Whether an output folder that holds a report is replaced.
    **options
        ``classes``, ``by``, as `score` has them; what the report holds besides its runs, such as
        ``predictions="predictions.toml"``, ``discover=True``, ``title="…"``: see
        `tagsuite.reports.options.ReportOptions`; how mentions are counted: see
        `tagsuite.harness.scoring.options.ScoringOptions`; with ``standardise`` (a composition) what the
        suites let expect of the corpora.

    Returns
    -------
    Path
        `out`.
    """
    from .reporting import report_of
    from .saving import save

    asked, chosen = ClassOptions.taken_from(options), ReportOptions.taken_from(options)
    transfer = TransferOptions.taken_from(options)
    folders = [folder_of(one) for one in runs_of(found)]
    made = report_of(folders, chosen, ScoringOptions(**options), asked, transfer)
    save(made, Path(out), force=force, inputs=[*folders, *chosen.paths])
    return Path(out)
