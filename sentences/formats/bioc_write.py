"""A corpus as a BioC collection, nested dictionaries; see `bioc_model` for keys and infons."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.offsets import OffsetMap
from ...catalogues.core.text import TextColumn
from ...catalogues.core.units import unit_of
from ..corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus
from .base import Carries, Options
from .bioc_model import EQUIVALENCE
from .views import MentionView, RelationView, equivalence_sets, relation_views, views

OPTIONS = {
    "offsets": "characters or bytes; reading: auto (default), by what the file says or what fits",
    "check": "no: do not compare recorded texts with the offsets",
}
CARRIES = Carries(
    document_ids=True,
    scores=True,
    sides=True,
    fragments=True,
    normalisations=True,
    relations=True,
    equivalences=True,
    text_features=True,
    mention_features=True,
)


def to_collection(corpus: Corpus, options: Options) -> dict[str, Any]:
    """Nested dictionaries; texts of one document that follow each other make one ``document``."""
    unit = unit_of(options.get("offsets", "characters"))
    if unit == "utf16":
        raise InputError("BioC counts bytes or characters", found=unit, allowed="characters, bytes")
    offsets = OffsetMap(TextColumn(corpus.texts["text"].tolist()), unit)
    sizes = offsets.lengths.tolist()
    documents: list[dict[str, Any]] = []
    home: dict[Any, tuple[dict[str, Any], dict[str, Any]]] = {}
    of_mention: dict[int, Any] = dict(
        zip(corpus.mentions["mention_id"].tolist(), corpus.mentions["text_id"].tolist(), strict=True)
    )
    base = 0
    for row, text in enumerate(views(corpus)):
        if not documents or documents[-1]["id"] != text.document_id:
            documents.append(
                {"id": text.document_id, "infons": {}, "passages": [], "annotations": [], "relations": []}
            )
            base = 0
        passage: dict[str, Any] = {
            "offset": base,
            "infons": {"text_id": str(text.text_id), **_plain(text.extra)},
            "text": text.text,
            "sentences": [],
            "annotations": [_annotation(m, text.text, offsets, row, base) for m in text.mentions],
            "relations": [],
        }
        documents[-1]["passages"].append(passage)
        home[text.text_id] = (documents[-1], passage)
        base += sizes[row] + 1
    for relation in kept_relations(corpus):
        document, passage = home[relation.text_ids[0]]
        target = passage if len(relation.text_ids) == 1 else document
        target["relations"].append(
            {
                "id": f"R{relation.relation_id}",
                "infons": {"type": relation.type},
                "nodes": [
                    {
                        "refid": f"T{a.mention_id}" if a.relation_id < 0 else f"R{a.relation_id}",
                        "role": a.role,
                    }
                    for a in relation.arguments
                ],
            }
        )
    for i, members in enumerate(equivalence_sets(corpus)):
        touched = {id(home[of_mention[k]][0]) for k in members}
        if len(touched) == 1:
            home[of_mention[members[0]]][0]["relations"].append(
                {
                    "id": f"Q{i}",
                    "infons": {"type": EQUIVALENCE},
                    "nodes": [{"refid": f"T{k}", "role": "member"} for k in members],
                }
            )
    return {
        "source": corpus.name,
        "date": "",
        "key": "",
        "infons": {"offsets": unit},
        "documents": documents,
    }


def _annotation(mention: MentionView, text: str, offsets: OffsetMap, row: int, base: int) -> dict[str, Any]:
    infons: dict[str, str] = {"type": mention.type}
    if mention.score is not None:
        infons["score"] = repr(mention.score)
    if mention.side != "gold":
        infons["side"] = mention.side
    if mention.normalisations:
        infons["identifier"] = "|".join(f"{a}:{i}" if a else i for a, i in mention.normalisations)
    return {
        "id": f"T{mention.mention_id}",
        "infons": {**infons, **_plain(mention.extra)},
        "text": " ".join(text[a:b] for a, b in mention.spans),
        "locations": [{"offset": base + a, "length": b - a} for a, b in offsets.pairs(row, mention.spans)],
    }


def _plain(extra: dict[str, Any]) -> dict[str, str]:
    return {k: v if isinstance(v, str) else str(v) for k, v in extra.items()}


def kept_relations(corpus: Corpus) -> list[RelationView]:
    """The relations within one document, with all that they refer to."""
    documents = dict(
        zip(corpus.texts["text_id"].tolist(), corpus.texts["document_id"].fillna("").tolist(), strict=True)
    )
    run: dict[Any, int] = {}
    number, before = 0, None
    for text_id, document in documents.items():
        number += document != before
        run[text_id] = number
        before = document
    kept = {r.relation_id: r for r in relation_views(corpus) if len({run[t] for t in r.text_ids}) == 1}
    while True:
        fits = {
            k: r
            for k, r in kept.items()
            if all(a.relation_id < 0 or a.relation_id in kept for a in r.arguments)
        }
        if len(fits) == len(kept):
            return list(kept.values())
        kept = fits


def more_losses(corpus: Corpus, options: Options) -> list[str]:  # noqa: ARG001 - a hook's signature
    """What infons cannot hold: columns that are not text, normalisations with their separators inside."""
    lost = []
    for frame, known, what in (
        (corpus.texts, TEXT_COLUMNS, "texts"),
        (corpus.mentions, MENTION_COLUMNS, "mentions"),
    ):
        other = [
            c for c in frame.columns if c not in known and not pd.api.types.is_string_dtype(frame[c].dtype)
        ]
        if other:
            lost.append(
                f"types of {len(other)} columns of {what} ({', '.join(other[:4])}: read back as text)"
            )
    table = corpus.normalisations
    if table is not None:
        joined = table["authority"].str.contains(r"[|:]", regex=True) | table["identifier"].str.contains(
            "|", regex=False
        )
        joined |= (table["authority"] == "") & table["identifier"].str.contains(":", regex=False)
        if joined.any():
            lost.append(
                f"{int(joined.sum())} normalisations with | or : inside (split elsewhere when read back)"
            )
    relations = len(relation_views(corpus)) - len(kept_relations(corpus))
    if relations:
        lost.append(f"{relations} relations between documents")
    return lost
