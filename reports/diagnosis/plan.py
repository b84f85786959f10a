"""Functions that write the study file of a diagnosis, given a tagger and a few options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...catalogues.core.toml import write_toml
from ...generator.part_options import PartOptions
from ...harness.running.folder.run_file import make_relative
from ...harness.running.folder.runs import is_run, read_run
from ...harness.scoring.transfer.composition import list_bundled
from ...sentences.formats.registry import parse_spec
from ..sections.cases import FILTER_FEATURES
from .options import DiagnosisOptions, Effort
from .suspicions import NAMED_CONTEXTS, Suspicion

STUDY_FILE, SUSPICIONS_FILE = "study.toml", "suspicions.toml"
DIVIDING_FEATURES = tuple(name for name in FILTER_FEATURES if name != "length")
"""Features by which the report divides mentions into classes."""
STRATA = ("name_vs_symbol", "case")
"""Features that define the strata of the default suite; all strata have the same number of names."""
SUITE, ANNOTATED = "suite", "annotated"
"""Names of the default suite and of the annotated corpus in the study."""


def make_default_parts(effort: Effort) -> list[PartOptions]:
    """Return the parts of the default suite.

    The first part contains names stratified by kind and letter case. The second contains a few cases for each
    value of each feature, and the third contains sentences without names.
    """
    return [
        PartOptions(
            name="names", contexts=NAMED_CONTEXTS, combine="sample", size=effort.names, stratify=STRATA
        ),
        PartOptions(name="every value", contexts=NAMED_CONTEXTS, combine="tway", t=1, times=effort.times),
        PartOptions(
            name="without a name", contexts="context.type = fp", combine="sample", size=effort.without_names
        ),
    ]


def make_study_text(
    tagger: str,
    name: str,
    options: DiagnosisOptions,
    suspicions: Sequence[Suspicion],
    folder: Path,
    tagger_options: Mapping[str, str],
) -> str:
    """Return the text of a diagnosis's study file.

    Parameters
    ----------
    tagger : str
        Tagger as in ``run --tagger``; the path of a file is written relative to `folder`.
    name : str
        Name of the tagger in the study.
    folder : Path
        Folder of the study file.
    """
    effort = options.effort
    named = [(f"suspicion-{i}", s.make_parts(effort.suspected)) for i, s in enumerate(suspicions, 1)]
    suites = [
        {
            "name": suite,
            "seed": options.seed,
            "part": [part.to_table("entities", "contexts", "combine") for part in parts],
        }
        for suite, parts in named or [(SUITE, make_default_parts(effort))]
    ]
    given = {"options": dict(tagger_options)} if tagger_options else {}
    # new cases are divided among the suites
    new_cases = max(effort.new_cases // len(suites), 1)
    confirmation = {"confirm": effort.confirm, "cases": new_cases, "candidates": effort.candidates}
    table: dict[str, Any] = {
        "format": 1,
        "title": f"Diagnosis of {name}",
        "least": 10,
        "predictions": SUSPICIONS_FILE if suspicions else None,
        "suite": suites,
        "tagger": [{"name": name, "tagger": _relate_tagger(tagger, folder), **given}],
        "score": {"by": list(DIVIDING_FEATURES)},
        "discover": {"on": [s["name"] for s in suites], **(confirmation if effort.confirm else {})},
    }
    composition = options.composition
    if composition and composition not in list_bundled():
        composition = make_relative(composition, folder)
    if composition:
        table["transfer"] = {"standardise": composition}
    if options.annotated:
        table["corpus"] = [{"name": ANNOTATED, "gold": _relate_corpus(options.annotated, folder)}]
        table["calibrate"] = {"on": [ANNOTATED], **({"composition": composition} if composition else {})}
    return write_toml(table)


def make_suspicions_text(suspicions: Sequence[Suspicion]) -> str:
    """Return the text of a predictions file: low recall and precision for the query of each suspicion."""
    classes = [
        {"name": one.query, "query": one.query, "recall": "low", "precision": "low"} for one in suspicions
    ]
    return write_toml({"format": 1, "class": classes})


def _relate_tagger(tagger: str, folder: Path) -> str:
    if not Path(tagger).is_file():
        return tagger
    place = Path(tagger).resolve()
    return make_relative(str(place), folder) if place.suffix == ".toml" else str(place)


def _relate_corpus(annotated: str, folder: Path) -> str:
    """Return ``FORMAT:PATH`` of a corpus, or of the input of a run, with the path relative to a folder."""
    spec = read_run(annotated).input if is_run(annotated) else annotated
    parse_spec(spec)
    return make_relative(spec, folder)
