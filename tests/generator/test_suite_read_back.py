"""A suite folder and its gold.sgml are the same corpus, whichever of the two is read."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.tables import Format
from tagsuite.generator.recipe import PartOptions, SuiteRecipe
from tagsuite.generator.recipe_file import read_recipe
from tagsuite.generator.suite import generate
from tagsuite.generator.workflow import report_coverage
from tagsuite.sentences.formats import read_corpus

Call = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_folder_and_its_gold_file_are_one_corpus(tagsuite: Call, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    entities = "contains_Greek_letter and words <= 2"
    asked = ("--entities", entities, "--combine", "sample", "--size", 60, "--seed", 3)
    done = tagsuite("generate", *asked, "--contexts", "all", "--out", suite)
    assert done.returncode == 0, done.stderr
    folder, file = read_corpus(str(suite)), read_corpus(f"sgml:{suite / 'gold.sgml'}")
    assert len(folder.texts) == 60
    assert file.texts["text"].tolist() == folder.texts["text"].tolist()
    # cases are numbered, lines of a file are named by their number
    places = ["text_id", "start", "end", "type"]
    ours, theirs = (
        c.mentions[places].astype({"type": "str", "text_id": "int64"}).sort_values(places, ignore_index=True)
        for c in (folder, file)
    )
    assert len(ours) > 30
    assert ours.to_numpy().tolist() == theirs.to_numpy().tolist()


def test_a_list_that_the_catalogue_lacks_is_refused(tagsuite: Call, tmp_path: Path) -> None:
    asked = ("--entities", "in_list.training = false", "--contexts", "all", "--out", tmp_path / "suite")
    refused = tagsuite("generate", *asked)
    assert refused.returncode == 2
    assert "no such list" in refused.stderr
    assert "--list training=FILE" in refused.stderr
    assert not (tmp_path / "suite").exists()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small") / "suite"
    part = PartOptions(entities="case = upper", combine="sample", size=5)
    generate(SuiteRecipe((part,)), folder)
    return folder


@pytest.mark.parametrize("name", ["cases.parquet", "mentions.parquet", "entities.parquet", "slots.parquet"])
@pytest.mark.parametrize(
    ("change", "problem", "problem_of_verify"),
    [
        (lambda content: b"", "not a readable Parquet file", "not a readable Parquet file"),
        (lambda content: content[: len(content) // 2], "not a readable", "not a readable"),
        (lambda content: None, "no such file", "no such file|not a suite folder"),
        # a whole file, but another's: results would bear the signature of the suite
        (lambda content: content + content, "not the file that suite.toml describes", None),
    ],
)
def test_tables_that_were_changed_are_refused(
    small: Path,
    tmp_path: Path,
    name: str,
    change: Callable[[bytes], bytes | None],
    problem: str,
    problem_of_verify: str | None,
) -> None:
    suite = tmp_path / "suite"
    shutil.copytree(small, suite)
    changed = change((suite / name).read_bytes())
    (suite / name).unlink()
    if changed is not None:
        (suite / name).write_bytes(changed)
    with pytest.raises(InputError, match=problem) as caught:
        read_corpus(str(suite))
    assert name in str(caught.value)
    if problem_of_verify is not None:
        with pytest.raises(InputError, match=problem_of_verify):
            report_coverage(suite, read_recipe(suite), 1, ("case",), Format.table)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "format is missing; allowed: format = 1"),
        ("format = 1\n", r"part is missing; allowed: \[\[part\]\] tables"),
        ("format = 2\n[[part]]\n", "format"),
        ("format = 1\n[[part]]\ncombine = 'each'\nsiez = 3\n", "siez: unknown key.*allowed: size"),
        ("format = 1\n[[part]]\nsize = 'many'\n", r"part\[1\]\.size"),
    ],
)
def test_a_recipe_that_says_nothing_or_nonsense_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as caught:
        read_recipe(tmp_path / "r.toml")
    assert "r.toml" in str(caught.value)
