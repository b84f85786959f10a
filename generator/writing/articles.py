"""Choice of the article *a* or *an* before an entity, depending on its pronunciation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...catalogues.core.files import read_bundled_toml

_RUN = re.compile(r"[^\W\d_]+|\d+")
_ROMAN = re.compile(r"[IVX]{2,}(?=-)")
_CAPITALS = re.compile(r"[A-Z]{2,}")
_PREFIX = re.compile(r"[a-z](?=[A-Z])|[A-Za-z][b-df-hj-np-tv-xz]{1,2}(?=[A-Z])")
_ONSET = re.compile(r"(?:qu|[^aeiouy])+")
_VOWELS = frozenset("AEIOUY")
_LONGEST_INITIALISM = 6
"""Maximum number of letters of an initialism; longer runs of capitals are read as words."""


@lru_cache
def load_rules() -> dict[str, tuple[str, ...]]:
    """Load the bundled lists of letters, words and word beginnings that decide between *a* and *an*."""
    data = read_bundled_toml(__package__, "articles.toml")
    return {name: tuple(values) for name, values in data.items()}


def takes_an(text: str) -> bool:
    """Return True if the article before a text is *an* rather than *a*.

    The first run of letters or digits decides. Among numbers, 11, 18 and those that begin with 8 take *an*.
    A Greek letter is read as its name. Other runs are either spelled out, so that the name of the first
    letter decides, or read as a word, so that the first sound decides.

    A run is spelled out in these cases:

    - It is a single letter.
    - A small letter or consonants come before capitals (mTOR, snRNA).
    - It consists of two capitals (ER, HA).
    - It cannot be pronounced, because it has no vowel or begins with an impossible group of consonants (HLA,
      RNase, MDM, XPA).
    - It consists of three capitals, and only the first is a vowel (ERK).
    - It is short and begins with U (USP).

    All other runs are read as words (RAS, SMAD). Exceptions are listed in `articles.toml`.

    Examples
    --------
    >>> [takes_an(t) for t in ("insulin", "ubiquitin ligase", "p53", "MDM2", "RAS", "HLA-A", "8-oxoguanine")]
    [True, False, False, True, False, True, True]
    """
    known = load_rules()
    text = unicodedata.normalize("NFC", text)
    match = _RUN.search(text)
    if match is None:
        return False
    run = match[0]
    numeral = _ROMAN.match(text, match.start())
    if numeral is not None and numeral[0] in known["a_numerals"] + known["an_numerals"]:
        return numeral[0] in known["an_numerals"]
    if run[0].isdigit():
        return run in known["vowel_numbers"] or run.startswith(known["vowel_number_beginnings"])
    if not run.isascii() and run[0] in known["vowel_greek"]:
        return True
    plain = unicodedata.normalize("NFD", run)
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    if _is_spelled_out(plain):
        return plain[0].upper() in known["vowel_letters"]
    word = plain.lower()
    if word.startswith(known["silent_h"]):
        return True
    if word.startswith(known["consonant_beginnings"]) and not word.startswith(known["vowel_exceptions"]):
        return False
    return word[:1].upper() in _VOWELS - {"Y"}


def _is_spelled_out(run: str) -> bool:
    """Return True if the beginning of a run of letters is read letter by letter."""
    known = load_rules()
    match = _CAPITALS.match(run)
    capitals = match[0] if match else ""
    rest = run[len(capitals) :]
    if run.upper() in known["words"]:
        return False
    if len(run) == 1 or _PREFIX.match(run) or run.startswith(known["spelled_prefixes"]):
        return True
    if capitals in known["initialisms"] or (len(capitals) == 2 and rest in ("", "s")):
        return True
    if rest in ("", "s") and len(capitals) <= _LONGEST_INITIALISM:
        if capitals[:1] == "U":
            return True
        if capitals[:1] in _VOWELS:
            return len(capitals) == 3 and not _VOWELS & set(capitals[1:])
    if capitals and rest and not _VOWELS & set(capitals):
        return True
    if run[0].upper() in _VOWELS:
        return False
    onset = _ONSET.match(run.lower())
    if onset is None or onset[0] == run.lower():
        return True
    return onset[0] not in known["onsets"] and (bool(capitals) or onset[0] not in known["onsets_of_words"])


def choose_articles(texts: Iterable[str]) -> NDArray[np.bool_]:
    """Return a mask of the texts that take the article *an*."""
    known = lru_cache(maxsize=None)(takes_an)
    return np.fromiter(map(known, texts), dtype=bool)
