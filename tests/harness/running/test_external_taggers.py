"""Specifications for third-party taggers: those that are installed are run, the others state `not_run`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.catalogues.core.settings import load_settings
from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.lookup import list_bundled_files
from tagsuite.harness.running.outputs.sgml import convert_marks
from tagsuite.harness.running.specification import Specification
from tagsuite.harness.running.tagger import PLACEHOLDER

from ..conftest import python_with

RUN = {"dictionary", "kex", "flashtext", "spacy-ruler", "opennlp", "oger", "mer", "jensenlab"}
RUN |= {"spacy", "huggingface", "gliner", "chat"}
SENTENCES = ["p53 binds MDM2", "No gene.", "The β-actin (ACTB) and İstanbul's IL-2 gene: p53!"]
WORDS = [(0, "p53"), (0, "MDM2"), (2, "β-actin"), (2, "IL-2"), (2, "p53")]


@pytest.mark.parametrize(("tagger", "module"), [("flashtext", "flashtext"), ("spacy-ruler", "spacy")])
def test_dictionary_libraries_from_pypi(
    tagger: str, module: str, tmp_path: Path, run_on: Callable[..., Run]
) -> None:
    python = python_with(module)
    (tmp_path / "terms.txt").write_text("p53\nMDM2\nβ-actin\nIL-2\tsymbol\n", encoding="utf-8")
    options = {"python": python, "terms": str(tmp_path / "terms.txt")}
    done = run_on(SENTENCES, tagger, options=options)
    assert done.outcome_counts == {"ok": 3}
    assert found(done, SENTENCES) == sorted(WORDS)
    assert set(done.predictions["type"]) == {"gp"}
    assert done.meta["run"]["version"]


def opennlp_jar() -> str:
    """Return the OpenNLP archive of Debian's package or TAGSUITE_OPENNLP_JAR."""
    for jar in (os.environ.get("TAGSUITE_OPENNLP_JAR"), "/usr/share/java/opennlp-tools.jar"):
        if jar and Path(jar).is_file() and shutil.which("java"):
            return jar
    pytest.skip("no OpenNLP here: Debian's opennlp has it, and TAGSUITE_OPENNLP_JAR may name its jar")


