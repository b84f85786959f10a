"""Answers with strings instead of offsets: how they are parsed and stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.harness.running.inputs.cases import Batch
from tagsuite.harness.running.outputs.answer_json import find_answer
from tagsuite.harness.running.outputs.parse import parse_output
from tagsuite.harness.running.outputs.placement import Placement, normalise_mentions
from tagsuite.harness.running.run import run
from tagsuite.harness.running.specification import Specification
from tagsuite.harness.running.specification_forms import Output

TEXTS = ("p53 binds p53", "an IL-2 receptor")


def batch(*texts: str) -> Batch:
    return Batch([*texts], [str(i + 1) for i in range(len(texts))])


def read(content: str, *texts: str, whole_case: bool = False, **form: Any) -> Placement:
    return parse_output(
        content.encode(), Output(form="names", **form), batch(*texts), is_single_case=whole_case
    )


def shown(found: Placement) -> list[str]:
    return [f"{m.case} {m.text} {m.start} {m.status}" for m in found.mentions]


def outcomes(found: Placement) -> dict[int, str]:
    return {case: fault.outcome for case, fault in found.faults.items()}


FIRST, BOTH = ["0 p53 0 ambiguous"], ["0 p53 0 ambiguous", "1 IL-2 3 exact"]
# what was printed, what of it became strings, faults, records of nobody, why
BATCHES = [
    ('["p53"]\n["IL-2"]\n', BOTH, {}, 0, "a list a line"),
    ('["p53"]\n[]\n', FIRST, {}, 0, "an empty list is an answer"),
    ('[{"text": "p53"}]\n["IL-2"]', BOTH, {}, 0, "objects, and no last line end"),
    ('{"mentions": ["p53"]}\n{"mentions": []}\n', FIRST, {}, 0, "a list in an object"),
    ('{"id": 2, "mentions": ["IL-2"]}\n{"id": "1", "mentions": ["p53"]}\n', BOTH, {}, 0, "by identifier"),
    ('{"id": 1, "mentions": ["p53"]}\n{"id": 7, "mentions": []}\n', FIRST, {}, 1, "of no case"),
    (
        '{"id": 1, "mentions": ["p53"]}\n{"id": 2, "mentions": []}\n{"id": 2, "mentions": []}\n',
        FIRST, {1: "duplicate"}, 0, "two of one case",
    ),
    ('```json\n["p53"]\n["IL-2"]\n```\n', BOTH, {}, 2, "fences around all"),
    ('Here they are:\n["p53"]\n["IL-2"]\n', BOTH, {}, 1, "words before all"),
    ('["p53"]\nIt names ["IL-2"].\n', BOTH, {}, 0, "words on a line"),
    ('["p53"]\nnone\n', FIRST, {1: "garbage"}, 0, "no JSON on a line of its own"),
    ('["p53"]\n\n', FIRST, {1: "garbage"}, 0, "a blank line is no list"),
    ('["p53"]\n', [], {}, 1, "a line for two cases: nothing tells whose"),
    ('["p53"]\n["IL-2"]\n[]\n', [], {}, 3, "three for two"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "expected", "fault", "strays", "why"), BATCHES, ids=[row[-1] for row in BATCHES]
)
def test_the_answers_of_a_batch(
    content: str, expected: list[str], fault: dict[int, str], strays: int, why: str
) -> None:
    found = read(content, *TEXTS)
    assert sorted(shown(found)) == expected, why
    assert (outcomes(found), found.strays) == (fault, strays)
    open_ = [case for case in (0, 1) if case not in found.match_kinds and case not in fault]
    assert open_ == (
        [] if len(expected) == 2 or fault or strays == 0 else [1] if expected and strays == 1 else [0, 1]
    )


# what was printed, the strings or what is said of it, whether something was stripped, why
WHOLE = [
    ('Sure!\n```json\n{"mentions": ["p53"]}\n```\nAnything else?', ["p53"], True, "fences and chatter"),
    ('<think>["x"]</think>["p53"]', ["p53"], True, "the last of several"),
    ('In [1] and {2} there is ["p53"]', ["p53"], True, "brackets that hold no answer"),
    ('["p53", ""]', ["p53"], True, "an empty string says nothing"),
    ('["p53", "IL', "the JSON is cut off: '[\"p53\", \"IL'", False, "cut off"),
    ("p53", "not JSON", False, "no JSON"),
    ('"p53"', "neither a list nor an object: 'p53'", False, "a bare string"),
    ("[53]", "mentions[0] is neither a string nor an object: 53", False, "a number"),
    (
        '{"genes": [], "n": 0}', "no key mentions; found keys: genes, n; specification: output.mentions_key",
        False, "another key",
    ),
    (
        '["p53", {"name": "p53"}]',
        "mentions[1] has no key text; found keys: name; specification: output.text_key", False, "no text",
    ),
    (
        '[{"text": "p53", "start": 0}]',
        "mentions[0] has no key end; found keys: text, start; specification: output.end_key", False, "no end",
    ),
    ('[{"text": "p53", "score": "high"}]', "mentions[0]: score is not a number: 'high'", False, "bad score"),
    ('["\\ud800"]', "a lone surrogate, which is not a character", False, "half a character"),
    ("[" * 100_000, "too many brackets that do not begin JSON", False, "brackets without end"),
    (json.dumps(["x"] * 1001), "1001 strings, but at most 1000 are allowed", False, "too many strings"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected", "stripped", "why"), WHOLE, ids=[row[-1] for row in WHOLE])
def test_the_answer_to_one_case(content: str, expected: Any, stripped: bool, why: str) -> None:
    for found in (read(content, TEXTS[0], whole_case=True), read(content, TEXTS[0])):
        if isinstance(expected, str):
            assert outcomes(found) == {0: "garbage"}, why
            assert found.faults[0].message.startswith(expected)
            assert not found.mentions
        else:
            assert (found.faults, [m.text for m in found.mentions]) == ({}, expected), why
        if found.strays == 0:
            assert bool(found.stripped) == stripped


def test_nothing_at_all_is_no_answer() -> None:
    for whole_case in (True, False):
        found = read(" \n" if whole_case else "", TEXTS[0], whole_case=whole_case)
        assert (found.faults, found.match_kinds, found.strays) == ({}, {}, 0)


def test_offsets_in_an_object_are_its_place_and_its_text_must_agree() -> None:
    content = json.dumps(
        [
            {"text": "p53", "start": 10, "end": 13, "type": "gene", "score": 0.5},
            {"text": "p53", "start": 1, "end": 4},
            {"start": 4, "end": 9},
            "p53",
        ]
    )
    found = read(content, TEXTS[0], whole_case=True)
    assert shown(found) == ["0 p53 10 exact", "0 binds 4 exact", "0 p53 0 exact"]
    assert found.unplaced == {0: 1}
    assert [m.type for m in found.mentions] == ["gene", "", ""]
    assert found.mentions[0].score == 0.5


def test_offsets_are_counted_as_declared() -> None:
    found = read('[{"start": 4, "end": 6}]', "β p53", whole_case=True, unit="bytes", base=1, inclusive=True)
    assert shown(found) == ["0 p53 2 exact"]


@given(st.binary(max_size=60) | st.text('[]{}"\\,:ab1 \n`', max_size=40).map(str.encode))
def test_whatever_is_printed_is_an_answer_or_a_problem(content: bytes) -> None:
    answer = find_answer(content, "mentions", "id")
    assert (answer.items is None) == bool(answer.problem)
    parse_output(content, Output(form="names"), batch(*TEXTS))
    parse_output(content, Output(form="names"), batch(TEXTS[0]), is_single_case=True)


@given(st.lists(st.text(max_size=5) | st.fixed_dictionaries({"text": st.text(max_size=5)}), max_size=4))
def test_the_list_is_found_among_other_words(items: list[Any]) -> None:
    for before, after in (("", ""), ("Here:\n```json\n", "\n```\nDone [1]."), ('{"x": 1} ', "")):
        content = before + json.dumps(items) + after
        assert find_answer(content.encode(), "mentions", "id").items == items


def test_mentions_and_strings_are_made_one_as_the_specification_says() -> None:
    content = '["p53", "p53", "x", "x", {"text": "y", "type": "drop"}, {"text": "p53", "type": "drop"}]'
    for duplicates, mentions, rows in (("merge", [0, 0, None], 1), ("keep", [0, 1, None, None], 2)):
        spec = Specification.model_validate(
            {
                "format": 1, "name": "t", "command": ["t"], "types": {"drop": ""},
                "output": {"form": "names", "duplicates": duplicates},
            }
        )  # fmt: skip
        made = normalise_mentions(parse_output(content.encode(), spec.output, batch("p53 is")).mentions, spec)
        assert [answered.mention_row for answered in made.strings] == mentions
        assert len(made.mentions) == rows


PROGRAM = """import json, re, sys
def answer(text):
    found = re.findall(r"[A-Z]+-?[0-9]+", text)
    return found + ["Zyx-1"] if "bad" in text else found
