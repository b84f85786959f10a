"""Tests of the three evaluations in Python, commands and studies: the same options and the same scores."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.options import Options, get_declared_options
from tagsuite.catalogues.core.settings import Settings, load_settings, make_options, validate_settings
from tagsuite.harness.scoring.table import SCORE_COLUMNS
from tagsuite.harness.tasks.commands import register
from tagsuite.harness.tasks.options import BacteriaBiotopeOptions, BioIDOptions, IndexingOptions
from tagsuite.harness.tasks.section import (
    BacteriaBiotopeSection,
    BioIDSection,
    IndexingSection,
    TaskSection,
    evaluate_section,
)

STUDY = """
[[evaluation]]
evaluate = "bioid"
reference = "gold"
runs = ["mine:gold"]

[[evaluation]]
evaluate = "bacteria-biotope"
task = "norm"
reference = "ref"
predicted = "pred"
ontology = "small.obo"

[[evaluation]]
evaluate = "indexing"
gold = "terms.jsonl"
predicted = "terms.jsonl"
tree = "small.obo"
"""
SECTIONS: tuple[type[Settings], ...] = (BioIDSection, BacteriaBiotopeSection, IndexingSection)
KINDS: tuple[type[Options], ...] = (BioIDOptions, BacteriaBiotopeOptions, IndexingOptions)
NAMES = ("bioid", "bacteria-biotope", "indexing")
PAGES = Path(__file__).parents[3] / "docs"


class Study(Settings):
    evaluation: list[TaskSection]


def read_study(folder: Path, text: str) -> Study:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return load_settings(folder / "study.toml", Study)


@pytest.mark.parametrize("place", range(3), ids=NAMES)
def test_one_declaration(place: int, tmp_path: Path) -> None:
    section, kind = SECTIONS[place], KINDS[place]
    app = typer.Typer()
    register(app)
    group = typer.main.get_command(app).commands["evaluate"]  # type: ignore[attr-defined]
    flags = {option for parameter in group.commands[NAMES[place]].params for option in parameter.opts}
    assert {one.flag for one in get_declared_options(kind).values()} <= flags
    page = (PAGES / "reference" / f"{NAMES[place]}.md").read_text(encoding="utf-8")
    shown = {flag for flag in flags if flag.startswith("--")} - {"--format", "--progress"}
    assert [flag for flag in shown if flag not in page] == []
    usual = read_study(tmp_path, STUDY).evaluation[place]
    assert set(get_declared_options(kind)) == set(section.model_fields) - usual.model_fields_set
    assert make_options(kind, usual, Path("here")) == kind()


LABELS = ("tissue_or_organ", "small_molecule", "gene_or_protein")
KEYS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    # for each evaluation: keys in a study, options
    ({"labels": [LABELS[0], f"{LABELS[1]}, {LABELS[2]}"]}, {"labels": LABELS}),
    ({"seen": ["train", "/dev"]}, {"seen": (Path("here/train"), Path("/dev"))}),
    ({"related": 5, "frequencies": "f.tsv"}, {"related": 5, "frequencies": Path("here/f.tsv")}),
]


@pytest.mark.parametrize("place", range(3), ids=NAMES)
def test_keys_of_a_study(place: int, tmp_path: Path) -> None:
    keys, expected = KEYS[place]
    written = read_study(tmp_path, STUDY).evaluation[place].model_dump(exclude_unset=True)
    table = validate_settings(written | keys, SECTIONS[place], "study.toml")
    assert make_options(KINDS[place], table, Path("here")) == KINDS[place](**expected)


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (BioIDOptions, {"labels": ("tissue_or_organ,gene",)}, "unknown label: found 'gene'"),
        (BioIDOptions, {"offsets": "words"}, "unknown unit of offsets: found 'words'; allowed: char"),
        (BioIDOptions, {"reference_offsets": "words"}, "unknown unit of offsets: found 'words'"),
        (BioIDOptions, {"offsets": "utf16", "as_published": True}, "cannot be combined with --offsets"),
        (IndexingOptions, {"similarity": "cosine"}, "unknown similarity: found 'cosine'; allowed: lin, wang"),
        (IndexingOptions, {"related": 0}, "the number of related documents is out of range: found '0'"),
        (IndexingOptions, {"smoothing": float("nan")}, "the smoothing is out of range"),
        (IndexingOptions, {"corpus": Path("a"), "frequencies": Path("b")}, "cannot be combined"),
    ],
)
def test_values_that_are_not_legal(kind: Any, values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        kind(**values)
    assert message in str(error.value)


def test_sections(
    tmp_path: Path, bioid_folder: Callable[..., Path], standoff_folder: Callable[..., Path]
) -> None:
    bioid_folder("gold", a=[("1", "F", "Actin.", [("GO:1", 0, 5, "Actin")])])
    standoff_folder("ref", {"d.txt": "soil", "d.a1": "T1\tHabitat 0 4\tsoil\n", "d.a2": ""})
    standoff_folder("pred", {"d.a2": "N1\tOntoBiotope Annotation:T1 Referent:O:1\n"})
    (tmp_path / "small.obo").write_text("[Term]\nid: O:1\nname: soil\n", encoding="utf-8")
    (tmp_path / "terms.jsonl").write_text(json.dumps({"document": "1", "terms": ["soil"]}), encoding="utf-8")
    results = [evaluate_section(section, tmp_path) for section in read_study(tmp_path, STUDY).evaluation]
    assert [r.title for r in results] == ["BioID", "Bacteria Biotope 2019, norm", "Index terms"]
    for result in results:
        assert list(result.table.columns[: len(SCORE_COLUMNS)]) == list(SCORE_COLUMNS)
        assert set(result.shown) <= set(result.table.columns)
        assert result.table["signature"].str.contains(r"\|tagsuite:").all()
    assert results[0].table["run"].unique().tolist() == ["mine"]
    assert results[1].table["precision"].iloc[0] == 0
    assert results[2].table["dice"].iloc[0] == 1


@pytest.mark.parametrize("old", ["indexing", '"mine:gold"'])
def test_a_wrong_section_is_refused(old: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="evaluation"):
        read_study(tmp_path, STUDY.replace(old, ""))


def test_help_loads_nothing_heavy(tagsuite: Callable[..., Any]) -> None:
    heavy = "pandas", "numpy", "scipy", "lxml", "pydantic", "pyarrow", "tantivy"
    code = (
        "import sys; import tagsuite.harness.tasks.commands; "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    shown = tagsuite("evaluate", "--help")
    assert shown.returncode == 0
    assert all(name in shown.stdout for name in NAMES)
