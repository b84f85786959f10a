"""Single cases of a run: text, gold and predicted mentions, outcome, reason, and what the tagger replied."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.messages import make_printable
from ...catalogues.query import Query
from ...sentences.corpus import INVENTED_COLUMN, Corpus
from ..running.folder.runs import Run
from ..running.outcomes import OUTCOME_NAMES
from .features import add_features

COLUMNS = ("case", "text", "gold", "predicted", "outcome", "reason", "reply")


def list_cases(run: Run, *, outcome: str = "", query: str = "", limit: int | None = None) -> pd.DataFrame:
    """Return cases of a run with what the tagger made of each.

    Parameters
    ----------
    run : Run
    outcome : str
        Only cases of this outcome.
    query : str
        Only cases with a gold or predicted mention that this query selects.
    limit : int, optional
        The first so many.

    Returns
    -------
    DataFrame
        One row per case: `case`, `text`, `gold`, `predicted`, `outcome`, `reason`, `reply`. The frame's
        attribute ``attrs["found"]`` is the number of cases without `limit`.

    Raises
    ------
    InputError
        An unknown outcome; a query that cannot be read; an input that is no longer there.
    """
    if outcome and outcome not in OUTCOME_NAMES:
        raise InputError("no such outcome", found=outcome, allowed=", ".join(OUTCOME_NAMES))
    asked = Query.parse(query) if query else None
    corpus = run.load_corpus()
    # in the order of the input
    outcomes = run.outcomes.set_index("case_id").loc[corpus.texts["text_id"]]
    wanted = np.ones(len(outcomes), dtype=bool)
    if outcome:
        wanted &= (outcomes["outcome"].astype("str") == outcome).to_numpy()
    sides = (corpus.gold, run.make_predicted_corpus(corpus).mentions)
    if asked is not None:
        selected = [_select_texts(corpus, mentions, asked) for mentions in sides]
        wanted &= corpus.texts["text_id"].isin(pd.concat(selected)).to_numpy()
    rows = np.flatnonzero(wanted)
    texts = corpus.texts.iloc[rows[:limit]]
    ids = texts["text_id"]
    gold, predicted = (_describe_mentions(mentions, texts) for mentions in sides)
    chosen = outcomes.loc[ids]
    replies = run.replies
    kept = {} if replies is None else dict(zip(replies["case_id"], replies["reply"], strict=True))
    found = pd.DataFrame(
        {
            "case": ids.to_numpy(),
            "text": texts["text"].to_numpy(),
            "gold": gold,
            "predicted": predicted,
            "outcome": chosen["outcome"].to_numpy(),
            "reason": chosen["reason"].to_numpy(),
            "reply": pd.Series([kept.get(case) for case in ids], dtype="str"),
        }
    )
    found.attrs["found"] = len(rows)
    return found


def _select_texts(corpus: Corpus, mentions: pd.DataFrame, query: Query) -> pd.Series:
    """Return the texts of the mentions that a query selects."""
    frame = add_features(corpus, mentions.reset_index(drop=True), query.features)
    return frame["text_id"][query.evaluate(frame)]


def _describe_mentions(mentions: pd.DataFrame, texts: pd.DataFrame) -> list[str]:
    """Return the mentions of each text in words: form, type and place."""
    text_of = dict(zip(texts["text_id"], texts["text"], strict=True))
    said: dict[object, list[str]] = {case: [] for case in text_of}
    own = mentions[mentions["text_id"].isin(texts["text_id"])]
    nowhere = own[INVENTED_COLUMN].tolist() if INVENTED_COLUMN in own else [None] * len(own)
    columns = (own[name].tolist() for name in ("text_id", "start", "end", "type"))
    for case, start, end, kind, form in zip(*columns, nowhere, strict=True):
        place = f"{kind} {start}-{end}" if pd.isna(form) else f"{kind}, not in the text"
        said[case].append(f"{text_of[case][start:end] if pd.isna(form) else form} ({place})")
    return ["; ".join(said[case]) for case in texts["text_id"]]


def format_blocks(cases: pd.DataFrame) -> str:
    """Return cases for reading in a terminal: one block per case, one line per thing that is known of it."""
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