"""
MODES = {
    "batch": "for line in sys.stdin:\n    print(json.dumps(answer(line)))\n",
    "persistent": "for line in sys.stdin:\n"
    '    print("OK:", json.dumps({"mentions": answer(line)}), flush=True)\n',
    "document": 'print("```json\\n" + json.dumps(answer(sys.stdin.read()), indent=1) + "\\n```")\n',
}
SENTENCES = ["IL-2 binds IL-20 and IL-2.", "nothing here", "a bad IL-4", "TP53 and TP53 and TP53 are bad"]


@pytest.mark.parametrize("mode", MODES)
def test_the_run_folder_keeps_every_string(
    mode: str, program: Callable[..., Path], corpus: Callable[..., str], tmp_path: Path
) -> None:
    source, spec = corpus(SENTENCES), program(PROGRAM + MODES[mode], '[output]\nform = "names"\n', mode=mode)
    kept = []
    for jobs, size in ((1, 4), (2, 4), (1, 2)):
        done = run(source, spec, tmp_path / f"out{jobs}{size}", jobs=jobs, batch_size=size)
        assert done.outcome_counts == {"ok": 4}
        strings = pd.read_parquet(done.folder / "strings.parquet")
        assert list(strings.columns) == ["text_id", "text", "type", "score", "status", "mention_id"]
        assert strings["text"].tolist() == [
            *("IL-2", "IL-20", "IL-2", "IL-4", "Zyx-1", "TP53", "TP53", "TP53", "Zyx-1")
        ]
        there = strings.dropna(subset=["mention_id"])
        placed = there.merge(done.predictions, on="mention_id", suffixes=("", "_of_mention"))
        assert (placed["text_id"] == placed["text_id_of_mention"]).all()
        texts = dict(zip(done.outcomes["case_id"], SENTENCES, strict=True))
        spans = placed[["text_id", "start", "end"]].itertuples(index=False)
        assert [texts[case][start:end] for case, start, end in spans] == placed["text"].tolist()
        assert strings.loc[strings["mention_id"].isna(), "status"].unique().tolist() == ["invented"]
        assert done.meta["strings"] == {
            "exact": 7, "changed": 0, "ambiguous": 0, "invented": 2, "stripped": 0 if mode == "batch" else 4,
        }  # fmt: skip
        kept.append((done.folder / "strings.parquet").read_bytes())
    assert kept[0] == kept[1]
