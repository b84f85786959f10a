"""Taxonomy of the features of entities, contexts, slots and mentions, read from features.xml."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from .core.errors import InputError
from .core.files import read_bundled_bytes
from .core.xml import parse_xml_bytes

SCOPES = ("entity", "context", "slot", "mention")
SCOPE_PRECEDENCE = ("mention", "slot", "entity", "context")
"""Scopes in order of precedence for names without a scope."""
SHARED_NAMES = ("type", "position", "source_id", "source_type", "original_form_in_source")
"""Names of context features whose columns begin with ``context.``, because other scopes use the names too."""
SHARED_SLOT_NAMES = ("species", "function")
"""Names of slot features whose columns begin with ``slot.``, because entity features have these names too."""
LIST_PREFIX = "in_list."


@dataclass(frozen=True)
class FeatureValue:
    """Legal value of a feature, with its name, short code (used in records) and definition."""

    name: str
    code: str
    definition: str

    @property
    def label(self) -> str:
        """Name with the code in parentheses, as shown in messages and documentation."""
        return f"{self.name} ({self.code})" if self.code and self.code != self.name else self.name


@dataclass(frozen=True)
class FeatureBin:
    """Bin of whole numbers from `low` to `high` (inclusive); `high` is None if there is no upper limit."""

    name: str
    low: int
    high: int | None

    def __contains__(self, number: int) -> bool:
        return number >= self.low and (self.high is None or number <= self.high)


@dataclass(frozen=True)
class FeatureRule:
    """Rule that gives one of its values to a feature of the user's own.

    Attributes
    ----------
    value : str
        The value; ``true`` for a Boolean feature.
    pattern, list_file, query : str
        Regular expression, file of a word list, or query over other features; two of them are empty.
    words : frozenset of str
        Entries of the word list.
    """

    value: str
    pattern: str = ""
    list_file: str = ""
    query: str = ""
    words: frozenset[str] = frozenset()


@dataclass(frozen=True)
class FeatureExample:
    """Tested example of a feature.

    Attributes
    ----------
    text : str
        Example text; for an entity feature, a surface form.
    value : str
        Value of the feature, written as in tables (sets joined with ``|``; "" means absent).
    spans : tuple of (int, int)
        Half-open spans of the mentions in the text.
    slot : int
        Index of the mention that has the value.
    """

    text: str
    value: str
    spans: tuple[tuple[int, int], ...] = ()
    slot: int = 0


@dataclass(frozen=True)
class Feature:
    """Feature of the taxonomy.

    Attributes
    ----------
    name : str
        Name in queries, catalogues and tables.
    scope : str
        ``entity``, ``context``, ``slot`` or ``mention``.
    category : str
        Group of features.
    kind : str
        ``text``, ``category``, ``set``, ``integer``, ``number`` or ``boolean``.
    values : tuple of FeatureValue
        Legal values of a category or set; empty if any text is allowed.
    bins : tuple of FeatureBin
        Ranges of a number, used for coverage and t-way combinations.
    definition, source, fault_model : str
        Meaning of the feature, its origin, and why it may affect a tagger.
    phrases : dict of str to str
        Phrase that describes each value after a noun, such as "in lower case" in "names in lower case". The
        phrase for ``""`` contains ``{value}`` and applies to all values without a phrase. Features
        ``contains_NOUN`` with a regular noun need no phrases.
    nouns : dict of str to str
        Noun for each value that replaces "names" in findings, such as "symbols".
    counted_nouns : tuple of str or None
        Singular and plural of the noun that the feature counts.
    examples : tuple of FeatureExample
        Tested examples.
    rules : tuple of FeatureRule
        Rules of a feature of the user's own that is not read from a catalogue.
    attribute : str
        Attribute of the catalogue with the value of a feature of the user's own, if any.
    needs_mentions : bool
        True if the feature can be computed only from the gold mentions of the text.
    is_catalogue_only : bool
        True if the feature exists only in catalogues, not in corpora.
    is_open : bool
        True if further values are allowed besides `values`.
    line : int
        Line number of the definition in its file.
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
    rules: tuple[FeatureRule, ...] = ()
    attribute: str = ""
    needs_mentions: bool = False
    is_catalogue_only: bool = False
    is_open: bool = False
    line: int = field(default=0, compare=False)

    def __hash__(self) -> int:
        """Return the hash of scope and name, which is faster than a hash of all fields."""
        return hash((self.scope, self.name))

    @property
    def column(self) -> str:
        """Name of the column in tables; the scope precedes it if several scopes share the name."""
        shared = {"context": SHARED_NAMES, "slot": SHARED_SLOT_NAMES}.get(self.scope, ())
        return self.qualified_name if self.name in shared else self.name

    @property
    def qualified_name(self) -> str:
        """Name of the feature with its scope, such as ``entity.case``."""
        return f"{self.scope}.{self.name}"

    @property
    def is_closed(self) -> bool:
        """True if the feature has a fixed set of values (Boolean, legal values or bins)."""
        return self.kind == "boolean" or bool(self.values) or bool(self.bins)

    @property
    def closed_values(self) -> tuple[str, ...]:
        """Values that coverage counts: ``true`` and ``false``, the names of the bins, or the legal values."""
        if self.kind == "boolean":
            return ("true", "false")
        return tuple(part.name for part in self.bins or self.values)

    @property
    def legal_values_text(self) -> str:
        """Legal values with their codes, as text separated by commas."""
        return ", ".join(v.label for v in self.values)

    @property
    def is_computed(self) -> bool:
        """True if the feature is computed from text, not read from a catalogue, corpus or user's list."""
        is_read = self.is_catalogue_only or self.name == "data" or self.name.startswith(LIST_PREFIX)
        return not is_read and not self.has_queries

    @property
    def has_queries(self) -> bool:
        """True if the values are defined by queries over other features."""
        return any(rule.query for rule in self.rules)

    @cached_property
    def codes(self) -> dict[str, str]:
        """Mapping of long names and short codes to long names."""
        names = {v.code: v.name for v in self.values if v.code}
        names.update((v.name, v.name) for v in self.values)
        return names

    @cached_property
    def _loose_codes(self) -> dict[str, str]:
        return {written.casefold(): name for written, name in self.codes.items()}

    def find_value(self, text: str) -> str | None:
        """Return the legal value with the given name or code, or None.

        Case is ignored only if no name or code matches exactly, as some codes differ only in case. A text
        that matches no name or code is itself a value if further values are allowed.
        """
        known = self.codes.get(text) or self._loose_codes.get(text.casefold())
        return known or (text if self.is_open else None)

    def nearest_values(self, text: str) -> list[FeatureValue]:
        """Return all legal values, beginning with those whose name or code is similar to `text`."""
        near = difflib.get_close_matches(text.casefold(), list(self._loose_codes), n=3, cutoff=0.55)
        first = [self._loose_codes[n] for n in near]
        return sorted(self.values, key=lambda v: first.index(v.name) if v.name in first else len(first))

    @cached_property
    def value_ranks(self) -> dict[str, int]:
        """Position of each value in the taxonomy, used to order the elements of sets."""
        return {v.name: i for i, v in enumerate(self.values)}

    def join_values(self, values: Iterable[str]) -> str:
        """Join the elements of a set with ``|``, in the order of the taxonomy or else alphabetically."""
        distinct = set(values)
        if not self.values:
            return "|".join(sorted(distinct))
        return "|".join(sorted(distinct, key=lambda v: (self.value_ranks.get(v, len(self.value_ranks)), v)))

    def find_bin(self, number: int) -> FeatureBin | None:
        """Return the bin that contains a number, or None if no bin does."""
        return next((b for b in self.bins if number in b), None)


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Collection of all features, in the order of the file.

    Attributes
    ----------
    features : tuple of Feature
        The features.
    digest : str
        Checksum of the user's files and word lists; "" for the bundled taxonomy.
    files : tuple of str
        The user's files.
    """

    features: tuple[Feature, ...]
    digest: str = ""
    files: tuple[str, ...] = ()

    @cached_property
    def _by_name(self) -> dict[str, list[Feature]]:
        """Features with each name (without scope), in the order of `SCOPE_PRECEDENCE`."""
        features: dict[str, list[Feature]] = {}
        for feature in sorted(self.features, key=lambda f: SCOPE_PRECEDENCE.index(f.scope)):
            features.setdefault(feature.name, []).append(feature)
        return features

    @cached_property
    def by_column(self) -> dict[str, Feature]:
        """Features by column name; the column ``type`` belongs to the type of the mention."""
        own = {f.column: f for f in self.select_scopes("mention")}
        return {f.column: f for f in reversed(self.features)} | own

    def select_scopes(self, *scopes: str) -> tuple[Feature, ...]:
        """Return the features of the given scopes, or all features if no scope is given."""
        return tuple(f for f in self.features if not scopes or f.scope in scopes)

    def find_candidates(self, name: str, scopes: Sequence[str] = SCOPES) -> list[Feature]:
        """Return the features that a name may refer to, in the order of `SCOPE_PRECEDENCE`.

        Parameters
        ----------
        name : str
            Name such as ``case``, ``entity.case``, ``slot.position`` or ``in_list.NAME``.
        scopes : sequence of str
            Scopes to search.
        """
        scope, bare = _split(name)
        return [f for f in self._find_bare_name(bare) if f.scope in scopes and scope in (None, f.scope)]

    def find(self, name: str, scopes: Sequence[str] = SCOPES) -> Feature:
        """Return the feature that a name refers to, the first result of `find_candidates`.

        Raises
        ------
        InputError
            If the feature is unknown; the message shows similar names.
        """
        candidates = self.find_candidates(name, scopes)
        if not candidates:
            near = self.nearest_names(name, scopes)
            listed = "the features that `tagsuite catalogue features` lists"
            allowed = f"features of {', '.join(scopes)}" if self.find_candidates(name) else listed
            raise InputError("unknown feature", found=name, allowed=None if near else allowed, near=near)
        return candidates[0]

    def nearest_names(self, name: str, scopes: Sequence[str] = SCOPES) -> list[str]:
        """Return up to six feature names similar to `name` in the given scopes, the most similar first."""
        scope, bare = _split(name)
        inside = [f for f in self.select_scopes(*scopes) if scope in (None, f.scope)]
        prefix = "" if scope is None else f"{scope}."
        known = {f.name.casefold(): prefix + f.name for f in inside}
        close = difflib.get_close_matches(bare.casefold(), list(known), n=4, cutoff=0.55)
        # also suggest long names that contain `name`
        parts = [k for k in known if len(bare) >= 3 and bare.casefold() in k and k not in close]
        # the name is right but its prefix is wrong
        moved = [f.qualified_name for f in self.find_candidates(bare, scopes)] if scope else []
        return [*moved, *(known[k] for k in [*close, *parts])][:6]

    def _find_bare_name(self, bare: str) -> list[Feature]:
        """Return the features with a name, in any scope; after ``in_list.`` any name of a list is allowed."""
        if bare.startswith(LIST_PREFIX) and re.fullmatch(r"[\w-]+", bare[len(LIST_PREFIX) :]):
            return [replace(template, name=bare) for template in self._by_name.get(f"{LIST_PREFIX}NAME", ())]
        return self._by_name.get(bare, [])


def _split(name: str) -> tuple[str | None, str]:
    """Split a name into its scope (or None) and the name without scope."""
    head, dot, tail = name.partition(".")
    return (head, tail) if dot and head in SCOPES else (None, name)


taxonomy_in_use: ContextVar[Taxonomy | None] = ContextVar("taxonomy_in_use", default=None)
"""Taxonomy with the user's features; None if only the bundled features are used (see `use_taxonomy`)."""


