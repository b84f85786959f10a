"""Lists of errors in a class: mentions that are missed, spurious or have a wrong type, with their texts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ....sentences.annotated_texts import get_surface_forms
from ..arrays import Ints
from ..classes import ALL
from ..scores import Scores
from .types import find_mismatches

ERROR_COLUMNS = (
    "run",
    "class",
    "notion",
    "text_id",
    "error",
    "data",
    "start",
    "end",
    "type",
    "predicted_type",
    "gold",
    "predicted",
)
OPENING_MARK, CLOSING_MARK = "⟦", "⟧"


def list_errors(
    scores: Scores, notion: str = "strict", name: str = ALL, *, limit: int | None = None, seed: int = 0
) -> pd.DataFrame:
    """Return the missed and spurious mentions of a class, with all mentions marked in their text.

    Parameters
    ----------
    scores : Scores
        Scores of a run.
    notion : str
        Name of a scored notion; a mention is an error if it is not fully matched under this notion.
    name : str
        Name of a class in the score table.
    limit : int, optional
        Maximum number of errors, sampled at random; by default, all errors. The result is in the order of
        the corpus.
    seed : int
        Random seed of the sample.

    Returns
    -------
    DataFrame
        Columns `ERROR_COLUMNS`. `error` is ``missed``, ``wrong type`` (the span is right, and
        `predicted_type` is the type that the tagger gave), ``wrong identifier``, ``spurious`` or ``invented``
        (the string does not occur in the text; `start` and `end` are -1). `data` is the mention. `gold` and
        `predicted` are the text with all gold or all predicted mentions in ⟦ ⟧; if there are several types,
        each mention is followed by its type.
    """
    tally = scores.get_tally(notion)
    pairs = find_mismatches(scores, notion)
    found_as, mismatch = (np.full(len(scores.gold), "", dtype=object) for _ in range(2))
    found_as[pairs["gold"]] = np.array(scores.types, dtype=object)[scores.predicted_type[pairs["predicted"]]]
    mismatch[pairs["gold"]] = pairs["error"]
    # the row of the gold mention shows the error, if the class contains it
    shown = pairs["predicted"][scores.masks(name)[0][pairs["gold"]]]
    parts = []
    for side, error, rows, mask in (
        ("gold", "missed", scores.gold_row, scores.masks(name)[0]),
        ("predicted", "spurious", scores.predicted_row, scores.masks(name)[1]),
    ):
        wrong = np.flatnonzero(mask & (tally.get_verdicts(side) < 1.0))
        kinds = np.full(len(wrong), error, dtype=object)
        if side == "predicted" and scores.is_unplaced is not None:
            kinds[scores.is_unplaced[wrong]] = "invented"
        if side == "gold":
            kinds = np.where(mismatch[wrong] != "", mismatch[wrong], kinds)
        else:
            kept = ~np.isin(wrong, shown)
            wrong, kinds = wrong[kept], kinds[kept]
        parts.append(pd.DataFrame({"side": side, "error": kinds, "place": wrong, "row": rows[wrong]}))
    listed = pd.concat(parts, ignore_index=True)
    if limit is not None:
        listed = listed.take(sample_positions(len(listed), limit, seed))
    frames = []
    for side in ("gold", "predicted"):
        group = listed[listed["side"] == side]
        mentions: pd.DataFrame = getattr(scores, side).take(group["place"].to_numpy())
        frames.append(
            pd.DataFrame(
                {
                    "row": group["row"].to_numpy(),
                    "text_id": mentions["text_id"].to_numpy(),
                    "error": group["error"].to_numpy(),
                    "data": get_surface_forms(scores.corpus.texts, mentions).to_numpy(),
                    "start": mentions["start"].to_numpy(),
                    "end": mentions["end"].to_numpy(),
                    "type": mentions["type"].astype("str").to_numpy(),
                    "predicted_type": found_as[group["place"].to_numpy()] if side == "gold" else "",
                }
            )
        )
    table = pd.concat(frames, ignore_index=True)
    table.loc[table["error"] == "invented", ["start", "end"]] = -1
    table = table.sort_values(["row", "start", "end", "error"], kind="stable", ignore_index=True)
    table["run"], table["class"], table["notion"] = scores.run, name, tally.notion.name
    for side in ("gold", "predicted"):
        table[side] = mark_texts(scores, side, table["row"].to_numpy())
    return table[list(ERROR_COLUMNS)]


def mark_texts(scores: Scores, side: str, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    """Return the texts at the positions `rows`, with the gold or predicted mentions enclosed in ⟦ ⟧.

    If the mentions have several types, each mention is followed by its type: ⟦asthma⟧disease.
    """
    mentions: pd.DataFrame = getattr(scores, side)
    mention_rows = scores.gold_row if side == "gold" else scores.predicted_row
    here = np.isin(mention_rows, rows)
    if side == "predicted" and scores.is_unplaced is not None:
        here &= ~scores.is_unplaced
    spans: dict[int, list[tuple[int, int, str]]] = {}
    types = mentions.loc[here, "type"].astype("str").fillna("").tolist()
    shown = types if len(scores.types) > 1 and not scores.options.ignore_types else [""] * len(types)
    columns = (mention_rows[here].tolist(), *(mentions.loc[here, c].tolist() for c in ("start", "end")))
    for row, start, end, kind in zip(*columns, shown, strict=True):
        spans.setdefault(row, []).append((start, end, kind))
    texts = dict(zip(rows.tolist(), scores.corpus.texts["text"].take(rows).tolist(), strict=True))
    marked = {row: _mark_text(text, spans.get(row, [])) for row, text in texts.items()}
    return [marked[row] for row in rows.tolist()]


def _mark_text(text: str, spans: list[tuple[int, int, str]]) -> str:
    """Return a text in which the given spans are enclosed in ⟦ ⟧, nested if the spans are nested."""
    marks = [(end, 0, -start, CLOSING_MARK + kind) for start, end, kind in spans] + [
        (start, 1, -end, OPENING_MARK) for start, end, _ in spans
    ]
    for place, _, _, mark in sorted(marks, key=lambda m: (-m[0], -m[1], -m[2])):
        text = text[:place] + mark + text[place:]
    return text


def sample_positions(size: int, max_size: int, seed: int) -> Ints:
    """Return up to `max_size` random positions below `size`, ascending.

    Examples
    --------
    >>> sample_positions(3, 5, seed=0).tolist()
    [0, 1, 2]
    """
    if size <= max_size:
        return np.arange(size)
    generator = np.random.Generator(np.random.PCG64(seed))
    return np.sort(generator.choice(size, size=max_size, replace=False))
