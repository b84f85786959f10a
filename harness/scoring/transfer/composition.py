"""Compositions: counts of feature combinations in a corpus, without its text.

In addition to features of the taxonomy, compositions have the feature `forms`. It shows which patterns and
head words from a fixed list occur in a name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_path, read_bundled_toml
from ....catalogues.core.parquet import arrow_path, read_table, table_to_frame
from ....catalogues.core.version import __version__
from ....catalogues.feature import Feature, FeatureValue
from ....catalogues.taxonomy import taxonomy
from ....sentences.corpus import Corpus
from ....sentences.words import read_gene_words, read_word_list
from ..arrays import Ints, Numbers
from ..discovery.conditions import NEIGHBOUR_FEATURES, SHAPE_COLUMN, TYPE_COLUMN, list_searchable_features
from ..features import add_features
from ..statistics.design import number_documents

if TYPE_CHECKING:
    import pyarrow as pa

CLUSTER_COLUMNS = ("document", "form")
COUNT_COLUMN = "count"
COMPOSITIONS = resources.files(__package__) / "compositions"
_KEY = b"tagsuite composition"
_PROPOSERS = b"proposers"
FORMAT_VERSION = b"1"


@dataclass(frozen=True)
class Composition:
    """Counts of the feature combinations of the mentions in a corpus.

    Attributes
    ----------
    name : str
        Name of the corpus.
    frame : DataFrame
        One row per combination of values. The columns are the features, `document` (a number), `form` (first
        part of the SHA-256 of the surface form, as a number) and `count` (number of mentions).
    proposers : tuple of str
        Taggers from whose output the composition was made; empty if it was made from gold mentions. Counts
        are then sums of probabilities.
    """

    name: str
    frame: pd.DataFrame
    proposers: tuple[str, ...] = ()

    @property
    def features(self) -> list[str]:
        """Names of the columns that contain features."""
        return [str(c) for c in self.frame.columns if c not in (*CLUSTER_COLUMNS, COUNT_COLUMN)]

    @cached_property
    def weights(self) -> Numbers:
        """Number of mentions in each row of `frame`."""
        return self.frame[COUNT_COLUMN].to_numpy(dtype=np.float64)

    @cached_property
    def ways(self) -> tuple[Ints, Ints, Ints]:
        """Index of the document, of the surface form, and of the pair of both, for each row."""
        document, form = (pd.factorize(self.frame[c])[0].astype(np.int64) for c in CLUSTER_COLUMNS)
        pair = pd.factorize(document * (int(form.max(initial=-1)) + 1) + form)[0].astype(np.int64)
        return document, form, pair

    @property
    def mention_count(self) -> int:
        """Total number of mentions."""
        return round(float(self.weights.sum()))


def list_model_features(measure: str = "recall") -> list[Feature]:
    """Return the features of compositions and models: those of the taxonomy, followed by `forms`.

    The taxonomy features are those that `discover` searches, with two exceptions. The type of the context is
    left out because it is the same for all mentions of a corpus. Neighbouring words are left out because a
    composition must not contain text.
    """
    columns = (
        list_searchable_features(measure) - NEIGHBOUR_FEATURES - {"context.type", SHAPE_COLUMN, TYPE_COLUMN}
    )
    described = [f for column, f in taxonomy().by_column.items() if column in columns]
    return [*described, make_forms_feature()]


def make_composition(corpus: Corpus) -> Composition:
    """Return the composition of the gold mentions of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Texts with gold mentions.

    Raises
    ------
    InputError
        If the corpus has no gold mention.
    """
    mentions = corpus.mentions
    if "side" in mentions:
        mentions = mentions[mentions["side"] == "gold"].reset_index(drop=True)
    if not len(mentions):
        raise InputError("a composition requires a corpus with gold mentions", found=corpus.name)
    return make_mention_composition(corpus, mentions, list_model_features())


def make_mention_composition(
    corpus: Corpus, mentions: pd.DataFrame, features: Sequence[Feature], *, weights: Numbers | None = None
) -> Composition:
    """Return the composition of mentions in a corpus; each mention has a weight, by default 1."""
    frame = describe_mentions(corpus, mentions, features)
    rows = pd.Index(corpus.texts["text_id"]).get_indexer(pd.Index(frame["text_id"]))
    documents, _ = number_documents(corpus)
    codes, forms = pd.factorize(frame["data"].astype("str"))
    checksums = (hashlib.sha256(form.encode()).digest() for form in forms.tolist())
    digests = np.array([int.from_bytes(checksum[:6], "big") for checksum in checksums], dtype=np.int64)
    table = convert_categories(frame[[f.column for f in features]])
    # documents are numbered in the order of the mentions
    table["document"] = pd.factorize(documents[rows])[0].astype(np.int64)
    table["form"] = digests[codes] if len(codes) else np.zeros(0, dtype=np.int64)
    groups = table.assign(weight=1 if weights is None else weights).groupby(
        list(table.columns), dropna=False, sort=False, observed=True
    )
    counts = groups["weight"].sum()
    return Composition(corpus.name, counts.rename(COUNT_COLUMN).reset_index())


def convert_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert categorical columns to text, so that corpora with different categories can be combined."""
    listed = [c for c in frame.columns if isinstance(frame[c].dtype, pd.CategoricalDtype)]
    return frame.assign(**{c: frame[c].astype("str") for c in listed})


