"""Steps of the command `generate`: plan a suite, write it, and report its coverage."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from ..catalogues.core.messages import say
from ..catalogues.core.tables import OutputFormat, print_frame
from ..sentences.suite_file import SUITE_FILE
from .covering.coverage import measure_coverage
from .part_options import DEFAULT_T
from .part_plans import format_count
from .recipe import SuiteRecipe
from .sources import read_sources
from .suite import DATA_FILES, write_suite
from .suite_plan import SuitePlan, assemble_sources, plan_suite_parts

MAX_COVERAGE_CASES = 100_000
"""Maximum number of cases for which a dry run computes the coverage."""


def plan_suite(recipe: SuiteRecipe, recipe_folder: Path | None, max_cases: int) -> SuitePlan:
    """Plan a suite while a progress bar is shown, and print a summary of the plan and all notes."""
    with tqdm(unit=" combinations", unit_scale=True, disable=None, desc="cover", leave=False) as bar:

        def covered(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        plan = plan_suite_parts(recipe, recipe_folder, covered, max_cases)
    chosen = [
        f"{p.options.combine} of {format_count(p.cases, is_counted=p.is_counted)} cases" for p in plan.parts
    ]
    say(f"plan: {' and '.join(chosen)}, seed {recipe.suite.seed}")
    for note in plan.notes:
        say(f"note: {note}")
    for number, part in enumerate(plan.parts):
        for note in part.notes:
            say(f"part {number + 1}: {note}")
    return plan


def write_planned_suite(
    plan: SuitePlan, out: Path, *, max_cases: int, force: bool, form: OutputFormat
) -> None:
    """Write a planned suite, and print its size."""
    with tqdm(total=plan.case_count, unit=" cases", unit_scale=True, disable=None, desc="generate") as bar:
        made = write_suite(plan, out, force=force, max_cases=max_cases, progress=bar.update)
    row = {
        "suite": str(out),
        "cases": made.cases,
        "mentions": made.mentions,
        "pairs": made.counts.get("pairs", 0),
        "effective_names": made.counts["effective_names"],
        "effective_contexts": made.counts["effective_contexts"],
        "bytes": sum((out / name).stat().st_size for name in (*DATA_FILES, SUITE_FILE)),
    }
    print_frame(pd.DataFrame([row]), form, key="suites")
    if made.warning:
        say(made.warning)


def report_plan(plan: SuitePlan, max_cases: int, form: OutputFormat) -> None:
    """Print the size of each part of a plan, and the coverage that the suite would have."""
    print_frame(summarise_parts(plan), form, key="parts")
    first = plan.recipe.parts[0]
    t = first.t or DEFAULT_T
    if not 0 < plan.case_count <= min(MAX_COVERAGE_CASES, max_cases):
        say(f"coverage is computed only for suites of 1 to {MAX_COVERAGE_CASES:,} cases")
        return
    # write the suite into a temporary folder and measure its coverage
    with tempfile.TemporaryDirectory(prefix="tagsuite-") as folder:
        write_suite(plan, folder)
        found = measure_coverage(folder, plan.material, plan.recipe.parts, t, first.features)
    say(f"{found.covered:,} of {found.attested:,} combinations of {t} feature values would be covered")


def summarise_parts(plan: SuitePlan) -> pd.DataFrame:
    """Make a table with the numbers of entities, contexts, slots and cases in each part of a plan."""
    rows: list[dict[str, object]] = []
    for number, part in enumerate(plan.parts):
        space = part.space
        row: dict[str, object] = {
            "part": number + 1,
            "combine": part.options.combine,
            "entities": len(space.fillers),
            "contexts": len(space.places.contexts),
            "slots": len(space.places.slots),
        }
        rows.append(row | ({"cases": part.cases} if part.is_counted else {}))
    whole = {"cases": plan.case_count, "raw_bytes": plan.estimate_bytes()} if plan.is_counted else {}
    rows.append({"part": "all", "combine": "", **whole})
    return pd.DataFrame(rows)


def write_other_format(folder: Path, spec: str) -> None:
    """Write a suite in another format, and print which information this format cannot store."""
    from ..sentences.formats.registry import write_corpus
    from ..sentences.suites import read_suite

    for lost in write_corpus(read_suite(folder), spec):
        say(f"{spec}: {lost}")


def report_coverage(
    suite: Path, recipe: SuiteRecipe, t: int, features: Sequence[str], form: OutputFormat
) -> None:
    """Print which of the possible combinations of feature values a suite contains."""
    material = assemble_sources(recipe, read_sources(recipe, suite, look_alikes=False))
    found = measure_coverage(suite, material, recipe.parts, t, features)
    print_frame(found.table, form, key="coverage")
    say(f"{found.covered:,} of {found.attested:,} combinations of {t} feature values are covered")
