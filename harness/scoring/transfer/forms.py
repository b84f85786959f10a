"""Forms of names beyond the catalogue's features: which of a fixed list of patterns and heads a name has."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

import numpy as np
import pandas as pd

from ....catalogues.core.files import bundled_toml
from ....catalogues.taxonomy import Feature, Value, taxonomy
from ....sentences.corpus import Corpus
from ....sentences.words import gene_words, word_list
from ..features import with_features

FORMS = "forms"
"""The column."""
SPECIES = "begins with an organism"
HEAD = "ends in a head"
PLURAL = "ends in a head's plural"


@cache
def patterns() -> dict[str, re.Pattern[str]]:
    """The patterns of the list, by name."""
    tables = bundled_toml(__package__, "forms.toml")["form"]
    return {table["name"]: re.compile(table["pattern"]) for table in tables}


@cache
def forms_feature() -> Feature:
    """The forms as a feature of names."""
    ends = [f"ends in {base}" for base in dict.fromkeys(gene_words("head").values())]
    values = tuple(Value(name, "", "") for name in [*patterns(), *ends, HEAD, PLURAL, SPECIES])
    return Feature(FORMS, "entity", "orthographic", "set", values)


def forms_of(name: str) -> str:
    """The forms that a name has, joined as sets are in tables."""
    found = [form for form, pattern in patterns().items() if pattern.search(name)]
    words = name.lower().split()
    last = words[-1] if words else ""
    base = gene_words("head").get(last)
    if base is not None:
        found += [f"ends in {base}", HEAD]
        if base != last:
            found.append(PLURAL)
    if words and words[0] in word_list("species"):
        found.append(SPECIES)
    return "|".join(found)


def described(corpus: Corpus, mentions: pd.DataFrame, features: Collection[Feature]) -> pd.DataFrame:
    """Mentions with the columns of features, forms among them, numbered from 0 on."""
    asked = [f for f in features if f.column != FORMS]
    frame = with_features(corpus, mentions, [*asked, taxonomy().by_column["data"]]).reset_index(drop=True)
    if len(asked) == len(features):
        return frame
    codes, names = pd.factorize(frame["data"].astype("str"))
    known = np.array([forms_of(name) for name in names.tolist()], dtype=object)
    return frame.assign(**{FORMS: pd.Series(known[codes], dtype="str")})
