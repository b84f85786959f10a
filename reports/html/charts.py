"""Layout of charts for SVG; the style sheet of the page sets the colours, for light and dark mode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..cells import format_bare_percent
from ..model import Chart, is_missing

MAX_SERIES = 8
"""Number of colours in the style sheet; further series reuse them."""
WIDTH, HEIGHT = 560.0, 280.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 8.0, 10.0, 34.0
GAP = 0.28
MAX_BAR_WIDTH = 40.0
POINTS_SIZE = 460.0
RING_RADIUS = 5.0


@dataclass(frozen=True)
class Area:
    """Plotting area of a chart, whose axes represent shares from 0 to 1."""

    left: float
    right: float
    top: float
    bottom: float

    def x(self, share: float) -> float:
        """Return the x coordinate of a share; 0 is the left edge."""
        return round(self.left + (self.right - self.left) * min(max(float(share), 0.0), 1.0), 1)

    def y(self, share: float) -> float:
        """Return the y coordinate of a share; 0 is the bottom edge."""
        return round(self.bottom - (self.bottom - self.top) * min(max(float(share), 0.0), 1.0), 1)


@dataclass(frozen=True)
class Mark:
    """Bar or point of a chart, with its position and a description in words."""

    x: float
    y: float
    width: float
    height: float
    series: int
    words: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Drawing:
    """Chart with the positions of all its parts.

    Attributes
    ----------
    chart : Chart
    width, height : float
        Size of the drawing.
    area : Area
    series : list of str
    groups : list of (float, str)
        Position and name of each group of bars.
    marks : list of Mark
    lines : list of (str, int)
        For each line, its points in the format of an SVG polyline, and the number of its series.
    """

    chart: Chart
    width: float
    height: float
    area: Area
    series: list[str]
    groups: list[tuple[float, str]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    lines: list[tuple[str, int]] = field(default_factory=list)


def draw_chart(chart: Chart) -> Drawing:
    """Return the drawing of a chart."""
    series = [str(name) for name in dict.fromkeys(chart.frame["series"])]
    return (_bars if chart.kind == "bars" else _points)(chart, series)


def _bars(chart: Chart, series: list[str]) -> Drawing:
    """Return the drawing of a chart with grouped vertical bars."""
    place = Area(LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM)
    groups = list(dict.fromkeys(chart.frame["group"]))
    step = (place.right - place.left) / max(len(groups), 1)
    bar = min(step * (1 - GAP) / max(len(series), 1), MAX_BAR_WIDTH)
    marks = []
    for row in chart.frame[chart.frame["value"].notna()].to_dict("records"):
        at, top = series.index(str(row["series"])), place.y(row["value"])
        x = place.left + step * (groups.index(row["group"]) + 0.5) + bar * (at - len(series) / 2)
        width, height = round(max(bar - 2, 1), 1), round(place.bottom - top, 1)
        ends = (place.y(end) for end in _interval_ends(row))
        words = f"{row['series']}, {row['group']}: {format_bare_percent(row['value'])} %{_interval(row)}"
        marks.append(Mark(round(x + 1, 1), top, width, height, at % MAX_SERIES, words, *ends))
    names = [(round(place.left + step * (i + 0.5), 1), str(g)) for i, g in enumerate(groups)]
    return Drawing(chart, WIDTH, HEIGHT, place, series, groups=names, marks=marks)


def _points(chart: Chart, series: list[str]) -> Drawing:
    """Return the drawing of a chart with points, or with lines and rings around some of their points."""
    place = Area(LEFT + 12, POINTS_SIZE - RIGHT - 8, TOP, POINTS_SIZE - BOTTOM - 20)
    lined = chart.kind == "lines"
    frame = chart.frame
    marks = []
    for row in (frame[frame["marked"].astype("bool")] if lined else frame).to_dict("records"):
        x, y, at = row["x"], row["y"], series.index(str(row["series"]))
        size = RING_RADIUS if lined else 3.5 + min(float(row["size"]) ** 0.5 / 4, 6.0)
        shown = f"{chart.x} {format_bare_percent(x)} %, {chart.y} {format_bare_percent(y)} %"
        words = f"{row['label']}, {row['series']}: {shown}{_interval(row)}"
        ends = (place.y(end) for end in _interval_ends(row))
        marks.append(Mark(place.x(x), place.y(y), round(size, 1), 0.0, at % MAX_SERIES, words, *ends))
    lines = []
    for at, name in enumerate(series if lined else ()):
        own = frame[(frame["series"] == name) & frame["x"].notna() & frame["y"].notna()]
        pairs = (f"{place.x(x)},{place.y(y)}" for x, y in zip(own["x"], own["y"], strict=True))
        lines.append((" ".join(pairs), at % MAX_SERIES))
    return Drawing(chart, POINTS_SIZE, POINTS_SIZE, place, series, marks=marks, lines=lines)


def _interval_ends(row: dict[Any, Any]) -> list[float]:
    """Return both limits of the interval in a row, or an empty list if there is no interval."""
    low: Any = row.get("low")
    high: Any = row.get("high")
    return [] if is_missing(low) or is_missing(high) else [float(low), float(high)]


def _interval(row: dict[Any, Any]) -> str:
    """Return the interval in brackets, or an empty string if there is none."""
    ends = " to ".join(format_bare_percent(end) for end in _interval_ends(row))
    return f" ({ends})" if ends else ""
