"""Writing of run.toml (the file that marks a finished run), and notes on the output of a run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field

from ....catalogues.core.files import atomic_text
from ....catalogues.core.settings import Settings
from ....catalogues.core.toml import write_toml
from ....catalogues.core.version import __version__
from ....sentences.formats.registry import split_spec
from ....sentences.suite_file import read_suite_sources
from ..outcomes import MAX_REPETITIONS, OUTCOME_NAMES
from ..outputs.placement import MATCH_KINDS, STATUSES

if TYPE_CHECKING:
    from ..inputs.cases import RunInput
    from ..tagger import Tagger
    from .shard import Summary

RUN_FILE = "run.toml"
"""File that marks a folder as a finished run; it is written last."""
FORMAT = 1
DIGEST_DIGITS = 12
MAX_TYPES = 20
"""Maximum number of entity types that a note lists by name."""

Count = Annotated[int, Field(ge=0, lt=2**63)]
RelativePath = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""Path relative to the run folder."""


class _Table(Settings):
    """Table of run.toml; it may contain unknown keys, for example from a later version of tagsuite."""

    model_config = ConfigDict(extra="allow")


class _RunTable(_Table):
    label: str
    signature: str
    input: RelativePath
    cases: Count
    key: str
    corpus: str = ""
    mentions: Count = 0
    unplaced: Count = 0
    merged: Count = 0
    strays: Count = 0
    silent: bool = False


class _TaggerTable(_Table):
    specification: RelativePath = ""
    place: RelativePath = ""
    digest: str = ""
    trained_on: list[str] = Field(default_factory=list)
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)


class _RepeatsTable(_Table):
    times: Annotated[int, Field(ge=1, le=MAX_REPETITIONS)] = 1


class _FailureTable(_Table):
    outcome: str
    said: str
    count: Count
    cases: list[int | str]
    found: str = ""
    stderr: str


class RunFile(_Table):
    """Keys and tables that this version of tagsuite reads from run.toml."""

    run: _RunTable
    tagger: _TaggerTable = _TaggerTable()
    repeats: _RepeatsTable = _RepeatsTable()
    outcomes: dict[str, Count]
    placed: dict[str, Count] = Field(default_factory=dict)
    strings: dict[str, Count] = Field(default_factory=dict)
    sources: dict[str, list[str]] = Field(default_factory=dict)
    unmapped_types: dict[str, Count] = Field(default_factory=dict)
    undeclared_tags: dict[str, Count] = Field(default_factory=dict)
    dropped_types: list[str] = Field(default_factory=list)
    foreign_types: dict[str, Count] = Field(default_factory=dict)
    failure: list[_FailureTable] = Field(default_factory=list)


def describe_tagger(tagger: Tagger, out: Path) -> dict[str, Any]:
    """Return the entries of run.toml about a tagger, with file paths relative to the run folder `out`."""
    from ..specification import BUNDLED_FOLDER

    spec = tagger.spec
    found_by_name = tagger.path.parent == BUNDLED_FOLDER or not tagger.path.is_file()
    return {
        "name": spec.name,
        "version": tagger.version,
        "label": tagger.label,
        "digest": tagger.digest,
        "mode": spec.mode,
        "command": list(spec.command),
        "repeat": tagger.repeat,
        "specification": "" if tagger.function else tagger.path.name,
        "place": "" if found_by_name else make_relative(str(tagger.path), out),
        "trained_on": list(tagger.trained_on),
        "options": {
            name: make_relative(str(value), out) if spec.options[name].kind == "file" else value
            for name, value in sorted(tagger.options.items())
        },
    }


def write_run_file(
    folder: Path,
    out: Path,
    cases: RunInput,
    tagger: Mapping[str, Any],
    summary: Summary,
    *,
    key: str,
    shards: int,
) -> None:
    """Write run.toml.

    Parameters
    ----------
    folder : Path
        Folder in which the file is written.
    out : Path
        The run folder, to which paths are relative.
    cases : RunInput
    tagger : mapping
        Result of `describe_tagger`; for recorded output, a subset of its entries and the key ``recorded``.
    summary : Summary
    key : str
        Checksum of everything that can change the results of the run.
    shards : int
        Number of shards.
    """
    sources, gold_types = read_suite_sources(cases.source), cases.gold_types
    ended = set(summary.outcomes)
    # the tagger succeeded but printed nothing for any case
    is_silent = summary.is_silent and bool(ended & {"ok", "short"}) and ended <= {"ok", "short", "abandoned"}
    run = {
        "tagger": tagger["name"],
        "version": tagger["version"],
        "label": tagger["label"],
        "tagsuite": __version__,
        "input": make_relative(cases.source, out),
        "corpus": cases.name,
        "input_digest": cases.digest,
        "signature": f"{cases.signature}|{make_tagger_part(tagger['label'], tagger['digest'])}",
        "mode": tagger["mode"],
        "recorded": tagger.get("recorded"),
        "command": tagger.get("command", []),
        "repeat": tagger["repeat"] if tagger.get("repeat", 1) > 1 else None,
        "cases": len(cases.ids),
        "mentions": summary.mentions,
        "unplaced": summary.unplaced,
        "merged": summary.merged,
        "strays": summary.strays,
        "silent": is_silent or None,
        "shards": shards,
        "key": key,
    }
    tagger_table = {
        "specification": tagger.get("specification", ""),
        "place": tagger.get("place") or None,
        "digest": tagger["digest"],
        "trained_on": tagger.get("trained_on") or None,
        "options": tagger.get("options", {}),
    }
    strings = {name: summary.strings[name] for name in STATUSES}
    content = {
        "format": FORMAT,
        "run": run,
        "sources": sources or None,
        "tagger": tagger_table,
        "outcomes": {name: n for name in OUTCOME_NAMES if (n := summary.outcomes[name]) or name == "ok"},
        "placed": {name: n for name in MATCH_KINDS if (n := summary.placed[name])},
        "strings": {**strings, "stripped": summary.stripped} if summary.strings or summary.stripped else None,
        "undeclared_tags": dict(sorted(summary.undeclared.items())) or None,
        "exit_codes": dict(sorted(summary.codes.items())),
        "unmapped_types": dict(sorted(summary.unmapped.items())),
        "dropped_types": sorted(summary.dropped),
        "foreign_types": {
            name: n for name, n in sorted(summary.types.items()) if gold_types and name not in gold_types
        },
        "failure": [{**kind, "cases": cases.ids.take(kind["cases"]).to_pylist()} for kind in summary.failures]
        or None,
    }
    with atomic_text(folder / RUN_FILE, durable=True) as stream:
        stream.write(write_toml(content))


