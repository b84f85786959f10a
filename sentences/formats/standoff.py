"""Reader and writer of stand-off lines, as in brat (``.ann``) and the BioNLP shared tasks (``.a1``, ``.a2``).

The first letter gives the kind of a line: ``T`` text-bound mention, ``N`` normalisation, ``R`` relation,
``E`` event, ``*`` equivalence. An event becomes a relation whose first argument has the role ``trigger``.
Attributes (``A``, ``M``) and notes (``#``) are only counted, because a corpus cannot store them. Sources: the
brat manual ("standoff format") and the BioNLP-ST 2019 Bacteria Biotope task.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from os import PathLike

from ...catalogues.core.errors import InputError
from ...catalogues.core.numbers import WHOLE_NUMBER
from ...catalogues.core.offsets import OffsetMap
from ..corpus import Corpus
from .base import split_lines
from .draft import Draft
from .problems import describe_missing_fields
from .records import MentionRecords
from .views import RelationView, TextView

_BRAT_REFERENCE = re.compile(r"\S+ (T\S+) ([^\s:]*):(\S+)")
_TASK_REFERENCE = re.compile(r"(\S+)\s+Annotation:(T\S+)\s+Referent:(\S+)")
EXPECTED_MENTION_LINE = "T1<tab>Type start end[;start end]<tab>text"
"""Form of a text-bound (``T``) line, for messages."""
TRIGGER_ROLE = "trigger"
LinePlace = tuple[str | PathLike[str] | None, int]
"""Type of a pair of file and line number."""


@dataclass
class StandoffLines:
    """Content of the stand-off lines about one text.

    In the attributes, `place` is a pair of file and line number.

    Attributes
    ----------
    mention_places : dict of str to int
        Index of each mention in `MentionRecords`, keyed by the id of its text-bound line.
    references : list of (place, id of the line, id of the mention, authority, identifier)
        Normalisation lines.
    relations : dict of str to (place, type, list of (role, id))
        Relation and event lines, keyed by line id.
    equivalences : list of (place, ids)
        Equivalence lines.
    dropped : Counter
        Number of lines that cannot be stored in a corpus, keyed by the first letter of the line.
    """

    mention_places: dict[str, int] = field(default_factory=dict)
    references: list[tuple[LinePlace, str, str, str, str]] = field(default_factory=list)
    relations: dict[str, tuple[LinePlace, str, list[tuple[str, str]]]] = field(default_factory=dict)
    equivalences: list[tuple[LinePlace, list[str]]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def parse(
    content: bytes, records: MentionRecords, earlier: StandoffLines | None = None, *, texts: bool = True
) -> StandoffLines:
    """Parse stand-off lines; in tagger output, relations, events and equivalences are ignored.

    Parameters
    ----------
    content : bytes
        Content of the file, in UTF-8.
    records : MentionRecords
        Object that receives mentions and problems.
    earlier : StandoffLines, optional
        Lines of an earlier file about the same text (the ``.a1`` file before the ``.a2`` file), to which the
        parsed lines are added.
    texts : bool
        Whether each text-bound line of a corpus must contain the text of the mention.
    """
    lines = StandoffLines() if earlier is None else earlier
    for number, line in enumerate(split_lines(content.decode()), start=1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        key, _, rest = line.partition("\t")
        kind = line[0]
        wrong: tuple[str, str] | None = None
        if records.strict and (key in lines.mention_places or key in lines.relations):
            wrong = f"duplicate id {key}", "unique ids in each text"
        elif kind == "T":
            wrong = _mention(lines, records, number, key, rest, texts)
        elif kind in "NRE*":
            if records.strict or kind == "N":
                wrong = _link(lines, (records.file, number), key, rest)
            # in tagger output, only problems with mentions matter
            wrong = wrong if records.strict else None
        elif kind in "AM#":
            lines.dropped[kind] += 1
        else:
            wrong = "unknown kind of line", "lines that begin with T, N, R, E, A, M, # or *"
        if wrong:
            concerns = records.expected_name if kind == "T" else None
            records.refuse(concerns, wrong[0], line, line=number, allowed=wrong[1])
    if not records.strict:
        for _, _, mention, authority, identifier in lines.references:
            if mention in lines.mention_places:
                records.identifiers.append((lines.mention_places[mention], authority, identifier))
    return lines


def _mention(
    lines: StandoffLines, records: MentionRecords, number: int, key: str, rest: str, texts: bool
) -> tuple[str, str] | None:
    """Add the mention in a text-bound line, or return a problem and the allowed form of the line."""
    head, tab, text = rest.partition("\t")
    name, _, spans = head.partition(" ")
    if WHOLE_NUMBER.fullmatch(name):
        # offsets without a type
        name, spans = "", head
    pairs = [(start, end) for start, _, end in (part.partition(" ") for part in spans.split(";"))]
    needs_text = records.strict and texts and not tab
    if not name or needs_text or not all(start and end for start, end in pairs):
        starts, ends = (all(edges) for edges in zip(*pairs, strict=True))
        has_field = {"id": True, "type": bool(name), "start": starts, "end": ends, "text": bool(tab)}
        missing = [field for field, has in has_field.items() if not has and (needs_text or field != "text")]
        present = [field for field, has in has_field.items() if has]
        return describe_missing_fields("a text-bound line", missing, present), EXPECTED_MENTION_LINE
    added = records.add(records.expected_name, pairs, name, text=text if tab else None, line=number)
    if added:
        lines.mention_places[key] = len(records) - 1
    return None


def _link(lines: StandoffLines, place: LinePlace, key: str, rest: str) -> tuple[str, str] | None:
    """Add a line that refers to mentions or relations, or return a problem and the allowed form."""
    kind = key[:1]
    if kind == "N":
        head = rest.partition("\t")[0]
        task, brat = _TASK_REFERENCE.fullmatch(head), _BRAT_REFERENCE.fullmatch(head)
        if task:
            lines.references.append((place, key, task[2], task[1], task[3]))
        elif brat:
            lines.references.append((place, key, brat[1], brat[2], brat[3]))
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
            # the type of a relation has no target
            pairs = [] if pairs[0][1] else pairs[1:]
        if not name or not pairs or not all(role and target for role, target in pairs):
            return "not a relation or event line", "R1<tab>Type Role:T1 Role:T2, or E1<tab>Type:T1 Role:T2"
        lines.relations[key] = (place, name, pairs)
    else:
        name, *members = rest.split() or [""]
        if key != "*" or name != "Equiv" or len(members) < 2:
            return "not an equivalence line", "*<tab>Equiv T1 T2 …"
        lines.equivalences.append((place, members))
    return None


def add_links(draft: Draft, parsed: list[StandoffLines]) -> None:
    """Add all normalisations, relations and equivalences, and notes about dropped lines, to a draft."""
    dropped: Counter[str] = Counter()
    for row, lines in enumerate(parsed):
        dropped += lines.dropped
        _links(draft, lines, row)
    names = {"A": "attributes (A)", "M": "modifications (M)", "#": "notes (#)"}
    draft.notes += [f"{count} {names[kind]} were dropped" for kind, count in sorted(dropped.items())]


def _links(draft: Draft, lines: StandoffLines, row: int) -> None:
    """Add the normalisations, relations and equivalences of a text to a draft.

    Raises InputError if an id is unknown.
    """

    def mention(key: str, place: LinePlace) -> int:
        if key not in lines.mention_places:
            raise InputError(
                "reference to an unknown id",
                file=place[0],
                line=place[1],
                found=key,
                allowed="the id of a T line",
            )
        return lines.mention_places[key]

    for place, _, key, authority, identifier in lines.references:
        draft.normalisations.append((mention(key, place), authority, identifier))
    base = 1 + max((r[0] for r in draft.relations), default=-1)
    numbers = {key: base + i for i, key in enumerate(lines.relations)}
    for key, (place, kind, arguments) in lines.relations.items():
        for role, target in arguments:
            if target in numbers:
                draft.relations.append((numbers[key], row, kind, role, -1, numbers[target]))
            else:
                draft.relations.append((numbers[key], row, kind, role, mention(target, place), -1))
    for place, members in lines.equivalences:
        number = 1 + max((e[0] for e in draft.equivalences), default=-1)
        draft.equivalences += [(number, mention(key, place)) for key in members]


def format_mention_lines(text: TextView, offsets: OffsetMap, row: int, names: dict[int, str]) -> list[str]:
    """Return the text-bound (``T``) lines of a text; `names` maps mention ids to line ids such as ``T1``."""
    lines = []
    for mention in text.mentions:
        spans = ";".join(f"{a} {b}" for a, b in offsets.spans_to_unit(row, mention.spans))
        shown = to_one_line(" ".join(text.text[a:b] for a, b in mention.spans))
        lines.append(f"{names[mention.mention_id]}\t{mention.type} {spans}\t{shown}\n")
    return lines


def to_one_line(text: str) -> str:
    """Replace line breaks and tabs in a text with spaces."""
    return re.sub(r"[\n\r\t]", " ", text)


def format_relation_lines(
    relations: list[RelationView], names: dict[int, str], ids: dict[int, str]
) -> list[str]:
    """Return relation and event lines; `names` and `ids` give the line ids of mentions and relations."""
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
    """Return line ids for the relations of a text: ``E1`` … if they have a trigger, otherwise ``R1`` …."""
    counts: Counter[str] = Counter()
    line_ids = {}
    for relation in relations:
        letter = "E" if any(a.role == TRIGGER_ROLE for a in relation.arguments) else "R"
        counts[letter] += 1
        line_ids[relation.relation_id] = f"{letter}{counts[letter]}"
    return line_ids


def check_names(corpus: Corpus, format_name: str) -> None:
    """Raise InputError if a type or role cannot be written in a stand-off line."""
    words = set(corpus.mentions["type"])
    if corpus.relations is not None:
        words |= set(corpus.relations["type"]) | set(corpus.relations["role"])
    for word in sorted(words):
        if not word or re.search(r"[\s:;]", word):
            raise InputError(
                f"format {format_name} cannot store this type or role",
                found=word,
                allowed="names without white space, : or ;",
            )
