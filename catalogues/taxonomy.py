"""The taxonomy: every feature of entities, contexts, slots and mentions, read from features.xml."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from os import PathLike
from pathlib import Path

from .core.errors import InputError
from .core.files import read_bundled_bytes
from .core.xml import parse_xml_bytes, parse_xml_file

SCOPES = ("entity", "context", "slot", "mention")
SCOPE_PRECEDENCE = ("mention", "slot", "entity", "context")
"""Whose feature a name without scope means, where several have one of that name."""
SHARED_NAMES = ("type", "position", "source_id", "source_type", "original_form_in_source")
SHARED_SLOT_NAMES = ("species", "function")
"""Names that a feature of slots shares with one of entities; the former's column has the scope before it."""
LIST_PREFIX = "in_list."


@dataclass(frozen=True)
class FeatureValue:
    """A legal value of a closed feature: its long name, the short code of records, and what it means."""

    name: str
    code: str
    definition: str

    @property
    def label(self) -> str:
        """The name with its code, as messages and pages show it."""
        return f"{self.name} ({self.code})" if self.code and self.code != self.name else self.name


@dataclass(frozen=True)
class FeatureBin:
    """A range of whole numbers, both ends included; `high` is None where it has no upper end."""

    name: str
    low: int
    high: int | None

    def __contains__(self, number: int) -> bool:
        return number >= self.low and (self.high is None or number <= self.high)


@dataclass(frozen=True)
class FeatureExample:
    """A tested example: a text, the spans of its mentions, and the value of the feature there.

    For an entity feature the text is the entity itself. `slot` is the mention whose value is meant. The
    value is written as in tables (sets joined with ``|``, booleans ``true`` and ``false``); empty means
    absent.
    """

    text: str
    value: str
    spans: tuple[tuple[int, int], ...] = ()
    slot: int = 0


@dataclass(frozen=True)
class Feature:
    """One feature of the taxonomy.

    Attributes
    ----------
    name : str
        As it is written in queries, catalogues and tables.
    scope : str
        ``entity``, ``context``, ``slot`` or ``mention``.
    category : str
        The group of the seed's taxonomy that it belongs to.
    kind : str
        ``text``, ``category``, ``set``, ``integer``, ``number`` or ``boolean``.
    values : tuple of Value
        The legal values of a category or set; empty where any text may stand.
    bins : tuple of Bin
        How a number is divided for coverage and t-way work.
    definition, source, fault_model : str
        What it is, who defined it, and why it may matter to a tagger.
    phrases : dict of str
        By value, a phrase that follows a noun: "in lower case" as in "names in lower case". The phrase of
        ``""`` contains ``{value}`` and is used for all other values. A feature ``contains_NOUN`` with a
        regular noun needs no phrases.
    nouns : dict of str
        Nouns that replace "names" in findings, by value: "symbols".
    counted_nouns : tuple of str or None
        Singular and plural of what the feature counts.
    examples : tuple of Example
        Tested examples.
    needs_mentions : bool
        Whether the gold mentions of the text are needed to compute it.
    is_catalogue_only : bool
        Whether only a catalogue entry has it.
    line : int
        Where it stands in its file.
    """

    name: str
    scope: str
    category: str
    kind: str
    values: tuple[FeatureValue, ...] = ()
    bins: tuple[FeatureBin, ...] = ()
    definition: str = ""
    source: str = ""
    fault_model: str = ""
    phrases: Mapping[str, str] = field(default_factory=dict)
    nouns: Mapping[str, str] = field(default_factory=dict)
    counted_nouns: tuple[str, str] | None = None
    examples: tuple[FeatureExample, ...] = ()
    needs_mentions: bool = False
    is_catalogue_only: bool = False
    line: int = field(default=0, compare=False)

    def __hash__(self) -> int:
        """Of the name alone: features are keys of many tables, and their definitions are long."""
        return hash((self.scope, self.name))

    @property
    def column(self) -> str:
        """The column of tables that holds it: the name, with its scope before it where the name is shared."""
        shared = {"context": SHARED_NAMES, "slot": SHARED_SLOT_NAMES}.get(self.scope, ())
        return self.qualified_name if self.name in shared else self.name

    @property
    def qualified_name(self) -> str:
        """The name with its scope, as queries may write it."""
        return f"{self.scope}.{self.name}"

    @property
    def is_closed(self) -> bool:
        """Whether its values can be listed: coverage is defined for closed features only."""
        return self.kind == "boolean" or bool(self.values) or bool(self.bins)

    @property
    def closed_values(self) -> tuple[str, ...]:
        """What coverage is counted over: both truths of a boolean, the bins of a number, the legal values."""
        if self.kind == "boolean":
            return ("true", "false")
        return tuple(part.name for part in self.bins or self.values)

    @property
    def legal_values_text(self) -> str:
        """The legal values with their codes, as messages and pages show them."""
        return ", ".join(v.label for v in self.values)

    @property
    def is_computed(self) -> bool:
        """Whether it follows from the text; others are given by a catalogue, a corpus or a user's list."""
        return not self.is_catalogue_only and self.name != "data" and not self.name.startswith(LIST_PREFIX)

    @cached_property
    def codes(self) -> dict[str, str]:
        """From what may be written (long names and short codes) to the long name."""
        known = {v.code: v.name for v in self.values if v.code}
        known.update((v.name, v.name) for v in self.values)
        return known

    @cached_property
    def _loose_codes(self) -> dict[str, str]:
        return {written.casefold(): name for written, name in self.codes.items()}

    def find_value(self, text: str) -> str | None:
        """The legal value that a name or code means, in whatever case it is written.

        Its own case comes first: codes may differ by case alone.
        """
        return self.codes.get(text) or self._loose_codes.get(text.casefold())

    def nearest_values(self, text: str) -> list[FeatureValue]:
        """The legal values, those whose name or code looks like a text before the others."""
        near = difflib.get_close_matches(text.casefold(), list(self._loose_codes), n=3, cutoff=0.55)
        first = [self._loose_codes[n] for n in near]
        return sorted(self.values, key=lambda v: first.index(v.name) if v.name in first else len(first))

    @cached_property
    def value_ranks(self) -> dict[str, int]:
        """The order of the values, in which a set is written."""
        return {v.name: i for i, v in enumerate(self.values)}

    def join_values(self, values: Iterable[str]) -> str:
        """Write a set as tables have it: in the taxonomy's order, open sets in alphabetical order."""
        distinct = set(values)
        if not self.values:
            return "|".join(sorted(distinct))
        return "|".join(sorted(distinct, key=lambda v: (self.value_ranks.get(v, len(self.value_ranks)), v)))

    def find_bin(self, number: int) -> FeatureBin | None:
        """The bin of a number, or None where no bin holds it."""
        return next((b for b in self.bins if number in b), None)


