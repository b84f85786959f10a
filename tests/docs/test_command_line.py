"""The whole command line: help, examples, wrong calls, completion, and no needless imports."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from program import Call  # type: ignore[import-not-found]  # in tests/
from typer.main import get_command

from tagsuite.__main__ import build_app

DOCS = Path(__file__).parents[2] / "docs"


PROGRAM = runpy.run_path(str(DOCS / "commands.py"))
"""What writes docs/reference/commands.md."""
CONTEXTS = dict(PROGRAM["list_commands"]())
LEAVES = sorted(path for path, context in CONTEXTS.items() if not hasattr(context.command, "commands"))


def example(path: str) -> list[str]:
    """The example of a command's help, as words."""
    paragraphs = str(CONTEXTS[path].command.help).split("\n\n")
    found = [p for p in paragraphs if p.startswith("Example: ")]
    assert len(found) == 1, f"{path} --help has {len(found)} examples"
    return shlex.split(found[0].removeprefix("Example: "))


@pytest.mark.parametrize("path", LEAVES)
def test_the_example_in_the_help_runs(
    workplace: Path, tagsuite: Call, tagsuite_process: Call, request: pytest.FixtureRequest, path: str
) -> None:
    words = example(path)
    assert " ".join(words).startswith(f"{path} ") or " ".join(words) == path
    if words == shlex.split("tagsuite demo --out demo"):  # as it is made for all tests
        assert (request.getfixturevalue("demo")[0] / "report.html").is_file()
        return
    if path == "tagsuite taggers train":  # its program writes to the real standard output
        done = tagsuite_process(*words[1:], cwd=workplace)
        assert done.returncode == 0, done.stderr
        return
    result = tagsuite(*words[1:])
    assert result.returncode == 0, (result.stdout, result.stderr)


def test_the_page_of_commands_is_current() -> None:
    assert (DOCS / "reference" / "commands.md").read_text(encoding="utf-8") == PROGRAM["page"](), (
        "run `make docs`"
    )


