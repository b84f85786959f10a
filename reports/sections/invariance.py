"""Where answers change with texts that are perturbed: rates by perturbation and class, and examples."""

from __future__ import annotations

import pandas as pd

from ...generator.perturbing import PERTURBATIONS
from ...harness.scoring.classes import ALL
from ...harness.scoring.invariance import CHANGE_KINDS, VERDICT_CHANGES
from ..model import Block, Column, Section, Table, TextBlock, make_identifier
from .findings import Findings

MAX_EXAMPLES = 3
"""Changes that are shown of each perturbation and kind."""
_KIND_LABELS = {
    "missing": "cases in which a mention is no longer found",
    "appeared": "cases in which a mention is found that was not",
    "moved": "cases in which a mention has other boundaries",
    "retyped": "cases in which a mention has another type",
    "failed": "cases that the tagger did not answer once perturbed",
}


def invariance_section(findings: Findings) -> Section:
    """Return rates, rates by class and examples, for each tagger and corpus."""
    blocks: list[Block] = []
    for one in findings.invariance:
        if not len(one.table):
            continue
        tagger, corpus = one.tagger, one.corpus
        whole = one.table["class"] == ALL
        caption = f"How often {tagger} changes its answer, over {corpus}"
        id_ = make_identifier("invariance", tagger, corpus)
        blocks.append(_table(one.table[whole], id_, caption, by_class=False))
        if not whole.all():
            caption = f"By class: cases with a mention of it, {tagger} over {corpus}"
            id_ = make_identifier("invariance-classes", tagger, corpus)
            blocks.append(_table(one.table[~whole], id_, caption, by_class=True))
        if len(one.changes):
            blocks.append(_examples(one.changes, tagger, corpus))
        blocks.append(TextBlock(one.notes, "list"))
    lead = (
        "The same texts, perturbed in ways that leave every name where it is: a case changed when the "
        "tagger's own answer is another one in places carried along. No gold is needed to see that; where "
        "there is one, the last columns tell for better or for worse."
    )
    return Section("invariance", "Where the answer should not change", lead, tuple(blocks), "Invariance")


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
        Column("cases", "cases", "count", help="texts to which it applies"),
        Column("changed", "changed", "count"),
        Column("rate", "rate", "range"),
        *(Column(k, k, "count", help=_KIND_LABELS[k]) for k in CHANGE_KINDS),
        *(Column(t, t.replace("_", " "), "count") for t in VERDICT_CHANGES if frame[t].notna().any()),
    )
    return Table(id_, caption, frame, columns)


def _examples(changes: pd.DataFrame, tagger: str, corpus: str) -> Table:
    """The first changes of each perturbation, variant and kind."""
    first = changes.groupby(["perturbation", "variant", "kind"], sort=False).head(MAX_EXAMPLES)
    return Table(
        make_identifier("invariance-examples", tagger, corpus),
        f"Some of {len(changes):,} changes: {tagger} over {corpus}",
        first.reset_index(drop=True),
        (
            Column("perturbation", "perturbation"),
            Column("variant", "variant"),
            Column("kind", "what"),
            Column("before", "found before"),
            Column("after", "found after"),
            Column("text", "text"),
            Column("perturbed", "perturbed"),
        ),
    )
