"""Checks of files of contexts: every finding with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from os import PathLike

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.findings import Finding, finding_columns, found_at, found_in
from ..catalogues.taxonomy import Feature, taxonomy
from ..catalogues.values import written
from .contexts import (
    JUDGED,
    Contexts,
    build,
    bundled_files,
    carried_by,
    read_context_file,
    records_of,
    rendered,
)
from .contexts_xml import ARTICLES, Entry, read_bytes
from .scene import make_scene
from .spans import checked_spans


def check(*paths: str | PathLike[str]) -> pd.DataFrame:
    """Check files of contexts; the bundled ones when none is named.

    Parameters
    ----------
    *paths : path
        XML files.

    Returns
    -------
    DataFrame
        `file`, `line`, `context_id`, `problem`, `found`, `expected`; empty when nothing is wrong.
    """
    entries: list[Entry] = []
    findings: list[Finding] = []
    sources = [(str(p), None) for p in paths] if paths else [(n, c) for n, c in bundled_files()]
    for name, content in sources:
        faults: list[InputError] = []
        try:
            read = read_context_file(name, faults) if content is None else read_bytes(content, name, faults)
        except InputError as error:
            findings.append(found_in(error, name))
            continue
        findings += [found_in(fault, name) for fault in faults]
        entries += read.entries
    distinct = list({entry.id: entry for entry in reversed(entries)}.values())[::-1]
    findings += _duplicates(entries)
    contexts = build(distinct)
    findings += _stored(contexts)
    findings += _tokens(contexts)
    findings += _accepted(distinct)
    findings += _sentences(distinct)
    return pd.DataFrame(finding_columns(findings, "context_id")).astype({"line": "Int64"})


def same_sentence(template: str) -> str:
    """What templates of the same sentence share: words and slots, case and articles aside."""
    for article in ARTICLES:
        template = template.replace(f"{article} ", "")
    return " ".join(re.findall(r"[^\W_]+|<>", template.casefold()))


def _duplicates(entries: Sequence[Entry]) -> Iterator[Finding]:
    ids: dict[str, Entry] = {}
    sentences: dict[str, Entry] = {}
    for entry in entries:
        first = ids.setdefault(entry.id, entry)
        if first is not entry:
            yield found_at(entry, f"the id stands twice (first in {first.file}:{first.line})", entry.id)
        first = sentences.setdefault(same_sentence(entry.template), entry)
        if first is not entry:
            yield found_at(
                entry, f"the sentence stands twice (first in {first.file}:{first.line})", entry.template
            )


def _stored(contexts: Contexts) -> Iterator[Finding]:
    frame = records_of(contexts.contexts, "context_id")
    slots = records_of(contexts.slots, "context_id", "slot")
    for entry in contexts.entries:
        row = frame[(entry.id,)]
        if entry.type != row["context.type"]:
            yield found_at(
                entry, "stored type differs from the computed one", entry.type, str(row["context.type"])
            )
        for name, value in entry.stored.items():
            yield from _compare(entry, taxonomy().find(f"context.{name}"), value, row, "")
        for number, attributes in enumerate(entry.slots):
            for name, value in attributes.items():
                if name not in JUDGED:
                    where = f" of slot {number + 1}"
                    yield from _compare(
                        entry, taxonomy().find(f"slot.{name}"), value, slots[(entry.id, number)], where
                    )


def _compare(
    entry: Entry, feature: Feature, value: str, row: dict[str, object], where: str
) -> Iterator[Finding]:
    if feature.catalogue_only:
        return
    parts = [feature.codes.get(part, part) for part in value.split("|")] if feature.kind == "set" else [value]
    unknown = [p for p in parts if feature.values and feature.codes.get(p) is None]
    if unknown:
        allowed = ", ".join(v.name for v in feature.values)
        yield found_at(entry, f"unknown value of {feature.name}{where}", unknown[0], allowed)
        return
    computed = written(row[feature.column])
    stored = feature.join(parts) if feature.kind == "set" else feature.codes.get(value, value)
    if stored != computed:
        yield found_at(
            entry,
            f"stored {feature.name}{where} differs from the computed one",
            stored,
            computed or "(absent)",
        )


def _tokens(contexts: Contexts) -> Iterator[Finding]:
    found: dict[tuple[str, int, int], set[str]] = {}
    for row in contexts.tokens.to_dict("records"):
        found[(row["context_id"], row["start"], row["end"])] = set(carried_by(row))
    for entry in contexts.entries:
        if entry.type == "fp" and not entry.tokens and not entry.slots:
            yield found_at(
                entry, "an fp context in which no token is marked", entry.template, "<token features=...>"
            )
        for token in entry.tokens:
            form = entry.template[token.start : token.end]
            computed = found.get((entry.id, token.start, token.end), set())
            for name in token.features:
                if name not in computed:
                    expected = "|".join(sorted(computed)) or "(none)"
                    yield found_at(
                        entry, f"the token {form!r} does not carry what it is marked with", name, expected
                    )


def _accepted(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Slots of fp contexts accept look-alikes, those of tp contexts entities."""
    others = {value.name for value in taxonomy().find("entity.look_alike_category").values}
    for entry in entries:
        for number, slot in enumerate(entry.slots, start=1):
            for kind in slot.get("accepts", "").split():
                if (kind in others) != entry.for_look_alikes:
                    allowed = "categories of look-alikes" if entry.for_look_alikes else "kinds of entities"
                    yield found_at(
                        entry, f"slot {number} of this {entry.type} context cannot accept it", kind, allowed
                    )


def _sentences(entries: Sequence[Entry]) -> Iterator[Finding]:
    texts, mentions = rendered(entries)
    scene = make_scene(texts["text"], *checked_spans(texts, mentions), divide=True)
    counts = np.bincount(scene.sentences.texts, minlength=len(entries))
    for entry, count in zip(entries, counts.tolist(), strict=True):
        if count != 1:
            yield found_at(entry, "not one sentence", f"{count} sentences", "1")
