"""The page: templates filled with a report, its style and script inside, nothing fetched from anywhere."""

from __future__ import annotations

import base64
import hashlib
import zlib
from functools import cache
from importlib import resources

import jinja2
import orjson

from .. import cells
from ..model import Chart, Report, Table, Words
from ..sections.cases import CaseSource
from .charts import draw

SCRIPTS = ("page", "data", "tables", "filters", "marks", "list", "reader", "cases", "start")
"""The parts of the script, in order."""


@cache
def part(name: str) -> str:
    """The text of a file beside this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """All parts as one script."""
    body = "\n".join(part(f"script/{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{body}\n}})();'


@cache
def environment() -> jinja2.Environment:
    """The templates; everything that is put into them is escaped."""
    found = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: part(f"templates/{name}")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.tests["table"] = lambda block: isinstance(block, Table)
    found.tests["chart"] = lambda block: isinstance(block, Chart)
    found.tests["words"] = lambda block: isinstance(block, Words)
    found.globals.update(rows=cells.rows, draw=draw)
    return found


def policy() -> str:
    """The content security policy: this one script may run, and nothing comes from the network."""
    digest = base64.b64encode(hashlib.sha256(script().encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def pack(source: CaseSource) -> str:
    """Return the cases of one suite or corpus for the script: JSON, compressed, in base64."""
    content = orjson.dumps(source, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
    return base64.b64encode(zlib.compress(content)).decode("ascii")


def render_html(report: Report) -> str:
    """The report as one HTML file.

    Texts of corpora and taggers are data: they are escaped here, and the script writes them as text alone.
    Should one get through, the page's policy still lets no other script run and nothing be fetched.
    """
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            policy=policy(),
            style=part("style.css"),
            script=script(),
            packed=[pack(source) for source in report.sources],
        )
    )
