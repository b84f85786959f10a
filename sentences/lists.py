"""Detection of lists and appositives among the gold mentions of a sentence.

The following definitions specify the list and appositive features of Cohen et al. 2004, section 2.2.2:

* A *zone* is a gold mention, or the union of overlapping gold mentions. Two neighbouring zones in a sentence
  are *linked* if the text between them matches a pattern in ``words/links.toml``. A chain of links is a list.
* ``asyndetic_coordination``: at least three members separated only by commas or semicolons, or two separated
  by a slash.
* ``coordination``: members joined by commas and conjunctions.
* ``complex_coordination``: the list follows *both*, *either* or *neither*, or one of its members has a
  modifier (*E6 and downstream E7*), is followed by a keyword, shares a part (*X- and Y-dependent*), or is
  joined by a correlative (*as well as*, *but not*). A modifier is a determiner, species, adverb, number or
  adjective. Participles do not count, because they can be the next verb (*X bound A and activated B*).
* An *appositive* is a name followed by its symbol, or a symbol followed by its name, in brackets or after a
  phrase such as *also called*. Two names, or two symbols, are not an appositive. In a list, the pair counts
  as one member.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.core.files import read_bundled_toml
from ..catalogues.core.text import Flags, Ints, TextColumn
from .words import is_adjective, read_word_list

LIST_TYPES = ("none", "coordination", "asyndetic_coordination", "complex_coordination")
LIST_POSITIONS = ("single", "first", "middle", "last")
APPOSITIVES = ("none", "symbol_after_name", "name_after_symbol")
APPOSITIVE_SIDES = ("none", "outside", "inside")

MAX_LINK_LENGTH = 80
"""Maximum number of characters between two linked mentions."""

_NO, _COMMA, _CONJUNCTION, _COMPLEX, _COMPLEX_COMMA = range(5)
_SLASH = 5
_BRACKET, _PLAIN = 6, 7
_CORRELATIVE = re.compile(r"(?:^|\W)(?:both|either|neither)\s+$", re.IGNORECASE)
_KINDS = {
    "coordination": _CONJUNCTION,
    "asyndetic_coordination": _COMMA,
    "complex_coordination": _COMPLEX,
    "complex_asyndetic": _COMPLEX_COMMA,
    "slash": _SLASH,
}


@dataclass(frozen=True)
class MentionChains:
    """Lists and appositives among gold mentions, as arrays with one value per zone (see the module).

    Attributes
    ----------
    list_type, list_position, appositive : arrays of int8
        Indexes into LIST_TYPES, LIST_POSITIONS and APPOSITIVES.
    side : array of int8
        Index into APPOSITIVE_SIDES.
    chain_sizes, chain_positions : arrays of int64
        Number of members in the chain (an appositive pair counts once), and position of the zone in the
        chain, from 0. Two members with only a comma between them form a chain but not a list.
    link_bits : array of uint8
        Bit set of the kinds of links in the chain.
    """

    list_type: NDArray[np.int8]
    list_position: NDArray[np.int8]
    appositive: NDArray[np.int8]
    side: NDArray[np.int8]
    chain_sizes: Ints
    chain_positions: Ints
    link_bits: NDArray[np.uint8]


@lru_cache
def _read_patterns() -> dict[str, Any]:
    return read_bundled_toml(__package__, "words", "links.toml")


@lru_cache
def _patterns() -> tuple[tuple[int, re.Pattern[str]], ...]:
    data = _read_patterns()
    rules = [(_BRACKET, data["appositive"]["open"]), (_PLAIN, data["appositive"]["plain"])]
    rules += [(_KINDS[name], patterns) for name, patterns in data["links"].items()]
    pieces = data["fragments"].items()

    def compiled(pattern: str) -> re.Pattern[str]:
        for name, piece in pieces:
            pattern = pattern.replace("{" + name + "}", piece)
        return re.compile(pattern, re.IGNORECASE)

    return tuple((code, compiled(p)) for code, patterns in rules for p in patterns)


@lru_cache(maxsize=1 << 16)
def classify_link(between: str) -> int:
    """Return the code for the kind of link between two mentions, given the text between them."""
    for code, pattern in _patterns():
        match = pattern.fullmatch(between)
        if match and all(map(_modifies, (match.groupdict().get("modifiers") or "").split())):
            return code
    return _NO


@lru_cache
def _modifiers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return two patterns: words that always modify a list member, and adjectives that never modify one."""
    modifiers = _read_patterns()["modifiers"]
    always = "|".join(modifiers[name] for name in ("number", "place", "symbol"))
    return re.compile(always), re.compile(modifiers["none"])


