"""slot_error: what the slot error rate is made from."""

from __future__ import annotations

import numpy as np

from ..arrays import Flags, Numbers
from ..pairing.assignment import Places, best_pairing
from ..pairing.candidates import Candidates
from .scheme import Scheme


class SlotError(Scheme):
    """Each pair counts its Jaccard coefficient, half of it where types differ; the rest is substitution."""

    def paired(self, pairs: Candidates, same_type: Flags) -> tuple[Places, Numbers]:
        """The pairing of greatest total, across types at half the coefficient."""
        value = np.where(same_type, 1.0, 0.5) * pairs.jaccard
        chosen = best_pairing(pairs.gold, pairs.predicted, value)
        return chosen, value[chosen]


SLOT_ERROR = SlotError(
    name="slot_error",
    definition=(
        "paired one-to-one by Jaccard (half of it where types differ); what a pair lacks is substitution"
    ),
    source="Makhoul, Kubala, Schwartz and Weischedel 1999 (slot error rate)",
    disagreement="Makhoul et al. count a substitution as one whole error; parts of it are from Bossy et al.",
    pairing="greatest-total",
)
