"""Start of taggers: environment, placeholders, scratch folders, and taggers that cannot start."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.core.messages import make_printable
from tagsuite.harness.running.check import check_tagger
from tagsuite.harness.running.folder.runs import Run
from tagsuite.harness.running.shell import ShellQuoter
from tagsuite.harness.running.specification import Specification
from tagsuite.harness.running.tagger import Tagger

RunOn = Callable[..., Run]
Write = Callable[..., Path]
ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"
MODES = ["batch", "persistent", "document"]


def starts(tmp_path: Path) -> int:
    # on a machine so slow that none gets as far as its first line there is no file
    path = tmp_path / "starts"
    return len(path.read_text().split()) if path.exists() else 0


# a program without input, or with input by a file: what it does before it reads, its outcome in words
NEVER = [
    ("sys.exit('no such model: /m')", "crash: exit code 1", "no such model: /m", "exits at once"),
    ("print('loading', flush=True); sys.exit(3)", "crash: exit code 3", "", "prints a banner and exits"),
    ("os.kill(os.getpid(), 11)", "crash: signal 11 (SIGSEGV)", "", "a signal"),
    ("sys.exit(f'{time.time()}: no key')", "crash: exit code 1", "no key", "a time in its words"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "said", "last", "why"), NEVER, ids=[n[3] for n in NEVER])
def test_a_tagger_that_cannot_start_is_started_three_times(
    mode: str, program: str, said: str, last: str, why: str, tmp_path: Path, tagger: Write, run_on: RunOn
) -> None:
    head = f"import os, sys, time\nopen({str(tmp_path / 'starts')!r}, 'a').write('x ')\n"
    spec = tagger(head + program + "\n" + ECHO, f'mode = "{mode}"')
    texts = [f"sentence {i}" for i in range(60)]
    done = run_on(texts, spec, batch_size=10)
    assert starts(tmp_path) == 3
    assert done.outcome_counts == {"ok": 0, "abandoned": 60}
    (failure,) = done.meta["failure"]
    assert failure["said"] == f"3 starts failed in the same way before reading any input ({said})"
    assert failure["stderr"].endswith(last)
    (tmp_path / "starts").unlink()
    report = check_tagger(str(spec))
    assert starts(tmp_path) == 3
    assert report.has_failures
    assert any(last in line and said in line for line in report.findings)


@pytest.mark.parametrize("via", ["path", "folder"])
def test_one_that_is_given_its_input_as_a_file(
    via: str, tmp_path: Path, tagger: Write, run_on: RunOn
) -> None:
    counted = f"import sys\nopen({str(tmp_path / 'starts')!r}, 'a').write('x ')\nsys.exit('no model')\n"
    spec = tagger(counted, "", f'[input]\nform = "lines"\nvia = "{via}"\n')
    done = run_on(["a"] * 40, spec, batch_size=10)
    assert done.outcome_counts == {"ok": 0, "abandoned": 40}
    assert starts(tmp_path) == 3


def test_one_that_starts_now_and_then_is_not_given_up(tmp_path: Path, tagger: Write, run_on: RunOn) -> None:
    counter = str(tmp_path / "starts")
    flaky = (
        f"import os, sys\nopen({counter!r}, 'a').write('x')\n"
        f"if os.path.getsize({counter!r}) in (1, 2):\n    sys.exit('licence server busy')\n"
    )
    done = run_on(["a", "b", "c", "d"], tagger(flaky + ECHO))
    assert done.outcome_counts == {"ok": 4}


# time-outs of a tagger that never answers: those that say that it cannot start, or 6 alone and 8 probes
SLEEPS = [
    ("persistent", "time.sleep(600)", 3, "without a look at its input"),
    ("document", "time.sleep(600)", 3, "without a look at its input"),
    ("persistent", "sys.stdin.readline(); time.sleep(600)", 14, "once it has read"),
    ("document", "sys.stdin.read(); time.sleep(600)", 14, "once it has read"),
]


@pytest.mark.parametrize(("mode", "program", "most", "why"), SLEEPS, ids=[f"{s[0]} {s[3]}" for s in SLEEPS])
def test_a_tagger_that_sleeps_for_ever_is_not_tried_case_by_case(
    mode: str, program: str, most: int, why: str, tmp_path: Path, tagger: Write, run_on: RunOn
) -> None:
    head = f"import sys, time\nopen({str(tmp_path / 'starts')!r}, 'a').write('x ')\n"
    limits = "[limits]\nstart = 0.3\ncase = 0.05\n"
    spec = tagger(head + program + "\n", f'mode = "{mode}"', limits)
    done = run_on([f"sentence {i}" for i in range(50)], spec, batch_size=50)
    assert starts(tmp_path) <= most
    assert done.outcome_counts["abandoned"] >= 36
    assert sum(done.outcome_counts.values()) == 50


def test_a_persistent_tagger_that_answers_for_ever_before_it_reads(
    tmp_path: Path, tagger: Write, run_on: RunOn
) -> None:
    program = (
        f"open({str(tmp_path / 'starts')!r}, 'a').write('x ')\n"
        "while True:\n    print('loading ' * 40_000, flush=True)\n"
    )
    spec = tagger(program, 'mode = "persistent"', "[limits]\noutput_mb = 1\n")
    done = run_on([f"case {i}" for i in range(40)], spec)
    assert done.outcome_counts == {"ok": 0, "abandoned": 40}
    assert "(flood: " in done.meta["failure"][0]["said"]
    assert starts(tmp_path) == 3


# environment


def test_a_tagger_sees_a_short_list_of_variables(
    tagger: Write, run_on: RunOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {
        "AWS_SECRET_ACCESS_KEY": "s", "GITHUB_TOKEN": "s", "PYTHONPATH": "/p",
        "HF_HOME": "/h", "HF_TOKEN": "t",
        "MODEL": "m", "CUDA_VISIBLE_DEVICES": "0", "LC_ALL": "C.UTF-8", "JAVA_HOME": "/j",
    }  # fmt: skip
    for name, value in here.items():
        monkeypatch.setenv(name, value)
    show = "import os, sys\nsys.stdin.read()\nprint(*sorted(os.environ), file=sys.stderr)\n"
    head = 'pass_environment = ["MODEL", "HF_*"]\n'
    path = tagger(show, head, '[environment]\nOWN = "{env:MODEL}"\n')
    done = run_on(["x"], path)
    seen = set((done.folder / "stderr" / "shard-000000.txt").read_text().split("\n")[0].split())
    hidden = {"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "PYTHONPATH", "TAGSUITE_CACHE"}
    assert {"PATH", "OWN", *here} - hidden <= seen
    assert not seen & hidden


@pytest.mark.parametrize("name", ["*", "", "A B", "A*B", "1A", "a=b"])
def test_names_of_variables_are_checked(name: str) -> None:
    with pytest.raises(ValueError, match="pass_environment"):
        Specification.model_validate({"format": 1, "name": "x", "command": ["x"], "pass_environment": [name]})


# the shell: command, value, what the shell makes of it
QUOTED = [
    (["printf", "'[%s]'", "{option:x}"], "a b; echo $HOME `id` 'q' \"d\"", "bare"),
    (["printf", "'[%s]'", '"{option:x}"'], "a b; echo $HOME `id` 'q' \"d\" \\", "within double quotes"),
    (["printf", "'[%s]'", "'{option:x}'"], "a b; echo $HOME `id` 'q' \"d\"", "within single quotes"),
    (["printf", "'[%s]'", '"$(printf %s', '{option:x})"'], "a (b) 'q' \"d\" $x", "within a command's place"),
    (["printf '[%s]' {option:x}"], "two\nlines", "in one word with the program"),
]


def with_option(value: str, folder: Path) -> Tagger:
    """Return a tagger whose option x has a value."""
    return Tagger(Specification(format=1, name="x", command=["x"]), folder, {"x": value})


@pytest.mark.parametrize(("command", "value", "why"), QUOTED, ids=[q[2] for q in QUOTED])
def test_what_placeholders_put_in_is_quoted(command: list[str], value: str, why: str, tmp_path: Path) -> None:
    words = with_option(value, tmp_path).fill_command(command, {}, shell=True)
    done = subprocess.run(["/bin/sh", "-c", " ".join(words)], capture_output=True, check=True)
    assert done.stdout.decode() == f"[{value}]"


def test_where_nothing_can_be_quoted(tmp_path: Path) -> None:
    for command in ("`cat {option:x}`", "cat \\{option:x}"):
        with pytest.raises(InputError, match="cannot be quoted"):
            with_option("y", tmp_path).fill_command([command], {}, shell=True)
    assert ShellQuoter().quote("a b") == "'a b'"


# what a terminal would obey: what is shown of it
SHOWN = [
    ("\x1b[31mred\x1b[0m", "red"),
    ("\x1b]0;title\x07rest", "rest"),
    ("a\x07b\x08c", "a\ufffdb\ufffdc"),
    ("10%\r20%", "10%\n20%"),
    ("\x9b2Jgone", "gone"),
    ("\u202egnp.exe", "gnp.exe"),
    ("β-catenin\tdéjà\n", "β-catenin\tdéjà\n"),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_no_escape_sequence_is_printed(text: str, shown: str) -> None:
    assert make_printable(text) == shown


def test_escape_sequences_of_a_tagger(
    tmp_path: Path,
    tagger: Write,
    corpus: Callable[..., str],
    tagsuite: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    program = (
        "import sys\nline = sys.stdin.readline()\n"
        "if 'bad' in line:\n    sys.exit('\\x1b[2J\\x1b]0;mine\\x07no model')\n"
        "print(line.replace('Wnt', '<\\x1b[5mgp>Wnt</\\x1b[5mgp>'), end='')\n"
    )
    spec = tagger(program, 'mode = "document"')
    source = corpus(["bad", "the Wnt gene"])
    done = tagsuite("run", source, "--tagger", spec, "--out", tmp_path / "run")
    assert done.returncode == 3
    assert "no model" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout
    done = tagsuite("taggers", "check", spec)
    assert "\x1b" not in done.stderr + done.stdout


VERSION = """version_command = { command = ["{python}", "-I", "-S", "-c", "print(1.5)", "{work}"] }"""


@pytest.mark.parametrize(
    "where", ['working_folder = "{work}"', VERSION, f'{VERSION}\nworking_folder = "{{work}}"'],
    ids=["where it is started", "in its version command", "in both"],
)  # fmt: skip
def test_each_process_has_a_scratch_folder(where: str, tagger: Write, run_on: RunOn) -> None:
    done = run_on(["a", "b"], tagger(ECHO, where))
    assert done.outcome_counts == {"ok": 2}
    assert done.tagger.endswith("@1.5") == (VERSION in where)


# what stands where the output should be: outcome, why
OUTPUTS = [
    ("os.mkfifo(sys.argv[2])", "short", "a pipe that nobody writes to"),
    ("os.symlink(sys.argv[2], sys.argv[2])", "short", "a link to itself"),
    ("os.symlink({large!r}, sys.argv[2])", "flood", "a link to a file beyond the limit, not its own"),
]


@pytest.mark.parametrize("mode", ["batch", "document"])
@pytest.mark.parametrize(("action", "outcome", "why"), OUTPUTS, ids=[o[2] for o in OUTPUTS])
def test_what_stands_where_the_output_should_be(
    mode: str, action: str, outcome: str, why: str, tmp_path: Path, run_program: RunOn
) -> None:
    large = tmp_path / "large"
    with large.open("wb") as stream:
        stream.truncate(2**21)
    content = f"import os, sys\nsys.stdin.read()\n{action.replace('{large!r}', repr(str(large)))}\n"
    rest = '[output]\nvia = "path"\n[limits]\noutput_mb = 1\n'
    done = run_program(content, ["a", "b"], rest, mode=mode, arguments=', "{work}", "{output}"')
    assert done.outcome_counts == {"ok": 0, outcome: 2}
