"""Oracle for coverage: which entities fit which slots, and what a suite covers, by plain rules and sets.

It shares no code with the generator, which uses classes and matrices.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tagsuite.catalogues.entity_features import entity_features
from tagsuite.catalogues.feature import Feature
from tagsuite.catalogues.organisms import list_groups
from tagsuite.catalogues.query import Query
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.generator.case_limits import SCOPES
from tagsuite.generator.covering.combinations import closed_features
from tagsuite.generator.covering.coverage import Coverage, measure_coverage
from tagsuite.generator.material import Material
from tagsuite.generator.part_options import PartOptions
from tagsuite.sentences.corpus import join_feature_tables
from tagsuite.sentences.suites import CASES_FILE, MENTIONS_FILE, read_feature_tables, read_frame
from tagsuite.sentences.words import read_determiners, read_gene_words, read_word_list

ASKED = (
    "accepts",
    "expects",
    "slot.species",
    "number",
    "head",
    "slot.function",
    "preceding_word",
    "following_word",
    "position",
)
NOUNS = ("label", "dna", "article")
"""Groups of nouns at the end of a name that the rules distinguish."""
Flags = NDArray[np.bool_]
Condition = Callable[[dict[str, Any]], bool]
GROUP = [*ASKED, *(f"beside.{c}" for c in ASKED), "base", "beside.base", "held"]
"""Properties of slots that determine which entities fit them."""


@dataclass(frozen=True)
class Standing:
    """Slots of the sentences that can be filled, and the entities that fit them.

    Attributes
    ----------
    slots : DataFrame
        `context_id`, `slot`, and the group of each slot.
    groups : dict of int to array
        Rows of the entities that fit the slots of each group.
    """

    slots: pd.DataFrame
    groups: dict[int, NDArray[np.int64]]


def standing(entities: pd.DataFrame, slots: pd.DataFrame, part: PartOptions) -> Standing:
    """Return which entities fit which slots of a part."""
    entities = _described(entities)
    queries = {-1: part.entities, **{int(p) - 1: q for p, q in part.slots.items()}}
    chosen = {at: _asked(entities, query) for at, query in queries.items()}
    table = slots[["context_id", "slot"]].copy()
    for column in ASKED:
        table[column] = (
            slots[column].astype("str").where(slots[column].notna(), "") if column in slots else ""
        )
    # of the words beside a slot only what they are counts
    species, labels = read_word_list("species"), read_gene_words("label")
    table["preceding_word"] = [
        "determiner" if word in read_determiners() else "species" if word in species else ""
        for word in table["preceding_word"].tolist()
    ]
    table["following_word"] = ["label" if word in labels else "" for word in table["following_word"].tolist()]
    table["base"] = table["slot"].where(table["slot"].isin(list(queries)), -1)
    own = part.appositives == "own"
    table = _with_partners(table, slots if own else None)
    # who stands in apposition has to be what the grammar asks, whoever else may stand anywhere
    table["held"] = (table["beside.base"] > -2).astype(int)
    numbers = table.groupby(GROUP, sort=False).ngroup()
    sorts, sort = _sorts(entities)
    partner = _partners(entities)
    form = pd.factorize(entities["data"])[0]
    found: dict[int, NDArray[np.int64]] = {}
    sizes: dict[int, int] = {}
    alike: dict[int, int] = {}
    first_such: dict[bytes, int] = {}
    answers: dict[Any, Flags] = {}

    def those(slot: dict[str, Any], beside: str) -> Flags:
        """Return the entities selected for a slot or its partner, and the requirements of the slot."""
        good = np.ones(len(sorts), dtype=bool)
        for asked, holds in _asked_by(slot, part, beside):
            if asked not in answers:
                answers[asked] = np.array([holds(entity) for entity in sorts], dtype=bool)
            good &= answers[asked]
        return np.asarray(good[sort] & chosen[slot[f"{beside}base"]], dtype=bool)

    every, firsts = np.unique(numbers.to_numpy(), return_index=True)
    asking: list[dict[str, Any]] = table.iloc[firsts].to_dict("records")  # type: ignore[assignment]  # of names
    for number, slot in zip(every.tolist(), asking, strict=True):
        here = those(slot, "")
        if slot["beside.base"] > -2:
            here &= (partner >= 0) & those(slot, "beside.")[partner]
        alike[number] = first_such.setdefault(here.tobytes(), number)
        if alike[number] == number:
            found[number] = np.flatnonzero(here)
            sizes[number] = int(np.count_nonzero(np.bincount(form[here])))
    # groups that the same entities fit are one
    table["group"] = numbers.map(alike).to_numpy()
    many = table.groupby("context_id")["slot"].transform("size")
    needed = many if not part.repeat_forms else many.clip(upper=1)
    needed = needed.where(~((table["beside.base"] > -2) & (needed == 2)), 1)
    needed = needed.where(table["base"] == -1, 1)
    lost = table.loc[table["group"].map(sizes) < needed, "context_id"]
    return Standing(table[~table["context_id"].isin(lost)], found)


def _described(entities: pd.DataFrame) -> pd.DataFrame:
    """Return entities with the properties that slots require, as columns of strings."""
    frame = entities.reset_index(drop=True)
    # as what it reads the form says, whatever the catalogue states
    lacking = [c for c in ("plural_position", "contains_function_word") if c not in frame]
    read = entity_features(frame["data"], columns=["name_vs_symbol", *lacking])
    stated: dict[str, Any] = {
        name: frame[name].astype("str").where(frame[name].notna(), "") if name in frame else ""
        for name in ("kind", "species", "function", "name_vs_symbol", "source_authority", "source_id")
    }
    if "source_type" in frame:
        # a sentence or a page is no entry, for it may hold several genes; a place in it with two names is
        origin = frame["source_type"].astype("str")
        place = (
            frame.get("original_form_in_source", pd.Series("", index=frame.index)).astype("str").fillna("")
        )
        several = origin.isin(["literature", "website"])
        whole = (stated["source_id"] + " " + place).where((stated["source_id"] != "") & (place != ""), "")
        stated["source_id"] = stated["source_id"].mask(several, whole)
    places, words = (
        (read if c in lacking else frame)[c] for c in ("plural_position", "contains_function_word")
    )
    plural = [
        ("initial" if w else "final") in (str(p) if p == p and p is not None else "")
        for p, w in zip(places.astype("object").tolist(), words.fillna(0).tolist(), strict=True)
    ]
    stated |= {"reads": read["name_vs_symbol"].astype("str"), "plural": plural}
    forms = [form.lower().split() for form in frame["data"].tolist()]
    stated["last"] = [
        w[-1] if len(w) > 1 and any(w[-1] in read_gene_words(use) for use in NOUNS) else "" for w in forms
    ]
    stated["first"] = [
        w[0] if len(w) > 1 and w[0].lower() in read_word_list("species") else ""
        for w in (form.split() for form in frame["data"].tolist())
    ]
    for name, values in stated.items():
        frame[f"~{name}"] = values
    return frame


def _asked(entities: pd.DataFrame, query: str) -> Flags:
    """Return True for entities that a query selects."""
    parsed = Query.parse(query, ("entity",))
    compounds = "compound" in str(parsed)
    return np.asarray(parsed.evaluate(entities) & (compounds | (entities["~kind"] != "compound")), dtype=bool)


def _with_partners(table: pd.DataFrame, slots: pd.DataFrame | None) -> pd.DataFrame:
    """Return slots with the requirements of their partners in appositives; base -2 without a partner."""
    columns = [*ASKED, "base"]
    found: dict[str, list[Any]] = {c: ["" if c in ASKED else -2] * len(table) for c in columns}
    if slots is not None and "appositive_side" in slots:
        sides, ids = slots["appositive_side"].astype("str").tolist(), slots["context_id"].tolist()
        stated = {c: table[c].tolist() for c in columns}
        for at in range(len(sides) - 1):
            if (sides[at], sides[at + 1]) == ("outside", "inside") and ids[at] == ids[at + 1]:
                for column in columns:
                    found[column][at], found[column][at + 1] = stated[column][at + 1], stated[column][at]
    for column in columns:
        table[f"beside.{column}"] = found[column]
    return table


def _sorts(entities: pd.DataFrame) -> tuple[list[dict[str, Any]], NDArray[np.int64]]:
    """Return the distinct combinations of required properties, and the index of each entity's combination."""
    stated = ["~kind", "~species", "~function", "~name_vs_symbol", "~reads", "~plural", "~first", "~last"]
    rows: dict[tuple[Any, ...], int] = {}
    sort = [rows.setdefault(v, len(rows)) for v in zip(*(entities[c].tolist() for c in stated), strict=True)]
    return [dict(zip(stated, values, strict=True)) for values in rows], np.array(sort, dtype=np.int64)


