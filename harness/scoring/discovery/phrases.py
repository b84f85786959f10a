"""Sentences about findings, made from the phrases of the taxonomy."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....catalogues.feature import LIST_PREFIX, Feature
from ....catalogues.taxonomy import taxonomy
from .conditions import load_shapes

COMPARISON_PATTERN = re.compile(r"^(\S+) (=|>=|<=) (.+)$")
PRESENCE_PATTERN = re.compile(r"^(\S+) is (present|absent)$")
RANGE_PATTERN = re.compile(r"^(\S+) >= (\d+) and \1 <= (\d+)$")
NUMBER_PREFIX, SENTENCE_PREFIX = "of ", "in sentences "
"""Prefixes of phrases about the length of names (always first) and about sentences (always last)."""
SCOPES = ("entity", "mention", "slot", "context")
"""Scopes of features, in the order in which the phrases about them occur in a sentence."""


FAULTS = {
    "recall": {
        "": "misses {}",
        "wrong type": "gives the wrong type to {}",
        "wrong boundary": "gets the boundaries of {} wrong",
    },
    "precision": {
        "": "produces many false positives among {}",
        "wrong type": "predicts the wrong type for {}",
        "wrong boundary": "predicts wrong boundaries for {}",
    },
}
"""Sentences about findings, by measure and by main kind of error."""


def describe_finding(
    measure: str,
    conditions: Sequence[str],
    value: float,
    other: str,
    count: int,
    kind: str = "",
    *,
    error: str = "",
) -> str:
    """Return a finding as a sentence without subject; the subject is the name of the tagger or run.

    Parameters
    ----------
    measure : str
        ``recall`` or ``precision``.
    conditions : sequence of str
        Conditions of the class, each a query.
    value : float
        Recall or precision of the class.
    other : str
        Label and value of the comparison, such as "elsewhere .74".
    count : int
        Number of names (for recall) or predictions (for precision) in the class.
    kind : str
        Adjective before "names" or "predictions", followed by a space.
    error : str
        Main kind of error: ``wrong type``, ``wrong boundary`` or "".

    Examples
    --------
    >>> describe_finding("recall", ["characters >= 14"], 0.25, "elsewhere .74", 150)
    'misses names of 14 or more characters: recall .25, elsewhere .74 (150 names)'
    """
    recall = measure == "recall"
    unit = ("name" if recall else "prediction") + ("" if count == 1 else "s")
    fault = FAULTS[measure].get(error, FAULTS[measure][""]).format(describe_names(conditions))
    return f"{fault}: {measure} {format_share(value)}, {other} ({count} {kind}{unit})"


def find_main_error(kinds: NDArray[np.str_]) -> str:
    """Return the kind to which more than half of the errors belong, or "" if there is no such kind."""
    values, counts = np.unique(kinds, return_counts=True)
    return str(values[counts.argmax()]) if counts.size and 2 * counts.max() > len(kinds) else ""


def describe_names(conditions: Sequence[str]) -> str:
    """Return a noun phrase for the names that meet all conditions.

    Examples
    --------
    >>> describe_names(["contains_hyphen = 0", "words >= 2 and words <= 3"])
    'names of 2 to 3 words without a hyphen'
    >>> describe_names(["name_vs_symbol = symbol", "case = lower", "position = final"])
    'symbols in lower case and at the end of the sentence'
    """
    noun = "names"
    phrases = []
    for condition in conditions:
        name, _, _, value = _parse_condition(condition)
        feature = _find_feature(name)
        if feature is not None and value is not None and value in feature.nouns:
            noun = feature.nouns[value]
        else:
            rank = SCOPES.index(feature.scope) if feature is not None else 0
            phrases.append((rank, describe_condition(condition)))
    ordered = [phrase for _, phrase in sorted(phrases, key=lambda ranked: ranked[0])]
    sizes = [phrase for phrase in ordered if phrase.startswith(NUMBER_PREFIX)]
    sentences = [p.removeprefix(SENTENCE_PREFIX) for p in ordered if p.startswith(SENTENCE_PREFIX)]
    others = [p for p in ordered if not p.startswith((NUMBER_PREFIX, SENTENCE_PREFIX))]
    if sentences:
        others.append(SENTENCE_PREFIX + _join_phrases(sentences))
    return " ".join(part for part in (noun, _join_phrases(sizes), _join_phrases(others)) if part)


def describe_condition(condition: str) -> str:
    """Return a condition as a phrase that follows "names".

    Examples
    --------
    >>> describe_condition("case = lower")
    'in lower case'
    >>> describe_condition("in_list.training = false")
    'not in the list "training"'
    """
    if condition in load_shapes():
        return load_shapes()[condition]
    name, low, high, value = _parse_condition(condition)
    feature = _find_feature(name)
    phrases = {} if feature is None else feature.phrases
    if value is not None and value in phrases:
        return phrases[value]
    plain = name.rpartition(".")[2].replace("_", " ")
    nouns = None if feature is None else feature.counted_nouns
    if nouns is None and "" not in phrases and name.startswith("contains_"):
        noun = plain.removeprefix("contains ")
        nouns = noun, f"{noun}s"
    if nouns is not None:
        if value in ("true", "false"):
            low, high = (1, None) if value == "true" else (0, 0)
        return _describe_count(nouns, low, high, phrases.get("", ""))
    shown = _format_range(low, high) if value is None else value
    if "" in phrases:
        return phrases[""].format(value=shown)
    if name.startswith(LIST_PREFIX):
        return f'{"" if value == "true" else "not "}in the list "{name.removeprefix(LIST_PREFIX)}"'
    if value in ("true", "false", "present", "absent"):
        return f"{'with' if value in ('true', 'present') else 'without'} {plain}"
    return f"with {plain} {'' if value is None else '= '}{shown.replace('_', ' ')}"


def format_share(value: float) -> str:
    """Return a share with two decimals and no leading zero: ``.08``, ``1.00``."""
    return f"{value:.2f}".removeprefix("0") if value < 1 else f"{value:.2f}"


def _find_feature(name: str) -> Feature | None:
    return next(iter(taxonomy().find_candidates(name)), None)


def _join_phrases(phrases: Sequence[str]) -> str:
    if len(phrases) < 2:
        return "".join(phrases)
    # a comma, where one of the phrases contains "and" itself
    comma = "," if len(phrases) > 2 or any(" and " in phrase for phrase in phrases) else ""
    return f"{', '.join(phrases[:-1])}{comma} and {phrases[-1]}"


def _parse_condition(condition: str) -> tuple[str, int | None, int | None, str | None]:
    """Return the feature of a condition and its value, or the bounds of its range if it is numeric."""
    if match := RANGE_PATTERN.match(condition):
        return match[1], int(match[2]), int(match[3]), None
    if match := PRESENCE_PATTERN.match(condition):
        return match[1], None, None, match[2]
    match = COMPARISON_PATTERN.match(condition)
    if match is None:
        return condition, None, None, "true"
    name, operator, value = match[1], match[2], match[3].strip('"')
    if value.isdigit():
        number = int(value)
        return name, None if operator == "<=" else number, None if operator == ">=" else number, None
    return name, None, None, value


def _describe_count(nouns: tuple[str, str], low: int | None, high: int | None, template: str) -> str:
    """Return a phrase such as "with 2 or more hyphens", or `template` with "2 or more" inserted."""
    singular, plural = nouns
    article = "an" if singular[0] in "AEIOaeio" else "a"
    if not template and high == 0:
        return f"without {article} {singular}"
    if not template and (low, high) == (1, None):
        return f"with {article} {singular}"
    number = "no" if high == 0 else _format_range(low, high)
    if high == 1:
        # there is no name or sentence of no words, but names without hyphens
        number = "one" if template or low else "at most one"
    return (template or "with {value}").format(value=f"{number} {singular if high == 1 else plural}")


def _format_range(low: int | None, high: int | None) -> str:
    if low == high:
        return f"{low}"
    if high is None:
        return f"{low} or more"
    return f"{low} to {high}" if low else f"at most {high}"
