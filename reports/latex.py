"""A report's tables in LaTeX with booktabs, in the forms of the papers that they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .cells import Cell, rows
from .model import Column, Report, Table, missing

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "\u00a0": "~",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "−": r"\ensuremath{-}",
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}",
    "µ": r"\ensuremath{\mu}",
    "✓": "",
    "✗": "",
}
GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi . pi rho varsigma sigma tau "
    "upsilon phi chi psi omega"
)
"""Commands for the small letters from U+03B1 on; omicron has none and needs none."""
CAPITALS = {"Γ", "Δ", "Θ", "Λ", "Ξ", "Π", "Σ", "Υ", "Φ", "Ψ", "Ω"}
"""Capital letters that do not look like Latin ones."""
HEAD = (
    "% Needs \\usepackage{booktabs,longtable} and \\usepackage[T1]{fontenc}; set in \\footnotesize, for A4.\n"
)
NARROW = r"\footnotesize\setlength{\tabcolsep}{4pt}"
WIDE = 7
"""Columns beyond which a table is set smaller still."""
BREAK = 48
"""Letters of a text that is set in several lines."""
LONG = 40
"""Rows of a table that fit one page; with more it is a longtable."""
CLASSES = ("class", "tp", "fp", "fn", "precision", "recall")
"""Columns of Cohen et al. (2004), table 1."""


def render_latex(report: Report) -> str:
    """All tables of a report, each in a table environment."""
    return HEAD + "\n" + "\n".join(render_table(table) for table in report.tables())


def escape(text: str) -> str:
    r"""Text with everything escaped that LaTeX would take for a command.

    Examples
    --------
    >>> escape("50 % of A_b")
    '50 \\% of A\\_b'
    """
    return "".join(_character(c) for c in " ".join(text.split()))


def _character(c: str) -> str:
    """A character as pdfLaTeX sets it with its usual fonts; others by their code point, not left out."""
    if c in SPECIAL:
        return SPECIAL[c]
    if c < "\u0100" or "\u2018" <= c <= "\u201d":
        return c if c.isprintable() else ""
    name = GREEK.split()[ord(c) - 0x3B1] if "α" <= c <= "ω" else ""
    if c in CAPITALS:
        name = GREEK.split()[ord(c) - 0x391].capitalize()
    if name == ".":
        return "o"
    return rf"\ensuremath{{\{name}}}" if name else rf"\texttt{{U+{ord(c):04X}}}"


def render_table(table: Table) -> str:
    """One table, in its form."""
    if table.form == "notions":
        return _notions(table)
    if table.form == "classes" and set(CLASSES) <= set(table.frame.columns):
        return _classes(table)
    aligned = "".join("r" if c.numeric else _left(c, table) for c in table.columns)
    body = [" & ".join(escape(c.label) for c in table.columns) + r" \\", r"\midrule"]
    body += [
        " & ".join(_cell_text(c, column) for c, column in zip(line, table.columns, strict=True)) + r" \\"
        for line in rows(table)
    ]
    return _wrapped(table, aligned, body, head=2)


def _left(column: Column, table: Table) -> str:
    """How a column of text is aligned: in lines where its texts are long."""
    texts: Iterable[str] = (
        table.frame[column.name].dropna().astype("str") if column.name in table.frame else []
    )
    longest = max((len(text) for text in texts), default=0)
    return r"p{.38\textwidth}" if longest > BREAK else "l"


def _notions(table: Table) -> str:
    """Olsson et al. (2002), table 1: a block of R, P and F for each tagger, the notions in small capitals."""
    taggers = [c.name.removesuffix(" R") for c in table.columns if c.name.endswith(" R")]
    heads = " & ".join(rf"\multicolumn{{3}}{{c}}{{{escape(t)}}}" for t in taggers)
    rules = " ".join(rf"\cmidrule(lr){{{2 + 3 * i}-{4 + 3 * i}}}" for i in range(len(taggers)))
    body = [f" & {heads} " + r"\\", rules, " & ".join(["", *(["$R$ & $P$ & $F$"] * len(taggers))]) + r" \\"]
    body.append(r"\midrule")
    for row in table.frame.to_dict("records"):
        name = str(row["notion"]).replace("_", " ")
        values = [_percent(row[f"{t} {letter}"]) for t in taggers for letter in "RPF"]
        body.append(rf"\textsc{{{escape(name)}}} & " + " & ".join(values) + r" \\")
    return _wrapped(table, "l" + "rrr" * len(taggers), body)


def _classes(table: Table) -> str:
    """Cohen et al. (2004), table 1: TP, FP, FN, P and R of each class, a block for each tagger and corpus."""
    names = {str(c) for c in table.frame.columns}
    tagger = "tagger" if "tagger" in names else "run"
    source = "source" if "source" in names else "corpus"
    body: list[str] = []
    groups = table.frame.groupby([source, tagger], sort=False)
    for (where, who), group in groups:
        body.append(rf"\multicolumn{{6}}{{l}}{{\emph{{{escape(str(who))}, {escape(str(where))}}}}} \\")
        body.append(r" & TP & FP & FN & P & R \\")
        body.append(r"\midrule")
        for row in group.drop_duplicates("class").to_dict("records"):
            counts = [f"{row[c]:g}" for c in ("tp", "fp", "fn")]
            shares = [_share(row[c]) for c in ("precision", "recall")]
            body.append(" & ".join([escape(str(row["class"])), *counts, *shares]) + r" \\")
        body.append(r"\addlinespace")
    return _wrapped(table, "lrrrrr", body[:-1])


def _wrapped(table: Table, aligned: str, body: Sequence[str], head: int = 0) -> str:
    """A table environment; a longtable, whose first `head` lines come again on each page, for many rows."""
    # after a row's end or a rule, LaTeX takes "[" for an option and "*" for a variant of the command
    body = [f"{{}}{line}" if line.startswith(("[", "*")) else line for line in body]
    caption = rf"\caption{{{escape(table.caption)}}}"
    label = rf"\label{{tab:{table.id}}}"
    if sum(line.endswith(r"\\") for line in body) > LONG:
        lines = [
            rf"\begingroup{NARROW}",
            rf"\begin{{longtable}}{{{aligned}}}",
            caption + label + r" \\",
            r"\toprule",
            *body[:head],
            *([r"\endhead"] if head else []),
            *body[head:],
            r"\bottomrule",
            r"\end{longtable}",
            r"\endgroup",
            "",
        ]
        return "\n".join(lines)
    narrow = r"\scriptsize\setlength{\tabcolsep}{2pt}" if len(table.columns) > WIDE else NARROW
    lines = [
        r"\begin{table}",
        rf"\centering{narrow}",
        rf"\begin{{tabular}}{{{aligned}}}",
        r"\toprule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        caption,
        label,
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _cell_text(cell: Cell, column: Column) -> str:
    text = cell.full
    if column.kind == "query":
        # a line may end before each part of a signature
        return rf"\texttt{{{escape(text).replace(SPECIAL['|'], SPECIAL['|'] + chr(92) + 'allowbreak ')}}}"
    return escape(text)


def _percent(value: object) -> str:
    return "" if missing(value) else rf"{100 * float(value):.1f}\%"  # type: ignore[arg-type]


def _share(value: object) -> str:
    """A share as the paper prints it: ``.68``."""
    if missing(value):
        return ""
    number = float(value)  # type: ignore[arg-type]
    return f"{number:.2f}" if number >= 0.995 else f"{number:.2f}".removeprefix("0")
