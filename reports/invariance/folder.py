"""What `tagsuite invariance` leaves behind: its results, and how they are read again."""

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
    """Where a tagger's answers change with texts that are perturbed.

    Attributes
    ----------
    table : DataFrame
        `RATE_COLUMNS`: a row a perturbation, and a row for each of its variants and each class.
    changes : DataFrame
        `CHANGE_COLUMNS`: every mention that changed, and every copy that was not answered.
    notes : tuple of str
        To how many texts each perturbation applied, and what was left out of account.
    failed : int
        Texts and copies that the tagger did not answer.
    """

    table: pd.DataFrame
    changes: pd.DataFrame
    notes: tuple[str, ...]
    failed: int = 0

    @property
    def tagger(self) -> str:
        """The tagger's name."""
        return str(self.table["tagger"].iloc[0])

    @property
    def corpus(self) -> str:
        """The name of the suite or corpus."""
        return str(self.table["corpus"].iloc[0])

    def with_names(self, tagger: str, corpus: str) -> InvarianceResult:
        """The same with other names of the tagger and the corpus: those of a study."""
        return replace(self, table=self.table.assign(tagger=tagger, corpus=corpus))

    def select_columns(self) -> pd.DataFrame:
        """Return the columns of the table that are printed."""
        names = ["interval", "signature"]
        names += [c for c in VERDICT_CHANGES if self.table[c].isna().all()]
        shown = self.table.drop(columns=names)
        return set_layout(shown, "rate", "cases", "changed", names=("perturbation", "variant", "class"))


def prepare_folder(folder: Path, asked: Mapping[str, object], *, force: bool, inputs: Sequence[Path]) -> None:
    """Write what is asked for; what was asked for before, if it differs, is replaced or refused."""
    path = folder / META_FILE
    wanted = {"format": FORMAT, "asked": dict(asked)}
    begun = _meta(path).get("asked") if path.is_file() else None
    if begun is not None and begun != json.loads(json.dumps(wanted["asked"])):
        if not force:
            raise InputError(
                "the folder holds runs with another input or other options",
                file=folder,
                found=json.dumps(begun),
                allowed="a new folder, or --force to replace them",
            )
        clear_folder(folder, FOLDER_KIND, inputs)
    with atomic_text(path) as stream:
        json.dump(wanted, stream, indent=1)


def save_result(result: InvarianceResult, folder: Path) -> None:
    """Write results; the file that says what was asked for comes last, and vouches for the others."""
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
        raise InputError("not the results of `tagsuite invariance`", file=path, allowed=f"format {FORMAT}")
    return meta


def read_invariance(folder: str | os.PathLike[str]) -> InvarianceResult:
    """Read what `tagsuite invariance` left in its folder.

    Raises
    ------
    InputError
        When there is nothing, or it is unfinished.
    """
    path = Path(folder)
    if not (path / META_FILE).is_file():
        raise InputError(
            "no results of `tagsuite invariance`", file=path, allowed=f"a folder with {META_FILE}"
        )
    meta = _meta(path / META_FILE)
    notes, failed = meta.get("notes"), meta.get("failed")
    if not isinstance(notes, list) or not isinstance(failed, int):
        raise InputError("it is unfinished", file=path, allowed="the same `tagsuite invariance` again")
    table = read_frame(path / RATES_FILE, RATE_COLUMNS)
    return InvarianceResult(
        table, read_frame(path / CHANGES_FILE, CHANGE_COLUMNS), tuple(map(str, notes)), failed
    )