def taxonomy() -> Taxonomy:
    """Return the taxonomy in use: the bundled features, and those of the user's files."""
    return taxonomy_in_use.get() or bundled_taxonomy()


@lru_cache
def bundled_taxonomy() -> Taxonomy:
    """Return the bundled taxonomy."""
    file = "features.xml"
    return Taxonomy(parse_features(read_bundled_bytes(__package__, file), file))


def parse_features(content: bytes, file: str) -> tuple[Feature, ...]:
    """Parse features in the format of the bundled features.xml; error messages name `file`."""
    root = parse_xml_bytes(content, file, package=__package__, schema_name="features.rng")
    features: list[Feature] = []
    seen: dict[str, int] = {}
    for element in root:
        feature = _feature(element, file)
        if feature.qualified_name in seen:
            raise InputError(
                f"duplicate feature (first on line {seen[feature.qualified_name]})",
                file=file,
                line=feature.line,
                found=feature.qualified_name,
            )
        seen[feature.qualified_name] = feature.line
        features.append(feature)
    return tuple(features)


def _feature(element: object, file: str) -> Feature:
    get = element.get  # type: ignore[attr-defined]
    line = int(element.sourceline)  # type: ignore[attr-defined]
    counted = element.find("counted")  # type: ignore[attr-defined]
    attribute = next((e.get("name") for e in element.findall("attribute")), "")  # type: ignore[attr-defined]
    return Feature(
        name=get("name"),
        scope=get("scope"),
        category=get("category"),
        kind=get("kind"),
        values=tuple(
            FeatureValue(value.get("name"), value.get("code") or "", _normalise_space(value.text))
            for value in element.findall("value")  # type: ignore[attr-defined]
        ),
        bins=tuple(_bin(word, file, line) for word in _read_part(element, "bins").split()),
        definition=_read_part(element, "definition"),
        source=_read_part(element, "source"),
        fault_model=_read_part(element, "fault_model"),
        phrases=_read_texts(element, "phrase"),
        nouns=_read_texts(element, "noun"),
        counted_nouns=None if counted is None else (counted.get("one"), counted.get("many")),
        examples=tuple(map(_example, element.findall("example"))),  # type: ignore[attr-defined]
        rules=tuple(_rules(element)),
        attribute=attribute,
        needs_mentions=get("needs_mentions") == "true",
        is_catalogue_only=get("catalogue_only") == "true" or bool(attribute),
        is_open=get("open") == "true",
        line=line,
    )


