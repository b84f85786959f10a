"""A probe of a tagger from beginning to end: texts, answers, and the files that say what was found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..catalogues.core.files import atomic_text
from ..catalogues.core.output_folder import claim_folder
from ..catalogues.core.tables import Format, Say, render, say_nothing
from ..catalogues.core.version import __version__
from ..harness.probing.findings import Length
from ..harness.probing.length import probe_length
from ..harness.probing.options import LengthOptions
from ..harness.running.preparation import prepare
from ..sentences.formats.registry import parse_spec
from .saving import save
from .sections.length import length_report


def length_of(
    tagger: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    suite: str = "",
    tagger_options: Mapping[str, str] | None = None,
    options: LengthOptions | None = None,
    force: bool = False,
    say: Say = say_nothing,
) -> Length:
    """Find out how far a tagger reads, and write what was found.

    Parameters
    ----------
    tagger : str or path
        A bundled tagger's name, or a specification file.
    out : path
        A folder; a probe that stopped goes on in its own.
    suite : str
        A suite folder or ``FORMAT:PATH`` with the cases to use; those of tagsuite when empty.
    tagger_options : mapping, optional
        Values for the specification's options.
    options : LengthOptions, optional
    force : bool
        Whether the folder is emptied first.
    say : callable
        Called with a line about what is done.

    Raises
    ------
    InputError
        Bad input, specification or folder; a tagger that finds none of the cases alone.
    """
    ready = prepare(tagger, tagger_options)
    inputs = [*ready.files, *([parse_spec(suite)[1]] if suite else [])]
    folder = Path(out)
    with claim_folder(folder, "probe", force=force, inputs=inputs):
        found = probe_length(ready, folder, options or LengthOptions(), suite, say)
        with atomic_text(folder / "probes.csv") as stream:
            stream.write(render(found.probes(), Format.csv))
        with atomic_text(folder / "length.json") as stream:
            stream.write(render(found.table(), Format.json, key="length"))
        save(length_report(found, __version__), folder / "report.html")
    return found
