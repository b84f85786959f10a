"""Remarks on what a tagger printed, from what run.toml holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_TYPES = 20
"""Types that are named one by one."""


def output_notes(meta: Mapping[str, Any]) -> list[str]:
    """Remarks on a run's output: tags that the specification does not list, or nothing at all."""
    from ..outputs.placed import describe_undeclared

    lines = [describe_undeclared({name: n}) for name, n in meta.get("undeclared_tags", {}).items()]
    if meta["run"].get("silent"):
        lines.append("the tagger printed nothing at all for any case")
    return lines


def type_notes(meta: Mapping[str, Any]) -> list[str]:
    """Remarks on the types of a run's mentions: dropped, unknown, or of no gold mention."""
    dropped = set(meta.get("dropped_types", []))
    lines = []
    for name, n in list(meta.get("unmapped_types", {}).items()):
        what = "drops" if name in dropped else "does not know"
        lines.append(f"{n} mentions of type {name!r}, which the type map {what}")
    for name, n in list(meta.get("foreign_types", {}).items()):
        lines.append(f"{n} mentions of type {name!r}, which no gold mention has: they match nothing by type")
    more = len(lines) - MOST_TYPES
    return [*lines[:MOST_TYPES], f"and {more} more types; run.toml names them all"] if more > 0 else lines
