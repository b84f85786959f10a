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
from ..catalogues.core.options import (
    COMMON,
    OUTPUT,
    Option,
    Options,
    get_declared_options,
    parse_pairs,
)

if TYPE_CHECKING:
    from ..catalogues.taxonomy import Feature

Combine = Literal["sample", "product", "tway", "zip", "each", "contrast"]
Fill = Literal["draw", "product"]
Appositives = Literal["own", "prefer", "any"]
Fillers = Literal["fitting", "any"]
Attested = Literal["first", "any"]

SELECTION, SAMPLING, COMBINATION = "Selection", "Size and sampling", "Combination"
CATALOGUES = "Catalogues"
"""Titles of groups of options in the help of `generate`."""
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

    query: Annotated[str, Option("Query that selects the cases.")]
    times: Annotated[int, Option("Number of times each case is written.", label="weight", minimum=0)]


@dataclass(frozen=True)
class CaseLimit(Options):
    """No more than so many cases for a query, or for each value of a feature."""

    of: Annotated[str, Option("Query or feature.")]
    cases: Annotated[int, Option("Maximum number of cases.", label="number of cases", minimum=1)]

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

    values: Annotated[tuple[str, ...], Option("One value of each feature in `stratify`.")]
    weight: Annotated[float, Option("Share of the sample, relative to the other shares.", minimum=0)]


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
    """One part of a suite: what is chosen and how it is combined; see ``docs/how-to/make-a-suite.md``.

    Attributes
    ----------
    slots : mapping of str to str
        Queries by the place of a slot (1, 2, …); may be given as ``PLACE=QUERY`` texts.
    weights, max_per
        May be given as ``TIMES=QUERY`` and ``N=QUERY`` texts, or as mappings with the keys of `Weight` and
        `CaseLimit`.
    """

    name: Annotated[str, Option("Name of the part.")] = ""
    entities: Annotated[str, Option("Query that selects the entities.", group=COMMON, metavar="QUERY")] = (
        "all"
    )
    contexts: Annotated[
        str, Option("Query that selects the contexts and their slots.", group=COMMON, metavar="QUERY")
    ] = "all"
    look_alikes: Annotated[
        str,
        Option("Query that selects look-alikes (no entities) to put into slots.", SELECTION, metavar="QUERY"),
    ] = ""
    combine: Annotated[
        Combine,
        Option("Method of combining entities with contexts.", group=COMMON, label="way to combine"),
    ] = "sample"
    fill: Annotated[
        Fill,
        Option(
            "How the other slots of a sentence are filled: with drawn entities, or with each in turn.",
            COMBINATION,
            label="way to fill",
        ),
    ] = "draw"
    size: Annotated[
        int | None,
        Option(
            "Number of cases of a sample [default: 1000], or of minimal pairs per contrasted feature.",
            group=COMMON,
            minimum=1,
        ),
    ] = None
    stratify: Annotated[
        tuple[str, ...],
        Option(
            "With --combine sample: divide the cases equally among the values of a feature (repeatable).",
            SAMPLING,
            metavar="FEATURE",
        ),
    ] = ()
    target: Annotated[
        str,
        Option(
            "With --stratify: shares of the values as in a corpus. With --combine sample: draw all entities "
            "with the same probability ('proportional').",
            SAMPLING,
            metavar="FORMAT:PATH|uniform|proportional",
        ),
    ] = ""
    shares: Annotated[tuple[Share, ...], Option("With --combine sample: shares of the strata.")] = ()
    t: Annotated[
        int | None,
        Option(
            "With --combine tway: number of features in each combination [default: 2].",
            COMBINATION,
            minimum=1,
            maximum=6,
            shows_range=True,
        ),
    ] = None
    times: Annotated[
        int,
        Option(
            "With --combine tway: minimum number of cases with each combination.",
            COMBINATION,
            label="number of times",
            minimum=1,
        ),
    ] = 1
    limit: Annotated[
        int | None,
        Option(
            "With --combine tway: keep at most N cases, best first.",
            COMBINATION,
            label="limit of cases",
            minimum=1,
        ),
    ] = None
    features: Annotated[
        tuple[str, ...],
        Option(
            "With --combine tway or --verify: combine this feature (repeatable); by default all features "
            "with a fixed set of values.",
            COMBINATION,
            flag="--feature",
            metavar="FEATURE",
        ),
    ] = ()
    contrast: Annotated[
        tuple[str, ...],
        Option(
            "With --combine contrast: feature in which the two cases of a pair differ (repeatable).",
            COMBINATION,
            metavar="FEATURE",
        ),
    ] = ()
    slots: Annotated[
        Mapping[str, str],
        Option(
            "Query for the entities of one slot, by its number in the sentence (repeatable).",
            SELECTION,
            flag="--slot",
            metavar="NUMBER=QUERY",
        ),
    ] = field(default_factory=dict)
    appositives: Annotated[
        Appositives,
        Option(
            "Pairs of name and symbol, as in 'tumor protein p53 (TP53)': forms of one entity only (own), "
            "of one entity where it has both (prefer), or of any two entities.",
            SELECTION,
            label="choice of appositives",
        ),
    ] = "own"
    fillers: Annotated[
        Fillers,
        Option(
            "Entities allowed in a slot: only those that fit its sentence, or any.",
            SELECTION,
            label="choice of fillers",
        ),
    ] = "fitting"
    attested: Annotated[
        Attested,
        Option(
            "With --combine sample or tway: prefer contexts from real text (first), or treat constructed "
            "contexts alike (any).",
            SELECTION,
            label="choice of contexts",
        ),
    ] = "first"
    repeat_forms: Annotated[
        bool, Option("Allow the same surface form twice in one case.", SELECTION, flag="--repeat-forms")
    ] = False
    list_lengths: Annotated[
        tuple[int, ...],
        Option("Add variants of list contexts with N members (repeatable).", SELECTION, flag="--list-length"),
    ] = ()
    weights: Annotated[
        tuple[Weight, ...],
        Option(
            "Repeat the cases that a query selects, N times each (repeatable).",
            SAMPLING,
            flag="--weight",
            metavar="N=QUERY",
        ),
    ] = ()
    max_per: Annotated[
        tuple[CaseLimit, ...],
        Option(
            "Maximum number of cases that a query selects, or for each value of a feature (repeatable).",
            SAMPLING,
            metavar="N=QUERY|N=FEATURE",
        ),
    ] = ()
    controls: Annotated[
        float | None,
        Option(
            "Share of cases without slots, from 0 to 1 (sentences that mention no entity).",
            SAMPLING,
            label="share of controls",
            metavar="SHARE",
            minimum=0,
            upper_bound=1,
        ),
    ] = None
    negatives: Annotated[
        float | None,
        Option(
            "Share of cases with look-alikes instead of entities in their slots, from 0 to 1.",
            SAMPLING,
            label="share of negatives",
            metavar="SHARE",
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

    name: Annotated[str, Option("Name of the suite; by default the name of its folder.")] = ""
    seed: Annotated[int, Option("Random seed.", group=COMMON, minimum=0)] = 0
    tag: Annotated[
        str,
        Option(
            "Tag of mentions in gold.sgml, which is also their type.",
            group=OUTPUT,
            metavar="TAG",
            pattern=r"[A-Za-z][A-Za-z0-9_.-]*",
        ),
    ] = "gp"
    capitalise_initial: Annotated[
        bool,
        Option(
            "Begin each sentence with a capital letter, even if an entity comes first.",
            group=OUTPUT,
            flag="--capitalise-initial",
        ),
    ] = False
    catalogue: Annotated[
        tuple[str, ...],
        Option(
            "Catalogue of entities to use instead of the bundled one (repeatable).",
            group=CATALOGUES,
            takes_files=True,
        ),
    ] = ()
    sentences: Annotated[
        tuple[str, ...],
        Option(
            "File of contexts to use instead of the bundled ones (repeatable).",
            group=CATALOGUES,
            takes_files=True,
        ),
    ] = ()
    look_alikes_file: Annotated[
        tuple[str, ...],
        Option(
            "File of look-alikes to use instead of the bundled ones (repeatable).",
            group=CATALOGUES,
            key="look_alikes",
            takes_files=True,
        ),
    ] = ()
    lists: Annotated[
        Mapping[str, str],
        Option(
            "Word list (one entry per line, or the N most frequent words) for the feature in_list.NAME.",
            group=CATALOGUES,
            flag="--list",
            metavar="NAME=FILE|NAME=wordfreq:N",
        ),
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
