"""Function that runs a diagnosis: it writes a study, runs it and collects the answer."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text
from ...catalogues.core.messages import MessageFunction, say_nothing
from ...catalogues.core.output_folder import claim_folder
from ...harness.running.engines import Progress
from ...harness.running.run import resolve_tagger
from ...harness.running.tagger import Tagger
from ...harness.scoring.transfer.composition import read_composition
from ..study.run import conduct_study
from ..study.study_file import StudyPaths, read_study
from .answer import MEMORY_PREFIX, Diagnosis
from .facts import collect_expectations, collect_findings, summarise_run
from .options import DiagnosisOptions
from .plan import STUDY_FILE, SUSPICIONS_FILE, make_study_text, make_suspicions_text
from .suspicions import Suspicion

FOLDER_KIND = "diagnosis"
AnyTagger = str | os.PathLike[str] | Tagger | Callable[..., Any]


def run_diagnosis(
    tagger: AnyTagger,
    out: Path | None,
    options: DiagnosisOptions,
    *,
    tagger_options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    overwrite: bool = False,
    say: MessageFunction = say_nothing,
    progress: Progress | None = None,
) -> Diagnosis:
    """Diagnose a tagger: make a suite, run it, score it, search for faults and test them.

    Parameters
    ----------
    tagger : str, path, Tagger or callable
        Tagger in any form that `tagsuite.run` accepts.
    out : Path or None
        Output folder; if None, ``diagnosis-TAGGER``. If it contains a diagnosis of the same tagger with the
        same options, that diagnosis is continued.
    options : DiagnosisOptions
    tagger_options : mapping, optional
        Values for the tagger's options.
    jobs : int
        Number of tagger processes that run in parallel.
    overwrite : bool
        Whether to replace another diagnosis in `out`.
    say : callable
        Function called with each progress message.
    progress : callable, optional
        Called with the number of finished cases and the total number of cases of each run.

    Raises
    ------
    InputError
        If the tagger is unknown or cannot be started, a query is invalid, or `out` contains other files.
    """
    suspicions = [Suspicion.from_query(query) for query in dict.fromkeys(options.suspect)]
    if options.composition:
        read_composition(options.composition)
    ready = resolve_tagger(tagger, tagger_options)
    name = re.sub(r"^[^A-Za-z0-9]+|[^A-Za-z0-9._+-]+", "-", ready.spec.name).strip("-") or "tagger"
    folder = out or Path(f"diagnosis-{name}")
    given = _relate_options(ready, tagger_options or {}, folder)
    source = _name_tagger(tagger)
    study = make_study_text(source, name, options, suspicions, folder, given)
    with claim_folder(folder, FOLDER_KIND, force=overwrite, inputs=ready.files):
        _write_study(folder, study, make_suspicions_text(suspicions) if suspicions else "")
        file = folder / STUDY_FILE
        places = StudyPaths.from_file(file, folder, None)
        command = ["tagsuite", "study", str(file), "--out", str(folder)]
        # a tagger that is an object in memory cannot be found by the study's checks
        checked = None if callable(tagger) or isinstance(tagger, Tagger) else places
        done = conduct_study(
            read_study(file, checked),
            places,
            command,
            jobs=jobs,
            taggers={name: ready},
            say=say,
            progress=progress,
        )
    suites = [entry for entry in done.findings.entries if entry.is_suite]
    return Diagnosis(
        name,
        source,
        ready.label,
        folder,
        done.status,
        [summarise_run(entry) for entry in suites],
        collect_findings(done.findings),
        collect_expectations(done.findings, options.composition or options.annotated),
        done.new_cases,
        suites[0].scores,
    )


def _write_study(folder: Path, study: str, suspicions: str) -> None:
    """Write the files of the study; raise InputError if the folder contains another diagnosis."""
    files = {STUDY_FILE: study, **({SUSPICIONS_FILE: suspicions} if suspicions else {})}
    head = f"# `tagsuite study {STUDY_FILE} --out FOLDER` repeats this diagnosis.\n"
    files[STUDY_FILE] = head + study
    for name, text in files.items():
        path = folder / name
        if path.is_file() and path.read_text(encoding="utf-8") != text:
            raise InputError(
                "the folder contains a diagnosis of another tagger or with other options; choose a new "
                "folder, or replace the diagnosis with --force",
                file=folder,
            )
    for name, text in files.items():
        with atomic_text(folder / name) as stream:
            stream.write(text)


def _name_tagger(tagger: AnyTagger) -> str:
    """Return the tagger as written in the study file: as a name, a path, or ``python:MODULE:NAME``."""
    if isinstance(tagger, Tagger):
        return str(tagger.path)
    if not callable(tagger):
        return os.fspath(tagger)
    module, name = (str(getattr(tagger, key, "")) for key in ("__module__", "__qualname__"))
    importable = getattr(sys.modules.get(module), name, None) is tagger and module != "__main__"
    return f"python:{module}:{name}" if importable else f"{MEMORY_PREFIX}{name or type(tagger).__name__}"


def _relate_options(ready: Tagger, given: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Return the tagger's options for the study file, with paths relative to the study folder."""
    files = {name for name, option in ready.spec.options.items() if option.kind == "file"}
    return {
        name: "{here}/" + os.path.relpath(str(value), folder) if name in files else str(value)
        for name, value in given.items()
    }
