"""The three evaluations as sections of a study: the same figures as from the functions themselves."""

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
from tagsuite.catalogues.core.settings import Settings, load
from tagsuite.harness.scoring.table import SCORE_COLUMNS
from tagsuite.harness.tasks.commands import register
from tagsuite.harness.tasks.section import Section, evaluate_section


class Study(Settings):
    evaluation: list[Section]


def study(folder: Path, text: str) -> Study:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return load(folder / "study.toml", Study)


def test_sections(
    tmp_path: Path, bioid_folder: Callable[..., Path], standoff_folder: Callable[..., Path]
) -> None:
    bioid_folder("gold", a=[("1", "F", "Actin.", [("GO:1", 0, 5, "Actin")])])
    standoff_folder("ref", {"d.txt": "soil", "d.a1": "T1\tHabitat 0 4\tsoil\n", "d.a2": ""})
    standoff_folder("pred", {"d.a2": "N1\tOntoBiotope Annotation:T1 Referent:O:1\n"})
    (tmp_path / "small.obo").write_text("[Term]\nid: O:1\nname: soil\n", encoding="utf-8")
    (tmp_path / "terms.jsonl").write_text(json.dumps({"document": "1", "terms": ["soil"]}), encoding="utf-8")
    read = study(
        tmp_path,
        """
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
        """,
    )
    results = [evaluate_section(section, tmp_path) for section in read.evaluation]
    assert [r.title for r in results] == ["BioID", "Bacteria Biotope 2019, norm", "Index terms"]
    for result in results:
        assert list(result.table.columns[: len(SCORE_COLUMNS)]) == list(SCORE_COLUMNS)
        assert set(result.shown) <= set(result.table.columns)
        assert result.table["signature"].str.contains(r"\|tagsuite:").all()
    assert results[0].table["run"].unique().tolist() == ["mine"]
    assert results[1].table["precision"].iloc[0] == 0
    assert results[2].table["dice"].iloc[0] == 1


def test_a_wrong_section_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="evaluation"):
        study(tmp_path, '[[evaluation]]\nevaluate = "bioid"\nreference = "gold"\nruns = []\n')
    with pytest.raises(InputError, match="evaluation"):
        study(tmp_path, '[[evaluation]]\nevaluate = "else"\n')


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
    assert all(name in shown.stdout for name in ("bioid", "bacteria-biotope", "indexing"))


@pytest.mark.parametrize("name", ["bioid", "bacteria-biotope", "indexing"])
def test_every_option_is_on_its_page(name: str) -> None:
    app = typer.Typer()
    register(app)
    group = typer.main.get_command(app)
    command = group.commands["evaluate"].commands[name]  # type: ignore[attr-defined]
    page = (Path(__file__).parents[3] / "docs" / f"evaluate-{name}.md").read_text(encoding="utf-8")
    options = [o for p in command.params for o in p.opts if o.startswith("--")]
    assert len(options) > 8
    missing = [o for o in options if o not in page and o not in ("--format", "--progress")]
    assert not missing
