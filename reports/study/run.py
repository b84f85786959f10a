"""Execution of studies: suites, term lists, runs, scores, evaluations, acceptance, report."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text
from ...catalogues.core.messages import MessageFunction
from ...catalogues.core.output_folder import claim_folder
from ...catalogues.core.settings import make_options
from ...catalogues.entities import read_entities
from ...catalogues.imports.registry import import_entities
from ...catalogues.query import Query
from ...catalogues.word_lists import WORDFREQ_PREFIX
from ...generator.perturbing.options import PerturbOptions
from ...generator.recipe import PartOptions, SuiteOptions, SuiteRecipe
from ...generator.recipe_file import read_recipe
from ...generator.suite import generate
from ...harness.running.folder.recording import record_predictions
from ...harness.running.folder.runs import Run
from ...harness.running.preparation import prepare_tagger
from ...harness.running.repeats import run_repeatedly
from ...harness.running.run import run as run_tagger
from ...harness.running.tagger import Tagger
from ...harness.scoring.acceptance.criteria import read_criteria
from ...harness.scoring.classes import ALL, Class, join_classes, read_classes
from ...harness.scoring.comparison.predictions import read_predictions_file
from ...harness.scoring.options import ClassOptions, ScoringOptions
from ...harness.scoring.score_runs import GoldCorpus
from ...harness.tasks.section import AnySection, evaluate_section
from ...sentences.formats.registry import read_corpus
from ..build import build_report
from ..invariance.folder import InvarianceResult
from ..invariance.run import run_invariance
from ..model import Report
from ..sections.findings import Findings, ScoredRun, score_with_notions, type_notes
from ..sections.transfer import compare_and_estimate
from .entries import SuiteEntry, TaggerEntry, TermsEntry
from .results import join_tables, judge_criteria, search_faults, write_results
from .study_file import StudyFile, StudyPaths, locate_errors, make_transfer_options, read_study

ShowReport = Callable[[Report], None]


def run_study(
    file: Path,
    out: Path,
    *,
    data: Path | None = None,
    jobs: int = 1,
    force: bool = False,
    say: MessageFunction,
    show: ShowReport,
) -> int:
    """Run a study, write its files and show its report.

    Parameters
    ----------
    file : Path
        Study file.
    out : Path
        Output folder for ``suites/NAME``, ``terms/NAME.txt``, ``runs/TAGGER--INPUT``,
        ``invariance/TAGGER--INPUT``, the tables and the report. Existing suites and runs are reused if
        nothing that they depend on has changed.
    data : Path, optional
        Folder that replaces ``{data}`` in paths of the study file.
    jobs : int
        Number of taggers that run in parallel.
    force : bool
        Whether to delete an existing study in `out` first.
    say : callable
        Receives progress messages.
    show : callable
        Receives the report, to show it.

    Returns
    -------
    int
        Exit status: 1 if an acceptance criterion failed, 3 if a tagger failed on some input, else 0.
    """
    places = StudyPaths.from_file(file, out, data)
    # the study is checked before anything is deleted
    study = read_study(file, places)
    command = ["tagsuite", "study", str(file), "--out", str(out)]
    command += [] if data is None else ["--data", str(data)]
    with claim_folder(out, "study", force=force, inputs=[file, *places.list_inputs(study)]):
        return run_study_in(study, places, command, jobs=jobs, say=say, show=show)


def run_study_in(
    study: StudyFile,
    places: StudyPaths,
    command: Sequence[str],
    *,
    jobs: int = 1,
    say: MessageFunction,
    show: ShowReport,
) -> int:
    """Run a study whose output folder is prepared; see `run_study`."""
    options = make_scoring_options(study, places)
    asked = ClassOptions(read_study_classes(study, places), study.score.by)
    work = _StudyRun(study, places, _make_inputs(study, places, say), jobs, say)
    entries = work.score([*work.run_taggers(), *work.read_recorded()], options, asked)
    for note in type_notes(entries):
        say(note)
    invariance = work.perturb(options, asked)
    evaluations = []
    for section in study.evaluation:
        say(f"evaluating {section.evaluate}")
        evaluations.append(evaluate_section(_fill_section(section, places), places.folder))
    predictions = read_predictions_file(places.resolve_path(study.predictions)) if study.predictions else []
    confidence = study.score.confidence
    compared, expected, notes = compare_and_estimate(
        entries, predictions, make_transfer_options(study, places), confidence
    )
    accepted = judge_criteria(study, places, entries)
    findings = Findings(
        entries,
        title=study.title,
        about=study.about,
        comparison=compared,
        estimates=expected,
        faults=search_faults(study, places, entries, say),
        acceptance=join_tables([one.table for one in accepted]),
        invariance=invariance,
        evaluations=evaluations,
        commands=[shlex.join(command)],
        notes=notes,
        min_mentions=study.least,
        confidence=confidence,
    )
    report = build_report(findings)
    write_results(findings, report, places.out)
    show(report)
    for line in [note for e in evaluations for note in e.notes]:
        say(line)
    for line in [line for one in accepted for line in one.describe_failures()]:
        say(line)
    if not all(one.passed for one in accepted):
        return 1
    return 3 if any([*(e.run.failed for e in entries if e.run), *(i.failed for i in invariance)]) else 0


@dataclass(frozen=True)
class _StudyRun:
    """Steps of a study, with the data that all steps need.

    Attributes
    ----------
    study : StudyFile
    places : StudyPaths
    inputs : mapping of str to str
        Suites (folders) and corpora (FORMAT:PATH) by name.
    jobs : int
    say : callable
    """

    study: StudyFile
    places: StudyPaths
    inputs: Mapping[str, str]
    jobs: int
    say: MessageFunction

    def run_taggers(self) -> list[tuple[str, str, Run]]:
        """Run every tagger over its suites and corpora; return (tagger, input, run) for each."""
        found = []
        for tagger in self.study.tagger:
            # prepared once for all inputs, because a program may be started to get its version
            ready = prepare_tagger(self.places.resolve_tagger(tagger.tagger), self._options(tagger))
            for name in tagger.on or self.inputs:
                self.say(f"running {tagger.name} over {name}")
                folder = self.places.out / "runs" / f"{tagger.name}--{name}"
                place = self.inputs[name]
                run = run_repeatedly(partial(_run_once, place, self.jobs, ready), folder, tagger.times)
                self._say_failures(tagger, name, run)
                found.append((tagger.name, name, run))
        return found

    def _options(self, tagger: TaggerEntry) -> dict[str, str]:
        return {k: self.places.fill_placeholders(v) for k, v in tagger.options.items()}

    def _say_failures(self, tagger: TaggerEntry, name: str, run: Run) -> None:
        if not run.failed:
            return
        self.say(f"{tagger.name} failed on {run.failed} of {run.meta['run']['cases']} cases of {name}:")
        for failure in run.meta.get("failure", []):
            printed = f" ({failure['stderr']})" if failure["stderr"] else ""
            self.say(f"  {failure['outcome']}: {failure['count']} cases: {failure['said']}{printed}")
        self.say(
            f"  `tagsuite taggers check {tagger.tagger}` helps to find the cause; "
            f"all messages are in {run.folder}"
        )

    def read_recorded(self) -> list[tuple[str, str, Run]]:
        """Make runs from recorded output."""
        found = []
        for item in self.study.recorded:
            self.say(f"reading the recorded output of {item.name} over {item.on}")
            folder = self.places.out / "runs" / f"{item.name}--{item.on}"
            predicted = self.places.resolve_spec(item.predicted)
            source = self.inputs[item.on]
            run = record_predictions(source, predicted, item.name, folder, version=item.version, force=True)
            found.append((item.name, item.on, run))
        return found

    def score(
        self, runs: list[tuple[str, str, Run]], options: ScoringOptions, asked: ClassOptions
    ) -> list[ScoredRun]:
        """Score all runs; each input is read once."""
        entries = []
        golds: dict[str, GoldCorpus] = {}
        order, suites = list(self.inputs), {suite.name for suite in self.study.suite}
        for tagger, source, run in sorted(runs, key=lambda r: order.index(r[1])):
            if source not in golds:
                golds[source] = GoldCorpus.from_corpus(replace(read_corpus(self.inputs[source]), name=source))
            self.say(f"scoring {tagger} over {source}")
            both = score_with_notions(run, golds[source], options, asked, name=tagger)
            entries.append(ScoredRun(tagger, source, source in suites, run, *both))
        return entries

    def perturb(self, scoring: ScoringOptions, asked: ClassOptions) -> list[InvarianceResult]:
        """Run the taggers over perturbed copies of inputs, if the study has a table ``[invariance]``."""
        wanted = self.study.invariance
        if wanted is None:
            return []
        found = []
        for tagger in self.study.tagger:
            for name in self.study.select_sources(wanted.on):
                if name not in (tagger.on or self.inputs):
                    continue
                self.say(f"running {tagger.name} over perturbed copies of {name}")
                one = run_invariance(
                    self.inputs[name],
                    self.places.resolve_tagger(tagger.tagger),
                    self.places.out / "invariance" / f"{tagger.name}--{name}",
                    make_options(PerturbOptions, wanted),
                    scoring,
                    asked,
                    options=self._options(tagger),
                    jobs=self.jobs,
                    force=True,
                    renew=False,
                    say=self.say,
                )
                found.append(one.with_names(tagger.name, name))
        return found


def _run_once(place: str, jobs: int, program: Tagger, number: int, folder: Path) -> Run:
    """Run one repetition."""
    return run_tagger(place, program, folder, jobs=jobs, force=True, renew=False, repeat=number)


def read_study_classes(study: StudyFile, places: StudyPaths) -> list[Class]:
    """Return the classes in the study's files of classes, predictions and criteria.

    Raises
    ------
    InputError
        If two classes have the same name but different queries.
    """
    listed: list[tuple[Path | None, Class]] = []
    if study.score.classes:
        path = places.resolve_path(study.score.classes)
        listed += [(path, c) for c in read_classes(path)]
    if study.predictions:
        path = places.resolve_path(study.predictions)
        listed += [(path, p) for p in read_predictions_file(path)]
    names = {c.name for _, c in listed}
    if study.acceptance:
        path = places.resolve_path(study.acceptance)
        listed += [(path, c.class_) for c in read_criteria(path)]
    # a criterion without a query concerns all mentions, so its class would repeat `all`
    return [
        c
        for name, c in join_classes(listed).items()
        if name != ALL and (name in names or not c.query.selects_everything)
    ]


def make_scoring_options(study: StudyFile, places: StudyPaths) -> ScoringOptions:
    """Return the scoring options of a study, with its word lists.

    Raises
    ------
    InputError
        If a list cannot be read.
    """
    values = study.score.model_dump(exclude={"classes", "by"})
    lists = values.pop("lists")
    values["lists"] = {
        n: f if f.startswith(WORDFREQ_PREFIX) else places.resolve_path(f) for n, f in lists.items()
    }
    return ScoringOptions(**values)


def _fill_section(section: AnySection, places: StudyPaths) -> AnySection:
    """Return an evaluation with placeholders in its paths replaced."""
    filled: dict[str, object] = {}
    for key, value in section:
        if isinstance(value, str):
            filled[key] = places.fill_placeholders(value)
        elif isinstance(value, list):
            filled[key] = [places.fill_placeholders(each) for each in value]
    made: AnySection = section.model_copy(update=filled)
    return made


def _make_inputs(study: StudyFile, places: StudyPaths, say: MessageFunction) -> dict[str, str]:
    """Write term lists and suites, and return the inputs of taggers by name."""
    for entry in study.terms:
        _write_terms(entry, places, say)
    inputs: dict[str, str] = {}
    for i, suite in enumerate(study.suite, 1):
        with locate_errors(places.file, f"suite[{i}]"):
            inputs[suite.name] = str(_make_suite(suite, places, say))
    return inputs | {corpus.name: places.resolve_spec(corpus.gold) for corpus in study.corpus}


def _make_suite(entry: SuiteEntry, places: StudyPaths, say: MessageFunction) -> Path:
    """Generate a suite and return its folder."""
    folder = places.out / "suites" / entry.name
    if entry.recipe:
        source = places.resolve_path(entry.recipe)
        recipe = read_recipe(source)
        beside: Path | None = source.parent
    else:
        recipe = SuiteRecipe(
            tuple(_resolve_target(p.options, places) for p in entry.part),
            SuiteOptions(name=entry.name, seed=entry.seed, tag=entry.tag),
        )
        beside = places.folder
    say(f"generating {entry.name}")
    counts = generate(recipe, folder, recipe_folder=beside, force=True)
    say(f"the suite {entry.name} has {counts.cases:,} cases and {counts.mentions:,} mentions")
    if counts.warning:
        say(counts.warning)
    return folder


def _resolve_target(part: PartOptions, places: StudyPaths) -> PartOptions:
    """Return a part of a suite with an absolute path of its target."""
    target = places.resolve_spec(part.target) if ":" in part.target else part.target
    return replace(part, target=target)


def _write_terms(entry: TermsEntry, places: StudyPaths, say: MessageFunction) -> None:
    """Write a sorted list of terms without repetitions."""
    query = Query.parse(entry.entities, scopes=("entity",))
    if entry.kind:
        # nomenclatures are long, so only the features in the query are computed
        frame, _ = import_entities(entry.kind, places.resolve_path(entry.file), features=query.columns)
        say(f"term list {entry.name}: {len(frame):,} forms read from {Path(entry.file).name}")
    else:
        frame = read_entities(*(places.resolve_path(c) for c in entry.catalogue))
    chosen = frame.loc[query.evaluate(frame), "data"]
    terms = sorted(set(chosen.tolist()))
    if not terms:
        raise InputError(f"term list {entry.name}: the query selects no entities", found=entry.entities)
    with atomic_text(places.out / "terms" / f"{entry.name}.txt") as stream:
        stream.writelines(f"{t}\n" for t in terms)
    say(f"the term list {entry.name} has {len(terms):,} terms")
