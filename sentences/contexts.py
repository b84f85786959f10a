"""Contexts in memory: tables of contexts, slots and tokens that look like names, with their features.

The slots of a tp context (true positives) are filled with names. An fp context (false positives) contains no
names; it has tokens that look like names, or slots that are filled with look-alikes of names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
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
from ..catalogues.entities import make_given_column
from ..catalogues.own_features import add_query_columns
from ..catalogues.taxonomy import digest_own_features, taxonomy
from ..catalogues.values import format_cell_value
from . import context_records, contexts_xml
from .context_features import compute_slot_features, compute_text_features, make_carrier_frame
from .contexts_xml import (
    ARTICLE_MARKS,
    SLOT_MARK,
    SOURCE_COLUMNS,
    ContextEntry,
    ContextFile,
    MarkedToken,
    parse_context_xml,
    read_context_xml,
)

PLACEHOLDERS = {"name": "tumor protein", "symbol": "XX1", "": "XX1"}
"""Texts that fill slots during the computation of features, keyed by the slot attribute `expects`.

Only the appositive features depend on these texts.
"""

JUDGED_ATTRIBUTES = ("accepts", "expects", "species", "number", "head", "function")
"""Names of the slot attributes that are assigned by hand; they restrict which names can fill the slot."""

STORED_TP = ("total_number_of_names", "context.position", "list_context", "appositive", "typographic_context")
STORED_FP = ("keyword", "typographic_features", "morphological_features")
STORED_SLOT = {"list_type": "none", "list_position": "single", "appositive_side": "none"}
"""Slot features that context files store, with their default values, which are not stored."""


@dataclass(frozen=True)
class Contexts:
    """Contexts with their slots, and their tokens that look like names.

    Attributes
    ----------
    contexts : DataFrame
        `context_id` (str), `slots` (the template), the computed context features, and the columns that
        describe the source.
    slots : DataFrame
        One row per slot: `context_id`, `slot` (from 0), `expects` ("name", "symbol" or missing if both fit),
        `offset` (in the template), then the slot features.
    tokens : DataFrame
        One row per token outside slots that looks like a name: `context_id`, `start`, `end` (offsets in the
        template), `form`, `keyword`, `typographic_features`, `morphological_features`, `marked` (True if the
        file marks the token).
    entries : tuple of ContextEntry
        Contexts as stored in their files.
    notes : tuple of str
        Licence notes of the files.
    digest : str
        SHA-256 checksum of the files.
    """

    contexts: pd.DataFrame
    slots: pd.DataFrame
    tokens: pd.DataFrame
    entries: tuple[ContextEntry, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    digest: str = ""

    def __len__(self) -> int:
        return len(self.contexts)

    def join_features(self) -> pd.DataFrame:
        """Return the context and slot features, with one row per slot and one per context without slots."""
        return self.contexts.merge(
            self.slots.drop(columns=["expects", "offset"]), on="context_id", how="left"
        )

    def select(self, context_ids: Iterable[str]) -> Contexts:
        """Return the contexts with the given ids, in file order."""
        ids = set(context_ids)
        contexts, slots, tokens = (
            frame[frame["context_id"].isin(ids)].reset_index(drop=True)
            for frame in (self.contexts, self.slots, self.tokens)
        )
        entries = tuple(entry for entry in self.entries if entry.id in ids)
        return replace(self, contexts=contexts, slots=slots, tokens=tokens, entries=entries)


def read_bundled_context_files() -> list[tuple[str, bytes]]:
    """Return the names and contents of the bundled context files."""
    return files.read_bundled_files(__package__, "contexts")


def read_contexts(*paths: str | PathLike[str]) -> Contexts:
    """Read contexts from files, or from the bundled files if none are given.

    Raises
    ------
    InputError
        If a file is not valid, a template cannot be filled or an id is repeated.
    """
    if not paths:
        return _read_bundled()
    files = [(str(path), read_context_file(path)) for path in paths]
    return _combine_files(files, digest_bytes(*(read_content(path) for path in paths)))


def read_context_file(path: str | PathLike[str], faults: list[InputError] | None = None) -> ContextFile:
    """Read a context file, as records if its name ends in ``.txt`` and as XML otherwise."""
    if Path(path).suffix == ".txt":
        return context_records.read_context_records(path, faults)
    return read_context_xml(path, faults)


def write_context_file(path: str | PathLike[str], content: ContextFile) -> None:
    """Write a context file, as records if its name ends in ``.txt`` and as XML otherwise."""
    (context_records if Path(path).suffix == ".txt" else contexts_xml).write_contexts(path, content)


@lru_cache(maxsize=1)
def _read_bundled() -> Contexts:
    files = read_bundled_context_files()
    return _combine_files(
        [(n, parse_context_xml(c, n)) for n, c in files], digest_bytes(*(c for _, c in files))
    )


def _combine_files(files: Sequence[tuple[str, ContextFile]], digest: str) -> Contexts:
    """Build contexts from files; the tables of features are read from the cache if it contains them."""
    entries = tuple(entry for _, content in files for entry in content.entries)
    seen: dict[str, ContextEntry] = {}
    for entry in entries:
        check_new_id(entry, seen, "a context")
    notes = tuple(dict.fromkeys(f"{n}: {' '.join((c.licence, c.note)).strip()}" for n, c in files))
    code = (source_digest("tagsuite.catalogues"), source_digest("tagsuite.sentences"))
    parts = (digest, *code, digest_own_features())

    @cache
    def build() -> Contexts:
        return build_contexts(entries)

    contexts = cached_frame("sentences-contexts", parts, lambda: build().contexts)
    slots = cached_frame("sentences-slots", parts, lambda: build().slots)
    tokens = cached_frame("sentences-tokens", parts, lambda: build().tokens)
    return Contexts(contexts, slots, tokens, entries, notes, digest)


def build_contexts(entries: Sequence[ContextEntry]) -> Contexts:
    """Build the tables of contexts from entries, and compute all features."""
    texts, mentions = fill_templates(entries)
    ids = texts["text_id"].rename("context_id")
    features = compute_text_features(texts, mentions)
    # slots of fp contexts hold look-alikes, not names, but have the same slot features
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
            *(
                pd.Series(make_given_column(f, [e.stored.get(f.name) for e in entries]), name=f.column)
                for f in taxonomy().select_scopes("context")
                if f.attribute
            ),
        ],
        axis=1,
    )
    contexts = add_query_columns(contexts, "context")
    slots = pd.concat(
        [
            mentions["text_id"].rename("context_id"),
            mentions[["slot", "expects", "offset"]],
            _judgement_columns(entries),
            compute_slot_features(texts, mentions, mentions),
        ],
        axis=1,
    )
    return Contexts(contexts, slots, _tokens(entries, texts, mentions), tuple(entries))


def _judgement_columns(entries: Sequence[ContextEntry]) -> pd.DataFrame:
    """Return a table of the slot features that are assigned by hand, with one row per slot."""
    columns: dict[str, list[str | None]] = {}
    for feature in taxonomy().select_scopes("slot"):
        if feature.name in JUDGED_ATTRIBUTES:
            values = [slot.get(feature.name) for entry in entries for slot in entry.slots]
            if feature.kind == "set":
                values = [value and feature.join_values(value.split()) for value in values]
            columns[feature.column] = values
    return pd.DataFrame(columns, dtype="str")


def add_stored_features(contexts: Contexts) -> tuple[ContextEntry, ...]:
    """Return contexts as `ContextEntry` objects, with all features that context files store.

    For a context with slots, these are the context features in figure 2 of Cohen et al. 2004, and the list
    and appositive features of its slots. For a context without slots, they are the features that make its
    tokens look like names.
    """
    frame = index_rows(contexts.contexts, "context_id")
    slots = index_rows(contexts.slots, "context_id", "slot")
    sources = {f"context.{name}" for name in SOURCE_COLUMNS}
    own = {f.name for f in taxonomy().select_scopes("context") if f.attribute}
    done: list[ContextEntry] = []
    for entry in contexts.entries:
        names = STORED_TP if entry.slots else STORED_FP
        row = frame[(entry.id,)]
        computed = {name.removeprefix("context."): format_cell_value(row[name]) for name in names}
        source = {k: v for k, v in entry.stored.items() if f"context.{k}" in sources or k in own}
        stored = source | {name: value for name, value in computed.items() if value not in ("", "none")}
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
    """Return the features that make a token (a row of `Contexts.tokens`) look like a name."""
    keyword, *looks = STORED_FP
    names = (name for column in looks for name in format_cell_value(token[column]).split("|") if name)
    return ("keyword", *names) if format_cell_value(token[keyword]) else tuple(names)


def mark_tokens(contexts: Contexts) -> tuple[ContextEntry, ...]:
    """Return the entries of contexts; in fp contexts, the tokens that look like names are marked."""
    tokens: dict[str, list[MarkedToken]] = {}
    for row in contexts.tokens.to_dict("records"):
        token = MarkedToken(int(row["start"]), int(row["end"]), list_carried_features(row))
        tokens.setdefault(str(row["context_id"]), []).append(token)
    return tuple(
        replace(e, tokens=tuple(tokens.get(e.id, ()))) if e.type == "fp" else e for e in contexts.entries
    )


def complete_entries(entries: Sequence[ContextEntry]) -> tuple[ContextEntry, ...]:
    """Add all stored features to entries, and mark the tokens of fp contexts that look like names."""
    contexts = build_contexts(entries)
    return add_stored_features(replace(contexts, entries=mark_tokens(contexts)))


def index_rows(frame: pd.DataFrame, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the rows of a table as dictionaries, keyed by the values of the columns `keys`."""
    rows: list[dict[str, Any]] = [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]
    return {tuple(row[key] for key in keys): row for row in rows}


