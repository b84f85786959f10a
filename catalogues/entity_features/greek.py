"""Greek letters in each written form."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from . import lexicon
from .strings import Ints, Kind, Strings

FORMATS = ("spelled", "square_bracketed", "curly_bracketed", "unicode", "abbreviated")
_TAIL = re.compile(r"\d*[A-Za-z]?\d*")
_TOKEN = re.compile(r"[^\W_]+(?:[/-][^\W_]+)*")


@lru_cache
def spelled_pattern() -> re.Pattern[str]:
    """One pattern for bracketed and spelled letters; the group that matched tells the format."""
    names = lexicon.table("greek_letters.tsv")
    every = "|".join(sorted(names, key=len, reverse=True))
    inside = sorted((n for n, place in names.items() if place == "inside"), key=len, reverse=True)
    alone = "|".join(sorted((n for n, place in names.items() if place == "alone"), key=len, reverse=True))
    lower, title = "|".join(inside), "|".join(n.capitalize() for n in inside)
    upper = "|".join(n.upper() for n in inside)
    greek = "\u0370-\u03ff\u1f00-\u1fffµ\u2126"
    return re.compile(
        rf"(?P<square>\[\\?(?:(?i:{every})|[{greek}])\])"
        rf"|(?P<curly>\{{\\?(?:(?i:{every})|[{greek}])\}})"
        rf"|(?P<low>(?<![a-z])(?:{lower})+(?![a-z]))"
        rf"|(?P<title>(?:{title})(?:{lower})*(?![a-z]))"
        rf"|(?P<up>(?<![A-Za-z])(?:{upper})(?![A-Za-z]))"
        rf"|(?P<alone>(?<![A-Za-z])(?:{alone})(?![A-Za-z]))"
    )


def find(strings: Strings) -> tuple[Ints, Ints, Ints]:
    """Starts, ends and format (index into FORMATS) of the Greek letters in the strings' text."""
    starts: list[int] = []
    ends: list[int] = []
    formats: list[int] = []
    bracketed = {"square": 1, "curly": 2}
    for match in spelled_pattern().finditer(strings.text):
        starts.append(match.start())
        ends.append(match.end())
        formats.append(bracketed.get(match.lastgroup or "", 0))
    within = np.zeros(len(strings.kinds) + 1, np.int8)
    np.add.at(within, np.array(starts, np.int64), 1)
    np.add.at(within, np.array(ends, np.int64), -1)
    covered = np.cumsum(within)[:-1] > 0
    unicode = strings.where(Kind.GREEK)
    unicode = unicode[~covered[unicode]]
    stand_in = np.array([o for o in _stand_ins(strings) if not covered[o]], np.int64)
    return (
        np.concatenate([np.array(starts, np.int64), unicode, stand_in]),
        np.concatenate([np.array(ends, np.int64), unicode + 1, stand_in + 1]),
        np.concatenate(
            [np.array(formats, np.int64), np.full(len(unicode), 3), np.full(len(stand_in), 4)]
        ).astype(np.int64),
    )


def _stand_ins(strings: Strings) -> list[int]:
    """Offsets of Latin letters that stand for Greek ones."""
    heads = _heads()
    known: dict[str, int | None] = {}
    found = []
    for match in _TOKEN.finditer(strings.text):
        token = match[0]
        if token[:2].upper() not in heads:
            continue
        if token not in known:
            known[token] = stand_in(token)
        place = known[token]
        if place is not None:
            found.append(match.start() + place)
    return found


def stand_in(token: str) -> int | None:
    """The place in a token of a Latin letter that stands for a Greek one, or None.

    After the family's name, with or without a hyphen, follows one of its letters, and after that at most a
    number and a letter. *NF-kB* and *IkB* have theirs in the middle.
    """
    nuclear = re.match(r"(?:NF-?|I)([kK])B(?![a-z])", token)
    if nuclear is not None:
        return nuclear.start(1)
    families = _families()
    for place in range(2, min(len(token), 12)):
        letter = token[place].upper()
        stem = token[:place].upper()
        stem = stem[:-1] if stem.endswith("-") else stem
        if letter not in families.get(stem, ""):
            continue
        # a lower-case letter after lower-case ones is a letter of its own only in the rodents' style (Tgfb1)
        if not _TAIL.fullmatch(token, place + 1):
            continue
        if token[:place].islower():
            continue
        return place
    return None


@lru_cache
def _families() -> dict[str, str]:
    return lexicon.table("greek_stand_ins.tsv")


@lru_cache
def _heads() -> frozenset[str]:
    return frozenset(stem[:2] for stem in _families()) | {"NF", "IK"}
