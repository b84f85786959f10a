"""Section on invariance tests, with the rates of changed answers and examples of them."""

from __future__ import annotations

import pandas as pd

from ...generator.perturbing import PERTURBATIONS
from ...harness.scoring.classes import ALL
from ...harness.scoring.invariance import CHANGE_KINDS, VERDICT_CHANGES
from ..model import Block, Column, Section, Table, TextBlock, make_identifier
from .findings import Findings

MAX_EXAMPLES = 3
"""Maximum number of examples per perturbation, variant and kind of change."""
_KIND_LABELS = {
    "missing": "cases in which a mention is no longer found",
    "appeared": "cases in which a mention is found only in the perturbed text",
    "moved": "cases in which a mention has other boundaries",
    "retyped": "cases in which a mention has another type",
    "failed": "cases for which the tagger gave no answer to the perturbed text",
}


def invariance_section(findings: Findings) -> Section:
    """Return the section with rates of changed answers, for all mentions and by class, and with examples."""
    blocks: list[Block] = []
    for one in findings.invariance:
        if not len(one.table):
            continue
        tagger, corpus = one.tagger, one.corpus
        whole = one.table["class"] == ALL
        caption = f"How often the answer of {tagger} changes on {corpus}"
        id_ = make_identifier("invariance", tagger, corpus)
        blocks.append(_table(one.table[whole], id_, caption, by_class=False))
        if not whole.all():
            caption = f"Changed answers by class: {tagger} on {corpus}"
            id_ = make_identifier("invariance-classes", tagger, corpus)
            blocks.append(_table(one.table[~whole], id_, caption, by_class=True))
        if len(one.changes):
            blocks.append(_examples(one.changes, tagger, corpus))
        blocks.append(TextBlock(one.notes, "list"))
    lead = (
        "Texts were perturbed in ways that should not affect which names a tagger finds. A case counts as "
        "changed if the answers to the original and to the perturbed text differ. This needs no gold "
        "standard; if there is one, the last columns count changes for the worse and for the better."
    )
    return Section("invariance", "Answers that should not change", lead, tuple(blocks), "Invariance")


def _table(table: pd.DataFrame, id_: str, caption: str, *, by_class: bool) -> Table:
    notes = [
        "" if variant or by_class else PERTURBATIONS.get(name, "")
        for name, variant in zip(table["perturbation"], table["variant"], strict=True)
    ]
    frame = table.reset_index(drop=True).assign(note=notes)
    division = "class" if by_class else "variant"
    columns = (
        Column("perturbation", "perturbation", under="note"),
        Column(division, division),
        Column("cases", "cases", "count", help="texts to which the perturbation applies"),
        Column("changed", "changed", "count"),
        Column("rate", "rate", "range"),
        *(Column(k, k, "count", help=_KIND_LABELS[k]) for k in CHANGE_KINDS),
        *(Column(t, t.replace("_", " "), "count") for t in VERDICT_CHANGES if frame[t].notna().any()),
    )
    return Table(id_, caption, frame, columns)


def _examples(changes: pd.DataFrame, tagger: str, corpus: str) -> Table:
    """Return a table with the first `MAX_EXAMPLES` changes per perturbation, variant and kind of change."""
    first = changes.groupby(["perturbation", "variant", "kind"], sort=False).head(MAX_EXAMPLES)
    return Table(
        make_identifier("invariance-examples", tagger, corpus),
        f"Examples from {len(changes):,} changes: {tagger} on {corpus}",
        first.reset_index(drop=True),
        (
            Column("perturbation", "perturbation"),
            Column("variant", "variant"),
            Column("kind", "change"),
            Column("before", "found before"),
            Column("after", "found after"),
            Column("text", "text"),
            Column("perturbed", "perturbed text"),
        ),
    )
