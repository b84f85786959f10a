"""Taggers that were trained on what a suite was made from: said where the run and its scores are shown."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.generator.recipe import PartOptions, SuiteRecipe
from tagsuite.generator.suite import generate
from tagsuite.harness.evaluation import score_runs
from tagsuite.harness.running.folder.runs import seen_notes
from tagsuite.harness.running.run import run
from tagsuite.harness.running.specification import read_specification
from tagsuite.harness.scoring.options import ScoringOptions

SPECIFICATION = 'format = 1\nname = "t"\ncommand = ["cat"]\ntrained_on = [{}]\n[output]\ntags = ["gp"]\n'


def specification(folder: Path, *corpora: str) -> Path:
    path = folder / "t.toml"
    path.write_text(SPECIFICATION.format(", ".join(f'"{c}"' for c in corpora)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def suite_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The suite of some contexts, to be read only."""

    @functools.cache
    def make(contexts: str) -> Path:
        part = PartOptions(entities="source_authority = HGNC", contexts=contexts, combine="sample", size=5)
        folder = tmp_path_factory.mktemp("trained") / "suite"
        generate(SuiteRecipe((part,)), folder)
        return folder

    return make


@pytest.mark.parametrize(
    ("trained", "contexts", "told"),
    [
        ("bc2gm:train", "context.source_type in (title, abstract)", ["contexts"]),
        ("genetag:train", "context.source_type in (title, abstract)", ["contexts"]),
        ("jnlpba:train", "context.source_type in (title, abstract)", []),
        ("bc2gm:train", "context.source_type = invention and type = tp", []),
    ],
)
def test_runs_and_scores_say_what_a_tagger_was_trained_on(
    trained: str,
    contexts: str,
    told: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    suite_of: Callable[[str], Path],
) -> None:
    done = run(str(suite_of(contexts)), specification(tmp_path, trained), tmp_path / "run")
    notes = seen_notes(done.meta)
    assert [what for what in ("contexts", "names") if any(f"where {what} of" in n for n in notes)] == told
    assert len(notes) == len(told)
    capsys.readouterr()
    score_runs([tmp_path / "run"], ScoringOptions())
    assert ("--by context.source_type" in capsys.readouterr().err) == bool(told)


def test_a_corpus_has_a_name_and_a_part(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="trained_on"):
        read_specification(specification(tmp_path, "all of MEDLINE"))
