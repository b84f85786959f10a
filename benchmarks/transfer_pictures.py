"""Draw estimates of recall against observed values on corpora, one point per class.

    python benchmarks/transfer_pictures.py --cache DIR --out docs/images    # DIR: what transfer.py made

Writes one file per target with one panel per tagger, in the style of reports. The first suite is used.
"""

from __future__ import annotations

import re
from pathlib import Path

from measuring import options_of
from transfer_data import OTHER, SUITES, TAGGERS, composed, listed, recalls, scored, usable

from tagsuite.harness.scoring.transfer.standardise import fit_evidence, standardise_classes
from tagsuite.reports.html.charts import POINTS_SIZE, draw_chart
from tagsuite.reports.html.page import load_part, make_environment
from tagsuite.reports.model import Chart
from tagsuite.reports.sections.transfer import transfer_chart

SVG = re.compile(r"<svg[^>]*>(.*?)</svg>", re.DOTALL)
ROOT = re.compile(r":root \{.*?\}", re.DOTALL)
DRAWN = ("svg text", ".grid", "circle", ".s0", ".s4")
"""Beginnings of the style rules that charts need."""
TITLE = 34


def style() -> str:
    """Return the light colours of the report page and its style rules for charts."""
    text = load_part("style.css")
    colours = ROOT.search(text)
    lines = [line for line in text.splitlines() if line.startswith(DRAWN)]
    return "\n".join([colours[0] if colours else "", *lines])


def panel(chart: Chart) -> str:
    """Return the content of a chart's svg element."""
    drawn = SVG.search(make_environment().get_template("blocks.html.j2").module.chart(draw_chart(chart)))  # type: ignore[attr-defined]
    if drawn is None:
        raise ValueError(f"the chart {chart.id} has no svg element")
    return drawn[1].strip()


def picture(title: str, charts: list[tuple[str, Chart]]) -> str:
    """Return an SVG image with panels in two columns under a title."""
    rows = -(-len(charts) // 2)
    width, height = 2 * POINTS_SIZE, rows * (POINTS_SIZE + TITLE) + TITLE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{title}</title>",
        f"<style>{style()}</style>",
        f'<rect width="{width:g}" height="{height:g}" fill="var(--paper)"/>',
        f'<text class="axis" x="{POINTS_SIZE:g}" y="22" text-anchor="middle">{title}</text>',
    ]
    for number, (name, chart) in enumerate(charts):
        x, y = (number % 2) * POINTS_SIZE, TITLE + (number // 2) * (POINTS_SIZE + TITLE)
        parts.append(f'<g class="points" transform="translate({x:g} {y:g})">')
        parts.append(f'<text class="axis" x="{POINTS_SIZE / 2:g}" y="20" text-anchor="middle">{name}</text>')
        parts.append(f'<g transform="translate(0 {TITLE - 8})">{panel(chart)}</g></g>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Write the images."""
    parser = options_of(__doc__)
    parser.add_argument("--cache", type=Path, default=Path(".cache/transfer"))
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    given = parser.parse_args()
    for target, public in OTHER.items():
        over = composed(given.cache, f"{public}-test")
        positions = usable(composed(given.cache, f"{target}-test"), target)
        classes = [listed(target)[i] for i in positions]
        names = [c.name for c in classes]
        charts = []
        for tagger in TAGGERS:
            suite = scored(given.cache, tagger, f"suite-{SUITES[0]}")
            model = fit_evidence(suite, [scored(given.cache, tagger, f"{public}-test")])
            found = standardise_classes(model, over, classes).iloc[1:].reset_index(drop=True)
            scores = scored(given.cache, tagger, f"{target}-test", target)
            mentions = [int(scores.masks(name)[0].sum()) for name in names]
            rows = found.assign(tagger=tagger, observed=recalls(scores, names), mentions=mentions)
            chart = transfer_chart(rows, "suite", f"{target}/test", "recall")
            if chart is not None:
                charts.append((tagger, chart))
        given.out.mkdir(parents=True, exist_ok=True)
        path = given.out / f"transfer-{target}.svg"
        title = f"Recall of each class in {target}/test: estimated from suite and public corpus, and observed"
        path.write_text(picture(title, charts), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
