"""Checks of context files; each problem is reported with its file and line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from os import PathLike

import numpy as np
import pandas as pd

from ..catalogues.core.errors import InputError
from ..catalogues.core.findings import Finding, finding_from_error, findings_to_columns, make_finding
from ..catalogues.feature import Feature
from ..catalogues.taxonomy import taxonomy
from ..catalogues.values import format_cell_value
from .annotated_texts import make_annotated_texts
from .contexts import (
    JUDGED_ATTRIBUTES,
    Contexts,
    build_contexts,
    fill_templates,
    index_rows,
    list_carried_features,
    read_bundled_context_files,
    read_context_file,
)
from .contexts_xml import ARTICLE_MARKS, ContextEntry, parse_context_xml
from .spans import locate_checked_spans


def check_contexts(*paths: str | PathLike[str]) -> pd.DataFrame:
    """Check context files and return the problems.

    Parameters
    ----------
    *paths : path
        Context files, XML or records (``.txt``); by default the bundled files.

    Returns
    -------
    DataFrame
        One row per problem: `file`, `line`, `context_id`, `problem`, `found`, `expected`.
    """
    entries: list[ContextEntry] = []
    findings: list[Finding] = []
    sources = [(str(p), None) for p in paths] if paths else [(n, c) for n, c in read_bundled_context_files()]
    for name, content in sources:
        faults: list[InputError] = []
        try:
            file = (
                read_context_file(name, faults)
                if content is None
                else parse_context_xml(content, name, faults)
            )
        except InputError as error:
            findings.append(finding_from_error(error, name))
            continue
        findings += [finding_from_error(fault, name) for fault in faults]
        entries += file.entries
    distinct = list({entry.id: entry for entry in reversed(entries)}.values())[::-1]
    findings += _check_duplicates(entries)
    contexts = build_contexts(distinct)
    findings += _check_stored(contexts)
    findings += _check_tokens(contexts)
    findings += _check_accepted(distinct)
    findings += _check_sentences(distinct)
    return pd.DataFrame(findings_to_columns(findings, "context_id")).astype({"line": "Int64"})


def sentence_key(template: str) -> str:
    """Return the words and slots of a template, lower-cased, without punctuation and article marks (``{a}``).

    Two templates for which this function returns the same string count as duplicates.
    """
    for article in ARTICLE_MARKS:
        template = template.replace(f"{article} ", "")
    return " ".join(re.findall(r"[^\W_]+|<>", template.casefold()))


def _check_duplicates(entries: Sequence[ContextEntry]) -> Iterator[Finding]:
    ids: dict[str, ContextEntry] = {}
    sentences: dict[str, ContextEntry] = {}
    for entry in entries:
        first = ids.setdefault(entry.id, entry)
        if first is not entry:
            yield make_finding(entry, f"duplicate id (first in {first.file}:{first.line})", entry.id)
        first = sentences.setdefault(sentence_key(entry.template), entry)
        if first is not entry:
            yield make_finding(
                entry, f"duplicate sentence (first in {first.file}:{first.line})", entry.template
            )


def _check_stored(contexts: Contexts) -> Iterator[Finding]:
    frame = index_rows(contexts.contexts, "context_id")
    slots = index_rows(contexts.slots, "context_id", "slot")
    for entry in contexts.entries:
        row = frame[(entry.id,)]
        if entry.type != row["context.type"]:
            yield make_finding(
                entry, "the stored type differs from the computed type", entry.type, str(row["context.type"])
            )
        for name, value in entry.stored.items():
            yield from _compare(entry, taxonomy().find(f"context.{name}"), value, row, "")
        for number, attributes in enumerate(entry.slots):
            for name, value in attributes.items():
                if name not in JUDGED_ATTRIBUTES:
                    where = f" of slot {number + 1}"
                    yield from _compare(
                        entry, taxonomy().find(f"slot.{name}"), value, slots[(entry.id, number)], where
                    )


def _compare(
    entry: ContextEntry, feature: Feature, value: str, row: dict[str, object], where: str
) -> Iterator[Finding]:
    if feature.is_catalogue_only:
        return
    parts = [feature.codes.get(part, part) for part in value.split("|")] if feature.kind == "set" else [value]
    unknown = [p for p in parts if feature.values and feature.codes.get(p) is None]
    if unknown:
        allowed = ", ".join(v.name for v in feature.values)
        yield make_finding(entry, f"unknown value of {feature.name}{where}", unknown[0], allowed)
        return
    computed = format_cell_value(row[feature.column])
    stored = feature.join_values(parts) if feature.kind == "set" else feature.codes.get(value, value)
    if stored != computed:
        yield make_finding(
            entry,
            f"the stored {feature.name}{where} differs from the computed value",
            stored,
            computed or "(absent)",
        )


def _check_tokens(contexts: Contexts) -> Iterator[Finding]:
    features = {
        (row["context_id"], row["start"], row["end"]): set(list_carried_features(row))
        for row in contexts.tokens.to_dict("records")
    }
    for entry in contexts.entries:
        if entry.type == "fp" and not entry.tokens and not entry.slots:
            yield make_finding(
                entry, "this context of type fp has no marked token", entry.template, "<token features=...>"
            )
        for token in entry.tokens:
            form = entry.template[token.start : token.end]
            computed = features.get((entry.id, token.start, token.end), set())
            for name in token.features:
                if name not in computed:
                    expected = "|".join(sorted(computed)) or "(none)"
                    yield make_finding(
                        entry, f"the token {form!r} is marked with a wrong feature", name, expected
                    )


def _check_accepted(entries: Sequence[ContextEntry]) -> Iterator[Finding]:
    """Yield a problem for each word in the slot attribute ``accepts`` that is probably an error.

    In an fp context, each word must be a category of look-alikes. In a tp context, a word can be a kind of
    entity or any type. A type that differs from a kind by only a few letters is reported as an error.
    """
    look_alikes = [value.name for value in taxonomy().find("entity.look_alike_category").values]
    kinds = [value.name for value in taxonomy().find("slot.accepts").values]
    for entry in entries:
        for number, slot in enumerate(entry.slots, start=1):
            for kind in slot.get("accepts", "").split():
                if entry.is_for_look_alikes and kind not in look_alikes:
                    problem = f"slot {number} of this context of type fp cannot accept this kind of name"
                    yield make_finding(entry, problem, kind, "categories of look-alikes")
                near = difflib.get_close_matches(kind, kinds, n=1, cutoff=0.75)
                if near and kind not in kinds:
                    yield make_finding(entry, f"slot {number}: unknown kind in `accepts`", kind, near[0])


def _check_sentences(entries: Sequence[ContextEntry]) -> Iterator[Finding]:
    texts, mentions = fill_templates(entries)
    scene = make_annotated_texts(texts["text"], *locate_checked_spans(texts, mentions), split=True)
    counts = np.bincount(scene.sentences.text_rows, minlength=len(entries))
    for entry, count in zip(entries, counts.tolist(), strict=True):
        if count != 1:
            yield make_finding(entry, "the template is not a single sentence", f"{count} sentences", "1")
