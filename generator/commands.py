"""Command `generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..catalogues.core.command_line import FormatOption, force_option
from ..catalogues.core.errors import InputError
from ..catalogues.core.options import COMMON, OUTPUT, with_options
from ..catalogues.core.tables import OutputFormat
from .part_options import DEFAULT_T, PART_OPTIONS, SAMPLING, PartOptions
from .recipe import CATALOGUES, DEFAULT_MAX_CASES, SUITE_OPTIONS, SuiteOptions, SuiteRecipe

REPLACEABLE_OPTIONS = ("catalogue", "sentences")
"""Catalogue options that can be combined with --from; they replace the catalogues of the recipe."""


def register(app: typer.Typer) -> None:
    """Add the command `generate` to the program."""
    app.command("generate")(generate)


@with_options(
    part=[name for name in PART_OPTIONS if name != "shares"],
    suite=[name for name in SUITE_OPTIONS if name != "name"],
)
def generate(
    *,
    context: typer.Context,
    part: PartOptions,
    suite: SuiteOptions,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Suite folder to write.", rich_help_panel=COMMON),
    ] = None,
    max_cases: Annotated[
        int,
        typer.Option(
            help="Maximum number of cases; a larger suite is not written.", rich_help_panel=SAMPLING
        ),
    ] = DEFAULT_MAX_CASES,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FOLDER|FILE",
            help="Suite folder or recipe file (suite.toml) from which to make the suite.",
            rich_help_panel=CATALOGUES,
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FORMAT:PATH",
            help="Also write the suite in another format (repeatable).",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    force: Annotated[bool, force_option("a suite")] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print the number of cases, the size and the coverage, without writing a suite.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    verify: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Print which combinations of feature values an existing suite covers.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Make a suite of sentences that contain selected entities.

    Example: tagsuite generate --entities 'case = upper' --combine each -o upper

    Combine methods: sample (random sample), product (each entity in each slot), tway (fewest cases that
    cover all combinations of N feature values), zip (the next unused entity in each slot), each (every entity
    and every context at least once), contrast (minimal pairs).
    """
    from . import workflow
    from .recipe_file import read_recipe, replace_catalogues

    if source is not None:
        _refuse_recipe_options(context)
    if verify is not None:
        recipe = replace_catalogues(read_recipe(verify), suite)
        workflow.report_coverage(verify, recipe, part.t or DEFAULT_T, part.features, form)
        return
    if out is None and not dry_run:
        raise typer.BadParameter("required unless --dry-run or --verify is given", param_hint="--out")
    recipe_folder: Path | None = None
    if source is None:
        recipe = SuiteRecipe((part,), suite)
    else:
        recipe = replace_catalogues(read_recipe(source), suite)
        recipe_folder = source if source.is_dir() else source.parent
    plan = workflow.plan_suite(recipe, recipe_folder, max_cases)
    if dry_run or out is None:
        workflow.report_plan(plan, max_cases, form)
    else:
        workflow.write_planned_suite(plan, out, max_cases=max_cases, force=force, form=form)
        for spec in also or ():
            workflow.write_other_format(out, spec)


def _refuse_recipe_options(context: typer.Context) -> None:
    """Raise InputError if an option is given that cannot be combined with --from."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        is_in_recipe = (
            parameter.name in (*PART_OPTIONS, *SUITE_OPTIONS) and parameter.name not in REPLACEABLE_OPTIONS
        )
        if is_in_recipe and source is not None and source.name == "COMMANDLINE":
            raise InputError(
                "with --from, most options can be changed only in the recipe file",
                found=parameter.opts[0],
                allowed="--catalogue and --sentences",
            )
