"""Carrying a study out: suites, term lists, runs, scores, comparisons; all kept in its output folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text
from ...catalogues.core.settings import load
from ...catalogues.entities import read_entities
from ...catalogues.imports.registry import import_entities
from ...catalogues.query import Query
from ...catalogues.word_lists import WORDFREQ
from ...generator import build
from ...generator.recipe import PartRecipe, Recipe, SuiteSettings, read_recipe
from ...harness.evaluation import Gold, score_as_possible
from ...harness.running.recorded import record
from ...harness.running.run import run as run_tagger
from ...harness.running.runs import Run
from ...harness.scoring.classes import ALL, Class, read_classes
from ...harness.scoring.options import ScoringOptions
from ...harness.scoring.scores import Scores
from ...harness.tasks.section import (
    BacteriaBiotopeSection,
    BioidSection,
    IndexingSection,
    SectionResult,
    evaluate_section,
)
from ...sentences.formats.registry import read_corpus
from .checking import check_first, told_of
from .model import StudyFile, SuiteEntry, TermsEntry
from .places import Places

Say = Callable[[str], None]
AnySection = BioidSection | BacteriaBiotopeSection | IndexingSection


@dataclass(frozen=True)
class Scored:
    """One tagger over one suite or corpus, scored.

    Attributes
    ----------
    tagger, source : str
        Their names in the study.
    is_suite : bool
    run : Run
    scores : Scores
        As the study asks.
    notions : Scores
        Under all notions; the published counting of alternatives knows but one, and is left out here.
    """

    tagger: str
    source: str
    is_suite: bool
    run: Run
    scores: Scores
    notions: Scores


@dataclass(frozen=True)
class Outcome:
    """All that a study found.

    Attributes
    ----------
    study : StudyFile
    places : Places
    classes : list of Class
        Those that everything was scored by: of the classes file and of the predictions.
    scored : list of Scored
        In the order of the study file: taggers, then what was recorded; suites before corpora.
    evaluations : list of SectionResult
        Of the published evaluations.
    """

    study: StudyFile
    places: Places
    classes: list[Class]
    scored: list[Scored] = field(default_factory=list)
    evaluations: list[SectionResult] = field(default_factory=list)

    @property
    def table(self) -> pd.DataFrame:
        """The score table of everything; rows of different countings are told apart by their signature."""
        frames = []
        for item in self.scored:
            frames += (
                [item.scores.table]
                if item.notions is item.scores
                else [item.scores.table, item.notions.table]
            )
        return pd.concat(frames, ignore_index=True)

    def find(self, *, suite: bool) -> list[Scored]:
        """The runs over suites, or over corpora."""
        return [s for s in self.scored if s.is_suite is suite]


def read_study(file: Path) -> StudyFile:
    """Read a study file; errors name the key."""
    return load(file, StudyFile)


def carry_out(file: Path, out: Path, *, data: Path | None = None, jobs: int = 1, say: Say) -> Outcome:
    """Generate, run and score what a study file names.

    Suites and runs that are there already, made from the same things, are used again.

    Parameters
    ----------
    file : Path
        The study file.
    out : Path
        Gets ``suites/NAME``, ``terms/NAME.txt`` and ``runs/TAGGER--INPUT``.
    data : Path, optional
        What ``{data}`` stands for.
    jobs : int
        Taggers that run at once.
    say : callable
        Is told each step.
    """
    study = read_study(file)
    places = Places.of(file, out, data)
    check_first(study, places, file)
    classes = study_classes(study, places)
    scoring = scoring_options(study, places)
    for entry in study.terms:
        _write_terms(entry, places, say)
    inputs: dict[str, tuple[str, bool]] = {}
    for i, suite in enumerate(study.suite, 1):
        with told_of(file, f"suite[{i}]"):
            inputs[suite.name] = (str(_make_suite(suite, places, say)), True)
    for corpus in study.corpus:
        inputs[corpus.name] = (places.spec(corpus.gold), False)
    runs: list[tuple[str, str, Run]] = []
    for tagger in study.tagger:
        options = {k: places.fill(v) for k, v in tagger.options.items()}
        for name in tagger.on or inputs:
            say(f"running {tagger.name} over {name}")
            folder = out / "runs" / f"{tagger.name}--{name}"
            done = run_tagger(
                inputs[name][0], places.tagger(tagger.tagger), folder, options=options, jobs=jobs, force=True
            )
            if done.failed:
                say(f"{tagger.name} failed on {done.failed} of {done.meta['run']['cases']} cases of {name}:")
                for why in done.meta.get("failure", []):
                    said = f" ({why['stderr']})" if why["stderr"] else ""
                    say(f"  {why['outcome']}: {why['count']} cases: {why['said']}{said}")
                say(f"  `tagsuite taggers check {tagger.tagger}` helps to find out; all of it is in {folder}")
            runs.append((tagger.name, name, done))
    for item in study.recorded:
        say(f"taking what was recorded of {item.name} over {item.on}")
        folder = out / "runs" / f"{item.name}--{item.on}"
        kept = record(
            inputs[item.on][0],
            places.spec(item.predicted),
            item.name,
            folder,
            version=item.version,
            force=True,
        )
        runs.append((item.name, item.on, kept))
    outcome = Outcome(study, places, classes)
    golds: dict[str, Gold] = {}
    order = list(inputs)
    for tagger_name, name, done in sorted(runs, key=lambda r: order.index(r[1])):
        if name not in golds:
            golds[name] = Gold.of(replace(read_corpus(inputs[name][0]), name=name))
        say(f"scoring {tagger_name} over {name}")
        scores, notions = score_as_possible(
            done, golds[name], scoring, classes=classes, by=study.score.by, name=tagger_name
        )
        outcome.scored.append(Scored(tagger_name, name, inputs[name][1], done, scores, notions))
    for section in study.evaluation:
        say(f"evaluating {section.evaluate}")
        outcome.evaluations.append(evaluate_section(_section(section, places), places.here))
    return outcome


def _section(section: AnySection, places: Places) -> AnySection:
    """The section with the placeholders of its paths filled in."""
    values = section.model_dump()
    filled = {
        key: places.fill(value)
        if isinstance(value, str)
        else [places.fill(v) for v in value]
        if isinstance(value, list)
        else value
        for key, value in values.items()
    }
    return type(section).model_validate(filled)


def study_classes(study: StudyFile, places: Places) -> list[Class]:
    """The classes of the study's files: classes, predictions, criteria; each name once.

    Raises
    ------
    InputError
        When one name stands for two queries.
    """
    from ...harness.scoring.acceptance.criteria import read_criteria
    from ...harness.scoring.comparison.predictions import read_predictions_file

    listed: list[tuple[str, Class]] = []
    kept: set[str] = set()
    if study.score.classes:
        listed += [(study.score.classes, c) for c in read_classes(places.path(study.score.classes))]
    if study.predictions:
        found = read_predictions_file(places.path(study.predictions))
        listed += [(study.predictions, p.as_class) for p in found]
    kept.update(c.name for _, c in listed)
    if study.acceptance:
        listed += [(study.acceptance, c.one) for c in read_criteria(places.path(study.acceptance))]
    classes: dict[str, Class] = {}
    for file, one in listed:
        if str(classes.setdefault(one.name, one).query) != str(one.query):
            raise InputError(
                "two classes of one name and different queries", file=places.path(file), found=one.name
            )
    # a criterion without a query is about everything: as a class of its own it would say what `all` says
    return [
        c for name, c in classes.items() if name != ALL and (name in kept or not c.query.selects_everything)
    ]


def scoring_options(study: StudyFile, places: Places) -> ScoringOptions:
    """How a study scores; its word lists are read.

    Raises
    ------
    InputError
        When a list cannot be read.
    """
    given = study.score.model_dump(exclude={"classes", "by"})
    lists = given.pop("lists")
    given["lists"] = {n: f if f.startswith(WORDFREQ) else places.path(f) for n, f in lists.items()}
    return ScoringOptions(**given)


def _make_suite(entry: SuiteEntry, places: Places, say: Say) -> Path:
    folder = places.out / "suites" / entry.name
    if entry.recipe:
        source = places.path(entry.recipe)
        recipe = read_recipe(source)
        beside: Path | None = source.parent
    else:
        recipe = Recipe(
            suite=SuiteSettings(name=entry.name, seed=entry.seed, tag=entry.tag),
            part=[_placed(p, places) for p in entry.part],
        )
        beside = places.here
    say(f"generating the suite {entry.name}")
    counts = build.carry_out(build.make_plan(recipe, beside), folder, force=True)
    say(f"the suite {entry.name} has {counts.cases:,} cases and {counts.mentions:,} mentions")
    return folder


def _placed(part: PartRecipe, places: Places) -> PartRecipe:
    target = places.spec(part.target) if ":" in part.target else part.target
    return part.model_copy(update={"target": target})


def _write_terms(entry: TermsEntry, places: Places, say: Say) -> None:
    if entry.kind:
        frame, _ = import_entities(entry.kind, places.path(entry.file))
        say(f"{entry.name}: {len(frame):,} forms read from {Path(entry.file).name}")
    else:
        frame = read_entities(*(places.path(c) for c in entry.catalogue))
    chosen = frame.loc[Query.parse(entry.entities, scopes=("entity",)).evaluate(frame), "data"]
    terms = sorted(set(chosen.tolist()))
    if not terms:
        raise InputError("no entity is selected for the term list", found=entry.entities)
    with atomic_text(places.out / "terms" / f"{entry.name}.txt") as stream:
        stream.writelines(f"{t}\n" for t in terms)
    say(f"the term list {entry.name} has {len(terms):,} terms")
