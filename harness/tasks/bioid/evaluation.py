"""Functions that run the BioID evaluation and write its five output files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ....catalogues.core.errors import InputError
from ...scoring.arrays import Ints
from ...scoring.identifiers import count_identifiers
from ...scoring.table import add_label_columns
from ..options import BioIDOptions
from .identifiers import read_equivalence
from .labels import NO_TYPE, label_types, list_labels
from .pairs import list_pair_details, pair_annotations
from .reading import Collection, read_collection
from .score_files import SCORE_FILE_COLUMNS, count_mentions, make_score_rows, score_units

CONDITIONS = ("any", "normalized")
SPAN_NOTIONS = ("strict", "overlap")
FILE_NAMES = {
    "caption": "caption_scores.csv",
    "document": "document_scores.csv",
    "corpus": "corpus_scores.csv",
    "any": "pair_details_no_norm_restriction.csv",
    "normalized": "pair_details_normalized_only.csv",
}


@dataclass(frozen=True, eq=False)
class BioIDResult:
    """Result of a BioID evaluation.

    Attributes
    ----------
    caption, document, corpus : DataFrame
        Contents of the three score files.
    details : dict of DataFrame
        Contents of the two files of pairs, keyed by condition ("any", "normalized").
    table : DataFrame
        Score table for the whole corpus, with one row per run, condition, span condition and label.
    notes : tuple of str
        Remarks about ignored data.
    """

    caption: pd.DataFrame
    document: pd.DataFrame
    corpus: pd.DataFrame
    details: dict[str, pd.DataFrame]
    table: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def files(self) -> dict[str, pd.DataFrame]:
        """Contents of the five output files, keyed by file name."""
        tables = {"caption": self.caption, "document": self.document, "corpus": self.corpus, **self.details}
        return {file: tables[name] for name, file in FILE_NAMES.items()}


def parse_run(text: str) -> tuple[str, Path]:
    """Split ``NAME:DIR`` into name and folder; an existing path that contains a colon is not split.

    Examples
    --------
    >>> parse_run("mine:runs/1")[0]
    'mine'
    """
    name, colon, path = text.partition(":")
    if not colon or Path(text).exists():
        return "", Path(text)
    if not name or not path:
        raise InputError("the name or folder of a run is missing", found=text, allowed="DIR or NAME:DIR")
    return name, Path(path)


def evaluate_bioid(
    reference: str | PathLike[str],
    runs: Sequence[tuple[str, str | PathLike[str]]],
    options: BioIDOptions | None = None,
    *,
    progress: bool = False,
) -> BioIDResult:
    """Evaluate runs against a reference collection.

    Parameters
    ----------
    reference : path
        Folder of BioC files.
    runs : sequence of (name, path)
        Name of each run, and its folder of BioC files. An empty name is replaced by ``run1``, ``run2``, … or,
        if `options.as_published` is true, by the name of the folder.
    options : BioIDOptions, optional
        Options of the evaluation.
    progress : bool
        Whether to show progress on standard error.
    """
    options = options or BioIDOptions()
    as_published = options.as_published
    wanted = options.labels or list_labels()
    equivalence = read_equivalence(options.equivalence_classes, as_published=as_published)
    gold = read_collection(
        reference, offsets=options.reference_unit, as_published=as_published, progress=progress
    )
    notes = [f"{gold.name}: {note}" for note in gold.notes]
    gold = replace(gold, annotations=_select_mentions(gold, wanted, gold.name, notes, as_published))
    frames: dict[str, list[pd.DataFrame]] = {name: [] for name in (*FILE_NAMES, "table")}
    for number, (given_name, path) in enumerate(runs, start=1):
        folder = Path(path)
        name = given_name or (folder.resolve().name if as_published else f"run{number}")
        if not as_published and any(name == other for other, _ in runs[: number - 1]):
            raise InputError("duplicate run name; each NAME:DIR needs its own name", found=name)
        system = read_collection(
            folder, offsets=options.offsets, as_published=as_published, progress=progress
        )
        notes += [f"{name}: {note}" for note in system.notes]
        mentions = _select_mentions(system, wanted, name, notes, as_published)
        mentions = _align_captions(gold, system, mentions, name, notes)
        barred = mentions["grounded"].str.contains("|", regex=False, na=False)
        if barred.any():
            notes.append(
                f"{name}: {int(barred.sum())} annotations with alternatives, which are not allowed in a run, "
                "count as spurious"
            )
        if as_published:
            _refuse_zero_length(gold.annotations, mentions)
        run = replace(system, name=name, annotations=mentions)
        _score_run(gold, run, equivalence, wanted, options, frames)
    tables = {name: pd.concat(parts, ignore_index=True) for name, parts in frames.items()}
    return BioIDResult(
        caption=tables["caption"],
        document=tables["document"],
        corpus=tables["corpus"],
        details={condition: tables[condition] for condition in CONDITIONS},
        table=tables["table"],
        notes=tuple(notes),
    )


def _select_mentions(
    collection: Collection, wanted: tuple[str, ...], name: str, notes: list[str], as_published: bool
) -> pd.DataFrame:
    """Return the annotations that have one of the given labels; add notes about ignored annotations."""
    labelled = pd.concat([collection.annotations, label_types(collection.annotations["type"])], axis=1)
    if as_published:
        _refuse_fatal(labelled, name)
    for reason, count in labelled["ignored"].value_counts().sort_index().items():
        notes.append(f"{name}: {count} annotations ignored: {reason}")
    labelled = labelled.drop(columns="ignored")
    # this is the order of rows in the files of pairs
    return labelled[labelled["label"].isin(wanted)].sort_values(
        ["caption", "first"], kind="stable", ignore_index=True
    )


def _refuse_fatal(annotations: pd.DataFrame, name: str) -> None:
    """Raise InputError for annotations on which the released program fails."""
    for missing, where in (
        ("type", annotations["ignored"] == NO_TYPE),
        ("text", (annotations["text"] == "") & annotations["label"].notna()),
    ):
        if where.any():
            raise InputError(
                f"{name}: the released program fails: {int(where.sum())} annotations have no {missing}; "
                "evaluate without the option as_published",
            )


def _align_captions(
    gold: Collection, system: Collection, mentions: pd.DataFrame, name: str, notes: list[str]
) -> pd.DataFrame:
    """Replace the caption numbers in the mentions of a run by the caption numbers of the reference.

    A note reports captions that occur only in the reference or only in the run.
    """
    keys = [pd.MultiIndex.from_frame(side.captions) for side in (gold, system)]
    number = keys[0].get_indexer(keys[1])
    if (number < 0).any():
        notes.append(f"{name}: ignored {int((number < 0).sum())} captions that are not in the reference")
    absent = len(gold.captions) - int((number >= 0).sum())
    if absent:
        notes.append(
            f"{name}: {absent} reference captions are not in the run; all their mentions count as missing"
        )
    moved = mentions.assign(caption=number[mentions["caption"]])
    moved = moved[moved["caption"] >= 0]
    return moved.sort_values(["caption", "first"], kind="stable", ignore_index=True)


def _refuse_zero_length(reference: pd.DataFrame, run: pd.DataFrame) -> None:
    """Raise InputError if reference and run have an empty span at the same offset."""
    empty = [t.loc[t["start"] == t["end"], ["caption", "start"]] for t in (reference, run)]
    if len(empty[0].merge(empty[1], on=["caption", "start"])):
        raise InputError(
            "the released program fails: reference and run have an empty annotation at the same offset; "
            "evaluate without the option as_published"
        )


def _number_documents(captions: pd.DataFrame, as_published: bool) -> tuple[Ints, NDArray[np.object_]]:
    """Return the document index of each caption, and the names of the documents.

    The released program starts a new document whenever the name differs from that of the previous caption.
    """
    names = captions["document"].to_numpy(dtype=object)
    if not as_published:
        codes, distinct = pd.factorize(names)
        return codes.astype(np.int64), np.asarray(distinct, dtype=object)
    begins = np.concatenate(([True], names[1:] != names[:-1])) if len(names) else np.zeros(0, bool)
    return np.cumsum(begins) - 1, names[begins]


def _score_run(
    gold: Collection,
    run: Collection,
    equivalence: Mapping[str, str],
    wanted: tuple[str, ...],
    options: BioIDOptions,
    frames: dict[str, list[pd.DataFrame]],
) -> None:
    ordered = tuple(sorted(wanted))
    captions = len(gold.captions)
    cells = captions * len(ordered)
    document, document_names = _number_documents(gold.captions, options.as_published)
    # for each file: unit of each caption, and columns that name each unit
    units = {
        "caption": (np.arange(captions), gold.captions),
        "document": (document, pd.DataFrame({"document": document_names}, dtype="str")),
        "corpus": (np.zeros(captions, np.int64), pd.DataFrame(index=range(1))),
    }
    for condition in CONDITIONS:
        left, right = (
            t if condition == "any" else t[t["grounded"].notna()].reset_index(drop=True)
            for t in (gold.annotations, run.annotations)
        )
        left_cell, right_cell = _number_cells(left, ordered), _number_cells(right, ordered)
        pairing = pair_annotations(left, right)
        details = list_pair_details(
            gold.captions, left, right, pairing, equivalence, as_published=options.as_published
        )
        frames[condition].append(add_label_columns(details, run=run.name))
        identifiers = count_identifiers(
            cells,
            left["grounded"].set_axis(left_cell).dropna(),
            right["grounded"].set_axis(right_cell).dropna(),
            equivalence,
            as_published=options.as_published,
        )
        for span in SPAN_NOTIONS:
            counts = count_mentions(pairing, left_cell, right_cell, cells, overlap=span == "overlap")
            counts |= identifiers
            for level, (unit, names) in units.items():
                scores = score_units(counts, unit, len(names), ordered, as_published=options.as_published)
                head = names.take(scores["unit"].to_numpy(np.int64)).reset_index(drop=True)
                frame = pd.concat([head, scores[list(SCORE_FILE_COLUMNS)]], axis=1)
                frames[level].append(
                    add_label_columns(frame, run=run.name, norm_condition=condition, span_condition=span)
                )
            scores = frames["corpus"][-1]
            frames["table"].append(make_score_rows(scores, condition, span, gold, run.digest, options))


def _number_cells(mentions: pd.DataFrame, ordered: tuple[str, ...]) -> Ints:
    column = pd.Index(ordered).get_indexer(pd.Index(mentions["label"]))
    return np.asarray(mentions["caption"].to_numpy(np.int64) * len(ordered) + column, dtype=np.int64)
