"""Conditions for a record of output to become a mention: offsets, types, nulls; others are garbage."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from fuzzing.mutants import mutate  # type: ignore[import-not-found]  # from the tests' folder

from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.inputs.cases import Batch
from tagsuite.harness.running.outputs.parse import parse_output
from tagsuite.harness.running.outputs.placement import Placement
from tagsuite.harness.running.specification_forms import Output

TEXTS = ["the p53 gene", "β-actin and IL-2", "none"]


def batch(*texts: str) -> Batch:
    return Batch([*texts], [str(i + 1) for i in range(len(texts))])


def jsonl(*mentions: Any) -> bytes:
    lines = [
        {"id": "1", "mentions": list(mentions)},
        {"id": "2", "mentions": []},
        {"id": "3", "mentions": []},
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def bioc(**changed: Any) -> bytes:
    annotation = {
        "infons": {"type": "gp"},
        "text": "p53",
        "locations": [{"offset": 4, "length": 3}],
        **changed.pop("annotation", {}),
    }
    passage = {"offset": 0, "annotations": [annotation], "sentences": [], **changed.pop("passage", {})}
    first = {"id": "1", "passages": [passage], **changed}
    return json.dumps(
        {"documents": [first, {"id": "2", "passages": []}, {"id": "3", "passages": []}]}
    ).encode()


COLUMNS = ["id", "start", "end", "type", "score"]
GOOD = {"start": 4, "end": 7}
SHAPES = {
    "table": Output(form="offsets", columns=COLUMNS),
    "lengths": Output(form="offsets", columns=["id", "start", "length"]),
    "jsonl": Output(form="jsonl"),
    "pubtator": Output(form="pubtator"),
    "bioc": Output(form="bioc"),
    "biocjson": Output(form="biocjson"),
    "brat": Output(form="brat"),
}


def rows(first: str) -> bytes:
    """Return a row for the first case, and a valid row for the second."""
    return f"1\t{first}\n2\t0\t7\tgp\t1\n".encode()


def pubtator(places: str) -> bytes:
    return f"1|t|x\n1\t{places}\tp53\tgp\n2|t|y\n3|t|z\n".encode()


XML_LENGTH = (
    b"<c><document><id>1</id><annotation><location offset='4' length='9223372036854775807'/></annotation>"
    b"</document><document><id>2</id></document><document><id>3</id></document></c>"
)
# form, what was printed, part of what is said of the first case, why
WRONG: list[tuple[str, bytes, str, str]] = [
    ("table", rows("4\t9223372036854775808\tgp\t1"), "end is out of range", "an end of 2**63"),
    ("table", rows("-99999999999\t7\tgp\t1"), "start is out of range", "a start far below 0"),
    ("table", rows("4\t7\tgp\thigh"), "score is not a number", "a word for a score"),
    ("lengths", b"1\t4\t1e9\n2\t0\t7\n", "length is not an integer", "a length in floating point"),
    ("jsonl", jsonl({"start": True, "end": 7}), "start is not an integer", "true for a number"),
    ("jsonl", jsonl({"start": 4.5, "end": 7}), "start is not an integer", "half a character"),
    ("jsonl", jsonl({**GOOD, "type": ["gp"]}), "type is not text", "a list for a type"),
    ("jsonl", jsonl({**GOOD, "score": {}}), "score is not a number", "an object for a score"),
    ("jsonl", jsonl(None), "list of objects", "null for a mention"),
    ("jsonl", jsonl({"fragments": [[4, 5], [6]]}), "not an integer", "half a fragment"),
    ("biocjson", bioc(passage={"annotations": None}), "annotations", "null for annotations"),
    ("biocjson", bioc(annotation={"locations": None}), "locations", "null for locations"),
    ("biocjson", bioc(annotation={"locations": []}), "has no location", "no location"),
    ("pubtator", pubtator("²\t7"), "start is not an integer", "a digit that is none"),
    ("bioc", XML_LENGTH, "length is out of range", "a length of 2**63 - 1"),
    ("brat", b"T1\tgp 4 9223372036854775808\tp53\n", "end is out of range", "an end of 2**63"),
]


@pytest.mark.parametrize(("form", "content", "said", "why"), WRONG, ids=[f"{w[0]}: {w[3]}" for w in WRONG])
def test_a_wrong_record_is_its_cases_garbage(form: str, content: bytes, said: str, why: str) -> None:
    sent = batch(*(TEXTS[:1] if form == "brat" else TEXTS))
    placed = parse_output(content, SHAPES[form], sent, is_single_case=form == "brat")
    assert {case: fault.outcome for case, fault in placed.faults.items()} == {0: "garbage"}, why
    assert said in placed.faults[0].message
    assert sorted(placed.match_kinds) == list(range(1, len(sent)))


MENTIONS = [("p53", 4, 7), ("β-actin", 0, 7), ("IL-2", 12, 16)]
SGML = "the <gp>p53</gp> gene\n<gp>β-actin</gp> and <gp>IL-2</gp>\nnone\n"
ROWS = [{"start": s, "end": e, "type": "gp", "score": 0.5, "text": t} for t, s, e in MENTIONS]
JSONL = "".join(
    json.dumps({"id": i, "mentions": own}) + "\n" for i, own in (("1", ROWS[:1]), ("2", ROWS[1:]), ("3", []))
)
PLACE = {"infons": {}, "locations": [{"offset": 4, "length": 3}]}
BIOCJSON = bioc(passage={"sentences": [{"annotations": [PLACE]}]})
XML = "".join(
    f"<document><id>{i}</id><passage><offset>0</offset><annotation id='T'>"
    f"<infon key='type'>gp</infon><location offset='{s}' length='{e - s}'/><text>{t}</text>"
    "</annotation></passage></document>"
    for i, (t, s, e) in zip((1, 2, 3), MENTIONS, strict=True)
)
OPENNLP = {"form": "sgml", "open": "<START:(?P<type>[a-z]+)>", "close": "<END>"}
PATTERN = r"(?P<id>\d+):(?P<start>\S+) (?P<end>\S+)"
IOB = "the/O p53/B-gp gene/O\nβ-actin/B-gp and/O IL-2/B-gp\nnone/O\n"
CONLL = "the\tO\np53\tB-gp\ngene\tO\n\nβ-actin\tB-gp\nand\tO\nIL-2\tO\n\nnone\tO\n\n"
RECORDS = "1|t|x\n1|a|\n1\t4\t7\tp53\tgp\t7157\n\n2|t|y\n2\t0\t7\tβ-actin\tgp\n"
BRAT = b"T1\tgp 4 7\tp53\nT2\tgp 0 3;8 12\tthe gene\nR1\tx Arg1:T1 Arg2:T2\n#1\tnote\n"
SPLIT = jsonl({"fragments": [[0, 3], [8, 12]], "type": "gp"}).splitlines(True)[0]
ALL = [(0, 4, 7), (1, 0, 7), (1, 12, 16)]
BOTH = [(0, 4, 7), (1, 0, 7)]
# form, whether each file has one case, a good output, the mentions in it
FORMS: list[tuple[dict[str, Any], bool, bytes, list[tuple[int, int, int]]]] = [
    ({"form": "sgml"}, False, SGML.encode(), ALL),
    ({"form": "sgml", "numbered": True}, False, b"1\tthe <gp>p53</gp> gene\n2\tx\n3\tnone\n", ALL[:1]),
    (OPENNLP, False, b"the <START:gp> p53 <END> gene\n", ALL[:1]),
    ({"form": "sgml", "encoding": "latin-1"}, False, b"the <gp>p53</gp> gene\nb\xeata\nnone\n", ALL[:1]),
    ({"form": "sgml", "encoding": "utf-16"}, False, SGML.encode("utf-16"), ALL),
    ({"form": "token_tag"}, False, IOB.encode(), ALL),
    ({"form": "token_tag", "scheme": "io", "numbered": True}, False, b"1\tthe/O p53/gp gene/O\n3\tnone/O\n",
     ALL[:1]),
    ({"form": "conll"}, False, CONLL.encode(), BOTH),
    ({"form": "offsets", "columns": COLUMNS}, False, b"1\t4\t7\tgp\t0.5\n2\t0\t7\tgp\t1e-3\n", BOTH),
    ({"form": "offsets", "columns": ["start", "length"]}, True, b"4\t3\n", ALL[:1]),
    ({"form": "offsets", "columns": ["start", "end"], "unit": "bytes", "base": 1}, True, b"5\t8\n", ALL[:1]),
    ({"form": "offsets", "pattern": PATTERN, "unit": "nonwhite"}, False, b"1:3 6\n", ALL[:1]),
    ({"form": "jsonl"}, False, JSONL.encode(), ALL),
    ({"form": "jsonl"}, True, SPLIT, [(0, 0, 12)]),
    ({"form": "pubtator"}, False, RECORDS.encode(), BOTH),
    ({"form": "brat"}, True, BRAT, [(0, 4, 7), (0, 0, 12)]),
    ({"form": "bioc"}, False, f"<collection>{XML}</collection>".encode(), BOTH),
    ({"form": "biocjson"}, False, BIOCJSON, ALL[:1] * 2),
]  # fmt: skip
IDS = [f"{i} {f[0]['form']}" for i, f in enumerate(FORMS)]


@pytest.mark.parametrize(("form", "alone", "content", "expected"), FORMS, ids=IDS)
def test_whatever_is_printed_gives_an_outcome_and_no_exception(
    form: dict[str, Any], alone: bool, content: bytes, expected: list[tuple[int, int, int]]
) -> None:
    chance = random.Random(f"{form}")
    shape = Output.model_validate(form)
    sent = batch(*(TEXTS[:1] if alone else TEXTS))
    assert [
        mention[:3] for mention in parse_output(content, shape, sent, is_single_case=alone).mentions
    ] == expected
    for _ in range(300 if "json" in shape.form else 150):
        sound(parse_output(mutate(content, shape.form, chance), shape, sent, is_single_case=alone), sent)


def sound(placed: Placement, sent: Batch) -> None:
    """Check that every mention is inside its text, its case is answered, and its fragments are inside it."""
    for mention in placed.mentions:
        assert 0 <= mention.start < mention.end <= len(sent.texts[mention.case])
        assert mention.case in placed.match_kinds
        assert all(mention.start <= low < high <= mention.end for low, high in mention.fragments)
    assert not placed.faults.keys() & placed.match_kinds.keys()


# form, keys, what is printed for the one case "p53 is", its identifiers
IDENTIFIERS = [
    ("jsonl", {},
     '{"id": "1", "mentions": [{"start": 0, "end": 3, "identifiers": "HGNC:1|X:2"}]}', "HGNC:1|X:2"),
    ("jsonl", {},
     '{"id": "1", "mentions": [{"start": 0, "end": 3, "identifiers": ["HGNC:1", "7"]}]}', "HGNC:1|7"),
    ("jsonl", {"identifiers_key": "normalisations"},
     '{"id": "1", "mentions": [{"start": 0, "end": 3, "normalisations": [["HGNC", "1"]]}]}', "HGNC:1"),
    ("jsonl", {}, '{"id": "1", "mentions": [{"start": 0, "end": 3}]}', ""),
    ("jsonl", {}, '{"id": "1", "mentions": [{"start": 0, "end": 3, "identifiers": 7}]}', "7"),
    ("names", {}, '{"id": "1", "mentions": [{"text": "p53", "identifiers": "HGNC:1"}]}', "HGNC:1"),
    ("offsets", {"columns": ["id", "start", "end", "identifiers"]}, "1\t0\t3\tHGNC:1", "HGNC:1"),
    ("pubtator", {}, "1|t|p53 is\n1\t0\t3\tp53\tgp\tHGNC:1|X:2", "HGNC:1|X:2"),
    ("brat", {}, "T1\tgp 0 3\tp53\nN1\tReference T1 HGNC:1\tp53", "HGNC:1"),
    ("brat", {}, "T1\tgp 0 3\tp53\nN1\tno line of brat", ""),
    ("biocjson", {}, '{"id": "1", "annotations": [{"locations": [{"offset": 0, "length": 3}], '
     '"infons": {"identifier": "HGNC:1"}}], "passages": []}', "HGNC:1"),
    ("bioc", {}, '<document><id>1</id><annotation><infon key="identifier">HGNC:1</infon>'
     '<location offset="0" length="3"/></annotation></document>', "HGNC:1"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "keys", "content", "expected"), IDENTIFIERS)
def test_identifiers_of_mentions_are_kept(
    form: str, keys: dict[str, Any], content: str, expected: str
) -> None:
    found = parse_output(
        content.encode(), Output(form=form, **keys), batch("p53 is"), is_single_case=form == "brat"
    )
    assert not found.faults
    assert [mention.identifiers for mention in found.mentions] == [expected]


def test_identifiers_of_mentions_that_are_made_one(run_program: Callable[..., Run]) -> None:
    content = (
        "import json\nnames = ['A:1', 'B:2', 'A:1', None]\n"
        "spans = [dict(start=0, end=3, identifiers=name) for name in names]\n"
        "print(json.dumps({'id': '1', 'mentions': spans}))\n"
    )
    done = run_program(content, ["p53 is"], '[input]\nform = "jsonl"\n[output]\nform = "jsonl"\n')
    assert done.predictions["identifiers"].tolist() == ["A:1|B:2"]
    known = done.make_predicted_corpus(done.load_corpus()).normalisations
    assert known is not None
    assert known.to_numpy().tolist() == [[0, "A", "1"], [0, "B", "2"]]


NESTED = [
    ('{"id": "1", "all": {"found": [{"span": {"begin": 0, "end": 3}}]}}', [[0, 3]], "the list in an object"),
    ('{"id": "1", "mentions": [{"span": {"begin": 0, "end": 3}}]}', [[0, 3]], "keys in an object"),
    ('{"id": "1", "mentions": [{"span.begin": 0, "span": {"end": 3}}]}', [[0, 3]], "a key with a dot in it"),
    ('{"id": "1", "mentions": [{"span": [0, 3]}]}', None, "a list in place of an object"),
    ('{"id": "1", "mentions": [{"begin": 0, "span": {"end": 3}}]}', None, "the key is elsewhere"),
]


@pytest.mark.parametrize(("content", "spans", "why"), NESTED, ids=[n[2] for n in NESTED])
def test_keys_may_be_nested(content: str, spans: list[list[int]] | None, why: str) -> None:
    mentions_key = "all.found" if "all" in content else "mentions"
    form = Output(form="jsonl", start_key="span.begin", end_key="span.end", mentions_key=mentions_key)
    found = parse_output(content.encode(), form, batch("p53 is"))
    if spans is None:
        assert "no key span.begin" in found.faults[0].message, why
    else:
        assert [[mention.start, mention.end] for mention in found.mentions] == spans, why
