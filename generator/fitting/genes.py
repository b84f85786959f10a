"""Recognition of names that belong to the same catalogue entry or to the same gene."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...catalogues.entity_features.morphology import is_plural
from ...catalogues.values import column_texts
from ...sentences.words import read_gene_words, read_word_list
from ..greek import GREEK_LETTERS, GREEK_NAMES
from ..material import Ints, is_compound

MULTI_GENE_SOURCES = ("literature", "website")
"""Source types in which one identifier may belong to several genes."""
SOURCE_FORM = "original_form_in_source"
"""Column with the text from which a name was taken; the two names of an appositive have the same text."""


def find_counterparts(fillers: pd.DataFrame) -> Ints:
    """Return, for each filler, the row of its counterpart; -1 if it has none.

    The counterpart of a name is the first symbol of its entry, and the counterpart of a symbol the first
    name. A name that contains the symbol as a word (*CD19 antigen*) is not its counterpart.
    """
    partner = np.full(len(fillers), -1, dtype=np.int32)
    entry = number_entries(fillers)
    frame = pd.DataFrame(
        {
            "entry": entry,
            "sort": column_texts(fillers, "name_vs_symbol"),
            "row": np.arange(len(fillers)),
        }
    )
    frame = frame[(entry >= 0) & np.isin(frame["sort"], ["name", "symbol"])]
    frame = frame[~is_compound(fillers)[frame["row"]]]
    first = frame.drop_duplicates(["entry", "sort"]).set_index(["entry", "sort"])["row"]
    other = frame["sort"].map({"name": "symbol", "symbol": "name"})
    wanted = pd.MultiIndex.from_arrays([frame["entry"], other], names=["entry", "sort"])
    found = first.reindex(wanted).to_numpy(dtype=float)
    partner[frame["row"]] = np.where(np.isnan(found), -1, found).astype(np.int32)
    paired = np.flatnonzero(partner >= 0)
    forms = fillers["data"].astype("str").to_numpy()
    repeated = [
        has_symbol(one, other) or has_symbol(other, one)
        for one, other in zip(forms[paired], forms[partner[paired]], strict=True)
    ]
    partner[paired[np.array(repeated, dtype=bool)]] = -1
    return partner


def has_symbol(name: str, symbol: str) -> bool:
    """Return True if a name contains a symbol as a word, ignoring case and hyphens.

    Examples
    --------
    >>> has_symbol("CD19 antigen", "CD19"), has_symbol("Paired box protein Pax-4", "PAX4")
    (True, True)
    >>> has_symbol("a protein", "p53")
    False
    """
    words = name.casefold().replace("-", "").split()
    return symbol.casefold().replace("-", "") in words


def number_entries(fillers: pd.DataFrame) -> NDArray[np.int64]:
    """Return, for each filler, the number of its database entry; -1 if it has none.

    Forms from sentences and web pages, which may mention several genes, belong to one entry only if they come
    from the same appositive. A gene and its product get different numbers even if they share an entry.
    """
    if "source_id" not in fillers:
        return np.full(len(fillers), -1, dtype=np.int64)
    known = fillers["source_id"].notna().to_numpy()
    several = np.isin(column_texts(fillers, "source_type"), MULTI_GENE_SOURCES)
    place = column_texts(fillers, SOURCE_FORM)
    known = known & ~(several & (place == ""))
    own = {c: column_texts(fillers, c) for c in ("source_authority", "source_id", "kind")}
    together = pd.DataFrame({**own, SOURCE_FORM: np.where(several, place, "")})
    codes = together.groupby(list(together), sort=False).ngroup().to_numpy()
    return np.where(known, codes, -1).astype(np.int64)


_PIECE = re.compile(r"[^\W_]+")
_GREEK = re.compile("|".join(GREEK_NAMES), re.IGNORECASE)
_NUMBER = re.compile(r"\d+|[ivx]+")


def number_genes(fillers: pd.DataFrame) -> Ints:
    """Return, for each filler, the number of its gene.

    Names belong to one gene if they belong to one database entry, or if they have the same letters and
    digits, ignoring case and punctuation. Greek letters are spelled out and moved to the end (*alpha PKC*,
    *PKCα*). An organism before the name, a noun such as *gene* after it, and a plural ending are ignored. If
    a name belongs to one gene with each of two other names, all three belong to that gene.

    Parameters
    ----------
    fillers : DataFrame
        Entities with `data` and, where known, their source.

    Examples
    --------
    >>> forms = ["IL-6", "human IL6 gene", "TNF", "beta II PKC", "PKC-βII"]
    >>> number_genes(pd.DataFrame({"data": forms})).tolist()
    [0, 0, 1, 2, 2]
    """
    forms, _ = pd.factorize(pd.Series([_strip_form(form) for form in fillers["data"].tolist()], dtype="str"))
    entry = number_entries(fillers)
    held = entry >= 0
    # each connected component of the graph of forms and entries is one gene
    size = len(forms) + int(entry.max(initial=-1)) + 1
    edges = forms[held], len(forms) + entry[held]
    graph = coo_array((np.ones(len(edges[0])), edges), shape=(size, size))
    gene: Ints = connected_components(graph, directed=False)[1]
    return gene[forms]


def _strip_form(form: str) -> str:
    """Return the letters and digits of a form without species and nouns around the name.

    If nothing is left, the form itself is returned.
    """
    words = form.split()
    if len(words) > 1 and words[0].casefold() in read_word_list("species"):
        words = words[1:]
    if len(words) > 1 and words[-1].casefold() in read_gene_words("label"):
        words = words[:-1]
    pieces = _PIECE.findall(_GREEK.sub(lambda m: f" {GREEK_NAMES[m[0].casefold()]} ", " ".join(words)))
    if pieces and pieces[-1].endswith("s") and is_plural(pieces[-1]):
        pieces[-1] = pieces[-1][:-1]
    pieces = [piece.casefold() for piece in pieces]
    if len(pieces) > 1 and pieces[0] in GREEK_LETTERS:
        # a letter with its number: beta II PKC
        letter = 2 if len(pieces) > 2 and _NUMBER.fullmatch(pieces[1]) else 1
        pieces = pieces[letter:] + pieces[:letter]
    return "".join(pieces) or form
