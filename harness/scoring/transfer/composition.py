"""Compositions: a corpus as rows of features with counts and clusters, never its text.

Beyond the features of catalogues there is one more, the forms of a name: which of a fixed list of patterns
and heads it has.
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
from ....catalogues.taxonomy import Feature, FeatureValue, taxonomy
from ....sentences.corpus import Corpus
from ....sentences.words import read_gene_words, read_word_list
from ..arrays import Ints, Numbers
from ..discovery.conditions import NEIGHBOUR_FEATURES, SHAPE_COLUMN, list_searchable_features
from ..features import add_features
from ..statistics.design import number_documents

if TYPE_CHECKING:
    import pyarrow as pa

CLUSTER_COLUMNS = ("document", "form")
COUNT_COLUMN = "count"
COMPOSITIONS_FOLDER = "compositions"
_KEY = b"tagsuite composition"
FORMAT_VERSION = b"1"


@dataclass(frozen=True)
class Composition:
    """The joint distribution of features over some mentions.

    Attributes
    ----------
    name : str
        Of the corpus.
    frame : DataFrame
        A row for each distinct joint value: the features, `document` (a number), `form` (the beginning of the
        surface form's SHA-256, as a number) and `count` (how many mentions are such).
    """

    name: str
    frame: pd.DataFrame

    @property
    def features(self) -> list[str]:
        """The columns of features."""
        return [str(c) for c in self.frame.columns if c not in (*CLUSTER_COLUMNS, COUNT_COLUMN)]

    @cached_property
    def weights(self) -> Numbers:
        """How many mentions each row stands for."""
        return self.frame[COUNT_COLUMN].to_numpy(dtype=np.float64)

    @cached_property
    def ways(self) -> tuple[Ints, Ints, Ints]:
        """For each row its document, its surface form and the pair of these, numbered from 0 on."""
        document, form = (pd.factorize(self.frame[c])[0].astype(np.int64) for c in CLUSTER_COLUMNS)
        pair = pd.factorize(document * (int(form.max(initial=-1)) + 1) + form)[0].astype(np.int64)
        return document, form, pair

    @property
    def mention_count(self) -> int:
        """How many mentions there are."""
        return int(self.weights.sum())


def list_described_features(measure: str = "recall") -> list[Feature]:
    """The features of the taxonomy of which compositions and models are made, in its order.

    All that `discover` searches: they can be computed from any text, and what can be listed of them can. What
    is the same for every mention (the type of its context) is left out, and so are words: a composition holds
    no text.
    """
    there = list_searchable_features(measure) - NEIGHBOUR_FEATURES - {"context.type", SHAPE_COLUMN}
    return [f for column, f in taxonomy().by_column.items() if column in there]


def list_model_features(measure: str = "recall") -> list[Feature]:
    """What compositions hold and models learn from: the described features, and the forms of names."""
    return [*list_described_features(measure), make_forms_feature()]


def make_composition(corpus: Corpus) -> Composition:
    """The composition of a corpus's gold mentions.

    It serves wherever a corpus's gold is asked for its mixture only, such as the shares of strata.

    Parameters
    ----------
    corpus : Corpus
        Texts with gold mentions.

    Raises
    ------
    InputError
        When the corpus has no gold mention.
    """
    mentions = corpus.mentions
    if "side" in mentions:
        mentions = mentions[mentions["side"] == "gold"].reset_index(drop=True)
    if not len(mentions):
        raise InputError("no gold mention: there is no composition", found=corpus.name)
    return make_mention_composition(corpus, mentions, list_model_features())


def make_mention_composition(
    corpus: Corpus, mentions: pd.DataFrame, features: Sequence[Feature]
) -> Composition:
    """The composition of some mentions of a corpus's texts."""
    frame = describe_mentions(corpus, mentions, features)
    rows = pd.Index(corpus.texts["text_id"]).get_indexer(pd.Index(frame["text_id"]))
    documents, _ = number_documents(corpus)
    codes, forms = pd.factorize(frame["data"].astype("str"))
    digests = np.array([_digest_form(form) for form in forms.tolist()], dtype=np.int64)
    table = convert_categories(frame[[f.column for f in features]])
    # documents are numbered as they come
    table["document"] = pd.factorize(documents[rows])[0].astype(np.int64)
    table["form"] = digests[codes] if len(codes) else np.zeros(0, dtype=np.int64)
    counted = table.groupby(list(table.columns), dropna=False, sort=False, observed=True).size()
    return Composition(corpus.name, counted.rename(COUNT_COLUMN).reset_index())


def convert_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Categories as text, since those of two corpora differ."""
    listed = [c for c in frame.columns if isinstance(frame[c].dtype, pd.CategoricalDtype)]
    return frame.assign(**{c: frame[c].astype("str") for c in listed})


def _digest_form(form: str) -> int:
    return int.from_bytes(hashlib.sha256(form.encode()).digest()[:6], "big")


def write_composition(composition: Composition, path: Path) -> None:
    """Write a composition as Parquet; the same composition gives the same bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(composition.frame, preserve_index=False)
    labels = {_KEY: FORMAT_VERSION, b"name": composition.name.encode(), b"tagsuite": __version__.encode()}
    with atomic_path(path) as temporary:
        pq.write_table(
            table.replace_schema_metadata(labels),
            arrow_path(temporary),
            compression="zstd",
            compression_level=19,
        )


def read_composition(place: str | Path | Composition) -> Composition:
    """Read a composition: a file, or the name of a bundled one; one that is read already is taken as it is.

    Raises
    ------
    InputError
        When there is no such file or name, or the file is no composition.
    """
    if isinstance(place, Composition):
        return place
    path = Path(place)
    if not path.exists():
        if str(place) not in list_bundled():
            allowed = f"a file that tagsuite composition wrote, or {', '.join(list_bundled())}"
            raise InputError("no such composition", found=str(place), allowed=allowed)
        with resources.as_file(
            resources.files(__package__) / COMPOSITIONS_FOLDER / f"{place}.parquet"
        ) as own:
            return _read_file(own)
    return _read_file(path)


def list_bundled() -> list[str]:
    """The names of the compositions that come with tagsuite."""
    folder = resources.files(__package__) / COMPOSITIONS_FOLDER
    return sorted(p.name.removesuffix(".parquet") for p in folder.iterdir() if p.name.endswith(".parquet"))


def _read_file(path: Path) -> Composition:
    table = read_table(path)
    labels = table.schema.metadata or {}
    if labels.get(_KEY) != FORMAT_VERSION:
        raise InputError("not a composition", file=path, allowed="what tagsuite composition wrote")
    _refuse_wrong_kinds(table, path)
    frame = table_to_frame(table.replace_schema_metadata(None), path)
    lacking = [c for c in (*CLUSTER_COLUMNS, COUNT_COLUMN) if c not in frame]
    if lacking:
        raise InputError(
            "a column is missing", file=path, found=", ".join(map(str, frame.columns)), allowed=lacking[0]
        )
    if not len(frame):
        raise InputError("the composition has no mention", file=path)
    return Composition(labels.get(b"name", b"").decode(), frame)


def _refuse_wrong_kinds(table: pa.Table, path: Path) -> None:
    """Refuse a column that does not hold what its feature or count must be, before anything is computed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = (pa.types.is_string, pa.types.is_large_string, pa.types.is_null)
    # by kind the Arrow types and what is allowed in words; only text may be missing
    schema = {
        "boolean": ((pa.types.is_boolean,), "true or false in every row"),
        "integer": ((pa.types.is_integer,), "a whole number in every row"),
        "number": ((pa.types.is_integer, pa.types.is_floating), "a number in every row"),
        COUNT_COLUMN: ((pa.types.is_integer,), "a whole number of at least 1 in every row"),
    }
    kinds: dict[str, str] = {f.column: f.kind for f in list_model_features()}
    kinds |= {**dict.fromkeys(CLUSTER_COLUMNS, "integer"), COUNT_COLUMN: COUNT_COLUMN}
    for field, column in zip(table.schema, table.columns, strict=True):
        if field.name not in kinds:
            continue
        types, allowed = schema.get(kinds[field.name], (words, "text"))
        found = ""
        if not any(fits(field.type) for fits in types):
            found = str(field.type)
        elif column.null_count and types is not words:
            found = f"{column.null_count} missing values"
        elif field.name == COUNT_COLUMN and len(column) and pc.min(column).as_py() < 1:
            found = str(pc.min(column))
        if found:
            problem = f"column {field.name} of the composition holds the wrong kind of value"
            raise InputError(problem, file=path, found=found, allowed=allowed)


def find_missing_features(composition: Composition, features: Collection[Feature]) -> list[str]:
    """Features that classes ask and a composition does not have."""
    known = set(composition.features)
    return sorted({f.name for f in features if f.column not in known})


FORMS_COLUMN = "forms"
"""The column."""
ORGANISM_FORM = "begins with an organism"
HEAD_FORM = "ends in a head"
PLURAL_HEAD_FORM = "ends in a head's plural"


@cache
def load_form_patterns() -> dict[str, re.Pattern[str]]:
    """The patterns of the list, by name."""
    tables = read_bundled_toml(__package__, "forms.toml")["form"]
    return {table["name"]: re.compile(table["pattern"]) for table in tables}


@cache
def make_forms_feature() -> Feature:
    """The forms as a feature of names."""
    ends = [f"ends in {base}" for base in dict.fromkeys(read_gene_words("head").values())]
    values = tuple(
        FeatureValue(name, "", "")
        for name in [*load_form_patterns(), *ends, HEAD_FORM, PLURAL_HEAD_FORM, ORGANISM_FORM]
    )
    return Feature(FORMS_COLUMN, "entity", "orthographic", "set", values)


def match_forms(name: str) -> str:
    """The forms that a name has, joined as sets are in tables."""
    found = [form for form, pattern in load_form_patterns().items() if pattern.search(name)]
    words = name.lower().split()
    last = words[-1] if words else ""
    base = read_gene_words("head").get(last)
    if base is not None:
        found += [f"ends in {base}", HEAD_FORM]
        if base != last:
            found.append(PLURAL_HEAD_FORM)
    if words and words[0] in read_word_list("species"):
        found.append(ORGANISM_FORM)
    return "|".join(found)


def describe_mentions(corpus: Corpus, mentions: pd.DataFrame, features: Collection[Feature]) -> pd.DataFrame:
    """Mentions with the columns of features, forms among them, numbered from 0 on."""
    asked = [f for f in features if f.column != FORMS_COLUMN]
    frame = add_features(corpus, mentions, [*asked, taxonomy().by_column["data"]]).reset_index(drop=True)
    if len(asked) == len(features):
        return frame
    codes, names = pd.factorize(frame["data"].astype("str"))
    known = np.array([match_forms(name) for name in names.tolist()], dtype=object)
    return frame.assign(**{FORMS_COLUMN: pd.Series(known[codes], dtype="str")})