def write_composition(composition: Composition, path: Path) -> None:
    """Write a composition to a Parquet file; equal compositions result in identical files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(composition.frame, preserve_index=False)
    labels = {_KEY: FORMAT_VERSION, b"name": composition.name.encode(), b"tagsuite": __version__.encode()}
    if composition.proposers:
        labels[_PROPOSERS] = "\n".join(composition.proposers).encode()
    with atomic_path(path) as temporary:
        pq.write_table(
            table.replace_schema_metadata(labels),
            arrow_path(temporary),
            compression="zstd",
            compression_level=19,
        )


def read_composition(place: str | Path | Composition) -> Composition:
    """Read a composition from a file, or load a bundled one by name; return a `Composition` unchanged.

    Raises
    ------
    InputError
        If the file or name does not exist, or the file is not a composition.
    """
    if isinstance(place, Composition):
        return place
    path = Path(place)
    if not path.exists():
        if str(place) not in list_bundled():
            allowed = f"a file that tagsuite composition wrote, or {', '.join(list_bundled())}"
            raise InputError("unknown composition", found=str(place), allowed=allowed)
        with resources.as_file(COMPOSITIONS / f"{place}.parquet") as bundled:
            return _read_file(bundled)
    return _read_file(path)


def read_composition_for(place: str | Path | Composition, tagger_part: str) -> Composition:
    """Read a composition for estimating the results of a tagger.

    Raises
    ------
    InputError
        If the composition cannot be read, or was made from the output of the tagger.
    """
    found = read_composition(place)
    same = [part for part in found.proposers if get_tagger_name(part) == get_tagger_name(tagger_part)]
    if same:
        raise InputError(
            "the composition was made from the output of the tested tagger, so the names that this tagger "
            "misses are not in it; make one from the output of other taggers (tagsuite composition)",
            found=", ".join(same),
        )
    return found


def get_tagger_name(tagger_part: str) -> str:
    """Return the name in a tagger's part of a signature.

    Examples
    --------
    >>> get_tagger_name("tagger:kex@0.3#1a2b3c4d")
    'kex'
    """
    return tagger_part.removeprefix("tagger:").partition("@")[0]


def list_bundled() -> list[str]:
    """Return the names of the bundled compositions."""
    names = (path.name for path in COMPOSITIONS.iterdir())
    return sorted(name.removesuffix(".parquet") for name in names if name.endswith(".parquet"))


def _read_file(path: Path) -> Composition:
    table = read_table(path)
    labels = table.schema.metadata or {}
    if labels.get(_KEY) != FORMAT_VERSION:
        raise InputError("this file was not written by tagsuite composition", file=path)
    _refuse_wrong_kinds(table, path)
    frame = table_to_frame(table.replace_schema_metadata(None), path)
    lacking = [c for c in (*CLUSTER_COLUMNS, COUNT_COLUMN) if c not in frame]
    if lacking:
        raise InputError(
            f"column {lacking[0]} is missing", file=path, found=", ".join(map(str, frame.columns))
        )
    if not len(frame):
        raise InputError("the composition has no mentions", file=path)
    proposers = tuple(labels.get(_PROPOSERS, b"").decode().splitlines())
    return Composition(labels.get(b"name", b"").decode(), frame, proposers)


def _refuse_wrong_kinds(table: pa.Table, path: Path) -> None:
    """Raise InputError if a column of a composition has values of the wrong type."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text_types = (pa.types.is_string, pa.types.is_large_string, pa.types.is_null)
    # Arrow types and allowed values of each kind; only text may be missing
    schema = {
        "boolean": ((pa.types.is_boolean,), "true or false in every row"),
        "integer": ((pa.types.is_integer,), "a whole number in every row"),
        "number": ((pa.types.is_integer, pa.types.is_floating), "a number in every row"),
        COUNT_COLUMN: ((pa.types.is_integer, pa.types.is_floating), "a number above 0 in every row"),
    }
    kinds: dict[str, str] = {f.column: f.kind for f in list_model_features()}
    kinds |= {**dict.fromkeys(CLUSTER_COLUMNS, "integer"), COUNT_COLUMN: COUNT_COLUMN}
    for field, column in zip(table.schema, table.columns, strict=True):
        if field.name not in kinds:
            continue
        types, allowed = schema.get(kinds[field.name], (text_types, "text"))
        found = ""
        if not any(fits(field.type) for fits in types):
            found = str(field.type)
        elif column.null_count and types is not text_types:
            found = f"{column.null_count} missing values"
        elif field.name == COUNT_COLUMN and len(column) and not pc.min(column).as_py() > 0:
            found = str(pc.min(column))
        if found:
            problem = f"column {field.name} of the composition has invalid values"
            raise InputError(problem, file=path, found=found, allowed=allowed)


