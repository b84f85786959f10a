"""Computation of all entity features; each distinct surface form is processed once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..core.text import Flags, TextColumn
from ..feature import LIST_PREFIX, Feature
from ..own_features import evaluate_text_rules
from ..taxonomy import taxonomy
from ..word_lists import COMMON_ENGLISH_LIST
from . import greek, lexical, morphology, name_or_symbol, numerals, orthographic, parts_of_speech
from .words import WORD_PIECE, Words


def list_computed_features() -> tuple[Feature, ...]:
    """Return the features that are computed from the surface form, except membership in the user's lists."""
    return tuple(f for f in taxonomy().select_scopes("entity") if f.is_computed)


def entity_features(
    data: pd.Series,
    given: pd.DataFrame | None = None,
    lists: Mapping[str, Container[str]] | None = None,
    columns: Collection[str] | None = None,
) -> pd.DataFrame:
    """Compute the entity features of surface forms.

    Parameters
    ----------
    data : Series of str
        Surface forms; all features of a missing form are absent.
    given : DataFrame, optional
        Table with the same index as `data`. Its column `name_vs_symbol` contains the kind of name that the
        source states, or a missing value.
    lists : mapping of name to container of str, optional
        The user's word lists; each adds a column ``in_list.NAME``. The list ``common_English`` (words in
        lower case) also replaces the bundled list of common English words.
    columns : collection of str, optional
        Names of the features to compute; all if None.

    Returns
    -------
    DataFrame
        One column per feature, in the order of the taxonomy, with the same index as `data`.
    """
    lists = lists or {}
    all_names = [f.name for f in list_computed_features()] + [LIST_PREFIX + name for name in lists]
    names = all_names if columns is None else [name for name in all_names if name in set(columns)]
    codes, distinct = pd.factorize(data, use_na_sentinel=True)
    values, stated = [str(v) for v in np.asarray(distinct, dtype=object)], None
    if given is not None and "name_vs_symbol" in given:
        values, stated, codes = _distinguish_by_source(values, codes, given["name_vs_symbol"].astype("str"))
    form = DistinctForms(values, lists, stated)
    result = {name: form.make_column(taxonomy().find("entity." + name), codes) for name in names}
    return pd.DataFrame(result, index=data.index, columns=pd.Index(names))


