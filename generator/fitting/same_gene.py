"""Which forms are names of one gene, as far as a catalogue and the forms tell: a sentence holds no two."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from ...sentences.words import gene_words, word_list
from ..material import Ints
from .appositives import entries

_MARKS = re.compile(r"[\W_]+")


def genes_of(fillers: pd.DataFrame) -> Ints:
    """For each filler a number that names of one gene share.

    Names are of one gene when they are of one entry of a database, or when they have the same letters and
    digits, an organism before them and a noun such as *gene* after them left out; and so on from name to
    name.

    Parameters
    ----------
    fillers : DataFrame
        Entities with `data` and, where it is known, their source.

    Examples
    --------
    >>> forms = ["IL-6", "human IL6 gene", "TNF"]
    >>> genes_of(pd.DataFrame({"data": forms})).tolist()
    [0, 0, 1]
    """
    forms, _ = pd.factorize(pd.Series([_core(form) for form in fillers["data"].tolist()], dtype="str"))
    gene = forms.astype(np.int64)
    entry = entries(fillers)
    held = entry >= 0
    while True:
        # every form of an entry takes the least number among them, every like form does, until nothing moves
        least = gene.copy()
        of_entry = pd.Series(least[held]).groupby(entry[held]).transform("min")
        least[held] = of_entry.to_numpy()
        least = pd.Series(least).groupby(forms).transform("min").to_numpy()
        if np.array_equal(least, gene):
            return gene.astype(np.int32)
        gene = least


def _core(form: str) -> str:
    """A form's letters and digits without what may stand around a name; of nothing else, the whole."""
    words = form.casefold().split()
    if len(words) > 1 and words[0] in word_list("species"):
        words = words[1:]
    if len(words) > 1 and words[-1] in gene_words("label"):
        words = words[:-1]
    return _MARKS.sub("", "".join(words)) or form
