"""Lists and appositives: how the text between two gold mentions joins them.

Definitions (after the seed's list context and appositive features, section 2.2.2, made exact):

* Zones are the gold mentions of a text, overlapping ones united. Two neighbouring zones of one sentence are
  *linked* when the text between them matches a pattern of ``words/links.toml``; a chain of links is a list.
* ``asyndetic_coordination``: at least three members with nothing but commas or semicolons between them, or
  two with a slash; ``coordination``: commas and conjunctions; ``complex_coordination``: *both*, *either* or
  *neither* stands in front, or some member brings a determiner, species, adverb, number or adjective along
  (*E6 and downstream E7*), leaves a keyword behind, shares a part (*X- and Y-dependent*) or is joined by a
  correlative (*as well as*, *but not*). Participles are no such adjectives: they may be the next verb (*X
  bound A and activated B*).
* An *appositive* is a name with its symbol, or a symbol with its name, the second in brackets or after *also
  called* and the like. Two names or two symbols are none. The pair is one member of a list.
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
from ..catalogues.core.text import CharKind, Flags, Ints, TextColumn
from .words import is_adjective, read_word_list

LIST_TYPES = ("none", "coordination", "asyndetic_coordination", "complex_coordination")
LIST_POSITIONS = ("single", "first", "middle", "last")
APPOSITIVES = ("none", "symbol_after_name", "name_after_symbol")
APPOSITIVE_SIDES = ("none", "outside", "inside")

MAX_LINK_LENGTH = 80
"""Characters between two mentions beyond which no pattern is tried."""

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
    """For each zone: its list and its appositive.

    Attributes
    ----------
    list_type, list_position, appositive : arrays of int8
        Indexes into LIST_TYPES, LIST_POSITIONS and APPOSITIVES.
    side : array of int8
        Index into SIDES.
    chain_sizes, chain_positions : arrays of int64
        Number of members of the chain (an appositive pair counts once; short comma chains too), place in it.
    link_bits : array of uint8
        Kinds of the chain's links, as bits.
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
    """Give the kind of link that the text between two mentions makes."""
    for code, pattern in _patterns():
        match = pattern.fullmatch(between)
        if match and all(map(_modifies, (match.groupdict().get("modifiers") or "").split())):
            return code
    return _NO


@lru_cache
def _modifiers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Words that modify whatever else they are, and words that do not although they are adjectives."""
    found = _read_patterns()["modifiers"]
    own = "|".join(found[name] for name in ("number", "place", "symbol"))
    return re.compile(own), re.compile(found["none"])


def _modifies(word: str) -> bool:
    """Whether a word before a list's later member belongs to it."""
    own, none = _modifiers()
    lowered = word.lower()
    if none.fullmatch(lowered):
        return False
    return own.fullmatch(word) is not None or lowered in read_word_list("species") or is_adjective(lowered)


@lru_cache(maxsize=1 << 16)
def _link_codes(between: str) -> tuple[int, int]:
    """The link as it stands, and the link when a closing bracket in front is taken off."""
    bare = re.sub(r"^\s*[)\]]", "", between)
    return classify_link(between), (classify_link(bare) if bare != between else _NO)


def classify_links(column: TextColumn, starts: Ints, ends: Ints, wanted: Flags) -> tuple[Ints, Ints]:
    """For each gap [start, end): the link it makes, and the one it makes after a closing bracket."""
    plain = np.zeros(len(starts), dtype=np.int64)
    closed = np.zeros(len(starts), dtype=np.int64)
    at = np.flatnonzero(wanted & (ends - starts <= MAX_LINK_LENGTH) & (ends > starts))
    if len(at):
        pieces, index = column.distinct_pieces(starts[at], ends[at])
        codes = np.array([_link_codes(p) for p in pieces], dtype=np.int64).reshape(-1, 2)
        plain[at], closed[at] = codes[index, 0], codes[index, 1]
    return plain, closed


def classify_list(bits: NDArray[np.uint8], members: Ints) -> NDArray[np.int8]:
    """The type of a list from the kinds of its links and the number of its members."""
    conjunction = (bits & (1 << _CONJUNCTION | 1 << _COMPLEX)) != 0
    complex_ = (bits & (1 << _COMPLEX | 1 << _COMPLEX_COMMA)) != 0
    slash = (bits & (1 << _SLASH)) != 0
    listed = (members > 1) & (conjunction | slash | (members > 2))
    found = np.where(complex_, 3, np.where(conjunction, 1, 2))
    return np.where(listed, found, 0).astype(np.int8)


def find_names(forms: list[str]) -> NDArray[np.bool_]:
    """Which surface forms are names (the others are symbols), by the rule of the entity features."""
    from ..catalogues.entity_features import entity_features

    frame = entity_features(pd.Series(forms, dtype="str"), columns=["name_vs_symbol"])
    flags: NDArray[np.bool_] = (frame["name_vs_symbol"] == "name").to_numpy(dtype=bool)
    return flags


