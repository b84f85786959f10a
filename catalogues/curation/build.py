"""Choose the entities of the bundled catalogue: attested genes, then what coverage asks for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..entities import build_frame
from ..entities_xml import read_bytes
from ..entity_features import entity_features
from .cover import greedy
from .forms import made_forms
from .values import Values, values

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAIRS = 3
"""Every pair of values that occurs in the sources at all is wanted so often, where it occurs so often."""
SINGLES = 25
"""Every single value is wanted so often."""
BY_HAND = "entities.xml"
"""The file of entities that are kept by hand."""
GIVEN = (
    "data",
    "name_vs_symbol",
    "source_authority",
    "source_id",
    "source_type",
    "source_field",
    "original_form_in_source",
)
_UNNATURAL = (
    r"pseudogene|antisense|readthrough|uncharacterized|opposite strand|intergenic|divergent transcript"
    r"|^LOC\d|^LINC"
)


@dataclass(frozen=True)
class Sources:
    """What the catalogue is chosen from.

    Attributes
    ----------
    hgnc, flybase : DataFrame
        Imported nomenclatures with all features.
    attested : Series of str
        Surface forms that a corpus marks as genes.
    corpus : str
        Its name, the `source_authority` of those forms.
    """

    hgnc: pd.DataFrame
    flybase: pd.DataFrame
    attested: pd.Series
    corpus: str


@dataclass(frozen=True)
class Curated:
    """The chosen entities with all features, and the two tables that coverage is judged by.

    Attributes
    ----------
    entities : DataFrame
        `GIVEN` and all features; those kept by hand come first.
    by_hand : int
        How many these are.
    required : ndarray of bool
        Which pairs of values occur in the sources: labels by labels, above the diagonal.
    values : Values
        Of the chosen entities.
    """

    entities: pd.DataFrame
    by_hand: int
    required: NDArray[np.bool_]
    values: Values


def curate(sources: Sources, size: int = 3_400) -> Curated:
    """Choose the entities.

    First those kept by hand (entities.xml); then, of each gene whose approved symbol the corpus attests, its
    symbol, name, an alias and a previous form; then, greedily, what fills most of the pairs still wanted:
    from the nomenclatures, then from made forms, then from the corpus's forms. Last, more fly symbols and
    nomenclature entries up to `size`.
    """
    hgnc = _ranked(sources.hgnc, set(sources.attested))
    corpus = _featured(
        pd.DataFrame(
            {
                "data": sources.attested,
                "source_authority": sources.corpus,
                "source_type": "literature",
                "original_form_in_source": sources.attested,
            }
        )
    )
    made = _featured(made_forms(hgnc).assign(source_type="invention"))
    examples = _featured(_examples())
    pool = pd.concat([examples, _basic(hgnc), sources.flybase, corpus, made], ignore_index=True)
    have = values(pool)
    # of the corpus, pairs of what its forms look like: that they are literature is our word
    required = _required(sources.hgnc, sources.flybase, corpus.drop(columns="source_type"))

    # one entry a form: the first has the best source; the others stand in where their field is wanted
    again = pool["data"].duplicated().to_numpy()
    chosen = np.zeros(len(pool), dtype=bool)
    chosen[: len(examples)] = True
    chosen |= _of_attested_genes(pool, hgnc) & ~again
    kind = pool["source_type"].astype("str")
    for candidates, most in (
        (~again & (kind == "database"), PAIRS),
        (~again & (kind == "invention"), PAIRS),
        (~again & (kind == "literature"), 2),
        # what no form's first entry fills
        (again, 1),
    ):
        free = np.flatnonzero(candidates & ~chosen & ~pool["data"].isin(set(pool["data"][chosen])))
        rows, _ = greedy(have.matrix[free], _lacking(have, required, chosen, most))
        picked = free[rows]
        chosen[picked[~pool["data"].iloc[picked].duplicated()]] = True
    _fill(chosen, pool, size)
    kept = pool[chosen].reset_index(drop=True)
    return Curated(kept, len(examples), required, values(kept))


def _ranked(hgnc: pd.DataFrame, attested: set[str]) -> pd.DataFrame:
    """The nomenclature with the gene's own symbol, attested genes first, unnatural entries last."""
    approved = hgnc[hgnc["source_field"] == "symbol"].set_index("source_id")["data"]
    names = hgnc[hgnc["source_field"] == "name"].set_index("source_id")["data"]
    symbol = hgnc["source_id"].map(approved)
    unnatural = hgnc["source_id"].map(names).str.contains(_UNNATURAL) | symbol.str.contains(_UNNATURAL)
    tier = np.where(symbol.isin(attested), 0, np.where(unnatural, 2, 1))
    return hgnc.assign(symbol=symbol, tier=tier).sort_values("tier", kind="stable").reset_index(drop=True)


