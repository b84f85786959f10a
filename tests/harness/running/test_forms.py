"""All forms of input and output, and all conventions of offsets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tagsuite.catalogues.core import patterns
from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.inputs import forms as inputs
from tagsuite.harness.running.inputs.cases import Batch
from tagsuite.harness.running.outputs.parse import parse_output
from tagsuite.harness.running.outputs.placement import Placement
from tagsuite.harness.running.specification_forms import Input, Output

TEXTS = ["the p53 gene", "β-actin, 𝛼-tubulin & IL-2 (n < 5)", "", "no gene here"]
NAME = re.compile(r"p53|β-actin|𝛼-tubulin|IL-2")


def batch(texts: list[str]) -> Batch:
    return Batch(texts, [str(i + 1) for i in range(len(texts))])


def found(placed: Placement) -> list[tuple[int, int, int, str]]:
    return sorted(mention[:4] for mention in placed.mentions)


GOLD = sorted((i, m.start(), m.end(), "gp") for i, t in enumerate(TEXTS) for m in NAME.finditer(t))

INPUTS = [
    ({"form": "lines"}, "a b\nβ c\n", "a case a line"),
    ({"form": "numbered"}, "1\ta b\n2\tβ c\n", "number, tab, text"),
    ({"form": "numbered", "id_prefix": "PMID:"}, "PMID:1\ta b\nPMID:2\tβ c\n", "a prefix of identifiers"),
    ({"form": "genetag"}, "1\na b\n2\nβ c\n", "a line for the number, a line for the text"),
    ({"form": "bc2gm"}, "1 a b\n2 β c\n", "number, blank, text"),
    ({"form": "conll"}, "a\nb\n\nβ\nc\n\n", "a token a line"),
    ({"form": "pubtator"}, "1|t|a b\n1|a|\n\n2|t|β c\n2|a|\n\n", "title and no abstract"),
]


@pytest.mark.parametrize(("form", "content", "why"), INPUTS, ids=[i[2] for i in INPUTS])
def test_what_is_sent(form: dict[str, str], content: str, why: str) -> None:
    shape = Input.model_validate(form)
    assert inputs.serialise_batch(inputs.adapt_texts(batch(["a b", "β c"]), shape), shape) == content


def test_json_lines_are_sent_with_the_declared_keys() -> None:
    shape = Input(form="jsonl", id_key="pmid", text_key="body")
    lines = inputs.serialise_batch(batch(["a b", 'β "c"']), shape).splitlines()
    assert [json.loads(line) for line in lines] == [
        {"pmid": "1", "body": "a b"},
        {"pmid": "2", "body": 'β "c"'},
    ]


def test_line_breaks_and_foreign_letters_are_sent_without_moving_an_offset() -> None:
    sent = inputs.adapt_texts(batch(["a\nβ\rc"]), Input(form="lines", encoding="latin-1"))
    assert sent.texts == ["a ? c"]
    assert inputs.adapt_texts(batch(["a\x0cb\nc"]), Input(form="bioc")).texts == ["a b\nc"]


def inline(texts: list[str]) -> str:
    return "".join(NAME.sub(r"<gp>\g<0></gp>", t) + "\n" for t in texts)


def table(texts: list[str], unit: str, *, base: int = 0, inclusive: bool = False, names: bool = True) -> str:
    def at(text: str, place: int) -> int:
        before = text[:place]
        return {
            "characters": len(before),
            "bytes": len(before.encode()),
            "utf16": len(before.encode("utf-16-le")) // 2,
            "nonwhite": len("".join(before.split())),
        }[unit]

    return "".join(
        f"{i + 1}\t{at(t, m.start()) + base}\t{at(t, m.end()) + base - inclusive}\tgp\t{m[0]}\n"
        for i, t in enumerate(texts)
        for m in NAME.finditer(t)
    )


COLUMNS = ["id", "start", "end", "type", "text"]
OFFSETS = [
    (unit, base, inclusive)
    for unit in ("characters", "bytes", "utf16", "nonwhite")
    for base in (0, 1)
    for inclusive in (False, True)
]


@pytest.mark.parametrize(("unit", "base", "inclusive"), OFFSETS)
def test_every_convention_of_offsets(unit: str, base: int, inclusive: bool) -> None:
    form = Output(form="offsets", columns=COLUMNS, unit=unit, base=base, inclusive=inclusive)  # type: ignore[arg-type]
    content = table(TEXTS, unit, base=base, inclusive=inclusive).encode()
    placed = parse_output(content, form, batch(TEXTS))
    assert found(placed) == GOLD
    assert not placed.unplaced


SPACED = re.sub(r"([,()<>&-])", r" \1 ", "\n".join(TEXTS)) + "\n"
TEXTUAL = [
    (inline(TEXTS), "identical", "inline tags"),
    (inline(TEXTS).replace("<gp>", '<gp id="7">'), "identical", "tags with attributes"),
    (inline(TEXTS).replace(" ", "  "), "whitespace", "more blanks"),
    (SPACED, "whitespace", "no mention"),
    (inline(TEXTS).upper().replace("GP>", "gp>"), "canonical", "upper case"),
    (inline(TEXTS).replace("&", "&amp;").replace("< 5", "&lt; 5"), "canonical", "escaped"),
]


@pytest.mark.parametrize(("content", "way", "why"), TEXTUAL, ids=[t[2] for t in TEXTUAL])
def test_the_text_again(content: str, way: str, why: str) -> None:
    placed = parse_output(content.encode(), Output(), batch(TEXTS))
    assert found(placed) == ([] if why == "no mention" else GOLD)
    # the text with entities; the empty one is what it was
    assert (placed.match_kinds[1], placed.match_kinds[2], len(placed.match_kinds)) == (way, "identical", 4)


SCHEMES = [
    ("iob2", "B-gp I-gp O B-gp B-gp", [(0, 2), (3, 4), (4, 5)], "every mention begins with B"),
    ("iob", "I-gp I-gp O I-gp B-gp", [(0, 2), (3, 4), (4, 5)], "B only between neighbours"),
    ("iobes", "B-gp E-gp O S-gp S-gp", [(0, 2), (3, 4), (4, 5)], "E ends, S is alone"),
    ("iobes", "B_gp E_gp O W_gp W_gp", [(0, 2), (3, 4), (4, 5)], "underscores, BMEWO"),
    ("io", "gp gp O gp O", [(0, 2), (3, 4)], "a run of one tag"),
    ("iob2", "I-gp I-gp O B-gp I-rna", [(0, 2), (3, 4), (4, 5)], "what continues nothing begins"),
]


@pytest.mark.parametrize(("scheme", "tags", "tokens", "why"), SCHEMES, ids=[s[3] for s in SCHEMES])
def test_schemes_of_tags(scheme: str, tags: str, tokens: list[tuple[int, int]], why: str) -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon"]
    edges = [
        (sum(len(w) + 1 for w in words[:i]), sum(len(w) + 1 for w in words[:i]) + len(words[i]))
        for i in range(5)
    ]
    wanted = [(edges[a][0], edges[b - 1][1]) for a, b in tokens]
    sent = batch([" ".join(words), "x"])
    rows = "".join(f"{w}\t{t}\n" for w, t in zip(words, tags.split(), strict=True)) + "\nx\tO\n\n"
    columns = parse_output(rows.encode(), Output(form="conll", scheme=scheme), sent)  # type: ignore[arg-type]
    assert [row[1:3] for row in found(columns)] == wanted
    line = " ".join(f"{w}/{t}" for w, t in zip(words, tags.split(), strict=True)) + "\nx/O\n"
    slashes = parse_output(line.encode(), Output(form="token_tag", scheme=scheme), sent)  # type: ignore[arg-type]
    assert [row[1:3] for row in found(slashes)] == wanted


def test_brat_names_no_case() -> None:
    with pytest.raises(InputError):
        parse_output(b"T1\tgp 0 1\tb\n", Output(form="brat"), batch(TEXTS))


PROGRAM = """import re, sys
from pathlib import Path
out = Path(sys.argv[2]); out.mkdir(exist_ok=True)
for file in sorted(Path(sys.argv[1]).iterdir()):
    text = file.read_text(encoding="utf-8")
    found = enumerate(re.finditer("p53|IL-2", text))
    marks = [f"T{k}\\tgp {m.start()} {m.end()}\\t{m[0]}\\n" for k, m in found]
    (out / (file.stem + ".ann")).write_text("".join(marks), encoding="utf-8")