def _distinguish_by_source(
    values: list[str], codes: NDArray[np.int64], given: pd.Series
) -> tuple[list[str], NDArray[np.object_], NDArray[np.int64]]:
    """Distinguish equal forms if their sources state different kinds.

    Return the form and the kind (name, symbol or "") of each distinct pair, and the pair index of each row.
    """
    stated, names = pd.factorize(given.where(given.notna(), ""))
    pairs, inverse = np.unique(codes * len(names) + stated, return_inverse=True)
    known = pairs >= 0
    pairs, inverse = pairs[known], inverse - np.count_nonzero(~known)
    forms = [values[code] for code in (pairs // len(names)).tolist()]
    return forms, np.asarray(names, dtype=object)[pairs % len(names)], np.where(codes < 0, -1, inverse)


class DistinctForms:
    """Distinct surface forms, with intermediate results shared by several features.

    Attributes
    ----------
    values : list of str
        The surface forms.
    lists : mapping of name to container of str
        The user's lists.
    stated_kinds : array of str, optional
        Kind that the source states for each form: ``name``, ``symbol`` or "".
    strings : TextColumn
        The surface forms as a column of texts.
    """

    def __init__(
        self,
        values: list[str],
        lists: Mapping[str, Container[str]],
        stated: NDArray[np.object_] | None = None,
    ) -> None:
        self.values = values
        self.stated_kinds = stated
        # line feeds become spaces, so that no match extends from one form into the next
        self.strings = TextColumn([v.replace("\n", " ") for v in values])
        self.lists = lists

    @cached_property
    def characters(self) -> NDArray[np.int32]:
        """Number of code points in each surface form."""
        return (self.strings.ends - self.strings.starts).astype(np.int32)

    @cached_property
    def words(self) -> Words:
        """Words of the surface forms, separated by white space, in their original spelling."""
        return Words(self.strings)

    @cached_property
    def spoken_words(self) -> Words:
        """Words of the surface forms, converted to lower case in phrases that are written in capitals.

        A phrase has several words. Each piece of a word (without genitive ending) has at least two letters,
        and one piece has at least five. For example, *INNER NO OUTER* and *WERNER'S SYNDROME HELICASE* are
        phrases, but *NF KB* is not.
        """
        chosen = (self.words.count > 1) & (self.case_codes == 0)
        for index in np.flatnonzero(chosen):
            pieces = [
                WORD_PIECE.findall(morphology.strip_genitive(w)) for w in self.strings.texts[index].split()
            ]
            chosen[index] = (
                all(pieces)
                and all(p.isalpha() and len(p) > 1 for word in pieces for p in word)
                and any(len(p) >= 5 for word in pieces for p in word)
            )
        return self.words.with_lower_case(chosen)

    @cached_property
    def case_codes(self) -> NDArray[np.int8]:
        """Case of each string as an index into `orthographic.CASES`; -1 for strings without letters."""
        return orthographic.classify_cases(self.strings, self.words)

    @cached_property
    def word_votes(self) -> NDArray[np.int8]:
        """Class (SYMBOL, NEUTRAL or NAME) of each word in the vocabulary of `spoken_words`."""
        return np.array([name_or_symbol.classify_word(w) for w in self.spoken_words.vocabulary], np.int8)

    @cached_property
    def symbols_by_rule(self) -> Flags:
        """Mask of the strings that `name_or_symbol.is_symbol` classifies as symbols."""
        return name_or_symbol.is_symbol(self.strings, self.spoken_words, self.word_votes)

    @cached_property
    def symbols(self) -> Flags:
        """Mask of the strings that are symbols according to the source or, if it states no kind, a rule."""
        if self.stated_kinds is None:
            return self.symbols_by_rule
        symbols = np.asarray(self.stated_kinds == "symbol")
        if (self.stated_kinds == "").any():
            symbols |= (self.stated_kinds == "") & self.symbols_by_rule
        return symbols

    @cached_property
    def mark_counts(self) -> dict[str, NDArray[np.int32]]:
        """Number of punctuation marks in each string, for each feature that counts such marks."""
        return orthographic.count_marks(self.strings)

    @cached_property
    def brackets(self) -> tuple[Flags, Flags]:
        """Masks of the strings with a bracketed part, and of the strings with nested brackets."""
        return orthographic.find_brackets(self.strings)

    @cached_property
    def romans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Start and end positions of the Roman numerals in the surface forms."""
        return numerals.find_roman(self.strings)

    @cached_property
    def greek(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Start positions, end positions and formats of the Greek letters in the surface forms."""
        return greek.find_letters(self.words)

    @cached_property
    def function_words(self) -> tuple[Flags, list[str]]:
        """Mask of the words that are function words, and a list of them; see `find_function_words`."""
        return parts_of_speech.find_function_words(self.spoken_words)

    @cached_property
    def past_participles(self) -> Flags:
        """Mask of the words that contain a past participle."""
        return self.spoken_words.test_words(lambda w: morphology.has_participle(w, "past"))

    @cached_property
    def present_participles(self) -> Flags:
        """Mask of the words that contain a present participle."""
        return self.spoken_words.test_words(lambda w: morphology.has_participle(w, "present"))

    @cached_property
    def plurals(self) -> Flags:
        """Mask of the words that contain a plural; in symbols, only plurals such as *ERKs* count."""
        in_symbol = self.symbols[self.spoken_words.owner]
        plurals = self.spoken_words.test_words(morphology.has_plural)
        return plurals & (~in_symbol | self.spoken_words.test_words(morphology.has_symbol_plural))

    @cached_property
    def genitives(self) -> Flags:
        """Mask of the words with a genitive ending."""
        return self.words.test_words(morphology.has_genitive, np.arange(len(self.words.vocabulary)))

    @cached_property
    def common_english(self) -> tuple[Flags, Flags]:
        """Masks of the strings that contain a common English word, and of the strings that are one."""
        return lexical.find_common_english(self.spoken_words, self.lists.get(COMMON_ENGLISH_LIST))

    def make_column(self, feature: Feature, codes: NDArray[np.int64]) -> object:
        """Return the values of a feature as a pandas column.

        Parameters
        ----------
        feature : Feature
            Feature to compute.
        codes : int64 array
            Index of each row's string in `values`; -1 if the row has no string.
        """
        if feature.rules:
            index = evaluate_text_rules(feature, self.values)
            values: object = index == 0 if feature.kind == "boolean" else index
        elif feature.name.startswith(LIST_PREFIX):
            members = self.lists[feature.name.removeprefix(LIST_PREFIX)]
            values = np.array([value in members for value in self.values], np.bool_)
        else:
            values = COMPUTERS[feature.name](self)
        if feature.kind in ("integer", "boolean"):
            return _column(values, codes, feature)
        if feature.kind == "category":
            names = [v.name for v in feature.values]
            return _categories(np.asarray(values), codes, names)
        return _texts(values, feature, codes)


def _column(values: object, codes: NDArray[np.int64], feature: Feature) -> object:
    """Convert one value per string to a Boolean or integer column, nullable if a row has no string."""
    dtype, array = (
        (np.bool_, pd.arrays.BooleanArray)
        if feature.kind == "boolean"
        else (np.int32, pd.arrays.IntegerArray)
    )
    # the last entry belongs to code -1, a missing string
    column: NDArray[Any] = np.append(np.asarray(values), 0)[codes].astype(dtype)
    return array(column, codes < 0) if (codes < 0).any() else column


def _categories(index: NDArray[Any], codes: NDArray[np.int64], names: list[str]) -> pd.Categorical:
    """Convert the index of each string's value (-1 if absent) to a categorical column."""
    taken = np.append(index, -1)[codes]
    return pd.Categorical.from_codes(taken, categories=pd.Index(names, dtype="str"))


def _texts(values: object, feature: Feature, codes: NDArray[np.int64]) -> object:
    """Convert one text per string, or one mask per possible value of a set, to a text column."""
    if isinstance(values, tuple):
        mask = (1 << np.arange(len(values))) @ np.stack(values)
        names = [v.name for v in feature.values]
        combinations = np.unique(mask[mask > 0])
        texts = ["|".join(n for i, n in enumerate(names) if c >> i & 1) for c in combinations.tolist()]
        index = np.where(mask > 0, np.searchsorted(combinations, mask), -1)
    else:
        column = pd.Series(values, dtype="str")
        if feature.kind == "text":
            return column.array.take(codes, allow_fill=True)
        index, distinct = pd.factorize(column, sort=True)
        texts = list(distinct)
    return _categories(index, codes, texts)


def _count_marks(name: str, form: DistinctForms) -> NDArray[np.int32]:
    return form.mark_counts[name]


def _apply_rule(rule: Callable[[TextColumn], object], form: DistinctForms) -> object:
    return rule(form.strings)


def _function_word_sets(form: DistinctForms) -> list[str | None]:
    """Return the function words of each string, sorted and joined with ``|``."""
    mask, vocabulary = form.function_words
    words = form.spoken_words
    sets: dict[int, set[str]] = {}
    places = np.flatnonzero(mask)
    for owner, code in zip(words.owner[places].tolist(), words.codes[places].tolist(), strict=True):
        sets.setdefault(owner, set()).add(vocabulary[code])
    return ["|".join(sorted(sets[i])) if i in sets else None for i in range(len(form.strings))]


def _greek_formats(form: DistinctForms) -> tuple[Flags, ...]:
    starts, _, formats = form.greek
    return tuple(form.strings.has_place(starts[formats == i]) for i in range(len(greek.LETTER_FORMATS)))


def _has_roman(form: DistinctForms) -> Flags:
    return form.strings.has_place(form.romans[0])


def _genitive_format(form: DistinctForms) -> NDArray[np.int64]:
    bare = lexical.has_bare_genitive(form.spoken_words)
    return np.select([form.words.any_in_string(form.genitives), bare], [0, 1], -1)


COMPUTERS: dict[str, Callable[[DistinctForms], object]] = {
    **{name: partial(_count_marks, name) for name in orthographic.MARK_FEATURES},
    **{name: partial(_apply_rule, rule) for name, rule in orthographic.STRING_RULES.items()},
    "name_vs_symbol": lambda f: np.where(f.symbols, 1, 0),
    "length": lambda f: np.where(f.symbols, f.characters, f.words.count),
    "characters": lambda f: f.characters,
    "words": lambda f: f.words.count,
    "case": lambda f: f.case_codes,
    "contains_a_numeral": lambda f: f.strings.has_place(numerals.find_arabic(f.strings)[0]) | _has_roman(f),
    "contains_Arabic_numeral": lambda f: f.strings.has_place(numerals.find_arabic(f.strings)[0]),
    "Arabic_numeral_position": lambda f: orthographic.locate_runs(
        f.strings, *numerals.find_arabic(f.strings)
    ),
    "contains_Roman_numeral": _has_roman,
    "Roman_numeral_position": lambda f: orthographic.locate_runs(f.strings, *f.romans),
    "contains_bracketed_part": lambda f: f.brackets[0],
    "contains_nested_brackets": lambda f: f.brackets[1],
    "contains_Greek_letter": lambda f: f.strings.has_place(f.greek[0]),
    "Greek_letter_position": lambda f: orthographic.locate_runs(f.strings, *f.greek[:2]),
    "Greek_letter_format": _greek_formats,
    "contains_function_word": lambda f: f.spoken_words.count_in_strings(f.function_words[0]),
    "function_words": _function_word_sets,
    "function_word_position": lambda f: f.spoken_words.places_in_strings(f.function_words[0]),
    "contains_past_participle": lambda f: f.spoken_words.any_in_string(f.past_participles),
    "past_participle_position": lambda f: f.spoken_words.places_in_strings(f.past_participles),
    "contains_present_participle": lambda f: f.spoken_words.any_in_string(f.present_participles),
    "present_participle_position": lambda f: f.spoken_words.places_in_strings(f.present_participles),
    "contains_plural": lambda f: f.spoken_words.any_in_string(f.plurals),
    "plural_position": lambda f: f.spoken_words.places_in_strings(f.plurals),
    "contains_genitive": lambda f: f.words.any_in_string(f.genitives),
    "genitive_position": lambda f: f.words.places_in_strings(f.genitives),
    "genitive_format": _genitive_format,
    "postmodifier": lambda f: name_or_symbol.classify_postmodifiers(f.strings, f.romans),
    "parts_of_speech": lambda f: parts_of_speech.tag_strings(f.spoken_words),
    "contains_embedded_symbol": lambda f: np.asarray(
        name_or_symbol.has_embedded_symbol(f.spoken_words) & ~f.symbols_by_rule
    ),
    "contains_common_English_word": lambda f: f.common_english[0],
    "is_common_English_word": lambda f: f.common_english[1],
    "resembles_disease_name": lambda f: lexical.resembles_disease(f.spoken_words),
}
"""Functions that compute the features, keyed by feature name.

Depending on the kind of feature, a function returns counts, a Boolean mask, the index of each string's value
(-1 if absent), a mask for each value of a set, or texts.
"""
