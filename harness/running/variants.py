"""Variants of a tagger: a run for each combination of some options' values, in ``variants/`` of a folder."""

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
"""Variants of one tagger."""
MAX_VALUE_LENGTH = 60
"""Signs of a value in a folder's name; of longer ones a digest tells the rest."""

Factors = Mapping[str, Sequence[str]]
"""The values of each option that is varied."""


class _VariantsFile(Settings):
    format: Literal[1]
    factors: dict[str, list[str]] = Field(min_length=1)


@dataclass(frozen=True)
class Variant:
    """One combination of values, and its run."""

    levels: Mapping[str, str]
    run: Run


def make_combinations(factors: Factors, fixed_options: Collection[str]) -> list[dict[str, str]]:
    """All combinations of values, in order.

    Raises
    ------
    InputError
        When an option has fewer than two values or one twice, is given besides, or there are too many.
    """
    for name, values in factors.items():
        if len(values) < 2 or len(set(values)) < len(values):
            raise InputError(
                f"the option {name} does not vary",
                found=",".join(values),
                allowed="two different values or more",
            )
        if name in fixed_options:
            raise InputError(f"the option {name} is varied and given", allowed="--vary or --option, not both")
    number = math.prod(map(len, factors.values()))
    if not factors or number > MAX_VARIANTS:
        raise InputError(
            "the number of variants is out of range", found=number, allowed=f"2 to {MAX_VARIANTS}"
        )
    return [dict(zip(factors, values, strict=True)) for values in product(*factors.values())]


def make_variant_name(levels: Mapping[str, str]) -> str:
    """The name of a variant's folder.

    Examples
    --------
    >>> variant_name({"case": "fold", "list": "a/b.txt"})
    'case=fold+list=a%2Fb.txt'
    """
    return "+".join(f"{name}={_shorten_value(value)}" for name, value in levels.items())


def _shorten_value(value: str) -> str:
    quoted = quote(value, safe=" ")
    return (
        quoted
        if len(quoted) <= MAX_VALUE_LENGTH
        else f"{quoted[:MAX_VALUE_LENGTH]}~{digest_bytes(value.encode())[:12]}"
    )


def run_variants(
    prepare_tagger: Callable[[Mapping[str, Any]], Tagger],
    out: Path,
    options: RepeatOptions,
    fixed_options: Mapping[str, Any],
    run_once: Callable[[Tagger, int, Path], Run],
) -> list[Variant]:
    """Run a tagger as often as asked, with each combination of the values of the options that are varied.

    Parameters
    ----------
    prepare_tagger : callable
        Makes the tagger ready with some options.
    out : Path
        The run folder. Where options vary, it gets ``variants/NAME=VALUE``, and ``variants.toml`` when all
        are finished.
    options : RepeatOptions
    fixed_options : mapping
        The tagger's options that do not vary.
    run_once : callable
        Runs one repetition of a tagger into a folder; what is finished there is read.

    Returns
    -------
    list of Variant
        One without levels where nothing varies.

    Raises
    ------
    InputError
        When the options do not vary; whatever `run_program` raises.
    """
    if not options.vary:
        return [
            Variant({}, run_repeatedly(partial(run_once, prepare_tagger(fixed_options)), out, options.times))
        ]
    texts = {name: {str(value): value for value in values} for name, values in options.vary.items()}
    factors = {name: [str(value) for value in values] for name, values in options.vary.items()}
    chosen = make_combinations(factors, fixed_options)
    # all variants are made ready before the first is run
    taggers = [
        prepare_tagger({**fixed_options, **{name: texts[name][text] for name, text in c.items()}})
        for c in chosen
    ]
    with claim_folder(out, "variants of a run"):
        found = [
            Variant(
                levels,
                run_repeatedly(
                    partial(run_once, tagger),
                    out / VARIANTS_FOLDER / make_variant_name(levels),
                    options.times,
                ),
            )
            for levels, tagger in zip(chosen, taggers, strict=True)
        ]
        with atomic_text(out / VARIANTS_FILE, durable=True) as stream:
            stream.write(write_toml({"format": 1, "factors": factors}))
    return found


def has_variants(folder: Path) -> bool:
    """Whether a folder holds finished variants."""
    return (folder / VARIANTS_FILE).is_file()


def list_run_folders(folder: Path) -> list[Path]:
    """The run folders of a folder of variants; of any other, itself."""
    return [v.run.folder for v in read_variants(folder)[1]] if has_variants(folder) else [folder]


def read_variants(folder: Path) -> tuple[dict[str, list[str]], list[Variant]]:
    """The factors of a folder of variants, and the variants.

    Raises
    ------
    InputError
        When it is none, or a variant is missing or unfinished.
    """
    if not has_variants(folder):
        begun = (folder / VARIANTS_FOLDER).is_dir()
        raise InputError(
            "the variants are unfinished" if begun else "no folder of variants",
            file=folder,
            allowed="the same `tagsuite run --vary` again" if begun else "what `tagsuite run --vary` wrote",
        )
    factors = load_settings(folder / VARIANTS_FILE, _VariantsFile).factors
    return factors, [
        Variant(levels, read_run(folder / VARIANTS_FOLDER / make_variant_name(levels)))
        for levels in make_combinations(factors, {})
    ]
