"""Which forms are names of one gene, as far as a catalogue and the forms tell: a sentence holds no two."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from ...catalogues.entity_features.morphology import is_plural
from ...sentences.words import gene_words, word_list
from ..greek import LETTERS, NAMES
from ..material import Ints
from .appositives import entries

_PIECE = re.compile(r"[^\W_]+")
_GREEK = re.compile("|".join(NAMES), re.IGNORECASE)
_NUMBER = re.compile(r"\d+|[ivx]+")


def genes_of(fillers: pd.DataFrame) -> Ints:
    """For each filler a number that names of one gene share.

    Names are of one gene when they are of one entry of a database, or when they have the same letters and
    digits, whatever their case and marks: Greek letters are spelled out and stand at the end (*alpha PKC*,
    *PKCα*), and an organism before them, a noun such as *gene* after them and the ending of the plural are
    left out. Names of one gene as a third name are of one gene too.

    Parameters
    ----------
    fillers : DataFrame
        Entities with `data` and, where it is known, their source.

    Examples
    --------
    >>> forms = ["IL-6", "human IL6 gene", "TNF", "beta II PKC", "PKC-βII"]
    >>> genes_of(pd.DataFrame({"data": forms})).tolist()
    [0, 0, 2, 1, 1]
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
    """The letters and digits of a form without what may stand around a name; the form if there are none."""
    words = form.split()
    if len(words) > 1 and words[0].casefold() in word_list("species"):
        words = words[1:]
    if len(words) > 1 and words[-1].casefold() in gene_words("label"):
        words = words[:-1]
    pieces = _PIECE.findall(_GREEK.sub(lambda m: f" {NAMES[m[0].casefold()]} ", " ".join(words)))
    if pieces and pieces[-1].endswith("s") and is_plural(pieces[-1]):
        pieces[-1] = pieces[-1][:-1]
    pieces = [piece.casefold() for piece in pieces]
    if len(pieces) > 1 and pieces[0] in LETTERS:
        # a letter with its number: beta II PKC
        letter = 2 if len(pieces) > 2 and _NUMBER.fullmatch(pieces[1]) else 1
        pieces = pieces[letter:] + pieces[:letter]
    return "".join(pieces) or form
