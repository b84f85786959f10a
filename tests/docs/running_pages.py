"""Run the code blocks of a page, in order, in one folder.

``console`` blocks hold ``$ command`` lines, each with what it prints (standard output and errors); a line of
``…`` alone stands for any lines. ``python`` blocks hold ``>>>`` examples as doctest knows them. Blocks named
``LANGUAGE FILE`` are written to FILE. Blocks in ``text`` are for reading only.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```([a-z]+)(?: +(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACE = "\x02"
PREPARE = 'make() { if [ "$1" = demo ]; then ${DEMO:-tagsuite demo --out demo --force}; fi; }'
"""A page's folder has no Makefile: `make demo` is what its recipe says, `make test` is not run again. Where a
demo was made before, DEMO says how to get it."""
HOME = "/home/me"
"""What the pages call the folder that they are run in."""
CACHE = ".tagsuite"
"""The cache of a page's commands, in its folder."""
RUNS = {"console", "python"}
READ = {"text"}


@dataclass(frozen=True)
class Block:
    """A block of a page: its language, the file that it is, its text, and the page's line."""

    language: str
    file: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """The code blocks of a page; one that nobody runs is an error."""
    content = page.read_text(encoding="utf-8")
    found = [
        Block(m[1], m[2] or "", m[3], content.count("\n", 0, m.start()) + 1) for m in BLOCK.finditer(content)
    ]
    fences = len(re.findall(r"^```", content, re.MULTILINE))
    if fences != 2 * len(found):
        raise AssertionError(f"{page}: a fence without a language, or one that is not closed")
    for block in found:
        if block.language not in RUNS | READ and not block.file:
            raise AssertionError(f"{page}:{block.line}: a block of {block.language} that nothing runs")
    return found


@dataclass(frozen=True)
class Told:
    """A command of a page: what it should print, what it printed, and its exit status."""

    block: Block
    command: str
    expected: list[str]
    got: list[str]
    status: int


def run_page(page: Path, folder: Path, prepare: str = "") -> list[Told]:
    """Run a page's blocks in a folder, after the shell commands of `prepare`.

    Raises
    ------
    AssertionError
        When a command ends with a status that the page does not ask for, or a Python example fails.
    """
    names: dict[str, object] = {}
    told: list[Told] = []
    standing = folder
    for block in blocks(page):
        if block.file:
            target = folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            more, standing = _console(page, block, standing, folder, prepare)
            told += more
        elif block.language == "python":
            told += _python(page, block, folder, names)
    return told


def check(page: Path, told: list[Told]) -> None:
    """Compare what was printed with what the page says."""
    for one in told:
        assert matches(steady(one.expected), steady(one.got)), "\n".join(
            [f"{page.name}:{one.block.line}: $ {one.command}", *one.got, "is not:", *one.expected]
        )


def commands(block: Block) -> list[tuple[str, list[str]]]:
    """Commands of a console block, with the lines that each prints."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1] = (f"{found[-1][0]}\n{line}", [])
        elif found:
            found[-1][1].append(line)
    return found


def _console(page: Path, block: Block, folder: Path, home: Path, prepare: str) -> tuple[list[Told], Path]:
    """Run a block's commands, one after the other; where they leave us is where the next block's begin."""
    asked = commands(block)
    told: list[Told] = []
    status = 0
    for number, (command, expected) in enumerate(asked):
        place = f"{page.name}:{block.line}: $ {command}"
        status, printed, folder = _command(command, folder, home, prepare, status)
        # a status other than 0 is right only where the next command asks for it
        following = asked[number + 1][0] if number + 1 < len(asked) else ""
        assert status == 0 or following.startswith("echo $?"), f"{place}\nstatus {status}:\n{printed}"
        got = [line.rstrip() for line in printed.replace(str(home.resolve()), HOME).splitlines()]
        told.append(Told(block, command, [e.rstrip() for e in expected], got, status))
    return told, folder


def _command(command: str, folder: Path, home: Path, prepare: str, before: int) -> tuple[int, str, Path]:
    """Run a command after one of a status: its own, what it printed, and the folder that it leaves us in."""
    env = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "120",
        "NO_COLOR": "1",
        # of the page's own: what another run of it kept would show
        "TAGSUITE_CACHE": str(home.resolve() / CACHE),
    }
    script = f"{prepare}\n(exit {before})\n{command}\ns=$?; printf '{PLACE}%s' \"$PWD\"; exit $s"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=280,
        check=False,
    )
    printed, _, standing = done.stdout.partition(PLACE)
    return done.returncode, printed, Path(standing or folder)


def steady(lines: list[str]) -> list[str]:
    """Lines without what may differ elsewhere: the size in bytes at the end of `generate`'s rows."""
    sized = any(line.endswith(" bytes") for line in lines)
    return [re.sub(r" +\d+$", " #", line) for line in lines] if sized else lines


def matches(expected: list[str], got: list[str]) -> bool:
    """Whether lines are as expected; a line of ``…`` stands for any lines, none included."""
    while expected and not expected[-1]:
        expected = expected[:-1]
    while got and not got[-1]:
        got = got[:-1]
    if not expected:
        # a command without shown output may print what it likes
        return True
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in got)) is not None


class _Examples(doctest.DocTestRunner):
    """Keeps what the examples of a Python block print."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.got: list[str] = []

    def report_start(self, out: object, test: object, example: object) -> None:
        pass

    def report_success(self, out: object, test: object, example: object, got: str) -> None:
        self.got.append(got)

    report_failure = report_success

    def report_unexpected_exception(
        self, out: object, test: doctest.DocTest, example: doctest.Example, exc_info: tuple[object, ...]
    ) -> None:
        raise AssertionError(f"{test.name}: {example.source}{exc_info[1]!r}")


def _python(page: Path, block: Block, folder: Path, names: dict[str, object]) -> list[Told]:
    parsed = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line)
    assert parsed.examples, f"{page}:{block.line}: no example in a python block"
    runner = _Examples()
    before = Path.cwd()
    os.chdir(folder)
    try:
        runner.run(parsed, clear_globs=False)
    finally:
        os.chdir(before)
    names.update(parsed.globs)
    return [
        Told(block, one.source.rstrip("\n"), _lines(one.want), _lines(got), 0)
        for one, got in zip(parsed.examples, runner.got, strict=True)
    ]


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def renewed(expected: list[str], got: list[str]) -> list[str]:
    """What a page should say: as many lines before and after ``…`` as it has now; all where it has none."""
    while got and not got[-1].strip():
        got = got[:-1]
    if "…" not in expected:
        return got if expected else []
    before = expected.index("…")
    after = len(expected) - before - 1
    if before + after >= len(got):
        return got
    return [*got[:before], "…", *(got[len(got) - after :] if after else [])]


def renew(page: Path, told: list[Told]) -> None:
    """Write what was printed into the page."""
    content = page.read_text(encoding="utf-8")
    for block in blocks(page):
        mine = [t for t in told if t.block == block]
        if not mine:
            continue
        lines: list[str] = []
        for one in mine:
            if block.language == "python":
                first, *more = one.command.splitlines()
                lines += [f">>> {first}", *(f"... {line}" for line in more)]
                lines += one.got if one.expected else []
            else:
                lines += [f"$ {one.command}", *renewed(one.expected, one.got)]
        content = content.replace(block.text, "\n".join(lines) + "\n", 1)
    page.write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    import tempfile

    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as place:
            file = Path(name).resolve()
            renew(file, run_page(file, Path(place), PREPARE))
