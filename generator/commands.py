"""The command `generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..catalogues.core.command_line import FormatOption
from ..catalogues.core.errors import InputError
from ..catalogues.core.options import with_options
from ..catalogues.core.tables import OutputFormat
from .recipe import DEFAULT_MAX_CASES, PART_OPTIONS, SUITE_OPTIONS, PartOptions, SuiteOptions, SuiteRecipe

REPLACEABLE_OPTIONS = ("catalogue", "sentences")
"""The options that stand in for what a recipe's file says."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("generate")(generate)


@with_options(part=[name for name in PART_OPTIONS if name != "shares"])
def generate(
    *,
    context: typer.Context,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The suite folder to write.")] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="A suite.toml (or its folder): make that suite again, or by its recipe."),
    ] = None,
    part: PartOptions,
    suite: SuiteOptions,
    also: Annotated[
        list[str] | None, typer.Option(help="FORMAT:PATH: write the suite in this format as well.")
    ] = None,
    max_cases: Annotated[int, typer.Option(help="Refuse to write more cases.")] = DEFAULT_MAX_CASES,
    dry_run: Annotated[
        bool, typer.Option(help="Say how many cases, how large and how covered; write nothing.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Replace the folder if it holds a suite.")] = False,
    verify: Annotated[
        Path | None,
        typer.Option(help="A suite: report which combinations of feature values it covers; make nothing."),
    ] = None,
    form: FormatOption = OutputFormat.table,
) -> None:
    """Make a suite: put the entities that a query selects into the contexts that a query selects.

    Example: tagsuite generate --entities 'case = upper' --combine each -o upper
    """
    from . import workflow
    from .recipe_file import read_recipe, replace_catalogues

    if source is not None:
        _refuse_beside_recipe(context)
    if verify is not None:
        recipe = replace_catalogues(read_recipe(verify), suite)
        workflow.report_coverage(verify, recipe, part.t or 2, part.features, form)
        return
    if out is None and not dry_run:
        raise typer.BadParameter("needed, unless --dry-run or --verify is given", param_hint="--out")
    beside: Path | None = None
    if source is None:
        recipe = SuiteRecipe((part,), suite)
    else:
        recipe = replace_catalogues(read_recipe(source), suite)
        beside = source if source.is_dir() else source.parent
    plan = workflow.plan_suite(recipe, beside, max_cases)
    if dry_run or out is None:
        workflow.report_plan(plan, max_cases, form)
    else:
        workflow.write_planned_suite(plan, out, max_cases=max_cases, force=force, form=form)
        for spec in also or ():
            workflow.write_other_format(out, spec)


def _refuse_beside_recipe(context: typer.Context) -> None:
    """Refuse options that a recipe says itself: they would be ignored."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        declared = (
            parameter.name in (*PART_OPTIONS, *SUITE_OPTIONS) and parameter.name not in REPLACEABLE_OPTIONS
        )
        if declared and source is not None and source.name == "COMMANDLINE":
            raise InputError(
                "--from takes the recipe as it is",
                found=parameter.opts[0],
                allowed="a change in the recipe; --catalogue and --sentences stand in for its own",
            )