def _asked_by(slot: dict[str, Any], part: PartOptions, beside: str) -> Iterator[tuple[Any, Condition]]:
    """Yield the requirements of a slot (or its partner), with the properties that each depends on."""
    accepts, expects, species, number, head, function, before, after, place = (
        slot[f"{beside}{n}"] for n in ASKED
    )
    kinds, (labels, dna_nouns, countable) = accepts.split("|"), map(read_gene_words, NOUNS)
    anything, genes = not accepts or "any" in kinds, "gene" in kinds
    products = genes or "protein" in kinds

    def reads(entity: dict[str, Any]) -> bool:
        return bool(entity["~reads"] == expects)

    def is_of_kind(entity: dict[str, Any]) -> bool:
        both = products and entity["~kind"] in ("", "gene", "entity", "compound")
        return anything or entity["~kind"] in kinds or both

    def is_of_species(entity: dict[str, Any]) -> bool:
        own = entity["~species"]
        return not own or own in list_groups(species) or species in list_groups(own)

    def ends_well(entity: dict[str, Any]) -> bool:
        last = entity["~last"]
        if head or not last:
            return bool(last == head.lower())
        if (after and last in labels) or (last in dna_nouns and not (anything or genes)):
            return False
        return last not in countable or before == "determiner" or bool(entity["~plural"])

    # grammar may be lifted, but not from an apposition, nor from a covering suite
    lifted = part.fillers == "any"
    if expects and (not lifted or slot["held"] or part.combine == "tway"):
        yield ("reads", expects), reads
    if expects and (not lifted or slot["held"]):
        yield ("stated", expects), lambda entity: entity["~name_vs_symbol"] in ("", expects)
    if lifted:
        return
    yield ("kind", accepts), is_of_kind
    if species:
        yield ("species", species), is_of_species
    yield ("end", head, bool(after), before == "determiner", anything or genes), ends_well
    if before == "species":
        yield "beginning", lambda entity: not entity["~first"]
    if place == "initial":
        yield "beginning a sentence", lambda entity: not entity["~first"].islower()
    if function:
        yield ("function", function), lambda entity: function in entity["~function"].split("|")
    if number:
        yield ("number", number), lambda entity: entity["~plural"] == (number == "plural")