def _modifies(word: str) -> bool:
    """Return True if a word before a list member modifies that member."""
    always, never = _modifiers()
    lowered = word.lower()
    if never.fullmatch(lowered):
        return False
    return always.fullmatch(word) is not None or lowered in read_word_list("species") or is_adjective(lowered)


@lru_cache(maxsize=1 << 16)
def _link_codes(between: str) -> tuple[int, int]:
    """Return two codes for the link between two mentions, given the text between them.

    The first code is for the complete text. The second is for the text without the closing bracket at its
    start, or 0 if there is no such bracket.
    """
    bare = re.sub(r"^\s*[)\]]", "", between)
    return classify_link(between), (classify_link(bare) if bare != between else _NO)


def classify_links(column: TextColumn, starts: Ints, ends: Ints, wanted: Flags) -> tuple[Ints, Ints]:
    """Return two codes for each span of text between two mentions, as arrays.

    The first code is for the complete text. The second is for the text without the closing bracket at its
    start, or 0 if there is no such bracket.
    """
    plain = np.zeros(len(starts), dtype=np.int64)
    closed = np.zeros(len(starts), dtype=np.int64)
    at = np.flatnonzero(wanted & (ends - starts <= MAX_LINK_LENGTH) & (ends > starts))
    if len(at):
        pieces, index = column.distinct_pieces(starts[at], ends[at])
        codes = np.array([_link_codes(p) for p in pieces], dtype=np.int64).reshape(-1, 2)
        plain[at], closed[at] = codes[index, 0], codes[index, 1]
    return plain, closed


def classify_list(bits: NDArray[np.uint8], members: Ints) -> NDArray[np.int8]:
    """Return the type of each list, given the kinds of its links (as a bit set) and its number of members."""
    conjunction = (bits & (1 << _CONJUNCTION | 1 << _COMPLEX)) != 0
    complex_ = (bits & (1 << _COMPLEX | 1 << _COMPLEX_COMMA)) != 0
    slash = (bits & (1 << _SLASH)) != 0
    listed = (members > 1) & (conjunction | slash | (members > 2))
    types = np.where(complex_, 3, np.where(conjunction, 1, 2))
    return np.where(listed, types, 0).astype(np.int8)


def find_names(forms: list[str]) -> NDArray[np.bool_]:
    """Return a boolean array that is True for each surface form that is a name, and False for each symbol."""
    from ..catalogues.entity_features import entity_features

    frame = entity_features(pd.Series(forms, dtype="str"), columns=["name_vs_symbol"])
    flags: NDArray[np.bool_] = (frame["name_vs_symbol"] == "name").to_numpy(dtype=bool)
    return flags


def find_chains(column: TextColumn, starts: Ints, ends: Ints, sentence: Ints) -> MentionChains:
    """Find the lists and appositives among zones (gold mentions; overlapping ones are merged).

    Parameters
    ----------
    column : TextColumn
        The texts.
    starts, ends : arrays of int64
        Start and end offsets of the zones, which are sorted and disjoint.
    sentence : array of int64
        Index of the sentence that contains each zone.
    """
    size = len(starts)
    appositive = np.zeros(size, dtype=np.int8)
    side = np.zeros(size, dtype=np.int8)
    if size < 2:
        ones, zero = np.ones(size, dtype=np.int64), np.zeros(size, dtype=np.int8)
        return MentionChains(zero, zero, appositive, side, ones, ones - 1, zero.astype(np.uint8))
    link, after = classify_links(column, ends[:-1], starts[1:], sentence[1:] == sentence[:-1])
    following = column.codes[np.minimum(ends[1:], column.size - 1)]
    pair = (link == _PLAIN) | ((link == _BRACKET) & np.isin(following, [ord(")"), ord("]")]))
    pair[1:] &= ~pair[:-1]
    joined = np.flatnonzero(pair)
    if len(joined):
        paired = np.concatenate((joined, joined + 1))
        forms, index = column.distinct_pieces(starts[paired], ends[paired])
        is_name = find_names(forms)[index]
        first_is_name, second_is_name = is_name[: len(joined)], is_name[len(joined) :]
        # two names, or two symbols, are not an appositive
        value = np.where(first_is_name == second_is_name, 0, np.where(first_is_name, 1, 2))
        appositive[joined] = appositive[joined + 1] = value
        side[joined], side[joined + 1] = np.where(value > 0, 1, 0), np.where(value > 0, 2, 0)
    # the gap after an appositive may begin with its closing bracket
    ends_pair = np.concatenate(([False], pair[:-1]))
    link = np.where(ends_pair & (after != _NO), after, link)
    link = np.where(pair | (link >= _BRACKET), _NO, link)
    link = np.where(_is_after_conjunction(link, pair), _NO, link)
    opens = np.concatenate(([True], ~pair & (link == _NO)))
    unit = np.concatenate(([True], ~pair))
    first = np.flatnonzero(opens)
    group = np.cumsum(opens) - 1
    counted = np.cumsum(unit)
    place = counted - counted[first][group]
    members = np.add.reduceat(unit.astype(np.int64), first)[group]
    link_bits = np.concatenate(([0], np.where(link > 0, 1 << link, 0))).astype(np.uint8)
    bits = np.bitwise_or.reduceat(link_bits, first)
    bits = np.where((bits > 0) & _has_correlative(column, starts[first]), bits | (1 << _COMPLEX), bits)[group]
    bits = bits.astype(np.uint8)
    kind = classify_list(bits, members)
    return MentionChains(kind, _position(kind, place, members), appositive, side, members, place, bits)


