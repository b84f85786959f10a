"""Run folders with relative paths: taggers run in other folders and must find their files."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tagsuite.harness.running.run import run

# it marks what begins with a capital: from standard input, a file or a folder, to standard output or a file
PROGRAM = """import re, sys
from pathlib import Path
source, target = sys.argv[1:3]
def mark(text):
    return re.sub(r"\\b[A-Z]\\w+", r"<gp>\\g<0></gp>", text)
if source == "-":
    found = {"": sys.stdin.read()}
elif Path(source).is_dir():
    found = {p.stem: p.read_text() for p in Path(source).iterdir()}
else:
    found = {"": Path(source).read_text()}
for name, text in found.items():
    if target == "-":
        print(mark(text), end="", flush=True)
    else:
        Path(target.replace("NUMBER", name)).write_text(mark(text))
"""
LINES = PROGRAM.split("source, target")[0] + (
    "assert Path(sys.argv[1]).is_absolute() and Path(sys.argv[1]).is_dir()\n"
    "for line in sys.stdin:\n"
    '    print(re.sub(r"\\b[A-Z]\\w+", r"<gp>\\g<0></gp>", line.rstrip("\\n")), flush=True)\n'
)
STDIN, STDOUT, IN = '["-"', ', "-"]', '["{input}"'
MODES = [
    ("batch", "stdin", "stdout", STDIN + STDOUT, "", "nothing is named"),
    ("batch", "path", "stdout", IN + STDOUT, "", "a file of all cases"),
    ("batch", "stdin", "path", STDIN + ', "{output}"]', "{output}", "a file of all answers"),
    ("batch", "path", "path", IN + ', "{output}"]', "{output}", "files both ways"),
    ("batch", "path", "path", IN + ', "{work}/found"]', "{work}/found", "a file in the scratch folder"),
    ("batch", "path", "path", IN + ', "found"]', "found", "a file where the process is started"),
    (
        "batch", "folder", "path", IN + ', "{output_dir}/NUMBER"]', "{output_dir}/{number}",
        "a file for each case, both ways",
    ),
    ("document", "path", "stdout", IN + STDOUT, "", "a process and a file for each case"),
    ("persistent", "stdin", "stdout", '["{work}"]', "", "one process, with a scratch folder"),
]  # fmt: skip


def specification(folder: Path, mode: str, into: str, out: str, arguments: str, path: str) -> Path:
    (folder / "t.py").write_text(LINES if mode == "persistent" else PROGRAM, encoding="utf-8")
    form = "text" if into == "folder" else "lines"
    lines = [
        'format = 1\nname = "t"',
        f'mode = "{mode}"',
        f'command = ["{{python}}", "-S", "{{here}}/t.py", {arguments[1:]}',
        f'[input]\nvia = "{into}"\nform = "{form}"',
        f'[output]\ntags = ["gp"]\nvia = "{out}"',
        f'path = "{path}"' if path else "",
    ]
    (folder / "t.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "t.toml"


@pytest.mark.parametrize("out", ["deep/er/run", "./here/../run"])
@pytest.mark.parametrize(
    ("mode", "into", "via", "arguments", "path", "why"), MODES, ids=[m[5] for m in MODES]
)
def test_a_relative_run_folder_is_found_by_every_tagger(
    out: str,
    mode: str,
    into: str,
    via: str,
    arguments: str,
    path: str,
    why: str,
    tmp_path: Path,
    corpus: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus(["the Wnt gene", "none", "Notch and Wnt"])
    specification(tmp_path, mode, into, via, arguments, path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    done = run("sgml:input.txt", "t.toml", out, cache=False)
    assert done.outcome_counts == {"ok": 3}, done.meta.get("failure")
    assert done.predictions[["start", "end"]].to_numpy().tolist() == [[4, 7], [0, 5], [10, 13]]
    assert done.folder == Path(out), "named as the user names it"


def test_the_command_takes_a_relative_folder(
    tmp_path: Path, corpus: Callable[..., str], tagsuite: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    corpus(["the Wnt gene"])
    specification(tmp_path, "batch", "path", "stdout", IN + STDOUT, "")
    done = tagsuite("run", "sgml:input.txt", "--tagger", "t.toml", "--out", "runs/t", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
