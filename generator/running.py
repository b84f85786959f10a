"""What the command line does: a recipe from options, progress, and an account of what was made."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from ..catalogues.core.errors import InputError
from ..catalogues.core.settings import validate
from ..catalogues.core.tables import Format, emit, say
from ..sentences.suites import META
from .build import Plan, carry_out, make_plan
from .coverage import Asked, Coverage, verify
from .forms import with_lists_of
from .lists import with_lists
from .recipe import Recipe, read_recipe
from .sources import Sources, read_sources
from .suite import DATA_FILES

TRIED = 100_000
"""Cases up to which a dry run works out the coverage."""


def assignments(options: Sequence[str] | None, name: str) -> dict[str, str]:
    """Options of the form KEY=TEXT.

    Raises
    ------
    InputError
        When one has no equals sign.
    """
    found: dict[str, str] = {}
    for option in options or ():
        key, equals, text = option.partition("=")
        if not equals or not key.strip():
            raise InputError(f"{name} needs two sides", found=option, allowed="KEY=QUERY")
        found[key.strip()] = text.strip()
    return found


def _counted(options: Sequence[str] | None, name: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for option in options or ():
        number, equals, text = option.partition("=")
        if not equals or not number.strip().isdigit() or not text.strip():
            raise InputError(f"{name} needs a number and a query", found=option, allowed="NUMBER=QUERY")
        found.append((int(number), text.strip()))
    return found


def weights(options: Sequence[str] | None) -> list[dict[str, Any]]:
    """Give the weights of ``--weight TIMES=QUERY``."""
    return [{"query": query, "times": number} for number, query in _counted(options, "--weight")]


def limits(options: Sequence[str] | None) -> list[dict[str, Any]]:
    """Give the limits of ``--max-per N=QUERY``."""
    return [{"of": query, "cases": number} for number, query in _counted(options, "--max-per")]


def recipe_of(suite: dict[str, Any], part: dict[str, Any]) -> Recipe:
    """A recipe of one part from the command line's options."""
    return validate({"format": 1, "suite": suite, "part": [part]}, Recipe, "options")


def recipe_from(path: Path, catalogue: Sequence[Path] | None, sentences: Sequence[Path] | None) -> Recipe:
    """A recipe from a file; catalogues named on the command line stand in for its own."""
    recipe = read_recipe(path)
    update: dict[str, object] = {}
    if catalogue:
        update["catalogue"] = [p.as_posix() for p in catalogue]
    if sentences:
        update["sentences"] = [p.as_posix() for p in sentences]
    return recipe.model_copy(update={"suite": recipe.suite.model_copy(update=update)}) if update else recipe


def run(
    recipe: Recipe,
    out: Path | None,
    *,
    beside: Path | None,
    also: Sequence[str],
    max_cases: int,
    dry_run: bool,
    force: bool,
    form: Format,
) -> None:
    """Make a suite, or say what it would be."""
    with tqdm(unit=" combinations", unit_scale=True, disable=None, desc="cover", leave=False) as bar:

        def covered(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        plan = make_plan(recipe, beside, covered)
    for number, part in enumerate(plan.parts):
        for note in part.notes:
            say(f"part {number + 1}: {note}")
    if dry_run or out is None:
        emit(account(plan, size=plan.estimated_bytes()), form, key="parts")
        _say_coverage(plan, max_cases)
        return
    with tqdm(total=plan.cases, unit=" cases", unit_scale=True, disable=None, desc="generate") as bar:

        def written(done: int) -> None:
            bar.update(done)

        counts = carry_out(plan, out, force=force, max_cases=max_cases, progress=written)
    size = sum((out / name).stat().st_size for name in (*DATA_FILES, META))
    frame = pd.DataFrame(
        [
            {
                "suite": str(out),
                "cases": counts.cases,
                "mentions": counts.mentions,
                "pairs": counts.pairs,
                "bytes": size,
            }
        ]
    )
    emit(frame, form, key="suites")
    for spec in also:
        write_also(out, spec)


def _say_coverage(plan: Plan, max_cases: int) -> None:
    """Tell how much a plan covers: the suite is made in a temporary folder and verified."""
    t = plan.recipe.part[0].t or 2
    if not 0 < plan.cases <= min(TRIED, max_cases):
        say(f"coverage is worked out for 1 to {TRIED:,} cases only")
        return
    with tempfile.TemporaryDirectory(prefix="tagsuite-") as folder:
        carry_out(plan, folder, force=True)
        found = coverage_of(Path(folder), plan.recipe, plan.sources, t, plan.recipe.part[0].features)
    say(f"{found.covered:,} of {found.attested:,} combinations of {t} would be covered")


def account(plan: Plan, *, size: int) -> pd.DataFrame:
    """What each part of a plan would give."""
    rows: list[dict[str, object]] = []
    for number, part in enumerate(plan.parts):
        space = part.space
        rows.append(
            {
                "part": number + 1,
                "combine": part.recipe.combine,
                "entities": len(space.fillers),
                "contexts": len(space.places.contexts),
                "slots": len(space.places.slots),
                "cases": part.cases,
            }
        )
    rows.append({"part": "all", "combine": "", "cases": plan.cases, "raw_bytes": size})
    return pd.DataFrame(rows)


def write_also(folder: Path, spec: str) -> None:
    """Write a suite in another format, and tell what that could not carry."""
    from ..sentences.formats.registry import write_corpus
    from ..sentences.suites import read_suite

    for lost in write_corpus(read_suite(folder), spec):
        say(f"{spec}: not carried: {lost}")


def report_coverage(
    suite: Path,
    t: int,
    features: tuple[str, ...],
    form: Format,
    catalogue: Sequence[Path],
    sentences: Sequence[Path],
) -> None:
    """Print which combinations a suite covers of what the catalogues in its suite.toml could give."""
    recipe = recipe_from(suite, catalogue, sentences)
    named = recipe.suite
    sources = read_sources(
        named.catalogue, named.sentences, [], wants_look_alikes=False, beside=suite, lists=named.lists
    )
    found = coverage_of(suite, recipe, sources, t, features)
    emit(found.table, form, key="coverage")
    say(f"{found.covered:,} of {found.attested:,} combinations of {t} are covered")


def coverage_of(suite: Path, recipe: Recipe, sources: Sources, t: int, features: Sequence[str]) -> Coverage:
    """What a finished suite covers of what its catalogues could give."""
    lengths = sorted({n for part in recipe.part for n in part.list_lengths})
    contexts = with_lists(sources.contexts, lengths) if lengths else sources.contexts
    return verify(
        suite,
        with_lists_of(sources.entities, sources.lists),
        contexts.contexts,
        contexts.slots,
        [Asked(p.entities, p.contexts, p.list_lengths, p.slots) for p in recipe.part],
        t,
        times=min(p.times for p in recipe.part),
        features=features,
    )