def _basic(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=[c for c in ("symbol", "tier") if c in frame])


def _featured(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the computed features to given facts."""
    frame = frame.reset_index(drop=True)
    given = frame[["name_vs_symbol"]] if "name_vs_symbol" in frame else None
    computed = entity_features(frame["data"], given=given)
    facts = frame.drop(columns=[c for c in ("name_vs_symbol", "transformation") if c in frame])
    return pd.concat([facts, computed], axis=1)


def _examples() -> pd.DataFrame:
    """The entities that are kept by hand: published examples and well-known genes."""
    content = resources.files("tagsuite.catalogues").joinpath(BY_HAND).read_bytes()
    frame = build_frame(read_bytes(content, BY_HAND).entries)
    return frame[[c for c in GIVEN if c in frame]]


def _required(*frames: pd.DataFrame) -> NDArray[np.bool_]:
    """Which pairs of values, and single values, occur in the sources at all."""
    found = [values(frame) for frame in frames]
    occurs = np.sum([f.pairs for f in found], axis=0) > 0
    return np.asarray((occurs & found[0].across) | np.diag(np.diag(occurs)))


def _lacking(
    have: Values, required: NDArray[np.bool_], chosen: NDArray[np.bool_], most: int
) -> NDArray[np.int64]:
    """How often each pair and value is still wanted, never more often than it can be had."""
    singles = SINGLES if most > 1 else 1
    wanted = np.where(required & have.across, most, 0) + np.diag(np.full(len(have.labels), singles))
    already = Values(have.labels, have.matrix[chosen]).pairs
    return np.triu(np.clip(np.minimum(wanted, have.pairs) - already, 0, None))


def _of_attested_genes(pool: pd.DataFrame, hgnc: pd.DataFrame) -> NDArray[np.bool_]:
    """Of each attested gene the first of its symbols, names, aliases and previous forms."""
    genes = set(hgnc.loc[hgnc["tier"] == 0, "source_id"])
    own = pool["source_id"].isin(genes) & (pool["source_type"] == "database")
    kind = pool["source_field"].astype("str").str.replace(r"(alias|previous)_", "other_", regex=True)
    first = ~pd.DataFrame({"gene": pool["source_id"], "kind": kind})[own].duplicated()
    chosen = np.zeros(len(pool), dtype=bool)
    chosen[np.flatnonzero(own)] = first.to_numpy()
    return chosen


def _fill(chosen: NDArray[np.bool_], pool: pd.DataFrame, size: int) -> None:
    """Add fly symbols that are common words, then fly symbols and HGNC's forms, evenly, up to the size."""
    fresh = ~pool["data"].isin(set(pool["data"][chosen])) & ~pool["data"].duplicated()
    words = pool["is_common_English_word"] & (pool["source_authority"] == "FlyBase")
    chosen |= (words & fresh).to_numpy()
    for authority, share in (("FlyBase", 0.5), ("HGNC", 1.0)):
        need = int((size - chosen.sum()) * share)
        free = np.flatnonzero(
            ~chosen
            & fresh
            & (pool["source_authority"] == authority)
            & (pool["source_type"] == "database")
            & (pool["source_field"].isin(["symbol", "name"]))
            & ~pool["data"].str.contains(_UNNATURAL + r"|^CG\d|^CR\d|:", regex=True)
        )
        if need > 0 and len(free):
            chosen[free[np.linspace(0, len(free) - 1, min(need, len(free))).astype(int)]] = True
