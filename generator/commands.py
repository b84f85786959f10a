"""The command `generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..catalogues.core.errors import InputError
from ..catalogues.core.tables import Format

BESIDE_RECIPE = frozenset(
    ("out", "recipe", "catalogue", "sentences", "also", "max_cases", "dry_run", "force", "verify", "form")
)
"""What the command itself looks at when it makes a recipe's suite."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("generate")(generate)


def generate(
    context: typer.Context,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The suite folder to write.")] = None,
    entities: Annotated[str, typer.Option(help="Query that selects entities.")] = "all",
    contexts: Annotated[str, typer.Option(help="Query that selects contexts, and slots in them.")] = "all",
    recipe: Annotated[
        Path | None,
        typer.Option("--from", help="A suite.toml (or its folder): make that suite again, or what it says."),
    ] = None,
    combine: Annotated[str, typer.Option(help="product, sample, tway, zip, each or contrast.")] = "product",
    fill: Annotated[
        str, typer.Option(help="Other slots of a sentence: draw (seeded), or product (all of them in turn).")
    ] = "draw",
    size: Annotated[int | None, typer.Option(help="Cases of a sample.")] = None,
    seed: Annotated[int, typer.Option(help="What all draws hang on.")] = 0,
    t: Annotated[
        int | None,
        typer.Option("--t", min=1, max=6, help="tway: how many features are combined (2 when not given)."),
    ] = None,
    times: Annotated[int, typer.Option(help="tway: how often each combination occurs at least.")] = 1,
    limit: Annotated[int | None, typer.Option(help="tway: no more than the best so many cases.")] = None,
    feature: Annotated[
        list[str] | None,
        typer.Option(help="tway and --verify: a feature to combine; all closed ones when not given."),
    ] = None,
    stratify: Annotated[
        list[str] | None, typer.Option(help="sample: share the cases out over this feature's values.")
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            help="sample: shares of the strata as in a corpus (FORMAT:PATH), 'uniform' or 'proportional'."
        ),
    ] = "",
    contrast: Annotated[
        list[str] | None, typer.Option(help="contrast: the feature that the cases of a pair differ in.")
    ] = None,
    slot: Annotated[
        list[str] | None, typer.Option(help="PLACE=QUERY: who may stand in a slot (1, 2, …).")
    ] = None,
    appositives: Annotated[
        str, typer.Option(help="Name and symbol in apposition: own (of one entry only), prefer, or any.")
    ] = "prefer",
    repeat_forms: Annotated[bool, typer.Option(help="Let a form stand twice in one case.")] = False,
    list_length: Annotated[
        list[int] | None, typer.Option(help="Make list contexts of this many members as well.")
    ] = None,
    weight: Annotated[
        list[str] | None, typer.Option(help="TIMES=QUERY: repeat the cases that the query selects.")
    ] = None,
    max_per: Annotated[
        list[str] | None,
        typer.Option(help="N=QUERY or N=FEATURE: no more cases than N of these, or of each value."),
    ] = None,
    look_alikes: Annotated[
        str, typer.Option(help="Query that selects look-alikes to put into slots as non-entities.")
    ] = "",
    negatives: Annotated[
        float | None, typer.Option(help="Share of cases that hold no entity (fp contexts, look-alikes).")
    ] = None,
    controls: Annotated[float | None, typer.Option(help="Share of cases that are fp contexts.")] = None,
    catalogue: Annotated[
        list[Path] | None, typer.Option(help="Entities; the bundled ones when not given.")
    ] = None,
    sentences: Annotated[
        list[Path] | None, typer.Option(help="Contexts; the bundled ones when not given.")
    ] = None,
    look_alikes_file: Annotated[
        list[Path] | None, typer.Option(help="Look-alikes; the bundled ones when not given.")
    ] = None,
    word_list: Annotated[
        list[str] | None,
        typer.Option(
            "--list", help="NAME=FILE (an entry a line) or NAME=wordfreq:N: the feature in_list.NAME."
        ),
    ] = None,
    tag: Annotated[str, typer.Option(help="Tag of mentions in gold.sgml, and their type.")] = "gp",
    capitalise_initial: Annotated[
        bool, typer.Option(help="Begin sentences with a capital whatever the entity is.")
    ] = False,
    name: Annotated[str, typer.Option(help="The suite's name; its folder's when not given.")] = "",
    also: Annotated[
        list[str] | None, typer.Option(help="FORMAT:PATH: write the suite in this format as well.")
    ] = None,
    max_cases: Annotated[int, typer.Option(help="Refuse to write more cases.")] = 1_000_000,
    dry_run: Annotated[
        bool, typer.Option(help="Say how many cases, how large and how covered; write nothing.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Replace the folder if it exists.")] = False,
    verify: Annotated[
        Path | None,
        typer.Option(help="A suite: report which combinations of feature values it covers; make nothing."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How the result is printed.")] = Format.table,
) -> None:
    """Make a suite: put the entities that a query selects into the contexts that a query selects.

    Example: tagsuite generate --entities 'case = upper' --combine each -o upper
    """
    from . import running

    if recipe is not None:
        _refuse_beside_recipe(context)
    if verify is not None:
        running.report_coverage(verify, t or 2, tuple(feature or ()), form, catalogue or [], sentences or [])
        return
    if out is None and not dry_run:
        raise typer.BadParameter("needed, unless --dry-run or --verify is given", param_hint="--out")
    suite: dict[str, Any] = {
        "name": name or (out.resolve().name if out is not None else ""),
        "seed": seed,
        "tag": tag,
        "capitalise_initial": capitalise_initial,
        "catalogue": [p.as_posix() for p in catalogue or []],
        "sentences": [p.as_posix() for p in sentences or []],
        "look_alikes": [p.as_posix() for p in look_alikes_file or []],
        "lists": running.assignments(word_list, "--list"),
    }
    part: dict[str, Any] = {
        "entities": entities,
        "contexts": contexts,
        "look_alikes": look_alikes,
        "combine": combine,
        "fill": fill,
        "size": size,
        "stratify": stratify or [],
        "target": target,
        "t": t,
        "times": times,
        "limit": limit,
        "features": feature or [],
        "contrast": contrast or [],
        "slots": running.assignments(slot, "--slot"),
        "appositives": appositives,
        "repeat_forms": repeat_forms,
        "list_lengths": list_length or [],
        "weights": running.weights(weight),
        "max_per": running.limits(max_per),
        "negatives": negatives,
        "controls": controls,
    }
    running.run(
        running.recipe_of(suite, part)
        if recipe is None
        else running.recipe_from(recipe, catalogue, sentences),
        out,
        beside=None if recipe is None else (recipe if recipe.is_dir() else recipe.parent),
        also=tuple(also or ()),
        max_cases=max_cases,
        dry_run=dry_run,
        force=force,
        form=form,
    )


def _refuse_beside_recipe(context: typer.Context) -> None:
    """Refuse options that a recipe says itself: they would be ignored."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name not in BESIDE_RECIPE and source is not None and source.name == "COMMANDLINE":
            raise InputError(
                "--from takes the recipe as it is",
                found=parameter.opts[0],
                allowed="a change in the recipe; --catalogue and --sentences stand in for its own",
            )