def find_missing_features(composition: Composition, features: Collection[Feature]) -> list[str]:
    """Return the names of all `features` that a composition does not have."""
    columns = set(composition.features)
    return sorted({f.name for f in features if f.column not in columns})


FORMS_COLUMN = "forms"
"""Name of the column with the patterns and head words that occur in a name."""
ORGANISM_FORM = "begins with an organism"
HEAD_FORM = "ends in a head"
PLURAL_HEAD_FORM = "ends in a head's plural"


@cache
def load_form_patterns() -> dict[str, re.Pattern[str]]:
    """Return the compiled patterns of the bundled list of forms, with the names of the forms as keys."""
    tables = read_bundled_toml(__package__, "forms.toml")["form"]
    return {table["name"]: re.compile(table["pattern"]) for table in tables}


@cache
def make_forms_feature() -> Feature:
    """Return the definition of the feature `forms`, with all forms as its values."""
    ends = [f"ends in {base}" for base in dict.fromkeys(read_gene_words("head").values())]
    values = tuple(
        FeatureValue(name, "", "")
        for name in [*load_form_patterns(), *ends, HEAD_FORM, PLURAL_HEAD_FORM, ORGANISM_FORM]
    )
    return Feature(FORMS_COLUMN, "entity", "orthographic", "set", values)


def match_forms(name: str) -> str:
    """Return the patterns and head words that occur in a name, joined by ``|``."""
    forms = [form for form, pattern in load_form_patterns().items() if pattern.search(name)]
    words = name.lower().split()
    last = words[-1] if words else ""
    base = read_gene_words("head").get(last)
    if base is not None:
        forms += [f"ends in {base}", HEAD_FORM]
        if base != last:
            forms.append(PLURAL_HEAD_FORM)
    if words and words[0] in read_word_list("species"):
        forms.append(ORGANISM_FORM)
    return "|".join(forms)


def describe_mentions(corpus: Corpus, mentions: pd.DataFrame, features: Collection[Feature]) -> pd.DataFrame:
    """Return mentions with a new index and one column per given feature, including `forms`."""
    taxonomy_features = [f for f in features if f.column != FORMS_COLUMN]
    frame = add_features(corpus, mentions, [*taxonomy_features, taxonomy().by_column["data"]]).reset_index(
        drop=True
    )
    if len(taxonomy_features) == len(features):
        return frame
    codes, names = pd.factorize(frame["data"].astype("str"))
    forms = np.array([match_forms(name) for name in names.tolist()], dtype=object)
    return frame.assign(**{FORMS_COLUMN: pd.Series(forms[codes], dtype="str")})