def test_opennlp_with_a_model_of_our_own(tmp_path: Path, run_on: Callable[..., Run]) -> None:
    jar = opennlp_jar()
    lines = [
        "The <START:gp> p53 <END> gene binds <START:gp> MDM2 <END> .",
        "We saw <START:gp> BRCA1 <END> in mice .",
        "No gene is mentioned in this sentence about the weather .",
    ] * 40
    (tmp_path / "train.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tool = ["java", "-cp", jar, "opennlp.tools.cmdline.CLI", "TokenNameFinderTrainer", "-lang", "en"]
    model = tmp_path / "gp.bin"
    subprocess.run(
        [*tool, "-model", model, "-data", tmp_path / "train.txt", "-encoding", "UTF-8"],
        check=True,
        capture_output=True,
    )
    texts = ["The p53 gene binds MDM2.", "We saw BRCA1 in α-mice (n=3)."]
    done = run_on(texts, "opennlp", options={"jar": jar, "model": str(model)})
    assert done.outcome_counts == {"ok": 2}
    assert done.meta["placed"] == {"whitespace": 2}
    assert {"p53", "MDM2", "BRCA1"} <= {word for _, word in found(done, texts)}
    assert done.meta["run"]["version"]


def found(done: Run, texts: list[str]) -> list[tuple[int, str]]:
    """Return the mentions of a run as case and text, in the order of cases."""
    frame = done.predictions
    rows = zip(frame["text_id"], frame["start"], frame["end"], strict=True)
    return sorted({(int(case), texts[int(case)][start:end]) for case, start, end in rows})


NAMES = ["p53", "MDM2", "BRCA1"]
TEXTS = ["The p53 gene binds MDM2.", "No gene.", "In α-cells BRCA1 falls; MDM2 does not. Nor does p53."]
WANTED = [(0, "MDM2"), (0, "p53"), (2, "BRCA1"), (2, "MDM2"), (2, "p53")]


def test_oger_with_a_term_list_of_our_own(tmp_path: Path, run_on: Callable[..., Run]) -> None:
    python = python_with("oger")
    columns = "C{i}\tlist\tlist:{i}\t{name}\t{name}\tgene/protein\n"
    terms = "".join(columns.format(i=i, name=name) for i, name in enumerate([*NAMES, "p53"]))
    (tmp_path / "terms.tsv").write_text(terms, encoding="utf-8")
    settings = tmp_path / "settings.ini"
    settings.write_text(f"[Main]\ntermlist_path = {tmp_path / 'terms.tsv'}\n", encoding="utf-8")
    options = {"python": python, "settings": str(settings)}
    done = run_on(TEXTS, "oger", options=options)
    assert done.outcome_counts == {"ok": 3}
    assert found(done, TEXTS) == WANTED
    assert done.meta["run"]["version"]


def test_mer_with_a_lexicon_of_our_own(tmp_path: Path, run_on: Callable[..., Run]) -> None:
    home = os.environ.get("TAGSUITE_MER")
    if not home or not Path(home, "get_entities.sh").is_file() or not shutil.which("gawk"):
        pytest.skip("no MER here: TAGSUITE_MER may name the folder of get_entities.sh (it needs gawk)")
    folder = shutil.copytree(home, tmp_path / "mer")
    (folder / "data" / "names.txt").write_text("\n".join(NAMES) + "\n", encoding="utf-8")
    subprocess.run(
        ["../produce_data_files.sh", "names.txt"], cwd=folder / "data", check=True, capture_output=True
    )
    options = {"folder": str(folder), "lexicon": "names"}
    done = run_on(TEXTS, "mer", options=options)
    assert done.outcome_counts == {"ok": 3}
    # it takes no name of fewer than three letters alone, so that p53 is none for it
    assert found(done, TEXTS) == [(case, name) for case, name in WANTED if name != "p53"]
    assert set(done.predictions["type"]) == {"gp"}


def test_tagcorpus_with_a_dictionary_of_our_own(tmp_path: Path, run_on: Callable[..., Run]) -> None:
    program = os.environ.get("TAGSUITE_TAGCORPUS") or shutil.which("tagcorpus")
    if not program:
        pytest.skip("no tagcorpus here: TAGSUITE_TAGCORPUS may name the program")
    tables = {
        "types": "9606\n",
        "entities": "".join(f"{i}\t9606\tP{i}\n" for i in range(1, 4)),
        "names": "".join(f"{i}\t{name}\n" for i, name in enumerate(NAMES, start=1)),
    }
    options = {"program": program}
    for name, content in tables.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        options[name] = str(tmp_path / name)
    done = run_on(TEXTS, "jensenlab", options=options)
    assert done.outcome_counts == {"ok": 3}
    assert found(done, TEXTS) == WANTED
    assert set(done.predictions["type"]) == {"gp"}


MARKS = [
    ("the <START:gp> p53 <END> gene", "the <gp> p53 </gp> gene", "a type in the mark"),
    ("<START> a <END> <START:x> b <END>", "<mention> a </mention> <x> b </x>", "no type in the mark"),
    ("a <END> b", "a </mention> b", "a mark that closes nothing stays unpaired"),
    ("<START:x> a\n<START:y> b <END>", "<x> a\n<y> b </y>", "marks pair inside their line"),
]


@pytest.mark.parametrize(("given", "tags", "why"), MARKS, ids=[m[2] for m in MARKS])
def test_other_marks_become_tags(given: str, tags: str, why: str) -> None:
    assert convert_marks(given, r"<START(?::(?P<type>[\w.-]+))?>", "<END>") == tags


@pytest.mark.parametrize("path", list_bundled_files(), ids=lambda p: p.stem)
def test_a_specification_is_whole(path: Path) -> None:
    spec = load_settings(path, Specification)
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
