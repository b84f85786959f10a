"""Repetitions of a run: the run folder is the first, ``repeats/2``, ``repeats/3`` … in it are the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text
from ...catalogues.core.tables import say
from ...catalogues.core.toml import write_toml
from .folder.runs import META, Run, read_run
from .repeat_options import MOST_TIMES

FOLDER = "repeats"

Once = Callable[[int, Path], Run]
"""Runs one repetition into a folder; what is finished there is read."""
Enough = Callable[[Sequence[Run]], str]
"""Whether some repetitions are enough: why, or nothing."""


def repeat_folder(out: Path, number: int) -> Path:
    """Where a repetition stands, counted from 1."""
    return out if number == 1 else out / FOLDER / str(number)


def run_times(once: Once, out: Path, times: int, enough: Enough | None = None) -> Run:
    """Run `times` repetitions, or fewer where they are enough before; run.toml of `out` says how many.

    Each is a run of its own, which resumes and has a key of its own in the cache.

    Parameters
    ----------
    once : callable
        Runs one repetition into its folder.
    out : Path
        The run folder.
    times : int
        Repetitions at most.
    enough : callable, optional
        Asked after each repetition but the last.

    Raises
    ------
    InputError
        When the number is out of range; whatever `once` raises.
    """
    if not 1 <= times <= MOST_TIMES:
        raise InputError("repetitions (times) are out of range", found=times, allowed=f"1 to {MOST_TIMES}")
    done = [once(1, out)]
    said = ""
    while len(done) < times and not said:
        number = len(done) + 1
        done.append(once(number, repeat_folder(out, number)))
        if enough is not None and len(done) < times:
            said = enough(done)
    first = done[0]
    if enough is not None and not said:
        said = f"all {times} repetitions were run: none of the looks before found the interval narrow enough"
    if said:
        say(f"tagsuite: {said}")
    table = {"times": len(done), **({"said": said} if said else {})}
    if times == 1 or first.meta.get("repeats") == table:
        return first
    with atomic_text(out / META, durable=True) as stream:
        stream.write(
            write_toml({**{k: v for k, v in first.meta.items() if k != "repeats"}, "repeats": table})
        )
    return read_run(out)


def repetitions(run: Run) -> list[Run]:
    """All repetitions of a run, itself first.

    Raises
    ------
    InputError
        When one is missing, unfinished, or of another tagger or input.
    """
    found = [run]
    for number in range(2, run.times + 1):
        other = read_run(repeat_folder(run.folder, number))
        for what, key in (("tagger", "label"), ("input", "input_digest")):
            if other.meta["run"].get(key) != run.meta["run"].get(key) or other.signature != run.signature:
                raise InputError(
                    f"the repetition is of another {what}",
                    file=other.folder,
                    found=str(other.meta["run"].get(key)),
                    allowed=f"{run.meta['run'].get(key)}; the same `tagsuite run` with --force",
                )
        found.append(other)
    return found
