"""The suite folder: texts and tables, written block by block, and the recipe that rebuilds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import digest_bytes, digest_file
from ..catalogues.core.output_folder import atomic_folder
from ..catalogues.core.version import __version__
from ..sentences.suite_file import META
from ..sentences.suites import CASES, CONTENT, ENTITIES, GOLD, MENTIONS, RAW, SLOTS
from .cases import Cases, gathered
from .effective import effective_number, warn_of_few_names
from .material import Material
from .origins import sources_of
from .plan import Plan, make_plan
from .recipe import DEFAULT_MAX_CASES, Made, SuiteRecipe
from .recipe_file import write_recipe
from .writing.case_texts import CaseTextWriter
from .writing.tables import SuiteTables

DATA_FILES = (RAW, GOLD, CASES, MENTIONS, ENTITIES, SLOTS)


@dataclass(frozen=True)
class Counts:
    """What was written.

    Attributes
    ----------
    cases, mentions : int
        How many in all.
    by_part : dict of int to int
        Cases of each part.
    pairs : int
        How many minimal pairs.
    content : str
        The digest of what the tables hold.
    effective_names, effective_contexts : float
        The effective numbers of gold names and of contexts.
    warning : str
        What to tell the user when the suite rests on few names.
    """

    cases: int
    mentions: int
    by_part: dict[int, int]
    pairs: int = 0
    content: str = ""
    effective_names: float = 0.0
    effective_contexts: float = 0.0
    warning: str = ""


def write_blocks(
    folder: Path, material: Material, blocks: Iterable[Cases], progress: Callable[[int], None] | None = None
) -> Counts:
    """Write the data files of a suite.

    Parameters
    ----------
    folder : Path
        An existing folder.
    material : Material
        What the cases are made from.
    blocks : iterable of Cases
        The cases, in order.
    progress : callable, optional
        Called with the number of cases of each block when it is written.
    """
    assemble = CaseTextWriter(material)
    by_part: Counter[int] = Counter()
    pairs = 0
    names, contexts = (np.zeros(n, dtype=np.int64) for n in (len(material.fillers), len(material.contexts)))
    with (
        (folder / RAW).open("wb") as raw,
        (folder / GOLD).open("wb") as gold,
        SuiteTables(folder, material) as tables,
    ):
        for cases in gathered(blocks):
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
    return Counts(
        tables.cases,
        tables.mentions,
        dict(by_part),
        pairs,
        tables.content.digest(),
        effective_number(names),
        effective_number(contexts),
    )


def write_suite(
    plan: Plan,
    out: str | PathLike[str],
    *,
    force: bool = False,
    max_cases: int = DEFAULT_MAX_CASES,
    progress: Callable[[int], None] | None = None,
) -> Counts:
    """Write the suite of a plan.

    Raises
    ------
    InputError
        When it has more than `max_cases` cases (the error has the number) or none, or the folder may not be
        written (see `atomic_folder`).
    """
    if plan.cases > max_cases:
        raise InputError(
            "more cases than allowed", found=f"{plan.cases:,}", allowed=f"at most {max_cases:,} (--max-cases)"
        )
    if plan.cases == 0:
        raise InputError("the suite would have no cases", allowed="a wider query")
    with atomic_folder(out, "suite", force=force, inputs=plan.inputs) as folder:
        counts = write_blocks(
            folder, plan.material, chain.from_iterable(p.blocks() for p in plan.parts), progress
        )
        warning = warn_of_few_names(plan, counts.effective_names, min(counts.cases, counts.mentions))
        counts = replace(counts, warning=warning)
        digests = {name: digest_file(folder / name) for name in DATA_FILES}
        name = plan.recipe.suite.name or Path(out).resolve().name
        recipe = replace(
            plan.recipe,
            parts=tuple(part.options for part in plan.parts),
            suite=replace(plan.recipe.suite, name=name),
            made=made_of(plan, counts, digests),
        )
        (folder / META).write_text(write_recipe(recipe), encoding="utf-8", newline="\n")
    return counts


def made_of(plan: Plan, counts: Counts, digests: dict[str, str]) -> Made:
    """What was made: counts, digests, version and signature.

    The signature follows from the texts and from what the tables hold, not from the tables' bytes, which
    another version of the library that writes them would change.
    """
    whole = digest_bytes(*(part.encode() for part in (digests[RAW], digests[GOLD], counts.content)))
    numbers: dict[str, int | float] = {
        f"part-{number + 1}": cases for number, cases in sorted(counts.by_part.items())
    }
    if counts.pairs:
        numbers["pairs"] = counts.pairs
    numbers |= {"effective_names": counts.effective_names, "effective_contexts": counts.effective_contexts}
    return Made(
        cases=counts.cases,
        mentions=counts.mentions,
        combine="+".join(dict.fromkeys(p.combine for p in plan.recipe.parts)),
        tagsuite=__version__,
        signature=f"suite:{whole[:12]}",
        counts=numbers,
        digests={**plan.sources.digests, CONTENT: whole, **digests},
        sources=sources_of(plan.material, (p.space for p in plan.parts)),
    )


def generate(
    recipe: SuiteRecipe,
    out: str | PathLike[str],
    *,
    beside: Path | None = None,
    force: bool = False,
    max_cases: int = DEFAULT_MAX_CASES,
    progress: Callable[[int], None] | None = None,
) -> Counts:
    """Make a suite folder from a recipe; files that it names are looked for in `beside` too.

    Examples
    --------
    >>> from tagsuite.generator.recipe import PartOptions, SuiteRecipe
    >>> recipe = SuiteRecipe((PartOptions(entities="case = upper", combine="sample", size=100),))
    >>> counts = generate(recipe, "out/upper")  # doctest: +SKIP
    """
    return write_suite(make_plan(recipe, beside), out, force=force, max_cases=max_cases, progress=progress)
