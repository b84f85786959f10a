"""run.toml, which makes a folder a run: of a tagger that was run here, or of recorded output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....catalogues.core.files import atomic_text
from ....catalogues.core.toml import write_toml
from ....catalogues.core.version import __version__
from ....sentences.suite_file import suite_sources
from ..bundled import BUNDLED
from ..inputs.cases import Cases
from ..outcomes import NAMES
from ..outputs.placed import STATUSES, WAYS
from ..specification import Scalar, Specification
from ..tagger import Tagger
from .runs import FORMAT, META, foreign_types, tagger_part, to_folder
from .totals import Totals


@dataclass(frozen=True)
class Signed:
    """A tagger as run.toml has it.

    Attributes
    ----------
    name, version, label, digest : str
        See `Tagger`; of recorded output the digest is that of the mentions.
    mode : str
        The specification's, or ``recorded``.
    command : sequence of str
        The specification's.
    recorded : str
        Where recorded output was read, seen from the run folder.
    specification : str
        The file's name, or ``python:`` and a function; none of an object in memory.
    options : mapping
        Every option that has a value.
    trained_on : sequence of str
        The specification's.
    place : str
        The specification's file, seen from the run folder; none of a tagger that is found by its name.
    repeat : int
        Which repetition it is, from 1 on.
    """

    name: str
    version: str
    label: str
    digest: str
    mode: str
    command: Sequence[str] = ()
    recorded: str = ""
    specification: str = ""
    options: Mapping[str, Scalar] = field(default_factory=dict)
    trained_on: Sequence[str] = ()
    place: str = ""
    repeat: int = 1

    @classmethod
    def of(cls, tagger: Tagger, out: Path) -> Signed:
        """A tagger that was run; files among its options are seen from the run folder `out`."""
        spec = tagger.spec
        by_name = tagger.path.parent == BUNDLED or not tagger.path.is_file()
        options = {name: _shown(spec, name, value, out) for name, value in sorted(tagger.options.items())}
        return cls(
            spec.name,
            tagger.version,
            tagger.label,
            tagger.digest,
            spec.mode,
            spec.command,
            specification="" if tagger.function else tagger.path.name,
            options=options,
            trained_on=tagger.trained_on,
            place="" if by_name else to_folder(str(tagger.path), out),
            repeat=tagger.repeat,
        )


def _shown(spec: Specification, name: str, value: Scalar, out: Path) -> Scalar:
    return to_folder(str(value), out) if spec.options[name].kind == "file" else value


def write_run_file(
    folder: Path, out: Path, cases: Cases, tagger: Signed, totals: Totals, *, key: str, shards: int
) -> None:
    """Write run.toml.

    Parameters
    ----------
    folder : Path
        Where it is written.
    out : Path
        The run folder, which paths are seen from.
    cases : Cases
    tagger : Signed
    totals : Totals
    key : str
        A digest of all that the run's results depend on.
    shards : int
        Number of shards.
    """
    sources = suite_sources(cases.spec)
    meta = {
        "format": FORMAT,
        "run": {
            "tagger": tagger.name,
            "version": tagger.version,
            "label": tagger.label,
            "tagsuite": __version__,
            "input": to_folder(cases.spec, out),
            "corpus": cases.name,
            "input_digest": cases.digest,
            "signature": f"{cases.signature}|{tagger_part(tagger.label, tagger.digest)}",
            "mode": tagger.mode,
            **({"recorded": tagger.recorded} if tagger.recorded else {}),
            "command": list(tagger.command),
            **({"repeat": tagger.repeat} if tagger.repeat > 1 else {}),
            "cases": len(cases),
            "mentions": totals.mentions,
            "unplaced": totals.unplaced,
            "merged": totals.merged,
            "strays": totals.strays,
            **({"silent": True} if _is_silent(totals) else {}),
            "shards": shards,
            "key": key,
        },
        **({"sources": sources} if sources else {}),
        "tagger": {
            "specification": tagger.specification,
            **({"place": tagger.place} if tagger.place else {}),
            "digest": tagger.digest,
            **({"trained_on": list(tagger.trained_on)} if tagger.trained_on else {}),
            "options": dict(tagger.options),
        },
        "outcomes": {name: n for name in NAMES if (n := totals.outcomes[name]) or name == "ok"},
        "placed": {name: n for name in WAYS if (n := totals.placed[name])},
        **({"strings": _strings(totals)} if totals.strings or totals.stripped else {}),
        **({"undeclared_tags": dict(sorted(totals.undeclared.items()))} if totals.undeclared else {}),
        "exit_codes": dict(sorted(totals.codes.items())),
        "unmapped_types": dict(sorted(totals.unmapped.items())),
        "dropped_types": sorted(totals.dropped),
        "foreign_types": foreign_types(totals.types, cases.gold_types),
    }
    if totals.failures:
        meta["failure"] = _failures(totals)
    with atomic_text(folder / META, durable=True) as stream:
        stream.write(write_toml(meta))


def _is_silent(totals: Totals) -> bool:
    """Return True if taggers ended well and printed nothing for any case."""
    outcomes = {name for name, n in totals.outcomes.items() if n}
    return totals.is_silent and bool(outcomes & {"ok", "short"}) and outcomes <= {"ok", "short", "abandoned"}


def _strings(totals: Totals) -> dict[str, int]:
    """Table ``[strings]``, of a form without offsets."""
    return {**{name: totals.strings[name] for name in STATUSES}, "stripped": totals.stripped}


def _failures(totals: Totals) -> list[dict[str, Any]]:
    """Tables ``[[failure]]``, one for each outcome and message."""
    return [
        {
            "outcome": outcome,
            "said": message,
            "count": kind.count,
            "cases": kind.cases,
            "found": kind.found,
            "stderr": kind.stderr,
        }
        for (outcome, message), kind in sorted(totals.failures.items())
    ]
