"""Tests of the rules of entity features, as tables of surface form, value and reason."""

from __future__ import annotations

import pandas as pd
import pytest

from tagsuite.catalogues.entity_features import entity_features, lexicon
from tagsuite.catalogues.entity_features import greek as greek_letters
from tagsuite.catalogues.entity_features.feature_columns import COMPUTERS, list_computed_features
from tagsuite.catalogues.entity_features.lexicon import read_rows
from tagsuite.catalogues.feature import Feature, FeatureExample
from tagsuite.catalogues.values import format_cell_value


def value(form: str, feature: str) -> str:
    return format_cell_value(
        entity_features(pd.Series([form], dtype="str"), columns=[feature])[feature].iloc[0]
    )


EXAMPLES = [(f, e) for f in list_computed_features() for e in f.examples]


@pytest.mark.parametrize(("feature", "example"), EXAMPLES, ids=[f"{f.name}-{e.text}" for f, e in EXAMPLES])
def test_examples_of_the_taxonomy(feature: Feature, example: FeatureExample) -> None:
    assert value(example.text, feature.name) == example.value


def test_every_computed_feature_has_a_computation_and_examples() -> None:
    names = {f.name for f in list_computed_features()}
    assert names == set(COMPUTERS)
    assert [f.name for f in list_computed_features() if not f.examples] == []


ROMAN = [
    ("RNA polymerase III subunit B", True, "two letters and more need no neighbour"),
    ("collagen alpha-1(IV) chain", True, "brackets part tokens"),
    ("MHC class I heavy chain", True, "I after a classifier"),
    ("immunoglobulin superfamily I", False, "superfamily letters are letters"),
    ("protein kinase C", False, "C is never a numeral alone"),
    ("cathepsin L", False, "nor L"),
    ("small nucleolar RNA, C/D box 3", False, "coordinated with each other only: both stay letters"),
    ("types I and V collagen", True, "coordinated with a numeral"),
    ("V type ATPase", False, "V before a classifier is a letter of a name"),
    ("factor V Leiden", True, "coagulation factors are numbered"),
    ("complement factor I", False, "complement factors are lettered"),
    ("regulatory factor X 2", False, "as are regulatory factors"),
    ("X-linked inhibitor of apoptosis", False, "the chromosome"),
    ("coagulation factor viii", True, "lower case after a word"),
    ("vi", False, "lower case alone"),
    ("IIII", False, "not well-formed"),
    ("CaMKII", False, "no token of its own"),
    ("apolipoprotein C-II", True, ""),
    ("apolipoprotein A-V", True, "a capital and a hyphen before it"),
    ("C-X-C motif ligand", False, "between hyphens: a position, not a number"),
    ("oxidase subunit VIa", True, "a letter behind a numeral"),
    ("subfamily IID", True, "D is a letter here, though IID is made of the numerals' letters"),
    ("receptor with Ig domains", False, "immunoglobulin"),
    ("receptor Ig domain", False, "after a classifier, too"),
    ("IVD", False, "no word before it: a symbol"),
    ("isovaleryl dehydrogenase (IVD)", False, "in brackets: a symbol"),
    ("vasoactive peptide VIP", False, "P is no letter of a part"),
    ("binding protein Ia", False, "after a word without numerals"),
    ("polymerase (RNA) I", True, "an aside between classifier and numeral"),
    ("initiation factor 3, subunit I", False, "a subunit of a lettered complex"),
    ("immunoglobulin heavy variable (I)-2", True, "in brackets after a classifier"),
]


@pytest.mark.parametrize(("form", "expected", "why"), ROMAN, ids=[r[0] for r in ROMAN])
def test_roman_numerals(form: str, expected: bool, why: str) -> None:
    assert value(form, "contains_Roman_numeral") == str(expected).lower(), why


GREEK = [
    ("TGF-beta", "spelled", ""),
    ("TGFbeta1", "spelled", "lower case after upper case"),
    ("NFkappaB", "spelled", "between capitals"),
    ("alphaB-crystallin", "spelled", "a capital ends it"),
    ("Gbetagamma", "spelled", "two in a row"),
    ("betacellulin", "", "part of a longer word"),
    ("interferongamma", "", "no change of case"),
    ("protein tau", "spelled", "short names as words of their own"),
    ("RHO", "", "short names in capitals are symbols"),
    ("PIK3CA", "abbreviated", "the catalytic subunit alpha"),
    ("PIK3R1", "", "no Greek letter"),
    ("ALPHA-2-MACROGLOBULIN", "spelled", "long names in capitals"),
    ("metabolic", "", "eta within a word"),
    ("μ-opioid receptor", "unicode", "the letter mu"),
    ("[β]-catenin", "square_bracketed", "a letter in brackets"),
    ("{\\alpha}-actinin", "curly_bracketed", "with a backslash"),
    ("TNFa", "abbreviated", ""),
    ("TNF-a", "abbreviated", ""),
    ("IkB", "abbreviated", "in the middle"),
    ("ACTB", "abbreviated", "actin beta"),
    ("IL-1alpha and TNFa", "spelled|abbreviated", "both"),
]


