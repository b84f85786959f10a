"""Folders that commands write: each is marked as its command's own, and `--force` replaces no other.

The marker is the first file of a folder, and is locked while a command writes there.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from .errors import InputError
from .files import MARKER, make_folder, open_up, report_full_disk, sync
from .version import __version__

FILE, ANYTHING = "a file", "anything"
_TABLES = ("texts", "mentions", "fragments", "alternatives", "normalisations", "relations", "equivalences")
_RUN_TABLES = ("predictions", "fragments", "strings", "outcomes", "replies", "costs")
_STUDY_FILES = (
    *("scores.csv", "scores.json", "evaluation-*.csv", "evaluation-*.json", "tables.md"),
    *("acceptance.csv", "acceptance-*.xml", "comparison.csv", "expected.csv", "invariance.csv"),
    *("report.html", "report.md", "report.tex"),
)
CONTENT: Mapping[str, Mapping[str, str]] = {
    "suite": dict.fromkeys(
        (
            *("raw.txt", "gold.sgml", "suite.toml"),
            *("cases.parquet", "mentions.parquet", "entities.parquet", "slots.parquet"),
        ),
        FILE,
    ),
    "run": {
        **dict.fromkeys(("run.toml", "timings.json", *(f"{name}.parquet" for name in _RUN_TABLES)), FILE),
        "stderr": "messages",
        "repeats": "runs",
        ".shards": ANYTHING,
    },
    "variants of a run": {"variants.toml": FILE, "variants": "runs"},
    "cached run": {"*.shard": FILE, "complete": FILE},
    "report": {
        **dict.fromkeys(("report.html", "report.md", "report.tex", "report.json", "scores.csv"), FILE),
        "tables": "tables",
    },
    "starter study": dict.fromkeys(
        (
            *("README.md", "study.toml", "tagger.toml", "tagger.sh", "corpus.sgml"),
            *("classes.toml", "predictions.toml", "criteria.toml"),
        ),
        FILE,
    ),
    "study": {
        **dict.fromkeys(_STUDY_FILES, FILE),
        "suites": "suites",
        "terms": "term lists",
        "runs": "runs",
        "invariance": "invariance tests",
        "discovered": "predictions",
        # the demo's own files
        "study": "study files",
    },
    "invariance test": {
        **dict.fromkeys(("invariance.json", "rates.parquet", "changes.parquet"), FILE),
        "texts": "texts",
        "*": "run",
    },
    "probe": {
        **dict.fromkeys(("answers.jsonl", "length.json", "probes.csv", "report.html"), FILE),
        ".asking": ANYTHING,
    },
    "confirmation": {"round-*": "round"},
    "BioID evaluation": dict.fromkeys(
        (
            *("caption_scores.csv", "document_scores.csv", "corpus_scores.csv"),
            *("pair_details_no_norm_restriction.csv", "pair_details_normalized_only.csv"),
        ),
        FILE,
    ),
    "Bacteria Biotope evaluation": dict.fromkeys(("scores.csv", "pairs.csv"), FILE),
    "indexing evaluation": dict.fromkeys(("documents.csv", "pairs.csv", "retrieval.csv", "tops.csv"), FILE),
    "brat corpus": {"*.txt": FILE, "*.ann": FILE},
    "bionlp corpus": {"*.txt": FILE, "*.a1": FILE, "*.a2": FILE},
    "bc2gm corpus": dict.fromkeys(("corpus.in", "GENE.eval", "ALTGENE.eval"), FILE),
    "genetag corpus": dict.fromkeys(
        ("TAGGED_GENE_CORPUS", "TOKENIZED_CORPUS", "Gold.format", "Correct.Data"), FILE
    ),
    "parquet corpus": dict.fromkeys((f"{name}.parquet" for name in _TABLES), FILE),
    "csv corpus": dict.fromkeys((f"{name}.csv" for name in _TABLES), FILE),
    # folders within these
    "messages": {"*.txt": FILE},
    "runs": {"*": "run"},
    "suites": {"*": "suite"},
    "invariance tests": {"*": "invariance test"},
    "round": {"suite": "suite", "run": "run"},
    "study files": dict.fromkeys(("demo.toml", "predictions.toml"), FILE),
    "term lists": {"*.txt": FILE},
    "predictions": {"*.toml": FILE},
    "tables": {"*.csv": FILE},
    "texts": {"*.jsonl": FILE},
}
"""What a command writes into a folder of each kind: patterns of names, each of a file or a kind of folder."""

SIGNS: Mapping[str, tuple[str, ...]] = {
    "suite": ("cases.parquet",),
    "run": ("run.toml", ".shards/plan.json"),
    "variants of a run": ("variants.toml", "variants/*/run.toml"),
    "study": ("study/demo.toml", "runs/*--*/run.toml"),
    "invariance test": ("invariance.json",),
    "probe": ("answers.jsonl",),
    "confirmation": ("round-*/run/run.toml",),
}
"""The files by which a folder of a version without markers is recognised."""


@contextlib.contextmanager
def claim_folder(
    path: str | os.PathLike[str],
    kind: str,
    *,
    force: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> Iterator[Path]:
    """Mark a folder as one of a kind, and hold it against other processes while the block writes there.

    Parameters
    ----------
    path : path
        A new or empty folder, or one of this kind, whose files stay for the block to go on with.
    kind : str
        One of `CONTENT`.
    force : bool
        Empty the folder first; see `clear_folder`.
    inputs : iterable of path
        What the command reads.

    Raises
    ------
    InputError
        When it is a file, holds something else, or another process writes there.
    """
    folder = Path(os.path.realpath(path))
    _require_kind(folder, kind, path)
    is_new = not folder.exists()
    make_folder(folder)
    with open(folder / MARKER, "a+b", opener=_open_no_link) as marker:
        try:
            fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # the process that held it before may have put another folder here
            if os.fstat(marker.fileno()).st_ino != (folder / MARKER).stat().st_ino:
                raise BlockingIOError
        except (BlockingIOError, FileNotFoundError):
            raise InputError(
                "another process is writing into this folder",
                file=path,
                allowed="wait until it has finished, or another folder",
            ) from None
        try:
            if _marked_kind(folder) != kind:
                marker.truncate(0)
                marker.write(_marker(kind))
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
    """Give a temporary folder next to the target; rename it to the target when the block succeeds.

    For the parameters see `claim_folder`.

    Raises
    ------
    InputError
        As `claim_folder`; when the target is not empty and `force` is not given, or it may not be replaced
        (see `clear_folder`); when the disk is full.
    """
    with claim_folder(path, kind) as target:
        if not _is_empty(target):
            if not force:
                raise InputError(
                    "the output folder is not empty",
                    file=path,
                    allowed="a new folder, or --force to replace it",
                )
            _require_replaceable(target, kind, inputs)
        refuse_inputs(target, ())
        temporary = _temporary(target.parent, target.name)
        try:
            (temporary / MARKER).write_bytes(_marker(kind))
            with report_full_disk(Path(path)):
                yield temporary
            open_up(temporary, 0o777)
            with _removed(target.parent, target.name) as old:
                target.replace(old / "old")
                temporary.replace(target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def clear_folder(folder: Path, kind: str, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Delete what a folder holds, except its marker.

    Raises
    ------
    InputError
        When it has files that are not of its kind, or is or contains an input or the current directory.
    """
    _require_replaceable(folder, kind, inputs)
    entries = [entry for entry in folder.iterdir() if entry.name != MARKER]
    if not entries:
        return
    with _removed(folder, "") as old:
        # first the files that show that a result is complete
        for is_first in (True, False):
            for entry in entries:
                if (entry.suffix in (".toml", ".json")) is is_first:
                    entry.replace(old / entry.name)
            sync(folder)


