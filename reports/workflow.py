"""A study from start to end: suites, term lists, runs, scores, evaluations, tables, verdict, report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text
from ..catalogues.core.output_folder import claim_folder
from ..catalogues.core.settings import options_of
from ..catalogues.core.tables import Say
from ..catalogues.entities import read_entities
from ..catalogues.imports.registry import import_entities
from ..catalogues.query import Query
from ..catalogues.word_lists import WORDFREQ
from ..generator.perturbing.options import PerturbOptions
from ..generator.recipe import PartOptions, SuiteOptions, SuiteRecipe
from ..generator.recipe_file import read_recipe
from ..generator.suite import generate
from ..harness.running.folder.recorded import record
from ..harness.running.folder.runs import Run
from ..harness.running.preparation import prepare
from ..harness.running.repeat_options import RepeatOptions
from ..harness.running.run import run as run_tagger
from ..harness.running.tagger import Tagger
from ..harness.scoring.acceptance.criteria import read_criteria
from ..harness.scoring.classes import ALL, Class, join_classes, read_classes
from ..harness.scoring.comparison.predictions import read_predictions_file
from ..harness.scoring.options import ClassOptions, ScoringOptions
from ..harness.scoring.runs import Gold
from ..harness.tasks.section import (
    AnySection,
    evaluate_section,
)
from ..harness.varying import run_varied
from ..sentences.formats.registry import read_corpus
from .invariance import invariance_of
from .invariance_folder import Invariance
from .outcome import Outcome, judge, search, study_tables, write_report, write_tables
from .sections.entries import Entry, scored, type_notes
from .study import (
    Places,
    StudyFile,
    SuiteEntry,
    TermsEntry,
    check_study,
    input_paths,
    located,
    read_study,
)
from .study_tables import brief, discovered_tables

Show = Callable[[str, pd.DataFrame], None]


@dataclass(frozen=True)
class StudyRun:
    """A run of a study: its tagger's and input's names in the study file, and the run folder's content."""

    tagger: str
    source: str
    run: Run


def run_study(
    file: Path,
    out: Path,
    *,
    data: Path | None = None,
    jobs: int = 1,
    force: bool = False,
    say: Say,
    show: Show,
) -> int:
    """Run a study, write its files, and show its tables.

    Parameters
    ----------
    file : Path
        The study file.
    out : Path
        Gets ``suites/NAME``, ``terms/NAME.txt``, ``runs/TAGGER--INPUT``, ``invariance/TAGGER--INPUT``, the
        tables and the report. Suites and runs that are there already, made from the same things, are used
        again.
    data : Path, optional
        What ``{data}`` stands for.
    jobs : int
        Taggers that run at once.
    force : bool
        Whether a study in `out` is deleted first.
    say, show : callable
        Called with each step; with the title and rows of each table.

    Returns
    -------
    int
        The exit status: 1 when an acceptance criterion failed, 3 when a tagger failed on some input, else 0.
    """
    inputs = [file]
    if force:
        # nothing is deleted for a study that cannot be run
        study, places = read_study(file), Places.of(file, out, data)
        check_study(study, places, file)
        inputs += input_paths(study, places)
    with claim_folder(out, "study", force=force, inputs=inputs):
        return run_study_in(file, out, data=data, jobs=jobs, say=say, show=show)


def run_study_in(
    file: Path, out: Path, *, data: Path | None = None, jobs: int = 1, say: Say, show: Show
) -> int:
    """Run a study in a folder that is claimed for it; see `run_study`."""
    outcome = study_outcome(file, out, data=data, jobs=jobs, say=say)
    tables = study_tables(outcome)
    judged = judge(outcome)
    if len(judged.table):
        tables["acceptance criteria"] = judged.table
    discovered = search(outcome, say)
    tables |= discovered_tables(discovered)
    write_tables(outcome, tables, judged)
    command = ["tagsuite", "study", str(file), "--out", str(out)]
    if data is not None:
        command += ["--data", str(data)]
    write_report(outcome, judged, discovered, command)
    for title, frame in tables.items():
        show(title, brief(frame))
    for line in [*(note for e in outcome.evaluations for note in e.notes), *judged.lines]:
        say(line)
    if not judged.passed:
        return 1
    failed = [*(e.run.failed for e in outcome.entries if e.run), *(i.failed for i in outcome.invariance)]
    return 3 if any(failed) else 0


