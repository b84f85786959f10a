"""Output that lacks a key says which, which it has, and what of the specification names it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tagsuite.harness.running.inputs.cases import assemble
from tagsuite.harness.running.outputs.parse import parse
from tagsuite.harness.running.run import run
from tagsuite.harness.running.specification.output import Output

# form, what was printed for case 1, what is said
ROWS = [
    (
        "jsonl", '{"id": "1", "mentions": [{"start": 0, "stop": 3}]}',
        "mentions[0] has no key end; found keys: start, stop; specification: output.end_key",
    ),
    (
        "jsonl", '{"id": "1", "mentions": [{"start": 0, "end": 3}, {"end": 3}]}',
        "mentions[1] has no key start; found keys: end; specification: output.start_key",
    ),
    (
        "jsonl", '{"id": "1", "entities": []}',
        "the object has no key mentions; found keys: id, entities; specification: output.mentions_key",
    ),
    (
        "jsonl", '{"number": "1", "mentions": []}',
        "the object has no key id; found keys: number, mentions; specification: output.id_key",
    ),
    (
        "biocjson", '{"id": "1", "annotations": [{"id": "T1", "text": "p53"}]}',
        "annotation 'T1' has no key locations; found keys: id, text",
    ),
    (
        "biocjson", '{"id": "1", "annotations": [{"locations": [{"offset": 0}]}]}',
        "an annotation: its location has no key length; found keys: offset",
    ),
    (
        "offsets", "1\t0",
        r"not a line of the declared form (2 of the columns id, start, end, type: output.columns): '1\t0'",
    ),
    (
        "conll", "B-gp\tp53\nO\tis\n\n",
        "no token in column 0 or no tag of iob2 in column -1; specification: output.token_column, "
        "output.tag_column, output.scheme: 'B-gp O'",
    ),
    (
        "token_tag", "p53|B-gp is|O\n",
        "a word that is not token/TAG with a tag of iob2; specification: output.scheme: 'p53|B-gp is|O'",
    ),
    (
        "sgml", "<gp>p53 is\n",
        "tags that do not pair; specification: output.tags, output.open: 'p53 is'",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("form", "content", "said"), ROWS, ids=[f"{r[0]} {r[2][:30]}" for r in ROWS])
def test_what_is_missing_is_said(form: str, content: str, said: str) -> None:
    sent = assemble([b"p53 is"], np.zeros(1, np.int64), ["1"])
    found = parse(content.encode(), Output(form=form), sent)
    assert [*found.what.values(), found.noise][0] == said
    assert found.fault == {0: "garbage"} or found.strays == 1


def test_objects_without_any_list_have_no_mentions() -> None:
    sent = assemble([b"p53 is"], np.zeros(1, np.int64), ["1"])
    found = parse(b'{"id": "1", "text": "p53 is"}', Output(form="jsonl"), sent)
    assert (found.fault, found.way.tolist()) == ({}, [0])


def test_the_outcome_says_it_in_place_of_the_exit_code(tmp_path: Path, corpus: Callable[..., str]) -> None:
    (tmp_path / "t.py").write_text(
        "import sys\nfor line in sys.stdin:\n"
        '    print(\'{"id": "%s", "mentions": [{"start": 0}]}\' % line.split(\'\\t\')[0])\n',
        encoding="utf-8",
    )
    path = tmp_path / "t.toml"
    path.write_text(
        'format = 1\nname = "t"\ncommand = ["{python}", "-S", "{here}/t.py"]\n[input]\nform = "numbered"\n'
        '[output]\nform = "jsonl"\n',
        encoding="utf-8",
    )
    done = run(corpus(["one", "two"]), path, tmp_path / "out")
    assert done.outcome_counts == {"ok": 0, "garbage": 2}
    said = "mentions[0] has no key end; found keys: start; specification: output.end_key"
    assert done.outcomes["said"].tolist() == [said, said]
