"""The suite folder: texts and tables, written block by block, and the recipe that rebuilds them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from types import TracebackType

import numpy as np

from ..catalogues.core.errors import InputError
from ..catalogues.core.files import atomic_folder, digest_bytes, digest_file
from ..catalogues.core.version import __version__
from ..sentences.suite_file import META
from ..sentences.suites import CASES, CONTENT, ENTITIES, GOLD, MENTIONS, RAW, SLOTS
from .case_texts import Cases, CaseTextWriter
from .material import Material
from .origins import sources_of
from .plan import Plan, make_plan
from .recipe import DEFAULT_MAX_CASES, Made, SuiteRecipe
from .recipe_file import write_recipe
from .tables import SuiteTables

DATA_FILES = (RAW, GOLD, CASES, MENTIONS, ENTITIES, SLOTS)
ENOUGH = 1 << 17
"""Cases and mentions that a block has at least, so that it is worth its overhead."""


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
    """

    cases: int
    mentions: int
    by_part: dict[int, int]
    pairs: int = 0
    content: str = ""


class SuiteWriter:
    """Writes the data files of a suite into a folder.

    Parameters
    ----------
    folder : Path
        An existing folder.
    material : Material
        What the cases are made from.
    """

    def __init__(self, folder: Path, material: Material) -> None:
        self.material = material
        self._assemble = CaseTextWriter(material)
        self._stack = contextlib.ExitStack()
        self._raw = self._stack.enter_context((folder / RAW).open("wb"))
        self._gold = self._stack.enter_context((folder / GOLD).open("wb"))
        self._tables = SuiteTables(folder, material)
        self._parts: dict[int, int] = {}
        self._pairs = 0

    def __enter__(self) -> SuiteWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tables.close(whole=kind is None)
        self._stack.close()

    def add(self, cases: Cases) -> None:
        """Write a block."""
        block = self._assemble(cases)
        self._raw.write(block.raw)
        self._gold.write(block.gold)
        self._tables.add(cases, block)
        self._parts[cases.part] = self._parts.get(cases.part, 0) + len(cases)
        if cases.pair is not None:
            self._pairs += len(np.unique(cases.pair[cases.pair >= 0]))

    @property
    def counts(self) -> Counts:
        """What was written so far."""
        tables = self._tables
        return Counts(tables.cases, tables.mentions, dict(self._parts), self._pairs, tables.content.digest())


def write_blocks(
    folder: Path, material: Material, blocks: Iterable[Cases], progress: Callable[[int], None] | None = None
) -> Counts:
    """Write all blocks into a folder.

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
    with SuiteWriter(folder, material) as writer:
        for block in gathered(blocks):
            writer.add(block)
            if progress is not None:
                progress(len(block))
        counted = writer
    return counted.counts


def gathered(blocks: Iterable[Cases]) -> Iterator[Cases]:
    """Join neighbouring blocks of the same part until they are large enough to be worth their overhead."""
    held: list[Cases] = []
    size = 0
    for block in blocks:
        if not len(block):
            continue
        weight = len(block) + len(block.fillers)
        if held and (held[0].part != block.part or weight >= ENOUGH):
            yield _joined(held)
            held, size = [], 0
        held.append(block)
        size += weight
        if size >= ENOUGH:
            yield _joined(held)
            held, size = [], 0
    if held:
        yield _joined(held)


def _joined(blocks: list[Cases]) -> Cases:
    if len(blocks) == 1:
        return blocks[0]
    pair = contrast = None
    if any(b.pair is not None for b in blocks):
        pair = np.concatenate(
            [np.full(len(b), -1, dtype=np.int64) if b.pair is None else b.pair for b in blocks]
        )
    if any(b.contrast is not None for b in blocks):
        contrast = np.concatenate(
            [
                np.full(len(b.fillers), -1, dtype=np.int32) if b.contrast is None else b.contrast
                for b in blocks
            ]
        )
    return Cases(
        np.concatenate([b.context for b in blocks]),
        np.concatenate([b.fillers for b in blocks]),
        blocks[0].part,
        pair,
        contrast,
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
        When it has more than `max_cases` cases (the error has the number), none, or the folder is not empty.
    """
    if plan.cases > max_cases:
        raise InputError(
            "more cases than allowed", found=f"{plan.cases:,}", allowed=f"at most {max_cases:,} (--max-cases)"
        )
    if plan.cases == 0:
        raise InputError("the suite would have no cases", allowed="a wider query")
    with atomic_folder(out, force=force) as folder:
        counts = write_blocks(
            folder, plan.material, chain.from_iterable(p.blocks() for p in plan.parts), progress
        )
        digests = {name: digest_file(folder / name) for name in DATA_FILES}
        name = plan.recipe.suite.name or Path(out).resolve().name
        recipe = replace(
            plan.recipe, suite=replace(plan.recipe.suite, name=name), made=made_of(plan, counts, digests)
        )
        (folder / META).write_text(write_recipe(recipe), encoding="utf-8", newline="\n")
    return counts


def made_of(plan: Plan, counts: Counts, digests: dict[str, str]) -> Made:
    """What was made: counts, digests, version and signature.

    The signature follows from the texts and from what the tables hold, not from the tables' bytes, which
    another version of the library that writes them would change.
    """
    whole = digest_bytes(*(part.encode() for part in (digests[RAW], digests[GOLD], counts.content)))
    numbers = {f"part-{number + 1}": cases for number, cases in sorted(counts.by_part.items())}
    if counts.pairs:
        numbers["pairs"] = counts.pairs
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
