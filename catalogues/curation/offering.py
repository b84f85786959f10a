"""What may be chosen besides: forms of nomenclatures, and forms made of them, for rare values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..entity_features import entity_features
from .cover import greedy
from .forms import made_forms
from .values import LEAST, Values, values

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAIRS = 3
"""Every pair of values that occurs in the sources at all is wanted so often, where it occurs so often."""
_UNNATURAL = (
    r"pseudogene|antisense|readthrough|uncharacterized|opposite strand|intergenic|divergent transcript"
    r"|open reading frame|non-protein coding|host gene|homolog|similar to|complementation group"
    r"|;|&#|MGI:|, .* of$|\([^()]*\)$| \("
    r"|^(LOC|FLJ|MGC|DKFZ|KIAA|TCONS|RP\d+-|LINC|CG|CR)\d"
)
"""What nobody writes in a sentence, as far as a pattern can decide; the rest is for who reads the offer."""


@dataclass(frozen=True)
class Offer:
    """Forms that are offered, best first, with what is given of them; and which values are lacking."""

    forms: pd.DataFrame
    lacking: tuple[tuple[str, str, int], ...]


def offer(nomenclatures: pd.DataFrame, entities: pd.DataFrame, limit: int) -> Offer:
    """Offer forms for the values, and pairs of values, that the entities have too seldom.

    Parameters
    ----------
    nomenclatures : DataFrame
        Imported forms with all features.
    entities : DataFrame
        What is bundled, as `read_entities` gives it.
    limit : int
        At most so many forms.
    """
    believable = nomenclatures[~nomenclatures["data"].str.contains(_UNNATURAL, regex=True)]
    made = _made(believable)
    pool = pd.concat([believable.drop(columns=["symbol", "tier"], errors="ignore"), made], ignore_index=True)
    pool = pool[~pool["data"].isin(set(entities["data"])) & ~pool["data"].duplicated()]
    have, there = values(pool), values(entities)
    wanted = np.where(have.across, PAIRS, 0) + np.diag(np.full(len(have.labels), LEAST))
    lacking = np.triu(np.clip(np.minimum(wanted, have.pairs + there.pairs) - there.pairs, 0, None))
    rows, _ = greedy(have.matrix, lacking, limit)
    return Offer(pool.iloc[rows].reset_index(drop=True), rare(there))


def rare(found: Values, least: int = LEAST) -> tuple[tuple[str, str, int], ...]:
    """The values that fewer entities have than they should, with their number."""
    counts: NDArray[np.int64] = found.matrix.sum(axis=0)
    return tuple((f, v, int(n)) for (f, v), n in zip(found.labels, counts, strict=True) if n < least)


def _made(nomenclature: pd.DataFrame) -> pd.DataFrame:
    """Forms made of those of a nomenclature by the named transformations, with all features."""
    approved = nomenclature[nomenclature["source_field"] == "symbol"].drop_duplicates("source_id")
    symbols = nomenclature["source_id"].map(approved.set_index("source_id")["data"])
    made = made_forms(nomenclature.assign(symbol=symbols.fillna(""), tier=0))
    facts = made.assign(source_type="invention").drop(columns="transformation")
    return pd.concat([facts, entity_features(made["data"])], axis=1)
