"""Draw docstrings, messages, option helps and paragraphs for readers who judge the language.

python -m tagsuite.tools.sample_prose [SEED]

The default seed is the hash of the current commit. The items go to standard output, their files and lines to
standard error, so that readers see the text alone.
"""

from __future__ import annotations

import ast
import itertools
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = ("__init__.py", "__main__.py", "catalogues", "sentences", "generator", "harness", "reports")
SIZES = {"docstring": 100, "message": 60, "help": 60, "paragraph": 40}
MESSAGE_CALLS = re.compile(
    r"(Error|say|warn|finding|Finding|Parameter|fail|note)$|Error\b|_error$|^_?(found_\w+|wrong)$"
)
MIN_WORDS = 4
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

Item = tuple[str, str, str]
"""Kind, text, and place (file:line)."""


def list_files(*patterns: str) -> list[Path]:
    """Return the tracked files that match some patterns, sorted."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / line for line in listed.stdout.split("\n") if line]


def join_text(node: ast.expr) -> str:
    """Return the text of a string expression, with `{…}` where a value is put in; empty for others."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"
            for part in node.values
            if isinstance(part, (ast.Constant, ast.FormattedValue))
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return join_text(node.left) + join_text(node.right)
    return ""


def name_of(call: ast.Call) -> str:
    """Return the last part of the name of what is called."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def find_helps(call: ast.Call) -> Iterator[str]:
    """Yield the help texts of a call that declares an option, argument or command."""
    for keyword in call.keywords:
        if keyword.arg == "help":
            yield join_text(keyword.value)
    if name_of(call) == "Option" and call.args:
        yield join_text(call.args[0])


def find_messages(call: ast.Call) -> Iterator[str]:
    """Yield the message of a call that raises, reports or says something, with what was found and allowed."""
    if not MESSAGE_CALLS.search(name_of(call)) or not call.args:
        return
    parts = [next(filter(None, map(join_text, call.args)), "")]
    parts += [
        f"{k.arg}: {text}"
        for k in call.keywords
        if k.arg in ("found", "allowed") and (text := join_text(k.value))
    ]
    if parts[0]:
        yield "; ".join(parts)


def read_module(path: Path) -> Iterator[Item]:
    """Yield the docstrings, messages and helps of one module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    place = str(path.relative_to(ROOT))
    is_command_module = path.stem.endswith("commands")
    for node in ast.walk(tree):
        line = f"{place}:{getattr(node, 'lineno', 1)}"
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)):
            header = "" if isinstance(node, ast.Module) else f"`{node.name}`: "
            is_command = is_command_module and getattr(node, "decorator_list", [])
            yield "help" if is_command else "docstring", header + text, line
        if isinstance(node, ast.Call):
            for text in find_helps(node):
                yield "help", text, line
            for text in find_messages(node):
                yield "message", text, line
        body = getattr(node, "body", None)
        if isinstance(body, list):
            yield from read_attribute_docstrings(body, place)


def read_attribute_docstrings(body: list[ast.stmt], place: str) -> Iterator[Item]:
    """Yield the strings that follow assignments."""
    for before, after in itertools.pairwise(body):
        if not isinstance(before, (ast.Assign, ast.AnnAssign)) or not isinstance(after, ast.Expr):
            continue
        text = join_text(after.value)
        if text:
            target = before.targets[0] if isinstance(before, ast.Assign) else before.target
            yield "docstring", f"`{ast.unparse(target)}`: {text}", f"{place}:{after.lineno}"


def read_page(path: Path) -> Iterator[Item]:
    """Yield the paragraphs and list items of a Markdown page, without code, tables and headings."""
    text = re.sub(
        r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), path.read_text("utf-8"), flags=re.M | re.S
    )
    line = 1
    for block in re.split(r"(\n\s*\n|\n(?=[*-] |\d+\. ))", text):
        stripped = block.strip()
        if stripped and not stripped.startswith(("#", "|", "<!", "![", "<")):
            yield "paragraph", stripped, f"{path.relative_to(ROOT)}:{line}"
        line += block.count("\n")


def collect() -> dict[str, list[Item]]:
    """Return every item of the project by kind, each text once."""
    items: dict[str, dict[str, Item]] = {kind: {} for kind in SIZES}
    modules = [p for p in list_files("*.py") if str(p.relative_to(ROOT)).startswith(PRODUCT)]
    for path in modules:
        for item in read_module(path):
            items[item[0]].setdefault(item[1], item)
    for path in list_files("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/**/*.md"):
        for item in read_page(path):
            items["paragraph"].setdefault(item[1], item)
    return {
        kind: [item for item in by_text.values() if len(item[1].split()) >= MIN_WORDS]
        for kind, by_text in items.items()
    }


def main() -> None:
    """Print a draw."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    seed = sys.argv[1] if len(sys.argv) > 1 else head.stdout.strip()
    generator = random.Random(seed)
    number = 0
    for kind, items in collect().items():
        print(f"{kind}: {len(items)}", file=sys.stderr)
        for _, text, place in generator.sample(items, min(SIZES[kind], len(items))):
            number += 1
            print(f"## {number} ({kind})\n\n{text}\n")
            print(f"{number}\t{kind}\t{place}", file=sys.stderr)


if __name__ == "__main__":
    main()
