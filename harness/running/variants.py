"""Variants of a tagger: one run per combination of option values, in the subfolder ``variants``."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from pydantic import Field

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import atomic_text, digest_bytes
from ...catalogues.core.output_folder import claim_folder
from ...catalogues.core.settings import Settings, load_settings
from ...catalogues.core.toml import write_toml
from .folder.runs import Run, read_run
from .repeats import RepeatOptions, run_repeatedly
from .tagger import Tagger

VARIANTS_FOLDER = "variants"
VARIANTS_FILE = "variants.toml"
MAX_VARIANTS = 1000
"""Maximum number of variants of one tagger."""
MAX_VALUE_LENGTH = 60
"""Maximum length of a value in a folder name; a longer value is cut, and a checksum is added."""


class _VariantsFile(Settings):
    format: Literal[1]
    factors: dict[str, list[str]] = Field(min_length=1)


@dataclass(frozen=True)
class Variant:
    """Combination of option values, and the run with these values."""

    levels: Mapping[str, str]
    run: Run


def make_combinations(
    factors: Mapping[str, Sequence[Any]], fixed_options: Collection[str]
) -> list[dict[str, Any]]:
    """Return all combinations of option values, in order.

    Raises
    ------
    InputError
        If an option has fewer than two values, a repeated value or a fixed value, or if there are too many
        combinations.
    """
    for name, values in factors.items():
        texts = list(map(str, values))
        if len(texts) < 2 or len(set(texts)) < len(texts):
            raise InputError(f"option {name} needs at least two values, all different", found=",".join(texts))
        if name in fixed_options:
            raise InputError(f"option {name} is both varied and fixed; give either one value or several")
    number = math.prod(map(len, factors.values()))
    if not factors or number > MAX_VARIANTS:
        raise InputError(
            "the number of variants is out of range", found=number, allowed=f"2 to {MAX_VARIANTS}"
        )
    return [dict(zip(factors, values, strict=True)) for values in product(*factors.values())]


def make_variant_name(levels: Mapping[str, Any]) -> str:
    """Return the folder name of a variant.

    Examples
    --------
    >>> make_variant_name({"case": "fold", "list": "a/b.txt"})
    'case=fold+list=a%2Fb.txt'
    """
    return "+".join(f"{name}={_shorten_value(str(value))}" for name, value in levels.items())


def _shorten_value(value: str) -> str:
    quoted = quote(value, safe=" ")
    if len(quoted) <= MAX_VALUE_LENGTH:
        return quoted
    return f"{quoted[:MAX_VALUE_LENGTH]}~{digest_bytes(value.encode())[:12]}"


def run_variants(
    prepare_tagger: Callable[[Mapping[str, Any]], Tagger],
    out: Path,
    options: RepeatOptions,
    fixed_options: Mapping[str, Any],
    run_once: Callable[[Tagger, int, Path], Run],
) -> list[Variant]:
    """Run a tagger with each combination of option values, and repeat each run.

    Parameters
    ----------
    prepare_tagger : callable
        Function that returns the tagger with the given options.
    out : Path
        The run folder. If options are varied, the runs are written to its subfolders
        ``variants/NAME=VALUE``, and ``variants.toml`` is written after the last run.
    options : RepeatOptions
        Number of repetitions and varied options.
    fixed_options : mapping
        Options of the tagger that have the same value in all runs.
    run_once : callable
        Function that takes the tagger, number and folder of a repetition. It runs the repetition, or reads
        it if it is finished.

    Returns
    -------
    list of Variant
        All variants. If no option is varied, the only variant has no option values.

    Raises
    ------
    InputError
        If the variants are invalid, or a run fails.
    """
    if not options.vary:
        once = partial(run_once, prepare_tagger(fixed_options))
        return [Variant({}, run_repeatedly(once, out, options.times))]
    combinations = make_combinations(options.vary, fixed_options)
    # all variants are prepared before the first one runs
    taggers = [prepare_tagger({**fixed_options, **levels}) for levels in combinations]
    with claim_folder(out, "variants of a run"):
        variants = []
        for levels, tagger in zip(combinations, taggers, strict=True):
            folder = out / VARIANTS_FOLDER / make_variant_name(levels)
            done = run_repeatedly(partial(run_once, tagger), folder, options.times)
            variants.append(Variant({name: str(value) for name, value in levels.items()}, done))
        factors = {name: [str(value) for value in values] for name, values in options.vary.items()}
        with atomic_text(out / VARIANTS_FILE, durable=True) as stream:
            stream.write(write_toml({"format": 1, "factors": factors}))
    return variants


def has_variants(folder: Path) -> bool:
    """Return True if the folder contains finished variants."""
    return (folder / VARIANTS_FILE).is_file()


def list_run_folders(folder: Path) -> list[Path]:
    """Return the run folders of all variants in a folder, or the folder itself if it has no variants."""
    return [v.run.folder for v in read_variants(folder)[1]] if has_variants(folder) else [folder]


def read_variants(folder: Path) -> tuple[dict[str, list[str]], list[Variant]]:
    """Read a run folder; return the values of its varied options, and its variants.

    Raises
    ------
    InputError
        If the folder has no variants, or a variant is missing or unfinished.
    """
    if not has_variants(folder):
        is_unfinished = (folder / VARIANTS_FOLDER).is_dir()
        raise InputError(
            "the variants are unfinished; run the same `tagsuite run --vary` command again"
            if is_unfinished
            else "the folder has no variants; give a folder that `tagsuite run --vary` wrote",
            file=folder,
        )
    factors = load_settings(folder / VARIANTS_FILE, _VariantsFile).factors
    return factors, [
        Variant(levels, read_run(folder / VARIANTS_FOLDER / make_variant_name(levels)))
        for levels in make_combinations(factors, {})
    ]
