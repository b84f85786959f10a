"""Contexts in memory: sentences with slots, their features and their slots' features as columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..catalogues.cache import cached_frame, source_digest
from ..catalogues.core import files
from ..catalogues.core.errors import InputError
from ..catalogues.core.files import digest_bytes
from ..catalogues.core.files import read_bytes as read_content
from ..catalogues.core.findings import check_new_id
from ..catalogues.taxonomy import taxonomy
from ..catalogues.values import format_cell_value
from . import context_records, contexts_xml
from .context_features import compute_slot_features, compute_text_features, make_carrier_frame
from .contexts_xml import (
    ARTICLE_MARKS,
    SLOT_MARK,
    ContextEntry,
    ContextFile,
    MarkedToken,
    parse_context_xml,
    read_context_xml,
)

PLACEHOLDERS = {"name": "tumor protein", "symbol": "XX1", "": "XX1"}
"""What fills slots while features are computed; no feature depends on it but the kind of an appositive."""

JUDGED_ATTRIBUTES = ("accepts", "expects", "species", "number", "head", "function")
"""Attributes of slots that are judged, not computed: what may be put there."""

SOURCE_COLUMNS = ("source_id", "source_type", "original_form_in_source")

STORED_TP = ("total_number_of_names", "context.position", "list_context", "appositive", "typographic_context")
STORED_FP = ("keyword", "typographic_features", "morphological_features")
STORED_SLOT = {"list_type": "none", "list_position": "single", "appositive_side": "none"}
"""Features that files store, those of slots with the value that is not written."""


@dataclass(frozen=True)
class Contexts:
    """Contexts, their slots, and the tokens of theirs that look like names.

    Attributes
    ----------
    contexts : DataFrame
        `context_id` (str), `slots` (the template), the computed context features, and the source's columns.
    slots : DataFrame
        One row a slot: `context_id`, `slot` (from 0), `expects` (name, symbol or missing: what the grammar
        wants there), `offset` (of the slot in the template), then the slot features, judged and computed.
    tokens : DataFrame
        One row a token outside the slots that looks like a name: `context_id`, `start`, `end`, `form`,
        `keyword`, `typographic_features`, `morphological_features` (offsets in the template), `marked`
        (whether the file marks it).
    entries : tuple of Entry
        The contexts as their files have them.
    notes : tuple of str
        Licence notes of the files.
    digest : str
        SHA-256 over the files.
    """

    contexts: pd.DataFrame
    slots: pd.DataFrame
    tokens: pd.DataFrame
    entries: tuple[ContextEntry, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    digest: str = ""

    def __len__(self) -> int:
        return len(self.contexts)

    @property
    def look_alike_ids(self) -> list[str]:
        """Ids of the sentences that have slots but no names."""
        return [entry.id for entry in self.entries if entry.is_for_look_alikes]

    def join_features(self) -> pd.DataFrame:
        """One row a slot with its context's features too, and one row for each context without a slot."""
        return self.contexts.merge(
            self.slots.drop(columns=["expects", "offset"]), on="context_id", how="left"
        )


def read_bundled_context_files() -> list[tuple[str, bytes]]:
    """Names and contents of the bundled files of contexts."""
    return files.read_bundled_files(__package__, "contexts")


def read_contexts(*paths: str | PathLike[str]) -> Contexts:
    """Read contexts from files; the bundled ones when none is named.

    Raises
    ------
    InputError
        With file and line: a file that is not valid, a template that cannot be filled, an id that is not new.
    """
    if not paths:
        return _read_bundled()
    files = [(str(path), read_context_file(path)) for path in paths]
    return _combine_files(files, digest_bytes(*(read_content(path) for path in paths)))


def read_context_file(path: str | PathLike[str], faults: list[InputError] | None = None) -> ContextFile:
    """Read one file: records when its name ends in ``.txt``, else XML."""
    if Path(path).suffix == ".txt":
        return context_records.read_context_records(path, faults)
    return read_context_xml(path, faults)


def write_context_file(path: str | PathLike[str], content: ContextFile) -> None:
    """Write one file: records when its name ends in ``.txt``, else XML."""
    (context_records if Path(path).suffix == ".txt" else contexts_xml).write_contexts(path, content)


@lru_cache(maxsize=1)
def _read_bundled() -> Contexts:
    files = read_bundled_context_files()
    return _combine_files(
        [(n, parse_context_xml(c, n)) for n, c in files], digest_bytes(*(c for _, c in files))
    )


def _combine_files(files: Sequence[tuple[str, ContextFile]], digest: str) -> Contexts:
    entries = tuple(entry for _, content in files for entry in content.entries)
    seen: dict[str, ContextEntry] = {}
    for entry in entries:
        check_new_id(entry, seen, "a context")
    notes = tuple(dict.fromkeys(f"{n}: {' '.join((c.licence, c.note)).strip()}" for n, c in files))
    return _build_cached(entries, notes, digest)


