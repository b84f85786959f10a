"""Tests of context and slot features: examples in the taxonomy, and independence from the text in slots."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked import corpus  # type: ignore[import-not-found]  # in tests/

from tagsuite.catalogues.core.errors import InputError
from tagsuite.catalogues.feature import Feature, FeatureExample
from tagsuite.catalogues.taxonomy import taxonomy
from tagsuite.catalogues.values import format_cell_value
from tagsuite.sentences import context_features
from tagsuite.sentences.context_features import (
    CONTEXT_COLUMNS,
    SLOT_COLUMNS,
    compute_slot_features,
    compute_text_features,
)
from tagsuite.sentences.contexts import read_contexts
from tagsuite.sentences.words import is_adjective


def tables(marked: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of texts and gold mentions for a text with mentions in ``<>``."""
    made = corpus(marked)
    return made.texts, made.mentions


ALL_COLUMNS = (*SLOT_COLUMNS, *CONTEXT_COLUMNS)
EXAMPLES = [(f, e) for f in taxonomy().select_scopes("slot", "context") for e in f.examples]


@pytest.fixture(scope="module")
def examples() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the slot features of all mentions, and the context features of all texts, in the examples."""
    texts = pd.DataFrame(
        {"text_id": [str(i) for i in range(len(EXAMPLES))], "text": [e.text for _, e in EXAMPLES]},
        dtype="str",
    )
    spans = [(str(i), *span) for i, (_, e) in enumerate(EXAMPLES) for span in e.spans]
    gold = pd.DataFrame(spans, columns=["text_id", "start", "end"]).astype({"text_id": "str"})
    return compute_slot_features(texts, gold, gold).set_index(gold["text_id"]), compute_text_features(
        texts, gold
    )


@pytest.mark.parametrize(
    ("number", "feature", "example"),
    [pytest.param(i, f, e, id=f"{f.qualified_name}-{e.text}") for i, (f, e) in enumerate(EXAMPLES)],
)
def test_examples_of_the_taxonomy(
    number: int, feature: Feature, example: FeatureExample, examples: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    slots, contexts = examples
    if feature.scope == "slot":
        found = slots.loc[[str(number)]][feature.column].iloc[example.slot]
    else:
        found = contexts[feature.column].iloc[number]
    assert format_cell_value(found) == example.value


FILLERS = (
    *("p53", "bif", "[beta]1 integrin", "bag of marbles", "Pray For Elves", "12-LOX", "Arp2/3", "SCA1.2"),
    *("HLA-DR (beta)", "E. coli recA", "nima -related kinase", "mouse gene", "β-catenin", "Drosophila"),
    *("a", "and", "5'-nucleotidase", "QoL, and more", "ends in a stop.", "Who? Me!"),
)


@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_feature_sees_what_fills_a_slot(seed: int) -> None:
    """Check that features do not depend on the text in slots, except for the kind of appositive."""
    draw = random.Random(seed)
    bundled = read_contexts()
    entries = draw.sample([e for e in bundled.entries if not e.is_for_look_alikes], 20)
    texts, spans, places = [], [], []
    for entry in entries:
        text = ""
        for number, piece in enumerate(entry.template.split("<>")):
            if number:
                filler = draw.choice(FILLERS)
                spans.append((entry.id, len(text), len(text) + len(filler)))
                places.append((entry.id, number - 1))
                text += filler
            text += piece.replace("{a}", "a").replace("{A}", "A")
        texts.append((entry.id, text))
    frame = pd.DataFrame(texts, columns=["text_id", "text"], dtype="str")
    gold = pd.DataFrame(spans, columns=["text_id", "start", "end"]).astype({"text_id": "str"})
    found = compute_slot_features(frame, gold, gold, ALL_COLUMNS)
    slots = bundled.slots.set_index(["context_id", "slot"]).loc[places]
    contexts = bundled.contexts.set_index("context_id").loc[gold["text_id"]]
    for column in SLOT_COLUMNS:
        if column != "appositive_side":
            assert [format_cell_value(v) for v in found[column]] == [
                format_cell_value(v) for v in slots[column]
            ], column
    for column in CONTEXT_COLUMNS:
        if column != "appositive":
            assert [format_cell_value(v) for v in found[column]] == [
                format_cell_value(v) for v in contexts[column]
            ], column


def table(frame: pd.DataFrame) -> list[list[str]]:
    return [[format_cell_value(v) for v in frame[c]] for c in frame]


BLOCKS = st.lists(
    st.text(st.sampled_from("ab Z9.,(-/)'\nβ𝛼"), min_size=0, max_size=30), min_size=1, max_size=8
)


@settings(deadline=None, max_examples=6)
@given(texts=BLOCKS, data=st.data())
def test_any_text_and_spans_have_features(texts: list[str], data: st.DataObject) -> None:
    """Check that any text is accepted and that the block size does not change the result."""
    frame = pd.DataFrame({"text_id": [f"t{i}" for i in range(len(texts))], "text": texts}, dtype="str")
    spans = []
    for i, text in enumerate(texts):
        if text:
            for _ in range(data.draw(st.integers(0, 3))):
                start = data.draw(st.integers(0, len(text) - 1))
                spans.append((f"t{i}", start, data.draw(st.integers(start + 1, len(text)))))
    gold = pd.DataFrame(spans, columns=["text_id", "start", "end"])
    gold = gold.astype({"text_id": "str", "start": "int64", "end": "int64"})
    together = compute_slot_features(frame, gold, gold, ALL_COLUMNS)
    contexts = compute_text_features(frame, gold)
    assert len(together) == len(gold)
    assert len(contexts) == len(frame)
    assert contexts["total_number_of_names"].tolist() == [
        int((gold["text_id"] == f"t{i}").sum()) for i in range(len(texts))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context_features, "TEXTS_PER_BLOCK", 3)
        assert table(compute_slot_features(frame, gold, gold, ALL_COLUMNS)) == table(together)
        assert table(compute_text_features(frame, gold)) == table(contexts)


PREDICTED = [
    # text with gold in <>, predicted span, list type, list position, why
    ("<A1>, B1 and <C1> rose.", "B1", "coordination", "middle", "a spurious member between two gold ones"),
    ("<A1> and B1 rose.", "B1", "coordination", "last", "a spurious member after a gold one"),
    ("The <A1> and <C1> rose.", "The A1", "coordination", "first", "begins before the gold mention"),
    ("<A1>/B1 rose.", "B1", "asyndetic_coordination", "last", "a slash makes a list of two"),
    ("<A1>, B1 rose.", "B1", "none", "single", "a comma alone makes no list of two"),
]


@pytest.mark.parametrize(("marked", "predicted", "kind", "place", "why"), PREDICTED)
def test_lists_of_predicted_mentions(marked: str, predicted: str, kind: str, place: str, why: str) -> None:
    texts, gold = tables(marked)
    start = texts["text"].iloc[0].index(predicted)
    mention = pd.DataFrame({"text_id": ["0"], "start": [start], "end": [start + len(predicted)]})
    found = compute_slot_features(texts, mention.astype({"text_id": "str"}), gold)
    assert (found["list_type"].iloc[0], found["list_position"].iloc[0]) == (kind, place), why


MODIFIED = [
    # text with gold in <>, list types, list positions, why
    ("The <E6> and downstream <E7> genes.", "complex first, complex last", "an adjective"),
    ("<A1>, and total <B1>.", "complex first, complex last", "after a comma"),
    ("<A1> or the other human <B1> rose.", "complex first, complex last", "with a determiner and a species"),
    ("<A1> mRNA and total <B1> fell.", "complex first, complex last", "a keyword stays behind"),
    ("<A1> and hnRNP <B1> rose.", "complex first, complex last", "a family"),
    ("We bound <A1> and induces <B1>.", "none single, none single", "a verb"),
    ("Binding of <A1> and specific for <B1>.", "none single, none single", "an adjective with a preposition"),
    ("<A1> and in total <B1> rose.", "complex first, complex last", "a preposition before an adjective"),
    ("<A1>, total <B1> rose.", "none single, none single", "no conjunction"),
]


@pytest.mark.parametrize(("marked", "expected", "why"), MODIFIED)
def test_lists_whose_last_member_has_modifiers(marked: str, expected: str, why: str) -> None:
    texts, gold = tables(marked)
    found = compute_slot_features(texts, gold, gold)
    kinds = found["list_type"].astype("str").str.removesuffix("_coordination")
    assert ", ".join(kinds + " " + found["list_position"].astype("str")) == expected, why


NEIGHBOURS = [
    # text, mention, word before, word after, why
    ("see p53 gene", "p53", "see", "gene", "plain"),
    ("wild-type p53-dependent step", "p53", "wild-type", "dependent", "hyphens within a word, and glued"),
    ("in vivo (p53), which", "p53", "vivo", "which", "marks between are left out"),
    ("It fell. p53 rose", "p53", "", "rose", "not over a sentence's edge"),
    ("the patient's p53.", "p53", "patient's", "", "apostrophes within a word"),
    ("the anti-p53s", "p53", "anti", "s", "a mention that ends within a run of letters"),
]


@pytest.mark.parametrize(("text", "mention", "before", "after", "why"), NEIGHBOURS)
def test_neighbouring_words(text: str, mention: str, before: str, after: str, why: str) -> None:
    start = text.index(mention)
    texts, spans = tables(f"{text[:start]}<{mention}>{text[start + len(mention) :]}")
    found = compute_slot_features(texts, spans, spans)
    words = [format_cell_value(found[f"{side}_word"].iloc[0]) for side in ("preceding", "following")]
    assert words == [before, after], why


def test_empty_mentions_are_refused() -> None:
    texts, gold = tables("<p53> rose")
    with pytest.raises(InputError, match="a mention is empty"):
        compute_slot_features(texts, gold.assign(start=gold["end"]), gold)


ADJECTIVES = (
    "novel putative wild-type endogenous genomic heterologous temperature-sensitive full-length 5-fold-higher"
)
OTHERS = (
    "after unlike the less mouse liver serum protein purified increased binds kinase Smith's two gene-trap 40"
)


def test_adjectives() -> None:
    assert [word for word in ADJECTIVES.split() if not is_adjective(word)] == []
    assert [word for word in OTHERS.split() if is_adjective(word)] == []
