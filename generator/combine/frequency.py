"""How often corpora have names that are well known, and others, of one word and of many.

A mention's frequency is how often its form is annotated elsewhere in the same corpus (white space and case
ignored): a form that occurs once is a name that the rest of the corpus does not know. So the shares are those
that the next text would have (Good and Turing's estimate), and names that no corpus has get theirs. Beside
them stands how often a hyphen or a slash joins a name to the word beside it.

``python -m tagsuite.tools.curation.frequency FORMAT:PATH`` prints the file of the bundled shares.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import bundled_toml
from ...catalogues.taxonomy import Feature, taxonomy
from ...catalogues.value_codes import joint_codes

if TYPE_CHECKING:
    from ...sentences.corpus import Corpus

FILE = "frequency.toml"
FEATURE = "entity.corpus_frequency"

JOINING = frozenset({"hyphen", "slash"})
"""The values of `joined_feature` that join a name to what stands beside it."""

Shares = dict[str, dict[str, float]]
"""By band of frequency and number of words, both as the taxonomy's bins are called."""


def elsewhere(forms: pd.Series) -> NDArray[np.int64]:
    """For each mention how often its form occurs in the others.

    Examples
    --------
    >>> elsewhere(pd.Series(["p53", "P 53", "Mdm2"])).tolist()
    [1, 1, 0]
    """
    plain = forms.astype("str").str.replace(r"\s+", "", regex=True).str.casefold()
    codes, _ = pd.factorize(plain)
    return np.asarray(np.bincount(codes)[codes] - 1, dtype=np.int64)


def shares_of(forms: pd.Series) -> Shares:
    """The share of mentions in each band with each number of words."""
    bands, words = band_feature(), words_feature()
    frame = pd.DataFrame(
        {bands.column: elsewhere(forms), words.column: [len(form.split()) for form in forms.tolist()]}
    )
    codes, names = joint_codes(frame, [bands, words])
    counts = np.bincount(codes, minlength=len(names))
    found = dict(zip(names, (counts / counts.sum()).tolist(), strict=True))
    return {b.name: {w.name: found.get((b.name, w.name), 0.0) for w in words.bins} for b in bands.bins}


def band_feature() -> Feature:
    """The feature whose bands these are."""
    return taxonomy().find(FEATURE)


def words_feature() -> Feature:
    """The feature that is the number of words."""
    return taxonomy().find("entity.words")


def joined_feature() -> Feature:
    """The feature that says what stands at the edges of a name."""
    return taxonomy().find("slot.tokenisation_hazards")


def joined(hazards: pd.Series) -> NDArray[np.bool_]:
    """Which places a hyphen or a slash joins to what stands beside them.

    Examples
    --------
    >>> joined(pd.Series(["hyphen|slash", "parenthesis", None], dtype="str")).tolist()
    [True, False, False]
    """
    codes, values = pd.factorize(hazards.astype("str").fillna(""))
    return np.array([not JOINING.isdisjoint(value.split("|")) for value in values], dtype=bool)[codes]


def bundled_shares() -> Shares:
    """The shares in the corpus that corpus_frequency of bundled entities counts."""
    shares: Shares = _bundled()["shares"]
    return shares


def bundled_joined() -> float:
    """The share of that corpus's mentions that a hyphen or a slash joins to what stands beside them."""
    share: float = _bundled()["joined"]
    return share


def bundled_mentions() -> int:
    """The mentions of that corpus."""
    mentions: int = _bundled()["mentions"]
    return mentions


@lru_cache
def _bundled() -> dict[str, Any]:
    return bundled_toml("tagsuite.generator.combine", FILE)


def corpus_for_shares(spec: str) -> Corpus:
    """A corpus with gold mentions.

    Raises
    ------
    InputError
        When it has none, or cannot be read.
    """
    from ...sentences.formats.registry import read_corpus

    corpus = read_corpus(spec)
    if corpus.gold.empty:
        raise InputError("the corpus has no mentions to take shares from", found=spec)
    return corpus
