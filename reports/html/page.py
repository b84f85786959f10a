"""HTML page of a report, which contains its style sheet and script and loads nothing from the network."""

from __future__ import annotations

import base64
import hashlib
import zlib
from functools import cache
from importlib import resources

import jinja2
import orjson

from .. import cells
from ..model import Chart, Report, Table, TextBlock
from ..sections.cases import CaseSource
from .charts import draw_chart

SCRIPTS = ("page", "data", "tables", "filters", "marks", "list", "reader", "cases", "start")
"""Files that are concatenated, in this order, to form the script of the page."""


@cache
def load_part(name: str) -> str:
    """Return the text of a file in the folder of this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def join_scripts() -> str:
    """Return the script of the page, joined from its files."""
    body = "\n".join(load_part(f"script/{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{body}\n}})();'


@cache
def make_environment() -> jinja2.Environment:
    """Return the environment of the templates, which escapes all inserted values."""
    found = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: load_part(f"templates/{name}")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.tests["table"] = lambda block: isinstance(block, Table)
    found.tests["chart"] = lambda block: isinstance(block, Chart)
    found.tests["words"] = lambda block: isinstance(block, TextBlock)
    found.globals.update(rows=cells.make_rows, draw=draw_chart)
    return found


def make_policy() -> str:
    """Return the content security policy, which allows only the page's own script and no network access."""
    digest = base64.b64encode(hashlib.sha256(join_scripts().encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def pack_cases(source: CaseSource) -> str:
    """Return the cases of a suite or corpus for the script, as compressed JSON in base64."""
    content = orjson.dumps(source, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
    return base64.b64encode(zlib.compress(content)).decode("ascii")


def render_html(report: Report) -> str:
    """Return a report as one HTML file.

    Texts from corpora and taggers are escaped, and the script inserts them only as text. In addition, the
    content security policy of the page blocks all other scripts and all network access.
    """
    return (
        make_environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            policy=make_policy(),
            style=load_part("style.css"),
            script=join_scripts(),
            packed=[pack_cases(source) for source in report.sources],
        )
    )
