"""Registry of corpus formats, and functions that read or write corpora and predictions.

A corpus is given as ``FORMAT:PATH`` or ``FORMAT[option=value,option=value]:PATH``; a suite folder needs no
prefix. The module of a format is imported only when the format is used.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
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
"""Names of the formats; the value is True if tagsuite can read tagger output in the format.

Each format is defined in the module of the same name.
"""
FORMAT_NAMES = tuple(FORMATS)
OUTPUT_NAMES = tuple(name for name, for_output in FORMATS.items() if for_output)

_SPEC = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]+)(?:\[[^\]]*\])?:")


def get_format(name: str) -> CorpusFormat:
    """Return the format called `name`.

    Raises
    ------
    InputError
        If the format does not exist; the message lists all formats and suggests similar names.
    """
    if name not in FORMAT_NAMES:
        raise unknown_name_error("format", name, FORMAT_NAMES)
    module = importlib.import_module(f".{name}", __package__)
    corpus_format: CorpusFormat = module.FORMAT
    return corpus_format


def parse_spec(spec: str | PathLike[str]) -> tuple[str, Path, dict[str, str]]:
    """Split ``FORMAT[options]:PATH`` into name, path and options; a path without a format is a suite folder.

    Examples
    --------
    >>> parse_spec("conll[scheme=iobes]:out/test.tsv")
    ('conll', PosixPath('out/test.tsv'), {'scheme': 'iobes'})
    """
    prefix, path = split_spec(spec) if isinstance(spec, str) else ("", fspath(spec))
    if not prefix:
        return "suite", Path(path), {}
    name, _, pairs = prefix.removesuffix(":").removesuffix("]").partition("[")
    options = parse_pairs(
        list(filter(None, pairs.split(","))), "an option of a format", "FORMAT[option=value,…]:PATH"
    )
    get_format(name)
    if not path:
        raise InputError("the path after the format is missing", found=spec, allowed="FORMAT:PATH")
    return name, Path(path), options


def split_spec(spec: str) -> tuple[str, str]:
    """Split ``FORMAT[options]:PATH`` into the prefix (empty if there is none) and the path.

    Examples
    --------
    >>> split_spec("conll[scheme=iobes]:out/test.tsv")
    ('conll[scheme=iobes]:', 'out/test.tsv')
    """
    match = _SPEC.match(spec)
    # a one-letter prefix is a drive letter; an existing path with a colon is a path
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
        Options of the format; they override those in `spec`.

    Raises
    ------
    InputError
        If the corpus cannot be read; the message names the file and, if possible, the line.
    """
    form, path, merged = _resolve_spec(spec, options)
    form.check_options(merged)
    if form.read is None:
        raise _unreadable_format_error(form)
    require_path(path, form)
    return form.read(path, merged)


def read_predictions(spec: str | PathLike[str], gold: Corpus, **options: str) -> Corpus:
    """Read predicted mentions for the texts of the corpus `gold`.

    If the format contains texts, they are matched with the gold texts by id, or by order if the format has no
    ids. Matched texts must be equal except for white space. Duplicates (mentions with the same text, span and
    type) are merged and counted in a note, unless the option ``duplicates`` is ``keep``.

    Returns
    -------
    Corpus
        The gold texts with predicted mentions.
    """
    form, path, merged = _resolve_spec(spec, options)
    duplicates = merged.pop("duplicates", "merge")
    if duplicates not in ("merge", "keep"):
        raise InputError("invalid value for option duplicates", found=duplicates, allowed="merge, keep")
    form.check_options(merged)
    if not path.exists():
        raise InputError("no such file or folder", file=path)
    if form.read_predictions is not None:
        predictions = form.read_predictions(path, gold, merged)
    elif form.read is not None:
        from .predictions import place_over_gold

        require_path(path, form)
        predictions = place_over_gold(form.read(path, merged), gold, by_id=form.has_text_ids, file=path)
    else:
        raise _unreadable_format_error(form)
    if duplicates == "keep":
        return predictions
    from .predictions import merge_duplicates

    distinct = merge_duplicates(predictions)
    if not distinct.merged_count:
        return distinct
    note = (
        f"merged {distinct.merged_count} of {len(predictions.mentions)} mentions that repeat another one "
        "(same text, span and type); use the option duplicates=keep to count each"
    )
    return replace(distinct, notes=(*distinct.notes, note))


