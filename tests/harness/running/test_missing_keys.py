"""Messages on output with a missing key: the key, the keys found, and the setting that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.inputs.cases import Batch
from tagsuite.harness.running.outputs.parse import parse_output
from tagsuite.harness.running.outputs.placement import Placement
from tagsuite.harness.running.specification_forms import Output

SENT = Batch(["p53 is"], ["1"])
# form, what was printed for case 1, the first words of the message, what was found, the specification's key
ROWS = [
    ("jsonl", '{"id": "1", "mentions": [{"start": 0, "stop": 3}]}',
     "mentions[0] has no key end", "start, stop", "end"),
    ("jsonl", '{"id": "1", "entities": []}', "the object has no key mentions", "id, entities", "mentions"),
    ("biocjson", '{"id": "1", "annotations": [{"id": "T1", "text": "p53"}]}',
     "annotation 'T1' has no key locations", "id, text", ""),
    ("biocjson", '{"id": "1", "annotations": [{"locations": [{"offset": 0}]}]}',
     "an annotation: its location has no key length", "offset", ""),
    ("biocjson", '{"passages": []}', "the document has no key id", "passages", ""),
    ("biocjson", '{"id": "1", "passage": [{}]}', "the document has no key passages", "id, passage", ""),
    ("biocjson", '{"id": "1", "passages": [{"text": "p53", "mentions": []}]}',
     "the passage has no key annotations", "text, mentions", ""),
    ("bioc", "<document><passage/></document>", "the document has no key id", "passages", ""),
    ("offsets", "1\t0", "a row has no end, type", "id, start: '1\\t0' in line 1", "columns"),
    ("offsets", "1\t\t3\tgp", "a row has no start", r"id, end, type: '1\t\t3\tgp' in line 1", "columns"),
    ("conll", "p53\nis\n\n", "a token line has no tag (column -1)", "token (column 0): 'p53'", "tag_column"),
    ("token_tag", "p53|B-gp is|O\n", "a word of token/TAG has no tag", "token: 'p53|B-gp'", "scheme"),
    ("openai_batch", '{"id": "1"}', "the object has no key custom_id", "id", ""),
    ("pubtator", "1\t0\t3\tp53\tgp\n", "the record has no line ID|t|title", "mentions", ""),
    ("pubtator", "1\t0", "a mention line has no end, text, type", "ID, start: ", ""),
    ("brat", "T1", "a text-bound line has no type, start, end", "id: ", ""),
    ("brat", "T1\t0 3\tp53", "a text-bound line has no type", "id, start, end, text: ", ""),
]  # fmt: skip


def read(form: str, content: str, **keys: Any) -> Placement:
    return parse_output(content.encode(), Output(form=form, **keys), SENT, is_single_case=form == "brat")


def message_of(found: Placement) -> str:
    return "".join([*(fault.message for fault in found.faults.values()), found.stray_problem])


@pytest.mark.parametrize(
    ("form", "content", "missing", "there", "key"), ROWS, ids=[f"{r[0]} {r[1]!r}" for r in ROWS]
)
def test_what_is_missing_is_said(form: str, content: str, missing: str, there: str, key: str) -> None:
    before = "1|t|p53 is\n" if missing.startswith("a mention line") else ""
    found = read(form, before + content)
    message = message_of(found)
    assert message.startswith(missing)
    assert f"; found {'keys' if 'key' in missing else 'fields'}: {there}" in message
    assert f"output.{key}" in message if key else "specification" not in message
    assert [fault.outcome for fault in found.faults.values()] == ["garbage"] or found.strays == 1


WRONG = [
    ("pubtator", "1|t|p53 is\n1\t0\t3.5\tp53\tgp\n", "'3.5' in line 2"),
    ("pubtator", "1|p53 is\n", "'1|p53 is' in line 1"),
    ("brat", "T1\tgp x 3\tp53\n", "'x' in line 1"),
    ("brat", "T1\tgp 0 3 5\tp53\n", "'3 5' in line 1"),
    ("brat", "gp 0 3\n", "'gp 0 3' in line 1"),
    ("conll", "B-gp\tp53\nO\tis\n\n", "invalid tag for scheme iob2: 'p53'"),
    ("sgml", "<gp>p53 is\n", "<gp> is not closed on its line"),
    ("sgml", "p53</gp> is\n", "</gp> has no opening tag"),
    ("openai_batch", '{"custom_id": "7"}', "a line without the custom_id of a case: '7'"),
]


@pytest.mark.parametrize(("form", "content", "said"), WRONG, ids=[f"{w[0]} {w[1]!r}" for w in WRONG])
def test_a_field_that_is_wrong_is_said(form: str, content: str, said: str) -> None:
    message = message_of(read(form, content))
    assert said in message
    assert bool(said) == bool(message), "a word there is a relation's"


def test_a_token_line_of_one_column_is_no_mention_of_its_own_type() -> None:
    for content in ("p53\nis\n\n", "p53\t\nis\t\n\n"):
        assert read("conll", content, scheme="io").faults[0].outcome == "garbage"
    empty = read("conll", "p53\tgp\nis\t\n\n", scheme="io", outside=[""])
    assert (empty.faults, len(empty.mentions)) == ({}, 1), "a tag that is declared empty is one"


# form, the answer to case 2, whether it is taken where the tagger is told identifiers
ANSWERS = [
    ("jsonl", '{"id": "2", "mentions": []}', True),
    ("jsonl", '{"id": 2, "mentions": []}', True),
    ("jsonl", '{"mentions": []}', True),
    ("jsonl", '{"id": "1", "mentions": []}', False),
    ("jsonl", '{"id": [2], "mentions": []}', False),
    ("names", '["p53"]', True),
    ("names", '{"id": "2", "mentions": ["p53"]}', True),
    ("names", '{"id": "1", "mentions": ["p53"]}', False),
    ("biocjson", '{"id": "2", "annotations": []}', True),
    ("pubtator", "2|t|p53 is\n", True),
    ("pubtator", "1|t|p53 is\n", False),
    ("offsets", "2\t0\t3\tgp\n", True),
    ("offsets", "1\t0\t3\tgp\n", False),
]


@pytest.mark.parametrize(("form", "content", "own"), ANSWERS, ids=[f"{a[0]} {a[1]!r}" for a in ANSWERS])
def test_an_answer_to_another_case_is_not_this_ones(form: str, content: str, own: bool) -> None:
    sent = Batch(["p53 is"], ["2"])
    asked = parse_output(content.encode(), Output(form=form), sent, is_single_case=True, has_sent_id=True)
    assert [fault.outcome for fault in asked.faults.values()] == ([] if own else ["garbage"])
    assert own or asked.faults[0].message.startswith("this is the answer to a different case: ")
    alone = parse_output(content.encode(), Output(form=form), sent, is_single_case=True)
    assert not alone.faults, "who was told none may number as it likes"


def test_objects_without_any_list_have_no_mentions() -> None:
    found = read("jsonl", '{"id": "1", "text": "p53 is"}')
    assert (found.faults, found.match_kinds) == ({}, {0: "identical"})


PRINTED = {
    "jsonl": ('{"id": "%s", "mentions": [{"start": 0}]}', "has no key end"),
    "pubtator": ("%s|t|x\\n%s\\t0", "has no end, text, type"),
}


@pytest.mark.parametrize("form", PRINTED)
def test_the_outcome_says_it_in_place_of_the_exit_code(form: str, run_program: Callable[..., Run]) -> None:
    printed, said = PRINTED[form]
    content = (
        f"import sys\nfor line in sys.stdin:\n    print('{printed}'.replace('%s', line.split('\\t')[0]))\n"
    )
    rest = f'[input]\nform = "numbered"\n[output]\nform = "{form}"\n'
    done = run_program(content, ["one", "two"], rest)
    assert done.outcome_counts == {"ok": 0, "garbage": 2}
    assert all(said in failure["said"] for failure in done.meta["failure"])
    # the reason of a case has what was found there as well
    assert done.outcomes["reason"].str.contains(said, regex=False).all()
    assert done.replies is not None
    first = printed.replace("\\n", "\n").replace("\\t", "\t")
    assert done.replies["reply"].tolist() == [first.replace("%s", name) + "\n" for name in "12"]
