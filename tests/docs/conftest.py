"""A folder in which every example of the help texts can be run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from program import in_this_process  # type: ignore[import-not-found]

import tagsuite
from tagsuite.reports.study.starter import write_starter

sys.path.insert(0, str(Path(__file__).parent))  # running_pages.py is also a program of its own

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
CAPTION = """<collection><source>made up</source><date/><key/>
<document><id>1 F1</id><infon key="pmc_id">1</infon><infon key="figure">F1</infon>
<passage><offset>0</offset><text>Actin was stained.</text>
<annotation id="1"><infon key="type">Uniprot:P1</infon><location offset="0" length="5"/>
<text>Actin</text></annotation>
</passage></document></collection>
"""
FILES = {
    "genes.txt": "wee1\ncdc25\n14-3-3 epsilon\n",
    "predictions.toml": 'format = 1\n[[class]]\nname = "lower"\nquery = "case = lower"\nrecall = "low"\n',
    "criteria.toml": 'format = 1\n[[class]]\nname = "symbols"\n'
    'query = "name_vs_symbol = symbol"\nmin_f1 = 0.05\n',
    "mine.xml": '<entities format="1" kind="entity"><entity id="mine-1">wee1</entity></entities>\n',
    "contexts.xml": '<contexts format="1" licence="MIT">\n<context id="mine-1" type="tp">'
    "<sentence>No clone carried {a} <slot/> insertion.</sentence></context>\n</contexts>\n",
    "my.toml": 'format = 1\nname = "my"\nversion = "1"\ncommand = ["cat"]\n'
    '[train]\ncommand = ["cp", "{corpus}", "{model}"]\n',
    "reference/all.xml": HEAD + CAPTION,
    "captions/all.xml": HEAD + CAPTION,
    "gold/d.txt": "Vibrio lives in sea water.\n",
    "gold/d.a1": "T1\tTitle 0 26\tVibrio lives in sea water.\nT2\tHabitat 16 25\tsea water\n",
    "gold/d.a2": "N1\tOntoBiotope Annotation:T2 Referent:OBT:000002\n",
    "found/d.a2": "N1\tOntoBiotope Annotation:T2 Referent:OBT:000001\n",
    "habitats.obo": "[Term]\nid: OBT:000000\nname: root\n\n"
    "[Term]\nid: OBT:000001\nname: water\nis_a: OBT:000000\n\n"
    "[Term]\nid: OBT:000002\nname: sea water\nis_a: OBT:000001\n",
    "gold.csv": "document,term\n1,Nose\n1,Foot\n",
    "found.csv": "document,term\n1,Ear\n1,Foot\n",
    "tree.txt": "Body;A01\nHead;A01.100\nNose;A01.100.200\nEar;A01.100.300\nFoot;A01.200\n",
}


@pytest.fixture
def endpoint() -> Iterator[str]:
    """A server that marks words with a capital; gives its address up to /v1."""
    server = Path(__file__).parents[1] / "endpoint_server.py"
    with subprocess.Popen(
        [sys.executable, str(server), "--form", "names"], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(running.stdout.readline())}/v1"
        finally:
            running.kill()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of every kind that the examples name, a suite and runs."""
    folder = tmp_path_factory.mktemp("prepared")
    write_starter(folder / "study")
    for item in (folder / "study").iterdir():
        item.rename(folder / item.name)
    (folder / "study").rmdir()
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    demo = (
        resources.files("tagsuite.sentences").joinpath("demo_corpus", "demo.sgml").read_text(encoding="utf-8")
    )
    for name in ("corpus.sgml", "c.sgml"):
        (folder / name).write_text("".join(demo.splitlines(keepends=True)[:40]), encoding="utf-8")
    before = Path.cwd()
    os.chdir(folder)
    try:
        suite = tagsuite.generate(
            "suite", "contains_hyphen", "total_number_of_names = 1", combine="sample", size=150
        )
        tagsuite.run(suite, "kex", "runs/kex")
        tagsuite.run(suite, "kex", "runs/kex2", options={"not_names": "true"})
        tagsuite.run(suite, "yapex", "runs/yapex")
        tagsuite.run(suite, "yapex", "runs/yapex2", options={"no_dictionary": "true"})
        tagsuite.run(suite, "dictionary", "runs/dictionary", options={"terms": "genes.txt"})
        tagsuite.run("sgml:corpus.sgml", "kex", "runs/kex--bc2gm")
        tagsuite.run(suite, "kex", "runs/kex-times", times=2)
        words = "run suite --tagger kex --out runs/kex-vary --vary not_names=true,false"
        assert in_this_process(*words.split()).returncode == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def workplace(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the prepared folder, and we stand in it."""
    shutil.copytree(prepared, tmp_path / "place")
    monkeypatch.chdir(tmp_path / "place")
    return tmp_path / "place"
