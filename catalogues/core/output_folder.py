"""Output folders of commands, each with a marker file.

The marker is the first file written into a folder, and is locked while a command writes into this folder. A
folder without a marker is not replaced, even with `--force`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from .errors import InputError
from .files import MARKER, make_folder, make_temporary_path, report_full_disk
from .version import __version__

_TABLES = ("texts", "mentions", "fragments", "alternatives", "normalisations", "relations", "equivalences")
FOLDER_CONTENTS = {
    "suite": "raw.txt gold.sgml suite.toml cases.parquet mentions.parquet entities.parquet slots.parquet",
    "run": "run.toml timings.json predictions.parquet fragments.parquet strings.parquet outcomes.parquet "
    "replies.parquet costs.parquet stderr/*.txt repeats/*/",
    "variants of a run": "variants.toml variants/*/",
    "cached run": "*.shard complete",
    "report": "report.html report.md report.tex report.json scores.csv tables/*.csv",
    "starter study": "README.md study.toml tagger.toml tagger.sh corpus.sgml classes.toml predictions.toml "
    "criteria.toml",
    "study": "scores.csv scores.json evaluation-*.csv evaluation-*.json tables.md acceptance.csv "
    "acceptance-*.xml comparison.csv expected.csv calibrated.csv invariance.csv report.html report.md "
    "report.tex suites/*/ terms/*.txt runs/*/ invariance/*/ confirmations/*/ discovered/*.toml "
    "study/demo.toml study/predictions.toml",
    "diagnosis": "study.toml suspicions.toml scores.csv scores.json comparison.csv expected.csv "
    "calibrated.csv report.html report.md report.tex suites/*/ runs/*/ confirmations/*/ discovered/*.toml",
    "invariance test": "invariance.json rates.parquet changes.parquet texts/*.jsonl */",
    "probe": "answers.jsonl length.json probes.csv report.html",
    "confirmation": "round-*/*/",
    "BioID evaluation": "caption_scores.csv document_scores.csv corpus_scores.csv "
    "pair_details_no_norm_restriction.csv pair_details_normalized_only.csv",
    "Bacteria Biotope evaluation": "scores.csv pairs.csv",
    "indexing evaluation": "documents.csv pairs.csv retrieval.csv tops.csv",
    "brat corpus": "*.txt *.ann",
    "bionlp corpus": "*.txt *.a1 *.a2",
    "bc2gm corpus": "corpus.in GENE.eval ALTGENE.eval",
    "genetag corpus": "TAGGED_GENE_CORPUS TOKENIZED_CORPUS Gold.format Correct.Data",
    "parquet corpus": " ".join(f"{name}.parquet" for name in _TABLES),
    "csv corpus": " ".join(f"{name}.csv" for name in _TABLES),
}
"""Patterns for the paths of the files that commands write, keyed by the kind of output folder.

