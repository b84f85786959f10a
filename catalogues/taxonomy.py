"""Taxonomy of the features of entities, contexts, slots and mentions, read from features.xml."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from .core.errors import InputError
from .core.files import read_bundled_bytes
from .core.xml import parse_xml_bytes
from .feature import (
    LIST_PREFIX,
    SCOPE_PRECEDENCE,
    SCOPES,
    Feature,
    FeatureBin,
    FeatureExample,
    FeatureRule,
    FeatureValue,
)


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """All features, in the order of their definitions.

    Attributes
    ----------
    features : tuple of Feature
        The features.
    digest : str
        Checksum of the user's files of features and of their word lists; "" for the bundled taxonomy.
    files : tuple of str
        Paths of the user's files of features.
    """

    features: tuple[Feature, ...]
    digest: str = ""
    files: tuple[str, ...] = ()

    @cached_property
    def _by_name(self) -> dict[str, list[Feature]]:
        """Features keyed by name without scope; each list is in the order of `SCOPE_PRECEDENCE`."""
        features: dict[str, list[Feature]] = {}
        for feature in sorted(self.features, key=lambda f: SCOPE_PRECEDENCE.index(f.scope)):
            features.setdefault(feature.name, []).append(feature)
        return features

    @cached_property
    def by_column(self) -> dict[str, Feature]:
        """Features keyed by column name; the column ``type`` contains the feature ``mention.type``."""
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
        """Return the feature that a name refers to, that is, the first result of `find_candidates`.

        Raises
        ------
        InputError
            If the feature is unknown; the message shows similar names.
        """
        candidates = self.find_candidates(name, scopes)
        if not candidates:
            near = self.nearest_names(name, scopes)
            listed = "the features that `tagsuite catalogue features` lists, and your own (--taxonomy FILE)"
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
        """Return the features called `bare` in any scope; any list name may follow ``in_list.``."""
        if bare.startswith(LIST_PREFIX) and re.fullmatch(r"[\w-]+", bare[len(LIST_PREFIX) :]):
            return [replace(template, name=bare) for template in self._by_name.get(f"{LIST_PREFIX}NAME", ())]
        return self._by_name.get(bare, [])


def _split(name: str) -> tuple[str | None, str]:
    """Split a name into its scope (or None) and the name without scope."""
    head, dot, tail = name.partition(".")
    return (head, tail) if dot and head in SCOPES else (None, name)


taxonomy_in_use: ContextVar[Taxonomy | None] = ContextVar("taxonomy_in_use", default=None)
"""Bundled taxonomy extended with the user's features (see `use_taxonomy`); None if there are none."""


def digest_own_features() -> str:
    """Return the checksum of the user's features in use; "" if there are none."""
    own = taxonomy_in_use.get()
    return "" if own is None else own.digest


def taxonomy() -> Taxonomy:
    """Return the taxonomy in use: the bundled features and those in the user's files."""
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
        changes=tuple((e.get("from"), e.get("to")) for e in element.findall("change")),  # type: ignore[attr-defined]
        needs_mentions=get("needs_mentions") == "true",
        is_catalogue_only=get("catalogue_only") == "true" or bool(attribute),
        is_open=get("open") == "true",
        line=line,
    )


def _rules(element: object) -> Iterator[FeatureRule]:
    """Yield the rule of a Boolean feature, or the rule for each value of a category."""
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
    """Return the texts of all child elements with a tag, keyed by their attribute `value`."""
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
    return " ".join((content or "").split())
