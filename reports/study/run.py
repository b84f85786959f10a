"""Execution of studies, from the generation of suites to the report."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from ...catalogues.core.messages import MessageFunction
from ...catalogues.core.output_folder import claim_folder
from ...catalogues.core.settings import make_options
from ...catalogues.word_lists import WORDFREQ_PREFIX
from ...generator.perturbing.options import PerturbOptions
from ...harness.running.engines import Progress
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
from ...harness.scoring.transfer.options import CalibrationOptions
from ...harness.tasks.section import AnySection, evaluate_section
from ...sentences.formats.registry import read_corpus
from ..build import build_report
from ..cells import format_quantity
from ..invariance.folder import InvarianceResult
from ..invariance.run import run_invariance
from ..model import Report
from ..sections.findings import Findings, ScoredRun, score_with_notions, type_notes
from ..sections.predictions import compare_entries
from ..sections.transfer import add_estimates, calibrate_entries, estimate_entries
from .entries import TaggerEntry
from .faults import search_faults
from .inputs import make_inputs
from .results import join_tables, judge_criteria, write_results
from .study_file import StudyFile, StudyPaths, make_transfer_options, read_study


@dataclass(frozen=True)
class StudyResult:
    """Result of a study.

    Attributes
    ----------
    findings : Findings
    report : Report
    new_cases : int
        Number of new cases on which faults were tested.
    remarks : sequence of str
        Lines about evaluations and failed criteria.
    status : int
        Exit status: 1 if an acceptance criterion failed, 3 if a tagger failed on some input, else 0.
    """

    findings: Findings
    report: Report
    new_cases: int
    remarks: Sequence[str]
    status: int


def run_study(
    file: Path,
    out: Path,
    *,
    data: Path | None = None,
    jobs: int = 1,
    force: bool = False,
    say: MessageFunction,
) -> StudyResult:
    """Run a study and write its files.

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
        Number of tagger processes that run in parallel.
    force : bool
        Whether to delete an existing study in `out` first.
    say : callable
        Function called with each progress message.
    """
    places = StudyPaths.from_file(file, out, data)
    # the study is checked before anything is deleted
    study = read_study(file, places)
    command = ["tagsuite", "study", str(file), "--out", str(out)]
    command += [] if data is None else ["--data", str(data)]
    with claim_folder(out, "study", force=force, inputs=[file, *places.list_inputs(study)]):
        return conduct_study(study, places, command, jobs=jobs, say=say)


def conduct_study(
    study: StudyFile,
    places: StudyPaths,
    command: Sequence[str],
    *,
    jobs: int = 1,
    taggers: Mapping[str, Tagger] | None = None,
    say: MessageFunction,
    progress: Progress | None = None,
) -> StudyResult:
    """Run a study whose output folder has been prepared, and write its files.

    Parameters
    ----------
    command : sequence of str
        Command that reproduces the results, for the report.
    taggers : mapping of str to Tagger, optional
        Prepared taggers by name; they replace the study's taggers of the same name.
    progress : callable, optional
        Called with the number of finished cases and the total number of cases of each run.
    """
    options = make_scoring_options(study, places)
    asked = ClassOptions(read_study_classes(study, places), study.score.by)
    inputs = make_inputs(study, places, say)
    # each tagger is prepared once, because preparing can start a program
    ready = {
        one.name: (taggers or {}).get(one.name)
        or prepare_tagger(
            places.resolve_tagger(one.tagger),
            {name: places.fill_placeholders(value) for name, value in one.options.items()},
        )
        for one in study.tagger
    }
    work = _StudyRun(study, places, inputs, ready, jobs, say, progress)
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
    named = study.transfer.evidence if study.transfer else []
    evidence = [e.scores for e in entries if e.source in named]
    expected, notes = estimate_entries(entries, make_transfer_options(study, places), evidence)
    compared = add_estimates(compare_entries(entries, predictions, confidence), expected)
    calibrated, calibration_notes = work.calibrate(entries, options, asked)
    accepted = judge_criteria(study, places, entries)
    faults, new_cases, fault_notes = search_faults(
        study, places, entries, ready, options, jobs=jobs, say=say, progress=progress
    )
    findings = Findings(
        entries,
        title=study.title,
        about=study.about,
        comparison=compared,
        estimates=expected,
        calibrated=calibrated,
        faults=faults,
        acceptance=join_tables([one.table for one in accepted]),
        invariance=invariance,
        evaluations=evaluations,
        commands=[shlex.join(command)],
        notes=(*notes, *calibration_notes, *fault_notes),
        min_mentions=study.least,
        confidence=confidence,
    )
    report = build_report(findings)
    write_results(findings, report, places.out)
    failed = any([*(e.run.failed for e in entries if e.run), *(i.failed for i in invariance)])
    passed = all(one.passed for one in accepted)
    return StudyResult(
        findings,
        report,
        new_cases,
        [
            *(note for e in evaluations for note in e.notes),
            *(line for one in accepted for line in one.describe_failures()),
        ],
        (3 if failed else 0) if passed else 1,
    )


@dataclass(frozen=True)
class _StudyRun:
    """Steps of a running study, and the data that they share.

    Attributes
    ----------
    study : StudyFile
    places : StudyPaths
    inputs : mapping of str to str
        Suites (folders) and corpora (FORMAT:PATH) by name.
    ready : mapping of str to Tagger
        Prepared taggers by name.
    jobs : int
    say : callable
    progress : callable or None
    """

    study: StudyFile
    places: StudyPaths
    inputs: Mapping[str, str]
    ready: Mapping[str, Tagger]
    jobs: int
    say: MessageFunction
    progress: Progress | None

    def run_taggers(self) -> list[tuple[str, str, Run]]:
        """Run every tagger on its inputs, and return each run with the names of its tagger and input."""
        found = []
        for tagger in self.study.tagger:
            for name in tagger.on or self.inputs:
                self.say(f"running {tagger.name} on {name}")
                folder = self.places.out / "runs" / f"{tagger.name}--{name}"
                once = partial(self._run_once, self.inputs[name], self.ready[tagger.name])
                run = run_repeatedly(once, folder, tagger.times)
                self._say_failures(tagger, name, run)
                found.append((tagger.name, name, run))
        return found

    def _run_once(self, place: str, program: Tagger, number: int, folder: Path) -> Run:
        """Run a tagger for repetition `number` of a run."""
        return run_tagger(
            place,
            program,
            folder,
            jobs=self.jobs,
            force=True,
            renew=False,
            repeat=number,
            progress=self.progress,
            say=self.say,
        )

    def _say_failures(self, tagger: TaggerEntry, name: str, run: Run) -> None:
        if not run.failed:
            return
        count = format_quantity(run.meta["run"]["cases"], "case")
        self.say(f"{tagger.name} failed on {run.failed:,} of {count} of {name}:")
        for failure in run.meta.get("failure", []):
            printed = f" ({failure['stderr']})" if failure["stderr"] else ""
            cases = format_quantity(failure["count"], "case")
            self.say(f"  {failure['outcome']}: {cases}: {failure['said']}{printed}")
        self.say(
            f"  to find the cause, use `tagsuite taggers check {tagger.tagger}`; "
            f"all messages are in {run.folder}"
        )

    def read_recorded(self) -> list[tuple[str, str, Run]]:
        """Make run folders from recorded output of taggers."""
        found = []
        for item in self.study.recorded:
            self.say(f"reading the recorded output of {item.name} on {item.on}")
            folder = self.places.out / "runs" / f"{item.name}--{item.on}"
            predicted = self.places.resolve_spec(item.predicted)
            source = self.inputs[item.on]
            run = record_predictions(source, predicted, item.name, folder, version=item.version, force=True)
            found.append((item.name, item.on, run))
        return found

    def score(
        self, runs: list[tuple[str, str, Run]], options: ScoringOptions, asked: ClassOptions
    ) -> list[ScoredRun]:
        """Score all runs; each suite or corpus is read only once."""
        entries = []
        golds: dict[str, GoldCorpus] = {}
        order, suites = list(self.inputs), {suite.name for suite in self.study.suite}
        for tagger, source, run in sorted(runs, key=lambda r: order.index(r[1])):
            if source not in golds:
                golds[source] = GoldCorpus.from_corpus(replace(read_corpus(self.inputs[source]), name=source))
            self.say(f"scoring {tagger} on {source}")
            both = score_with_notions(run, golds[source], options, asked, name=tagger)
            entries.append(ScoredRun(tagger, source, source in suites, run, *both))
        return entries

    def perturb(self, scoring: ScoringOptions, asked: ClassOptions) -> list[InvarianceResult]:
        """Run the taggers on perturbed copies of inputs, if the study has a table ``[invariance]``."""
        wanted = self.study.invariance
        if wanted is None:
            return []
        found = []
        for tagger in self.study.tagger:
            for name in self.study.select_sources(wanted.on):
                if name not in (tagger.on or self.inputs):
                    continue
                self.say(f"running {tagger.name} on perturbed copies of {name}")
                one = run_invariance(
                    self.inputs[name],
                    self.ready[tagger.name],
                    self.places.out / "invariance" / f"{tagger.name}--{name}",
                    make_options(PerturbOptions, wanted),
                    scoring,
                    asked,
                    jobs=self.jobs,
                    force=True,
                    renew=False,
                    say=self.say,
                )
                found.append(one.with_names(tagger.name, name))
        return found

    def calibrate(
        self, entries: Sequence[ScoredRun], scoring: ScoringOptions, asked: ClassOptions
    ) -> tuple[pd.DataFrame, tuple[str, ...]]:
        """Calibrate the estimates with annotated corpora, if the study has a table ``[calibrate]``."""
        wanted = self.study.calibrate
        if wanted is None:
            return pd.DataFrame(), ()
        self.say("calibrating estimates with annotated sentences")
        composition = self.places.resolve_composition(wanted.composition)
        calibration = replace(make_options(CalibrationOptions, wanted), composition=composition)
        evidence = self.study.transfer.evidence if self.study.transfer else []
        corpora = wanted.on or [c.name for c in self.study.corpus if c.name not in evidence]
        return calibrate_entries(entries, corpora, calibration, scoring, asked, evidence)


def read_study_classes(study: StudyFile, places: StudyPaths) -> list[Class]:
    """Return all classes that a study defines in its files of classes, predictions and criteria.

    Raises
    ------
    InputError
        If two classes have the same name but different queries.
    """
    listed: list[tuple[Path | None, Class]] = []
    for name, read in ((study.score.classes, read_classes), (study.predictions, read_predictions_file)):
        if name:
            path = places.resolve_path(name)
            listed += [(path, c) for c in read(path)]
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
        If a word list cannot be read.
    """
    values = study.score.model_dump(exclude={"classes", "by"})
    lists = values.pop("lists")
    values["lists"] = {
        n: f if f.startswith(WORDFREQ_PREFIX) else places.resolve_path(f) for n, f in lists.items()
    }
    return ScoringOptions(**values)


def _fill_section(section: AnySection, places: StudyPaths) -> AnySection:
    """Return the options of an evaluation, with the placeholders in its paths replaced."""

    def fill(value: object) -> object:
        if isinstance(value, list):
            return [fill(each) for each in value]
        return places.fill_placeholders(value) if isinstance(value, str) else value

    made: AnySection = section.model_copy(update={key: fill(value) for key, value in section})
    return made
