"""The README and the tutorials: every code block runs, and prints what the page says."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest
from running_pages import (  # type: ignore[import-not-found]  # beside this file
    CACHE,
    PREPARE,
    blocks,
    check,
    run_page,
)

from tagsuite.catalogues.entities import read_entities
from tagsuite.harness.running.outputs.registry import OUTPUT_FORMS
from tagsuite.sentences.formats import FORMAT_NAMES

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "reference" / "python.md",
    *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
    *(
        ROOT / "docs" / "how-to" / f"{name}.md"
        for name in ("python-function", "pipelines", "chat-endpoint", "own-features")
    ),
]
NEEDS_DATA = {"researcher"}
NEEDS_ENDPOINT = {"chat-endpoint"}
NEEDS_PACKAGES = {"pipelines": ("spacy", "transformers", "gliner")}
"""Packages that are the reader's, not ours: without them a page is not run."""
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the bundled entities and nothing else, to be copied: no page shows who made it."""
    folder = tmp_path_factory.mktemp("frames")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAGSUITE_CACHE", str(folder))
        read_entities()
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_every_block_runs_and_prints_what_the_page_says(
    tmp_path: Path,
    frames: Path,
    page: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    shutil.copytree(frames, tmp_path / CACHE)
    if page.stem == "README":
        # a link, not a copy: its runs say where their input is, seen from themselves
        made, _ = request.getfixturevalue("demo")
        monkeypatch.setenv("DEMO", f"ln -s {shlex.quote(str(made))} demo")
    for package in NEEDS_PACKAGES.get(page.stem, ()):
        pytest.importorskip(package, reason=f"{page.name} needs {package}", exc_type=ImportError)
    if page.stem in NEEDS_ENDPOINT:
        monkeypatch.setenv("ENDPOINT", request.getfixturevalue("endpoint"))
    if page.stem in NEEDS_DATA:
        monkeypatch.setenv("TAGSUITE_DATA", str(request.getfixturevalue("shared_data")))
    told = run_page(page, tmp_path, PREPARE)
    assert told
    check(page, told)


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]), ids=lambda p: p.stem
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_code_layout_names_existing_files() -> None:
    page = (ROOT / "docs" / "development" / "code-layout.md").read_text(encoding="utf-8")
    for line in page.splitlines():
        named = [
            name
            for name in re.findall(r"`([\w./-]+)`", line)
            if re.search(r"/$|\.(py|xml|toml|tsv|md)$", name)
        ]
        # what a row names after a folder may stand in any of those that it named before
        folders = [ROOT]
        for name in named:
            found = [folder / name for folder in folders if (folder / name).exists()]
            assert found, f"docs/development/code-layout.md: {name} in: {line}"
            folders += [place if place.is_dir() else place.parent for place in found]


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").as_posix()
        assert name == "index.md" or f"]({name})" in index, f"docs/index.md does not lead to {name}"


def test_the_readme_counts_what_there_is() -> None:
    program = runpy.run_path(str(ROOT / "docs" / "counts.py"))
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert page == program["counted"](page), "run: make docs"


@pytest.mark.parametrize(
    ("page", "row", "names"),
    [
        ("formats.md", r"^\|(`[^|]*)\|(?:file|folder)", FORMAT_NAMES),
        ("tagger-specifications.md", r"^\|`form`\|`sgml`\|(.*)\|", OUTPUT_FORMS),
    ],
)
def test_every_form_of_a_file_is_on_the_page_of_its_kind(page: str, row: str, names: tuple[str, ...]) -> None:
    rows = re.findall(row, (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(re.findall("`([^`]*)`", " ".join(rows))) == sorted(names)


def test_a_block_that_nobody_runs_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\nls\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="nothing runs"):
        blocks(page)


def test_a_failing_command_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo one\ntwo\n$ false\n$ echo $?\n1\n```\n", encoding="utf-8")
    told = run_page(page, tmp_path)
    assert [t.status for t in told] == [0, 1, 0]
    with pytest.raises(AssertionError, match="is not:"):
        check(page, told)
    page.write_text("```console\n$ false\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="status 1"):
        run_page(page, tmp_path)