@pytest.mark.parametrize(("form", "expected", "why"), GREEK, ids=[g[0] for g in GREEK])
def test_greek_letters(form: str, expected: str, why: str) -> None:
    assert value(form, "Greek_letter_format") == expected, why
    assert value(form, "contains_Greek_letter") == str(bool(expected)).lower()


def test_every_greek_letter_is_found_spelled_bracketed_and_as_itself() -> None:
    written_forms = {"{}": "spelled", "[{}]": "square_bracketed", "{{{}}}": "curly_bracketed"}
    for name, *_ in read_rows("greek_letters.tsv"):
        for pattern, expected in written_forms.items():
            assert value(f"{pattern.format(name)} chain", "Greek_letter_format") == expected, name
    for letter in "αβγδεζηθικλμνξοπρσςτυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ":
        assert value(f"{letter}-chain", "Greek_letter_format") == "unicode", letter


def test_stand_ins_are_told_by_families() -> None:
    for stem, letters, *_ in read_rows("greek_stand_ins.tsv"):
        for letter in letters:
            place = greek_letters.find_stand_in(f"{stem}{letter}1")
            assert place is not None, (stem, letter)


INFLECTION = [
    # form, past, present, plural
    ("membrane bound protein", True, False, False),
    ("voltage gated channel", True, False, False),
    ("broken heart", True, False, False),
    ("seed storage protein", False, False, False),
    ("ring finger protein", False, False, False),
    ("RING finger protein", False, False, False),
    ("FED1", False, False, False),
    ("vesicle trafficking protein", False, True, False),
    ("farnesylated protein", True, False, False),
    ("Pray For Elves", False, False, True),
    ("outer mitochondria", False, False, True),
    ("apoptosis regulator", False, False, False),
    ("Ras", False, False, False),
    ("MAPKs", False, False, True),
    ("Wilms tumor 1", False, False, False),
    ("BREAST CANCER ASSOCIATED", True, False, False),
    ("Men", False, False, False),  # symbols, not nouns
    ("Axs", False, False, False),
    ("Cdc42Hs", False, False, False),  # Homo sapiens
    ("c-fos mRNAs", False, False, True),
    ("U12 snRNPs", False, False, True),
    ("V. cholerae fur mutant", False, False, False),  # epithets
    ("ascites sialoglycoprotein", False, False, False),
]


@pytest.mark.parametrize(("form", "past", "present", "plural"), INFLECTION, ids=[i[0] for i in INFLECTION])
def test_inflection(form: str, past: bool, present: bool, plural: bool) -> None:
    found = entity_features(pd.Series([form], dtype="str")).iloc[0]
    columns = ("contains_past_participle", "contains_present_participle", "contains_plural")
    assert tuple(bool(found[c]) for c in columns) == (past, present, plural)


