"""Stand-off annotation lines, as in brat (``.ann``) and the BioNLP shared tasks (``.a1``, ``.a2``).

``T`` text-bound, ``N`` normalisation, ``R`` relation, ``E`` event, ``*`` equivalence. An event is a relation
whose first argument has the role ``trigger``. Attributes (``A``, ``M``) and notes (``#``) have no place in a
corpus and are counted. Forms: brat's manual ("standoff format") and the BioNLP-ST 2019 Bacteria Biotope
task.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from os import PathLike

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import WHOLE_NUMBER, Unit
from ...catalogues.core.offsets import OffsetMap
from ..corpus import Corpus
from .base import split_lines
from .draft import Draft, place_mentions
from .problems import describe_missing_fields
from .records import MentionRecords
from .views import RelationView, TextView

_BRAT_REFERENCE = re.compile(r"\S+ (T\S+) ([^\s:]*):(\S+)")
_TASK_REFERENCE = re.compile(r"(\S+)\s+Annotation:(T\S+)\s+Referent:(\S+)")
EXPECTED_MENTION_LINE = "T1<tab>Type start end[;start end]<tab>text"
"""A text-bound line."""
TRIGGER_ROLE = "trigger"
LinePlace = tuple[str | PathLike[str] | None, int]
"""File and line."""


@dataclass
class StandoffLines:
    """What the stand-off lines of one text hold beside its mentions, with files and lines.

    Attributes
    ----------
    mention_places : dict of str to int
        Place in the records of each text-bound line, by its id.
    references : list of (place, id of the line, id of the mention, authority, identifier)
    relations : dict of str to (place, type, list of (role, id))
    equivalences : list of (place, ids)
    dropped : counter
        Lines that no corpus has a place for, by their first letter.
    """

    mention_places: dict[str, int] = field(default_factory=dict)
    references: list[tuple[LinePlace, str, str, str, str]] = field(default_factory=list)
    relations: dict[str, tuple[LinePlace, str, list[tuple[str, str]]]] = field(default_factory=dict)
    equivalences: list[tuple[LinePlace, list[str]]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def parse(
    content: bytes, records: MentionRecords, earlier: StandoffLines | None = None, *, texts: bool = True
) -> StandoffLines:
    """Read annotation lines; `earlier` goes on with an earlier file of the same text (``.a2`` after ``.a1``).

    Of a tagger's output, relations, events and equivalences are passed over.

    Parameters
    ----------
    content : bytes
        UTF-8.
    records : Records
        Where the mentions go, under its `name`, and how problems are taken.
    earlier : Standoff, optional
    texts : bool
        Whether a text-bound line must give its text, where lines are read strictly.
    """
    found = StandoffLines() if earlier is None else earlier
    for number, line in enumerate(split_lines(content.decode()), start=1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        key, _, rest = line.partition("\t")
        kind = line[0]
        wrong: tuple[str, str] | None = None
        if records.strict and (key in found.mention_places or key in found.relations):
            wrong = f"the id {key} occurs twice", "ids that are unique in their text"
        elif kind == "T":
            wrong = _mention(found, records, number, key, rest, texts)
        elif kind in "NRE*":
            if records.strict or kind == "N":
                wrong = _link(found, (records.file, number), key, rest)
            # of a tagger's output what says nothing of mentions is passed over
            wrong = wrong if records.strict else None
        elif kind in "AM#":
            found.dropped[kind] += 1
        else:
            wrong = "a line of no known kind", "lines that begin with T, N, R, E, A, M, # or *"
        if wrong:
            concerns = records.expected_name if kind == "T" else None
            records.refuse(concerns, wrong[0], line, line=number, allowed=wrong[1])
    if not records.strict:
        for _, _, mention, authority, identifier in found.references:
            if mention in found.mention_places:
                records.identifiers.append((found.mention_places[mention], authority, identifier))
    return found


def _mention(
    found: StandoffLines, records: MentionRecords, number: int, key: str, rest: str, texts: bool
) -> tuple[str, str] | None:
    """Take in a text-bound line, or give what is wrong with it and what is allowed."""
    head, tab, text = rest.partition("\t")
    name, _, spans = head.partition(" ")
    if WHOLE_NUMBER.fullmatch(name):
        # offsets that no type stands before
        name, spans = "", head
    pairs = [(start, end) for start, _, end in (part.partition(" ") for part in spans.split(";"))]
    needs_text = records.strict and texts and not tab
    if not name or needs_text or not all(start and end for start, end in pairs):
        starts, ends = (all(edges) for edges in zip(*pairs, strict=True))
        there = {"id": True, "type": bool(name), "start": starts, "end": ends, "text": bool(tab)}
        missing = [one for one, here in there.items() if not here and (needs_text or one != "text")]
        known = [one for one, here in there.items() if here]
        return describe_missing_fields("a text-bound line", missing, known), EXPECTED_MENTION_LINE
    added = records.add(records.expected_name, pairs, name, text=text if tab else None, line=number)
    if added:
        found.mention_places[key] = len(records) - 1
    return None


def _link(found: StandoffLines, place: LinePlace, key: str, rest: str) -> tuple[str, str] | None:
    """Take in a line about mentions, or give what is wrong with it and what is allowed."""
    kind = key[:1]
    if kind == "N":
        head = rest.partition("\t")[0]
        task, brat = _TASK_REFERENCE.fullmatch(head), _BRAT_REFERENCE.fullmatch(head)
        if task:
            found.references.append((place, key, task[2], task[1], task[3]))
        elif brat:
            found.references.append((place, key, brat[1], brat[2], brat[3]))
        else:
            return (
                "not a normalisation line",
                "N1<tab>Reference T1 SOURCE:ID<tab>name, or N1<tab>SOURCE Annotation:T1 Referent:ID",
            )
    elif kind in "RE":
        pairs = [cell.partition(":")[::2] for cell in rest.partition("\t")[0].split()]
        name = pairs[0][0] if pairs else ""
        if kind == "E" and name:
            pairs[0] = (TRIGGER_ROLE, pairs[0][1])
        elif pairs:
            # a relation's type stands alone
            pairs = [] if pairs[0][1] else pairs[1:]
        if not name or not pairs or not all(role and target for role, target in pairs):
            return "not a relation or event line", "R1<tab>Type Role:T1 Role:T2, or E1<tab>Type:T1 Role:T2"
        found.relations[key] = (place, name, pairs)
    else:
        name, *members = rest.split() or [""]
        if key != "*" or name != "Equiv" or len(members) < 2:
            return "not an equivalence line", "*<tab>Equiv T1 T2 …"
        found.equivalences.append((place, members))
    return None


def add_annotations(
    draft: Draft,
    records: MentionRecords,
    files: list[str | PathLike[str]],
    parsed: list[StandoffLines],
    unit: Unit,
    check: bool,
) -> None:
    """Put the annotations of all texts of `draft` into it.

    Parameters
    ----------
    draft : Draft
        With its texts.
    records : Records
        The mentions of all texts.
    files : list of path
        The file of each mention.
    parsed : list of Standoff
        One entry a text.
    unit : {"characters", "bytes", "utf16"}
        What offsets count.
    check : bool
        Whether recorded texts must be those at the offsets.
    """
    rows = [row for row, found in enumerate(parsed) for _ in found.mention_places]
    place_mentions(draft, records, rows, (unit,), check=check, files=files)
    draft.types = records.type
    dropped: Counter[str] = Counter()
    for row, found in enumerate(parsed):
        dropped += found.dropped
        _links(draft, found, row)
    names = {"A": "attributes (A)", "M": "modifications (M)", "#": "notes (#)"}
    draft.notes += [f"{count} {names[kind]} not kept" for kind, count in sorted(dropped.items())]


def _links(draft: Draft, found: StandoffLines, row: int) -> None:
    """Normalisations, relations and equivalences of one text; every referent must exist."""

    def mention(key: str, place: LinePlace) -> int:
        if key not in found.mention_places:
            raise InputError(
                "an unknown referent", file=place[0], line=place[1], found=key, allowed="the id of a T line"
            )
        return found.mention_places[key]

    for place, _, key, authority, identifier in found.references:
        draft.normalisations.append((mention(key, place), authority, identifier))
    base = 1 + max((r[0] for r in draft.relations), default=-1)
    numbers = {key: base + i for i, key in enumerate(found.relations)}
    for key, (place, kind, arguments) in found.relations.items():
        for role, target in arguments:
            if target in numbers:
                draft.relations.append((numbers[key], row, kind, role, -1, numbers[target]))
            else:
                draft.relations.append((numbers[key], row, kind, role, mention(target, place), -1))
    for place, members in found.equivalences:
        number = 1 + max((e[0] for e in draft.equivalences), default=-1)
        draft.equivalences += [(number, mention(key, place)) for key in members]


def format_mention_lines(text: TextView, offsets: OffsetMap, row: int, names: dict[int, str]) -> list[str]:
    """``T`` lines of one text; `names` maps mention ids to ``T`` ids."""
    lines = []
    for mention in text.mentions:
        spans = ";".join(f"{a} {b}" for a, b in offsets.spans_to_unit(row, mention.spans))
        shown = to_one_line(" ".join(text.text[a:b] for a, b in mention.spans))
        lines.append(f"{names[mention.mention_id]}\t{mention.type} {spans}\t{shown}\n")
    return lines


def to_one_line(text: str) -> str:
    """A text as a stand-off line can hold it: blanks for line ends and tabs."""
    return re.sub(r"[\n\r\t]", " ", text)


def format_relation_lines(
    relations: list[RelationView], names: dict[int, str], ids: dict[int, str]
) -> list[str]:
    """``R`` and ``E`` lines; `ids` maps relation ids to their ``R`` or ``E`` ids."""
    lines = []
    for relation in relations:
        shown = [
            (a.role, ids[a.relation_id] if a.relation_id >= 0 else names[a.mention_id])
            for a in relation.arguments
        ]
        trigger = [target for role, target in shown if role == TRIGGER_ROLE]
        rest = " ".join(f"{role}:{target}" for role, target in shown if role != TRIGGER_ROLE)
        head = f"{relation.type}:{trigger[0]}" if trigger else relation.type
        lines.append(f"{ids[relation.relation_id]}\t{head} {rest}".rstrip() + "\n")
    return lines


def number_relations(relations: list[RelationView]) -> dict[int, str]:
    """Ids of the relations of one text: ``E`` for those with a trigger, ``R`` for the others, each from 1."""
    counts: Counter[str] = Counter()
    found = {}
    for relation in relations:
        letter = "E" if any(a.role == TRIGGER_ROLE for a in relation.arguments) else "R"
        counts[letter] += 1
        found[relation.relation_id] = f"{letter}{counts[letter]}"
    return found


def check_names(corpus: Corpus, format_name: str) -> None:
    """Refuse types and roles that cannot stand in a stand-off line."""
    words = set(corpus.mentions["type"])
    if corpus.relations is not None:
        words |= set(corpus.relations["type"]) | set(corpus.relations["role"])
    for word in sorted(words):
        if not word or re.search(r"[\s:;]", word):
            raise InputError(
                f"a type or role that format {format_name} cannot carry",
                found=word,
                allowed="no white space, : or ;",
            )
