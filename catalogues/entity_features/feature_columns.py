"""All entity features of many surface forms, each distinct string once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping
from functools import cached_property, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..core.text import Flags, TextColumn
from ..taxonomy import LIST_PREFIX, Feature, taxonomy
from ..word_lists import COMMON_ENGLISH_LIST
from . import greek, lexical, morphology, name_or_symbol, numerals, orthographic, parts_of_speech
from .words import WORD_PIECE, Words


def list_computed_features() -> tuple[Feature, ...]:
    """The entity features that are computed from the surface form, lists of the user's aside."""
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
        Surface forms; a missing one has every feature absent.
    given : DataFrame, optional
        What the source gives, with `data`'s index: `name_vs_symbol` where it is known (missing elsewhere).
    lists : mapping of name to container of str, optional
        Each becomes a column ``in_list.NAME``. The list ``common_English`` (words in lower case) also takes
        the place of the bundled lexicon.
    columns : collection of str, optional
        Compute these only; all when None.

    Returns
    -------
    DataFrame
        `data`'s index, one column per feature in the taxonomy's order.
    """
    lists = lists or {}
    every = [f.name for f in list_computed_features()] + [LIST_PREFIX + name for name in lists]
    wanted = every if columns is None else [name for name in every if name in set(columns)]
    codes, distinct = pd.factorize(data, use_na_sentinel=True)
    values, stated = [str(v) for v in np.asarray(distinct, dtype=object)], None
    if given is not None and "name_vs_symbol" in given:
        values, stated, codes = _distinguish_by_source(values, codes, given["name_vs_symbol"].astype("str"))
    form = DistinctForms(values, lists, stated)
    known = taxonomy()
    result = {name: form.make_column(known.find("entity." + name), codes) for name in wanted}
    return pd.DataFrame(result, index=data.index, columns=pd.Index(wanted))


def _distinguish_by_source(
    values: list[str], codes: NDArray[np.int64], given: pd.Series
) -> tuple[list[str], NDArray[np.object_], NDArray[np.int64]]:
    """Distinct pairs of a form and what its source calls it (name, symbol, ""), and each row's pair."""
    stated, names = pd.factorize(given.where(given.notna(), ""))
    pairs, inverse = np.unique(codes * len(names) + stated, return_inverse=True)
    known = pairs >= 0
    pairs, inverse = pairs[known], inverse - np.count_nonzero(~known)
    forms = [values[code] for code in (pairs // len(names)).tolist()]
    return forms, np.asarray(names, dtype=object)[pairs % len(names)], np.where(codes < 0, -1, inverse)


class DistinctForms:
    """Distinct surface forms, with what several features share.

    `stated_kinds` tells for each form what its source calls it: ``name``, ``symbol``, or nothing.
    """

    def __init__(
        self,
        values: list[str],
        lists: Mapping[str, Container[str]],
        stated: NDArray[np.object_] | None = None,
    ) -> None:
        self.values = values
        self.stated_kinds = stated
        # a line feed within a form becomes a blank, so that no scan of all forms runs from one into the next
        self.strings = TextColumn([v.replace("\n", " ") for v in values])
        self.lists = lists

    @cached_property
    def characters(self) -> NDArray[np.int32]:
        """Code points of each string."""
        return (self.strings.ends - self.strings.starts).astype(np.int32)

    @cached_property
    def words(self) -> Words:
        """White-space words as they are written."""
        return Words(self.strings)

    @cached_property
    def spoken_words(self) -> Words:
        """The words as they would be read: in a string of several words all in capitals they are lower-cased.

        What marks leave together has two letters each and five once at least, a genitive's ending aside, so
        that *INNER NO OUTER* and *WERNER'S SYNDROME HELICASE* are words and *NF KB* stays a symbol.
        """
        chosen = (self.words.count > 1) & (self.case_codes == 0)
        for index in np.flatnonzero(chosen):
            found = [
                WORD_PIECE.findall(morphology.strip_genitive(w)) for w in self.strings.texts[index].split()
            ]
            chosen[index] = (
                all(found)
                and all(p.isalpha() and len(p) > 1 for word in found for p in word)
                and any(len(p) >= 5 for word in found for p in word)
            )
        return self.words.with_lower_case(chosen)

    @cached_property
    def case_codes(self) -> NDArray[np.int8]:
        """Index into the case values."""
        return orthographic.classify_cases(self.strings, self.words)

    @cached_property
    def word_votes(self) -> NDArray[np.int8]:
        """What each word of the spoken vocabulary speaks for."""
        return name_or_symbol.classify_words(self.spoken_words.vocabulary)

    @cached_property
    def symbols_by_rule(self) -> Flags:
        """Whether each string is a symbol by the rule."""
        return name_or_symbol.is_symbol(self.strings, self.spoken_words, self.word_votes)

    @cached_property
    def symbols(self) -> Flags:
        """Whether each string is a symbol: as its source states, else by the rule."""
        if self.stated_kinds is None:
            return self.symbols_by_rule
        found = np.asarray(self.stated_kinds == "symbol")
        if (self.stated_kinds == "").any():
            found |= (self.stated_kinds == "") & self.symbols_by_rule
        return found

    @cached_property
    def mark_counts(self) -> dict[str, NDArray[np.int32]]:
        """Counts of punctuation marks."""
        return orthographic.count_marks(self.strings)

    @cached_property
    def brackets(self) -> tuple[Flags, Flags]:
        """Bracketed parts, and nested ones."""
        return orthographic.find_brackets(self.strings)

    @cached_property
    def romans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Starts and ends of the Roman numerals."""
        return numerals.find_roman(self.strings)

    @cached_property
    def greek(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Starts, ends and formats of the Greek letters."""
        return greek.find_letters(self.words)

    @cached_property
    def function_words(self) -> tuple[Flags, list[str]]:
        """Which words are function words, and which."""
        return parts_of_speech.find_function_words(self.spoken_words)

    @cached_property
    def past_participles(self) -> Flags:
        """Which words hold a past participle."""
        return self.spoken_words.test_words(lambda w: morphology.has_participle(w, "past"))

    @cached_property
    def present_participles(self) -> Flags:
        """Which words hold a present participle."""
        return self.spoken_words.test_words(lambda w: morphology.has_participle(w, "present"))

    @cached_property
    def plurals(self) -> Flags:
        """Which words hold a plural; those of a symbol only with the ending that makes it one (ERKs)."""
        of_symbol = self.symbols[self.spoken_words.owner]
        found = self.spoken_words.test_words(morphology.has_plural)
        return found & (~of_symbol | self.spoken_words.test_words(morphology.has_symbol_plural))

    @cached_property
    def genitives(self) -> Flags:
        """Which words have a genitive's ending."""
        marked = [i for i, w in enumerate(self.words.vocabulary) if "'" in w or "’" in w]
        return self.words.test_words(morphology.has_genitive, np.array(marked, np.int64))

    @cached_property
    def common_english(self) -> tuple[Flags, Flags]:
        """Which strings contain, and which are, a common English word."""
        return lexical.find_common_english(self.spoken_words, self.lists.get(COMMON_ENGLISH_LIST))

    def make_column(self, feature: Feature, codes: NDArray[np.int64]) -> object:
        """One feature as a column, a value per row of `codes`."""
        if feature.name.startswith(LIST_PREFIX):
            values: object = lexical.is_in_list(self.values, self.lists[feature.name[len(LIST_PREFIX) :]])
        else:
            values = COMPUTERS[feature.name](self)
        if feature.kind in ("integer", "boolean"):
            return _column(
                np.asarray(values)[codes] if len(self.strings) else np.zeros(len(codes), np.int32),
                codes,
                feature,
            )
        if feature.kind == "category":
            index = np.asarray(values)
            return _categories(index[codes] if len(index) else np.full(len(codes), -1), feature, codes < 0)
        return _texts(values, feature, codes)


def _column(values: NDArray[np.generic], codes: NDArray[np.int64], feature: Feature | None = None) -> object:
    """A boolean or integer column; a nullable one where a row has no string."""
    boolean = feature is not None and feature.kind == "boolean"
    missing = codes < 0
    if not missing.any():
        return values.astype(np.bool_ if boolean else np.int32)
    if boolean:
        return pd.arrays.BooleanArray(values.astype(np.bool_), missing)
    return pd.arrays.IntegerArray(values.astype(np.int32), missing)


def _categories(index: NDArray[np.integer], feature: Feature, missing: Flags) -> pd.Categorical:
    """A category column from indices into the feature's values."""
    index = np.where(missing, -1, index)
    names = pd.Index([v.name for v in feature.values], dtype="str")
    return pd.Categorical.from_codes(index.astype(np.int8), categories=names)


def _texts(values: object, feature: Feature, codes: NDArray[np.int64]) -> object:
    """A set (three masks, or a text a string) as a category column; open text as text."""
    if isinstance(values, tuple):
        mask = sum(
            (m.astype(np.int64) << i for i, m in enumerate(values)), np.zeros(len(values[0]), np.int64)
        )
        names = [v.name for v in feature.values]
        combinations = np.flatnonzero(np.bincount(mask))
        combinations = combinations[combinations > 0]
        texts = ["|".join(n for i, n in enumerate(names) if c >> i & 1) for c in combinations.tolist()]
        index = np.where(mask > 0, np.searchsorted(combinations, mask), -1)
    else:
        column = pd.Series(values, dtype="str")
        if feature.kind == "text":
            return column.array.take(codes, allow_fill=True)
        index, found = pd.factorize(column, sort=True)
        texts = list(found)
    taken = np.where(codes < 0, -1, index[codes]) if len(index) else np.full(len(codes), -1)
    return pd.Categorical.from_codes(taken, categories=pd.Index(texts, dtype="str"))


def _function_word_sets(form: DistinctForms) -> list[str | None]:
    """The function words of each string, in alphabetical order."""
    chosen, each = form.function_words
    words = form.spoken_words
    found: dict[int, set[str]] = {}
    places = np.flatnonzero(chosen)
    for owner, code in zip(words.owner[places].tolist(), words.codes[places].tolist(), strict=True):
        found.setdefault(owner, set()).add(each[code])
    return ["|".join(sorted(found[i])) if i in found else None for i in range(len(form.strings))]


def _greek_formats(form: DistinctForms) -> tuple[Flags, ...]:
    starts, _, formats = form.greek
    return tuple(form.strings.has_place(starts[formats == i]) for i in range(len(greek.LETTER_FORMATS)))


def _has_roman(form: DistinctForms) -> Flags:
    return form.strings.has_place(form.romans[0])


def _genitive_format(form: DistinctForms) -> NDArray[np.int64]:
    bare = lexical.has_bare_genitive(form.spoken_words)
    return np.select([form.words.any_in_string(form.genitives), bare], [0, 1], -1)


def _number_of_marks(name: str, form: DistinctForms) -> NDArray[np.int32]:
    return form.mark_counts[name]


def _by_rule(rule: Callable[[TextColumn], object], form: DistinctForms) -> object:
    return rule(form.strings)


COMPUTERS: dict[str, Callable[[DistinctForms], object]] = {
    **{name: partial(_number_of_marks, name) for name in orthographic.MARK_FEATURES},
    **{name: partial(_by_rule, rule) for name, rule in orthographic.STRING_RULES.items()},
    "name_vs_symbol": lambda f: np.where(f.symbols, 1, 0),
    "length": lambda f: np.where(f.symbols, f.characters, f.words.count),
    "characters": lambda f: f.characters,
    "words": lambda f: f.words.count,
    "case": lambda f: f.case_codes,
    "contains_a_numeral": lambda f: numerals.has_numeral(f.strings, _has_roman(f)),
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
    "parts_of_speech": lambda f: parts_of_speech.tag_strings(f.spoken_words, f.word_votes),
    "contains_embedded_symbol": lambda f: np.asarray(
        name_or_symbol.has_embedded_symbol(f.spoken_words) & ~f.symbols_by_rule
    ),
    "contains_common_English_word": lambda f: f.common_english[0],
    "is_common_English_word": lambda f: f.common_english[1],
    "resembles_disease_name": lambda f: lexical.resembles_disease(f.spoken_words),
}
"""How each feature is computed: counts, a mask, indices of values (-1: absent), a set's masks, or texts."""