@dataclass(frozen=True)
class Taxonomy:
    """All features, in the file's order."""

    features: tuple[Feature, ...]

    @cached_property
    def _by_name(self) -> dict[str, list[Feature]]:
        """From a name without scope to the features that have it, the one that it means first."""
        found: dict[str, list[Feature]] = {}
        for feature in sorted(self.features, key=lambda f: SCOPE_PRECEDENCE.index(f.scope)):
            found.setdefault(feature.name, []).append(feature)
        return found

    @cached_property
    def by_column(self) -> dict[str, Feature]:
        """From a column of tables to its feature."""
        return {f.column: f for f in reversed(self.features)}

    def select_scopes(self, *scopes: str) -> tuple[Feature, ...]:
        """The features of some scopes; of all when none is named."""
        return tuple(f for f in self.features if not scopes or f.scope in scopes)

    def find_candidates(self, name: str, scopes: Sequence[str] = SCOPES) -> list[Feature]:
        """The features of some scopes that a name may mean.

        Parameters
        ----------
        name : str
            ``case``, ``entity.case``, ``slot.position`` or ``in_list.NAME``.
        scopes : sequence of str
            Where to look. Of a bare name that several of these share the mention's feature comes first, then
            the slot's, the entity's, the context's: ``position`` is the slot's.
        """
        scope, bare = _split(name)
        return [f for f in self._find_bare_name(bare) if f.scope in scopes and scope in (None, f.scope)]

    def find(self, name: str, scopes: Sequence[str] = SCOPES) -> Feature:
        """The feature that a name means: the first of those that it may mean; see `meant`.

        Raises
        ------
        InputError
            When there is none; the message names the nearest.
        """
        found = self.find_candidates(name, scopes)
        if not found:
            near = self.nearest_names(name, scopes)
            listed = "the features that `tagsuite catalogue features` lists"
            allowed = f"features of {', '.join(scopes)}" if self.find_candidates(name) else listed
            raise InputError("unknown feature", found=name, allowed=None if near else allowed, near=near)
        return found[0]

    def nearest_names(self, name: str, scopes: Sequence[str] = SCOPES) -> list[str]:
        """Names of features of some scopes that look like a name, the nearest first."""
        scope, bare = _split(name)
        inside = [f for f in self.select_scopes(*scopes) if scope in (None, f.scope)]
        prefix = "" if scope is None else f"{scope}."
        known = {f.name.casefold(): prefix + f.name for f in inside}
        close = difflib.get_close_matches(bare.casefold(), list(known), n=4, cutoff=0.55)
        # names are long: the part that was typed may be all that is missing
        parts = [k for k in known if len(bare) >= 3 and bare.casefold() in k and k not in close]
        # the right name under the wrong prefix
        moved = [f.qualified_name for f in self.find_candidates(bare, scopes)] if scope else []
        return [*moved, *(known[k] for k in [*close, *parts])][:6]

    def _find_bare_name(self, bare: str) -> list[Feature]:
        """The features of a name without scope; ``in_list.NAME`` stands for the list of any name."""
        if bare.startswith(LIST_PREFIX) and re.fullmatch(r"[\w-]+", bare[len(LIST_PREFIX) :]):
            return [replace(template, name=bare) for template in self._by_name.get(f"{LIST_PREFIX}NAME", ())]
        return self._by_name.get(bare, [])


