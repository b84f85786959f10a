"""The formats by name, and the three ways through them: read a corpus, read predictions, write a corpus.

A place is ``FORMAT:PATH`` or ``FORMAT[option=value,option=value]:PATH``; a suite folder needs no prefix. This
module is light: a format's own module is imported when it is asked for.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from ...catalogues.core.errors import InputError, unknown_name_error
from ...catalogues.core.files import atomic_path
from ...catalogues.core.options import parse_pairs
from ...catalogues.core.output_folder import atomic_folder

if TYPE_CHECKING:
    from ..corpus import Corpus
    from .base import CorpusFormat


FORMATS = {
    "suite": False,
    "bc2gm": False,
    "genetag": False,
    "sgml": False,
    "conll": False,
    "bioc": True,
    "biocjson": True,
    "brat": True,
    "bionlp": False,
    "pubtator": True,
    "jsonl": True,
    "parquet": False,
    "csv": False,
    "template": False,
}
"""Formats by name (each is the `FORMAT` of the module of that name), and whether taggers may print it."""
FORMAT_NAMES = tuple(FORMATS)
OUTPUT_NAMES = tuple(name for name, for_output in FORMATS.items() if for_output)

_SPEC = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]+)(?:\[[^\]]*\])?:")


def get_format(name: str) -> CorpusFormat:
    """The format called `name`.

    Raises
    ------
    InputError
        When there is none; the nearest names come first in the message.
    """
    if name not in FORMAT_NAMES:
        raise unknown_name_error("format", name, FORMAT_NAMES)
    module = importlib.import_module(f".{name}", __package__)
    found: CorpusFormat = module.FORMAT
    return found


def parse_spec(spec: str | PathLike[str]) -> tuple[str, Path, dict[str, str]]:
    """Split ``FORMAT[options]:PATH`` into format name, path and options; a bare path is a suite folder.

    Examples
    --------
    >>> parse_spec("conll[scheme=iobes]:out/test.tsv")
    ('conll', PosixPath('out/test.tsv'), {'scheme': 'iobes'})
    """
    prefix, path = split_spec(spec) if isinstance(spec, str) else ("", fspath(spec))
    if not prefix:
        return "suite", Path(path), {}
    name, _, given = prefix.removesuffix(":").removesuffix("]").partition("[")
    options = parse_pairs(
        list(filter(None, given.split(","))), "an option of a format", "FORMAT[option=value,…]:PATH"
    )
    get_format(name)
    if not path:
        raise InputError("a format without a path", found=spec, allowed="FORMAT:PATH")
    return name, Path(path), options


def split_spec(spec: str) -> tuple[str, str]:
    """What names a format (``FORMAT[options]:``, or nothing) and the path behind it.

    Examples
    --------
    >>> split_spec("conll[scheme=iobes]:out/test.tsv")
    ('conll[scheme=iobes]:', 'out/test.tsv')
    """
    match = _SPEC.match(spec)
    # a one-letter prefix is a drive, and a path that exists under that very name is meant
    if match is None or (match["name"] not in FORMAT_NAMES and Path(spec).exists()):
        return "", spec
    return match[0], spec[match.end() :]


def read_corpus(spec: str | PathLike[str], **options: str) -> Corpus:
    """Read a corpus or a suite.

    Parameters
    ----------
    spec : str or path
        ``FORMAT:PATH``, or a suite folder.
    **options : str
        Options of the format, over those in `spec`.

    Raises
    ------
    InputError
        With file and, where there are lines, the line.
    """
    form, path, merged = _resolve_spec(spec, options)
    form.check_options(merged)
    if form.read is None:
        raise InputError(
            "the format is only written", found=form.name, allowed=", ".join(list_readable_formats())
        )
    require_path(path, form)
    return form.read(path, merged)


def read_predictions(spec: str | PathLike[str], gold: Corpus, **options: str) -> Corpus:
    """Read predicted mentions over the texts of `gold`.

    The mentions of a format that carries text are laid over the gold's texts: by id where the format has ids,
    by order where it has not; the texts must agree, white space apart. Mentions of the same text, span and
    type are made one (a note gives their number), unless the option ``duplicates`` is ``keep``.

    Returns
    -------
    Corpus
        The gold's texts with mentions of side ``predicted``.
    """
    form, path, merged = _resolve_spec(spec, options)
    duplicates = merged.pop("duplicates", "merge")
    if duplicates not in ("merge", "keep"):
        raise InputError("option duplicates", found=duplicates, allowed="merge, keep")
    form.check_options(merged)
    if not path.exists():
        raise InputError("no such file or folder", file=path)
    if form.read_predictions is not None:
        found = form.read_predictions(path, gold, merged)
    elif form.read is not None:
        from .predictions import place_over_gold

        require_path(path, form)
        found = place_over_gold(form.read(path, merged), gold, by_id=form.has_text_ids, file=path)
    else:
        raise InputError(
            "the format is only written", found=form.name, allowed=", ".join(list_readable_formats())
        )
    if duplicates == "keep":
        return found
    from .predictions import merge_duplicates

    made = merge_duplicates(found)
    if not made.merged_count:
        return made
    note = (
        f"{made.merged_count} of {len(found.mentions)} mentions repeat another's text, span and type: merged"
    )
    return replace(made, notes=(*made.notes, f"{note} (option duplicates=keep counts each)"))


def write_corpus(
    corpus: Corpus, spec: str | PathLike[str], *, strict: bool = False, **options: str
) -> tuple[str, ...]:
    """Write a corpus, read it back, and say what the format could not store.

    Parameters
    ----------
    corpus : Corpus
        The texts and mentions to write.
    spec : str or path
        ``FORMAT:PATH``.
    strict : bool
        Write nothing when the format cannot store all of the corpus.
    **options : str
        Options of the format, over those in `spec`.

    Returns
    -------
    tuple of str
        A sentence for each kind of loss; empty when the file holds all of the corpus.

    Raises
    ------
    InputError
        When the format cannot hold a text at all (one with a line break or a tag in a format of lines), and
        for a loss when `strict`.
    """
    form, path, merged = _resolve_spec(spec, options)
    form.check_options(merged)
    if form.write is None:
        raise InputError(
            "the format is only read", found=form.name, allowed=", ".join(list_writable_formats())
        )
    if not len(corpus.texts):
        raise InputError("the corpus has no texts to write", file=path)
    if not form.has_sides and corpus.mentions["side"].nunique() > 1:
        raise InputError(
            f"the corpus holds gold and predicted mentions, and format {form.name} cannot tell them apart",
            allowed="one side at a time, or format jsonl, csv or parquet",
        )
    corpus = corpus.inline_features()
    with _place(form, path, merged) as temporary:
        form.write(corpus, temporary, merged)
        lost = _losses(corpus, form, temporary, merged)
        if strict and lost:
            raise InputError(f"{corpus.name}: {'; '.join(lost)}", allowed="no --strict")
    return lost


def _place(form: CorpusFormat, path: Path, options: Mapping[str, str]) -> AbstractContextManager[Path]:
    """Give a temporary file or folder that takes its place at `path` when all went well."""
    if form.place == "file":
        return atomic_path(path)
    return atomic_folder(path, f"{form.name} corpus", force=options.get("force") == "yes")


def _losses(corpus: Corpus, form: CorpusFormat, path: Path, options: Mapping[str, str]) -> tuple[str, ...]:
    """Compare a corpus with what is read back from the file that was just written."""
    from .losses import find_losses

    if form.read is None:
        return (f"{form.name} cannot be read back: what it stores is not known",)
    try:
        return find_losses(corpus, form.read(path, options), form.name)
    except InputError as error:
        return (f"{form.name} cannot be read back: {error.problem}",)


def _resolve_spec(
    spec: str | PathLike[str], options: Mapping[str, str]
) -> tuple[CorpusFormat, Path, dict[str, str]]:
    """The format, place and options that a specification names, `options` over its own."""
    name, path, given = parse_spec(spec)
    return get_format(name), path, {**given, **options}


def list_readable_formats() -> list[str]:
    """Names of the formats that can be read."""
    return [n for n in FORMAT_NAMES if get_format(n).read is not None]


def list_writable_formats() -> list[str]:
    """Names of the formats that can be written."""
    return [n for n in FORMAT_NAMES if get_format(n).write is not None]


def require_path(path: Path, form: CorpusFormat) -> None:
    """Refuse a path that is missing or of the wrong kind."""
    if not path.exists():
        raise InputError(f"no such {form.place}", file=path, allowed=f"a {form.place} of format {form.name}")
    if path.is_dir() != (form.place == "folder"):
        found = "a folder" if path.is_dir() else "a file"
        hint = "a suite folder, or FORMAT:PATH such as sgml:corpus.sgml" if form.name == "suite" else None
        raise InputError(f"format {form.name} is a {form.place}", file=path, found=found, allowed=hint)