OTHER = [
    ("Parkinson’s disease protein", "genitive_format", "apostrophe", "the typographic apostrophe"),
    ("Bowes' melanoma antigen", "genitive_format", "apostrophe", "s'"),
    ("5'-nucleotidase", "genitive_format", "", "a prime"),
    ("Fanconi anemia group A", "genitive_format", "bare", "a listed name"),
    ("Charcot-Marie-Tooth disease", "genitive_format", "bare", "joined names"),
    ("Cancer Associated Syndrome", "genitive_format", "", "title case, no listed name"),
    ("Quillfeather syndrome", "genitive_format", "", "the first word may have its capital by position"),
    ("nephroblastoma", "resembles_disease_name", "true", "an ending"),
    ("Soma", "resembles_disease_name", "false", "an exception"),
    ("MYELOMA ANTIGEN", "resembles_disease_name", "true", "read in lower case"),
    ("vitamin a", "contains_function_word", "0", "a letter at the end"),
    ("a", "contains_function_word", "1", "the article alone"),
    ("A", "contains_function_word", "0", "a letter"),
    ("SO", "contains_function_word", "0", "a symbol in capitals"),
    ("AT rich interactive domain", "contains_function_word", "0", "AT is no preposition"),
    ("INNER NO OUTER", "function_words", "no", "all in capitals"),
    ("so", "function_word_position", "initial|final", "one word is first and last"),
    ("IL-2Rabc", "postmodifier", "none", "three letters are too many"),
    ("cyclin-dependent kinase 5", "postmodifier", "numeral", ""),
    ("protein phosphatase IIb", "postmodifier", "Roman_numeral", "a letter after the numeral"),
    ("estrogen receptor α", "postmodifier", "Greek_letter", ""),
    ("estrogen receptor beta2", "postmodifier", "Greek_letter", ""),
    ("60", "postmodifier", "none", "nothing is left of it"),
    ("IL–2", "postmodifier", "numeral", "an en dash"),
    ("l(3)(2)", "contains_nested_brackets", "false", "side by side"),
    ("a(b[c])", "contains_nested_brackets", "true", ""),
    ("()", "contains_bracketed_part", "false", "nothing between"),
    (")x(", "contains_bracketed_part", "false", "the wrong way round"),
    ("NF-kappa B", "name_vs_symbol", "symbol", "Greek aside, letters only"),
    ("protein C", "name_vs_symbol", "name", ""),
    ("myc", "name_vs_symbol", "symbol", "short and unknown"),
    ("wee", "name_vs_symbol", "symbol", "three characters"),
    ("BRUTON'S TYROSINE KINASE", "name_vs_symbol", "name", "with a genitive"),
    ("WILMS’ TUMOR SUPPRESSOR", "name_vs_symbol", "name", "with a genitive of a word in s"),
    ("INTERFERON [GAMMA]", "name_vs_symbol", "name", "with a letter in brackets"),
    ("RECEPTOR, NUCLEAR", "name_vs_symbol", "name", "with a comma"),
    ("HEPARIN-BINDING PROTEIN", "name_vs_symbol", "name", "with a hyphen"),
    ("SERINE/THREONINE KINASES", "contains_plural", "true", "with a slash"),
    ("NF-KB [IKB]", "name_vs_symbol", "symbol", "nor between marks"),
    ("NSABP'S B", "name_vs_symbol", "symbol", "a single letter"),
    ("KINASE +", "name_vs_symbol", "symbol", "a word without a letter"),
    ("TP53-binding protein", "contains_embedded_symbol", "true", ""),
    ("collagen type IV", "contains_embedded_symbol", "false", "Roman"),
    ("NF-kappa B", "contains_embedded_symbol", "false", "a symbol itself"),
    ("p21 mRNA", "name_vs_symbol", "name", "a symbol before a noun"),
    ("p21 mRNA", "length", "2", "so its length is in words"),
    ("HIV-1 LTR", "name_vs_symbol", "name", "a noun in capitals"),
    ("RNA pol II", "name_vs_symbol", "symbol", "the same"),
    ("p38 MAPK", "name_vs_symbol", "symbol", "no noun"),
    ("sema VIa", "function_words", "", "a numeral, not via"),
    ("sema VIa", "function_word_position", "", "the same"),
    ("IIa Of IVb", "function_words", "of", "one capital, at the beginning"),
    ("sema VIa", "parts_of_speech", "PROPN NUM", "a numeral"),
    ("White", "is_common_English_word", "true", ""),
    ("WHITE", "is_common_English_word", "false", "in capitals"),
    ("A", "case", "upper", ""),
    ("T cell", "case", "initial", ""),
    ("14-3-3", "case", "", "no letters"),
    ("Heat Shock 70", "case", "title", "words without letters do not matter"),
    ("β-Catenin", "case", "mixed", "a Greek letter is a letter"),
    ("interleukin 2 receptor", "parts_of_speech", "NOUN NUM NOUN", ""),
    ("ken and barbie", "parts_of_speech", "NOUN CCONJ NOUN", ""),
    ("BRCA1-associated protein", "parts_of_speech", "VERB NOUN", ""),
]


@pytest.mark.parametrize(("form", "feature", "expected", "why"), OTHER, ids=[f"{o[1]}-{o[0]}" for o in OTHER])
def test_rule(form: str, feature: str, expected: str, why: str) -> None:
    assert value(form, feature) == expected, why


def test_kinases_do_not_become_kinas() -> None:
    """Test that guesses of the lexicon about unknown words are not used."""
    assert lexicon.find_lemmas("kinases") == {}
    assert value("kinases", "contains_plural") == "true"


def test_lists_of_the_users() -> None:
    forms = pd.Series(["p53", "P53", "actin"])
    frame = entity_features(forms, lists={"training": {"p53"}, "common_English": {"actin"}})
    assert frame["in_list.training"].tolist() == [True, False, False]
    assert frame["is_common_English_word"].tolist() == [False, False, True]
    assert frame["in_list.common_English"].tolist() == [False, False, True]


def test_what_the_source_gives_decides() -> None:
    forms = pd.Series(["for", "for", "for"], index=[7, 8, 9])
    given = pd.DataFrame({"name_vs_symbol": ["name", None, "symbol"]}, index=[7, 8, 9])
    frame = entity_features(forms, given=given)
    assert frame["name_vs_symbol"].tolist() == ["name", "symbol", "symbol"]
    assert frame["length"].tolist() == [1, 3, 3]
    assert frame.index.tolist() == [7, 8, 9]


@pytest.mark.parametrize("form", ["Pants", "mats", "pins", "stops", "pigs", "caps"])
def test_a_word_that_is_a_symbol_is_no_plural(form: str) -> None:
    given = pd.DataFrame({"name_vs_symbol": ["symbol", "name"]})
    frame = entity_features(pd.Series([form, form]), given=given)
    assert frame["contains_plural"].tolist() == [False, True]
    assert frame["plural_position"].astype("object").fillna("").tolist() == ["", "initial|final"]
