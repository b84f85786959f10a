"""Tests that features agree with the statements of Cohen et al. (2004) about their examples."""

from __future__ import annotations

import pandas as pd
import pytest

from tagsuite.catalogues.entity_features import entity_features
from tagsuite.catalogues.query import Query

INITIAL = r"data ~ /^\d+-/ and Arabic_numeral_position = initial"
STRAY_CASE = "first_character = lower and name_vs_symbol = symbol"
CLAIMS = [
    # entity, query that must select it, the claim
    # figure 1 is in the tests of records
    ("Stat-3", "contains_hyphen = 1 and Arabic_numeral_position = final", "figure 2: Stat-3 is required"),
    ("ACOX2", "name_vs_symbol = symbol and length = 5 and case = upper", "1.1: the raw data file: ACOX2"),
    (
        "bag of marbles",
        "contains_function_word = 1 and function_words = of and parts_of_speech = 'NOUN ADP NOUN'",
        "1: the presence of some parts of speech within a gene name (e.g. the of in bag of marbles)",
    ),
    (
        "{beta}1 integrin",
        "Greek_letter_format = curly_bracketed and contains_curly_bracket = 2",
        "2.1: curly-bracketenclosed formats, not independent of the presence of the punctuation marks",
    ),
    (
        "Parkinson's disease",
        "contains_genitive and contains_apostrophe = 1 and genitive_format = apostrophe",
        "2.1: the presence of an apostrophized genitive",
    ),
    (
        "A_{\\perp}",
        "contains_curly_bracket and contains_subscript_or_superscript and not contains_genitive",
        "2.1: names like A with a subscript can be selected independently of Parkinson's disease",
    ),
    (
        "heat shock protein 60",
        "postmodifier = numeral and contains_Arabic_numeral",
        "2.1: when the numeral postmodifies a noun, e.g. in heat shock protein 60",
    ),
    ("Pray For Elves", "case = title", "2.1.1: each-word-upper-case-initial (e.g. Pray For Elves)"),
    ("p100", STRAY_CASE, "2.1.1: lower-case-initial: p100 is abundantly"),
    ("bif", STRAY_CASE, "2.1.1: lower-case-initial: bif displays strong genetic interaction"),
    (
        "glucose 6 phosphate dehydrogenase",
        "name_vs_symbol = name and Arabic_numeral_position = medial",
        "2.1.1: entities like glucose 6 phosphate dehydrogenase (vs. a medial position)",
    ),
    (
        "alcohol dehydrogenase 6",
        "name_vs_symbol = name and Arabic_numeral_position = final and postmodifier = numeral",
        "2.1.1: a number in the right-most position; missed the boundary on alcohol dehydrogenase 6",
    ),
    (
        "[beta]1 integrin",
        "contains_Greek_letter and Greek_letter_format = square_bracketed and contains_square_bracket = 2",
        "2.1.1: Greek letters in the PubMed Central format, i.e. [beta]1 integrin",
    ),
    ("beta", "Greek_letter_format = spelled", "2.1.1: a substring longer than a character, e.g. beta"),
    (
        "scott of the antarctic",
        "contains_function_word = 2 and function_words = of and function_words = the and "
        "function_word_position = medial and not function_word_position in (initial, final)",
        "2.1.2: two function words; that they are of and the; and that they are medial to the string",
    ),
    (
        "apoptosis antagonizing transcription factor",
        "present_participle_position = medial and not contains_past_participle",
        "2.1.2: contains a present participle, and the word that contains it is medial to the string",
    ),
    (
        "nima –related kinase",
        "contains_past_participle and contains_hyphen = 1 and words = 3",
        "2.1.3: typographic errors (e.g. the extraneous space in nima –related kinase)",
    ),
    (
        "INNER NO OUTER",
        "case = upper and name_vs_symbol = name and words = 3",
        "2.2.2: a multi-word gene name would occur in text in all uppercase letters, but see INNER NO OUTER",
    ),
    ("INO", "case = upper and name_vs_symbol = symbol", "2.2.2: symbols and their full names (INO)"),
    ("INO", "length = 3 and characters = 3", "2.1.1: length is in characters for symbols"),
    ("INNER NO OUTER", "length = 3 and characters = 14", "2.1.1: and in words for names"),
    ("825-Oak", INITIAL, "3: numerals in initial position, followed by a dash"),
    ("12-LOX", INITIAL, "3: e.g. 825-Oak, 12-LOX"),
    ("18-wheeler", INITIAL, "3: and 18-wheeler"),
    ("Pray For Elves", "function_words = for", "3: names that contain stopwords, such as Pray For Elves"),
    ("ken and barbie", "function_words = 'and'", "3: stopwords: ken and barbie"),
    ("Always Early", "first_character = upper and case = title", "3: begin with a capital: Always Early"),
]


@pytest.mark.parametrize(("entity", "query", "claim"), CLAIMS, ids=[f"{c[0]}: {c[2][:30]}" for c in CLAIMS])
def test_claim(entity: str, query: str, claim: str) -> None:
    data = pd.Series([entity], dtype="str")
    frame = entity_features(data)
    frame.insert(0, "data", data)
    assert Query.parse(query).evaluate(frame).tolist() == [True], f"{claim}: {frame.iloc[0].to_dict()}"
