"""Output that was recorded elsewhere, kept in a run folder like any other run's."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_folder, digest_bytes
from ..inputs.reading import read_cases
from .run_file import Signed, write_run_file
from .runs import Run, is_run, read_run, to_folder
from .tables import FRAGMENTS, OUTCOMES, PREDICTIONS
from .totals import Totals

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def record(
    source: str,
    predicted: str,
    tagger: str,
    out: str | os.PathLike[str],
    *,
    version: str = "recorded",
    force: bool = False,
) -> Run:
    """Make a run folder of predictions that some other program wrote.

    Parameters
    ----------
    source : str
        What the tagger was run over: a suite folder, or ``FORMAT:PATH``.
    predicted : str
        The recorded mentions, ``FORMAT:PATH``.
    tagger, version : str
        What the run is signed with.
    out : path
        The run folder. One that holds the same record is left as it is.
    force : bool
        Whether another run in `out` is replaced.

    Returns
    -------
    Run
        Every case has the outcome ok: what the program made of the others is not recorded.

    Raises
    ------
    InputError
        A place that does not hold what it says; a mention of a text that `source` has not.
    """
    from ....sentences.formats.registry import read_corpus, read_predictions

    if not NAME.fullmatch(tagger):
        raise InputError("not a tagger's name", found=tagger, allowed="letters, digits, . _ + -")
    cases = read_cases(source)
    cases.check()
    gold = read_corpus(source)
    guesses = read_predictions(predicted, gold)
    label = f"{tagger}@{version}"
    key = digest_bytes(
        b"recorded 2",
        label.encode(),
        cases.digest.encode(),
        guesses.digest.encode(),
        # the same file with its duplicates merged, or kept
        str(len(guesses.mentions)).encode(),
    )
    folder = Path(out)
    if is_run(folder) and not force:
        earlier = read_run(folder)
        if earlier.meta["run"].get("key") == key:
            return earlier
    with atomic_folder(folder, force=force) as temporary:
        mentions = guesses.mentions[list(PREDICTIONS.columns)]
        mentions.to_parquet(temporary / PREDICTIONS.file, index=False)
        if guesses.fragments is not None and len(guesses.fragments):
            guesses.fragments.to_parquet(temporary / FRAGMENTS.file, index=False)
        ids = gold.texts["text_id"]
        outcomes = pd.DataFrame(
            {"case_id": ids, "outcome": "ok", "placed": "identical", "unplaced": 0, "said": None}
        )
        outcomes.astype({"said": "str", "unplaced": "int64"}).to_parquet(
            temporary / OUTCOMES.file, index=False
        )
        (temporary / "stderr").mkdir()
        count = len(ids)
        totals = Totals(
            mentions=len(mentions),
            merged=guesses.merged,
            types=Counter(mentions["type"].astype(str)),
            outcomes=Counter(ok=count),
            placed=Counter(identical=count),
        )
        signed = Signed(
            tagger, version, label, guesses.digest, "recorded", recorded=to_folder(predicted, folder)
        )
        write_run_file(temporary, folder, cases, signed, totals, key=key, shards=0)
    return read_run(folder)
