"""Random corpora for the round-trip tests, with only those data that a format can store."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from tagsuite.catalogues.core.tokens import TOKEN_PATTERNS
from tagsuite.sentences.corpus import Corpus
from tagsuite.sentences.formats.base import mark_nestable
from tagsuite.sentences.formats.draft import Draft, assemble_corpus
from tagsuite.sentences.formats.views import iterate_texts, make_equivalence_sets, make_relation_views

LETTERS = "aBz09_-.,;:()[]{}<>&|/\\\"'%#@*+ αβµμΔİßfi²Ⅳ\u0301\u200b\u2003𝛼🧬\u0085\u2028"
BREAKS = "\n\r\t"
TABLES = (
    "scores",
    "sides",
    "fragments",
    "alternatives",
    "normalisations",
    "relations",
    "equivalences",
    "features",
)
LINKED = ("fragments", "normalisations", "relations", "equivalences")
NAMES = ["gp", "Gene", "B-cell", "x1", "Protéine"]


@dataclass(frozen=True)
class Profile:
    """Restrictions on the random corpora for a format, so that the format can store them."""

    options: str = ""
    breaks: bool = True
    ids: str = "free"  # free, numbers
    documents: str = "free"  # free, none, own
    snap: str = "characters"  # where mentions may begin and end: characters, solid, notions, whitespace
    single_blanks: bool = False
    filled: bool = False
    colons: bool = True  # an identifier or authority may hold : or |
    words: bool = False  # authorities and identifiers without white space, both present
    columns: str = "any"  # any, text
    names: int = len(NAMES)  # how many of NAMES are types; all but the last can be tags
    nesting: str = "any"  # flat, nested, any: which mentions may share characters
    tables: tuple[str, ...] = TABLES
    fits: Callable[[str], bool] = lambda text: True

    def has(self, table: str) -> bool:
        return table in self.tables


def texts(profile: Profile) -> st.SearchStrategy[str]:
    if profile.single_blanks:
        words = st.text(
            LETTERS.replace(" ", "").replace("\u2003", "").replace("\u0085", "").replace("\u2028", ""),
            min_size=1,
            max_size=6,
        )
        return st.lists(words, min_size=1, max_size=5).map(" ".join).filter(profile.fits)
    letters = LETTERS + (BREAKS if profile.breaks else "")
    drawn = st.text(
        st.one_of(
            st.sampled_from(letters),
            st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Co"]),
        ),
        max_size=24,
    )
    if profile.filled:
        drawn = drawn.filter(lambda t: bool(t.strip()))
    return drawn.filter(profile.fits)


def places(text: str, snap: str) -> list[tuple[int, int]]:
    """Return the smallest spans from which mentions are built."""
    if snap == "characters":
        return [(i, i + 1) for i in range(len(text))]
    if snap == "solid":
        return [(i, i + 1) for i, c in enumerate(text) if not c.isspace()]
    return [(m.start(), m.end()) for m in TOKEN_PATTERNS[snap].finditer(text)]


@st.composite
def corpora(draw: st.DrawFn, profile: Profile) -> Corpus:
    count = draw(st.integers(1, 4))
    listed = [draw(texts(profile)) for _ in range(count)]
    if profile.ids == "numbers":
        ids = [str(i) for i in range(count)]
    else:
        ids = [f"{draw(st.sampled_from(['T', 'é-', '12']))}{i}" for i in range(count)]
    if profile.documents == "own":
        ids = sorted(ids)
    documents = {
        "none": [""] * count,
        "own": ids,
        "free": sorted(draw(st.sampled_from(["", "D1", "δ"])) for _ in ids),
    }
    draft = Draft(ids, listed, documents[profile.documents])
    rows: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    types: list[str] = []
    for row, text in enumerate(listed):
        units = places(text, profile.snap)
        for _ in range(draw(st.integers(0, 4)) if units else 0):
            a = draw(st.integers(0, len(units) - 1))
            b = draw(st.integers(a, min(len(units) - 1, a + 6)))
            start, end = units[a][0], units[b][1]
            rows.append(row)
            starts.append(start)
            ends.append(end)
            types.append(draw(st.sampled_from(NAMES[: profile.names])))
            if profile.has("fragments") and end - start > 2 and draw(st.booleans()):
                cut = draw(st.integers(start + 1, end - 2))
                draft.fragments += [(len(rows) - 1, start, cut), (len(rows) - 1, cut + 1, end)]
    number = len(rows)
    if profile.nesting != "any" and number:
        bare = assemble_corpus(
            Draft(ids, listed, None, rows, starts, ends, [str(i) for i in range(number)]), name="", digest=""
        )
        kept = mark_nestable(bare, flat=profile.nesting == "flat")
        keep = sorted(int(t) for t, k in zip(bare.mentions["type"], kept, strict=True) if k)
        rows, starts, ends = ([c[i] for i in keep] for c in (rows, starts, ends))
        types = [types[i] for i in keep]
        number = len(rows)
    draft.rows, draft.starts, draft.ends, draft.types = rows, starts, ends, types
    if profile.has("scores"):
        draft.scores = [draw(st.sampled_from([0.5, 1e-9, float("nan"), 1 / 3])) for _ in range(number)]
    if profile.has("sides"):
        draft.sides = [draw(st.sampled_from(["gold", "predicted"])) for _ in range(number)]
    chosen = st.integers(0, number - 1) if number else st.nothing()
    if profile.has("alternatives"):
        draft.alternatives = (list(rows), list(starts), list(ends), list(types))
    if profile.has("normalisations") and number:
        authority = "NCBI" if not profile.colons else draw(st.sampled_from(["NCBI", "a:b|c"]))
        authorities = st.sampled_from([authority] if profile.words else [authority, ""])
        rows_drawn = st.tuples(chosen, authorities, st.sampled_from(["9606", "X_1", "é"]))
        draft.normalisations = sorted(draw(st.sets(rows_drawn, max_size=3)))
    if profile.has("relations") and number:
        first = draw(chosen)
        same = [i for i in range(number) if rows[i] == rows[first]]
        for k in range(draw(st.integers(0, 2))):
            arguments = draw(st.lists(st.sampled_from(same), min_size=2, max_size=3))
            roles = ["trigger" if draw(st.booleans()) else "Arg1", "Theme", "Cause"]
            draft.relations += [
                (k, rows[first], "Binds", r, m, -1) for r, m in zip(roles, arguments, strict=False)
            ]
            if k:
                draft.relations.append((k, rows[first], "Binds", "Cause2", -1, 0))
    if profile.has("equivalences") and number:
        members = draw(st.lists(chosen, min_size=2, max_size=3, unique=True)) if number > 1 else []
        members = [m for m in members if rows[m] == rows[members[0]]]
        if len(members) > 1:
            draft.equivalences += [(0, m) for m in members]
    if profile.has("features"):
        draft.text_columns = {
            "part": pd.Series([draw(st.sampled_from(["one", "zwei ü", ""])) for _ in ids], dtype="str")
        }
    if profile.has("features") and number:
        draft.mention_columns = {
            "data": pd.Series([draw(st.sampled_from(["p53", "α", 'q"'])) for _ in rows], dtype="str")
        }
        if profile.columns == "any":
            draft.mention_columns["length"] = pd.Series(np.arange(number), dtype="int64")
            draft.mention_columns["flag"] = pd.Series([i % 2 == 0 for i in range(number)], dtype="bool")
    return assemble_corpus(draft, name="drawn", digest="")


def canonical(corpus: Corpus) -> dict[str, Any]:
    """Return the content of a corpus in a form that does not depend on row order and on id numbers."""
    texts, keys = [], {}
    for text in iterate_texts(corpus):
        texts.append((str(text.text_id), text.document_id, text.text, text.extra))
        for m in text.mentions:
            place = (str(text.text_id), m.side, m.type, m.score, sorted(m.spans), m.start, m.end)
            keys[m.mention_id] = repr((*place, sorted(m.normalisations), sorted(m.extra.items())))
    relations = {relation.relation_id: relation for relation in make_relation_views(corpus)}

    def relation_key(number: int) -> str:
        arguments = [
            (a.role, keys[a.mention_id] if a.relation_id < 0 else relation_key(a.relation_id))
            for a in relations[number].arguments
        ]
        return repr((relations[number].type, sorted(arguments)))

    others = corpus.alternatives
    return {
        "texts": texts,
        "mentions": sorted(keys.values()),
        "alternatives": [] if others is None else sorted(map(repr, others.astype("str").to_numpy().tolist())),
        "relations": sorted(map(relation_key, relations)),
        "equivalences": sorted(sorted(keys[i] for i in members) for members in make_equivalence_sets(corpus)),
    }


def no_tag(text: str) -> bool:
    return re.search(r"</?[A-Za-z][A-Za-z0-9_.:-]*>", text) is None


def xml(text: str) -> bool:
    return re.fullmatch("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*", text) is not None
