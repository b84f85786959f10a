"""Identifiers of mentions: comparison between gold and predicted mentions, and counts per document.

The counts are defined in the BioID README, in numbered steps; comments in the code refer to these steps.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...sentences.corpus import Corpus
from ...sentences.identifiers import (
    IDENTIFIERS_COLUMN,
    join_identifier_column,
    join_identifiers,
    split_identifiers,
)
from .arrays import Ints, Numbers
from .measures import dice, ratio

IDENTIFIER_COUNTS = ("norm_match", "norm_missing", "norm_spurious")
"""Names of the counts of identifiers."""


def read_comparable_identifiers(
    gold: pd.DataFrame, gold_corpus: Corpus, predicted: pd.DataFrame, predictions: Corpus | pd.DataFrame
) -> tuple[pd.Series, pd.Series]:
    """Return the identifiers of gold and predicted mentions as strings that can be compared.

    The identifiers of a mention are sorted. Authorities (databases) are kept only if both gold and predicted
    mentions have them.

    Raises
    ------
    InputError
        If the mentions of one side have no identifiers.
    """
    texts = []
    sources = {"gold": (gold, gold_corpus), "predicted": (predicted, predictions)}
    for side, (mentions, source) in sources.items():
        if IDENTIFIERS_COLUMN in mentions:
            column = mentions[IDENTIFIERS_COLUMN].astype("str")
        else:
            table = source.normalisations if isinstance(source, Corpus) else None
            column = join_identifier_column(mentions, table)
        column = column.fillna("")
        if not (column != "").any():
            name = gold_corpus.name
            problem = f"identifiers cannot be compared: the {side} mentions of {name} have none"
            raise InputError(f"{problem}; leave out the run or --identifiers")
        texts.append(column)
    distinct = [{text: split_identifiers(text) for text in column.unique()} for column in texts]
    has_authorities = all(any(a for pairs in one.values() for a, _ in pairs) for one in distinct)
    written = (
        {
            text: join_identifiers(sorted({(a if has_authorities else "", name) for a, name in pairs}))
            for text, pairs in one.items()
        }
        for one in distinct
    )
    first, second = (column.map(names).astype("str") for column, names in zip(texts, written, strict=True))
    return first, second


def compute_measures(match: Ints, missing: Ints, spurious: Ints, as_published: bool) -> tuple[Numbers, ...]:
    """Return precision, recall and F, given the numbers of matching, missing and spurious items.

    Precision is undefined if there are no predictions, and recall if there are no references. F is
    2 match / (2 match + missing + spurious); it is undefined only if there are neither predictions nor
    references. If `as_published` is True, undefined precision and recall are 1, and F is computed from these
    values, as in the released BioID program.
    """
    precision, recall = ratio(match, match + spurious), ratio(match, match + missing)
    if as_published:
        precision = np.where(np.isnan(precision), 1.0, precision)
        recall = np.where(np.isnan(recall), 1.0, recall)
        # same order of operations as the released program, to get the same last digit
        total = precision + recall
        return precision, recall, np.nan_to_num(ratio(2 * (precision * recall), total))
    return precision, recall, dice(match, match + missing, match + spurious)


def count_identifiers(
    cells: int,
    reference: pd.Series[str],
    run: pd.Series[str],
    equivalence: Mapping[str, str],
    *,
    as_published: bool = False,
) -> dict[str, Ints]:
    """Count matched, missing and spurious identifiers per cell (caption and label).

    Parameters
    ----------
    cells : int
        Number of cells.
    reference, run : Series of str
        Identifiers in the reference and in the run, with the number of the cell as index; alternatives in the
        reference are joined by ``|``.
    equivalence : mapping of str to str
        Equivalence class of each identifier that has equivalents.
    as_published : bool
        Whether an identifier with ``|`` in a run can match an equivalence class, as in the released program.
        Otherwise, it counts as one unknown identifier.

    Returns
    -------
    dict
        Counts per cell: one array for each name in `IDENTIFIER_COUNTS`.
    """
    # step 1: single identifiers and alternatives of the reference
    sets: defaultdict[int, set[frozenset[str]]] = defaultdict(set)
    for cell, text in zip(reference.index.tolist(), reference.tolist(), strict=True):
        sets[cell].add(frozenset(equivalence.get(part, part) for part in text.split("|")))
    proposed: defaultdict[int, set[str]] = defaultdict(set)
    for cell, text in zip(run.index.tolist(), run.tolist(), strict=True):
        # a run must not give alternatives: a text with | counts as one unknown identifier
        is_known = as_published or "|" not in text
        proposed[cell].add(equivalence.get(text, text) if is_known else f"\0{text}")
    counts = np.zeros((len(IDENTIFIER_COUNTS), cells), np.int64)
    for cell in sets.keys() | proposed.keys():
        # steps 2, 3 and 4
        match = proposed[cell] & set().union(*sets[cell])
        missing = set().union(*(names for names in sets[cell] if len(names) == 1)) - match
        # step 5: remove alternatives that are matched, or already counted as missing
        left = [names for names in sets[cell] if len(names) > 1 and not names & (match | missing)]
        # step 6: the smaller of the number of remaining alternatives and of their identifiers
        more = min(len(left), len(set().union(*left)))
        counts[:, cell] = len(match), len(missing) + more, len(proposed[cell] - match)
    return dict(zip(IDENTIFIER_COUNTS, counts, strict=True))
