"""Print code lines and modules per folder, and how much of tagsuite `run` and `score` of one sentence call.

python benchmarks/size.py

Code lines are lines of Python without docstrings, comments and blank lines, and lines of JavaScript without
comments and blank lines. `all` excludes bundled taggers, tests, programs for maintainers (tools) and programs
that write pages (docs), which are counted separately. For the calls, functions defined in tagsuite and their
modules are counted in the process of the command with all its threads, without taggers and other child
processes.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
APART = ("tests", "tools", "docs")
FOLDERS = ("catalogues", "sentences", "generator", "harness", "reports", *APART)
TAGGERS = "harness/taggers"
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
JAVASCRIPT_COMMENTS = re.compile(r"^[ \t]*//[^\n]*|/\*.*?\*/", re.DOTALL | re.MULTILINE)
SENTENCE = "The <gp>p53</gp> protein was expressed in all samples.\n"
# bodies of modules and classes are not functions; comprehensions and lambdas are part of one
COUNTING = """
import inspect, sys, threading
seen = set()
def note(frame, event, argument):
    if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        seen.add(frame.f_code)
threading.setprofile(note)
sys.setprofile(note)
from tagsuite.__main__ import main
try:
    main()
finally:
    sys.setprofile(None)
    root = sys.modules["tagsuite"].__path__[0]
    own = [c for c in seen if c.co_filename.startswith(root) and not c.co_name.startswith("<")]
    own = [c for c in own if "/.venv/" not in c.co_filename]
    with open("counts.txt", "w") as stream:
        print(len(own), len({c.co_filename for c in own}), file=stream)
"""


def count_python(source: str) -> int:
    """Return the number of code lines of a Python file."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        # docstrings, those of attributes too
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def count_javascript(source: str) -> int:
    """Return the number of code lines of a JavaScript file."""
    return sum(bool(line.strip()) for line in JAVASCRIPT_COMMENTS.sub("", source).splitlines())


def print_sizes() -> None:
    """Print the code lines and modules of each folder."""
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for path in [*ROOT.glob("*.py"), *(p for name in FOLDERS for p in (ROOT / name).rglob("*.[pj][ys]"))]:
        count = count_python if path.suffix == ".py" else count_javascript
        size = count(path.read_text(encoding="utf-8"))
        parts = path.relative_to(ROOT).parts[:-1]
        folders = ["/".join(parts[:depth]) for depth in range(1, min(len(parts), 2) + 1)]
        # counted apart
        if TAGGERS in folders:
            folders = [TAGGERS]
        elif parts and parts[0] in APART:
            folders = [parts[0]]
        else:
            folders.append("all")
        for name in folders:
            lines[name] += size
            modules[name] += 1
    for name in sorted(lines):
        print(f"{'  ' * name.count('/') + name:32}{lines[name]:8,} lines{modules[name]:5} modules")


def print_calls() -> None:
    """Print the numbers of functions and modules that `run` and `score` of one sentence call."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "one.sgml").write_text(SENTENCE, encoding="utf-8")
        run = ["run", "sgml:one.sgml", "--tagger", "kex", "--out", "run", "--no-cache", "--quiet"]
        for words in (run, ["score", "run"]):
            command = [sys.executable, "-c", COUNTING, *words]
            subprocess.run(command, cwd=scratch, stdout=subprocess.DEVNULL, check=True)
            functions, modules = (Path(scratch) / "counts.txt").read_text(encoding="ascii").split()
            print(f"tagsuite {words[0]:23}{functions:>8} functions in {modules} modules")


if __name__ == "__main__":
    print_sizes()
    print_calls()
