"""What a suite is made from: each option declared once.

The command ``generate``, the function of that name, the tables of recipes (``suite.toml``) and of study
files, the checks and what a suite records of itself come from here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..catalogues.core.errors import InputError
from ..catalogues.core.options import Option, Options, get_declared_options, parse_pairs

if TYPE_CHECKING:
    from ..catalogues.taxonomy import Feature

Combine = Literal["sample", "product", "tway", "zip", "each", "contrast"]
Fill = Literal["draw", "product"]
Appositives = Literal["own", "prefer", "any"]
Fillers = Literal["fitting", "any"]
Attested = Literal["first", "any"]

DEFAULT_MAX_CASES = 1_000_000
DEFAULT_SIZE = 1_000
"""Cases of a sample of which no size is given, where there are as many."""
SCOPES = ("entity", "context", "slot")
"""Whose features a case has: what may be asked of it, and what it may be divided by."""


def _set_fields(options: Options, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(options, name, value)


def _name_file(file: str | os.PathLike[str]) -> str:
    """A file as a recipe names it: a text stays as it is."""
    return file if isinstance(file, str) else Path(file).as_posix()


def _split_count(given: Any, option: str, number: str, what: str) -> dict[str, Any]:
    """The fields of a number and of what it is for, which may be given as NUMBER=QUERY."""
    if isinstance(given, Options):
        return given.to_table()
    if isinstance(given, Mapping):
        return dict(given)
    count, equals, query = str(given).partition("=")
    if not equals or not count.strip().isdigit() or not query.strip():
        raise InputError(f"{option} needs a number and a query", found=given, allowed="NUMBER=QUERY")
    return {what: query.strip(), number: int(count)}


@dataclass(frozen=True)
class Weight(Options):
    """How often cases that a query selects are repeated."""

    query: Annotated[str, Option("Which cases.")]
    times: Annotated[int, Option("How often.", label="weight", minimum=0)]


@dataclass(frozen=True)
class CaseLimit(Options):
    """No more than so many cases for a query, or for each value of a feature."""

    of: Annotated[str, Option("A query or a feature.")]
    cases: Annotated[int, Option("How many.", label="number of cases", minimum=1)]

    @property
    def feature(self) -> Feature | None:
        """The feature whose values are limited; None where it is a query."""
        from ..catalogues.taxonomy import taxonomy

        try:
            return taxonomy().find(self.of, SCOPES)
        except InputError:
            return None


@dataclass(frozen=True)
class Share(Options):
    """The share of a combination of feature values in a sample."""

    values: Annotated[tuple[str, ...], Option("One of each feature in `stratify`.")]
    weight: Annotated[float, Option("How much of the sample, beside the others'.", minimum=0)]


_OPTION_USES: dict[str, tuple[Combine, ...]] = {
    "size": ("sample", "contrast"),
    "stratify": ("sample",),
    "target": ("sample",),
    "shares": ("sample",),
    "times": ("tway",),
    "limit": ("tway",),
    "contrast": ("contrast",),
    "attested": ("sample", "tway"),
}
"""What only some ways to combine look at."""


@dataclass(frozen=True)
class PartOptions(Options):
    """One part of a suite: what is chosen and how it is combined; see ``docs/reference/suites.md``.

    Attributes
    ----------
    slots : mapping of str to str
        Queries by the place of a slot (1, 2, …); may be given as ``PLACE=QUERY`` texts.
    weights, max_per
        May be given as ``TIMES=QUERY`` and ``N=QUERY`` texts, or as mappings with the keys of `Weight` and
        `CaseLimit`.
    """

    name: Annotated[str, Option("The part's name.")] = ""
    entities: Annotated[str, Option("Query that selects entities.")] = "all"
    contexts: Annotated[str, Option("Query that selects contexts, and slots in them.")] = "all"
    look_alikes: Annotated[
        str, Option("Query that selects look-alikes to put into slots as non-entities.")
    ] = ""
    combine: Annotated[
        Combine, Option("sample, product, tway, zip, each or contrast.", label="way to combine")
    ] = "sample"
    fill: Annotated[
        Fill,
        Option(
            "Other slots of a sentence: draw (seeded), or product (all of them in turn).", label="way to fill"
        ),
    ] = "draw"
    size: Annotated[
        int | None,
        Option(
            "Cases of a sample (1,000 when not given, or all if there are fewer), or pairs of a contrast.",
            minimum=1,
        ),
    ] = None
    stratify: Annotated[
        tuple[str, ...], Option("sample: share the cases out over this feature's values.")
    ] = ()
    target: Annotated[
        str,
        Option("sample: shares of the strata as in a corpus (FORMAT:PATH), 'uniform' or 'proportional'."),
    ] = ""
    shares: Annotated[tuple[Share, ...], Option("sample: shares of the strata.")] = ()
    t: Annotated[
        int | None,
        Option(
            "tway: how many features are combined (2 when not given).", minimum=1, maximum=6, shows_range=True
        ),
    ] = None
    times: Annotated[
        int, Option("tway: how often each combination occurs at least.", label="number of times", minimum=1)
    ] = 1
    limit: Annotated[
        int | None, Option("tway: no more than the best so many cases.", label="limit of cases", minimum=1)
    ] = None
    features: Annotated[
        tuple[str, ...],
        Option("tway and --verify: a feature to combine; all closed ones when not given.", flag="--feature"),
    ] = ()
    contrast: Annotated[
        tuple[str, ...], Option("contrast: the feature that the cases of a pair differ in.")
    ] = ()
    slots: Annotated[
        Mapping[str, str], Option("PLACE=QUERY: who may stand in a slot (1, 2, …).", flag="--slot")
    ] = field(default_factory=dict)
    appositives: Annotated[
        Appositives,
        Option(
            "Name and symbol in apposition: own (of one entry only), prefer, or any.",
            label="choice of appositives",
        ),
    ] = "own"
    fillers: Annotated[
        Fillers,
        Option(
            "Who stands in a slot: fitting (what it accepts and the sentence asks for), or any.",
            label="choice of fillers",
        ),
    ] = "fitting"
    attested: Annotated[
        Attested,
        Option(
            "sample and tway: attested contexts first (invented ones for what these lack), or any.",
            label="choice of contexts",
        ),
    ] = "first"
    repeat_forms: Annotated[
        bool, Option("Let a form stand twice in one case.", flag="--repeat-forms/--no-repeat-forms")
    ] = False
    list_lengths: Annotated[
        tuple[int, ...],
        Option(
            "Add versions of the list contexts with this many members; sentences that state a number "
            "(both, three genes) keep theirs.",
            flag="--list-length",
        ),
    ] = ()
    weights: Annotated[
        tuple[Weight, ...],
        Option("TIMES=QUERY: repeat the cases that the query selects.", flag="--weight"),
    ] = ()
    max_per: Annotated[
        tuple[CaseLimit, ...],
        Option("N=QUERY or N=FEATURE: no more cases than N of these, or of each value."),
    ] = ()
    controls: Annotated[
        float | None,
        Option(
            "Share of cases that are fp contexts without slots (beside the negatives; the two add up).",
            label="share of controls",
            minimum=0,
            upper_bound=1,
        ),
    ] = None
    negatives: Annotated[
        float | None,
        Option(
            "Share of cases that have look-alikes in their slots and no entity (beside the controls).",
            label="share of negatives",
            minimum=0,
            upper_bound=1,
        ),
    ] = None

    def __post_init__(self) -> None:
        _set_fields(self, slots=parse_pairs(self.slots, "--slot", "PLACE=QUERY"))
        _set_fields(
            self, weights=tuple(Weight(**_split_count(w, "--weight", "times", "query")) for w in self.weights)
        )
        _set_fields(
            self,
            max_per=tuple(CaseLimit(**_split_count(m, "--max-per", "cases", "of")) for m in self.max_per),
        )
        _set_fields(self, shares=tuple(s if isinstance(s, Share) else Share(**s) for s in self.shares))
        super().__post_init__()

    def refuse_unused(self) -> None:
        """Refuse options that the way to combine does not look at.

        Raises
        ------
        InputError
            With the ways that do.
        """
        for name, ways in _OPTION_USES.items():
            if (
                self.combine not in ways
                and getattr(self, name) != get_declared_options(type(self))[name].default
            ):
                raise InputError(f"{name} is for combine = {' or '.join(ways)}, not {self.combine}")


@dataclass(frozen=True)
class SuiteOptions(Options):
    """What holds for a whole suite.

    Attributes
    ----------
    lists : mapping of str to str
        Files of word lists by name; may be given as ``NAME=FILE`` texts.
    """

    name: Annotated[str, Option("The suite's name; its folder's when not given.")] = ""
    seed: Annotated[int, Option("What all draws hang on.", minimum=0)] = 0
    tag: Annotated[
        str,
        Option("Tag of mentions in gold.sgml, and their type.", pattern=r"[A-Za-z][A-Za-z0-9_.-]*"),
    ] = "gp"
    capitalise_initial: Annotated[
        bool,
        Option(
            "Begin sentences with a capital whatever the entity is.",
            flag="--capitalise-initial/--no-capitalise-initial",
        ),
    ] = False
    catalogue: Annotated[
        tuple[str, ...], Option("Entities; the bundled ones when not given.", takes_files=True)
    ] = ()
    sentences: Annotated[
        tuple[str, ...], Option("Contexts; the bundled ones when not given.", takes_files=True)
    ] = ()
    look_alikes_file: Annotated[
        tuple[str, ...],
        Option("Look-alikes; the bundled ones when not given.", key="look_alikes", takes_files=True),
    ] = ()
    lists: Annotated[
        Mapping[str, str],
        Option("NAME=FILE (an entry a line) or NAME=wordfreq:N: the feature in_list.NAME.", flag="--list"),
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        _set_fields(self, lists=parse_pairs(self.lists, "--list", "NAME=FILE or NAME=wordfreq:N"))
        for name in ("catalogue", "sentences", "look_alikes_file"):
            _set_fields(self, **{name: tuple(map(_name_file, getattr(self, name)))})


@dataclass(frozen=True)
class SuiteRecord:
    """What a suite records of itself beside its recipe.

    Attributes
    ----------
    cases, mentions : int
        How many there are.
    combine : str
        The ways to combine of all parts.
    tagsuite : str
        The version that made it.
    signature : str
        What stands for the suite in the signatures of scores.
    counts : mapping of str to int
        Cases of each part, minimal pairs, and the effective numbers of names and contexts.
    digests : mapping of str to str
        Of the catalogues, and of what was written.
    sources : mapping of str to sequence of str
        The corpora that contexts and names come from.
    warning : str
        What to tell the user of a suite that rests on few names; not recorded.
    """

    cases: int = 0
    mentions: int = 0
    combine: str = ""
    tagsuite: str = ""
    signature: str = ""
    counts: Mapping[str, int | float] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    warning: str = ""


@dataclass(frozen=True)
class SuiteRecipe:
    """All that a suite is made from.

    Attributes
    ----------
    parts : tuple of PartOptions
        Its parts, in order.
    suite : SuiteOptions
        What holds for all of them.
    record : SuiteRecord
        What was made from this recipe before: it is to come again.

    Raises
    ------
    InputError
        When a part has an option that its way to combine does not look at.
    """

    parts: tuple[PartOptions, ...] = (PartOptions(),)
    suite: SuiteOptions = SuiteOptions()
    record: SuiteRecord = SuiteRecord()

    def __post_init__(self) -> None:
        for part in self.parts:
            part.refuse_unused()

    @property
    def list_lengths(self) -> list[int]:
        """The lengths of lists that some part wants, sorted."""
        return sorted({n for part in self.parts for n in part.list_lengths})


PART_OPTIONS = tuple(name for name in get_declared_options(PartOptions) if name != "name")
"""The options of the only part of a suite, which needs no name."""
SUITE_OPTIONS = tuple(get_declared_options(SuiteOptions))
