"""Functions that write and read the results of an invariance test in its folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_path, atomic_text, read_text
from ...catalogues.core.output_folder import clear_folder
from ...catalogues.core.parquet import arrow_path
from ...harness.scoring.invariance import CHANGE_KINDS, VERDICT_CHANGES
from ...harness.scoring.table import set_layout
from ...sentences.suites import read_frame

FORMAT = 1
FOLDER_KIND = "invariance test"
META_FILE, RATES_FILE, CHANGES_FILE = "invariance.json", "rates.parquet", "changes.parquet"
ORIGINAL_FOLDER, TEXTS_FOLDER = "original", "texts"
RATE_COLUMNS = (
    *("tagger", "corpus", "perturbation", "variant", "class", "texts", "cases", "changed"),
    *("rate", "rate_low", "rate_high", *CHANGE_KINDS, *VERDICT_CHANGES, "interval", "signature"),
)
CHANGE_COLUMNS = (
    *("perturbation", "variant", "text_id", "kind", "before", "after", "type_before", "type_after"),
    *("text", "perturbed"),
)


@dataclass(frozen=True)
class InvarianceResult:
    """Result of an invariance test.

    Attributes
    ----------
    table : DataFrame
        Rates of changed answers (columns `RATE_COLUMNS`), with one row per perturbation, variant and class.
    changes : DataFrame
        Changes (columns `CHANGE_COLUMNS`), with one row per changed mention or copy without an answer.
    notes : tuple of str
        Number of texts to which each perturbation applies, and other remarks.
    failed : int
        Number of texts and copies without an answer.
    """

    table: pd.DataFrame
    changes: pd.DataFrame
    notes: tuple[str, ...]
    failed: int = 0

    @property
    def tagger(self) -> str:
        """Name of the tagger."""
        return str(self.table["tagger"].iloc[0])

    @property
    def corpus(self) -> str:
        """Name of the suite or corpus."""
        return str(self.table["corpus"].iloc[0])

    def with_names(self, tagger: str, corpus: str) -> InvarianceResult:
        """Return a copy in which the tagger and the corpus have the given names."""
        return replace(self, table=self.table.assign(tagger=tagger, corpus=corpus))

    def select_columns(self) -> pd.DataFrame:
        """Return the table without empty columns and without the columns `interval` and `signature`."""
        names = ["interval", "signature"]
        names += [c for c in VERDICT_CHANGES if self.table[c].isna().all()]
        shown = self.table.drop(columns=names)
        return set_layout(shown, "rate", "cases", "changed", names=("perturbation", "variant", "class"))


def prepare_folder(folder: Path, test: Mapping[str, object], *, force: bool, inputs: Sequence[Path]) -> None:
    """Write the settings of an invariance test to its folder; `force` replaces a test with other settings.

    Raises
    ------
    InputError
        If the folder contains a test with other settings, and `force` is False.
    """
    path = folder / META_FILE
    wanted = {"format": FORMAT, "asked": dict(test)}
    begun = _meta(path).get("asked") if path.is_file() else None
    if begun is not None and begun != json.loads(json.dumps(wanted["asked"])):
        if not force:
            raise InputError(
                "the folder contains runs with another input or other options; choose a new folder, or "
                "replace them with --force",
                file=folder,
                found=json.dumps(begun),
            )
        clear_folder(folder, FOLDER_KIND, inputs)
    with atomic_text(path) as stream:
        json.dump(wanted, stream, indent=1)


def save_result(result: InvarianceResult, folder: Path) -> None:
    """Write the result of a test; the JSON file, which marks the result as complete, is written last."""
    for name, frame in ((RATES_FILE, result.table), (CHANGES_FILE, result.changes)):
        with atomic_path(folder / name) as temporary:
            frame.to_parquet(arrow_path(temporary), index=False)
    path = folder / META_FILE
    made = {**_meta(path), "notes": list(result.notes), "failed": result.failed}
    with atomic_text(path) as stream:
        json.dump(made, stream, indent=1)


def _meta(path: Path) -> dict[str, object]:
    try:
        meta = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"not valid JSON: {error}", file=path) from None
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise InputError(f"not a result file of `tagsuite invariance` in format {FORMAT}", file=path)
    return meta


def read_invariance(folder: str | os.PathLike[str]) -> InvarianceResult:
    """Read the results of `tagsuite invariance` from its folder.

    Raises
    ------
    InputError
        If the folder contains no results, or unfinished ones.
    """
    path = Path(folder)
    if not (path / META_FILE).is_file():
        raise InputError(
            "no results of `tagsuite invariance`", file=path, allowed=f"a folder with {META_FILE}"
        )
    meta = _meta(path / META_FILE)
    notes, failed = meta.get("notes"), meta.get("failed")
    if not isinstance(notes, list) or not isinstance(failed, int):
        raise InputError("the test is not finished; run `tagsuite invariance` again", file=path)
    table = read_frame(path / RATES_FILE, RATE_COLUMNS)
    return InvarianceResult(
        table, read_frame(path / CHANGES_FILE, CHANGE_COLUMNS), tuple(map(str, notes)), failed
    )
