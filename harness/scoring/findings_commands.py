"""Commands ``compare``, ``discover`` and ``accept``: what scores mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ...catalogues.core.tables import Format, emit, say
from .options import (
    AlternativesOption,
    ConfidenceOption,
    CountingOption,
    FormatOption,
    ListOption,
    NotionOption,
    PairingOption,
    TypeMapOption,
    TypesOption,
    how_of,
)

if TYPE_CHECKING:
    from .how import How

RunsArgument = Annotated[
    Optional[list[Path]],  # noqa: UP045
    typer.Argument(help="Run folders.", metavar="RUN...", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this chamber."""
    app.command("compare")(compare_command)
    app.command("discover")(discover_command)
    app.command("accept")(accept_command)


def compare_command(
    runs: RunsArgument = None,
    predictions: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Predictions file (TOML).", show_default=False),
    ] = None,
    suite: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="A run over a suite, whose results are the predictions.", show_default=False),
    ] = None,
    against: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="Another run of the same texts: the paired differences from it, per class.",
            show_default=False,
        ),
    ] = None,
    gold: Annotated[str, typer.Option(help="Compare with this corpus: FORMAT:PATH.")] = "",
    predicted: Annotated[
        str, typer.Option(help="A tagger's output recorded elsewhere: FORMAT:PATH; needs --gold.")
    ] = "",
    classes: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Classes file (TOML), with --suite or --against.", show_default=False),
    ] = None,
    by: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            help="With --suite or --against: a class for each value of this feature (repeatable).",
            show_default=False,
        ),
    ] = None,
    notion: NotionOption = "strict",
    pairing: PairingOption = "any",
    alternatives: AlternativesOption = "none",
    counting: CountingOption = "text",
    ignore_types: TypesOption = False,
    type_map: TypeMapOption = None,
    word_list: ListOption = None,
    confidence: ConfidenceOption = 0.95,
    scatter: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="With --suite: write each class's figures on suite and corpus here (CSV)."),
    ] = None,
    form: FormatOption = Format.table,
) -> None:
    """Compare what was predicted of classes with what a corpus shows: held, refuted or undecided.

    Example: tagsuite compare --predictions predictions.toml runs/kex--bc2gm

    With --against, compare taggers: tagsuite compare runs/kex --against runs/dictionary --by case
    """
    from .comparison.requests import check_choices, compare_files, printed

    check_choices(
        runs=runs or (),
        predictions=predictions,
        suite=suite,
        against=against,
        gold=gold,
        predicted=predicted,
        classes=classes,
        by=by or (),
        scatter=scatter,
    )
    how = how_of(
        pairing, alternatives, counting, ignore_types, confidence, lists=word_list, type_map=type_map
    )
    if against is not None:
        _differences(runs or [], against, how, gold, classes, by or [], notion, form)
        return
    found = compare_files(
        runs or [],
        how,
        predictions=predictions,
        suite=suite,
        gold=gold,
        predicted=predicted,
        classes=classes,
        by=by or (),
        notion=notion,
    )
    for note in found.notes:
        say(note)
    plain = form in (Format.table, Format.markdown)
    emit(printed(found.table) if plain else found.table, form, key="scores")
    if found.correlation is not None:
        for row in found.correlation.to_dict("records"):
            if row["rho"] == row["rho"]:
                # of three classes or fewer there is no interval
                known = row["rho_low"] == row["rho_low"]
                interval = f" ({row['rho_low']:.2f} to {row['rho_high']:.2f})" if known else ""
                say(
                    f"rank correlation of {row['measure']} between suite and {row['corpus']} ({row['run']}) "
                    f"over {row['classes']} classes: {row['rho']:.2f}{interval}"
                )
    if scatter is not None and found.points is not None:
        from ...catalogues.core.files import atomic_text
        from ...catalogues.core.tables import render

        with atomic_text(scatter) as stream:
            stream.write(render(found.points, Format.csv))


def _differences(
    runs: list[Path],
    against: Path,
    how: How,
    gold: str,
    classes: Path | None,
    by: list[str],
    notion: str,
    form: Format,
) -> None:
    from .comparison.requests import differences_of_runs, printed_differences

    found = differences_of_runs(runs, against, how, gold=gold, classes=classes, by=by, notion=notion)
    for note in found.notes:
        say(note)
    plain = form in (Format.table, Format.markdown)
    emit(printed_differences(found.table) if plain else found.table, form, key="differences")


