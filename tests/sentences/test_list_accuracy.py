"""Tests of list and appositive features against manual judgements of real mentions.

``judged_lists.tsv`` contains 60 gold mentions from BC2GM training sentences with at least two mentions, drawn
with PCG64(20041) and judged before the features were computed. The results are in docs/reference/contexts.md.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from tagsuite.sentences.annotate import annotate
from tagsuite.sentences.formats import read_corpus

JUDGED = Path(__file__).with_name("judged_lists.tsv")
ROOT = Path(__file__).resolve().parents[2]

ERRORS = {
    # wrong columns, by text
    "P02585492A1005": ["list_type", "list_position"],  # clauses joined by ", and the"
    "P09710615T0000": ["list_type", "list_position"],  # a description between the members
    "P10467403A0000": ["appositive_side"],  # a short form that counts as a name: two names
    "P10878398A0542": ["list_type", "list_position"],  # X and Non-X
}


def test_agreement_with_judgements(shared_data: Path) -> None:
    judged = pd.read_csv(JUDGED, sep="\t")
    corpus = read_corpus(f"bc2gm:{shared_data / 'bc2gm' / 'train'}")
    columns = ["list_type", "list_position", "appositive_side"]
    wanted = corpus.mentions.merge(judged[["text_id", "start", "end"]], on=["text_id", "start", "end"])
    found = annotate(corpus, wanted, columns).merge(
        judged, on=["text_id", "start", "end"], suffixes=("", "_judged")
    )
    assert len(found) == len(judged) == 60
    wrong = {
        row["text_id"]: [c for c in columns if row[c] != row[f"{c}_judged"]]
        for row in found.to_dict("records")
    }
    assert {text: names for text, names in wrong.items() if names} == ERRORS
    lists = sum("list_type" in names for names in ERRORS.values())
    sides = sum("appositive_side" in names for names in ERRORS.values())
    said = " ".join((ROOT / "docs" / "reference" / "contexts.md").read_text(encoding="utf-8").split())
    right, sides_right = 60 - lists, 60 - sides
    assert f"the list was right for {right} and the side of an appositive for {sides_right}." in said