def make_tagger_part(label: str, digest: str) -> str:
    """Return the part of a score's signature that identifies a tagger: ``tagger:name@version#checksum``.

    The checksum distinguishes taggers with the same name and version. It covers the specification, options
    and files of a tagger, or the mentions in recorded output.

    Examples
    --------
    >>> make_tagger_part("kex@0.3", "1a2b3c4d5e6f7a8b")
    'tagger:kex@0.3#1a2b3c4d5e6f'
    >>> make_tagger_part("mine@1a2b3c4d5e6f", "1a2b3c4d5e6f7a8b")
    'tagger:mine@1a2b3c4d5e6f'
    """
    short = digest[:DIGEST_DIGITS]
    # the label of a tagger without a version already contains its checksum
    return f"tagger:{label}" if not short or label.endswith(f"@{short}") else f"tagger:{label}#{short}"


def make_relative(spec: str, folder: Path) -> str:
    """Return ``FORMAT:PATH`` with a path that is relative to a folder."""
    prefix, path = split_spec(spec)
    return prefix + Path(os.path.relpath(Path(path).resolve(), folder.resolve())).as_posix()


def make_absolute(spec: str, folder: Path) -> str:
    """Return ``FORMAT:PATH`` with an absolute path; a relative path is relative to `folder`."""
    prefix, path = split_spec(spec)
    if Path(path).is_absolute():
        return spec
    return prefix + str((folder.resolve() / path).resolve())


def list_output_notes(meta: Mapping[str, Any]) -> list[str]:
    """Return notes on empty output, and on tags in the output that the specification does not list."""
    from ..outputs.placement import describe_undeclared

    lines = [describe_undeclared({name: n}) for name, n in meta.get("undeclared_tags", {}).items()]
    if meta["run"].get("silent"):
        lines.append("the tagger printed nothing for any case")
    return lines


def list_count_notes(meta: Mapping[str, Any]) -> list[str]:
    """Return notes on the numbers of merged mentions, and of output records that belong to no case."""
    merged, strays = meta["run"].get("merged"), meta["run"].get("strays")
    lines = []
    if merged:
        lines.append(
            f"{merged} mentions have the same text, span and type as another one and were merged "
            '(output.duplicates = "keep" counts all)'
        )
    if strays:
        lines.append(f"{strays} records of output belong to no case")
    return lines


def list_type_notes(meta: Mapping[str, Any]) -> list[str]:
    """Return notes on predicted types that are dropped, unmapped or absent from the gold mentions."""
    dropped = set(meta.get("dropped_types", []))
    lines = []
    for name, n in meta.get("unmapped_types", {}).items():
        verb = "drops" if name in dropped else "does not list"
        lines.append(f"{n} mentions of type {name!r}, which the type map {verb}")
    for name, n in meta.get("foreign_types", {}).items():
        lines.append(f"{n} mentions of type {name!r}, which no gold mention has: they cannot match")
    more = len(lines) - MAX_TYPES
    return [*lines[:MAX_TYPES], f"and {more} more types; run.toml lists all of them"] if more > 0 else lines


def list_training_notes(meta: Mapping[str, Any], texts: Iterable[str] = ()) -> list[str]:
    """Return notes on corpora that were used to train the tagger, and also in its input.

    The input is a suite whose sources `meta` names, or a corpus with the given texts.
    """
    trained = meta.get("tagger", {}).get("trained_on", [])
    lines = []
    if trained:
        from ....sentences.contexts import detect_corpora

        if seen := [name for name in detect_corpora(texts) if name in trained]:
            lines.append(
                f"the tagger was trained on {', '.join(seen)}, which contains these texts: do not expect the "
                "same results in other texts"
            )
    for kind, names in meta.get("sources", {}).items():
        seen = [name for name in names if name in trained]
        if not seen:
            continue
        division = "--by context.source_type" if kind == "contexts" else "--by source_authority"
        lines.append(
            f"the tagger was trained on {', '.join(seen)}, the source of {kind} of the suite: "
            f"use {division} to see the results for each source"
        )
    return lines
