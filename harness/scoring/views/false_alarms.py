"""False alarms: texts without any name in which a tagger finds one, and the tokens that drew it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from ....sentences.context_features import carriers, text_features
from ....sentences.scene import surface_forms
from ..arrays import Flags, Ints, Numbers
from ..classes import Class
from ..counting import Counts
from ..division import divisions_of, everything, features_of
from ..measures import ratio
from ..notions import Declaration
from ..pairing.candidates import intervals_meet
from ..scores import Scores
from ..statistics.intervals import wilson
from ..table import Block, frequencies, labelled, score_table

CASE = Declaration(
    name="false_alarm",
    unit="case",
    definition="a text without gold mentions in which something is predicted",
    source="Cohen, Tanabe, Kinoshita and Hunter 2004, sections 2.2.1 and 2.2.3",
)
ALARM_COLUMNS = ("cases", "false_alarms", "false_alarm_rate", "false_alarm_low", "false_alarm_high")


def cases(scores: Scores) -> tuple[Ints, Flags]:
    """The texts without gold mentions, and in which of them something is predicted."""
    size = len(scores.corpus.texts)
    empty = np.bincount(scores.gold_row, minlength=size) == 0
    alarmed = np.bincount(scores.predicted_row, minlength=size) > 0
    rows = np.flatnonzero(empty)
    return rows, alarmed[rows]


def of_texts(one: Class) -> bool:
    """Whether a class is one of texts: its query asks features of the context only."""
    return all(f.scope == "context" for f in one.query.features)


def texts_with(scores: Scores, rows: Ints, columns: Collection[str]) -> pd.DataFrame:
    """Some texts without gold mentions, with those of some context features that they lack."""
    texts = scores.corpus.texts.take(rows).reset_index(drop=True)
    lacking = set(columns) - set(texts.columns)
    if not lacking:
        return texts
    found = text_features(texts, scores.gold.iloc[:0])
    return pd.concat([texts, found[[c for c in found.columns if c in lacking]]], axis=1)


def false_alarms(scores: Scores, by: Sequence[str] = ()) -> pd.DataFrame:
    """How many texts without gold mentions have a predicted one, as score table rows of unit ``case``.

    Parameters
    ----------
    scores : Scores
        What was scored. Those of its classes that ask features of the context only have rows too.
    by : sequence of str
        Context features (keyword, typographic_features, …) whose values are classes.

    Returns
    -------
    DataFrame
        The score table's columns and ALARM_COLUMNS. `predicted` and `fp` are the texts with a false alarm,
        `cases` all texts without gold mentions; nothing is gold, so recall is undefined.
    """
    rows, alarmed = cases(scores)
    named = [c for c in scores.classes if of_texts(c)]
    frame = texts_with(scores, rows, {f.column for f in features_of(named, by)})
    divisions = [everything(len(frame), 0), *divisions_of(named, by, frame, frame.iloc[:0])]
    names: list[str] = []
    signatures: list[str] = []
    total: list[Numbers] = []
    hit: list[Numbers] = []
    queries = {c.name: str(c.query) for c in named}
    for division in divisions:
        names += division.names
        signatures += [scores.signature(CASE, queries.get(n, ""), division.asked) for n in division.names]
        total.append(division.member @ np.bincount(division.gold, minlength=division.cells))
        hit.append(division.member @ np.bincount(division.gold, alarmed, minlength=division.cells))
    size, alarms = np.concatenate(total), np.concatenate(hit)
    nothing_found = np.zeros(len(names))
    block = Block(
        Counts(nothing_found, nothing_found, alarms, nothing_found),
        CASE.name,
        CASE.unit,
        names,
        ["all"] * len(names),
        signatures,
    )
    table = score_table([block], run=scores.run, corpus=scores.corpus.name)
    low, high = wilson(alarms, size, scores.options.confidence)
    values = (size.astype(np.int64), alarms.astype(np.int64), ratio(alarms, size), low, high)
    return table.assign(**dict(zip(ALARM_COLUMNS, values, strict=True)))


def alarm_tokens(scores: Scores, *, limit: int | None = None) -> pd.DataFrame:
    """What drew the false alarms: the predicted forms in texts without gold mentions, most frequent first.

    Columns: run, data (the predicted form), cases (texts in which it was predicted), share (of all such texts
    with an alarm), carrier (a token in it that looks like a name, where there is one), keyword,
    typographic_features and morphological_features of that token.
    """
    rows, alarmed = cases(scores)
    inside = np.isin(scores.predicted_row, rows)
    predicted = scores.predicted.loc[inside].reset_index(drop=True)
    row = scores.predicted_row[inside]
    texts = scores.corpus.texts.take(rows[alarmed]).reset_index(drop=True)
    tokens = carriers(texts, scores.gold.iloc[:0]) if len(texts) else None
    frame = pd.DataFrame({"data": surface_forms(scores.corpus.texts, predicted), "row": row})
    looks = ("keyword", "typographic_features", "morphological_features")
    for column in ("carrier", *looks):
        frame[column] = pd.Series([""] * len(frame), dtype="str")
    if tokens is not None and len(tokens):
        place = pd.Index(scores.corpus.texts["text_id"]).get_indexer(pd.Index(tokens["text_id"]))
        base = scores.base[place]
        start, end = base + tokens["start"].to_numpy(), base + tokens["end"].to_numpy()
        own = scores.base[row]
        mine = own + predicted["start"].to_numpy(), own + predicted["end"].to_numpy()
        order = np.lexsort((mine[1], mine[0]))
        i, j = intervals_meet(mine[0][order], mine[1][order], start, end)
        i = order[i]
        # of several tokens the first in the text is shown
        first = pd.Series(j).groupby(i).min()
        at, token = first.index.to_numpy(), first.to_numpy()
        for column, source in zip(("carrier", *looks), ("form", *looks), strict=True):
            values = frame[column].to_numpy(dtype=object)
            values[at] = tokens[source].astype("str").fillna("").to_numpy(dtype=object)[token]
            frame[column] = pd.Series(values, dtype="str")
    keys = ["data", "carrier", *looks]
    distinct = frame.drop_duplicates(["row", *keys])
    counted = labelled(frequencies(distinct, keys, "cases", int(alarmed.sum())), run=scores.run)
    counted = counted[["run", "data", "cases", "share", "carrier", *looks]]
    return counted if limit is None else counted.head(limit)