def classify_appositive(first_is_name: Flags, second_is_name: Flags) -> NDArray[np.int8]:
    """What two forms in apposition are: an index into APPOSITIVES; two of a kind are none."""
    return np.where(first_is_name == second_is_name, 0, np.where(first_is_name, 1, 2)).astype(np.int8)


def find_chains(column: TextColumn, starts: Ints, ends: Ints, sentence: Ints) -> MentionChains:
    """Find the lists and appositives among zones (sorted, disjoint); `sentence` is the sentence of each."""
    size = len(starts)
    appositive = np.zeros(size, dtype=np.int8)
    side = np.zeros(size, dtype=np.int8)
    if size < 2:
        ones, zero = np.ones(size, dtype=np.int64), np.zeros(size, dtype=np.int8)
        return MentionChains(zero, zero, appositive, side, ones, ones - 1, zero.astype(np.uint8))
    link, after = classify_links(column, ends[:-1], starts[1:], sentence[1:] == sentence[:-1])
    closed = column.is_of_kind(CharKind.CLOSING)[np.minimum(ends[1:], column.size - 1)]
    pair = (link == _PLAIN) | ((link == _BRACKET) & closed & ~_has_no_bracket(column, ends[1:]))
    pair[1:] &= ~pair[:-1]
    joined = np.flatnonzero(pair)
    if len(joined):
        both = np.concatenate((joined, joined + 1))
        forms, index = column.distinct_pieces(starts[both], ends[both])
        is_name = find_names(forms)[index]
        value = classify_appositive(is_name[: len(joined)], is_name[len(joined) :])
        appositive[joined] = appositive[joined + 1] = value
        side[joined], side[joined + 1] = np.where(value > 0, 1, 0), np.where(value > 0, 2, 0)
    # the gap after the second form of a pair begins with the closing bracket, if there is one
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
    own = np.concatenate(([0], np.where(link > 0, 1 << link, 0))).astype(np.uint8)
    bits = np.bitwise_or.reduceat(own, first)
    bits = np.where((bits > 0) & _has_correlative(column, starts[first]), bits | (1 << _COMPLEX), bits)[group]
    bits = bits.astype(np.uint8)
    kind = classify_list(bits, members)
    return MentionChains(kind, _position(kind, place, members), appositive, side, members, place, bits)


def _is_after_conjunction(link: Ints, pair: Flags) -> Flags:
    """Commas after a conjunction: what it brings is a list's last member (*with A or B, C rises*)."""
    before = np.concatenate(([0], link[:-1]))
    beyond_pair = np.concatenate(([0, 0], link[:-2]))[: len(link)]
    previous = np.where(np.concatenate(([False], pair[:-1])), beyond_pair, before)
    comma = (link == _COMMA) | (link == _COMPLEX_COMMA)
    flags: Flags = comma & ((previous == _CONJUNCTION) | (previous == _COMPLEX))
    return flags


def _has_correlative(column: TextColumn, starts: Ints) -> Flags:
    """Before which places *both*, *either* or *neither* stands."""
    pieces, index = column.distinct_pieces(np.maximum(starts - 9, column.starts[column.rows[starts]]), starts)
    found = np.fromiter((_CORRELATIVE.search(p) is not None for p in pieces), dtype=bool, count=len(pieces))
    flags: Flags = found[index]
    return flags


def _has_no_bracket(column: TextColumn, places: Ints) -> Flags:
    code = column.codes[np.minimum(places, column.size - 1)]
    flags: Flags = ~np.isin(code, [ord(")"), ord("]")])
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
    known: MentionChains,
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """List type and position of mentions that overlap no gold mention: as if each were one more gold mention.

    `zones` are the starts, ends and sentences of the gold zones, `known` their chains.
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
    before = np.where((known.side[left] == 2) & (closed != _NO), closed, before)
    behind, _ = classify_links(
        column, ends, zone_starts[right], has_right & (zone_sentence[right] == sentence)
    )
    before, behind = np.where(before >= _BRACKET, _NO, before), np.where(behind >= _BRACKET, _NO, behind)
    on_left, on_right = before != _NO, behind != _NO
    place = np.where(on_left, known.chain_positions[left] + 1, 0)
    members = place + 1 + np.where(on_right, known.chain_sizes[right] - known.chain_positions[right], 0)
    bits = np.where(on_left, known.link_bits[left] | (1 << before), 0)
    bits = (bits | np.where(on_right, known.link_bits[right] | (1 << behind), 0)).astype(np.uint8)
    kind = classify_list(bits, members)
    return kind, _position(kind, place, members)