def study_outcome(file: Path, out: Path, *, data: Path | None = None, jobs: int = 1, say: Say) -> Outcome:
    """Generate, run and score what a study file names; see `run_study`."""
    study = read_study(file)
    places = Places.of(file, out, data)
    check_study(study, places, file)
    asked = ClassOptions(study_classes(study, places), study.score.by)
    options = scoring_options(study, places)
    for entry in study.terms:
        _write_terms(entry, places, say)
    # by name what taggers are run over: a suite folder, or FORMAT:PATH of a corpus
    inputs: dict[str, str] = {}
    for i, suite in enumerate(study.suite, 1):
        with located(file, f"suite[{i}]"):
            inputs[suite.name] = str(_make_suite(suite, places, say))
    for corpus in study.corpus:
        inputs[corpus.name] = places.spec(corpus.gold)
    runs = _run_taggers(study, places, inputs, out / "runs", jobs, say)
    runs += _record(study, places, inputs, out / "runs", say)
    entries = _score_runs(study, runs, inputs, options, asked, say)
    for note in type_notes(entries):
        say(note)
    invariance = _perturb(study, places, inputs, options, asked, jobs, say)
    outcome = Outcome(study, places, entries, invariance)
    for section in study.evaluation:
        say(f"evaluating {section.evaluate}")
        outcome.evaluations.append(evaluate_section(_filled(section, places), places.here))
    return outcome


def study_classes(study: StudyFile, places: Places) -> list[Class]:
    """The classes of the study's files: classes, predictions, criteria; each name once.

    Raises
    ------
    InputError
        When one name stands for two queries.
    """
    listed: list[tuple[Path | None, Class]] = []
    if study.score.classes:
        path = places.path(study.score.classes)
        listed += [(path, c) for c in read_classes(path)]
    if study.predictions:
        path = places.path(study.predictions)
        listed += [(path, p) for p in read_predictions_file(path)]
    kept = {c.name for _, c in listed}
    if study.acceptance:
        path = places.path(study.acceptance)
        listed += [(path, c.one) for c in read_criteria(path)]
    # a criterion without a query is about everything: as a class of its own it would repeat `all`
    return [
        c
        for name, c in join_classes(listed).items()
        if name != ALL and (name in kept or not c.query.selects_everything)
    ]


def _run_taggers(
    study: StudyFile, places: Places, inputs: Mapping[str, str], out: Path, jobs: int, say: Say
) -> list[StudyRun]:
    """Run every tagger over the suites and corpora that it names, or over all."""
    runs = []
    for tagger in study.tagger:
        options = {k: places.fill(v) for k, v in tagger.options.items()}
        repeating = options_of(RepeatOptions, tagger)
        # once for all inputs: a program may have to be started to tell its version
        ready: Tagger | None = None
        for name in tagger.on or inputs:
            say(f"running {tagger.name} over {name}")
            folder = out / f"{tagger.name}--{name}"
            ready = ready or prepare(places.tagger(tagger.tagger), options)
            place = inputs[name]
            made, once = partial(_as_it_is, ready), partial(_run_once, place, jobs)
            run = run_varied(place, made, folder, repeating, options, once)[0].run
            if run.failed:
                say(f"{tagger.name} failed on {run.failed} of {run.meta['run']['cases']} cases of {name}:")
                for failure in run.meta.get("failure", []):
                    printed = f" ({failure['stderr']})" if failure["stderr"] else ""
                    say(f"  {failure['outcome']}: {failure['count']} cases: {failure['said']}{printed}")
                say(
                    f"  `tagsuite taggers check {tagger.tagger}` helps to find the cause; "
                    f"all messages are in {folder}"
                )
            runs.append(StudyRun(tagger.name, name, run))
    return runs


def _as_it_is(ready: Tagger, _: Mapping[str, object]) -> Tagger:
    """A tagger that is made ready: in a study no option varies."""
    return ready


def _run_once(place: str, jobs: int, program: Tagger, number: int, folder: Path) -> Run:
    """One repetition of a run of a study."""
    return run_tagger(place, program, folder, jobs=jobs, force=True, renew=False, repeat=number)


def _perturb(
    study: StudyFile,
    places: Places,
    inputs: Mapping[str, str],
    scoring: ScoringOptions,
    asked: ClassOptions,
    jobs: int,
    say: Say,
) -> list[Invariance]:
    """Run the study's taggers over perturbed copies of their inputs, where the study asks for it."""
    if study.invariance is None:
        return []
    perturbing = options_of(PerturbOptions, study.invariance)
    found = []
    for tagger in study.tagger:
        options = {k: places.fill(v) for k, v in tagger.options.items()}
        for name in study.sources(study.invariance.on):
            if name not in (tagger.on or inputs):
                continue
            say(f"running {tagger.name} over perturbed copies of {name}")
            one = invariance_of(
                inputs[name],
                places.tagger(tagger.tagger),
                places.out / "invariance" / f"{tagger.name}--{name}",
                perturbing,
                scoring,
                asked,
                options=options,
                jobs=jobs,
                force=True,
                renew=False,
                say=say,
            )
            found.append(one.named(tagger.name, name))
    return found