Subfolders such as ``runs/*/`` are output folders themselves and have a marker of their own.
"""
_WORK_FILES = (MARKER, ".shards", ".asking", ".*.part")
"""Patterns for the marker and for temporary files and folders, which occur in all kinds of output folders."""


@contextlib.contextmanager
def claim_folder(
    path: str | os.PathLike[str],
    kind: str,
    *,
    force: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> Iterator[Path]:
    """Mark an output folder with its kind, and lock it against other processes while the block runs.

    Parameters
    ----------
    path : path
        A new or empty folder, or an output folder of this kind, whose files are kept unless `force` is True.
    kind : str
        A key of `FOLDER_CONTENTS`.
    force : bool
        Empty the folder first; see `clear_folder`.
    inputs : iterable of path
        Inputs of the command; a folder that is or contains one of them is not emptied.

    Raises
    ------
    InputError
        If `path` is a file, the folder is of another kind, or another process is writing into it.
    """
    folder = Path(os.path.realpath(path))
    _require_kind(folder, kind, path)
    is_new = not folder.exists()
    make_folder(folder)
    with (folder / MARKER).open("ab") as marker:
        try:
            fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                "another process is writing into this folder; use another one, or wait until the process "
                "has finished",
                file=path,
            ) from None
        try:
            if _read_marked_kind(folder) != kind:
                marker.truncate(0)
                marker.write(f'format = 1\nkind = "{kind}"\ntagsuite = "{__version__}"\n'.encode())
                marker.flush()
            if force:
                clear_folder(folder, kind, inputs)
            yield folder
        finally:
            if folder.is_dir() and _is_empty(folder):
                (folder / MARKER).unlink(missing_ok=True)
                if is_new:
                    folder.rmdir()


@contextlib.contextmanager
def atomic_folder(
    path: str | os.PathLike[str],
    kind: str,
    *,
    force: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> Iterator[Path]:
    """Yield a temporary folder; rename it to the target if the block succeeds.

    For the parameters see `claim_folder`.

    Raises
    ------
    InputError
        If the target is not empty and `force` is False, if the disk is full, or if `claim_folder` or
        `clear_folder` raises InputError.
    """
    with claim_folder(path, kind) as target:
        if not _is_empty(target):
            if not force:
                raise InputError(
                    "the output folder is not empty; use a new folder, or --force to replace it",
                    file=path,
                )
            _require_replaceable(target, kind, inputs)
        refuse_inputs(target, ())
        temporary, old = make_temporary_path(target), make_temporary_path(target)
        try:
            temporary.mkdir()
            shutil.copyfile(target / MARKER, temporary / MARKER)
            with report_full_disk(Path(path)):
                yield temporary
            target.replace(old)
            temporary.replace(target)
            shutil.rmtree(old)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def clear_folder(folder: Path, kind: str, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Delete the content of an output folder, except its marker.

    Raises
    ------
    InputError
        If the folder contains files that do not belong to its kind, or if it is or contains an input or the
        current directory.
    """
    if _is_empty(folder):
        return
    _require_replaceable(folder, kind, inputs)
    # delete the files that mark a result as complete first
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.suffix not in (".toml", ".json")):
        if entry.is_dir():
            shutil.rmtree(entry)
        elif entry.name != MARKER:
            entry.unlink()


def _require_kind(folder: Path, kind: str, path: str | os.PathLike[str]) -> None:
    """Raise InputError if the folder is not empty and its marker is missing or names another kind."""
    if folder.exists() and not folder.is_dir():
        raise InputError("the output is a file, not a folder; use a new or empty folder", file=path)
    if not folder.is_dir() or _is_empty(folder):
        return
    marked_kind = _read_marked_kind(folder)
    if marked_kind is None:
        raise InputError(
            f"the output folder is not empty and has no marker ({MARKER}) of a {kind}; use a new folder, "
            "or delete this one if an older version of tagsuite wrote it",
            file=path,
            found=_format_names(folder, folder.iterdir()),
        )
    if marked_kind != kind:
        raise InputError(
            "the output folder contains the output of another command; use a new folder",
            file=path,
            found=marked_kind,
            allowed=kind,
        )


def _require_replaceable(folder: Path, kind: str, inputs: Iterable[str | os.PathLike[str]]) -> None:
    refuse_inputs(folder, inputs)
    foreign = list(_find_foreign_files(folder, kind))
    if foreign:
        raise InputError(
            f"the folder cannot be replaced: it has files that are not part of a {kind}; use a new folder",
            file=folder,
            found=_format_names(folder, foreign),
        )


def refuse_inputs(folder: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise InputError if an output folder is or contains an input or the current directory."""
    folder = Path(os.path.realpath(folder))
    for noun, place in (("the current directory", os.curdir), *(("an input", place) for place in inputs)):
        real = Path(os.path.realpath(place))
        if folder in (real, *real.parents):
            raise InputError(
                f"the output folder is or contains {noun}; use another folder",
                file=folder,
                found=os.fspath(place) if noun == "an input" else str(real),
            )


def _find_foreign_files(folder: Path, kind: str, below: str = "") -> Iterator[Path]:
    """Yield the files in the subfolder `below` that do not belong in a folder of this kind."""
    for entry in sorted((folder / below).iterdir()):
        path = f"{below}{entry.name}/" if entry.is_dir() else f"{below}{entry.name}"
        marked = _read_marked_kind(entry)
        if any(fnmatchcase(entry.name, pattern) for pattern in _WORK_FILES):
            continue
        if entry.is_dir() and marked is None:
            yield from _find_foreign_files(folder, kind, path)
        elif not any(_matches_pattern(path, pattern) for pattern in FOLDER_CONTENTS.get(kind, "").split()):
            yield entry
        elif marked is not None:
            yield from _find_foreign_files(entry, marked)


def _matches_pattern(path: str, pattern: str) -> bool:
    return path.count("/") == pattern.count("/") and fnmatchcase(path, pattern)


def _format_names(folder: Path, entries: Iterable[Path]) -> str:
    """Return the first three file names and the number of further files, as text."""
    names = sorted(entry.relative_to(folder).as_posix() for entry in entries if entry.name != MARKER)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _is_empty(folder: Path) -> bool:
    return all(entry.name == MARKER for entry in folder.iterdir())


def _read_marked_kind(folder: Path) -> str | None:
    """Return the kind of folder that a marker states, or None if the marker is missing or damaged."""
    try:
        kind = tomllib.loads((folder / MARKER).read_text(encoding="utf-8")).get("kind")
    except (OSError, ValueError):
        return None
    return kind if isinstance(kind, str) else None
