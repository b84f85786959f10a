"""The search for faults in a study's runs, its tables and its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from ...harness.scoring.discovery.writing import write_predictions
from ...harness.scoring.options import DiscoverOptions
from ..collecting.discovering import discover_entries
from .carrying import Outcome

SHOWN = ("tagger", "measure", "query", "cases", "value", "value_low", "value_high", "rest", "p_bh")


def discover_study(outcome: Outcome, out: Path, say: Callable[[str], None]) -> dict[str, pd.DataFrame]:
    """Search what the study names; write ``discovered/TAGGER--SOURCE.toml``, which `tagsuite compare` reads.

    Returns
    -------
    dict of str to DataFrame
        By run; empty when the study asks for no search.
    """
    study = outcome.study
    asked = study.discover
    if asked is None:
        return {}
    sources = asked.on or [s.name for s in study.suite] or [c.name for c in study.corpus]
    scored = [s for s in outcome.scored if s.source in sources]
    search = DiscoverOptions(**asked.model_dump(exclude={"on"}))
    found = discover_entries(scored, search, confidence=study.score.confidence, say=say)
    for item, table in zip(scored, found.values(), strict=True):
        about = f"Discovered in {item.tagger} on {item.source}"
        path = out / "discovered" / f"{item.tagger}--{item.source}.toml"
        write_predictions(path, table, about=about, signature=item.scores.whole_signature)
    return found


def discovered_tables(found: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """What was found, by title, a table a suite or corpus."""
    frames = [f for f in found.values() if len(f)]
    if not frames:
        return {}
    whole = pd.concat(frames, ignore_index=True)
    return {
        f"{source}: discovered faults": whole.loc[whole["source"] == source, list(SHOWN)].reset_index(
            drop=True
        )
        for source in dict.fromkeys(whole["source"])
    }