def _partners(entities: pd.DataFrame) -> NDArray[np.int64]:
    """Return, for each entity, the first form of the other kind in its entry, or -1.

    Forms that contain each other are not partners.
    """
    first: dict[tuple[str, str, str, str], int] = {}
    columns = ("~source_authority", "~source_id", "~name_vs_symbol", "~kind", "data")
    stated = list(zip(*(entities[c].tolist() for c in columns), strict=True))
    held = {r: t for r, t in enumerate(stated) if t[1] and t[2] in ("name", "symbol") and t[3] != "compound"}
    for row, (authority, source, which, kind, _) in held.items():
        first.setdefault((authority, source, which, kind), row)
    found = np.full(len(entities), -1, dtype=np.int64)
    for row, (authority, source, which, kind, form) in held.items():
        other = first.get((authority, source, "symbol" if which == "name" else "name", kind), -1)
        if other >= 0 and not _repeats(form, stated[other][4]):
            found[row] = other
    return found


def _repeats(one: str, other: str) -> bool:
    """Return True if one form contains the other as a word, ignoring case and hyphens."""
    plain = [f" {form.casefold().replace('-', '')} " for form in (one, other)]
    tidy = [" ".join(p.split()) for p in plain]
    return any(f" {a} " in f" {b} " and " " not in a for a, b in (tidy, tidy[::-1]))


def verified(
    suite: Path,
    material: Material,
    parts: Sequence[PartOptions],
    t: int,
    features: Sequence[str],
) -> Coverage:
    """Return the coverage that the generator reports, after comparing it with the oracle."""
    found = measure_coverage(suite, material, parts, t, features)
    figures = zip(found.table["features"], found.table["attested"], found.table["covered"], strict=True)
    paths = [f.qualified_name for f in closed_features(SCOPES, features)]
    expected = coverage(suite, material, parts, t, paths)
    assert {name: (attested, covered) for name, attested, covered in figures} == expected
    return found


