"""Specifications for taggers that people use: what can be had is run, the others say that they were not."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.lookup import bundled_specifications
from tagsuite.harness.running.outputs.sgml import as_tags
from tagsuite.harness.running.specification import read_specification
from tagsuite.harness.running.tagger import PLACEHOLDER

RUN = {"dictionary", "kex", "flashtext", "spacy-ruler", "opennlp", "oger", "mer", "jensenlab"}
RUN |= {"spacy", "huggingface", "gliner", "chat"}
SENTENCES = ["p53 binds MDM2", "No gene.", "The β-actin (ACTB) and İstanbul's IL-2 gene: p53!"]
WORDS = [(0, "p53"), (0, "MDM2"), (2, "β-actin"), (2, "IL-2"), (2, "p53")]


@pytest.mark.parametrize(("tagger", "module"), [("flashtext", "flashtext"), ("spacy-ruler", "spacy")])
def test_dictionary_libraries_from_pypi(
    tagger: str, module: str, tmp_path: Path, run_on: Callable[..., Run], python_with: Callable[[str], str]
) -> None:
    python = python_with(module)
    (tmp_path / "terms.txt").write_text("p53\nMDM2\nβ-actin\nIL-2\tsymbol\n", encoding="utf-8")
    options = {"python": python, "terms": str(tmp_path / "terms.txt")}
    done = run_on(SENTENCES, tagger, options=options)
    assert done.outcome_counts == {"ok": 3}
    assert found(done, SENTENCES) == sorted(WORDS)
    assert set(done.predictions["type"]) == {"gp"}
    assert done.meta["run"]["version"]


def found(done: Run, texts: list[str]) -> list[tuple[int, str]]:
    """The mentions of a run: case and text, in the order of the cases."""
    frame = done.predictions
    rows = zip(frame["text_id"], frame["start"], frame["end"], strict=True)
    return sorted({(int(case), texts[int(case)][start:end]) for case, start, end in rows})


MARKS = [
    ("the <START:gp> p53 <END> gene", "the <gp> p53 </gp> gene", "a type in the mark"),
    ("<START> a <END> <START:x> b <END>", "<mention> a </mention> <x> b </x>", "no type in the mark"),
    ("a <END> b", "a </mention> b", "a mark that closes nothing stays unpaired"),
    ("<START:x> a\n<START:y> b <END>", "<x> a\n<y> b </y>", "marks pair inside their line"),
]


@pytest.mark.parametrize(("given", "tags", "why"), MARKS, ids=[m[2] for m in MARKS])
def test_other_marks_become_tags(given: str, tags: str, why: str) -> None:
    assert as_tags(given, r"<START(?::(?P<type>[\w.-]+))?>", "<END>") == tags


@pytest.mark.parametrize("path", bundled_specifications(), ids=lambda p: p.stem)
def test_a_specification_is_whole(path: Path) -> None:
    spec = read_specification(path)
    assert spec.name == path.stem
    known = {"python", "here", "input", "output", "output_dir", "work", "number", "options"}
    for word in [*spec.command, spec.working_folder, spec.output.path, *spec.environment.values()]:
        for match in PLACEHOLDER.finditer(word):
            if match[1] == "option":
                assert match[2] in spec.options
            elif match[1] is not None:
                assert match[1] in known
    assert spec.description
    for name in spec.files:
        assert (path.parent / name).exists()
    for option in spec.options.values():
        assert option.help
    for word in spec.command:
        if word.startswith("{here}"):
            file = Path(word.removeprefix("{here}/"))
            assert (path.parent / file).exists()
            assert {str(file), file.parts[0]} & set(spec.files), "a change of it is seen"


def test_the_list_says_what_was_never_run(tagsuite: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = tagsuite("taggers", "list", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row["was_run"] for row in json.loads(done.stdout)["taggers"]}
    assert all(rows[name] for name in RUN)
    wanted = {"abner", "geniatagger", "lingpipe", "gnormplus", "hunflair2", "pubtator"}
    assert wanted == {name for name, was_run in rows.items() if not was_run}
