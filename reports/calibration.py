"""Calibration in a notebook: a suite's run and annotated sentences in, a frame out; or what to annotate."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..catalogues.core.errors import InputError
from ..catalogues.core.options import with_keywords
from ..harness.scoring.options import COMPARING, ClassOptions, ScoringOptions
from ..harness.scoring.transfer.options import CalibrationOptions, TransferOptions
from .arguments import Place, path_of, runs_of

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.scoring.runs import Finished
    from ..sentences.corpus import Corpus


@with_keywords(
    (ClassOptions, ("classes", "by", "notion")),
    (ScoringOptions, COMPARING),
    CalibrationOptions,
    (TransferOptions, ["least_support"]),
)
def calibrate(
    suite: Finished,
    annotated: Finished | Corpus | Sequence[Finished] = (),
    *,
    predicted: Corpus | pd.DataFrame | str | None = None,
    weights: Place | None = None,
    pool: Finished | Corpus | None = None,
    plan_out: Place | None = None,
    out: Place | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Estimate the recall or precision of each class in a corpus from a suite and some annotated sentences.

    Parameters
    ----------
    suite : Run or path
        A run over a suite.
    annotated : Run, path, Corpus, or a sequence of runs
        Runs of the same tagger over annotated sentences; or with `predicted` these, also ``FORMAT:PATH``.
    predicted : Corpus, DataFrame or str, optional
        The tagger's output over the annotated sentences, recorded elsewhere.
    weights : path, optional
        The file of weights that ``plan`` wrote, where it does not stand beside the sentences.
    pool : Run, Corpus, path or str, optional
        With ``plan=N`` the raw sentences, or a run over them; with ``measure="precision"`` a run over them,
        over whose mentions the estimates are averaged.
    plan_out : path, optional
        With ``plan=N`` where the chosen sentences go, ``FORMAT:PATH``.
    out : path, optional
        Where the estimates are written too.
    **options
        ``classes``, ``by``, ``notion``, as `compare` has them; ``measure``, ``composition``, ``plan=N`` and
        its ``seed``: see `tagsuite.harness.scoring.transfer.options.CalibrationOptions`; ``least_support``;
        and how mentions are counted, as `score` has it.

    Returns
    -------
    DataFrame
        A row a class, the whole first: see ``docs/transfer.md``. With ``plan=N`` a row a sentence that was
        chosen, now and before, with its probability and weight.
    """
    from ..catalogues.core.tables import say
    from ..harness.calibrating import calibrate_runs, form_of, write_table
    from ..sentences.corpus import Corpus

    asked, chosen = ClassOptions.taken_from(options), CalibrationOptions.taken_from(options)
    transfer, target = TransferOptions.taken_from(options), path_of(out)
    scoring = ScoringOptions(**options)
    known = [annotated] if isinstance(annotated, Corpus) else runs_of(annotated)
    given: Any = {
        "pool": os.fspath(pool or "") if pool is None or isinstance(pool, (str, os.PathLike)) else pool,
        "predicted": "" if predicted is None else predicted,
        "weights": path_of(weights),
    }
    if chosen.plan is not None:
        from ..harness.annotating import plan_sentences

        if target is not None or asked.by or asked.classes is not None:
            raise InputError("plan chooses sentences: it has no classes and no table of them")
        place = "" if plan_out is None else os.fspath(plan_out)
        planned = plan_sentences(
            suite,
            out=place,
            options=scoring,
            calibration=chosen,
            known=known,
            notion=asked.notion,
            **given,
        )
        for note in planned.notes:
            say(note)
        return planned.table
    if plan_out is not None or (pool is not None and chosen.measure == "recall"):
        raise InputError(
            "pool and plan_out are of a plan", allowed='plan=N; or pool=RUN with measure="precision"'
        )
    if target is not None:
        form_of(target)  # refused before anything is computed
    found = calibrate_runs(
        suite,
        known,
        scoring,
        chosen,
        asked,
        least_support=transfer.least_support,
        **given,
    )
    for note in found.notes:
        say(note)
    if target is not None:
        write_table(found.table, target)
    return found.table