def coverage(
    suite: Path,
    material: Material,
    parts: Sequence[PartOptions],
    t: int,
    features: Sequence[str],
) -> dict[str, tuple[int, int]]:
    """Return, per choice of t features, how many combinations can occur, and how many occur often enough."""
    times = min(part.times for part in parts)
    chosen = [taxonomy().find(name, ("entity", "slot", "context")) for name in features]
    possible: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    occurs: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for part in parts:
        for name, combinations in _possible(material, part, chosen, t):
            possible[name] |= combinations
    mentions = read_frame(suite / MENTIONS_FILE, ())
    mentions = join_feature_tables(mentions, read_feature_tables(suite, mentions))
    cases = read_frame(suite / CASES_FILE, ())
    contexts = material.contexts[~material.contexts["context_id"].isin(material.slots["context_id"])]
    bare = cases[~cases["case_id"].isin(mentions["text_id"])]
    bare = bare[["context_id"]].merge(contexts, on="context_id")
    for choice in itertools.combinations(chosen, t):
        own, around = _parted(choice)
        for values in _values(mentions, [*own, *around]):
            occurs[_name(choice)].update(itertools.product(*values))
        if all(f.scope == "context" for f in choice):
            for values in _values(bare, around):
                occurs[_name(choice)].update(itertools.product(*values))
    return {
        name: (len(found), sum(occurs[name][combination] >= times for combination in found))
        for name, found in possible.items()
        if found
    }


def _possible(
    material: Material, part: PartOptions, chosen: Sequence[Feature], t: int
) -> Iterator[tuple[str, set[tuple[str, ...]]]]:
    entities = material.fillers[material.gold].reset_index(drop=True)
    contexts, slots = material.contexts, material.slots
    if "list_members" in contexts:
        contexts = contexts[contexts["list_members"].isin([0, *part.list_lengths])]
        slots = slots[slots["context_id"].isin(contexts["context_id"])]
    shared = [c for c in contexts.columns if c == "context_id" or c not in slots.columns]
    places = slots.merge(contexts[shared], on="context_id", how="left")
    asked = Query.parse(part.contexts, ("context", "slot"))
    places = places[asked.evaluate(places) & (places["context.type"] == "tp").to_numpy()]
    bare = contexts[~contexts["context_id"].isin(slots["context_id"])]
    bare = bare[asked.evaluate(bare)]
    who = standing(entities, slots, part)
    places = places.merge(who.slots[["context_id", "slot", "group"]], on=["context_id", "slot"])
    here = [(who.groups[int(str(g))], rows) for g, rows in places.groupby("group").indices.items()]
    for choice in itertools.combinations(chosen, t):
        own, around = _parted(choice)
        names, spots = _Combinations(entities, own), _Combinations(places, around)
        found = {a + b for stand, at in here for a in names.of(stand) for b in spots.of(at)}
        if all(f.scope == "context" for f in choice):
            found |= _Combinations(bare, around).of(np.arange(len(bare)))
        yield _name(choice), found


def _parted(choice: Sequence[Feature]) -> tuple[list[Feature], list[Feature]]:
    return [f for f in choice if f.scope == "entity"], [f for f in choice if f.scope != "entity"]


def _name(choice: Sequence[Feature]) -> str:
    return " × ".join(f.qualified_name for side in _parted(choice) for f in side)


class _Combinations:
    """Combinations of values of some features in the rows of a table."""

    def __init__(self, frame: pd.DataFrame, features: Sequence[Feature]) -> None:
        numbers: dict[tuple[tuple[str, ...], ...], int] = {}
        rows = _values(frame, features) if features else itertools.repeat((), len(frame))
        self._row = np.array([numbers.setdefault(values, len(numbers)) for values in rows], dtype=np.int64)
        self._distinct = [set(itertools.product(*values)) for values in numbers]

    def of(self, rows: Any) -> set[tuple[str, ...]]:
        found: Any = np.unique(self._row[rows]) if len(self._row) else []
        return set().union(*(self._distinct[n] for n in found))


def _values(frame: pd.DataFrame, features: Sequence[Feature]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Return the values of each feature per row; nothing if the table lacks a feature."""
    if all(f.column in frame for f in features):
        columns = [[_texts(v, f) for v in frame[f.column].astype("object").tolist()] for f in features]
        yield from zip(*columns, strict=True)


def _texts(value: object, feature: Feature) -> tuple[str, ...]:
    if value is None or value is pd.NA or value != value:
        return ("",)
    if feature.kind == "boolean":
        return ("true" if value else "false",)
    if feature.bins:
        number = int(float(str(value)))
        return (next((b.name for b in feature.bins if number in b), str(number)),)
    return tuple(str(value).split("|")) if feature.kind == "set" else (str(value),)
