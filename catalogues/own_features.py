"""User-defined features, which are declared in a file with the format of features.xml.

Such a feature is read from an attribute of the catalogue, or defined by rules: a regular expression, a word
list, or a query over other features. A Boolean feature has one rule. A category has one rule per value; the
first rule that matches determines the value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .core.errors import InputError
from .core.files import digest_bytes, read_bytes
from .core.patterns import check_pattern, find_matching_texts
from .feature import Feature
from .query import Query
from .query.columns import QueryColumns
from .taxonomy import Taxonomy, bundled_taxonomy, parse_features, taxonomy, taxonomy_in_use
from .word_lists import WordList

if TYPE_CHECKING:
    import pandas as pd

OWN_SCOPES = ("entity", "context")
"""Scopes of the features that the user can declare."""


class use_taxonomy:  # noqa: N801 - used like a function
    """Add the features of the user's files to the bundled taxonomy, from now on or within a ``with`` block.

    Parameters
    ----------
    *paths : path
        Files in the format of features.xml; without files, only the bundled features are used.

    Raises
    ------
    InputError
        If a file is not valid; the message shows the file, the line and the feature.

    Examples
    --------
    >>> with use_taxonomy():
    ...     len(taxonomy().features) == len(bundled_taxonomy().features)
    True
    """

    def __init__(self, *paths: str | PathLike[str]) -> None:
        self._token = taxonomy_in_use.set(read_extended_taxonomy(paths) if paths else None)

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        taxonomy_in_use.reset(self._token)


def read_extended_taxonomy(paths: Sequence[str | PathLike[str]]) -> Taxonomy:
    """Return the bundled taxonomy, extended with the features in the user's files.

    Raises
    ------
    InputError
        If a file is not valid, a name is already used, or a rule cannot be used.
    """
    extended = bundled_taxonomy()
    digests = []
    for path in paths:
        content = read_bytes(path, "a file of features in XML")
        digests.append(content)
        for feature in parse_features(content, str(path)):
            completed = _complete(feature, extended, path)
            digests += ["\n".join(sorted(rule.words)).encode() for rule in completed.rules if rule.words]
            extended = Taxonomy((*extended.features, completed))
    return Taxonomy(extended.features, digest_bytes(*digests), tuple(Path(path).as_posix() for path in paths))


def use_recorded_taxonomy(files: Sequence[str], folder: Path) -> None:
    """Use the feature files named in a recipe or study, unless other feature files are already in use.

    Relative paths refer to the current folder or, if the file is not there, to `folder`.
    """
    if files and taxonomy_in_use.get() is None:
        use_taxonomy(*(file if Path(file).exists() else folder / file for file in files))


def _complete(feature: Feature, known: Taxonomy, path: str | PathLike[str]) -> Feature:
    """Read the word lists in the rules of a user's feature; raise InputError if a rule cannot be used."""

    def refuse(problem: str, found: str | None = None, allowed: str | None = None) -> InputError:
        text = f"feature {feature.name}: {problem}"
        return InputError(text, file=path, line=feature.line, found=found, allowed=allowed)

    if feature.scope not in OWN_SCOPES:
        problem = "features in a file of your own cannot have this scope"
        raise refuse(problem, feature.scope, ", ".join(OWN_SCOPES))
    if known.find_candidates(feature.name):
        raise refuse("the name is already used; choose another name", feature.name)
    if not feature.rules and not feature.is_catalogue_only:
        raise refuse("the values are not defined", allowed="<pattern>, <list>, <attribute> or <query>")
    kinds = (
        ("text", "category", "set", "integer", "boolean")
        if feature.is_catalogue_only
        else ("boolean", "category")
    )
    if feature.kind not in kinds:
        raise refuse("this kind of feature cannot be defined in this way", feature.kind, ", ".join(kinds))
    values = ["true"] if feature.kind == "boolean" else [value.name for value in feature.values]
    if feature.rules and [rule.value for rule in feature.rules] != values:
        raise refuse("a Boolean feature needs one rule, and a category needs one in each <value>")
    rules = []
    for pattern, new in feature.changes:
        try:
            re.sub(pattern, new, "")
        except (re.error, IndexError) as error:
            raise refuse(f"the change cannot be made ({error})", f"{pattern} -> {new}") from None
    for rule in feature.rules:
        try:
            if rule.pattern:
                check_pattern(rule.pattern)
            if rule.query:
                Query.parse(rule.query, (feature.scope,), known)
            file = rule.list_file and Path(path).parent / rule.list_file
            rules.append(replace(rule, words=WordList.read(str(file))) if file else rule)
        except InputError as error:
            raise refuse(error.problem, str(error.found or "") or None, error.allowed) from None
    return replace(feature, rules=tuple(rules), phrases=_make_phrases(feature))


