"""Notes on taggers that were trained on sources of the suite, at the run and at its scores."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.settings import load_settings
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteRecipe
from tagsuite.generator.suite import generate
from tagsuite.harness.running.folder.run_file import list_training_notes
from tagsuite.harness.running.preparation import prepare_tagger
from tagsuite.harness.running.run import run
from tagsuite.harness.running.specification import Specification
from tagsuite.harness.running.training import train_tagger
from tagsuite.harness.scoring.options import ScoringOptions
from tagsuite.harness.scoring.score_runs import score_runs
from tagsuite.sentences.contexts import read_contexts

SPECIFICATION = 'format = 1\nname = "t"\ncommand = ["cat"]\ntrained_on = [{}]\n[output]\ntags = ["gp"]\n'


def specification(folder: Path, *corpora: str) -> Path:
    path = folder / "t.toml"
    path.write_text(SPECIFICATION.format(", ".join(f'"{c}"' for c in corpora)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def suite_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that makes a read-only suite from some contexts."""

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
    notes = list_training_notes(done.meta)
    assert [
        what for what in ("contexts", "names") if any(f"the source of {what} of" in n for n in notes)
    ] == told
    assert len(notes) == len(told)
    capsys.readouterr()
    score_runs([tmp_path / "run"], ScoringOptions())
    assert ("--by context.source_type" in capsys.readouterr().err) == bool(told)


TRAINS = """
format = 1
name = "learner"
command = ["cat", "{option:model}"]
[train]
command = ["cp", "{corpus_sgml}", "{model}"]
[output]
tags = ["gp"]
[options.model]
kind = "file"
"""


def attested_sentences(share: float) -> list[str]:
    held = [e.stored.get("original_form_in_source", "") for e in read_contexts().entries]
    originals = [" ".join(o.split()) for o in held if o and "<" not in o]
    return originals[: round(share * len(originals))]


LESSONS = [
    (1.0, ["bc2gm:train", "genetag:train"], "all of the sentences"),
    (0.2, ["bc2gm:train", "genetag:train"], "a part of them"),
    (0.02, [], "a few that corpora share by chance"),
]


@pytest.fixture
def learner(tmp_path: Path) -> Path:
    path = tmp_path / "learner.toml"
    path.write_text(TRAINS, encoding="utf-8")
    return path


def taught(learner: Path, share: float) -> Path:
    """Train a model on sentences, some of which are in the bundled contexts."""
    lines = [f"<gp>p53</gp> is sentence {i} of ours." for i in range(20)] + attested_sentences(share)
    corpus = learner.with_name("corpus.sgml")
    corpus.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    model = learner.with_name(f"model-{share}")
    train_tagger(str(learner), f"sgml:{corpus}", model, {})
    return model


@pytest.mark.parametrize(("share", "expected", "why"), LESSONS, ids=[why for *_, why in LESSONS])
def test_a_model_is_known_by_what_it_learnt_from(
    learner: Path, share: float, expected: list[str], why: str
) -> None:
    model = taught(learner, share)
    assert list(prepare_tagger(learner, {"model": str(model)}).trained_on) == expected, why
    assert prepare_tagger(learner).trained_on == ()  # without the model nothing is known


def test_what_stands_beside_another_model_is_not_regarded(
    learner: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = taught(learner, 1.0)
    model.write_text("another", encoding="utf-8")
    assert prepare_tagger(learner, {"model": str(model)}).trained_on == ()
    assert "different version of" in capsys.readouterr().err


def test_a_spoilt_file_beside_a_model_is_an_error(learner: Path) -> None:
    model = taught(learner, 0.0)
    model.with_name(f"{model.name}.training.toml").write_text(
        "format = 1\ntrained_on = 3\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"training\.toml"):
        prepare_tagger(learner, {"model": str(model)})


def test_a_corpus_has_a_name_and_a_part(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="trained_on"):
        load_settings(specification(tmp_path, "all of MEDLINE"), Specification)


@pytest.mark.parametrize(("share", "told"), [(1.0, True), (0.1, False)])
def test_a_corpus_that_the_tagger_was_trained_on_is_reported(
    share: float, told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bundled sentences of a corpus stand for the corpus."""
    originals = [
        entry.stored["original_form_in_source"]
        for entry in read_contexts().entries
        if entry.id.startswith("bc2gm") and "original_form_in_source" in entry.stored
    ]
    lines = originals[: round(share * len(originals))]
    (tmp_path / "c.jsonl").write_text(
        "".join(json.dumps({"text": line, "mentions": []}) + "\n" for line in lines), encoding="utf-8"
    )
    run(f"jsonl:{tmp_path / 'c.jsonl'}", specification(tmp_path, "bc2gm:train"), tmp_path / "run")
    capsys.readouterr()
    score_runs([tmp_path / "run"], ScoringOptions())
    assert ("which contains these texts" in capsys.readouterr().err) == told
