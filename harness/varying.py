"""A tagger run once, repeatedly, and with its options varied."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from .running.folder.runs import Run
from .running.repeat_options import RepeatOptions
from .running.repeats import Enough, run_times
from .running.tagger import Tagger
from .running.variants import Variant, combinations, run_variants, variant_name


def run_varied(
    source: str,
    ready: Callable[[Mapping[str, Any]], Tagger],
    out: Path,
    options: RepeatOptions,
    given: Mapping[str, Any],
    once: Callable[[Tagger, int, Path], Run],
) -> list[Variant]:
    """Run a tagger as often as asked, with each combination of the values of the options that are varied.

    Parameters
    ----------
    source : str
        What the tagger is run over.
    ready : callable
        Makes the tagger ready with some options.
    out : Path
        The run folder; where options vary, the folder of variants.
    options : RepeatOptions
    given : mapping
        The tagger's options that do not vary.
    once : callable
        Runs one repetition of a tagger into a folder; what is finished there is read.

    Returns
    -------
    list of Variant
        One without levels where nothing varies.

    Raises
    ------
    InputError
        When the options do not vary, or `until` has no gold mentions to look at; whatever `once` raises.
    """
    enough: Enough | None = None
    if options.until is not None:
        # scoring is loaded where there is something to score
        from .stopping import enough_when

        enough = enough_when(options.until, options.times, source)
    if not options.vary:
        return [Variant({}, run_times(partial(once, ready(given)), out, options.times, enough))]
    values = {(name, str(value)): value for name, several in options.vary.items() for value in several}
    # all variants are looked at before the first is run
    taggers = {
        variant_name(levels): ready({**given, **{name: values[name, text] for name, text in levels.items()}})
        for levels in combinations(options.factors, given)
    }

    def repeated(_: Mapping[str, str], folder: Path) -> Run:
        return run_times(partial(once, taggers[folder.name]), folder, options.times, enough)

    return run_variants(repeated, out, options.factors, given)