def _make_phrases(feature: Feature) -> dict[str, str]:
    """Remove the noun from the phrases of a user's feature, because findings put a noun before them.

    The user writes complete noun phrases: "names that contain a locant", "sentences about patients".
    """
    start = "in sentences " if feature.scope == "context" else ""
    phrases = {
        value or "true": start + re.sub("^(names|sentences) ", "", phrase)
        for value, phrase in feature.phrases.items()
    }
    if feature.kind == "boolean" and "true" in phrases:
        phrases.setdefault("false", f"{start}other than those {phrases['true'].removeprefix(start)}")
    return phrases


def list_own_features(scope: str, wanted: Collection[str] | None = None) -> list[Feature]:
    """Return the user's features in a scope that have rules; if `wanted` is given, only those in `wanted`."""
    return [f for f in taxonomy().select_scopes(scope) if f.rules and (wanted is None or f.column in wanted)]


def add_needed_columns(wanted: Iterable[str]) -> set[str]:
    """Return the columns in `wanted`, plus those used in the queries of the user's features in `wanted`."""
    needed = set(wanted)
    # a query can use only features that were declared before
    for feature in reversed(taxonomy().features):
        if feature.column in needed:
            for rule in feature.rules:
                if rule.query:
                    needed.update(Query.parse(rule.query, (feature.scope,)).columns)
    return needed


def evaluate_text_rules(feature: Feature, texts: Sequence[str]) -> NDArray[np.int64]:
    """Return, for each text, the index of the first rule that matches it, or -1 if none does.

    For entities, the texts are surface forms, and a word list contains complete forms. For contexts, they are
    sentences in which ``<>`` replaces each mention, and a word list contains words of a sentence.
    """
    held = []
    for rule in feature.rules:
        pattern, members = rule.pattern, rule.words or frozenset()
        if members and feature.scope == "context":
            words = "|".join(map(re.escape, sorted(members, key=lambda w: (-len(w), w))))
            pattern = rf"(?<!\w)(?:{words})(?!\w)"
        found = find_matching_texts(pattern, set(texts)) if pattern else members
        held.append(np.fromiter((text in found for text in texts), dtype=bool, count=len(texts)))
    return find_first_rule(held)


def find_first_rule(held: Sequence[NDArray[np.bool_]]) -> NDArray[np.int64]:
    """Return, for each row, the index of the first mask that is True, or -1 if none is."""
    masks = np.array(held)
    return np.where(masks.any(axis=0), masks.argmax(axis=0), -1)


def make_rule_column(feature: Feature, index: NDArray[np.int64]) -> Any:
    """Return the column of a feature, given the index of the first matching rule per row (-1 if none)."""
    if feature.kind == "boolean":
        return index == 0
    import pandas as pd

    names = pd.Index([value.name for value in feature.values], dtype="str")
    return pd.Categorical.from_codes(index, categories=names)


def add_query_columns(frame: pd.DataFrame, scope: str, wanted: Collection[str] | None = None) -> pd.DataFrame:
    """Add the columns of the user's features that are defined by queries; `wanted` restricts the columns."""
    for feature in list_own_features(scope, wanted):
        if feature.has_queries:
            columns = QueryColumns(frame)
            held = [Query.parse(rule.query, (scope,)).evaluate(columns) for rule in feature.rules]
            frame = frame.assign(**{feature.column: make_rule_column(feature, find_first_rule(held))})
    return frame
