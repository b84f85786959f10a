"""Runs in a notebook or script: once, repeatedly, with options varied, over perturbed texts; what varies."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ..catalogues.core.errors import InputError
from ..catalogues.core.options import with_keywords
from ..generator.perturbing.options import PerturbOptions
from ..harness.running.repeat_options import RepeatOptions
from ..harness.scoring.options import COMPARING, WITHOUT_GOLD, ClassOptions, ScoringOptions

if TYPE_CHECKING:
    import pandas as pd

    from ..harness.running.folder.runs import Run
    from ..harness.running.tagger import Tagger
    from ..harness.running.variants import Variant
    from ..harness.scoring.runs import Finished
    from .arguments import Place
    from .invariance_folder import Invariance

    Runnable = str | os.PathLike[str] | Tagger | Callable[..., Any]


@overload
def run(
    source: Place,
    tagger: Runnable,
    out: Place,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    vary: None = None,
    **repeating: Any,
) -> Run: ...


@overload
def run(
    source: Place,
    tagger: Runnable,
    out: Place,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    vary: Mapping[str, Sequence[Any]] | Sequence[str],
    **repeating: Any,
) -> list[Variant]: ...


@with_keywords(RepeatOptions)
def run(
    source: Place,
    tagger: Runnable,
    out: Place,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **repeating: Any,
) -> Run | list[Variant]:
    """Run a tagger over a suite or corpus, once or several times, or with its options varied.

    Parameters
    ----------
    source : path or str
        A suite, or ``FORMAT:PATH``.
    tagger : str, path, Tagger or callable
        A tagger's name, a specification file, or ``python:package.module:function``. Or an object in memory
        that takes a text (or a list of texts) and gives spans, strings or dicts: a function, a spaCy or
        Hugging Face pipeline, a GLiNER model's method. It is called in this process: what it raises is its
        case's fault, but it cannot be ended when it hangs or takes too much memory, and nothing is cached.
    out : path
        The run folder. The same run, finished there before, is read again.
    options, jobs, force, progress
        See `tagsuite.harness.running.run.run`.
    **repeating
        ``times=5``, with ``until=0.02``: repetitions, of which `repeats` tells what varies;
        ``vary={"case": ["fold", "exact"]}``: a run for each value, or combination of values, of which
        `effects` tells what each does. See `tagsuite.harness.running.repeat_options.RepeatOptions`.

    Returns
    -------
    Run, or list of Variant
        With ``vary`` each combination of values (`levels`) and its `run`.

    Raises
    ------
    InputError
        Bad input, specification, option or folder.
    """
    from ..harness.running.run import made_ready
    from ..harness.running.run import run as run_tagger
    from ..harness.running.tagger import Tagger
    from ..harness.varying import run_varied

    chosen = RepeatOptions(**repeating)
    if chosen.vary and isinstance(tagger, Tagger):
        raise InputError(
            "a tagger that is made ready has its options", found=tagger.label, allowed="its name or file"
        )

    def ready(given: Mapping[str, Any]) -> Tagger:
        return made_ready(tagger, given)

    def once(one: Tagger, number: int, folder: Path) -> Run:
        return run_tagger(
            os.fspath(source), one, folder, jobs=jobs, force=force, progress=progress, repeat=number
        )

    done = run_varied(os.fspath(source), ready, Path(out), chosen, options or {}, once)
    return done if repeating.get("vary") is not None else done[0].run


@with_keywords(ClassOptions, (ScoringOptions, COMPARING))
def repeats(found: Finished, **options: Any) -> pd.DataFrame:
    """Tell how often answers change from one repetition of a run to the next, and recall over all, per class.

    Parameters
    ----------
    found : Run or path
        What `run` with ``times`` gave, or its folder.
    **options
        ``classes``, ``by``, ``notion``, ``gold``, as `compare` has them: see
        `tagsuite.harness.scoring.options.ClassOptions`; and how mentions are counted: see
        `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    DataFrame
        A row a class: see ``docs/repeats.md``.

    Raises
    ------
    InputError
        When the run has no repetitions.
    """
    from ..harness.repeating import repeats_of

    asked = ClassOptions.taken_from(options)
    return repeats_of(found, ScoringOptions(**options), asked)


@with_keywords(ClassOptions, (ScoringOptions, COMPARING))
def effects(folder: Place, **options: Any) -> pd.DataFrame:
    """Tell what each value of a varied option does to recall, per class.

    Parameters
    ----------
    folder : path
        Where `run` with ``vary`` wrote.
    **options
        As `repeats` has them.

    Returns
    -------
    DataFrame
        A row a class and value: see ``docs/repeats.md``.

    Raises
    ------
    InputError
        When there are no finished variants.
    """
    from ..harness.effects import effects_of

    asked = ClassOptions.taken_from(options)
    return effects_of(os.fspath(folder), ScoringOptions(**options), asked)


@with_keywords(PerturbOptions, (ClassOptions, ("classes", "by")), (ScoringOptions, WITHOUT_GOLD))
def invariance(
    source: Place,
    tagger: Runnable,
    out: Place,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    **perturbing: Any,
) -> Invariance:
    """Run a tagger over texts and over perturbed copies of them, and count where its answer changes.

    No gold is needed.

    Parameters
    ----------
    source, tagger, out, options, jobs
        As `run` has them; `out` gets all runs, the perturbed texts and the results. The same call again uses
        what is finished there.
    force : bool
        Whether other runs in `out` are replaced.
    **perturbing
        What is perturbed, such as ``perturb="greek"``, ``sample=200``: see
        `tagsuite.generator.perturbing.options.PerturbOptions`; ``classes`` and ``by``, as `score` has them;
        and how types are compared: see `tagsuite.harness.scoring.options.ScoringOptions`.

    Returns
    -------
    Invariance
        Its `table` has a row a perturbation, variant and class, its `changes` every mention that changed: see
        ``docs/invariance.md``.

    Raises
    ------
    InputError
        Bad input, specification, option or folder; a folder that holds another seed, sample or input.
    """
    from .invariance import invariance_of

    chosen, asked = PerturbOptions.taken_from(perturbing), ClassOptions.taken_from(perturbing)
    scoring = ScoringOptions(**perturbing)
    return invariance_of(
        os.fspath(source), tagger, out, chosen, scoring, asked, options=options, jobs=jobs, force=force
    )
