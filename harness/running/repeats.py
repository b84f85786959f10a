"""Repetitions of a run: the first is in the run folder, the others in ``repeats/2``, ``repeats/3`` …."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text
from ...catalogues.core.options import Option, Options, split_pair
from ...catalogues.core.toml import write_toml
from .outcomes import MAX_REPETITIONS

if TYPE_CHECKING:
    from .folder.runs import Run

REPEATS_FOLDER = "repeats"
REPETITION = "Repetitions and variants"
"""Title of the option group for repetitions in the help of `run`."""


@dataclass(frozen=True)
class RepeatOptions(Options):
    """Options for repetitions and variants of a run; see ``docs/how-to/repeat-runs.md``.

    Attributes
    ----------
    times : int
        Number of repetitions of each run.
    vary : mapping of str to tuple
        Values of each varied option of the tagger; a list of ``NAME=a,b,c`` texts is also accepted.

    Raises
    ------
    InputError
        If a value is not allowed.
    """

    times: Annotated[
        int,
        Option(
            "Run each case N times.",
            REPETITION,
            label="number of repetitions (times)",
            minimum=1,
            maximum=MAX_REPETITIONS,
            shows_range=True,
        ),
    ] = 1
    vary: Annotated[
        Mapping[str, tuple[Any, ...]],
        Option(
            "Run the tagger with each value of an option (repeatable; all combinations are run). The runs "
            "are written to the subfolder variants of --out.",
            REPETITION,
            metavar="NAME=A,B,...",
        ),
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.vary or {}
        if not isinstance(given, Mapping):
            given = parse_factors([given] if isinstance(given, str) else given)
        object.__setattr__(self, "vary", {name: tuple(values) for name, values in given.items()})


def parse_factors(given: Sequence[str]) -> dict[str, list[str]]:
    """Parse ``NAME=a,b,c`` texts; a value that contains a comma must be in double quotes.

    Examples
    --------
    >>> parse_factors(["case=fold,exact", 'prompt="Find genes, please",Genes?'])
    {'case': ['fold', 'exact'], 'prompt': ['Find genes, please', 'Genes?']}
    """
    factors: dict[str, list[str]] = {}
    for text in given:
        name, values = split_pair(text, "--vary", "NAME=a,b,c", keep_white_space=True)
        if name in factors:
            raise InputError(f"option {name} is varied twice; give all its values together", found=text)
        factors[name] = next(csv.reader([values], strict=False), [])
    return factors


def run_repeatedly(run_once: Callable[[int, Path], Run], out: Path, times: int) -> Run:
    """Run `times` repetitions, and record their number in ``run.toml``.

    Each repetition is a separate run: it can be resumed, and has its own key in the cache.

    Parameters
    ----------
    run_once : callable
        Function that takes the number (from 1) and folder of a repetition. It runs the repetition, or reads
        it if it is finished.
    out : Path
        The run folder.
    times : int
        Number of repetitions.

    Returns
    -------
    Run
        The first repetition.

    Raises
    ------
    InputError
        If `times` is out of range or a repetition fails.
    """
    from .folder.run_file import RUN_FILE
    from .folder.runs import read_run

    if not 1 <= times <= MAX_REPETITIONS:
        raise InputError(
            "the number of repetitions (times) is out of range",
            found=times,
            allowed=f"1 to {MAX_REPETITIONS}",
        )
    first = run_once(1, out)
    for number in range(2, times + 1):
        run_once(number, out / REPEATS_FOLDER / str(number))
    table = {"times": times}
    if times == 1 or first.meta.get("repeats") == table:
        return first
    with atomic_text(out / RUN_FILE, durable=True) as stream:
        stream.write(write_toml({**first.meta, "repeats": table}))
    return read_run(out)


def read_repetitions(run: Run) -> list[Run]:
    """Return all repetitions of a run, beginning with the run itself.

    Raises
    ------
    InputError
        If a repetition is missing or unfinished, or its tagger or input differs from that of the run.
    """
    from .folder.runs import read_run

    repetitions = [run]
    for number in range(2, run.times + 1):
        other = read_run(run.folder / REPEATS_FOLDER / str(number))
        for part, key in (("tagger", "label"), ("input", "input_digest")):
            if other.meta["run"].get(key) != run.meta["run"].get(key) or other.signature != run.signature:
                raise InputError(
                    f"the {part} of the repetition ({other.meta['run'].get(key)}) differs from that of the "
                    f"run ({run.meta['run'].get(key)}); repeat the command with --force",
                    file=other.folder,
                )
        repetitions.append(other)
    return repetitions
