"""Output that was recorded elsewhere, kept in a run folder like any other run's."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_folder, atomic_text, digest_bytes
from ...catalogues.core.toml import write_toml
from .outcomes import NAMES
from .reading import read_cases
from .runs import FORMAT, Run, foreign_types, read_run, tagger_part, to_folder

COLUMNS = ("mention_id", "text_id", "side", "start", "end", "type", "score")
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
    from ...catalogues.core.version import __version__
    from ...sentences.formats.registry import read_corpus, read_predictions

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
    if (folder / "run.toml").is_file() and not force:
        earlier = read_run(folder)
        if earlier.meta["run"].get("key") == key:
            return earlier
    with atomic_folder(folder, force=force) as temporary:
        mentions = guesses.mentions[list(COLUMNS)]
        mentions.to_parquet(temporary / "predictions.parquet", index=False)
        if guesses.fragments is not None and len(guesses.fragments):
            guesses.fragments.to_parquet(temporary / "fragments.parquet", index=False)
        ids = gold.texts["text_id"]
        outcomes = pd.DataFrame(
            {"case_id": ids, "outcome": "ok", "placed": "identical", "unplaced": 0, "said": None}
        )
        outcomes.astype({"said": "str", "unplaced": "int64"}).to_parquet(
            temporary / "outcomes.parquet", index=False
        )
        (temporary / "stderr").mkdir()
        meta = {
            "format": FORMAT,
            "run": {
                "tagger": tagger,
                "version": version,
                "label": label,
                "tagsuite": __version__,
                "input": to_folder(cases.spec, folder),
                "corpus": cases.name,
                "input_digest": cases.digest,
                "signature": f"{cases.signature}|{tagger_part(label, guesses.digest)}",
                "mode": "recorded",
                "recorded": to_folder(predicted, folder),
                "command": [],
                "cases": len(ids),
                "mentions": len(mentions),
                "unplaced": 0,
                "strays": 0,
                "merged": guesses.merged,
                "shards": 0,
                "key": key,
            },
            "tagger": {"specification": "", "digest": guesses.digest, "options": {}},
            "outcomes": {name: len(ids) for name in NAMES if name == "ok"},
            "placed": {"identical": len(ids)},
            "exit_codes": {},
            "unmapped_types": {},
            "dropped_types": [],
            "foreign_types": foreign_types(Counter(guesses.mentions["type"].astype(str)), cases.gold_types()),
        }
        with atomic_text(temporary / "run.toml") as stream:
            stream.write(write_toml(meta))
    return read_run(folder)
