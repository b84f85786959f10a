"""Retrieval of documents and their neighbours (related documents) by terms, as in Névéol et al. 2006."""

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
"""Numbers of search results at which recall is computed, as in tables 4 and 5 of Névéol et al. 2006."""
NEAREST_COUNT = 10
"""Number of the most closely related documents that count as nearest."""
WORD = re.compile(r"\w+")


def _import_tantivy() -> Any:
    try:
        import tantivy
    except ModuleNotFoundError:
        raise MissingExtraError("tantivy", "indexing", "retrieval") from None
    return tantivy


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """Search index over the terms and the words of a collection.

    Attributes
    ----------
    index, searcher : tantivy objects
        Index and its searcher.
    names : list of str
        Names of the documents, newest (highest id) first. A document number is an index in this list.
    terms : dict
        Terms of each document, keyed by the name of the document.
    texts : dict
        Text of each document, keyed by the name of the document.
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
            document_terms = terms.get(name, [])
            words = " ".join([texts[name], *document_terms])
            writer.add_document(tantivy.Document(number=number, term=document_terms, words=words))
        writer.commit()
        index.reload()
        return cls(index, index.searcher(), names, terms, texts)

    def search(self, query: Any, limit: int) -> list[tuple[float, int]]:
        """Return the scores and numbers of at most `limit` matching documents, best first.

        Documents with equal scores are sorted by number.
        """
        hits = self.searcher.search(query, limit=max(min(limit, len(self.names)), 1), count=False).hits
        numbers = self.searcher.fast_field_values("number", [place for _, place in hits])
        results = [(float(score), int(number)) for (score, _), number in zip(hits, numbers, strict=True)]
        results.sort(key=lambda hit: (-round(hit[0], 5), hit[1]))
        return results

    def find_term(self, key: str) -> Any:
        """Return a query for all documents that contain a term; each of them has the score 1."""
        tantivy = _import_tantivy()
        query = tantivy.Query.term_query(self.index.schema, "term", key, index_option="basic")
        return tantivy.Query.const_score_query(query, 1.0)

    def find_related(self, name: str, limit: int) -> list[int]:
        """Return a document and its neighbours, ranked by the BM25 score of titles, abstracts and terms."""
        tantivy = _import_tantivy()
        text = " ".join([self.texts[name], *self.terms.get(name, [])])
        words = sorted({word.casefold() for word in WORD.findall(text)})
        document = self.names.index(name)
        if not words:
            return [document]
        query = self.index.parse_query(" ".join(words), ["words"])
        any_word = tantivy.Query.boolean_query([(tantivy.Occur.Should, query)])
        hits = [number for _, number in self.search(any_word, limit + 1)]
        return [document, *(number for number in hits if number != document)][:limit]


def _newest_first(name: str) -> tuple[int, str]:
    return (-int(name), name) if name.isdecimal() and len(name) <= 15 else (0, name)


def run_cascade(library: SearchIndex, terms: Sequence[str], check_tags: Sequence[str]) -> list[int]:
    """Return the documents found by the queries in figure 2 of Névéol et al. 2006, without duplicates.

    The first query requires all terms, the next one all terms but one, and so on; the last query requires
    only one term. Each query also requires all check tags, and its results are sorted from new to old. This
    function runs a single query for any of the terms. The order is the same, because each term in a document
    adds 1 to its score.
    """
    if not terms:
        return []
    tantivy = _import_tantivy()
    any_term = tantivy.Query.boolean_query([(tantivy.Occur.Should, library.find_term(t)) for t in terms])
    parts = [
        (tantivy.Occur.Must, any_term),
        *((tantivy.Occur.Must, library.find_term(t)) for t in check_tags),
    ]
    return [number for _, number in library.search(tantivy.Query.boolean_query(parts), len(library.names))]


def retrieve_documents(
    library: SearchIndex,
    sides: TermSides,
    proposed: IndexedDocuments,
    *,
    related: int,
    progress: bool = False,
) -> pd.DataFrame:
    """Search the collection with the proposed terms of each document.

    Parameters
    ----------
    library : SearchIndex
        Index of the collection.
    sides : TermSides
        Documents to search for, with their gold and proposed terms.
    proposed : IndexedDocuments
        Proposed terms.
    related : int
        Number of related documents to search for.
    progress : bool
        Whether to show progress on standard error.

    Returns
    -------
    DataFrame
        One row per document: `document`, `retrieved` (number of results), `rank` (of the document itself;
        missing if it was not found), `related` and `related_found` (numbers of related documents), `nearest`
        and `nearest_found` (the same for the ten most related documents), then `nearest_in_N` for each N in
        CUTOFFS that is less than the size of the collection.
    """
    tops = [top for top in CUTOFFS if top < len(library.names)]
    indexed = set(library.names)
    marked = proposed.terms[proposed.terms["document"].isin(set(sides.documents))]
    queries = dict(iter(marked.groupby("document", sort=False)))
    rows = []
    for name in tqdm(
        [d for d in sides.documents if d in indexed],
        desc="retrieving",
        unit="document",
        disable=None if progress else True,
    ):
        group = queries[name]
        check_tags = sorted(group.loc[group["check_tag"], "key"])
        terms = sorted(group.loc[~group["check_tag"], "key"])
        results = run_cascade(library, terms, check_tags)
        ranks = {number: rank for rank, number in enumerate(results, start=1)}
        document = library.names.index(name)
        neighbours = library.find_related(name, related)
        nearest = [ranks[n] for n in neighbours[:NEAREST_COUNT] if n in ranks]
        rows.append(
            {
                "document": name,
                "retrieved": len(results),
                "rank": ranks.get(document),
                "related": len(neighbours),
                "related_found": sum(n in ranks for n in neighbours),
                "nearest": len(neighbours[:NEAREST_COUNT]),
                "nearest_found": len(nearest),
                **{f"nearest_in_{top}": sum(rank <= top for rank in nearest) for top in tops},
            }
        )
    names = ["document", "retrieved", "rank", "related", "related_found", "nearest", "nearest_found"]
    table = pd.DataFrame(rows, columns=[*names, *(f"nearest_in_{top}" for top in tops)])
    return table.astype({"document": "str", "rank": "Int64"})


def make_retrieval_table(table: pd.DataFrame) -> pd.DataFrame:
    """Summarise retrieval as in tables 4 and 5 of Névéol et al. 2006.

    Returns
    -------
    DataFrame
        One row for each N in CUTOFFS and for all results: `top` (N, or "any"), `documents`, `originals`
        (number of documents found with their own terms), `nearest`, `nearest_found`.
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
