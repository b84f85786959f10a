"""The options of the three evaluations: declared once, the same in Python, commands and studies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.options import Options, declared, types_of
from tagsuite.catalogues.core.settings import Settings, options_of, validate
from tagsuite.harness.tasks.commands import register
from tagsuite.harness.tasks.options import BacteriaBiotopeOptions, BioIDOptions, IndexingOptions
from tagsuite.harness.tasks.section import BacteriaBiotopeSection, BioIDSection, IndexingSection

INPUTS: dict[type[Settings], dict[str, object]] = {
    BioIDSection: {"evaluate": "bioid", "reference": "gold", "runs": ["mine"]},
    BacteriaBiotopeSection: {
        "evaluate": "bacteria-biotope",
        "task": "norm",
        "reference": "gold",
        "predicted": "found",
        "ontology": "o.obo",
    },
    IndexingSection: {"evaluate": "indexing", "gold": "gold", "predicted": "found", "tree": "t.txt"},
}
# the command, its table in a study, its options
EVALUATIONS: list[tuple[str, type[Settings], type[Options]]] = [
    ("bioid", BioIDSection, BioIDOptions),
    ("bacteria-biotope", BacteriaBiotopeSection, BacteriaBiotopeOptions),
    ("indexing", IndexingSection, IndexingOptions),
]


@pytest.mark.parametrize(("name", "section", "kind"), EVALUATIONS)
def test_one_declaration(name: str, section: type[Settings], kind: type[Options]) -> None:
    app = typer.Typer()
    register(app)
    command = typer.main.get_command(app).commands["evaluate"].commands[name]  # type: ignore[attr-defined]
    flags = {option for parameter in command.params for option in parameter.opts}
    assert {one.flag for one in declared(kind).values()} <= flags
    assert set(types_of(kind)) == set(section.model_fields) - set(INPUTS[section])
    usual = validate(dict(INPUTS[section]), section, "study.toml")
    assert options_of(kind, usual, Path("here")) == kind()


@pytest.mark.parametrize(
    ("section", "kind", "written", "expected"),
    [
        (
            BioIDSection,
            BioIDOptions,
            {
                "labels": ["tissue_or_organ", "small_molecule, cellular_component"],
                "equivalence_classes": "same.json",
            },
            BioIDOptions(
                labels=("tissue_or_organ", "small_molecule", "cellular_component"),
                equivalence_classes=Path("here/same.json"),
            ),
        ),
        (
            BacteriaBiotopeSection,
            BacteriaBiotopeOptions,
            {"seen": ["train", "/dev"], "force": True},
            BacteriaBiotopeOptions(seen=(Path("here/train"), Path("/dev")), force=True),
        ),
        (
            IndexingSection,
            IndexingOptions,
            {"similarity": "wang", "related": 5, "frequencies": "f.tsv"},
            IndexingOptions(similarity="wang", related=5, frequencies=Path("here/f.tsv")),
        ),
    ],
)
def test_keys_of_a_study(section: Any, kind: Any, written: dict[str, object], expected: Options) -> None:
    table = validate(INPUTS[section] | written, section, "study.toml")
    assert options_of(kind, table, Path("here")) == expected


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (BioIDOptions, {"labels": ("tissue_or_organ,gene",)}, "unknown label: found 'gene'"),
        (
            BioIDOptions,
            {"offsets": "words"},
            "unknown unit of offsets: found 'words'; allowed: characters, bytes",
        ),
        (
            BioIDOptions,
            {"reference_offsets": "words"},
            "unknown unit of offsets: found 'words'; allowed: char",
        ),
        (BioIDOptions, {"offsets": "utf16", "as_published": True}, "--as-published has no --offsets"),
        (IndexingOptions, {"similarity": "cosine"}, "unknown similarity: found 'cosine'"),
        (IndexingOptions, {"related": 0}, "the number of related documents is out of range: found '0'"),
        (IndexingOptions, {"smoothing": float("nan")}, "the smoothing is out of range"),
        (IndexingOptions, {"corpus": Path("a"), "frequencies": Path("b")}, "frequencies given twice"),
    ],
)
def test_values_that_are_not_legal(kind: Any, values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        kind(**values)
    assert message in str(error.value)
