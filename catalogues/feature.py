"""Features of the taxonomy, with their values, bins, rules and examples."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

SCOPES = ("entity", "context", "slot", "mention")
SCOPE_PRECEDENCE = ("mention", "slot", "entity", "context")
"""Scopes in which a feature name without a scope is looked up, in this order."""
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
        """Name of the value with its code in parentheses, as shown in messages and documentation."""
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
    """Condition under which a user-defined feature has a certain value.

    Attributes
    ----------
    value : str
        The value; ``true`` for a Boolean feature.
    pattern, list_file, query : str
        Regular expression, file of a word list, or query over other features; only one of them is set.
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
        Ranges of a numeric feature, used for coverage and t-way combinations.
    definition, source, fault_model : str
        Meaning of the feature, its origin, and why it may affect a tagger.
    phrases : dict of str to str
        For each value, a phrase that can follow a noun, such as "in lower case" in "names in lower case". The
        phrase for ``""`` contains ``{value}`` and is used for all values without a phrase. Features
        ``contains_NOUN`` with a regular noun need no phrases.
    nouns : dict of str to str
        For each value, a noun such as "symbols" that replaces the noun "names" in findings.
    counted_nouns : tuple of str or None
        Singular and plural of the noun that the feature counts.
    examples : tuple of FeatureExample
        Tested examples.
    rules : tuple of FeatureRule
        Rules of a user-defined feature, unless it is read from a catalogue.
    attribute : str
        Attribute of catalogue entries that contains the values of a user-defined feature; "" if none.
    changes : tuple of (str, str)
        Regular expressions and their replacements, which make minimal pairs for a user-defined feature.
    needs_mentions : bool
        True if the feature can be computed only from the gold mentions of the text.
    is_catalogue_only : bool
        True if the feature exists only in catalogues, not in corpora.
    is_open : bool
        True if values other than `values` are allowed.
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
    changes: tuple[tuple[str, str], ...] = ()
    needs_mentions: bool = False
    is_catalogue_only: bool = False
    is_open: bool = False
    line: int = field(default=0, compare=False)

    def __hash__(self) -> int:
        """Return a hash of the scope and name only, because hashing all fields would be slow."""
        return hash((self.scope, self.name))

    @property
    def column(self) -> str:
        """Name of the feature's column in tables, with the scope if several scopes share the name."""
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
        """Fixed values of the feature: ``true`` and ``false``, the names of the bins, or the legal values."""
        if self.kind == "boolean":
            return ("true", "false")
        return tuple(part.name for part in self.bins or self.values)

    @property
    def legal_values_text(self) -> str:
        """Legal values of the feature with their codes, separated by commas."""
        return ", ".join(v.label for v in self.values)

    @property
    def is_computed(self) -> bool:
        """True if the feature is computed from text, not read from a catalogue, corpus or user's list."""
        is_read = self.is_catalogue_only or self.name == "data" or self.name.startswith(LIST_PREFIX)
        return not is_read and not self.has_queries

    @property
    def has_queries(self) -> bool:
        """True if queries over other features define the values of the feature."""
        return any(rule.query for rule in self.rules)

    @cached_property
    def codes(self) -> dict[str, str]:
        """Mapping from the names and short codes of the legal values to their names."""
        names = {v.code: v.name for v in self.values if v.code}
        names.update((v.name, v.name) for v in self.values)
        return names

    @cached_property
    def _loose_codes(self) -> dict[str, str]:
        return {written.casefold(): name for written, name in self.codes.items()}

    def find_value(self, text: str) -> str | None:
        """Return the legal value with the given name or code, or None.

        Case is ignored only if no name or code matches exactly, because some codes differ only in case. If
        the feature also allows other values, a text that matches no name or code is returned unchanged.
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
        """Position of each legal value in the taxonomy; the elements of sets are sorted by it."""
        return {v.name: i for i, v in enumerate(self.values)}

    def join_values(self, values: Iterable[str]) -> str:
        """Sort the elements of a set and join them with ``|``.

        Legal values are in the order of the taxonomy; other values follow alphabetically.
        """
        distinct = set(values)
        if not self.values:
            return "|".join(sorted(distinct))
        return "|".join(sorted(distinct, key=lambda v: (self.value_ranks.get(v, len(self.value_ranks)), v)))

    def find_bin(self, number: int) -> FeatureBin | None:
        """Return the bin that contains a number, or None if no bin does."""
        return next((b for b in self.bins if number in b), None)
