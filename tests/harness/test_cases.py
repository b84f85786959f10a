"""Data on single cases: the reason, the reply, and the command that shows them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.folder.runs import read_run
from tagsuite.harness.running.inputs.cases import Batch
from tagsuite.harness.running.outputs.parse import parse_output
from tagsuite.harness.running.run import run
from tagsuite.harness.running.specification_forms import Output
from tagsuite.harness.scoring.cases import list_cases

TEXTS = "a Wnt gene\nbroken\nnothing here\nanother\n"
GOLD = "a <gp>Wnt</gp> gene\nbroken\nnothing here\nanother\n"
ANSWERS = {
    "broken": "<gp>broken\n",
    "another": "a text of somebody else, and not at all what was sent\n",
}
PROGRAM = f"""import sys
answers = {ANSWERS!r}
for line in sys.stdin:
    print(answers.get(line.strip(), line.replace("Wnt", "<gp>Wnt</gp>")), end="", flush=True)
"""
FUNCTION = """
def tag(text):
    if text == "broken":
        return {"neither": "list nor span"}
    return [(m, m + 3, "gp") for m in [text.find("Wnt")] if m >= 0]
"""
HEAD = 'format = 1\nname = "t"\n'
SGML = '[output]\ntags = ["gp"]\n'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAGSUITE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "gold.sgml").write_text(GOLD, encoding="utf-8")
    return f"sgml:{tmp_path / 'gold.sgml'}"


def tagger(folder: Path, mode: str, program: str = PROGRAM, more: str = "") -> Path:
    """Return a function that writes a tagger with a given mode, which breaks its answers to some texts."""
    if mode == "python":
        (folder / "mine.py").write_text(FUNCTION, encoding="utf-8")
        content = f'{HEAD}mode = "python"\n[python]\nfunction = "mine:tag"\n'
    else:
        (folder / "t.py").write_text(program, encoding="utf-8")
        content = f'{HEAD}mode = "{mode}"\ncommand = ["{{python}}", "-S", "{{here}}/t.py"]\n{more}{SGML}'
    path = folder / f"{mode}.toml"
    path.write_text(content, encoding="utf-8")
    return path


def replies_of(done: Any) -> dict[str, str]:
    frame = done.replies
    return {} if frame is None else dict(zip(frame["case_id"], frame["reply"], strict=True))


UNCLOSED = "<gp> is not closed on its line; specification: output.tags, output.open: 'broken'"
PRINTED = (UNCLOSED, ANSWERS["broken"], ANSWERS["another"])
MODES = [
    *((mode, *PRINTED) for mode in ("batch", "persistent", "document")),
    ("python", "the answer is a dict without a list", "dict {'neither': 'list nor span'}", ""),
]


@pytest.mark.parametrize(("mode", "reason", "reply", "other"), MODES, ids=[m[0] for m in MODES])
def test_each_mode_keeps_reason_and_reply_of_a_failed_case(
    mode: str, reason: str, reply: str, other: str, tmp_path: Path, source: str
) -> None:
    done = run(source, tagger(tmp_path, mode), tmp_path / "run")
    outcomes = done.outcomes
    assert outcomes["outcome"].tolist() == ["ok", "garbage", "ok", "garbage" if other else "ok"]
    assert outcomes["reason"][1].startswith(reason)
    if other:
        # not the reason of the case before
        assert outcomes["reason"][3].startswith("another text: 'a text of somebody else")
    assert outcomes["reason"].isna().tolist() == [True, False, True, not other]
    assert replies_of(done) == {"1": reply, **({"3": other} if other else {})}


@pytest.mark.parametrize(
    ("mode", "keep", "number"),
    [("batch", "none", 0), ("batch", "all", 4), ("persistent", "all", 4), ("document", "all", 4)],
)
def test_whose_replies_are_kept(
    mode: str, keep: str, number: int, tmp_path: Path, source: str, tagsuite: Call
) -> None:
    out = tmp_path / "run"
    done = tagsuite("run", source, "--tagger", tagger(tmp_path, mode), "--out", out, "--keep-replies", keep)
    assert done.returncode == 3
    kept = replies_of(read_run(out))
    assert len(kept) == number
    assert (out / "replies.parquet").exists() == bool(number)
    if keep == "all":
        assert (kept["0"], kept["2"]) == ("a <gp>Wnt</gp> gene\n", "nothing here\n")


def test_the_same_bytes_whatever_the_number_of_jobs(tmp_path: Path) -> None:
    (tmp_path / "many.sgml").write_text(GOLD * 10, encoding="utf-8")
    spec = tagger(tmp_path, "batch")
    for jobs in (1, 2):
        out = tmp_path / f"run{jobs}"
        run(f"sgml:{tmp_path / 'many.sgml'}", spec, out, jobs=jobs, batch_size=6, cache=False)
    for name in ("outcomes.parquet", "replies.parquet", "predictions.parquet", "run.toml"):
        assert (tmp_path / "run1" / name).read_bytes() == (tmp_path / "run2" / name).read_bytes(), name


LONG = "import sys\nsys.stdin.read()\nprint('x' * 200_000)\n"
CRASH = "import sys\nsys.stdin.read()\nprint('half an answ', end='', flush=True)\nsys.exit('no model')\n"
BYTES = "import sys\nsys.stdin.read()\nsys.stdout.buffer.write(b'\\xff\\xfe!\\n')\n"
KEY = (
    "import os, sys\nsys.stdin.read()\nprint('denied for ' + os.environ['KEY'])\n"
    "print('denied for ' + os.environ['KEY'], file=sys.stderr)\n"
)
REPLIES = [
    (LONG, "x" * (1 << 16), "another text", "at most 64 KiB"),
    (CRASH, "half an answ", "exit code 1: no model", "what was printed before a crash"),
    (BYTES, "\\xff\\xfe!\n", "not in the declared encoding", "bytes that are no text"),
    (KEY, "denied for [hidden]\n", "another text: 'denied for ", "without keys"),
    ("", "", "there is no output", "nothing was printed"),
]


@pytest.mark.parametrize(("program", "reply", "reason", "why"), REPLIES, ids=[r[3] for r in REPLIES])
@pytest.mark.parametrize("mode", ["batch", "document"])
def test_what_is_kept_of_a_reply(
    mode: str, program: str, reply: str, reason: str, why: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("TAGSUITE_TEST_KEY", "sk-0123456789")
    (tmp_path / "one.txt").write_text("a Wnt gene\n", encoding="utf-8")
    spec = tagger(tmp_path, mode, program, 'environment = { KEY = "{env:TAGSUITE_TEST_KEY}" }\n')
    done = run(f"sgml:{tmp_path / 'one.txt'}", spec, tmp_path / "run")
    assert replies_of(done) == {"0": reply}, why
    assert done.outcomes["reason"][0].startswith(reason)


# what was printed for three cases, and what of it is each one's
ANSWERED = [
    ({"form": "conll"}, "a\tO\nWnt\tB-gp\n\nbroken\tX\n\nlast\tO\n",
     {"1": "a\tO\nWnt\tB-gp\n\n", "2": "broken\tX\n\n", "3": "last\tO\n"}, "blocks of lines"),
    ({"form": "sgml", "numbered": True}, "2\tbroken\n1\ta Wnt\n2\tbroken\n3\tlast\n",
     {"1": "1\ta Wnt\n", "2": "2\tbroken\n2\tbroken\n", "3": "3\tlast\n"}, "two records"),
    ({"form": "names"}, '{"id": "2", "mentions": []}\n{"id": "2", "mentions": []}\n',
     {"2": '{"id": "2", "mentions": []}\n' * 2}, "two answers"),
    ({"form": "jsonl"}, '{"id": "2", "mentions": [{"start": 0}]}\n{"id": "1", "mentions": []}\n',
     {"2": '{"id": "2", "mentions": [{"start": 0}]}\n', "1": '{"id": "1", "mentions": []}\n'}, "one object"),
    ({"form": "offsets"}, "2\t0\n1\t0\t1\tgp\n", {"2": "2\t0\n", "1": "1\t0\t1\tgp\n"}, "columns"),
    ({"form": "pubtator"}, "2|t|x\n2\t0\t1\tx\n", {"2": "2|t|x\n2\t0\t1\tx\n"}, "several lines"),
    ({"form": "sgml"}, "a  Wnt\nbroken\nLAST\n",
     {"1": "a  Wnt\n", "2": "broken\n", "3": "LAST\n"}, "altered"),
    ({"form": "sgml"}, "a\nWnt broken\nlast\n", {}, "lines that are split otherwise belong to nobody"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "printed", "replies", "why"), ANSWERED, ids=[a[3] for a in ANSWERED])
def test_which_lines_of_a_batch_are_about_a_case(
    form: dict[str, Any], printed: str, replies: dict[str, str], why: str
) -> None:
    sent = Batch(["a Wnt", "broken", "last"], ["1", "2", "3"])
    found = parse_output(printed.encode(), Output(**form), sent, reply_policy="all")
    assert {str(case + 1): reply for case, reply in found.replies.items()} == replies, why


@pytest.fixture
def finished(tmp_path: Path, source: str) -> Path:
    """Run a tagger that breaks two of four answers."""
    return run(source, tagger(tmp_path, "batch"), tmp_path / "run").folder


ASKED = [
    (("--outcome", "garbage"), ["1", "3"], "of one outcome"),
    (("--outcome", "garbage", "--limit", "1"), ["1"], "no more than wanted"),
    (("--query", "length = 3"), ["0"], "with a mention that a query selects"),
    (("--query", "case = upper or length = 3", "--outcome", "garbage"), [], "both"),
]


@pytest.mark.parametrize(("options", "cases", "why"), ASKED, ids=[a[2] for a in ASKED])
def test_cases_are_chosen(
    options: tuple[str, ...], cases: list[str], why: str, finished: Path, tagsuite: Call
) -> None:
    done = tagsuite("cases", finished, *options, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert [row["case"] for row in json.loads(done.stdout)["cases"]] == cases, why


def test_a_case_is_shown_with_all_that_is_known_of_it(finished: Path, tagsuite: Call) -> None:
    rows = json.loads(tagsuite("cases", finished, "--format", "json").stdout)["cases"]
    assert [row["case"] for row in rows] == ["0", "1", "2", "3"]
    assert rows[0] == {
        "case": "0", "text": "a Wnt gene", "gold": "Wnt (gp 2-5)", "predicted": "Wnt (gp 2-5)",
        "outcome": "ok", "reason": None, "reply": None,
    }  # fmt: skip
    assert rows[1]["reply"] == ANSWERS["broken"]
    printed = tagsuite("cases", finished, "--outcome", "garbage").stdout
    # one block per case
    assert printed.split("\n")[:2] == ["case       1", "text       broken"]
    assert "reply      <gp>broken\n" in printed


def test_identifiers_are_shown_if_both_sides_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tagsuite: Call
) -> None:
    mention = {"start": 2, "end": 5, "type": "gp", "normalisations": [["", "X1"]]}
    gold = {"text": "a Wnt gene", "mentions": [mention]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold) + "\n", encoding="utf-8")
    answers = {
        "wrong": "[{'start': 2, 'end': 5, 'type': 'gp', 'identifiers': ['X2']}]",
        "none": "[(2, 5, 'gp')]",
    }
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    rows = {}
    for name, answer in answers.items():
        (tmp_path / f"{name}_x.py").write_text(f"def find(text):\n    return {answer}\n", encoding="utf-8")
        asked = ("--tagger", f"python:{name}_x:find", "--out", tmp_path / name)
        assert tagsuite("run", f"jsonl:{tmp_path / 'gold.jsonl'}", *asked).returncode == 0
        [row] = json.loads(tagsuite("cases", tmp_path / name, "--format", "json").stdout)["cases"]
        rows[name] = row["gold"], row["predicted"]
    assert rows == {
        "wrong": ("Wnt (gp X1 2-5)", "Wnt (gp X2 2-5)"),
        "none": ("Wnt (gp 2-5)", "Wnt (gp 2-5)"),
    }


def test_what_cannot_be_shown_is_refused(finished: Path, refused: Callable[..., str]) -> None:
    assert "found 'broken'" in refused("cases", finished, "--outcome", "broken")
    assert "lenght" in refused("cases", finished, "--query", "lenght = 3")


@pytest.mark.parametrize("name", ["outcomes.parquet", "predictions.parquet"])
@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("missing", "the run folder is incomplete"),
        ("empty", "not a readable Parquet file"),
        ("without rows", "the run folder is incomplete"),
    ],
)
def test_a_run_without_a_table_is_refused_by_every_command(
    kind: str, told: str, name: str, finished: Path, refused: Callable[..., str]
) -> None:
    file = finished / name
    table = pq.read_table(file)
    file.unlink()
    if kind == "empty":
        file.touch()
    elif kind == "without rows":
        pq.write_table(table.slice(0, 0), file)
    for command in ("cases", "score"):
        said = refused(command, finished)
        assert told in said
        assert name in said


def test_a_run_of_an_earlier_version_is_read(finished: Path) -> None:
    out = finished
    outcomes = pd.read_parquet(out / "outcomes.parquet").rename(columns={"reason": "said"})
    outcomes.to_parquet(out / "outcomes.parquet", index=False)
    predictions = pd.read_parquet(out / "predictions.parquet").drop(columns="identifiers")
    predictions.to_parquet(out / "predictions.parquet", index=False)
    (out / "replies.parquet").unlink()
    found = list_cases(read_run(out), outcome="garbage")
    assert found["reason"].notna().all()
    assert found["reply"].isna().all()
    assert read_run(out).predictions["identifiers"].isna().all()


def test_a_reply_is_no_part_of_another_result(tmp_path: Path, source: str) -> None:
    spec = tagger(tmp_path, "batch")
    run(source, spec, tmp_path / "run")
    with pytest.raises(InputError, match="another run"):
        run(source, spec, tmp_path / "run", keep_replies="all")
    assert len(replies_of(run(source, spec, tmp_path / "run", keep_replies="all", force=True))) == 4
