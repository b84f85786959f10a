"""How mentions are counted, and how faults are searched: each option declared once.

The commands ``score``, ``compare``, ``discover``, ``accept`` and ``report``, the functions of the same names,
the tables ``[score]`` and ``[discover]`` of study files, the checks and the signatures come from here.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from ...catalogues.core.errors import InputError
from ...catalogues.core.options import Option, Options, get_declared_options, split_pair

if TYPE_CHECKING:
    from ...sentences.corpus import Corpus
    from .classes import Class

    ClassesSource = Mapping[str, str] | Sequence[Class] | str | os.PathLike[str] | None
    GoldSource = Corpus | str | os.PathLike[str] | None
else:  # as the command line has them
    ClassesSource, GoldSource = Path | None, str

Pairing = Literal["any", "one-to-one", "greedy"]
Alternatives = Literal["none", "optimal", "published"]
Counting = Literal["text", "published"]
Intervals = Literal["resampled", "wilson"]
PAIRINGS: tuple[Pairing, ...] = get_args(Pairing)
ALTERNATIVES: tuple[Alternatives, ...] = get_args(Alternatives)
COUNTINGS: tuple[Counting, ...] = get_args(Counting)


@dataclass(frozen=True)
class ScoringOptions(Options):
    """How mentions are counted; see ``docs/reference/scoring.md``.

    Attributes
    ----------
    notions : tuple of str
        All six where none is named.
    pairing, alternatives, counting, ignore_types
        See ``docs/reference/scoring.md``.
    type_map : mapping of str to str
        Types of either side that are counted as another; may be given as ``OLD=NEW`` pairs.
    lists : mapping of str to frozenset
        Word lists for the features ``in_list.NAME``; may be given as files, or as ``NAME=FILE`` pairs.
    beta : float
        Weight of recall in F.
    confidence : float
        Of the intervals.
    intervals : str
        ``resampled``, or ``wilson``: as if all mentions were independent.

    Raises
    ------
    InputError
        When a value is not legal, a pair has not its form, or a list cannot be read.
    """

    notions: Annotated[
        tuple[str, ...],
        Option("Notion of correctness (repeatable); all six by default.", flag="--notion"),
    ] = ()
    pairing: Annotated[Pairing, Option("any, one-to-one or greedy.")] = "any"
    alternatives: Annotated[
        Alternatives, Option("none, optimal or published.", label="way with alternatives")
    ] = "none"
    counting: Annotated[Counting, Option("text or published.")] = "text"
    ignore_types: Annotated[bool, Option("Let types differ.")] = False
    type_map: Annotated[
        Mapping[str, str], Option("OLD=NEW: count a type as another, on both sides (repeatable).")
    ] = field(default_factory=dict)
    lists: Annotated[
        Mapping[str, frozenset[str]],
        Option("NAME=FILE (an entry a line): the feature in_list.NAME (repeatable).", flag="--list"),
    ] = field(default_factory=dict)
    beta: Annotated[
        float,
        Option("Weight of recall in F, at least 0.001.", label="weight of recall (beta)", minimum=0.001),
    ] = 1.0
    confidence: Annotated[
        float,
        Option(
            "Of the intervals, from 0.5 to 0.9999.",
            label="confidence of intervals",
            minimum=0.5,
            maximum=0.9999,
        ),
    ] = 0.95
    intervals: Annotated[
        Intervals,
        Option(
            "resampled (leaving out entities and contexts, or documents or sentences) or wilson (as if all "
            "mentions were independent)."
        ),
    ] = "resampled"

    def __post_init__(self) -> None:
        from ...catalogues.word_lists import read_lists

        super().__post_init__()
        object.__setattr__(self, "type_map", parse_type_map(self.type_map or {}))
        object.__setattr__(self, "lists", read_lists(self.lists or {}))

    def signature_parts(
        self, notion: str, pairing: str = "", lists: Collection[tuple[str, str]] = ()
    ) -> dict[str, str]:
        """What of these options can change a figure, as it stands in a signature.

        Parameters
        ----------
        notion : str
            The notion of the row.
        pairing : str
            The notion's own pairing, where it has one.
        lists : collection of (str, str)
            The word lists that the row's class asks, with their digests.
        """
        parts = {
            "notion": notion,
            "pairing": pairing or self.pairing,
            "counting": self.counting,
            "alternatives": self.alternatives,
        }
        # what has its usual value is left out
        if self.ignore_types:
            parts["types"] = "ignored"
        elif self.type_map:
            parts["types"] = ",".join(f"{old}={new}" for old, new in sorted(self.type_map.items()))
        if lists:
            parts["lists"] = ",".join(f"{name}={digest}" for name, digest in lists)
        if self.beta != 1.0:
            parts["beta"] = f"{self.beta:g}"
        return parts


@dataclass(frozen=True)
class DiscoverOptions(Options):
    """What is searched for faults, and how far; see ``docs/background/discovery.md``.

    Attributes
    ----------
    measures : tuple of str
        ``recall`` (what is missed), ``precision`` (what is wrongly proposed); both where none is named.
    features : tuple of str
        Columns to search; all features that can be listed and computed from any text where none is named.
    depth : int
        Conditions at most.
    least : int, optional
        Mentions that a combination needs, in either half (20 where nothing is said); of costs, minimal pairs
        that a change needs (10).
    effect : float
        By how much recall or precision lies below that of every combination with one condition fewer.
    false_discoveries : float
        The rate of false discoveries among what is reported (Benjamini and Hochberg).
    seed : int
        Of the halves.
    divisions : int
        How often mentions are divided into halves; findings are joined.
    notion : str
        What counts as right.
    """

    measures: Annotated[
        tuple[Literal["recall", "precision"], ...],
        Option("recall or precision (repeatable); both by default.", label="measure", flag="--measure"),
    ] = ()
    features: Annotated[
        tuple[str, ...], Option("Search this feature (repeatable); all by default.", flag="--feature")
    ] = ()
    depth: Annotated[
        int,
        Option("Conditions at most.", label="depth of the search", minimum=1, maximum=4, shows_range=True),
    ] = 3
    least: Annotated[
        int | None,
        Option(
            "Mentions that a class needs in each half [20]; of costs, pairs that a change needs [10].",
            label="number of mentions that a class needs",
            minimum=2,
            shows_range=True,
        ),
    ] = None
    effect: Annotated[
        float,
        Option(
            "How far below every class with one condition fewer.", minimum=0.01, maximum=0.9, shows_range=True
        ),
    ] = 0.1
    false_discoveries: Annotated[
        float,
        Option(
            "Rate of false discoveries.",
            label="rate of false discoveries",
            minimum=0.0001,
            maximum=0.5,
            shows_range=True,
        ),
    ] = 0.05
    seed: Annotated[int, Option("Of the halves.", minimum=0)] = 0
    divisions: Annotated[
        int,
        Option(
            "How often cases are divided into halves anew; findings are joined.",
            label="number of divisions",
            minimum=1,
            maximum=99,
            shows_range=True,
        ),
    ] = 5
    notion: Annotated[str, Option("Notion of correctness.")] = "strict"

    @property
    def min_mentions(self) -> int:
        """Mentions that a combination needs, in either half."""
        return 20 if self.least is None else self.least


@dataclass(frozen=True)
class ConfirmOptions(Options):
    """How findings are confirmed on new cases, and how these are run; see ``docs/background/discovery.md``.

    Attributes
    ----------
    confirm : int
        New cases of each class in its final test, and of each of its near misses; 0: no confirmation.
    cases : int
        Maximum number of new cases in all.
    candidates : int
        Maximum number of classes explored in one round.
    folder : path, optional
        Gets the fresh suites and their runs; the same call again uses the runs that are finished.
        ``RUN-confirm``, beside the run folder, where None.
    tagger : str
        The tagger, where the run folder does not say where it is: a name or a specification file.
    jobs : int
        Taggers that run at once.
    overwrite : bool
        Whether other runs in `folder` are replaced.
    """

    confirm: Annotated[
        int,
        Option(
            "Test each class on N new cases, and on N of each near miss, with other names and sentences.",
            label="number of new cases per class",
            minimum=0,
            maximum=100_000,
        ),
    ] = 0
    cases: Annotated[
        int, Option("With --confirm: maximum number of new cases.", label="number of new cases", minimum=1)
    ] = 3000
    candidates: Annotated[
        int,
        Option(
            "With --confirm: classes explored in one round.", label="number of classes explored", minimum=1
        ),
    ] = 20
    folder: Annotated[
        Path | None,
        Option(
            "With --confirm: where fresh suites and their runs go (RUN-confirm when not given); "
            "the same command again goes on there."
        ),
    ] = None
    tagger: Annotated[str, Option("With --confirm: the tagger, where the run does not say where it is.")] = ""
    jobs: Annotated[
        int,
        Option(
            "With --confirm: taggers that run at once.",
            label="number of taggers at once",
            minimum=1,
            shows_range=True,
        ),
    ] = 1
    overwrite: Annotated[
        bool, Option("With --confirm: replace that folder if it holds a confirmation.", flag="--force")
    ] = False


@dataclass(frozen=True)
class ClassOptions(Options):
    """What divides mentions, which of them are right, and against which gold.

    Attributes
    ----------
    classes : path
        A classes file; may be given as a mapping of names to queries, or as a sequence of `Class`.
    by : tuple of str
        Features whose values are classes.
    notion : str
        Of correctness.
    gold : str or Corpus
        What is scored against; the run's own input when empty.
    """

    classes: Annotated[ClassesSource, Option("Classes file (TOML).")] = None
    by: Annotated[
        tuple[str, ...],
        Option("A class for each value of this feature (repeatable); FEATURE,FEATURE for combinations."),
    ] = ()
    notion: Annotated[str, Option("Notion of correctness.")] = "strict"
    gold: Annotated[
        GoldSource, Option("Score against this corpus, not the run's own input: FORMAT:PATH or a suite.")
    ] = ""

    @property
    def class_list(self) -> list[Class]:
        """The classes.

        Raises
        ------
        InputError
            When they are a file that is none of classes.
        """
        from .classes import resolve_classes

        return resolve_classes(self.classes or ())

    @property
    def classes_file(self) -> Path | None:
        """The classes file of a command."""
        return Path(self.classes) if isinstance(self.classes, (str, os.PathLike)) else None

    @property
    def chosen_gold(self) -> str | Corpus:
        """What is scored against; empty for the run's own input."""
        given = self.gold
        return os.fspath(given) if isinstance(given, (str, os.PathLike)) else given or ""


COMPARE_OPTION_NAMES = tuple(
    name for name in get_declared_options(ScoringOptions) if name not in ("notions", "beta", "intervals")
)
"""The options of a command that has its own notion, and intervals that leave out what mentions share."""
ACCEPT_OPTION_NAMES = tuple(name for name in COMPARE_OPTION_NAMES if name != "confidence")
"""The options of a command whose criteria have notions and confidences of their own."""
NO_GOLD_OPTION_NAMES = ("ignore_types", "type_map", "lists", "confidence")
"""The options of a command that needs no gold."""


def is_absent(value: object) -> bool:
    """Return True if nothing is given; a corpus or a frame without rows is something."""
    return value is None or (isinstance(value, str) and not value)


def parse_type_map(pairs: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Read ``OLD=NEW`` pairs, or a mapping of these.

    Raises
    ------
    InputError
        When one has another form, or a type stands for two.
    """
    texts = [f"{old}={new}" for old, new in pairs.items()] if isinstance(pairs, Mapping) else pairs
    found: dict[str, str] = {}
    for text in texts:
        old, new = split_pair(text, "--type-map", "OLD=NEW")
        if found.setdefault(old, new) != new:
            raise InputError("a type stands for two others", found=f"{old}={found[old]}, {text}")
    return found