def discover_command(
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")],
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--out", "-o", help="Predictions file to write (TOML).", show_default=False),
    ] = None,
    show: Annotated[
        str, typer.Option(help="faults, or costs: what each feature costs in minimal pairs.")
    ] = "faults",
    measure: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="recall or precision (repeatable); both by default.", show_default=False),
    ] = None,
    feature: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Search this feature (repeatable); all by default.", show_default=False),
    ] = None,
    depth: Annotated[int, typer.Option(help="Conditions at most.", min=1, max=4)] = 3,
    least: Annotated[int, typer.Option(help="Mentions that a class needs in each half.", min=2)] = 20,
    effect: Annotated[
        float, typer.Option(help="How far below every class with one condition fewer.", min=0.01, max=0.9)
    ] = 0.1,
    false_discoveries: Annotated[
        float, typer.Option(help="Rate of false discoveries.", min=0.0001, max=0.5)
    ] = 0.05,
    seed: Annotated[int, typer.Option(help="Of the halves.")] = 0,
    notion: NotionOption = "strict",
    gold: Annotated[str, typer.Option(help="Score against this corpus, not the run's own input.")] = "",
    pairing: PairingOption = "any",
    alternatives: AlternativesOption = "none",
    counting: CountingOption = "text",
    ignore_types: TypesOption = False,
    type_map: TypeMapOption = None,
    word_list: ListOption = None,
    confidence: ConfidenceOption = 0.95,
    form: FormatOption = Format.table,
) -> None:
    """Find which combinations of features a tagger fails at.

    One half of the entities and contexts (or documents) is searched, the other gives the figures.

    Example: tagsuite discover runs/kex --out predictions.toml
    """
    from .discovery.requests import check_show, discover_run

    check_show(show, out)
    found = discover_run(
        run,
        how_of(pairing, alternatives, counting, ignore_types, confidence, lists=word_list, type_map=type_map),
        show=show,
        out=out,
        gold=gold,
        notion=notion,
        measures=measure or None,
        features=feature or None,
        depth=depth,
        least=least,
        effect=effect,
        false_discoveries=false_discoveries,
        seed=seed,
    )
    for note in found.notes:
        say(note)
    plain = form in (Format.table, Format.markdown)
    emit(found.printed() if plain else found.table, form, key=show)
    for line in found.lines():
        say(line)


def accept_command(
    criteria: Annotated[Path, typer.Argument(help="Criteria file (TOML).", metavar="CRITERIA")],
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", metavar="RUN...")],
    junit: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Write a JUnit XML file for build servers.", show_default=False),
    ] = None,
    gold: Annotated[str, typer.Option(help="Score against this corpus, not the run's own input.")] = "",
    pairing: PairingOption = "any",
    alternatives: AlternativesOption = "none",
    counting: CountingOption = "text",
    ignore_types: TypesOption = False,
    type_map: TypeMapOption = None,
    word_list: ListOption = None,
    cases: Annotated[int, typer.Option(help="Failing cases to name, per criterion.", min=0)] = 5,
    seed: Annotated[int, typer.Option(help="Of the draw of failing cases.")] = 0,
    form: FormatOption = Format.table,
) -> None:
    """Accept or reject taggers by criteria; exit status 1 when one fails, with the failing cases named.

    Example: tagsuite accept criteria.toml runs/kex --junit results.xml
    """
    from .acceptance.accept import accept_files, printed
    from .acceptance.junit import junit_xml

    found = accept_files(
        criteria,
        runs,
        how_of(pairing, alternatives, counting, ignore_types, lists=word_list, type_map=type_map),
        gold=gold,
        cases=cases,
        seed=seed,
    )
    for note in found.notes:
        say(note)
    plain = form in (Format.table, Format.markdown)
    emit(printed(found.table) if plain else found.table, form, key="criteria")
    for line in found.lines():
        say(line)
    if junit is not None:
        from ...catalogues.core.files import atomic_text

        with atomic_text(junit) as stream:
            stream.write(junit_xml(found))
    if not found.passed:
        raise typer.Exit(1)
