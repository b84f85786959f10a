"""The run folder, its cache, and the commands: stored tables, refusals, messages."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.harness.running.check import check_tagger
from tagsuite.harness.running.cluster import make_dask_engine
from tagsuite.harness.running.engines import compute_bounds
from tagsuite.harness.running.folder.run_file import make_absolute, make_relative
from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.preparation import prepare_tagger
from tagsuite.harness.running.run import run
from tagsuite.harness.running.specification import Specification
from tagsuite.harness.running.tagger import Tagger, find_variables
from tagsuite.sentences.formats.registry import split_spec

RunOn = Callable[..., Run]
Write = Callable[..., Path]
WriteCorpus = Callable[..., str]
CAPITALS = """import re, sys
word = sys.argv[1] if len(sys.argv) > 1 else "[A-Z]\\\\w+"
for line in open(0, encoding="utf-8"):
    print(re.sub(r"\\b" + word, r"<gp>\\g<0></gp>", line.rstrip("\\n")))
"""
SPECIFICATION = """format = 1
name = "capitals"
files = []
version = "1.0"
command = ["{python}", "-S", "{here}/capitals.py", "{options}"]
[output]
tags = ["gp"]
[options.word]
argument = ""
"""


@pytest.fixture
def capitals(tmp_path: Path) -> Path:
    (tmp_path / "capitals.py").write_text(CAPITALS, encoding="utf-8")
    (tmp_path / "capitals.toml").write_text(SPECIFICATION, encoding="utf-8")
    return tmp_path / "capitals.toml"


FILES = ("predictions.parquet", "outcomes.parquet", "run.toml")


def test_a_run_folder_holds_what_it_must(capitals: Path, tmp_path: Path, corpus: WriteCorpus) -> None:
    source = corpus(["the Wnt and β-Catenin genes", "none", "Notch"])
    done = run(source, capitals, tmp_path / "run")
    columns = ["mention_id", "text_id", "side", "start", "end", "type"]
    assert done.predictions.columns.tolist() == [*columns, "score", "identifiers"]
    assert done.predictions[columns].to_numpy().tolist() == [
        [0, "0", "predicted", 4, 7, "gp"],
        [1, "0", "predicted", 14, 21, "gp"],
        [2, "2", "predicted", 0, 5, "gp"],
    ]
    assert done.predictions["score"].isna().all()
    assert done.outcomes["outcome"].tolist() == ["ok"] * 3
    assert done.tagger == "capitals@1.0"
    assert done.signature.startswith("corpus:")
    assert done.signature.endswith(f"|tagger:capitals@1.0#{done.meta['tagger']['digest'][:12]}")
    assert done.load_corpus().texts["text"].tolist()[2] == "Notch"
    assert done.meta["run"]["input"] == "sgml:../input.txt", "relative to the run folder"
    assert json.loads((done.folder / "timings.json").read_text())["shards"][0]["cases"] == 3
    assert (done.folder / "stderr").is_dir()
    assert "strings" not in done.meta, "of answers without offsets alone"


# a suite's mentions, types of the tagger's that they lack or what is refused, why
SUITES: list[tuple[pa.Table, dict[str, int] | str, str]] = [
    (pa.table({"type": ["gp", "rna"]}), {}, "the tagger's type is one of them"),
    (pa.table({"type": ["rna", "rna"]}), {"gp": 2}, "it is not"),
    (pa.table({"type": pa.array(["gp"] * 3).dictionary_encode()}), {}, "each word once"),
    (pa.table({"type": pa.array([], pa.string())}), {}, "no mention to compare with"),
    (pa.table({"start": [1]}), "column type is missing", "none has a type"),
    (pa.table({"type": [1]}), "column type has the wrong type", "a type is a number"),
]


@pytest.mark.parametrize(("mentions", "found", "why"), SUITES, ids=[s[2] for s in SUITES])
def test_types_of_a_suites_own_mentions(
    mentions: pa.Table, found: dict[str, int] | str, why: str, capitals: Path, tmp_path: Path
) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    pq.write_table(pa.table({"case_id": [0, 1], "text": ["Wnt here", "and Wnt"]}), suite / "cases.parquet")
    pq.write_table(mentions, suite / "mentions.parquet")
    (suite / "suite.toml").write_text('format = 1\n[suite]\nname = "small"\n')
    if isinstance(found, str):
        with pytest.raises(InputError, match=found):
            run(str(suite), capitals, tmp_path / "run")
    else:
        assert run(str(suite), capitals, tmp_path / "run").meta["foreign_types"] == found


@pytest.mark.parametrize(("side", "found"), [("gold", {}), ("predicted", {"gp": 1})])
def test_types_of_a_corpus_are_those_of_its_gold(
    side: str, found: dict[str, int], capitals: Path, tmp_path: Path
) -> None:
    mentions = [
        {"id": 0, "start": 4, "end": 8, "type": "rna", "side": "gold"},
        {"id": 1, "start": 0, "end": 3, "type": "gp", "side": side},
    ]
    text = {"text_id": "1", "document_id": "", "text": "Wnt here", "mentions": mentions}
    (tmp_path / "c.jsonl").write_text(json.dumps(text) + "\n", encoding="utf-8")
    done = run(f"jsonl:{tmp_path / 'c.jsonl'}", capitals, tmp_path / "run")
    assert done.meta["foreign_types"] == found


def test_a_suite_folder_keeps_its_case_numbers(capitals: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    table = pa.table({"case_id": [0, 1, 2], "text": ["no", "Wnt here", "a\nb Wnt"]})
    pq.write_table(table, suite / "cases.parquet")
    (suite / "suite.toml").write_text('format = 1\n[suite]\nname = "small"\nsignature = "suite:abc"\n')
    done = run(str(suite), capitals, tmp_path / "run")
    assert done.predictions[["text_id", "start", "end"]].to_numpy().tolist() == [[1, 0, 3], [2, 4, 7]]
    assert pd.api.types.is_integer_dtype(done.predictions["text_id"])
    assert done.signature == f"suite:abc|{done.tagger_part}"
    assert done.meta["run"]["corpus"] == "small"


def test_no_scheduler_is_the_users_to_mend(capitals: Path, run_on: RunOn) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match=r"the dask scheduler .* does not answer"):
        run_on(["a"], capitals, engine=make_dask_engine("tcp://127.0.0.1:1", timeout=0.5))


def test_a_run_with_a_crash_is_not_cached(tmp_path: Path, corpus: WriteCorpus, faulty: Write) -> None:
    source, spec = corpus(["Case: GENE1 =crash=", "Case: GENE2"]), faulty("sgml")
    for name in ("first", "second"):
        done = run(source, spec, tmp_path / name)
        assert json.loads((done.folder / "timings.json").read_text())["from_cache"] is False


REFUSED = [
    ("other files", "not empty and has no marker"),
    ("another run", "already contains another run"),
    ("another unfinished run", "unfinished run of another tagger or input"),
    ("a file", "a file, not a folder"),
]


@pytest.mark.parametrize(("what", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_what_stands_in_the_way_is_refused_and_kept(
    what: str, message: str, capitals: Path, tmp_path: Path, corpus: WriteCorpus
) -> None:
    out = tmp_path / "out"
    if what == "a file":
        out.write_text("mine")
    elif what == "other files":
        out.mkdir()
        (out / "mine.txt").write_text("mine")
    else:
        run(corpus(["Wnt"], "other.txt"), capitals, out)
        if what == "another unfinished run":
            (out / "run.toml").unlink()
            (out / ".shards").mkdir()
            (out / ".shards" / "plan.json").write_text('{"key": "x", "tagger": "t", "input": "i"}')
    with pytest.raises(InputError, match=message):
        run(corpus(["Notch"]), capitals, out)
    assert out.exists()
    if "run" in what:
        done = run(corpus(["Notch"]), capitals, out, force=True)
        assert len(done.predictions) == 1
        names = {*FILES, "stderr", "timings.json", "costs.parquet", ".tagsuite.toml"}
        assert {p.name for p in out.iterdir()} == names


NAMED = 'format = 1\nname = "x"\n'
HEAD = NAMED + 'command = ["{python}"]\n'
SPECIFICATIONS = [
    ('name = "x"\ncommand = ["a"]\n', "format", "no format"),
    (NAMED, "command", "no command"),
    (NAMED + 'command = ["no-such-program-anywhere"]\n', "no such program", "a program not there"),
    (NAMED + 'command = ["{python}", "{nowhere}"]\n', "unknown placeholder", "an unknown placeholder"),
    (HEAD + 'model = "m"\n', "unknown key", "an unknown key"),
    (HEAD + '[output]\nform = "xml"\n', "output.form", "an unknown form"),
    (HEAD + 'files = ["gone"]\n', "file or folder does not exist", "a model not there"),
    (NAMED + 'command = ["{env:NOT_SET_AT_ALL}"]\n', "environment variable", "an unset variable"),
    (HEAD + '[output]\npattern = "("\n', "pattern: not a regular expression", "a broken pattern"),
    (HEAD + '[output]\nopen = "a"\nclose = "(?i)b"', "output: not a regular", "flags in the middle"),
    (HEAD + '[version_command]\ncommand = ["x"]\npattern = "("', "pattern: not a", "a version pattern"),
    (HEAD + '[input]\nform = "openai_batch"\n', "mode .batch. and the table", "requests to no endpoint"),
    (HEAD + '[output]\nform = "offsets"\ncolumns = ["begin"]\n', "unknown column", "an unknown column"),
    (
        NAMED + 'mode = "persistent"\ncommand = ["{python}"]\n[output]\nvia = "path"\n',
        "persistent", "a persistent tagger that writes files",
    ),
    ("format = 1\nname = ", "not valid TOML", "truncated"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "why"), SPECIFICATIONS, ids=[s[2] for s in SPECIFICATIONS])
def test_bad_specifications(text: str, message: str, why: str, tmp_path: Path, run_on: RunOn) -> None:
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        run_on(["a"], tmp_path / "bad.toml")
    assert "bad.toml" in str(caught.value)


def test_options(tmp_path: Path, corpus: WriteCorpus) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_text("Wnt\n", encoding="utf-8")
    source = corpus(["wnt and notch"])
    with pytest.raises(InputError, match="needs the option terms"):
        run(source, "dictionary", tmp_path / "run")
    with pytest.raises(InputError, match="has no option colour"):
        run(source, "dictionary", tmp_path / "run", options={"colour": "red"})
    with pytest.raises(InputError, match="no such file"):
        run(source, "dictionary", tmp_path / "run", options={"terms": "gone.txt"})
    with pytest.raises(InputError, match="is a flag"):
        run(source, "dictionary", tmp_path / "run", options={"terms": str(terms), "case": "maybe"})
    done = run(source, "dictionary", tmp_path / "run", options={"terms": str(terms)})
    assert len(done.predictions) == 1
    cased = run(source, "dictionary", tmp_path / "cased", options={"terms": str(terms), "case": "true"})
    assert cased.predictions.empty
    digests = {prepare_tagger("dictionary", {"terms": str(terms)}).digest}
    terms.write_text("Wnt\nNotch\n", encoding="utf-8")
    digests.add(prepare_tagger("dictionary", {"terms": str(terms)}).digest)
    assert len(digests) == 2, "the content of the term list counts"


@pytest.mark.parametrize(
    ("spec", "there", "seen", "why"),
    [
        ("sgml:a.txt", "a.txt", "sgml:../a.txt", "a format and a path"),
        ("sgml:a.txt", "sgml:a.txt", "sgml:../a.txt", "a format's name is one, whatever is called so"),
        ("other:a.txt", "other:a.txt", "../other:a.txt", "a path that is called so"),
        ("conll[scheme=io]:a.txt", "a.txt", "conll[scheme=io]:../a.txt", "options stay"),
    ],
)
def test_places_are_seen_from_the_run_folder(
    spec: str, there: str, seen: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / there).touch()
    assert make_relative(spec, tmp_path / "run") == seen, why
    prefix, path = split_spec(spec)
    assert make_absolute(seen, tmp_path / "run") == f"{prefix}{tmp_path / path}", why


def test_placeholders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL", "m")
    text = "{python}|{option:a}|{env:MODEL}|{{x}}|{not one}|{A}"
    tagger = Tagger(Specification(format=1, name="x", command=["x"]), tmp_path, {"a": 3})
    assert tagger.fill_placeholders(text, {"python": "py"}) == "py|3|m|{x}|{not one}|{A}"
    assert find_variables("{env:HOME}|{{env:A}}|{option:a}|{env:B_2}") == ["HOME", "B_2"]


def test_no_shell_unless_asked_for(tmp_path: Path, run_on: RunOn) -> None:
    base = 'format = 1\nname = "sh"\ncommand = ["cat", "|", "sed", "s/Wnt/<gp>Wnt<.gp>/"]\n'
    for number, (extra, outcome) in enumerate([("", "abandoned"), ("shell = true\n", "ok")]):
        text = base.replace("s/Wnt/<gp>Wnt<.gp>/", "'s|Wnt|<gp>Wnt</gp>|'") + extra
        (tmp_path / "sh.toml").write_text(text, encoding="utf-8")
        done = run_on(["the Wnt gene"], tmp_path / "sh.toml", f"run{number}")
        assert done.outcomes["outcome"].tolist() == [outcome]


def test_shards_depend_on_the_size_of_the_input_alone() -> None:
    assert compute_bounds(3, None) == [(0, 3)]
    assert compute_bounds(1200, None) == [(0, 500), (500, 1000), (1000, 1200)]
    assert len(compute_bounds(100_000, None)) == 6
    assert len(compute_bounds(10_000_000, None)) == 100
    assert compute_bounds(5, 2) == [(0, 2), (2, 4), (4, 5)]


SHIFTS = [
    ("base = 0", "m.start(), m.end()", "nothing looks wrong"),
    ("base = 0", "m.start() + 1, m.end() + 1", "if all offsets are decreased by 1"),
    ("base = 1", "m.start(), m.end()", "if all offsets are increased by 1"),
    ("base = 0", "m.start(), m.end() - 1", "check output.inclusive"),
]


@pytest.mark.parametrize(("base", "places", "finding"), SHIFTS, ids=[s[2] for s in SHIFTS])
def test_check_finds_wrong_conventions(base: str, places: str, finding: str, program: Write) -> None:
    content = (
        "import re, sys\n"
        "for line in open(0, encoding='utf-8'):\n"
        "    n, text = line.rstrip('\\n').split('\\t')\n"
        "    for m in re.finditer(r'\\b[A-Z]\\w\\w\\w+', text):\n"
        f"        print(n, *({places}), 'gp', sep='\\t')\n"
    )
    rest = f'[input]\nform = "numbered"\n[output]\nform = "offsets"\n{base}\n'
    report = check_tagger(str(program(content, rest)))
    assert any(finding in line for line in report.findings), report.findings


def test_check_says_when_nothing_is_found_or_types_are_unknown(tmp_path: Path) -> None:
    for command, said in (
        ('["cat"]', "no mentions"),
        ('["sed", "s|MDM2|<prot>MDM2</prot>|"]\n[types]\ngene = "gp"', "'prot'"),
    ):
        (tmp_path / "t.toml").write_text(f'format = 1\nname = "t"\ncommand = {command}\n', encoding="utf-8")
        assert any(said in line for line in check_tagger(str(tmp_path / "t.toml")).findings)


def test_a_tagger_is_trained_by_its_own_program(tmp_path: Path) -> None:
    from tagsuite.harness.running.training import TrainingError, train_tagger

    (tmp_path / "gold.sgml").write_text("the <gp>Wnt</gp> gene\n", encoding="utf-8")
    (tmp_path / "learn.py").write_text(
        "import sys\nopen(sys.argv[2], 'w').write(open(sys.argv[1]).read())\n", encoding="utf-8"
    )
    base = 'format = 1\nname = "t"\ncommand = ["{python}"]\n'
    spec = tmp_path / "t.toml"
    spec.write_text(base, encoding="utf-8")
    corpus = f"sgml:{tmp_path / 'gold.sgml'}"
    with pytest.raises(InputError, match="cannot be trained"):
        train_tagger(str(spec), corpus, tmp_path / "model", {})
    learn = '[train]\ncommand = ["{python}", "-S", "{here}/learn.py", "{corpus}", "{model}"]\n'
    spec.write_text(base + learn)
    train_tagger(str(spec), corpus, tmp_path / "model", {})
    assert (tmp_path / "model").read_text().split() == ["the", "O", "Wnt", "B-gp", "gene", "O"]
    with pytest.raises(InputError, match="already exists"):
        train_tagger(str(spec), corpus, tmp_path / "model", {})
    spec.write_text(base + '[train]\ncommand = ["{python}", "-S", "-c", "raise SystemExit(4)"]\n')
    with pytest.raises(TrainingError, match="exit code 4"):
        train_tagger(str(spec), corpus, tmp_path / "other", {})


def test_the_command_says_what_failed_and_exits_with_3(
    tagsuite: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    corpus: WriteCorpus,
    faulty: Write,
) -> None:
    source, spec = corpus(["Case: GENE1", "Case: GENE2 =crash="]), faulty("sgml")
    done = tagsuite("run", source, "--tagger", spec, "--out", tmp_path / "run", "--format", "json", "--quiet")
    assert done.returncode == 3, done.stderr
    row = json.loads(done.stdout)["runs"][0]
    assert (row["cases"], row["ok"], row["crash"], row["mentions"]) == (2, 1, 1, 1)
    assert "crash: 1 cases: 1: exit code 1" in done.stderr
