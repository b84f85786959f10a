"""Texts, mentions and relations of a corpus as individual objects, which the format writers use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus
from ..identifiers import join_identifiers
from ..spans import find_text_rows


@dataclass
class MentionView:
    """Mention with all its data; `spans` contains its fragments, or its span if it is contiguous."""

    mention_id: int
    side: str
    start: int
    end: int
    type: str
    score: float | None
    data: str
    spans: list[tuple[int, int]]
    normalisations: list[tuple[str, str]] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def identifiers(self) -> str:
        """Identifiers of the mention as one string: ``AUTHORITY:ID`` or ``ID``, joined by ``|``."""
        return join_identifiers(self.normalisations)


@dataclass
class Argument:
    """Argument of a relation: a mention or, if `mention_id` is -1, another relation."""

    role: str
    mention_id: int
    relation_id: int


@dataclass
class RelationView:
    """Relation with its arguments, and the ids of the texts that contain them."""

    relation_id: int
    type: str
    arguments: list[Argument]
    text_ids: list[Any]


@dataclass
class TextView:
    """Text with its mentions, in the order of the corpus."""

    text_id: Any
    document_id: str
    text: str
    mentions: list[MentionView]
    extra: dict[str, Any] = field(default_factory=dict)


def to_plain_values(values: pd.Series) -> list[Any]:
    """Convert a column to a list of Python values, with None for missing values."""
    missing = values.isna().to_numpy()
    return [None if gone else value for gone, value in zip(missing, values.tolist(), strict=True)]


def get_other_columns(frame: pd.DataFrame, known: tuple[str, ...]) -> dict[str, list[Any]]:
    """Return the columns of a table that are not in `known`, as lists of Python values."""
    return {str(c): to_plain_values(frame[c]) for c in frame.columns if c not in known}


def iterate_texts(corpus: Corpus) -> Iterator[TextView]:
    """Yield the texts of a corpus with their mentions."""
    mentions = corpus.mentions
    rows = find_text_rows(corpus.texts, mentions["text_id"])
    order = np.argsort(rows, kind="stable")
    edges = np.searchsorted(rows[order], np.arange(len(corpus.texts) + 1)).tolist()
    sorted_ = mentions.take(order)
    fragments = group_pairs(corpus.fragments, ("start", "end"))
    normalisations = group_pairs(corpus.normalisations, ("authority", "identifier"))
    columns = [to_plain_values(sorted_[c]) for c in ("mention_id", "side", "start", "end", "type", "score")]
    extra = get_other_columns(sorted_, MENTION_COLUMNS)
    ids = corpus.texts["text_id"].tolist()
    documents = [d or "" for d in to_plain_values(corpus.texts["document_id"])]
    text_extra = get_other_columns(corpus.texts, TEXT_COLUMNS)
    for i, text in enumerate(corpus.texts["text"].tolist()):
        listed = []
        for k in range(edges[i], edges[i + 1]):
            number, side, start, end, kind, score = (c[k] for c in columns)
            mention = MentionView(number, side, start, end, kind, score, text[start:end], [(start, end)])
            mention.spans = fragments.get(number, mention.spans)
            mention.normalisations = normalisations.get(number, [])
            mention.extra = {c: v[k] for c, v in extra.items() if v[k] is not None}
            listed.append(mention)
        columns_of_text = {c: v[i] for c, v in text_extra.items() if v[i] is not None}
        yield TextView(ids[i], documents[i], text, listed, columns_of_text)


def group_pairs(table: pd.DataFrame | None, columns: tuple[str, str]) -> dict[int, list[tuple[Any, Any]]]:
    """Group the pairs of values in two columns of a table by mention id."""
    pairs: dict[int, list[tuple[Any, Any]]] = defaultdict(list)
    if table is not None:
        listed = zip(table["mention_id"].tolist(), *(table[c].tolist() for c in columns), strict=True)
        for key, first, second in listed:
            pairs[key].append((first, second))
    return pairs


def make_relation_views(corpus: Corpus) -> list[RelationView]:
    """Return the relations of a corpus."""
    table = corpus.relations
    if table is None:
        return []
    views: dict[int, RelationView] = {}
    arguments = table["argument_id"].tolist() if "argument_id" in table else [-1] * len(table)
    names = ("relation_id", "text_id", "type", "role", "mention_id")
    for row, argument in zip(zip(*(table[c].tolist() for c in names), strict=True), arguments, strict=True):
        number, text_id, kind, role, mention = row
        view = views.setdefault(number, RelationView(number, kind, [], []))
        view.arguments.append(Argument(role, mention, argument))
        if text_id not in view.text_ids:
            view.text_ids.append(text_id)
    return list(views.values())


def select_relations(relations: list[RelationView], part: Callable[[Any], object]) -> list[RelationView]:
    """Return the relations whose direct and indirect arguments all lie in the same part of a corpus.

    Parameters
    ----------
    relations : list of RelationView
        Relations in the corpus.
    part : callable
        Function that returns the part of the corpus (for example the document) that contains a text id.
    """
    selected = {r.relation_id: r for r in relations if len({part(t) for t in r.text_ids}) == 1}
    while True:
        home = {number: part(relation.text_ids[0]) for number, relation in selected.items()}
        fits = {
            number: relation
            for number, relation in selected.items()
            if all(a.relation_id < 0 or home.get(a.relation_id) == home[number] for a in relation.arguments)
        }
        if len(fits) == len(selected):
            return list(selected.values())
        selected = fits


def make_equivalence_sets(corpus: Corpus) -> list[list[int]]:
    """Return the sets of equivalent mentions, as lists of mention ids."""
    if corpus.equivalences is None:
        return []
    sets: list[list[int]] = corpus.equivalences.groupby("equivalence_id")["mention_id"].agg(list).tolist()
    return sets


def map_mentions_to_texts(corpus: Corpus) -> dict[int, Any]:
    """Return a dictionary from mention ids to text ids."""
    return dict(zip(*(corpus.mentions[c].tolist() for c in ("mention_id", "text_id")), strict=True))


def encode_text(content: str) -> bytes:
    """Encode text as UTF-8; a byte order mark at its start is doubled, because readers drop the first one."""
    return (("\ufeff" if content.startswith("\ufeff") else "") + content).encode()
