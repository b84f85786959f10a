"""Charts as SVG: where everything goes. Colours come from the page, so that they follow light and dark."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ..model import Chart, missing
from .cells import percent

SERIES = 8
"""Colours that the page has; the pattern of a series is told in the legend too."""
WIDTH, HEIGHT = 560.0, 280.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 8.0, 10.0, 34.0
GAP = 0.28
WIDEST = 40.0
SIDE = 460.0
RING = 5.0
FIELD, LETTER, NAMES, BAR, SPACE = 540.0, 6.8, 260.0, 13.0, 12.0
"""Of lying bars: width of the field, of a letter, of the names at most; height of a bar; space between."""


@dataclass(frozen=True)
class Tick:
    """A line of the grid with its number."""

    place: float
    text: str


@dataclass(frozen=True)
class Mark:
    """A bar, or a point, with what it says."""

    x: float
    y: float
    width: float
    height: float
    series: int
    words: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """A line through points, as an SVG polyline takes them."""

    points: str
    series: int


@dataclass(frozen=True)
class Drawing:
    """A chart, drawn.

    Attributes
    ----------
    chart : Chart
    width, height, left, right, top, bottom : float
        Of the whole, and the edges of the field.
    across, up : list of Tick
    groups : list of Tick
        Names under groups of bars.
    marks : list of Mark
    series : list of str
    lines : list of Line
    """

    chart: Chart
    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    up: list[Tick]
    across: list[Tick] = field(default_factory=list)
    groups: list[Tick] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    series: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


def draw(chart: Chart) -> Drawing:
    """Lay a chart out."""
    return {"bars": _bars, "rows": _rows}.get(chart.kind, _points)(chart)


def _ticks(start: float, end: float) -> list[Tick]:
    return [Tick(round(start + (end - start) * k / 4, 1), str(25 * k)) for k in range(5)]


def _bars(chart: Chart) -> Drawing:
    frame = chart.frame
    groups = list(dict.fromkeys(frame["group"]))
    series = list(dict.fromkeys(frame["series"]))
    left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
    step = (right - left) / max(len(groups), 1)
    bar = min(step * (1 - GAP) / max(len(series), 1), WIDEST)

    def height(value: float) -> float:
        return round(bottom - (bottom - top) * min(max(value, 0.0), 1.0), 1)

    marks = []
    for row in frame.to_dict("records"):
        value = row["value"]
        if missing(value):
            continue
        group, at = groups.index(row["group"]), series.index(row["series"])
        x = left + step * (group + 0.5) + bar * (at - len(series) / 2)
        ends, words = _said(row)
        marks.append(
            Mark(
                round(x + 1, 1),
                height(value),
                round(max(bar - 2, 1), 1),
                round(bottom - height(value), 1),
                at % SERIES,
                words,
                *(height(end) for end in ends),
            )
        )
    names = [Tick(round(left + step * (i + 0.5), 1), str(g)) for i, g in enumerate(groups)]
    return Drawing(
        chart, WIDTH, HEIGHT, left, right, top, bottom, _ticks(bottom, top), [], names, marks, series
    )


def _said(row: dict[Any, Any]) -> tuple[list[float], str]:
    """The ends of a bar's interval (none, or two), and the bar in words."""
    words = f"{row['series']}, {row['group']}: {percent(row['value'])} %"
    low: Any = row.get("low")
    high: Any = row.get("high")
    if missing(low) or missing(high):
        return [], words
    return [float(low), float(high)], f"{words} ({percent(float(low))} to {percent(float(high))})"


def _rows(chart: Chart) -> Drawing:
    frame = chart.frame[chart.frame["value"].notna()]
    series = list(dict.fromkeys(frame["series"]))
    longest = max((len(str(name)) for name in frame["group"]), default=0)
    left = round(min(NAMES, 20 + LETTER * longest), 1)
    right, top = left + FIELD, TOP

    def width(value: float) -> float:
        return round((right - left) * min(max(value, 0.0), 1.0), 1)

    marks, names = [], []
    y = top + SPACE / 2
    for group, rows in frame.groupby("group", sort=False):
        names.append(Tick(round(y + BAR * len(rows) / 2, 1), str(group)))
        for row in rows.to_dict("records"):
            ends, words = _said(row)
            at = series.index(row["series"])
            places = (left + width(end) for end in ends)
            marks.append(Mark(left, round(y, 1), width(row["value"]), BAR - 2, at % SERIES, words, *places))
            y += BAR
        y += SPACE
    bottom = y - SPACE / 2
    return Drawing(
        chart,
        right + RIGHT + 12,
        round(bottom + BOTTOM, 1),
        left,
        right,
        top,
        bottom,
        [],
        _ticks(left, right),
        names,
        marks,
        [str(name) for name in series],
    )


def _points(chart: Chart) -> Drawing:
    frame: pd.DataFrame = chart.frame
    series = list(dict.fromkeys(frame["series"]))
    left, right, top, bottom = LEFT + 12, SIDE - RIGHT - 8, TOP, SIDE - BOTTOM - 20

    def place(x: float, y: float) -> tuple[float, float]:
        x, y = (min(max(float(v), 0.0), 1.0) for v in (x, y))
        return round(left + (right - left) * x, 1), round(bottom - (bottom - top) * y, 1)

    marks = []
    for row in frame.to_dict("records"):
        if chart.kind == "lines" and not row["marked"]:
            continue
        size = RING if chart.kind == "lines" else 3.5 + min(float(row["size"]) ** 0.5 / 4, 6.0)
        x, y = row["x"], row["y"]
        words = f"{row['label']}, {row['series']}: {chart.x} {percent(x)} %, {chart.y} {percent(y)} %"
        marks.append(Mark(*place(x, y), round(size, 1), 0.0, series.index(row["series"]) % SERIES, words))
    lines = []
    if chart.kind == "lines":
        for at, name in enumerate(series):
            own = frame[(frame["series"] == name) & frame["x"].notna() & frame["y"].notna()]
            pairs = [place(x, y) for x, y in zip(own["x"], own["y"], strict=True)]
            lines.append(Line(" ".join(f"{x},{y}" for x, y in pairs), at % SERIES))
    up, across = _ticks(bottom, top), _ticks(left, right)
    return Drawing(chart, SIDE, SIDE, left, right, top, bottom, up, across, [], marks, series, lines)
