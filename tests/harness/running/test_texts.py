"""Output that repeats the text: positions of mentions, compared with a parser that reads by character."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.folder.runs import read_run
from tagsuite.harness.running.inputs.cases import Batch
from tagsuite.harness.running.outputs.parse import parse_output
from tagsuite.harness.running.outputs.placement import Placement
from tagsuite.harness.running.preparation import prepare_tagger
from tagsuite.harness.running.run import run
from tagsuite.harness.running.specification_forms import Output
from tagsuite.sentences.formats.inline import TAG, find_element_names

PIECES = st.sampled_from(["p53", "β", "naïve ", " ", "<", ">", "</", "< ", "<b", "x", "(", "é", "日本"])
SINGLE = st.sampled_from(["<i/>", "<b>", "</p>"])
NAMES = st.sampled_from(["gp", 'gp id="1"', "p", "longer-than-eight"])


def marked(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return a strategy for text between two tags, also several in sequence."""
    pair = st.builds(lambda name, text: f"<{name}>{text}</{name.split()[0]}>", NAMES, inner)
    return st.lists(st.one_of(PIECES, pair), max_size=4).map("".join)


LINES = st.one_of(
    st.recursive(PIECES, marked, max_leaves=6), st.lists(st.one_of(PIECES, SINGLE), max_size=4).map("".join)
)
Row = tuple[int, int, int, str]


def batch(*texts: str) -> Batch:
    return Batch([*texts], [str(i) for i in range(len(texts))])


def sgml(printed: str, *texts: str, **form: Any) -> Placement:
    return parse_output(printed.encode(), Output(form="sgml", **form), batch(*texts))


def rows(placed: Placement) -> list[Row]:
    return [mention[:4] for mention in placed.mentions]


def sign_by_sign(number: int, line: str, wanted: list[str]) -> tuple[str, list[Row] | None]:
    """Return the text of a line and its mentions, read by character; None if tags are not paired."""
    text, at = "", 0
    stack: list[tuple[int, str]] = []
    found: list[Row] | None = []
    for match in TAG.finditer(line):
        name = match[2]
        if match[4] or (wanted and name not in wanted):
            continue
        text += line[at : match.start()]
        at, place = match.end(), len(text)
        if not match[1]:
            stack.append((place, name))
        elif found is not None and stack and stack[-1][1] == name:
            found.append((number, stack.pop()[0], place, name))
        else:
            found = None
    return text + line[at:], None if stack else found


@given(
    lines=st.lists(LINES, min_size=1, max_size=6),
    names=st.sampled_from([[], ["gp"], ["gp", "p", "longer-than-eight"]]),
    ended=st.booleans(),
)
def test_a_reading_sign_by_sign_finds_the_same(lines: list[str], names: list[str], ended: bool) -> None:
    # an empty line at the end that is not ended is no line
    assume(ended or lines[-1])
    read = [sign_by_sign(number, line, names) for number, line in enumerate(lines)]
    texts = [text for text, _ in read]
    # a tag that the text itself has is none unless it is declared
    assume(names or not find_element_names("\n".join(texts)))
    assume(all(found is not None for _, found in read))
    placed = sgml("\n".join(lines) + ("\n" if ended else ""), *texts, tags=names)
    expected = [row for _, found in read for row in found or ()]
    real = [row for row in expected if row[2] > row[1]]
    assert sorted(rows(placed)) == sorted(real)
    assert placed.unplaced.total() == len(expected) - len(real)
    assert placed.match_kinds == dict.fromkeys(range(len(lines)), "identical")
    assert not placed.faults


MARKED = [
    ("\ufeffthe <gp>p53</gp> gene\n", "the p53 gene", [(0, 4, 7, "gp")], "a byte order mark"),
    ("<i><gp>p53</gp></i>\n", "<i>p53</i>", [(0, 3, 6, "gp")], "a text with tags of its own"),
]


@pytest.mark.parametrize(("content", "text", "expected", "why"), MARKED, ids=[m[3] for m in MARKED])
def test_what_the_reading_sign_by_sign_leaves_out(
    content: str, text: str, expected: list[Row], why: str
) -> None:
    for tags in (["gp"], []):
        assert rows(sgml(content, text, tags=tags)) == expected, why