def _build_cached(entries: tuple[ContextEntry, ...], notes: tuple[str, ...], digest: str) -> Contexts:
    """As `build`, with the frames from the cache where it has them."""
    parts = (digest, source_digest("tagsuite.catalogues"), source_digest("tagsuite.sentences"))
    made: list[Contexts] = []

    def frame(name: str) -> pd.DataFrame:
        if not made:
            made.append(build_contexts(entries))
        found: pd.DataFrame = getattr(made[0], name)
        return found

    names = ("contexts", "slots", "tokens")
    contexts, slots, tokens = (cached_frame(f"sentences-{n}", parts, partial(frame, n)) for n in names)
    return Contexts(contexts, slots, tokens, entries, notes, digest)


def build_contexts(
    entries: Sequence[ContextEntry], notes: tuple[str, ...] = (), digest: str = ""
) -> Contexts:
    """Compute the features of entries."""
    texts, mentions = fill_templates(entries)
    ids = texts["text_id"].rename("context_id")
    features = compute_text_features(texts, mentions)
    # what stands in a slot of an fp context is no name; its place is described as a name's
    features.loc[[e.is_for_look_alikes for e in entries], "context.type"] = "fp"
    contexts = pd.concat(
        [
            ids,
            pd.Series([e.template for e in entries], name="slots", dtype="str"),
            features,
            *(
                pd.Series([e.stored.get(name) for e in entries], name=f"context.{name}", dtype="str")
                for name in SOURCE_COLUMNS
            ),
        ],
        axis=1,
    )
    slots = pd.concat(
        [
            mentions["text_id"].rename("context_id"),
            mentions[["slot", "expects", "offset"]],
            _judgement_columns(entries),
            compute_slot_features(texts, mentions, mentions),
        ],
        axis=1,
    )
    return Contexts(contexts, slots, _tokens(entries, texts, mentions), tuple(entries), notes, digest)


def _judgement_columns(entries: Sequence[ContextEntry]) -> pd.DataFrame:
    """What files say of their slots that is a feature; those that say nothing have none."""
    found: dict[str, list[str | None]] = {}
    for feature in taxonomy().select_scopes("slot"):
        if feature.name in JUDGED_ATTRIBUTES:
            values = [slot.get(feature.name) for entry in entries for slot in entry.slots]
            if feature.kind == "set":
                values = [value and feature.join_values(value.split()) for value in values]
            found[feature.column] = values
    return pd.DataFrame(found, dtype="str")


def add_stored_features(contexts: Contexts) -> tuple[ContextEntry, ...]:
    """The entries with the features that files store: those of figure 2, lists and appositives of slots."""
    frame = index_rows(contexts.contexts, "context_id")
    slots = index_rows(contexts.slots, "context_id", "slot")
    sources = {f"context.{name}" for name in SOURCE_COLUMNS}
    done: list[ContextEntry] = []
    for entry in contexts.entries:
        names = STORED_TP if entry.slots else STORED_FP
        row = frame[(entry.id,)]
        found = {name.removeprefix("context."): format_cell_value(row[name]) for name in names}
        kept = {k: v for k, v in entry.stored.items() if f"context.{k}" in sources}
        stored = kept | {name: value for name, value in found.items() if value not in ("", "none")}
        marked = tuple(
            {k: slot[k] for k in JUDGED_ATTRIBUTES if k in slot}
            | {
                name: value
                for name, usual in STORED_SLOT.items()
                if (value := format_cell_value(slots[entry.id, number][name])) != usual
            }
            for number, slot in enumerate(entry.slots)
        )
        done.append(replace(entry, stored=stored, slots=marked))
    return tuple(done)


def list_carried_features(token: Mapping[Hashable, Any]) -> tuple[str, ...]:
    """What a row of `Contexts.tokens` carries, as files mark it."""
    keyword, *looks = STORED_FP
    names = (name for column in looks for name in format_cell_value(token[column]).split("|") if name)
    return ("keyword", *names) if format_cell_value(token[keyword]) else tuple(names)


def mark_tokens(contexts: Contexts) -> tuple[ContextEntry, ...]:
    """The entries with every token of fp contexts marked that looks like a name."""
    found: dict[str, list[MarkedToken]] = {}
    for row in contexts.tokens.to_dict("records"):
        token = MarkedToken(int(row["start"]), int(row["end"]), list_carried_features(row))
        found.setdefault(str(row["context_id"]), []).append(token)
    return tuple(
        replace(e, tokens=tuple(found.get(e.id, ()))) if e.type == "fp" else e for e in contexts.entries
    )


def complete_entries(entries: Sequence[ContextEntry]) -> tuple[ContextEntry, ...]:
    """The entries with the features that files store, and every token of fp contexts marked that looks so."""
    contexts = build_contexts(entries)
    return add_stored_features(replace(contexts, entries=mark_tokens(contexts)))


