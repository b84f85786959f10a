"""Aligned mentions, their normalisation, and the state of each case after its output was parsed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ..outcomes import Fault
from ..specification import Specification

MATCH_KINDS = ("identical", "whitespace", "canonical", "aligned")
"""Ways in which the text in the output may match the text of its case, from exact to approximate."""
EXACT, CHANGED, AMBIGUOUS, INVENTED = STATUSES = ("exact", "changed", "ambiguous", "invented")
"""Statuses of strings without offsets; a status describes how the position of a string was found."""
Fragments = tuple[tuple[int, int], ...]


class Mention(NamedTuple):
    """Mention in the text of a case, or a returned string that does not occur in the text.

    Attributes
    ----------
    case : int
        Position of its case in the batch.
    start, end : int
        Span of the mention in code points, from its first to its last fragment; -1 if the string
        does not occur in the text.
    type : str
        The tagger's type; empty if it gives none.
    score : float
    identifiers : str
        ``AUTHORITY:ID`` or ``ID``; separated by ``|`` if there are several, empty if there are none.
    fragments : tuple of (start, end)
        Fragments of a discontinuous mention.
    text, status : str
        The string in the answer and its status (one of `STATUSES`), if the output has no offsets.
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
    """Aligned mentions of some cases, and the state of each case.

    A record is the part of the output that belongs to one case.

    Attributes
    ----------
    case_count : int
        Number of cases.
    mentions : list of Mention
    match_kinds : dict of int to str
        Kind of alignment (one of `MATCH_KINDS`) of each answered case.
    unplaced : Counter of int
        Number of mentions without a position, by case.
    faults : dict of int to Fault
        Faults of cases whose record cannot be used: ``garbage``, ``encoding``, ``duplicate`` or ``short``.
    strays : int
        Number of records that belong to no case.
    doubtful_count : int
        Number of records that were assigned to a case only by their order.
    stray_problem : str
        Problem of the first unreadable record that belongs to no case.
    stripped : set of int
        Cases whose answers contain an empty string, or text outside the list of strings.
    tokens : dict of int to (float, float)
        Numbers of input and output tokens of a case; NaN if the output does not contain them.
    undeclared_tags : Counter of str
        Numbers of tags by name, only for tags in unusable records that the specification does not list.
    lines : dict of int to list of int
        Line numbers of each case in the output, counted from 0; only for line-based output forms.
    replies : dict of int to str
        Beginnings of the stored replies, by case.
    is_silent : bool
        True if the output was empty.
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
        """Mark the record of a case as unusable; `why` is the reason."""
        self.faults[case] = Fault(outcome, why)
        self.match_kinds.pop(case, None)

    def is_complete(self, failed: Iterable[int] = ()) -> bool:
        """Return True if all cases except `failed` are answered, and no record is stray or unusable."""
        answered = len({*self.match_kinds, *failed}) == self.case_count
        return answered and not self.strays and not self.faults

    def add(self, places: Sequence[int], other: Placement) -> None:
        """Add the results of some of the cases; `places` are the positions of these cases in the batch."""
        self.mentions += [Mention(places[m[0]], *m[1:]) for m in other.mentions if m[0] in other.match_kinds]
        self.match_kinds |= {places[case]: kind for case, kind in other.match_kinds.items()}
        self.unplaced += Counter({places[c]: n for c, n in other.unplaced.items() if c in other.match_kinds})
        self.faults |= {places[case]: fault for case, fault in other.faults.items()}
        self.strays += other.strays
        self.doubtful_count += other.doubtful_count
        self.stray_problem = self.stray_problem or other.stray_problem
        self.stripped |= {places[case] for case in other.stripped if case in other.match_kinds}
        self.tokens |= {places[case]: tokens for case, tokens in other.tokens.items()}
        self.undeclared_tags += other.undeclared_tags
        self.replies |= {places[case]: reply for case, reply in other.replies.items()}
        self.is_silent = self.is_silent and other.is_silent


class StringAnswer(NamedTuple):
    """String that was returned without offsets.

    Attributes
    ----------
    mention : Mention
        The string with its case and type.
    mention_row : int or None
        Row of the mention that was made from the string; None if the string does not occur in the text.
    """

    mention: Mention
    mention_row: int | None


class NormalisedMentions(NamedTuple):
    """Mentions as they are stored in a run folder, and counts of merged and dropped mentions.

    Attributes
    ----------
    mentions : list of Mention
        Mentions with mapped types, sorted by case, start, end, fragments and type.
    strings : list of StringAnswer
        Strings that were returned without offsets, in the order of cases and answers.
    merged : int
        Number of mentions that were merged with another mention of the same text, span and type.
    unmapped : dict
        Number of mentions by type, for types that the type map drops or does not list.
    dropped : list of str
        Types that the type map drops.
    """

    mentions: list[Mention]
    strings: list[StringAnswer]
    merged: int
    unmapped: dict[str, int]
    dropped: list[str]


def normalise_mentions(mentions: Iterable[Mention], spec: Specification) -> NormalisedMentions:
    """Map the types of mentions, sort them, and merge duplicates.

    Parameters
    ----------
    mentions : iterable of Mention
        Mentions in the order of the answers.
    spec : Specification
        Specification with the type map, the default type, and the treatment of duplicates.
    """
    all_mentions = list(mentions)
    counts = Counter(m.type for m in all_mentions if m.status != INVENTED)
    types = {m.type: map_type(m.type, spec) for m in all_mentions}
    seen = [(name, *types[name]) for name in sorted(types) if counts[name]]
    unmapped = {name: counts[name] for name, _, is_known in seen if not is_known}
    dropped = [name for name, mapped_type, _ in seen if not mapped_type]
    mapped = [m if m.type == new else m._replace(type=new) for m in all_mentions if (new := types[m.type][0])]
    merges = spec.output.duplicates == "merge"
    rows: list[Mention] = []
    row_of: dict[int, int] = {}
    merged = 0
    # with the row, so that equal mentions stay in the order of the answers
    # missing scores come last
    order = sorted(
        ((m.case, m.start, m.end, m.fragments, m.type), math.inf if math.isnan(m.score) else m.score, row)
        for row, m in enumerate(mapped)
        if m.status != INVENTED
    )
    for _, same in groupby(order, key=lambda entry: entry[0]):
        copies = [number for *_, number in same]
        row_of |= {number: len(rows) + (0 if merges else i) for i, number in enumerate(copies)}
        same_mentions = [mapped[number] for number in copies]
        merged += len(same_mentions) - 1 if merges else 0
        rows += [_merge_copies(same_mentions)] if merges and len(same_mentions) > 1 else same_mentions
    string_rows = sorted((i for i, m in enumerate(mapped) if m.status), key=lambda i: mapped[i].case)
    # of equal invented strings with the same case and type, only the first counts
    first_rows: dict[object, int] = {}
    for i in string_rows:
        m = mapped[i]
        first_rows.setdefault((m.case, m.type, m.text) if merges and m.status == INVENTED else i, i)
    strings = [StringAnswer(mapped[i], row_of.get(i)) for i in first_rows.values()]
    merged += len(string_rows) - len(first_rows)
    return NormalisedMentions(rows, strings, merged, unmapped, dropped)


def _merge_copies(copies: list[Mention]) -> Mention:
    """Merge mentions with the same span and type: keep the highest score and all identifiers."""
    score = max((m.score for m in copies if not math.isnan(m.score)), default=math.nan)
    names = dict.fromkeys(name for m in copies for name in m.identifiers.split("|") if name)
    return copies[0]._replace(score=score, identifiers="|".join(names))


def map_type(name: str, spec: Specification) -> tuple[str, bool]:
    """Map a tagger's type to a type in tagsuite; return this type, and whether the mention is kept.

    A mention without a type gets the default type of the specification, unless the map has an entry for it.
    """
    if not name and "" not in spec.types:
        return spec.types.get("*") or spec.output.type, True
    if not spec.types:
        return name, True
    mapped_type = spec.types.get(name, spec.types.get("*"))
    return (name, False) if mapped_type is None else (mapped_type, bool(mapped_type))


def describe_undeclared(counts: Mapping[str, int]) -> str:
    """Return a sentence about tags that the specification does not list."""
    tags = ", ".join(f"<{name}> {n} time{'' if n == 1 else 's'}" for name, n in sorted(counts.items()))
    return f"found {tags}; output.tags does not list {'it' if len(counts) == 1 else 'them'}"