def _is_after_conjunction(link: Ints, pair: Flags) -> Flags:
    """Return a boolean array that is True for each comma after a link with a conjunction.

    A conjunction introduces the last member of a list, so the comma ends the list (*with A or B, C rises*).
    """
    before = np.concatenate(([0], link[:-1]))
    beyond_pair = np.concatenate(([0, 0], link[:-2]))[: len(link)]
    previous = np.where(np.concatenate(([False], pair[:-1])), beyond_pair, before)
    comma = (link == _COMMA) | (link == _COMPLEX_COMMA)
    flags: Flags = comma & ((previous == _CONJUNCTION) | (previous == _COMPLEX))
    return flags


def _has_correlative(column: TextColumn, starts: Ints) -> Flags:
    """Return a boolean array that is True for each offset directly after *both*, *either* or *neither*."""
    pieces, index = column.distinct_pieces(np.maximum(starts - 9, column.starts[column.rows[starts]]), starts)
    matches = np.fromiter((_CORRELATIVE.search(p) is not None for p in pieces), dtype=bool, count=len(pieces))
    flags: Flags = matches[index]
    return flags


def _position(kind: NDArray[np.int8], place: Ints, members: Ints) -> NDArray[np.int8]:
    where = np.where(place == 0, 1, np.where(place == members - 1, 3, 2))
    return np.where(kind == 0, 0, where).astype(np.int8)


def place_stray_mentions(
    column: TextColumn,
    starts: Ints,
    ends: Ints,
    sentence: Ints,
    zones: tuple[Ints, Ints, Ints],
    chains: MentionChains,
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return the list type and list position of mentions that overlap no gold mention.

    Each mention is treated as if it were an additional gold mention. `zones` contains the start, end and
    sentence of each zone (gold mentions; overlapping ones are merged). `chains` contains the lists of zones.
    """
    zone_starts, zone_ends, zone_sentence = zones
    if not len(zone_starts):
        zero = np.zeros(len(starts), dtype=np.int8)
        return zero, zero
    right = np.searchsorted(zone_starts, ends, side="left")
    left = right - 1
    has_left = left >= 0
    has_right = right < len(zone_starts)
    left, right = np.maximum(left, 0), np.minimum(right, len(zone_starts) - 1)
    before, closed = classify_links(
        column, zone_ends[left], starts, has_left & (zone_sentence[left] == sentence)
    )
    before = np.where((chains.side[left] == 2) & (closed != _NO), closed, before)
    behind, _ = classify_links(
        column, ends, zone_starts[right], has_right & (zone_sentence[right] == sentence)
    )
    before, behind = np.where(before >= _BRACKET, _NO, before), np.where(behind >= _BRACKET, _NO, behind)
    on_left, on_right = before != _NO, behind != _NO
    place = np.where(on_left, chains.chain_positions[left] + 1, 0)
    members = place + 1 + np.where(on_right, chains.chain_sizes[right] - chains.chain_positions[right], 0)
    bits = np.where(on_left, chains.link_bits[left] | (1 << before), 0)
    bits = (bits | np.where(on_right, chains.link_bits[right] | (1 << behind), 0)).astype(np.uint8)
    kind = classify_list(bits, members)
    return kind, _position(kind, place, members)