def _rules(element: object) -> Iterator[FeatureRule]:
    """Yield the rule of a Boolean feature, or the rules in the values of a category."""
    for parent in (element, *element.findall("value")):  # type: ignore[attr-defined]
        value = "true" if parent is element else parent.get("name")
        for tag in ("pattern", "list", "query"):
            for rule in parent.findall(tag):
                yield FeatureRule(
                    value, **{"list_file" if tag == "list" else tag: rule.get("file") or rule.text}
                )


def _read_part(element: object, tag: str) -> str:
    """Return the text of the first child element with a tag; "" if there is no such element."""
    return _normalise_space(element.findtext(tag))  # type: ignore[attr-defined]


def _read_texts(element: object, tag: str) -> dict[str, str]:
    """Return the texts of all child elements with a tag, by the content of their attribute `value`."""
    children = element.findall(tag)  # type: ignore[attr-defined]
    return {child.get("value", ""): _normalise_space(child.text) for child in children}


def _example(element: object) -> FeatureExample:
    text = element.text or ""  # type: ignore[attr-defined]
    spans: list[tuple[int, int]] = []
    for mention in element:  # type: ignore[attr-defined]
        content = mention.text or ""
        spans.append((len(text), len(text) + len(content)))
        text += content + (mention.tail or "")
    get = element.get  # type: ignore[attr-defined]
    return FeatureExample(text, get("value"), tuple(spans), int((get("slot") or "0")[:15]))


def _bin(word: str, file: str, line: int) -> FeatureBin:
    match = re.fullmatch(r"(\d{1,15})(?:(-)(\d{1,15})?)?", word)
    if match is None:
        raise InputError("invalid bin", file=file, line=line, found=word, allowed="bins such as 3, 4-6, 7-")
    low = int(match[1])
    if match[2] is None:
        return FeatureBin(word, low, low)
    return FeatureBin(word, low, None if match[3] is None else int(match[3]))


def _normalise_space(content: str | None) -> str:
    """Replace each run of white space with one space."""
    return " ".join((content or "").split())
