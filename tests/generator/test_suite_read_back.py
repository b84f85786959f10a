"""Tests of reading: a suite folder and its gold.sgml give the same corpus."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.tables import OutputFormat
from tagsuite.generator.part_options import PartOptions
from tagsuite.generator.recipe import SuiteRecipe
from tagsuite.generator.recipe_file import read_recipe
from tagsuite.generator.suite import generate
from tagsuite.generator.workflow import report_coverage
from tagsuite.sentences.formats import read_corpus


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


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small") / "suite"
    part = PartOptions(entities="case = upper", combine="sample", size=5)
    generate(SuiteRecipe((part,)), folder)
    return folder


@pytest.mark.parametrize("name", ["cases.parquet", "mentions.parquet", "entities.parquet", "slots.parquet"])
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda content: b"", "not a readable Parquet file"),
        (lambda content: None, "no such file|not a suite folder"),
        # a whole file, but another's: results would bear the signature of the suite
        (lambda content: content + content, "has changed since suite.toml was written"),
    ],
)
def test_tables_that_were_changed_are_refused(
    small: Path, tmp_path: Path, name: str, change: Callable[[bytes], bytes | None], problem: str
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
    if not changed:
        with pytest.raises(InputError, match=problem):
            report_coverage(suite, read_recipe(suite), 1, ("case",), OutputFormat.table)
