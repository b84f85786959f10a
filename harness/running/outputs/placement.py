"""Mentions in the texts that were sent, and how each case fared: what parsing a tagger's output gives."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ..outcomes import Fault
from ..specification import Specification

MATCH_KINDS = ("identical", "whitespace", "canonical", "aligned")
"""How the text of a case was found in what the tagger printed."""
EXACT, CHANGED, AMBIGUOUS, INVENTED = STATUSES = ("exact", "changed", "ambiguous", "invented")
"""What can be said of the place of a string that was answered without offsets."""
Fragments = tuple[tuple[int, int], ...]


class Mention(NamedTuple):
    """Mention in the text of a case, or a string that occurs nowhere in it.

    Attributes
    ----------
    case : int
        Place of its case in the batch.
    start, end : int
        Code points of the case's text; of a discontinuous mention the hull; -1 for an invented string.
    type : str
        The tagger's own type; empty where it gives none.
    score : float
    identifiers : str
        ``AUTHORITY:ID`` or ``ID``, several joined by ``|``; empty where the tagger gives none.
    fragments : tuple of (start, end)
        Of a discontinuous mention.
    text, status : str
        Of a form without offsets: the string that was answered, and one of `STATUSES`.
    """

    case: int
    start: int
    end: int
    type: str
    score: float = math.nan
    identifiers: str = ""
    fragments: Fragments = ()
    text: str = ""
    status: str = ""


@dataclass
class Placement:
    """Mentions in the texts of some cases, and how each case fared.

    Attributes
    ----------
    case_count : int
        Number of cases.
    mentions : list of Mention
    match_kinds : dict of int to str
        How each answered case was placed, one of `MATCH_KINDS`.
    unplaced : Counter of int
        Mentions of each case that have no place.
    faults : dict of int to Fault
        Cases whose record cannot be used: ``garbage``, ``encoding``, ``duplicate``, ``short``.
    strays : int
        Records that belong to no case.
    doubtful_count : int
        Records that may be some unanswered case's, which nothing but their order says.
    stray_problem : str
        What was found in the first of the `strays` that could not be read.
    stripped : set of int
        Cases in whose answers something stood around the strings, or a string was empty.
    tokens : dict of int to (float, float)
        What a model read and wrote for a case, where the output says it; NaN where it does not.
    undeclared_tags : Counter of str
        Tags in refused records that the specification does not list.
    lines : dict of int to list of int
        Lines of the output, counted from 0, that are about each case; only in forms of lines.
    replies : dict of int to str
        The beginning of what the tagger answered to cases whose replies are kept.
    is_silent : bool
        Whether nothing at all was printed.
    """

    case_count: int
    mentions: list[Mention] = field(default_factory=list)
    match_kinds: dict[int, str] = field(default_factory=dict)
    unplaced: Counter[int] = field(default_factory=Counter)
    faults: dict[int, Fault] = field(default_factory=dict)
    strays: int = 0
    doubtful_count: int = 0
    stray_problem: str = ""
    stripped: set[int] = field(default_factory=set)
    tokens: dict[int, tuple[float, float]] = field(default_factory=dict)
    undeclared_tags: Counter[str] = field(default_factory=Counter)
    lines: dict[int, list[int]] = field(default_factory=dict)
    replies: dict[int, str] = field(default_factory=dict)
    is_silent: bool = True

    def refuse(self, case: int, outcome: str, why: str) -> None:
        """Note that the record of a case cannot be used."""
        self.faults[case] = Fault(outcome, why)
        self.match_kinds.pop(case, None)

    def is_complete(self, failed: Iterable[int] = ()) -> bool:
        """Return True if every case is answered, but for those that failed, and nothing else was printed."""
        answered = len({*self.match_kinds, *failed}) == self.case_count
        return answered and not self.strays and not self.faults

    def add(self, places: Sequence[int], found: Placement) -> None:
        """Add the results of the cases at some places; mentions of cases without an answer are left out."""
        self.mentions += [Mention(places[m[0]], *m[1:]) for m in found.mentions if m[0] in found.match_kinds]
        self.match_kinds |= {places[case]: way for case, way in found.match_kinds.items()}
        self.unplaced += Counter({places[c]: n for c, n in found.unplaced.items() if c in found.match_kinds})
        self.faults |= {places[case]: fault for case, fault in found.faults.items()}
        self.strays += found.strays
        self.doubtful_count += found.doubtful_count
        self.stray_problem = self.stray_problem or found.stray_problem
        self.stripped |= {places[case] for case in found.stripped if case in found.match_kinds}
        self.tokens |= {places[case]: tokens for case, tokens in found.tokens.items()}
        self.undeclared_tags += found.undeclared_tags
        self.replies |= {places[case]: reply for case, reply in found.replies.items()}
        self.is_silent = self.is_silent and found.is_silent


class StringAnswer(NamedTuple):
    """String that was answered without offsets.

    Attributes
    ----------
    mention : Mention
        The string with its case and type.
    mention_row : int or None
        The row of the mention that it became; None for an invented string.
    """

    mention: Mention
    mention_row: int | None


class NormalisedMentions(NamedTuple):
    """Mentions as the run folder has them, and what became of the others.

    Attributes
    ----------
    mentions : list of Mention
        Types as ours; sorted by case, start, end, fragments and type.
    strings : list of Answered
        Strings that were answered without offsets, by case and in their order there.
    merged : int
        Mentions that were merged with another of the same text, span and type.
    unmapped : dict
        Types that the type map does not know or drops, with their number.
    dropped : list of str
        Those that it drops.
    """

    mentions: list[Mention]
    strings: list[StringAnswer]
    merged: int
    unmapped: dict[str, int]
    dropped: list[str]


def normalise_mentions(mentions: Iterable[Mention], spec: Specification) -> NormalisedMentions:
    """Map the types of mentions, sort them, and merge those that repeat each other.

    Parameters
    ----------
    mentions : iterable of Mention
        In the order in which they were answered.
    spec : Specification
        Its type map, its default type, and what it wants of duplicates.
    """
    found = list(mentions)
    counts = Counter(m.type for m in found if m.status != INVENTED)
    types = {m.type: map_type(m.type, spec) for m in found}
    seen = [(name, *types[name]) for name in sorted(types) if counts[name]]
    unmapped = {name: counts[name] for name, _, is_known in seen if not is_known}
    dropped = [name for name, ours, _ in seen if not ours]
    kept = [m if m.type == ours else m._replace(type=ours) for m in found if (ours := types[m.type][0])]
    merges = spec.output.duplicates == "merge"
    rows: list[Mention] = []
    row_of: dict[int, int] = {}
    merged = 0
    # each with its row: equal places stay in the order of the answers
    order = sorted((_get_sort_key(m), row) for row, m in enumerate(kept) if m.status != INVENTED)
    for _, same in groupby(order, key=lambda entry: entry[0][:-1]):
        copies = [number for _, number in same]
        row_of |= {number: len(rows) + (0 if merges else i) for i, number in enumerate(copies)}
        own = [kept[number] for number in copies]
        merged += len(own) - 1 if merges else 0
        rows += [_merge_copies(own)] if merges and len(own) > 1 else own
    said = sorted((i for i, m in enumerate(kept) if m.status), key=lambda i: kept[i].case)
    single = list(_skip_repeats(kept, said)) if merges and said else said
    strings = [StringAnswer(kept[i], row_of.get(i)) for i in single]
    merged += len(said) - len(single)
    return NormalisedMentions(rows, strings, merged, unmapped, dropped)


def _get_sort_key(mention: Mention) -> tuple[int, int, int, Fragments, str, tuple[bool, float]]:
    """Return what mentions are sorted by; a missing score comes last."""
    case, start, end, kind, score, _, fragments, *_ = mention
    return case, start, end, fragments, kind, (math.isnan(score), 0.0 if math.isnan(score) else score)


def _merge_copies(copies: list[Mention]) -> Mention:
    """Return one mention for several that differ in score and identifiers: the highest score is kept."""
    score = max((m.score for m in copies if not math.isnan(m.score)), default=math.nan)
    names = dict.fromkeys(name for m in copies for name in m.identifiers.split("|") if name)
    return copies[0]._replace(score=score, identifiers="|".join(names))


def _skip_repeats(mentions: Sequence[Mention], rows: Iterable[int]) -> Iterator[int]:
    """Yield the rows of strings, of equal invented ones of a case and type the first."""
    seen: set[tuple[int, str, str]] = set()
    for row in rows:
        own = mentions[row]
        name = (own.case, own.type, own.text)
        if own.status != INVENTED or name not in seen:
            yield row
        if own.status == INVENTED:
            seen.add(name)


def map_type(name: str, spec: Specification) -> tuple[str, bool]:
    """Return our type for a tagger's, empty when it is dropped; and whether the map keeps it.

    A mention without a type is of the specification's default type, which is ours already, unless the map
    says another.
    """
    if not name and "" not in spec.types:
        return spec.types.get("*") or spec.output.type, True
    if not spec.types:
        return name, True
    ours = spec.types.get(name, spec.types.get("*"))
    return (name, False) if ours is None else (ours, bool(ours))


def describe_undeclared(counts: Mapping[str, int]) -> str:
    """Say which tags were found that the specification does not list."""
    found = ", ".join(f"<{name}> {n} time{'' if n == 1 else 's'}" for name, n in sorted(counts.items()))
    return f"found {found}; output.tags does not list {'it' if len(counts) == 1 else 'them'}"