def _require_kind(folder: Path, kind: str, path: str | os.PathLike[str]) -> None:
    """Refuse a folder of another kind, or with files of nobody knows which."""
    if folder.exists() and not folder.is_dir():
        raise InputError("the output is a file, not a folder", file=path, allowed="a new or empty folder")
    if not folder.is_dir() or _is_empty(folder):
        return
    signs = ((known, sign) for known, signs in SIGNS.items() for sign in signs)
    found = _marked_kind(folder)
    if found is None:
        found = next((known for known, sign in signs if any(folder.glob(sign))), None)
    if found is None:
        raise InputError(
            f"the output folder is not empty and has no marker ({MARKER}) of a {kind}",
            file=path,
            found=_listed(folder, folder.iterdir()),
            allowed="a new or empty folder (--force replaces only what the same command wrote; "
            "delete the folder yourself if an earlier version wrote it)",
        )
    if found != kind:
        raise InputError(
            "the output folder holds something else",
            file=path,
            found=found,
            allowed=f"{kind}, or a new folder",
        )


def _require_replaceable(folder: Path, kind: str, inputs: Iterable[str | os.PathLike[str]]) -> None:
    refuse_inputs(folder, inputs)
    foreign = list(_foreign(folder, kind))
    if foreign:
        raise InputError(
            f"the folder is not replaced: it has files that are not part of a {kind}",
            file=folder,
            found=_listed(folder, foreign),
            allowed="a new folder, or these files moved elsewhere",
        )


