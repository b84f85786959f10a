"""Tests of perturbations: the changes of each, and the mapping of positions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagsuite.catalogues.entity_features import entity_features
from tagsuite.generator.perturbing import PERTURBATIONS, make_variants, perturb_texts
from tagsuite.generator.perturbing.edits import Edit, SpanMap, apply_edits, sort_edits
from tagsuite.generator.perturbing.name_swaps import NamePool, load_pool
from tagsuite.generator.perturbing.options import PerturbOptions
from tagsuite.generator.perturbing.subject import Subject, SubjectMention, TextRandom
from tagsuite.generator.writing.articles import takes_an
from tagsuite.sentences.neutral import read_neutral_sentences

TAG = re.compile(r"<([^<>]*)>")
DRAW = TextRandom(0, "", "")


def subject(marked: str, *, kind: str = "", swapped: bool = True) -> Subject:
    """Make a subject from a text with mentions in angle brackets."""
    mentions, text, at = [], "", 0
    for found in TAG.finditer(marked):
        text += marked[at : found.start()]
        mentions.append(SubjectMention(len(text), len(text) + len(found[1]), kind, swapped))
        text += found[1]
        at = found.end()
    return Subject(text + marked[at:], tuple(mentions))


def changed(perturbation: str, variant: str, marked: str) -> str:
    """Apply one variant to a marked text; return the result with marks, or the text if nothing changes."""
    one = subject(marked)
    edits = make_variants(perturbation, [one])[variant](one, DRAW)
    text, carrying = apply_edits(one.text, edits), SpanMap(edits)
    for mention in reversed(one.mentions):
        span = carrying.map_span(mention.start, mention.end)
        assert span is not None
        text = f"{text[: span[0]]}<{text[slice(*span)]}>{text[span[1] :]}"
    return text


@pytest.mark.parametrize(
    ("perturbation", "variant", "before", "after"),
    [
        ("case", "lower", "We saw <IL-2> in Rome.", "We saw <il-2> in Rome."),
        ("case", "upper", "We saw <TNFα> and <p53>.", "We saw <TNFα> and <P53>."),  # Α would be a Latin A
        ("case", "capital", "The <NF-kappa B> site", "The <Nf-kappa b> site"),
        ("case", "first_word", "The <p53> gene", "the <p53> gene"),
        ("case", "first_word", "DNA of <p53>", "DNA of <p53>"),  # an acronym
        ("case", "first_word", "<Insulin> binds", "<Insulin> binds"),  # a name
        ("hyphen", "blank", "<IL-2> and well-known", "<IL 2> and well-known"),  # inside names alone
        ("hyphen", "nothing", "<IL-2>, <IL 4>, <p53>", "<IL2>, <IL4>, <p53>"),
        ("hyphen", "hyphen", "<IL2>, <IL 4>, <p53>", "<IL-2>, <IL-4>, <p-53>"),
        ("hyphen", "nothing", "<growth factor 2>", "<growth factor 2>"),  # no word and number in one
        ("hyphen", "blank", "<TGF-beta1>, <TNFα>", "<TGF beta1>, <TNF α>"),
        ("hyphen", "blank", "<14-3-3>", "<14-3-3>"),  # numbers keep their hyphens
        ("greek", "respelled", "<TNFα> of <TGF-beta>", "<TNFalpha> of <TGF-β>"),
        ("greek", "respelled", "an alphabet, 5 μM", "an alphabet, 5 μM"),  # a word, a unit
        ("greek", "respelled", "<αv> integrin", "<αv> integrin"),  # alphav would not be read back
        ("typography", "quotes", 'a "b" c', "a “b” c"),
        ("typography", "dashes", "<IL-2> - well", "<IL–2> - well"),
        ("typography", "primes", "the 5' end", "the 5′ end"),
        ("typography", "primes", "the 1990's", "the 1990's"),
        ("typography", "no_break", "<growth factor> of mice", "<growth\N{NO-BREAK SPACE}factor> of mice"),
        ("typography", "full_width", "<p53> (a gene)", "<p53> （a gene）"),
        ("sentence", "after", "No stop", "No stop"),
    ],
)
def test_each_variant_changes_what_it_says(perturbation: str, variant: str, before: str, after: str) -> None:
    assert changed(perturbation, variant, before) == after


def test_a_sentence_is_added_before_or_after_and_names_nothing() -> None:
    for variant, pattern in (("before", r"[^<]+\. <p53> binds\."), ("after", r"<p53> binds\. [^<]+\.")):
        assert re.fullmatch(pattern, changed("sentence", variant, "<p53> binds."))
    words = {w for s in read_neutral_sentences() for w in re.findall(r"\w+", s)}
    assert not words & set(load_pool()["data"])


def test_an_added_sentence_has_no_name_or_type_of_the_texts() -> None:
    texts = [Subject(f"Fever {i}.", (SubjectMention(0, 5, type="plant"),)) for i in range(300)]
    added = [t.text for t in perturb_texts("sentence", texts) if t is not None]
    assert len(added) == 300
    assert not [text for text in added if re.search(r"\b(fever|plants?)\b", text)]


MARKED = "We saw that <IL-2> and a <p53> bind <IL-2>, not <tumor necrosis factor>, in <mouse kinases 2>."


@pytest.mark.parametrize("seed", range(5))
def test_names_are_exchanged_for_others_of_their_kind(seed: int) -> None:
    one = subject("We saw <IL-2> and a <p53>, not <tumor necrosis factor>; <IL-2> is an <APC> here.")
    done = perturb_texts("name", [one], seed)[0]
    assert done is not None
    carrying = SpanMap(done.edits)
    spans = [carrying.map_span(m.start, m.end) for m in one.mentions]
    forms = [done.text[slice(*s)] for s in spans if s]
    assert forms[0] == forms[3]
    assert len(set(forms)) == 4
    assert not set(forms) & {one.form(m) for m in one.mentions}
    assert set(forms) <= set(load_pool()["data"])
    reading = entity_features(load_pool().query("data in @forms")["data"], columns=["name_vs_symbol"])
    assert sorted(reading["name_vs_symbol"].astype(str)) == ["name", "symbol", "symbol", "symbol"]
    for form, place in ((forms[1], spans[1]), (forms[4], spans[4])):
        assert place is not None
        assert done.text[: place[0]].endswith(" an " if takes_an(form) else " a ")


def test_a_kind_that_a_catalogue_names_is_kept() -> None:
    done = perturb_texts("name", [subject("The <E3 ligase family> is large.", kind="family")])[0]
    assert done is not None
    new = done.text.removeprefix("The ").removesuffix(" is large.")
    assert load_pool().set_index("data").loc[new, "kind"] == "family"


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (subject("The <flu> again.", swapped=False), "what is no name of a gene stays"),
        (subject("Nothing here."), "no mentions"),
        (Subject("p53 protein", (SubjectMention(0, 3), SubjectMention(0, 11))), "one name inside another"),
        (Subject("p53 and 54", (SubjectMention(0, 10, fragments=((0, 3), (8, 10))),)), "a name in pieces"),
    ],
)
def test_texts_whose_names_cannot_be_exchanged_are_left_alone(one: Subject, why: str) -> None:
    assert perturb_texts("name", [one]) == [None], why


def test_what_hangs_together_in_a_text_is_drawn_by_the_text_alone() -> None:
    texts = [subject(t) for t in (MARKED, "The <TNFα> gene.", "Is <IL-2> here?", "The <TNFα> gene.")]
    for name in PERTURBATIONS:
        whole = perturb_texts(name, texts, 3)
        assert perturb_texts(name, texts[::-1], 3) == whole[::-1]
        assert [perturb_texts(name, [t], 3)[0] for t in texts] == whole
        assert whole[1] == whole[3]
    drawn = {str(perturb_texts("name", texts, seed)) for seed in range(4)}
    assert len(drawn) == 4


PIECES = st.lists(
    st.sampled_from(
        [
            "<IL-2>", "<IL2>", "<TNFα>", "<TGF-beta 1>", "<p53>", "<αB-crystallin>", "<NF-kappaB>",
            "<growth factor 2>", "<5'-kinase>", '<"x" 3>', "The", "and", "a", "(not)", "5' end", "5 μM",
            "alpha", "β", "γδ", "“so”", "of.", "well-known", "1990’s", "[α]", "",
        ]
    ),
    min_size=1,
    max_size=12,
)  # fmt: skip


@given(PIECES, st.sampled_from([" ", "", ", "]), st.integers(0, 50))
def test_carried_spans_slice_to_what_became_of_the_names(pieces: list[str], glue: str, seed: int) -> None:
    one = subject(glue.join(pieces))
    for name in PERTURBATIONS:
        done = perturb_texts(name, [one], seed)[0]
        if done is None:
            continue
        assert done.text == apply_edits(one.text, done.edits) != one.text
        carrying = SpanMap(done.edits)
        for m in one.mentions:
            span = carrying.map_span(m.start, m.end)
            assert span is not None
            # the edits inside a name, done to the name alone, give the carried surface
            own = [Edit(e.start - m.start, e.end - m.start, e.new) for e in done.edits]
            inner = [e for e in own if e.start >= 0 and e.end <= m.end - m.start]
            if name != "sentence":
                assert done.text[slice(*span)] == apply_edits(one.form(m), inner)
            else:
                assert done.text[slice(*span)] == one.form(m)
            assert carrying.map_back(*span) == (m.start, m.end)
            assert carrying.map_edges(m.start, m.end) == carrying.map_edges_after(*span)


@given(
    st.text("abc-α ", max_size=20),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), st.text("xyz", max_size=4)), max_size=5),
)
def test_places_go_there_and_back(text: str, drawn: list[tuple[int, int, str]]) -> None:
    size = len(text)
    edits = sort_edits(Edit(min(s, size), min(s + n, size), new) for s, n, new in drawn)
    carrying, after = SpanMap(edits), apply_edits(text, edits)
    for start in range(size):
        for end in range(start + 1, size + 1):
            span = carrying.map_span(start, end)
            inside = any(e.start < p < e.end for e in edits for p in (start, end))
            if inside:
                assert span is None
            if span is None:
                continue
            assert 0 <= span[0] < span[1] <= len(after)
            touched = [e for e in edits if start <= e.start and e.end <= end]
            kept = [e for e in touched if not (e.start == e.end and e.start in (start, end))]
            own = apply_edits(text[start:end], [Edit(e.start - start, e.end - start, e.new) for e in kept])
            assert after[slice(*span)] == own


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        ((), tuple(PERTURBATIONS)),
        (("greek", "case , greek"), ("case", "greek")),
    ],
)
def test_perturbations_are_named_with_commas_or_again(
    asked: tuple[str, ...], chosen: tuple[str, ...]
) -> None:
    assert PerturbOptions(perturb=asked).perturb == chosen


def test_too_few_names_of_a_kind_are_none() -> None:
    one = subject("The <ABC1> gene.", kind="pseudogene")
    assert NamePool.from_subjects([one]).fitting_rows[("ABC1", "pseudogene", "")].size < 20
    assert perturb_texts("name", [one]) == [None]