SAME = "the expression of {} was lower in treated cells"
LONGER = "the expression of {} was lower in the treated cells. It rose later"
# a sentence, names, the order of records (a pair: cut in two), the names of cases that are settled, why
ORDERS: list[tuple[str, str, list[object], str, str]] = [
    (SAME, "IL2 TP53 BRCA1 MYC", [2, 0, 3, 1], "IL2 TP53 BRCA1 MYC", "all in another order"),
    (LONGER, "IL2 TP53 BRCA1 MYC KRAS", [0, (2,), 3, 4], "IL2 MYC KRAS", "one lost, the next cut in two"),
    (SAME, "IL2 TP53 BRCA1", [0, 2, 2], "IL2 BRCA1", "one lost, the next one twice"),
    (SAME, "IL2 IL2 TP53", [0, 2], "TP53", "a text that was sent twice and answered once"),
]


@pytest.mark.parametrize(("text", "names", "order", "settled", "why"), ORDERS, ids=[o[4] for o in ORDERS])
def test_records_belong_to_the_case_of_their_text(
    text: str, names: str, order: list[object], settled: str, why: str
) -> None:
    texts = [text.format(name) for name in names.split()]
    lines = [re.sub(r"of (\w+)", r"of <gp>\1</gp>", t) + "\n" for t in texts]
    printed = "".join(
        lines[n[0]].replace("cells. ", "cells.\n") if isinstance(n, tuple) else lines[int(str(n))]
        for n in order
    )
    placed = sgml(printed, *texts)
    assert sorted(placed.match_kinds) == sorted(
        n for n, t in enumerate(names.split()) if t in settled.split()
    ), why
    assert not placed.faults
    assert [texts[c][s:e] for c, s, e, _ in sorted(rows(placed))] == settled.split()


TOGETHER = [
    ("<gp>p53</gp>\nbinds\n<gp>IL-2</gp>\n", [(0, 0, 3, "gp"), (1, 0, 4, "gp")], {}, "a line is split"),
    ("<gp>p53</gp> binds <gp>IL-2</gp>\n", [(0, 0, 3, "gp"), (1, 0, 4, "gp")], {}, "lines are joined"),
    ("<gp>p53 BINDS IL-2</gp>\n", [], {0: 1}, "a mention of two cases"),
    ("p53 binds <gp></gp>IL-2\n", [], {1: 1}, "an empty mention"),
]


@pytest.mark.parametrize(("printed", "expected", "unplaced", "why"), TOGETHER, ids=[t[3] for t in TOGETHER])
def test_lines_that_are_split_or_joined(
    printed: str, expected: list[Row], unplaced: dict[int, int], why: str
) -> None:
    placed = sgml(printed, "p53 binds", "IL-2")
    assert (rows(placed), dict(placed.unplaced), len(placed.match_kinds)) == (expected, unplaced, 2), why


REFUSED = [
    ("the expression of IL2 was", "short", "a record that ends early"),
    ("expression of IL2 was lower in treated cell", "ok", "letters missing at both ends"),
    ("quite another thing, of which hardly a letter agrees", "garbage", "another text"),
    (SAME.format("IL2") + " " * (1 << 17), "garbage", "a text of very many blanks"),
]


@pytest.mark.parametrize(("printed", "outcome", "why"), REFUSED, ids=[r[2] for r in REFUSED])
def test_what_is_no_altered_text(printed: str, outcome: str, why: str) -> None:
    for whole in (True, False):
        sent = batch(SAME.format("IL2"))
        placed = parse_output(f"{printed}\n".encode(), Output(), sent, is_single_case=whole)
        faults = {case: fault.outcome for case, fault in placed.faults.items()}
        assert faults == ({} if outcome == "ok" else {0: outcome}), why


UNDECLARED = [
    # text, printed, outcome or mentions, tags found, why
    ("p53 is", "<gp>p53</gp> is", [(0, 0, 3, "gp")], {}, "a declared tag"),
    ("p53 is", "<GENE>p53</GENE> is", "found <GENE> 1 time", {"GENE": 1}, "a tag of another name"),
    ("p53 is", "<START:gene> p53 <END> is", "found <END> 1 time, <START:gene> 1", {"END": 1, "START:gene": 1},
     "marks that are no pair"),
    ("p53 is", "p53</GENE> is", "found <GENE> 1 time", {"GENE": 1}, "closed and never opened"),
    ("<GENE>p53</GENE> is", "<GENE><gp>p53</gp></GENE> is", [(0, 6, 9, "gp")], {}, "text of the input"),
    ("p &lt;GENE&gt; is", "<gp>p</gp> <GENE> is", [(0, 0, 1, "gp")], {}, "entities of the input"),
    ("p < 0.05 or q > 1", "<gp>p</gp> < 0.05 or q > 1", [(0, 0, 1, "gp")], {}, "no tag at all"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "printed", "expected", "counts", "why"), UNDECLARED, ids=[r[4] for r in UNDECLARED]
)
@pytest.mark.parametrize("others", [[], ["one other", "and one more"]], ids=["alone", "in a batch"])
def test_tags_that_the_specification_does_not_list(
    text: str, printed: str, expected: object, counts: dict[str, int], why: str, others: list[str]
) -> None:
    placed = sgml("".join(f"{line}\n" for line in [printed, *others]), text, *others, tags=["gp"])
    assert dict(placed.undeclared_tags) == counts, why
    if isinstance(expected, str):
        assert placed.faults[0].outcome == "garbage"
        assert placed.faults[0].message.startswith(expected)
    else:
        assert (rows(placed), placed.faults) == (expected, {}), why
    # the others are what they were, and none is asked again
    assert {case: way for case, way in placed.match_kinds.items() if case} == dict.fromkeys(
        range(1, len(others) + 1), "identical"
    )
    assert not placed.doubtful_count


