"""Settings of Sphinx for `make site`: MyST reads Markdown, Furo is the theme, the API comes from docstrings.

The source folder is the repository's root, so that links between pages hold both there and in the site.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

from tagsuite.catalogues.core.version import __version__

project = "tagsuite"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
root_doc = "docs/index"
include_patterns = ["docs/**/*.md", "docs/index.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
html_theme = "furo"
html_title = f"tagsuite {__version__}"
html_copy_source = False
highlight_language = "text"
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"

DOCS = Path(__file__).parent
SECTIONS = {
    "tutorials": "Tutorials",
    "how-to": "How-to guides",
    "reference": "Reference",
    "background": "Background",
    "development": "Development",
}
ROOT_PAGES = ("CONTRIBUTING", "SECURITY", "CHANGELOG")
NAMED_FENCE = re.compile(r"^```([a-z]+) \S+$", re.MULTILINE)


def rewrite_page(_: Sphinx, name: str, source: list[str]) -> None:
    """Remove the file names of code blocks, which only the tests read, and add the menu to the front page."""
    source[0] = NAMED_FENCE.sub(r"```\1", source[0])
    if name == root_doc:
        source[0] += "".join(make_menu(folder, title) for folder, title in SECTIONS.items())


def make_menu(folder: str, title: str) -> str:
    """Return the menu of one kind of page, in alphabetical order."""
    pages = [f"{folder}/{page.stem}" for page in sorted((DOCS / folder).glob("*.md"))]
    pages += [f"/{page}" for page in ROOT_PAGES if folder == "development"]
    return "\n```{toctree}\n:hidden:\n:caption: " + title + "\n\n" + "\n".join(pages) + "\n```\n"


def setup(app: Sphinx) -> None:
    """Register `rewrite_page`."""
    app.connect("source-read", rewrite_page)