def fill_templates(entries: Sequence[ContextEntry]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Fill the slots of templates with placeholders.

    Returns
    -------
    texts : DataFrame
        Filled templates, with columns `text_id` and `text`.
    mentions : DataFrame
        Placeholders, with columns `text_id`, `start`, `end`, `slot`, `expects`, and `offset` (of the slot in
        the template).
    """
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
    tokens = make_carrier_frame(texts, mentions).rename(columns={"text_id": "context_id"})
    shifted = _to_template_offsets(tokens, mentions)
    marked = {(e.id, t.start, t.end) for e in entries for t in e.tokens}
    keys = zip(shifted["context_id"], shifted["start"].tolist(), shifted["end"].tolist(), strict=True)
    shifted["marked"] = np.fromiter((key in marked for key in keys), dtype=bool, count=len(shifted))
    return shifted


def _to_template_offsets(tokens: pd.DataFrame, mentions: pd.DataFrame) -> pd.DataFrame:
    """Convert token offsets in filled texts to offsets in the templates."""
    shifts = pd.DataFrame(
        {
            "context_id": mentions["text_id"],
            "start": mentions["end"],
            "shift": mentions["offset"] + len(SLOT_MARK) - mentions["end"],
        }
    ).sort_values("start")
    # the last slot before a token determines its shift
    placed = tokens[["context_id", "start"]].reset_index().sort_values("start")
    moved = pd.merge_asof(placed, shifts, on="start", by="context_id").set_index("index")["shift"]
    moved = moved.reindex(tokens.index).fillna(0).astype("int64")
    return tokens.assign(start=tokens["start"] + moved, end=tokens["end"] + moved)


CORPORA_BY_PREFIX = {"bc2gm": ("bc2gm:train", "genetag:train"), "genetag": ("genetag:train",)}
"""Corpora that contain the sentences of bundled contexts, keyed by the prefix of the context ids.

A prefix is also the `source_authority` of names from the same corpus. The prefix bc2gm has two corpora,
because GENETAG contains the sentences of BC2GM.
"""

MIN_CORPUS_SHARE = 0.1
"""Minimum share of a corpus's bundled sentences. Texts that contain this share are recognised as the corpus.

Different corpora have a few sentences in common: the JNLPBA training set contains 11 of the 1,091 bundled
sentences of BC2GM.
"""


def find_named_corpora(names: Iterable[str]) -> tuple[str, ...]:
    """Return the source corpora of contexts or names, given prefixes of context ids or authorities of names.

    Case is ignored.
    """
    lowered = {name.lower() for name in names}
    return tuple(
        dict.fromkeys(c for name, corpora in CORPORA_BY_PREFIX.items() if name in lowered for c in corpora)
    )


def detect_corpora(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the corpora that `texts` contain, according to their bundled sentences (see MIN_CORPUS_SHARE).

    White space is ignored. A text can be a sentence or a document.

    Examples
    --------
    >>> detect_corpora(["A sentence that nobody has annotated."])
    ()
    """
    joined = "\n".join("".join(text.split()) for text in texts)
    matches: dict[str, list[bool]] = {}
    for entry in read_contexts().entries:
        if original := entry.stored.get("original_form_in_source"):
            matches.setdefault(entry.id.split("-")[0], []).append("".join(original.split()) in joined)
    return find_named_corpora(
        name for name, flags in matches.items() if sum(flags) >= MIN_CORPUS_SHARE * len(flags)
    )