"""


def test_identifiers_of_the_corpus_for_a_tagger_that_looks_output_up() -> None:
    sent = Batch(["the p53 gene", "b"], ["P1", "P2"])
    shape = Input(form="numbered", identifier="text_id", separator=" ")
    assert inputs.serialise_batch(sent, shape) == "P1 the p53 gene\nP2 b\n"
    form = Output(form="offsets", pattern=r"^(?P<id>[^|]+)\|(?P<start>\d+) (?P<end>\d+)\|(?P<text>.*)$")
    assert found(parse_output(b"P1|4 7|p53\n", form, sent)) == [(0, 4, 7, "")]


# a pattern of a specification whose search does not end, and what the tagger prints
ENDLESS = [
    (
        {"form": "offsets", "pattern": r"^(?P<id>\d)(?P<start>\d)(?P<end>(?:1|11)+)$"},
        "1" * 100 + "!",
        "a row",
    ),
    ({"form": "sgml", "open": "<(a|aa)+>", "close": "</m>"}, "<" + "a" * 100, "a mark"),
]


@pytest.mark.parametrize(("output", "printed", "why"), ENDLESS, ids=[e[2] for e in ENDLESS])
def test_a_pattern_that_never_ends_is_an_error_that_names_it(
    output: dict[str, str], printed: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "TIME_LIMIT_SECONDS", 0.1)
    with pytest.raises(InputError, match="too long") as caught:
        parse_output(f"{printed}\n".encode(), Output.model_validate(output), batch(["a text"]))
    assert output.get("pattern", output.get("open", "")) in str(caught.value)


ONE = """import re, sys
from pathlib import Path
text = Path(sys.argv[1]).read_text(encoding="utf-8")
marks = [f"T1\\tgp {m.start()} {m.end()}\\t{m[0]}\\n" for m in re.finditer("p53|IL-2", text)]
if marks:
    Path(sys.argv[2]).write_text("".join(marks), encoding="utf-8")