def test_help_imports_nothing_heavy() -> None:
    heavy = (
        "pandas",
        "numpy",
        "pyarrow",
        "scipy",
        "lark",
        "lxml",
        "pydantic",
        "orjson",
        "tqdm",
        "rich",
        "jinja2",
    )
    code = (
        "import sys, tagsuite.__main__ as m\n"
        "sys.argv = ['tagsuite', '--help']\n"
        "try: m.main()\n"
        "except SystemExit: pass\n"
        f"print('loaded:', [n for n in {heavy!r} if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"


def test_each_command_is_found_in_its_module() -> None:
    """One command's program has the commands of its module only, under the names of the table."""
    from tagsuite.__main__ import COMMANDS

    for names in COMMANDS.values():
        for name in names:
            assert list(get_command(build_app(name)).commands) == list(names)  # type: ignore[attr-defined]
    everything = {name for names in COMMANDS.values() for name in names}
    for unknown in ("", "--help", "rnu"):
        assert set(get_command(build_app(unknown)).commands) == everything  # type: ignore[attr-defined]


def test_each_command_is_listed_under_one_task() -> None:
    from tagsuite.__main__ import COMMANDS, Program

    listed = [name for names in Program.tasks.values() for name in names]
    assert sorted(listed) == sorted(name for names in COMMANDS.values() for name in names)


def test_choices_are_those_of_the_program() -> None:
    from tagsuite.catalogues.imports.commands import SourceKindName
    from tagsuite.catalogues.imports.registry import SOURCE_KINDS
    from tagsuite.harness.running.commands import TemplateName
    from tagsuite.harness.running.stubs import TEMPLATES_FOLDER
    from tagsuite.harness.tasks.bacteria_biotope.task import load_tasks
    from tagsuite.harness.tasks.options import TaskName

    assert set(get_args(SourceKindName)) == set(SOURCE_KINDS)
    assert list(get_args(TemplateName)) == sorted(path.stem for path in TEMPLATES_FOLDER.glob("*.toml"))
    assert set(get_args(TaskName)) == {name for task in load_tasks() for name in task.names}


@pytest.mark.parametrize("path", LEAVES)
@pytest.mark.parametrize("width", [80, 100, 140])
def test_help_fits_the_terminal_and_names_no_python_type(path: str, width: int) -> None:
    context = CONTEXTS[path]
    narrow = context.command.context_class(
        context.command, info_name=context.info_name, parent=context.parent, terminal_width=width
    )
    text = narrow.get_help()
    assert max(map(len, text.splitlines())) <= width
    assert not re.search(r"<(list|str|int|path|float)|…$", text, re.MULTILINE)
    assert text.index("Example:") < text.index("--help")


@pytest.mark.parametrize(
    ("called", "suggested"),
    [
        ("generate --combine smple --out x", "sample"),
        ("score r --show scorez", "scores"),
        ("score --gold sgml:corpus.sgml --predicted sgml:corpus.sgml --notion strct", "strict"),
        ("score --gold sgml:corpus.sgml --predicted sgml:corpus.sgml --by cas", "case"),
        ("catalogue list --format tabel", "table"),
        ("catalogue import hgnk x --out y.xml", "hgnc"),
        ("run sgml:corpus.sgml --tagger kexx --out r", "kex"),
        ("run sgm:corpus.sgml --tagger kex --out r", "sgml"),
        ("taggers new x --like pyton", "python"),
        ("discover r --measure recal", "recall"),
        ("invariance sgml:corpus.sgml --tagger kex --out i --perturb hyphens", "hyphen"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest(
    prepared: Path, tagsuite: Call, monkeypatch: pytest.MonkeyPatch, called: str, suggested: str
) -> None:
    monkeypatch.chdir(prepared)
    done = tagsuite(*shlex.split(called))
    assert done.returncode == 2
    assert re.search(f"did you mean .*{suggested}", done.stderr), done.stderr


ENCODED = {"PYTHONIOENCODING": "ascii"}
LOCALE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


IN_ASCII = [
    ("catalogue features", 0),
    ("catalogue features --format markdown", 0),
    ("catalogue features contains_Greek_letter", 0),
    ("sentences annotate sgml:greek.sgml --out x.csv", 0),
    ("run sgml:greek.sgml --tagger kex --out r", 0),
    ("catalogue list --entities 'data = \u03b1x'", 0),
    ("catalogue list --entities '\u03b1 = 1'", 2),
    ("init \u03b1", 0),
]
GREEK = "The <gp>TNF-\u03b1</gp> gene \u2013 caf\u00e9.\n"


@pytest.mark.parametrize(("called", "status"), IN_ASCII)
def test_an_ascii_terminal_ends_no_command(tmp_path: Path, tagsuite: Call, called: str, status: int) -> None:
    (tmp_path / "greek.sgml").write_text(GREEK, encoding="utf-8")
    done = tagsuite(*shlex.split(called), cwd=tmp_path, encoding="ascii")
    assert "Traceback" not in done.stderr
    assert done.returncode == status, done.stderr
    assert (done.stdout + done.stderr).isascii()


@pytest.mark.parametrize(("called", "status"), IN_ASCII[-3:])
def test_the_locale_c_ends_no_command(
    tmp_path: Path, tagsuite_process: Call, called: str, status: int
) -> None:
    """Arguments and names of files are of the locale too."""
    done = tagsuite_process(*shlex.split(called), cwd=tmp_path, env=LOCALE)
    assert "Traceback" not in done.stderr
    assert done.returncode == status, done.stderr
    assert (done.stdout + done.stderr).isascii()


def test_json_is_the_same_in_ascii(tagsuite: Call, tagsuite_process: Call) -> None:
    words = ("catalogue", "features", "--format", "json")
    plain, escaped = tagsuite(*words), tagsuite_process(*words, env=ENCODED)
    assert not plain.stdout.isascii()
    assert escaped.stdout.isascii()
    assert json.loads(escaped.stdout) == json.loads(plain.stdout)
    assert escaped.stderr == plain.stderr


def test_csv_that_no_spreadsheet_computes(tmp_path: Path, tagsuite: Call) -> None:
    (tmp_path / "names.txt").write_text("=1+1\n-ase\np53\n+x\n@y\n", encoding="utf-8")
    words = ("catalogue", "import", "list", "names.txt", "--kind", "gene", "--out", "names.xml")
    assert tagsuite(*words, cwd=tmp_path).returncode == 0
    listed = ("catalogue", "list", "--catalogue", "names.xml", "--format", "csv", "--feature", "length")
    plain, harmless = (tagsuite(*listed, *more, cwd=tmp_path) for more in ((), ("--spreadsheet-csv",)))
    assert (plain.returncode, harmless.returncode) == (0, 0), harmless.stderr
    names = [line.split(",")[1] for line in plain.stdout.splitlines()[1:]]
    assert {"=1+1", "-ase", "p53", "+x", "@y"} <= set(names)
    quoted = [line.split(",")[1] for line in harmless.stdout.splitlines()[1:]]
    assert quoted == [n if n == "p53" else f"'{n}" for n in names]


@pytest.mark.parametrize("path", LEAVES)
def test_every_command_that_prints_csv_can_make_it_harmless(path: str) -> None:
    options = [o for p in CONTEXTS[path].command.params for o in p.opts]
    assert ("--spreadsheet-csv" in options) is ("--format" in options)


BAD: list[tuple[str, str]] = [
    # what is called, what the message must tell
    ("cases nowhere", "no such run folder"),
    ("diagnose kexx", "did you mean kex?"),
    ("nonsense", "No such command"),
    ("catalogue features lenght", "length"),
    ("catalogue list --entities 'case = uper'", "upper"),
    ("catalogue count --by colour", "colour"),
    ("catalogue show no-such-gene-anywhere", "no-such-gene-anywhere"),
    ("catalogue check corpus.sgml", "corpus.sgml"),
    ("catalogue import hgnk genes.txt --out x.xml", "hgnc"),
    ("catalogue export", "--out"),
    ("catalogue export --entities 'data = TP53' --out genes.txt/below.xml", "genes.txt"),
    ("sentences list --contexts 'list_type = triple'", "coordination"),
    ("sentences count --by colour", "colour"),
    ("sentences show no-such", "no-such"),
    ("sentences check tree.txt", "tree.txt"),
    ("sentences harvest sgml:nowhere --out x.xml", "nowhere"),
    ("composition sgml:nowhere --out x.parquet", "nowhere"),
    ("calibrate runs/kex --annotated sgml:corpus.sgml", "--predicted"),
    ("sentences convert sgml:corpus.sgml sgml", "cannot write files in this format"),
    ("sentences annotate corpus.sgml --out x.csv", "FORMAT:PATH"),
    ("generate --entities all", "--out"),
    ("generate --entities 'data = TP53' --combine each --out genes.txt/below", "genes.txt"),
    ("taggers show kx", "kex"),
    ("taggers check nowhere.toml", "nowhere.toml"),
    ("taggers new mine --like line", "lines"),
    ("taggers train kex --corpus sgml:corpus.sgml --out m", "train"),
    ("run suite --tagger dictionary --out r", "terms"),
    ("score", "RUN"),
    ("score runs/kex --classes criteria.toml", "min_f1: unknown key"),
    ("compare runs/kex", "predictions"),
    ("discover nowhere", "nowhere"),
    ("accept criteria.toml", "RUN"),
    ("study nowhere.toml --out x", "nowhere.toml"),
    ("demo --out suite", "not empty"),
    ("init suite", "contains the output of another command"),
    ("report", "RUN"),
    ("invariance suite --tagger kex --out x --perturb hyphens", "hyphen"),
    ("repeats nowhere", "nowhere"),
    ("effects runs/kex", "--vary"),
    ("probe length --tagger nobody --out x", "kex"),
    ("evaluate bioid nowhere captions --out x", "nowhere"),
    ("evaluate bacteria-biotope --task x --reference gold --predicted found --ontology habitats.obo", "norm"),
    ("evaluate indexing --gold gold.csv --predicted found.csv --tree gold.csv", "gold.csv"),
]  # fmt: skip


@pytest.mark.parametrize(("called", "told"), BAD, ids=[b[0] for b in BAD])
def test_a_bad_call_is_told_without_a_traceback(
    prepared: Path, tagsuite: Call, monkeypatch: pytest.MonkeyPatch, called: str, told: str
) -> None:
    monkeypatch.chdir(prepared)
    result = tagsuite(*shlex.split(called))
    assert result.returncode == 2, (result.stdout, result.stderr)
    assert "Traceback" not in result.stderr
    assert told in result.stdout + result.stderr  # findings are a result


def test_every_command_has_a_bad_call() -> None:
    tried = {
        next((p for p in LEAVES if f"tagsuite {called} ".startswith(f"{p} ")), None) for called, _ in BAD
    }
    free = {"tagsuite taggers list", "tagsuite sentences check"}
    assert set(LEAVES) - tried - free == set()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("tagsuite ", {"demo", "generate", "score", "taggers"}),
        ("tagsuite cat", {"catalogue"}),
        ("tagsuite catalogue ", {"features", "list", "count", "show", "check", "import", "export"}),
        ("tagsuite score --no", {"--notion"}),
        ("tagsuite score --format ", {"table", "json", "csv", "markdown"}),
    ],
)
def test_the_shell_completes(tagsuite: Call, words: str, offered: set[str]) -> None:
    done = tagsuite(env=completing(words))
    assert offered <= set(done.stdout.split()), done


def completing(words: str) -> dict[str, str]:
    """What the shell sets to ask how the last of some words may go on."""
    number = len(words.split(" ")) - 1
    return {"_TAGSUITE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(number)}
