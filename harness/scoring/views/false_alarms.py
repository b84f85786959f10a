"""False alarms (predictions in texts without gold mentions), and the tokens in which they occur."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from ....sentences.annotated_texts import get_surface_forms
from ....sentences.context_features import compute_text_features, make_carrier_frame
from ..arrays import Flags, Ints, Numbers
from ..classes import ALL, Class
from ..counting import Counts
from ..division import collect_features, make_all_division, make_divisions
from ..measures import ratio
from ..notions import NotionDeclaration
from ..scores import Scores
from ..statistics.intervals import wilson_interval
from ..table import TableBlock, add_label_columns, build_score_table, count_frequencies

FALSE_ALARM = NotionDeclaration(
    name="false_alarm",
    unit="case",
    definition="a text without gold mentions in which something is predicted",
    source="Cohen, Tanabe, Kinoshita and Hunter 2004, sections 2.2.1 and 2.2.3",
)
ALARM_COLUMNS = ("cases", "false_alarms", "false_alarm_rate", "false_alarm_low", "false_alarm_high")


def find_alarm_cases(scores: Scores) -> tuple[Ints, Flags]:
    """Return the positions of texts without gold mentions, and an array that is True for false alarms."""
    size = len(scores.corpus.texts)
    has_no_gold = np.bincount(scores.gold_row, minlength=size) == 0
    alarmed = np.bincount(scores.predicted_row, minlength=size) > 0
    rows = np.flatnonzero(has_no_gold)
    return rows, alarmed[rows]


def is_text_class(class_: Class) -> bool:
    """Return True if the query of a class uses only features of the context."""
    return all(f.scope == "context" for f in class_.query.features)


def describe_texts(scores: Scores, rows: Ints, columns: Collection[str]) -> pd.DataFrame:
    """Return texts without gold mentions, with columns for the requested features of the context."""
    texts = scores.corpus.texts.take(rows).reset_index(drop=True)
    lacking = set(columns) - set(texts.columns)
    if not lacking:
        return texts
    features = compute_text_features(texts, scores.gold.iloc[:0])
    return pd.concat([texts, features[[c for c in features.columns if c in lacking]]], axis=1)


def count_false_alarms(scores: Scores, by: Sequence[str] = ()) -> pd.DataFrame:
    """Count false alarms (texts with predicted but no gold mentions), as rows of a score table.

    Parameters
    ----------
    scores : Scores
        Scores of a run. A class has a row only if its query uses only features of the context.
    by : sequence of str
        Context features (keyword, typographic_features, …) whose values become classes.

    Returns
    -------
    DataFrame
        The columns of the score table and `ALARM_COLUMNS`. `predicted` and `fp` count the texts with a false
        alarm; `cases` counts all texts without gold mentions. Recall is undefined, as there are no gold
        mentions.
        If there are several types, the last rows count false alarms per predicted type.
    """
    rows, alarmed = find_alarm_cases(scores)
    named = [c for c in scores.classes if is_text_class(c)]
    frame = describe_texts(scores, rows, {f.column for f in collect_features(named, by)})
    divisions = [make_all_division(len(frame), 0), *make_divisions(named, by, frame, frame.iloc[:0])]
    names: list[str] = []
    signatures: list[str] = []
    total: list[Numbers] = []
    hits: list[Numbers] = []
    queries = {c.name: str(c.query) for c in named}
    for division in divisions:
        names += division.names
        signatures += [
            scores.make_signature(FALSE_ALARM, queries.get(n, ""), division.asked) for n in division.names
        ]
        total.append(division.membership @ np.bincount(division.gold, minlength=division.cell_count))
        hits.append(division.membership @ np.bincount(division.gold, alarmed, minlength=division.cell_count))
    types = ["all"] * len(names)
    if len(scores.types) > 1:
        for code, name in enumerate(scores.types):
            texts = np.unique(scores.predicted_row[scores.predicted_type == code])
            total.append(np.array([len(rows)], dtype=float))
            hits.append(np.array([np.isin(rows, texts).sum()], dtype=float))
            types.append(name)
            names.append(ALL)
            signatures.append(signatures[0])
    size, alarms = np.concatenate(total), np.concatenate(hits)
    zeros = np.zeros(len(names))
    block = TableBlock(
        Counts(zeros, zeros, alarms, zeros),
        FALSE_ALARM.name,
        FALSE_ALARM.unit,
        names,
        types,
        signatures,
    )
    table = build_score_table([block], run=scores.run, corpus=scores.corpus.name)
    low, high = wilson_interval(alarms, size, scores.options.confidence)
    values = (size.astype(np.int64), alarms.astype(np.int64), ratio(alarms, size), low, high)
    return table.assign(**dict(zip(ALARM_COLUMNS, values, strict=True)))


def list_alarm_tokens(scores: Scores, *, limit: int | None = None) -> pd.DataFrame:
    """Return the forms that are predicted in texts without gold mentions, most frequent first.

    Columns: run, data (the predicted form), cases (texts in which it is predicted), share (of all texts with
    a false alarm), carrier (a token in the form that looks like a name, if any), and the features keyword,
    typographic_features and morphological_features of that token.
    """
    rows, alarmed = find_alarm_cases(scores)
    inside = np.isin(scores.predicted_row, rows)
    predicted = scores.predicted.loc[inside].reset_index(drop=True)
    row = scores.predicted_row[inside]
    texts = scores.corpus.texts.take(rows[alarmed]).reset_index(drop=True)
    tokens = make_carrier_frame(texts, scores.gold.iloc[:0]) if len(texts) else None
    frame = pd.DataFrame({"data": get_surface_forms(scores.corpus.texts, predicted), "row": row})
    looks = ("keyword", "typographic_features", "morphological_features")
    for column in ("carrier", *looks):
        frame[column] = pd.Series([""] * len(frame), dtype="str")
    if tokens is not None and len(tokens):
        spans = predicted[["text_id", "start", "end"]].reset_index(names="place")
        pairs = spans.merge(tokens, on="text_id", suffixes=("", "_token"))
        meets = (pairs["start"] < pairs["end_token"]) & (pairs["start_token"] < pairs["end"])
        # if a form contains several such tokens, the first in the text is shown
        first = pairs[meets & (pairs["start"] < pairs["end"])].drop_duplicates("place").set_index("place")
        for column, source in zip(("carrier", *looks), ("form", *looks), strict=True):
            frame[column] = first[source].astype("str").reindex(frame.index).fillna("")
    keys = ["data", "carrier", *looks]
    distinct = frame.drop_duplicates(["row", *keys])
    counted = add_label_columns(
        count_frequencies(distinct, keys, "cases", int(alarmed.sum())), run=scores.run
    )
    counted = counted[["run", "data", "cases", "share", "carrier", *looks]]
    return counted if limit is None else counted.head(limit)