"""


@pytest.mark.parametrize(
    ("mode", "content", "given", "said"),
    [
        (
            "batch",
            PROGRAM.replace("    marks", "    if 'nothing' in text: continue\n    marks", 1),
            "folder",
            "there is no output",
        ),
        ("document", ONE, "path", "exit code 0, but the output file is missing"),
    ],
)
def test_a_case_whose_file_is_not_there_is_short(
    mode: str, content: str, given: str, said: str, run_program: Callable[..., Run]
) -> None:  # fmt: skip
    out = "{output_dir}" if mode == "batch" else "{output_dir}/{number}.ann"
    rest = (
        f'[input]\nform = "text"\nvia = "{given}"\n'
        '[output]\nform = "brat"\nvia = "path"\npath = "{output_dir}/{number}.ann"\n'
    )
    texts = ["p53 and α", "nothing", "an IL-2 gene"]
    done = run_program(content, texts, rest, mode=mode, arguments=f', "{{input}}", "{out}"')
    assert done.outcomes["outcome"].tolist() == ["ok", "short", "ok"]
    assert done.outcomes["reason"][1] == said
    found = done.predictions[["text_id", "start", "end", "type"]].to_numpy().tolist()
    assert found == [["0", 0, 3, "gp"], ["2", 3, 7, "gp"]]
