"""Single cases of a run: text, gold and predicted mentions, outcome, reason, and the tagger's reply."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.messages import make_printable
from ...catalogues.query import Query
from ...sentences.corpus import INVENTED_COLUMN, Corpus
from ...sentences.identifiers import join_identifier_column
from ..running.folder.runs import Run
from ..running.outcomes import OUTCOME_NAMES
from .features import add_features

COLUMNS = ("case", "text", "gold", "predicted", "outcome", "reason", "reply")


def list_cases(run: Run, *, outcome: str = "", query: str = "", limit: int | None = None) -> pd.DataFrame:
    """Return the cases of a run with their gold mentions, predicted mentions and outcomes.

    Parameters
    ----------
    run : Run
    outcome : str
        Outcome that the returned cases must have; if empty, any outcome.
    query : str
        Query that must select at least one gold or predicted mention of each returned case.
    limit : int, optional
        Maximum number of cases, counted from the start of the input.

    Returns
    -------
    DataFrame
        One row per case: `case`, `text`, `gold`, `predicted`, `outcome`, `reason`, `reply`.
        ``attrs["found"]`` is the number of cases before `limit` is applied.

    Raises
    ------
    InputError
        If the outcome is unknown, the query is invalid, or the input of the run no longer exists.
    """
    if outcome and outcome not in OUTCOME_NAMES:
        raise InputError("unknown outcome", found=outcome, allowed=", ".join(OUTCOME_NAMES))
    parsed_query = Query.parse(query) if query else None
    corpus = run.load_corpus()
    # sorted like the input
    outcomes = run.outcomes.set_index("case_id").loc[corpus.texts["text_id"]]
    is_selected = np.ones(len(outcomes), dtype=bool)
    if outcome:
        is_selected &= (outcomes["outcome"].astype("str") == outcome).to_numpy()
    predicted_corpus = run.make_predicted_corpus(corpus)
    sides = (corpus.gold, predicted_corpus.mentions)
    if parsed_query is not None:
        selected = [_select_texts(corpus, mentions, parsed_query) for mentions in sides]
        is_selected &= corpus.texts["text_id"].isin(pd.concat(selected)).to_numpy()
    rows = np.flatnonzero(is_selected)
    texts = corpus.texts.iloc[rows[:limit]]
    ids = texts["text_id"]
    described = list(sides)
    if corpus.normalisations is not None and predicted_corpus.normalisations is not None:
        tables = (corpus.normalisations, predicted_corpus.normalisations)
        described = [m.assign(type=_add_identifiers(m, t)) for m, t in zip(sides, tables, strict=True)]
    gold, predicted = (_describe_mentions(mentions, texts) for mentions in described)
    chosen = outcomes.loc[ids]
    replies = run.replies
    reply_of = {} if replies is None else dict(zip(replies["case_id"], replies["reply"], strict=True))
    table = pd.DataFrame(
        {
            "case": ids.to_numpy(),
            "text": texts["text"].to_numpy(),
            "gold": gold,
            "predicted": predicted,
            "outcome": chosen["outcome"].to_numpy(),
            "reason": chosen["reason"].to_numpy(),
            "reply": pd.Series([reply_of.get(case) for case in ids], dtype="str"),
        }
    )
    table.attrs["found"] = len(rows)
    return table


def _select_texts(corpus: Corpus, mentions: pd.DataFrame, query: Query) -> pd.Series:
    frame = add_features(corpus, mentions.reset_index(drop=True), query.features)
    return frame["text_id"][query.evaluate(frame)]


def _add_identifiers(mentions: pd.DataFrame, normalisations: pd.DataFrame) -> pd.Series:
    identifiers = join_identifier_column(mentions, normalisations)
    return mentions["type"].astype("str").str.cat(identifiers, sep=" ", na_rep="").str.rstrip()


def _describe_mentions(mentions: pd.DataFrame, texts: pd.DataFrame) -> list[str]:
    """Return one string per text, with the surface form, type and offsets of each mention."""
    text_of = dict(zip(texts["text_id"], texts["text"], strict=True))
    descriptions: dict[object, list[str]] = {case: [] for case in text_of}
    listed = mentions[mentions["text_id"].isin(texts["text_id"])]
    invented = listed[INVENTED_COLUMN].tolist() if INVENTED_COLUMN in listed else [None] * len(listed)
    columns = (listed[name].tolist() for name in ("text_id", "start", "end", "type"))
    for case, start, end, kind, form in zip(*columns, invented, strict=True):
        place = f"{kind} {start}-{end}" if pd.isna(form) else f"{kind}, not in the text"
        descriptions[case].append(f"{text_of[case][start:end] if pd.isna(form) else form} ({place})")
    return ["; ".join(descriptions[case]) for case in texts["text_id"]]


def format_blocks(cases: pd.DataFrame) -> str:
    """Format cases for printing: one block per case, in which columns without a value are omitted."""
    width = max(map(len, COLUMNS)) + 2
    blocks = []
    for row in cases.to_dict("records"):
        lines = []
        for name in COLUMNS:
            value = row[name]
            if value is None or value != value:
                continue
            shown = str(value).rstrip("\n").split("\n")
            lines += [
                f"{name if i == 0 else '':{width}}{make_printable(line)}".rstrip()
                for i, line in enumerate(shown)
            ]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)
