"""Features that the user declares: values from each kind of rule, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite import read_contexts, read_entities, use_taxonomy
from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.own_features import read_extended_taxonomy

TAXONOMY = r"""<taxonomy format="1">
<feature name="contains_locant" scope="entity" category="own" kind="boolean">
  <definition>Contains a locant.</definition>
  <pattern>(^|[^\w])([0-9]+|[NOS])(,([0-9]+|[NOS]))*-</pattern>
  <phrase>names that contain a locant</phrase>
</feature>
<feature name="salt" scope="entity" category="own" kind="category">
  <definition>Salt.</definition>
  <value name="chloride"><pattern>chloride$</pattern></value>
  <value name="any"><pattern>ide$</pattern></value>
</feature>
<feature name="is_listed" scope="entity" category="own" kind="boolean">
  <definition>In my list.</definition>
  <list file="list.txt"/>
</feature>
<feature name="is_approved" scope="entity" category="own" kind="boolean">
  <definition>Approved.</definition>
  <attribute name="approved"/>
</feature>
<feature name="is_hard" scope="entity" category="own" kind="boolean">
  <definition>Hard.</definition>
  <query>contains_locant and not is_approved</query>
</feature>
<feature name="is_about_patients" scope="context" category="own" kind="boolean">
  <definition>About patients.</definition>
  <pattern>[Pp]atients with &lt;&gt;</pattern>
</feature>
<feature name="phase" scope="context" category="own" kind="integer">
  <definition>Phase of the trial.</definition>
  <attribute name="phase"/>
</feature>
</taxonomy>
"""
ENTITIES = """<entities format="1" type="chemical">
<entity id="1" approved="true">2-naphthol</entity>
<entity id="2">N,N-dimethylamide</entity>
<entity id="3" approved="false">sodium chloride</entity>
</entities>
"""
CONTEXTS = """<contexts format="1">
<context id="1" type="tp" phase="3"><sentence>Patients with <slot/> were seen.</sentence></context>
<context id="2" type="tp"><sentence>We saw <slot/> patients.</sentence></context>
</contexts>
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with a taxonomy, its word list, entities and contexts."""
    texts = {"own.xml": TAXONOMY, "list.txt": "2-naphthol\n", "e.xml": ENTITIES, "c.xml": CONTEXTS}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


VALUES = [
    ("contains_locant", [True, True, False], "a regular expression"),
    ("salt", [None, "any", "chloride"], "the first value whose rule is satisfied"),
    ("is_listed", [True, False, False], "a word list of whole forms"),
    ("is_approved", [True, None, False], "an attribute, absent where it is not given"),
    ("is_hard", [False, True, False], "a query over other features of the file"),
]


@pytest.mark.parametrize(("name", "values", "why"), VALUES)
def test_entities_have_their_values(files: Path, name: str, values: list[object], why: str) -> None:
    with use_taxonomy(files / "own.xml"):
        assert format_column(read_entities(files / "e.xml")[name]) == values, why


@pytest.mark.parametrize(("name", "values"), [(n, v) for n, v, _ in VALUES if n in ("salt", "is_listed")])
def test_a_catalogue_written_without_them_gets_them(
    files: Path, tagsuite: Call, name: str, values: list[object]
) -> None:
    plain = ENTITIES.replace(' approved="true"', "").replace(' approved="false"', "")
    (files / "e.xml").write_text(plain, encoding="utf-8")
    tagsuite("catalogue", "export", "--catalogue", files / "e.xml", "--out", files / "e.parquet")
    with use_taxonomy(files / "own.xml"):
        assert format_column(read_entities(files / "e.parquet")[name]) == values


def format_column(column: pd.Series) -> list[object]:
    """Return the values of a column, None if they are absent."""
    return [None if pd.isna(value) else value for value in column]


def test_contexts_have_their_values(files: Path) -> None:
    with use_taxonomy(files / "own.xml"):
        frame = read_contexts(files / "c.xml").contexts
    assert frame["is_about_patients"].tolist() == [True, False]
    assert frame["phase"].fillna(0).tolist() == [3, 0]


FEATURE = '<feature name="{}" scope="{}" category="own" kind="{}"><definition>d</definition>{}</feature>'
REFUSED = [
    (FEATURE.format("case", "entity", "boolean", "<pattern>x</pattern>"), "already used"),
    (FEATURE.format("x", "slot", "boolean", "<pattern>x</pattern>"), "scope"),
    (FEATURE.format("x", "entity", "integer", "<pattern>x</pattern>"), "kind"),
    (FEATURE.format("x", "entity", "boolean", ""), "not defined"),
    (FEATURE.format("x", "entity", "boolean", "<pattern>(</pattern>"), "x: the pattern"),
    (FEATURE.format("x", "entity", "boolean", "<query>y = 1</query>"), "x: unknown feature 'y'"),
    (FEATURE.format("x", "entity", "boolean", '<list file="none.txt"/>'), "x: no such file"),
    (FEATURE.format("x", "entity", "category", '<value name="a"/>'), "not defined"),
]


@pytest.mark.parametrize(("feature", "problem"), REFUSED)
def test_a_feature_that_cannot_be_used_is_refused(tmp_path: Path, feature: str, problem: str) -> None:
    file = tmp_path / "own.xml"
    file.write_text(f'<taxonomy format="1">\n{feature}</taxonomy>', encoding="utf-8")
    with pytest.raises(InputError, match=problem) as error:
        read_extended_taxonomy([file])
    assert (error.value.file, error.value.line) == (str(file), 2)


def test_minimal_pairs_use_its_change(files: Path, tagsuite: Call) -> None:
    change = '<change from="^[0-9]+-" to=""/>\n  <phrase>names that contain'
    own = TAXONOMY.replace("<phrase>names that contain", change)
    (files / "own.xml").write_text(own, encoding="utf-8")
    catalogues = ("--taxonomy", "own.xml", "--catalogue", "e.xml", "--sentences", "c.xml")
    pairs = ("--combine", "contrast", "--contrast", "contains_locant", "--entities", "contains_locant")
    done = tagsuite("generate", *catalogues, *pairs, "--out", "suite", cwd=files)
    assert done.returncode == 0, done.stderr
    lines = (files / "suite" / "gold.sgml").read_text(encoding="utf-8").splitlines()
    assert lines == [
        f"Patients with <chemical>{name}</chemical> were seen." for name in ("2-naphthol", "naphthol")
    ]
