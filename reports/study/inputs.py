"""Functions that write the suites and term lists of a study and locate its corpora."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text
from ...catalogues.core.messages import MessageFunction
from ...catalogues.entities import read_entities
from ...catalogues.imports.registry import import_entities
from ...catalogues.query import Query
from ...catalogues.values import column_texts
from ...generator.part_options import PartOptions
from ...generator.recipe import SuiteOptions, SuiteRecipe
from ...generator.recipe_file import read_recipe
from ...generator.suite import generate
from ..cells import format_quantity
from .entries import SuiteEntry, TermsEntry
from .study_file import StudyFile, StudyPaths, locate_errors


def make_inputs(study: StudyFile, places: StudyPaths, say: MessageFunction) -> dict[str, str]:
    """Write the term lists and suites of a study, and return its suites and corpora by name."""
    for entry in study.terms:
        _write_terms(entry, places, say)
    inputs: dict[str, str] = {}
    for i, suite in enumerate(study.suite, 1):
        with locate_errors(places.file, f"suite[{i}]"):
            inputs[suite.name] = str(_make_suite(suite, study, places, say))
    return inputs | {corpus.name: places.resolve_spec(corpus.gold) for corpus in study.corpus}


def _make_suite(entry: SuiteEntry, study: StudyFile, places: StudyPaths, say: MessageFunction) -> Path:
    """Generate a suite and return its folder."""
    folder = places.out / "suites" / entry.name
    if entry.recipe:
        source = places.resolve_path(entry.recipe)
        recipe, beside = read_recipe(source), source.parent
    else:
        recipe = SuiteRecipe(
            tuple(_resolve_target(p.options, places) for p in entry.part),
            SuiteOptions(
                name=entry.name,
                seed=entry.seed,
                tag=entry.tag,
                catalogue=tuple(str(places.resolve_path(c)) for c in entry.catalogue),
                sentences=tuple(str(places.resolve_path(s)) for s in entry.sentences),
            ),
        )
        beside = places.folder
    label = f"suite {entry.name}" if len(study.suite) > 1 else "suite"
    say(f"generating the {label}")
    counts = generate(recipe, folder, recipe_folder=beside, force=True)
    size = f"{format_quantity(counts.cases, 'case')} and {format_quantity(counts.mentions, 'mention')}"
    say(f"the {label} has {size}")
    if counts.warning:
        say(counts.warning)
    return folder


def _resolve_target(part: PartOptions, places: StudyPaths) -> PartOptions:
    """Return the options of a suite part; if `target` is a path, it is made absolute."""
    target = places.resolve_spec(part.target) if ":" in part.target else part.target
    return replace(part, target=target)


def _write_terms(entry: TermsEntry, places: StudyPaths, say: MessageFunction) -> None:
    """Write a sorted list of distinct terms, with their types and identifiers if the catalogue has types."""
    query = Query.parse(entry.entities, scopes=("entity",))
    if entry.kind:
        # nomenclatures are long, so only the features in the query are computed
        frame, _ = import_entities(entry.kind, places.resolve_path(entry.file), features=query.columns)
        say(
            f"term list {entry.name}: {format_quantity(len(frame), 'form')} read from {Path(entry.file).name}"
        )
    else:
        frame = read_entities(*(places.resolve_path(c) for c in entry.catalogue))
    chosen = frame[query.evaluate(frame)]
    columns = ["data", *(c for c in ("type", "source_id") if "type" in chosen)]
    lines = zip(*(column_texts(chosen, c).tolist() for c in columns), strict=True)
    terms = sorted({"\t".join(line).rstrip("\t") for line in lines})
    if not terms:
        raise InputError(f"term list {entry.name}: the query selects no entities", found=entry.entities)
    with atomic_text(places.out / "terms" / f"{entry.name}.txt") as stream:
        stream.writelines(f"{t}\n" for t in terms)
    say(f"the term list {entry.name} has {format_quantity(len(terms), 'term')}")
