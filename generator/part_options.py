"""Options of a part of a suite, for selecting and combining entities and contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from ..catalogues.core.errors import InputError
from ..catalogues.core.options import COMMON, Option, Options, get_declared_options, parse_pairs
from .case_limits import CaseLimit, Share, Weight, parse_count

Combine = Literal["sample", "product", "tway", "zip", "each", "contrast"]
Fill = Literal["draw", "product"]
Appositives = Literal["own", "prefer", "any"]
Fillers = Literal["fitting", "any"]
Attested = Literal["first", "any"]

SELECTION, SAMPLING, COMBINATION = "Selection", "Size and sampling", "Combination"
DEFAULT_SIZE = 1_000
"""Default number of cases in a sample; the sample is smaller if fewer cases are possible."""
DEFAULT_T = 2
"""Default number of features in each combination, for ``combine = tway``."""

_OPTION_USES: dict[str, tuple[Combine, ...]] = {
    "fill": ("product",),
    "size": ("sample", "contrast"),
    "stratify": ("sample",),
    "target": ("sample",),
    "shares": ("sample",),
    "times": ("tway",),
    "limit": ("tway",),
    "contrast": ("contrast",),
    "attested": ("sample", "tway"),
}
"""Combine methods with which each option can be used. Options without an entry work with all methods."""


@dataclass(frozen=True)
class PartOptions(Options):
    """Options of a part of a suite, for selecting and combining entities and contexts.

    See ``docs/reference/suites.md``.

    Attributes
    ----------
    slots : mapping of str to str
        Query for the entities of each slot, keyed by slot number (1, 2, …). Queries can also be given as
        strings ``NUMBER=QUERY``.
    weights, max_per
        Weights and limits of cases. They can also be given as strings ``N=QUERY``, or as mappings with the
        fields of `Weight` or `CaseLimit`.
    """

    name: Annotated[str, Option("Name of this part of the suite.")] = ""
    entities: Annotated[str, Option("Query that selects the entities.", group=COMMON, metavar="QUERY")] = (
        "all"
    )
    contexts: Annotated[
        str, Option("Query that selects the contexts and their slots.", group=COMMON, metavar="QUERY")
    ] = "all"
    look_alikes: Annotated[
        str,
        Option(
            "Query that selects look-alikes (strings that are not entities) to put into slots.",
            SELECTION,
            metavar="QUERY",
        ),
    ] = ""
    types: Annotated[
        tuple[str, ...],
        Option("Select only entities of this type (repeatable).", SELECTION, metavar="TYPE"),
    ] = ()
    combine: Annotated[
        Combine,
        Option("Method of combining entities with contexts.", group=COMMON, label="combine method"),
    ] = "sample"
    fill: Annotated[
        Fill,
        Option(
            "With --combine product: fill the other slots of a sentence at random (draw) or with all "
            "combinations of entities (product).",
            COMBINATION,
            label="method of filling",
        ),
    ] = "draw"
    size: Annotated[
        int | None,
        Option(
            "Number of cases in a sample [default: 1000], or of minimal pairs for each contrasted feature.",
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
            "With --combine sample: relative sizes of the strata, as in a corpus or equal (uniform); "
            "'proportional' draws every entity with equal probability instead.",
            SAMPLING,
            metavar="FORMAT:PATH|uniform|proportional",
        ),
    ] = ""
    shares: Annotated[tuple[Share, ...], Option("With --combine sample: share of each stratum.")] = ()
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
            "With --combine tway: minimum number of cases for each combination.",
            COMBINATION,
            label="number of cases per combination (times)",
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
            "Query that selects the entities for the slot with a given number (repeatable).",
            SELECTION,
            flag="--slot",
            metavar="NUMBER=QUERY",
        ),
    ] = field(default_factory=dict)
    appositives: Annotated[
        Appositives,
        Option(
            "Source of the two names in an apposition such as 'tumor protein p53 (TP53)': always one entity "
            "(own), one entity if it has both names (prefer), or any two entities (any).",
            SELECTION,
            label="choice of appositives",
        ),
    ] = "own"
    fillers: Annotated[
        Fillers,
        Option(
            "Entities that a slot accepts: only those that fit its sentence (fitting), or all (any).",
            SELECTION,
            label="choice of fillers",
        ),
    ] = "fitting"
    attested: Annotated[
        Attested,
        Option(
            "With --combine sample or tway: prefer contexts from real text (first), or treat real and "
            "constructed contexts equally (any).",
            SELECTION,
            label="choice of contexts",
        ),
    ] = "first"
    repeat_forms: Annotated[
        bool, Option("Allow the same surface form twice in one case.", SELECTION, flag="--repeat-forms")
    ] = False
    list_lengths: Annotated[
        tuple[int, ...],
        Option("Add versions of list contexts with N members (repeatable).", SELECTION, flag="--list-length"),
    ] = ()
    weights: Annotated[
        tuple[Weight, ...],
        Option(
            "Number of times to write each case that a query selects (repeatable).",
            SAMPLING,
            flag="--weight",
            metavar="N=QUERY",
        ),
    ] = ()
    max_per: Annotated[
        tuple[CaseLimit, ...],
        Option(
            "Maximum number of cases that match a query, or that share a value of a feature (repeatable).",
            SAMPLING,
            metavar="N=QUERY|N=FEATURE",
        ),
    ] = ()
    controls: Annotated[
        float | None,
        Option(
            "Share of control cases (sentences without slots and entities), from 0 to 1.",
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
        values = {
            "slots": parse_pairs(self.slots, "--slot", "NUMBER=QUERY"),
            "weights": tuple(parse_count(weight, Weight, "--weight") for weight in self.weights),
            "max_per": tuple(parse_count(limit, CaseLimit, "--max-per") for limit in self.max_per),
            "shares": tuple(s if isinstance(s, Share) else Share(**s) for s in self.shares),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        super().__post_init__()

    def refuse_unused(self) -> None:
        """Raise InputError if an option is set that cannot be used with the combine method."""
        for name, ways in _OPTION_USES.items():
            if (
                self.combine not in ways
                and getattr(self, name) != get_declared_options(type(self))[name].default
            ):
                raise InputError(f"{name} needs combine = {' or '.join(ways)}", found=self.combine)


PART_OPTIONS = tuple(name for name in get_declared_options(PartOptions) if name != "name")
"""Names of all part options except `name`, which is useful only if a suite has several parts."""
