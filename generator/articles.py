"""The indefinite article before an entity: *a* or *an*, by how the entity's beginning is read."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

_RUN = re.compile(r"[^\W\d_]+|\d+")
_CAPITALS = re.compile(r"[A-Z]{2,}")
_PREFIXED = re.compile(r"[a-z][A-Z]{2}")
_VOWELS = frozenset("AEIOUY")


@dataclass(frozen=True)
class Rules:
    """The rules of `articles.toml`."""

    vowel_letters: frozenset[str]
    consonant_beginnings: tuple[str, ...]
    vowel_exceptions: tuple[str, ...]
    silent_h: tuple[str, ...]
    vowel_numbers: frozenset[str]
    vowel_number_beginnings: tuple[str, ...]
    vowel_greek: frozenset[str]


@lru_cache
def rules() -> Rules:
    """The bundled rules."""
    data = tomllib.loads(resources.files(__package__).joinpath("articles.toml").read_text(encoding="utf-8"))
    return Rules(
        vowel_letters=frozenset(data["vowel_letters"]),
        consonant_beginnings=tuple(data["consonant_beginnings"]),
        vowel_exceptions=tuple(data["vowel_exceptions"]),
        silent_h=tuple(data["silent_h"]),
        vowel_numbers=frozenset(data["vowel_numbers"]),
        vowel_number_beginnings=tuple(data["vowel_number_beginnings"]),
        vowel_greek=frozenset(data["vowel_greek"]),
    )


def takes_an(text: str) -> bool:
    """Whether *an*, not *a*, stands before a text.

    The first run of letters or digits decides. Digits: eight, eleven and eighteen. A Greek character: its
    name. Letters are spelled out when there is only one, when one small letter stands before capitals
    (mTOR), when the capitals that the run begins with hold no vowel (RNase, MDM), or when they are two or
    three and only the first is a vowel (USP, ERK); else the run is read as a word: its first letter, with
    the exceptions of `articles.toml`.

    Examples
    --------
    >>> [takes_an(t) for t in ("insulin", "ubiquitin ligase", "p53", "MDM2", "NF-kappaB", "RAS",
    "8-oxoguanine")] [True, False, False, True, True, False, True]
    """
    known = rules()
    match = _RUN.search(unicodedata.normalize("NFC", text))
    if match is None:
        return False
    run = match[0]
    if run[0].isdigit():
        return run in known.vowel_numbers or run.startswith(known.vowel_number_beginnings)
    if not run.isascii() and run[0] in known.vowel_greek:
        return True
    plain = unicodedata.normalize("NFD", run)
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    if _spelled_out(plain):
        return plain[0].upper() in known.vowel_letters
    word = plain.lower()
    if word.startswith(known.silent_h):
        return True
    if word.startswith(known.consonant_beginnings) and not word.startswith(known.vowel_exceptions):
        return False
    return word[:1].upper() in _VOWELS - {"Y"}


def _spelled_out(run: str) -> bool:
    """Whether a run of letters begins to be read letter by letter."""
    if len(run) == 1 or _PREFIXED.match(run):
        return True
    capitals = _CAPITALS.match(run)
    if capitals is None:
        # lower-case runs of consonants only (mdm, tnf) are spelled out as well
        return not set(run.upper()) & _VOWELS
    vowels = [c in _VOWELS for c in capitals[0]]
    if len(capitals[0]) < len(run):
        return not any(vowels)
    return not any(vowels) or (len(run) <= 3 and vowels[0] and not any(vowels[1:]))


def articles(texts: Iterable[str]) -> NDArray[np.bool_]:
    """`takes_an` for many texts; equal texts are judged once."""
    known: dict[str, bool] = {}
    return np.fromiter(
        (known[t] if t in known else known.setdefault(t, takes_an(t)) for t in texts), dtype=bool
    )