def test_a_run_and_a_check_say_which_tags_are_not_listed(
    tmp_path: Path, program: Callable[..., Path], tagsuite: Callable[..., CompletedProcess[str]]
) -> None:
    # one text has such a tag itself
    texts = "a Wnt gene\nnone\nNotch and Wnt\nthe tag <GENE> is text here\n"
    (tmp_path / "s.txt").write_text(texts, encoding="utf-8")
    content = "import re, sys\nfor line in sys.stdin:\n"
    content += "    print(re.sub(r'([A-Z][a-z]+)', r'<GENE>\\1</GENE>', line), end='')\n"
    spec = program(content, '[output]\ntags = ["gp"]\n')
    source = f"sgml[tag=gp]:{tmp_path / 's.txt'}"
    done = tagsuite("run", source, "--tagger", spec, "--out", tmp_path / "r")
    assert done.returncode == 3
    assert "found <GENE> 3 times" in done.stderr
    found = read_run(tmp_path / "r")
    assert found.outcome_counts == {"ok": 2, "garbage": 2}
    assert [reason.split(";")[0] for reason in found.outcomes["reason"].dropna()] == [
        "found <GENE> 1 time",
        "found <GENE> 2 times",
    ]
    checked = tagsuite("taggers", "check", spec)
    assert checked.returncode == 3
    assert "found <GENE>" in checked.stderr


SILENT = [
    ("sgml", "pass", True, "text that is not printed again"),
    ("offsets", "pass", True, "no mention leaves no trace"),
    ("offsets", "print('1\\t0\\t1\\tgp')", False, "one mention of one case"),
    ("sgml", "raise SystemExit(2)", False, "a crash is said as that"),
]


@pytest.mark.parametrize(("form", "content", "silent", "why"), SILENT, ids=[r[3] for r in SILENT])
def test_a_tagger_that_prints_nothing_is_said(
    form: str, content: str, silent: bool, why: str, tmp_path: Path, program: Callable[..., Path],
    corpus: Callable[..., str], tagsuite: Callable[..., CompletedProcess[str]],
) -> None:  # fmt: skip
    rest = f'[input]\nform = "numbered"\n[output]\nform = "{form}"\n'
    spec = program(f"import sys\nsys.stdin.read()\n{content}\n", rest)
    done = tagsuite("run", corpus(["a Wnt", "none"]), "--tagger", spec, "--out", tmp_path / "r")
    assert ("the tagger printed nothing for any case" in done.stderr) == silent, why


WORDS = [
    ('"python3", "t.py"', True),
    ('"python3", "{here}/t.py"', False),
    ('"python3", "elsewhere.py"', False),
]


@pytest.mark.parametrize(("command", "hint"), WORDS)
def test_a_file_without_its_folder_is_explained(command: str, hint: bool, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("a Wnt\n", encoding="utf-8")
    (tmp_path / "t.py").write_text("raise SystemExit('t.py has no model')\n", encoding="utf-8")
    (tmp_path / "t.toml").write_text(f'format = 1\nname = "t"\ncommand = [{command}]\n', encoding="utf-8")
    done = run(f"sgml:{tmp_path / 's.txt'}", tmp_path / "t.toml", tmp_path / "r")
    (failure,) = done.meta["failure"]
    assert ("{here}/t.py" in failure["said"]) == hint
    # a scratch folder has another name in each run
    assert ".shards" not in str(done.outcomes["reason"][0])


def test_a_program_beside_the_specification_is_found_there(tmp_path: Path) -> None:
    (tmp_path / "mine.sh").write_text("cat\n", encoding="utf-8")
    (tmp_path / "t.toml").write_text('format = 1\nname = "t"\ncommand = ["mine.sh"]\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        prepare_tagger(tmp_path / "t.toml")
    assert "{here}/mine.sh" in str(caught.value)
