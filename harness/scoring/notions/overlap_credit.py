"""overlap_credit: partial credit by overlap."""

from __future__ import annotations

import numpy as np

from ..arrays import Flags, Numbers
from ..pairing.assignment import Places, best_pairing
from ..pairing.candidates import Candidates
from .scheme import Scheme


class OverlapCredit(Scheme):
    """Each pair within a type counts its Jaccard coefficient, in the pairing of greatest total."""

    def paired(self, pairs: Candidates, same_type: Flags) -> tuple[Places, Numbers]:
        """The pairing of greatest total coefficient, within the type."""
        chosen = best_pairing(pairs.gold, pairs.predicted, np.where(same_type, pairs.jaccard, 0.0))
        return chosen, pairs.jaccard[chosen]


OVERLAP_CREDIT = OverlapCredit(
    name="overlap_credit",
    definition="paired one-to-one within the type; each pair counts its Jaccard coefficient of code points",
    source="partial credit by overlap, after the similarity of Bossy et al. 2019 (Bacteria Biotope)",
    disagreement="MUC and SemEval-2013 give half for any overlap (muc_partial)",
    pairing="greatest-total",
)