def index_rows(frame: pd.DataFrame, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The rows of a frame as dictionaries, under some of their values."""
    rows: list[dict[str, Any]] = [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]
    return {tuple(row[key] for key in keys): row for row in rows}


def fill_templates(entries: Sequence[ContextEntry]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Fill templates with placeholders: texts, and mentions with `slot`, `expects` and `offset`."""
    texts: list[str] = []
    rows: list[tuple[str, int, int, int, str | None, int]] = []
    for entry in entries:
        text, offset = "", 0
        for number, piece in enumerate(entry.template.split(SLOT_MARK)):
            if number:
                expects = entry.slots[number - 1].get("expects", "")
                filler = PLACEHOLDERS[expects]
                rows.append(
                    (entry.id, len(text), len(text) + len(filler), number - 1, expects or None, offset)
                )
                text += filler
                offset += len(SLOT_MARK)
            offset += len(piece)
            text += _replace_articles(piece)
        texts.append(text)
    frame = pd.DataFrame({"text_id": [e.id for e in entries], "text": texts}, dtype="str")
    mentions = pd.DataFrame(rows, columns=["text_id", "start", "end", "slot", "expects", "offset"])
    kinds = dict.fromkeys(("start", "end", "slot", "offset"), "int64") | {"text_id": "str", "expects": "str"}
    return frame, mentions.astype(kinds)


def _replace_articles(piece: str) -> str:
    for article in ARTICLE_MARKS:
        if piece.endswith(f"{article} "):
            return piece[: -len(article) - 1] + article[1] + " "
    return piece


def _tokens(entries: Sequence[ContextEntry], texts: pd.DataFrame, mentions: pd.DataFrame) -> pd.DataFrame:
    found = make_carrier_frame(texts, mentions).rename(columns={"text_id": "context_id"})
    shifted = _to_template_offsets(found, texts, mentions)
    marked = {(e.id, t.start, t.end) for e in entries for t in e.tokens}
    keys = zip(shifted["context_id"], shifted["start"].tolist(), shifted["end"].tolist(), strict=True)
    shifted["marked"] = np.fromiter((key in marked for key in keys), dtype=bool, count=len(shifted))
    return shifted


def _to_template_offsets(found: pd.DataFrame, texts: pd.DataFrame, mentions: pd.DataFrame) -> pd.DataFrame:
    """Move offsets from the filled text to the template: the nearest slot before a token gives the shift."""
    frame = found.copy()
    row = {text_id: i for i, text_id in enumerate(texts["text_id"])}
    mention_row = mentions["text_id"].map(row).to_numpy(dtype=np.int64)
    shift = mentions["offset"].to_numpy() + len(SLOT_MARK) - mentions["end"].to_numpy()
    wide = 1 << 32
    keys = mention_row * wide + mentions["end"].to_numpy()
    token_row = frame["context_id"].map(row).to_numpy(dtype=np.int64)
    at = np.searchsorted(keys, token_row * wide + frame["start"].to_numpy(), side="right") - 1
    same = (at >= 0) & (np.append(mention_row, -1)[at] == token_row)
    moved = np.where(same, np.append(shift, 0)[at], 0)
    frame["start"] += moved
    frame["end"] += moved
    return frame


CORPORA_BY_PREFIX = {"bc2gm": ("bc2gm:train", "genetag:train"), "genetag": ("genetag:train",)}
"""Corpora by what ids of contexts begin with and authorities are called; one has the other's sentences."""

MIN_CORPUS_SHARE = 0.1
"""The part of a corpus's bundled sentences that texts must hold to count as that corpus, or as much of it.

Corpora share a few sentences by chance: JNLPBA's training part has 11 of the 1,091 that are BC2GM's.
"""


def find_named_corpora(names: Iterable[str]) -> tuple[str, ...]:
    """The corpora of authorities, or of what ids of contexts begin with; case is ignored."""
    known = {name.lower() for name in names}
    return tuple(
        dict.fromkeys(corpus for name, of in CORPORA_BY_PREFIX.items() if name in known for corpus in of)
    )


def detect_corpora(texts: Iterable[str]) -> tuple[str, ...]:
    """The corpora whose sentences, as far as they are among the bundled contexts, stand in some texts.

    White space is ignored, and a text may be a sentence or a whole document.

    Examples
    --------
    >>> corpora_within(["A sentence that nobody has annotated."])
    ()
    """
    whole = "\n".join("".join(text.split()) for text in texts)
    held: dict[str, list[bool]] = {}
    for entry in read_contexts().entries:
        if original := entry.stored.get("original_form_in_source"):
            held.setdefault(entry.id.split("-")[0], []).append("".join(original.split()) in whole)
    return find_named_corpora(
        name for name, found in held.items() if sum(found) >= MIN_CORPUS_SHARE * len(found)
    )