def write_corpus(
    corpus: Corpus, spec: str | PathLike[str], *, strict: bool = False, **options: str
) -> tuple[str, ...]:
    """Write a corpus, read it back, and report data that the format could not store.

    Parameters
    ----------
    corpus : Corpus
        Corpus to write.
    spec : str or path
        ``FORMAT:PATH``.
    strict : bool
        Whether to raise an error and write nothing if the format cannot store all data.
    **options : str
        Options of the format; they override those in `spec`.

    Returns
    -------
    tuple of str
        One sentence per kind of loss; empty if nothing was lost.

    Raises
    ------
    InputError
        If the format cannot store a text (for example one with a line break), or, with `strict`, if data
        would be lost.
    """
    form, path, merged = _resolve_spec(spec, options)
    form.check_options(merged)
    if form.write is None:
        raise InputError(
            "tagsuite cannot write files in this format",
            found=form.name,
            allowed=", ".join(list_writable_formats()),
        )
    if not len(corpus.texts):
        raise InputError("the corpus has no texts to write", file=path)
    if not form.has_sides and corpus.mentions["side"].nunique() > 1:
        raise InputError(
            f"format {form.name} cannot store gold and predicted mentions in the same file; "
            "use format jsonl, csv or parquet",
        )
    corpus = corpus.inline_features()
    place = (
        atomic_path(path)
        if form.place == "file"
        else atomic_folder(path, f"{form.name} corpus", force=merged.get("force") == "yes")
    )
    with place as temporary:
        form.write(corpus, temporary, merged)
        lost = _losses(corpus, form, temporary, merged)
        if strict and lost:
            raise InputError(f"{corpus.name}: {'; '.join(lost)}; nothing was written (use another format)")
    return lost


def _losses(corpus: Corpus, form: CorpusFormat, path: Path, options: Mapping[str, str]) -> tuple[str, ...]:
    """Read back the file that was just written, and return one sentence per loss."""
    from .losses import find_losses

    if form.read is None:
        return (f"{form.name} cannot be read back, so losses are unknown",)
    try:
        return find_losses(corpus, form.read(path, options), form.name)
    except InputError as error:
        return (f"{form.name} cannot be read back: {error.problem}",)


def _resolve_spec(
    spec: str | PathLike[str], options: Mapping[str, str]
) -> tuple[CorpusFormat, Path, dict[str, str]]:
    """Return the format, path and options in a specification; `options` override those in `spec`."""
    name, path, spec_options = parse_spec(spec)
    return get_format(name), path, {**spec_options, **options}


def _unreadable_format_error(form: CorpusFormat) -> InputError:
    return InputError(
        "tagsuite cannot read files in this format",
        found=form.name,
        allowed=", ".join(list_readable_formats()),
    )


def list_readable_formats() -> list[str]:
    """Return the names of the formats that can be read."""
    return [n for n in FORMAT_NAMES if get_format(n).read is not None]


def list_writable_formats() -> list[str]:
    """Return the names of the formats that can be written."""
    return [n for n in FORMAT_NAMES if get_format(n).write is not None]


def require_path(path: Path, form: CorpusFormat) -> None:
    """Raise InputError unless a path exists and is of the kind (file or folder) that the format needs."""
    if not path.exists():
        raise InputError(f"no such {form.place}; format {form.name} needs a {form.place}", file=path)
    if path.is_dir() != (form.place == "folder"):
        found = "a folder" if path.is_dir() else "a file"
        hint = "a suite folder, or FORMAT:PATH such as sgml:corpus.sgml" if form.name == "suite" else None
        raise InputError(f"format {form.name} needs a {form.place}", file=path, found=found, allowed=hint)
