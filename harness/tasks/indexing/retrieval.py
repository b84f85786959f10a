"""Do the proposed terms find the document, and its neighbours? A search index, and the paper's queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from ....catalogues.core.errors import MissingExtraError
from .comparison import TermSides
from .reading import IndexedDocuments

CUTOFFS = (10, 25, 50, 100, 500, 1000)
"""Numbers of documents of the paper's tables 4 and 5."""
NEAREST_COUNT = 10
"""Number of related documents that count as the nearest."""
WORD = re.compile(r"\w+")


def _import_tantivy() -> Any:
    try:
        import tantivy
    except ModuleNotFoundError:
        raise MissingExtraError("tantivy", "indexing", "retrieval") from None
    return tantivy


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """A search index over a collection: its terms whole, and its words.

    Attributes
    ----------
    names : list of str
        Documents by number, in the order in which equal ones are listed: the newest (highest identifier)
        first.
    """

    index: Any
    searcher: Any
    names: list[str]
    terms: dict[str, list[str]]
    texts: dict[str, str]

    @classmethod
    def from_collection(cls, collection: IndexedDocuments) -> SearchIndex:
        """Index a collection in memory."""
        tantivy = _import_tantivy()
        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("number", stored=True, fast=True)
        schema.add_text_field("term", tokenizer_name="raw", index_option="basic")
        schema.add_text_field("words", tokenizer_name="en_stem")
        index = tantivy.Index(schema.build())
        writer = index.writer(num_threads=1)
        names = sorted(collection.documents["document"].tolist(), key=_newest_first)
        terms = {str(d): keys.tolist() for d, keys in collection.terms.groupby("document")["key"]}
        texts = dict(zip(collection.documents["document"], collection.documents["text"], strict=True))
        for number, name in enumerate(names):
            own = terms.get(name, [])
            words = " ".join([texts[name], *own])
            writer.add_document(tantivy.Document(number=number, term=own, words=words))
        writer.commit()
        index.reload()
        return cls(index, index.searcher(), names, terms, texts)

    def search(self, query: Any, limit: int) -> list[tuple[float, int]]:
        """Score and number of the documents that answer, best first, then by number.

        Of equal ones the index gives those first that were added first, which is by number too.
        """
        hits = self.searcher.search(query, limit=max(min(limit, len(self.names)), 1), count=False).hits
        numbers = self.searcher.fast_field_values("number", [place for _, place in hits])
        found = [(float(score), int(number)) for (score, _), number in zip(hits, numbers, strict=True)]
        found.sort(key=lambda hit: (-round(hit[0], 5), hit[1]))
        return found

    def find_term(self, key: str) -> Any:
        """Documents with a term; all score 1."""
        tantivy = _import_tantivy()
        query = tantivy.Query.term_query(self.index.schema, "term", key, index_option="basic")
        return tantivy.Query.const_score_query(query, 1.0)

    def find_related(self, name: str, limit: int) -> list[int]:
        """The document itself, then its neighbours: BM25 over words of title, abstract and terms."""
        tantivy = _import_tantivy()
        text = " ".join([self.texts[name], *self.terms.get(name, [])])
        words = sorted({word.casefold() for word in WORD.findall(text)})
        own = self.names.index(name)
        if not words:
            return [own]
        query = self.index.parse_query(" ".join(words), ["words"])
        any_word = tantivy.Query.boolean_query([(tantivy.Occur.Should, query)])
        hits = [number for _, number in self.search(any_word, limit + 1)]
        return [own, *(number for number in hits if number != own)][:limit]


def _newest_first(name: str) -> tuple[int, str]:
    return (-int(name), name) if name.isdecimal() and len(name) <= 15 else (0, name)


def run_cascade(library: SearchIndex, terms: Sequence[str], ticked: Sequence[str]) -> list[int]:
    """Documents found by the paper's queries (figure 2), each once, in order.

    First those with all terms, then with all but one, and so on down to any one; check tags are joined to
    each query by AND. Within a query the newest document comes first. One query for any of the terms gives
    that order: each term that a document shares scores 1.
    """
    if not terms:
        return []
    tantivy = _import_tantivy()
    any_term = tantivy.Query.boolean_query([(tantivy.Occur.Should, library.find_term(t)) for t in terms])
    parts = [(tantivy.Occur.Must, any_term), *((tantivy.Occur.Must, library.find_term(t)) for t in ticked)]
    return [number for _, number in library.search(tantivy.Query.boolean_query(parts), len(library.names))]


def retrieve_documents(
    library: SearchIndex,
    sides: TermSides,
    proposed: IndexedDocuments,
    *,
    related: int,
    progress: bool = False,
) -> pd.DataFrame:
    """Query with the proposed terms of every document that the collection has.

    Returns
    -------
    DataFrame
        `document`, `retrieved` (number of documents found), `rank` (of the document itself; missing when it
        was not found), `related` and `related_found`, `nearest` and `nearest_found` (of the ten most
        related), then `nearest_in_N` for the numbers of `CUTOFFS` that the collection reaches.
    """
    tops = [top for top in CUTOFFS if top < len(library.names)]
    here = set(library.names)
    marked = proposed.terms[proposed.terms["document"].isin(set(sides.documents))]
    queries = dict(iter(marked.groupby("document", sort=False)))
    rows = []
    for name in tqdm(
        [d for d in sides.documents if d in here],
        desc="retrieving",
        unit="document",
        disable=None if progress else True,
    ):
        group = queries[name]
        ticked = sorted(group.loc[group["check_tag"], "key"])
        terms = sorted(group.loc[~group["check_tag"], "key"])
        found = run_cascade(library, terms, ticked)
        place = {number: rank for rank, number in enumerate(found, start=1)}
        own = library.names.index(name)
        neighbours = library.find_related(name, related)
        nearest = [place[n] for n in neighbours[:NEAREST_COUNT] if n in place]
        rows.append(
            {
                "document": name,
                "retrieved": len(found),
                "rank": place.get(own),
                "related": len(neighbours),
                "related_found": sum(n in place for n in neighbours),
                "nearest": len(neighbours[:NEAREST_COUNT]),
                "nearest_found": len(nearest),
                **{f"nearest_in_{top}": sum(rank <= top for rank in nearest) for top in tops},
            }
        )
    names = ["document", "retrieved", "rank", "related", "related_found", "nearest", "nearest_found"]
    table = pd.DataFrame(rows, columns=[*names, *(f"nearest_in_{top}" for top in tops)])
    return table.astype({"document": "str", "rank": "Int64"})


def make_retrieval_table(table: pd.DataFrame) -> pd.DataFrame:
    """The paper's tables 4 and 5 in one: which share is found among how many documents.

    Returns
    -------
    DataFrame
        `top` ("any" for however many), `documents`, `originals` (found), `nearest`, `nearest_found`.
    """
    names = [str(name) for name in table.columns]
    tops = [int(n.removeprefix("nearest_in_")) for n in names if n.startswith("nearest_in_")]
    rank = table["rank"].astype("float64").to_numpy()
    rows = [(str(top), int(np.sum(rank <= top)), int(table[f"nearest_in_{top}"].sum())) for top in tops] + [
        ("any", int(np.sum(~np.isnan(rank))), int(table["nearest_found"].sum()))
    ]
    frame = pd.DataFrame(rows, columns=["top", "originals", "nearest_found"])
    frame.insert(1, "documents", len(table))
    frame["nearest"] = int(table["nearest"].sum())
    return frame