def refuse_inputs(folder: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise InputError for a folder to replace that is or contains an input or the current directory."""
    folder = Path(os.path.realpath(folder))
    for what, place in (("the current directory", os.curdir), *(("an input", place) for place in inputs)):
        real = Path(os.path.realpath(place))
        if folder in (real, *real.parents):
            raise InputError(
                f"the output folder is {what}, or contains it",
                file=folder,
                found=os.fspath(place) if what == "an input" else str(real),
                allowed="another folder",
            )


def _foreign(folder: Path, kind: str) -> Iterator[Path]:
    """The files that no command writes into a folder of a kind."""
    for entry in sorted(folder.iterdir()):
        name = entry.name
        # a file or folder that was being written
        if name == MARKER or fnmatchcase(name, ".*.part"):
            continue
        held = next((held for pattern, held in CONTENT[kind].items() if fnmatchcase(name, pattern)), "")
        if held == ANYTHING:
            continue
        is_folder = entry.is_dir()
        if entry.is_symlink() or not held or is_folder == (held == FILE):
            yield entry
        elif is_folder:
            yield from _foreign(entry, held)


def _listed(folder: Path, entries: Iterable[Path]) -> str:
    """A few names, and the number of the others."""
    names = sorted(entry.relative_to(folder).as_posix() for entry in entries if entry.name != MARKER)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _is_empty(folder: Path) -> bool:
    return all(entry.name == MARKER for entry in folder.iterdir())


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def _marker(kind: str) -> bytes:
    return f'format = 1\nkind = "{kind}"\ntagsuite = "{__version__}"\n'.encode()


def _marked_kind(folder: Path) -> str | None:
    """The kind that a folder's marker names; None without a marker, or for a damaged one."""
    try:
        kind = tomllib.loads((folder / MARKER).read_text(encoding="utf-8")).get("kind")
    except (OSError, ValueError):
        return None
    return kind if isinstance(kind, str) else None


def _temporary(parent: Path, name: str) -> Path:
    return Path(tempfile.mkdtemp(dir=parent, prefix=f".{name}.", suffix=".part"))


@contextlib.contextmanager
def _removed(parent: Path, name: str) -> Iterator[Path]:
    """Give a folder for what is to be deleted when the block has succeeded."""
    old = _temporary(parent, name)
    yield old
    shutil.rmtree(old)