def _record(
    study: StudyFile, places: Places, inputs: Mapping[str, str], out: Path, say: Say
) -> list[StudyRun]:
    """Make runs of output that was recorded elsewhere."""
    runs = []
    for item in study.recorded:
        say(f"reading the recorded output of {item.name} over {item.on}")
        folder = out / f"{item.name}--{item.on}"
        predicted = places.spec(item.predicted)
        run = record(inputs[item.on], predicted, item.name, folder, version=item.version, force=True)
        runs.append(StudyRun(item.name, item.on, run))
    return runs


def _score_runs(
    study: StudyFile,
    runs: Sequence[StudyRun],
    inputs: Mapping[str, str],
    options: ScoringOptions,
    asked: ClassOptions,
    say: Say,
) -> list[Entry]:
    """Score the runs, input by input; each input is read once."""
    entries = []
    golds: dict[str, Gold] = {}
    order, suites = list(inputs), {suite.name for suite in study.suite}
    for done in sorted(runs, key=lambda r: order.index(r.source)):
        tagger, source = done.tagger, done.source
        if source not in golds:
            golds[source] = Gold.of(replace(read_corpus(inputs[source]), name=source))
        say(f"scoring {tagger} over {source}")
        gold = golds[source]
        both = scored(done.run, gold, options, asked, name=tagger)
        entries.append(Entry(tagger, source, source in suites, done.run, *both))
    return entries


def scoring_options(study: StudyFile, places: Places) -> ScoringOptions:
    """The study's scoring options, its word lists read.

    Raises
    ------
    InputError
        When a list cannot be read.
    """
    given = study.score.model_dump(exclude={"classes", "by"})
    lists = given.pop("lists")
    given["lists"] = {n: f if f.startswith(WORDFREQ) else places.path(f) for n, f in lists.items()}
    return ScoringOptions(**given)


def _filled(section: AnySection, places: Places) -> AnySection:
    """An evaluation, the placeholders of its paths filled in."""
    values = section.model_dump()
    filled = {
        key: places.fill(value)
        if isinstance(value, str)
        else [places.fill(v) for v in value]
        if isinstance(value, list)
        else value
        for key, value in values.items()
    }
    made: AnySection = type(section).model_validate(filled)
    return made


def _make_suite(entry: SuiteEntry, places: Places, say: Say) -> Path:
    """Generate a suite; its folder."""
    folder = places.out / "suites" / entry.name
    if entry.recipe:
        source = places.path(entry.recipe)
        recipe = read_recipe(source)
        beside: Path | None = source.parent
    else:
        recipe = SuiteRecipe(
            tuple(_with_target(p.options, places) for p in entry.part),
            SuiteOptions(name=entry.name, seed=entry.seed, tag=entry.tag),
        )
        beside = places.here
    say(f"generating {entry.name}")
    counts = generate(recipe, folder, beside=beside, force=True)
    say(f"the suite {entry.name} has {counts.cases:,} cases and {counts.mentions:,} mentions")
    if counts.warning:
        say(counts.warning)
    return folder


def _with_target(part: PartOptions, places: Places) -> PartOptions:
    """A part of a suite, the path of its target made absolute."""
    target = places.spec(part.target) if ":" in part.target else part.target
    return replace(part, target=target)


def _write_terms(entry: TermsEntry, places: Places, say: Say) -> None:
    """Write a term list, sorted, each term once."""
    query = Query.parse(entry.entities, scopes=("entity",))
    if entry.kind:
        # a nomenclature is long: of its forms only what the query asks is computed
        frame, _ = import_entities(entry.kind, places.path(entry.file), features=query.columns)
        say(f"{entry.name}: {len(frame):,} forms read from {Path(entry.file).name}")
    else:
        frame = read_entities(*(places.path(c) for c in entry.catalogue))
    chosen = frame.loc[query.evaluate(frame), "data"]
    terms = sorted(set(chosen.tolist()))
    if not terms:
        raise InputError(f"term list {entry.name}: the query selects no entity", found=entry.entities)
    with atomic_text(places.out / "terms" / f"{entry.name}.txt") as stream:
        stream.writelines(f"{t}\n" for t in terms)
    say(f"the term list {entry.name} has {len(terms):,} terms")