def _split(name: str) -> tuple[str | None, str]:
    """A name's scope, None where it has none, and the rest."""
    head, dot, tail = name.partition(".")
    return (head, tail) if dot and head in SCOPES else (None, name)


@lru_cache
def taxonomy() -> Taxonomy:
    """The bundled taxonomy."""
    file = "features.xml"
    content = read_bundled_bytes(__package__, file)
    return _taxonomy(parse_xml_bytes(content, file, package=__package__, schema_name="features.rng"), file)


def read_taxonomy(path: str | PathLike[str]) -> Taxonomy:
    """Read a taxonomy from a file of the same form as the bundled features.xml."""
    return _taxonomy(parse_xml_file(path, package=__package__, schema_name="features.rng"), Path(path))


def _taxonomy(root: object, file: str | Path) -> Taxonomy:
    features: list[Feature] = []
    seen: dict[str, int] = {}
    for element in root:  # type: ignore[attr-defined]
        feature = _feature(element, file)
        if feature.qualified_name in seen:
            raise InputError(
                f"feature defined twice (first in line {seen[feature.qualified_name]})",
                file=file,
                line=feature.line,
                found=feature.qualified_name,
            )
        seen[feature.qualified_name] = feature.line
        features.append(feature)
    return Taxonomy(tuple(features))


def _feature(element: object, file: str | Path) -> Feature:
    get = element.get  # type: ignore[attr-defined]
    line = int(element.sourceline)  # type: ignore[attr-defined]
    parts: dict[str, str] = {}
    values: list[FeatureValue] = []
    phrases: dict[str, str] = {}
    nouns: dict[str, str] = {}
    counted: tuple[str, str] | None = None
    examples: list[FeatureExample] = []
    for child in element:  # type: ignore[attr-defined]
        if child.tag == "value":
            values.append(
                FeatureValue(child.get("name"), child.get("code") or "", _normalise_space(child.text))
            )
        elif child.tag == "phrase":
            phrases[child.get("value", "")] = _normalise_space(child.text)
        elif child.tag == "noun":
            nouns[child.get("value")] = _normalise_space(child.text)
        elif child.tag == "counted":
            counted = child.get("one"), child.get("many")
        elif child.tag == "example":
            examples.append(_example(child))
        else:
            parts[child.tag] = _normalise_space(child.text)
    return Feature(
        name=get("name"),
        scope=get("scope"),
        category=get("category"),
        kind=get("kind"),
        values=tuple(values),
        bins=tuple(_bin(word, file, line) for word in parts.get("bins", "").split()),
        definition=parts["definition"],
        source=parts["source"],
        fault_model=parts.get("fault_model", ""),
        phrases=phrases,
        nouns=nouns,
        counted_nouns=counted,
        examples=tuple(examples),
        needs_mentions=get("needs_mentions") == "true",
        is_catalogue_only=get("catalogue_only") == "true",
        line=line,
    )


def _example(element: object) -> FeatureExample:
    text = element.text or ""  # type: ignore[attr-defined]
    spans: list[tuple[int, int]] = []
    for mention in element:  # type: ignore[attr-defined]
        content = mention.text or ""
        spans.append((len(text), len(text) + len(content)))
        text += content + (mention.tail or "")
    get = element.get  # type: ignore[attr-defined]
    return FeatureExample(text, get("value"), tuple(spans), int((get("slot") or "0")[:15]))


def _bin(word: str, file: str | Path, line: int) -> FeatureBin:
    match = re.fullmatch(r"(\d{1,15})(?:(-)(\d{1,15})?)?", word)
    if match is None:
        raise InputError("not a bin", file=file, line=line, found=word, allowed="3, 4-6 or 7-")
    low = int(match[1])
    if match[2] is None:
        return FeatureBin(word, low, low)
    return FeatureBin(word, low, None if match[3] is None else int(match[3]))


def _normalise_space(content: str | None) -> str:
    """White space in prose is layout."""
    return " ".join((content or "").split())
