"""Selection of contexts by a query, to list, count, show or export them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ..catalogues.cache import frame_to_table, write_table
from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_text
from ..catalogues.query import Query
from ..catalogues.taxonomy import taxonomy
from ..catalogues.values import format_cell_value
from .context_features import CONTEXT_COLUMNS, SLOT_COLUMNS
from .contexts import JUDGED_ATTRIBUTES, Contexts, add_stored_features, write_context_file
from .contexts_xml import SOURCE_COLUMNS, ContextEntry, ContextFile

CONTEXT_SCOPES = ("context", "slot")


def select_rows(contexts: Contexts, query: str) -> pd.DataFrame:
    """Return the slots, and the contexts without slots, that match a query.

    The result is a table of all features, with one row per slot or context.
    """
    frame = contexts.join_features()
    matches = Query.parse(query or "all", scopes=CONTEXT_SCOPES).evaluate(frame)
    return frame[np.asarray(matches, dtype=bool)]


def choose_contexts(contexts: Contexts, query: str) -> list[str]:
    """Return the ids of contexts that match a query, or have a slot that matches it."""
    return list(dict.fromkeys(select_rows(contexts, query)["context_id"]))


def select_entries(contexts: Contexts, ids: Sequence[str]) -> tuple[ContextEntry, ...]:
    """Return contexts as `ContextEntry` objects, with all features that context files store."""
    wanted = set(ids)
    return tuple(e for e in add_stored_features(contexts) if e.id in wanted)


def join_slot_values(contexts: Contexts, column: str, ids: Sequence[str]) -> list[str]:
    """Return one string per context: the values of a slot feature in all its slots, joined by commas."""
    values: dict[str, list[str]] = {context_id: [] for context_id in ids}
    for context_id, value in zip(contexts.slots["context_id"], contexts.slots[column].tolist(), strict=True):
        if context_id in values:
            values[context_id].append(format_cell_value(value))
    return [", ".join(v) for v in values.values()]


def count_contexts(contexts: Contexts, query: str, by: Sequence[str]) -> pd.DataFrame:
    """Count contexts and slots per combination of feature values.

    A slot with several values of a set-valued feature is counted once for each value.

    Returns
    -------
    DataFrame
        One column per feature in `by`, then `contexts` and `slots`.
    """
    frame = select_rows(contexts, query)
    features = [taxonomy().find(name, CONTEXT_SCOPES) for name in by]
    table = pd.DataFrame({"context_id": frame["context_id"], "slots": frame["slot"].notna().astype("int64")})
    for feature in features:
        values = pd.Series(
            [format_cell_value(v) for v in frame[feature.column].tolist()], index=frame.index, dtype="object"
        )
        table[feature.qualified_name] = values.str.split("|") if feature.kind == "set" else values
    for feature in features:
        table = table.explode(feature.qualified_name, ignore_index=True)
    names = [f.qualified_name for f in features]
    if not names:
        return pd.DataFrame(
            {"contexts": [table["context_id"].nunique()], "slots": [int(table["slots"].sum())]}
        )
    grouped = table.groupby(names, sort=True).agg(contexts=("context_id", "nunique"), slots=("slots", "sum"))
    return grouped.reset_index().sort_values(["contexts", *names], ascending=[False] + [True] * len(names))


def show_context(contexts: Contexts, context_id: str) -> pd.DataFrame:
    """Return a table of all features of a context, its slots and its tokens, one row per feature.

    Raises
    ------
    InputError
        If no context has this id.
    """
    rows = contexts.contexts[contexts.contexts["context_id"] == context_id]
    if not len(rows):
        ids = contexts.contexts["context_id"]
        raise InputError("unknown context", found=context_id, allowed=f"{ids.iloc[0]} … {ids.iloc[-1]}")
    entry = next(e for e in contexts.entries if e.id == context_id)
    lines: list[tuple[str, str, str]] = [("context", "slots", entry.template)]
    lines.append(("context", "place", f"{entry.file}:{entry.line}"))
    first = rows.iloc[0]
    sources = [f"context.{name}" for name in SOURCE_COLUMNS]
    lines += [
        ("context", c.removeprefix("context."), format_cell_value(first[c]))
        for c in (*CONTEXT_COLUMNS, *sources)
    ]
    slots = contexts.slots[contexts.slots["context_id"] == context_id]
    for row in slots.to_dict("records"):
        place = f"slot {row['slot'] + 1}"
        judged = [(place, n, format_cell_value(row.get(n, row.get(f"slot.{n}")))) for n in JUDGED_ATTRIBUTES]
        lines += judged + [(place, name, format_cell_value(row[name])) for name in SLOT_COLUMNS]
    tokens = contexts.tokens[contexts.tokens["context_id"] == context_id]
    for row in tokens.to_dict("records"):
        values = [format_cell_value(row[n]) for n in ("typographic_features", "morphological_features")]
        values += [f"keyword {row['keyword']}"] if format_cell_value(row["keyword"]) else []
        text = "|".join(v for v in values if v) + (" (marked)" if row["marked"] else "")
        lines.append((f"token {row['start']}-{row['end']}", row["form"], text))
    return pd.DataFrame([line for line in lines if line[2]], columns=["of", "feature", "value"], dtype="str")


EXPORT_SUFFIXES = (".xml", ".txt", ".csv", ".parquet")


def export_contexts(contexts: Contexts, ids: Sequence[str], out: Path) -> str:
    """Write the contexts with the given ids to a file and return a summary.

    XML files and record files (``.txt``) are context files, and include the licence notes of the source
    files. CSV and Parquet files contain all features, with one row per slot and one row per context without
    slots.

    Raises
    ------
    InputError
        If the suffix of `out` is not in EXPORT_SUFFIXES, or `ids` is empty.
    """
    if out.suffix not in EXPORT_SUFFIXES:
        raise InputError("unknown kind of output file", file=out, allowed=", ".join(EXPORT_SUFFIXES))
    if not ids:
        raise InputError("no context matches the query; give a query that matches at least one context")
    if out.suffix in (".xml", ".txt"):
        content = ContextFile(select_entries(contexts, ids), note="; ".join(contexts.notes))
        write_context_file(out, content)
        return f"{len(ids)} contexts: {out}"
    frame = contexts.join_features()
    frame = frame[frame["context_id"].isin(list(ids))].reset_index(drop=True)
    frame["slot"] = frame["slot"].astype("Int32")
    if out.suffix == ".csv":
        with atomic_text(out) as stream:
            frame.to_csv(stream, index=False, lineterminator="\n")
    else:
        write_table(frame_to_table(frame), out)
    return f"{len(ids)} contexts, {len(frame)} rows: {out}"
