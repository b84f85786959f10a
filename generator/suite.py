"""Writing of suite folders, which contain the texts, the tables and the recipe of a suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import digest_bytes, digest_file
from ..catalogues.core.output_folder import atomic_folder
from ..catalogues.core.version import __version__
from ..catalogues.taxonomy import taxonomy
from ..sentences.suite_file import SUITE_FILE
from ..sentences.suites import (
    CASES_FILE,
    CONTENT_DIGEST_KEY,
    ENTITIES_FILE,
    GOLD_FILE,
    MENTIONS_FILE,
    RAW_FILE,
    SLOTS_FILE,
)
from .cases import Cases, join_small_blocks
from .material import Material
from .recipe import DEFAULT_MAX_CASES, SuiteRecipe, SuiteRecord
from .recipe_file import format_recipe
from .sources import list_corpora
from .suite_plan import SuitePlan, plan_suite_parts
from .writing.case_texts import CaseTextWriter
from .writing.tables import open_tables

DATA_FILES = (RAW_FILE, GOLD_FILE, CASES_FILE, MENTIONS_FILE, ENTITIES_FILE, SLOTS_FILE)
MIN_NAMES = 20
"""Minimum effective number of names; a warning appears if a suite has fewer."""


def effective_number(counts: ArrayLike) -> float:
    """Return the effective number of values, 1 / Σ share².

    It is the number of equally frequent values that would have the same sum of squared shares.

    Examples
    --------
    >>> effective_number([5, 5, 5]), effective_number([98, 1, 1]), effective_number([])
    (3.0, 1.0, 0.0)
    """
    numbers = np.asarray(counts, dtype=float)
    squares = float((numbers**2).sum())
    return round(float(numbers.sum()) ** 2 / squares, 1) if squares else 0.0


def write_blocks(
    folder: Path, material: Material, blocks: Iterable[Cases], progress: Callable[[int], object] | None = None
) -> SuiteRecord:
    """Write the data files of a suite, and return a record with counts and the checksum of the tables.

    Parameters
    ----------
    folder : Path
        Existing folder in which the files are written.
    material : Material
        Material from which the cases are made.
    blocks : iterable of Cases
        Blocks of cases, in order.
    progress : callable, optional
        Called after each block with the number of cases in this block.
    """
    assemble = CaseTextWriter(material)
    by_part: Counter[int] = Counter()
    pairs = 0
    names, contexts = (np.zeros(n, dtype=np.int64) for n in (len(material.fillers), len(material.contexts)))
    with (
        (folder / RAW_FILE).open("wb") as raw,
        (folder / GOLD_FILE).open("wb") as gold,
        open_tables(folder, material) as tables,
    ):
        for cases in join_small_blocks(blocks):
            block = assemble(cases)
            raw.write(block.raw)
            gold.write(block.gold)
            tables.add(cases, block)
            by_part[cases.part] += len(cases)
            gold_names = material.form_code[cases.fillers[material.gold[cases.fillers]]]
            names += np.bincount(gold_names, minlength=len(names))
            contexts += np.bincount(cases.context, minlength=len(contexts))
            if cases.pair is not None:
                pairs += len(np.unique(cases.pair[cases.pair >= 0]))
            if progress is not None:
                progress(len(cases))
    counts: dict[str, int | float] = {f"part-{part + 1}": cases for part, cases in sorted(by_part.items())}
    if pairs:
        counts["pairs"] = pairs
    counts |= {"effective_names": effective_number(names), "effective_contexts": effective_number(contexts)}
    return SuiteRecord(
        tables.cases, tables.mentions, counts=counts, digests={CONTENT_DIGEST_KEY: tables.content.digest()}
    )


def write_suite(
    plan: SuitePlan,
    out: str | PathLike[str],
    *,
    force: bool = False,
    max_cases: int = DEFAULT_MAX_CASES,
    progress: Callable[[int], object] | None = None,
) -> SuiteRecord:
    """Write a planned suite into a folder; return the record of the suite.

    The signature depends on the texts and on the content of the tables, not on the bytes of the Parquet
    files, which can change with the version of the Parquet library.

    Raises
    ------
    InputError
        If the suite has no cases or more than `max_cases` cases, or the folder cannot be replaced (see
        `atomic_folder`).
    """
    if plan.case_count > max_cases:
        raise InputError(
            "the suite would have too many cases; use narrower queries or raise max_cases",
            found=plan.size_text,
            allowed=f"at most {max_cases:,}",
        )
    if plan.case_count == 0:
        raise InputError("the suite would have no cases; use wider queries")
    with atomic_folder(out, "suite", force=force, inputs=plan.inputs) as folder:
        made = write_blocks(
            folder, plan.material, chain.from_iterable(p.blocks() for p in plan.parts), progress
        )
        digests = {name: digest_file(folder / name) for name in DATA_FILES}
        parts = digests[RAW_FILE], digests[GOLD_FILE], made.digests[CONTENT_DIGEST_KEY]
        content = digest_bytes(*(digest.encode() for digest in parts))
        made = replace(
            made,
            combine="+".join(dict.fromkeys(p.combine for p in plan.recipe.parts)),
            taxonomy=taxonomy().files,
            tagsuite=__version__,
            signature=f"suite:{content[:12]}",
            digests={**plan.sources.digests, CONTENT_DIGEST_KEY: content, **digests},
            sources=list_corpora(plan.material, (p.space for p in plan.parts)),
            warning=_warn_of_few_names(plan, made),
        )
        name = plan.recipe.suite.name or Path(out).resolve().name
        recipe = replace(
            plan.recipe,
            parts=tuple(part.options for part in plan.parts),
            suite=replace(plan.recipe.suite, name=name),
            record=made,
        )
        (folder / SUITE_FILE).write_text(format_recipe(recipe), encoding="utf-8", newline="\n")
    return made


def _warn_of_few_names(plan: SuitePlan, made: SuiteRecord) -> str:
    """Return a warning if the cases have few different names, and "" otherwise."""
    pools = [pool for part in plan.parts for pool in part.space.distinct_pools]
    usable = len(np.unique(plan.material.form_code[np.concatenate(pools)])) if pools else 0
    names, with_entity = made.counts["effective_names"], min(made.cases, made.mentions)
    if names >= min(with_entity, usable) / 2 and (names >= MIN_NAMES or with_entity < MIN_NAMES):
        return ""
    return (
        f"warning: the suite uses few names: {usable:,} names fit, but their effective number is {names:,} "
        "(1 / Σ share²). Results will depend more on these names than on their class"
    )


def generate(
    recipe: SuiteRecipe,
    out: str | PathLike[str],
    *,
    recipe_folder: Path | None = None,
    force: bool = False,
    max_cases: int = DEFAULT_MAX_CASES,
    progress: Callable[[int], object] | None = None,
) -> SuiteRecord:
    """Generate a suite folder from a recipe.

    Files that the recipe names are looked up in the current folder and in `recipe_folder`.

    Examples
    --------
    >>> from tagsuite.generator.part_options import PartOptions
    >>> from tagsuite.generator.recipe import SuiteRecipe
    >>> recipe = SuiteRecipe((PartOptions(entities="case = upper", combine="sample", size=100),))
    >>> record = generate(recipe, "out/upper")  # doctest: +SKIP
    """
    plan = plan_suite_parts(recipe, recipe_folder, max_cases=max_cases)
    return write_suite(plan, out, force=force, max_cases=max_cases, progress=progress)
