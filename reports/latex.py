"""LaTeX output of a report's tables, using the package booktabs."""

from __future__ import annotations

import pandas as pd

from .cells import make_rows
from .model import Report, Table

GREEK_LETTERS = "αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
"""Greek letters that text fonts lack, except omicron, for which LaTeX has no command."""
GREEK_COMMANDS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho varsigma sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
ESCAPES = {
    **{c: rf"\{c}" for c in "{}$&#%_"},
    **{c: rf"$\{name}$" for c, name in zip(GREEK_LETTERS, GREEK_COMMANDS.split(), strict=True)},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\u00a0": "~",
    "−": "$-$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "✓": "",
    "✗": "",
}
PREAMBLE = "% Needs \\usepackage{booktabs,longtable} and \\usepackage[T1]{fontenc}.\n"
MAX_PAGE_ROWS = 40
"""Maximum number of rows that fit on one page; longer tables use longtable."""


def render_latex(report: Report) -> str:
    """Return all tables of a report as LaTeX, each in a table environment."""
    return PREAMBLE + "".join(f"\n{render_table(table)}" for table in report.tables())


def escape(text: str) -> str:
    r"""Escape all special characters of LaTeX in a text.

    Characters that are not in the fonts of pdfLaTeX are replaced by their code points.

    Examples
    --------
    >>> escape("50 % of A_b")
    '50 \\% of A\\_b'
    """
    escaped = "".join(map(_escape_character, " ".join(text.split())))
    # after the end of a row, LaTeX reads "[" as an option and "*" as a variant of the command
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def _escape_character(c: str) -> str:
    if c in ESCAPES:
        return ESCAPES[c]
    if c < "\u0100" or c in "–—‘’“”…":
        return c if c.isprintable() else ""
    return rf"\texttt{{U+{ord(c):04X}}}"


def render_table(table: Table) -> str:
    """Return a table as LaTeX, using longtable if it has many rows."""
    lines = [[escape(cell.full) for cell in line] for line in make_rows(table)]
    heads = [escape(column.label) for column in table.columns]
    return pd.DataFrame(lines, columns=heads).to_latex(
        index=False,
        escape=False,
        column_format="".join("r" if column.numeric else "l" for column in table.columns),
        longtable=len(lines) > MAX_PAGE_ROWS,
        caption=escape(table.caption),
        label=f"tab:{table.id}",
    )
