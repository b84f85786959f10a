"""Options of scoring and of the search for errors, each declared once.

Used by the commands ``score``, ``compare``, ``discover``, ``accept`` and ``report``, the functions with these
names, the tables ``[score]`` and ``[discover]`` of study files, and the signatures of scores.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from ...catalogues.core.errors import InputError
from ...catalogues.core.options import (
    COMMON,
    Option,
    Options,
    get_declared_options,
    split_pair,
)

if TYPE_CHECKING:
    from ...sentences.corpus import Corpus
    from .classes import Class

    ClassesSource = Mapping[str, str] | Sequence[Class] | str | os.PathLike[str] | None
    GoldSource = Corpus | str | os.PathLike[str] | None
else:  # types of the command line
    ClassesSource, GoldSource = Path | None, str

Pairing = Literal["any", "one-to-one", "greedy"]
Alternatives = Literal["none", "optimal", "published"]
Counting = Literal["text", "published"]
Intervals = Literal["resampled", "wilson"]
PAIRINGS: tuple[Pairing, ...] = get_args(Pairing)
ALTERNATIVES: tuple[Alternatives, ...] = get_args(Alternatives)
View = Literal[
    "scores",
    "verdicts",
    "errors",
    "boundaries",
    "words",
    "false-alarms",
    "alarm-tokens",
    "thresholds",
    "costs",
]
"""Names of the tables that `score` can show."""
COUNTINGS: tuple[Counting, ...] = get_args(Counting)
SCORING, SEARCH, CONFIRMATION = "Scoring", "Search", "Confirmation on new cases"
"""Titles of groups of options in the help of commands."""


@dataclass(frozen=True)
class ScoringOptions(Options):
    """Options of scoring; see ``docs/reference/scoring.md``.

    Attributes
    ----------
    notions : tuple of str
        Notions of correctness; all six of Olsson et al. if empty.
    pairing, alternatives, counting, ignore_types
        See ``docs/reference/scoring.md``.
    type_map : mapping of str to str
        Types of gold and predicted mentions to replace by other types; also accepted as ``OLD=NEW`` pairs.
    lists : mapping of str to frozenset
        Word lists for the features ``in_list.NAME``; also accepted as files, or as ``NAME=FILE`` pairs.
    beta : float
        Weight of recall in the F measure.
    confidence : float
        Confidence level of the intervals.
    intervals : str
        ``resampled``, or ``wilson``, which treats all mentions as independent.

    Raises
    ------
    InputError
        If a value is not allowed, a pair has the wrong form, or a word list cannot be read.
    """

    notions: Annotated[
        tuple[str, ...],
        Option(
            "Notion of correctness (repeatable); by default strict, sloppy, pnp, left, right, left_or_right.",
            group=COMMON,
            flag="--notion",
            metavar="NOTION",
        ),
    ] = ()
    pairing: Annotated[
        Pairing, Option("Method of pairing predicted mentions with gold mentions.", SCORING)
    ] = "any"
    alternatives: Annotated[
        Alternatives,
        Option(
            "Use of alternative gold mentions: none, the optimal reading, or as in GENETAG's program.",
            SCORING,
            label="way with alternatives",
        ),
    ] = "none"
    counting: Annotated[
        Counting,
        Option(
            "Definitions of counting: from the text of Olsson et al. 2002, or from its published figures.",
            SCORING,
        ),
    ] = "text"
    ignore_types: Annotated[bool, Option("Match spans regardless of entity type.", SCORING)] = False
    type_map: Annotated[
        Mapping[str, str],
        Option("Replace a type of gold and predicted mentions (repeatable).", SCORING, metavar="OLD=NEW"),
    ] = field(default_factory=dict)
    lists: Annotated[
        Mapping[str, frozenset[str]],
        Option(
            "Word list, one entry per line, for the feature in_list.NAME (repeatable).",
            SCORING,
            flag="--list",
            metavar="NAME=FILE",
        ),
    ] = field(default_factory=dict)
    beta: Annotated[
        float,
        Option(
            "Weight of recall in the F measure, at least 0.001.",
            SCORING,
            label="weight of recall (beta)",
            minimum=0.001,
        ),
    ] = 1.0
    confidence: Annotated[
        float,
        Option(
            "Confidence level of the intervals, from 0.5 to 0.9999.",
            SCORING,
            label="confidence of intervals",
            minimum=0.5,
            maximum=0.9999,
        ),
    ] = 0.95
    intervals: Annotated[
        Intervals,
        Option(
            "Method for the intervals: resampling of entities, contexts and documents, or Wilson's formula "
            "for independent mentions.",
            SCORING,
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
        """Return the parts of a signature for the options that can change a figure.

        Parameters
        ----------
        notion : str
            Notion of correctness of the row.
        pairing : str
            Pairing defined by the notion, if any.
        lists : collection of (str, str)
            Names and checksums of the word lists that the row's class uses.
        """
        parts = {
            "notion": notion,
            "pairing": pairing or self.pairing,
            "counting": self.counting,
            "alternatives": self.alternatives,
        }
        # defaults are left out
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
    """Options of the search for errors; see ``docs/background/discovery.md``.

    Attributes
    ----------
    measures : tuple of str
        ``recall`` (missed mentions), ``precision`` (false positives); both if empty.
    features : tuple of str
        Features to search; if empty, all that have a fixed set of values and can be computed from any text.
    depth : int
        Maximum number of conditions per class.
    least : int, optional
        Minimum number of mentions per class in each half of the data (20 if None); for costs, minimum number
        of minimal pairs per change (10 if None).
    effect : float
        Minimum difference in recall or precision from each class with one condition fewer.
    false_discoveries : float
        Rate of false discoveries among the reported classes (Benjamini and Hochberg).
    seed : int
        Random seed of the division into halves.
    divisions : int
        Number of divisions into halves; their findings are combined.
    notion : str
        Notion of correctness.
    """

    measures: Annotated[
        tuple[Literal["recall", "precision"], ...],
        Option("Measure to search (repeatable); both by default.", SEARCH, label="measure", flag="--measure"),
    ] = ()
    features: Annotated[
        tuple[str, ...],
        Option(
            "Feature to search (repeatable); all by default.", SEARCH, flag="--feature", metavar="FEATURE"
        ),
    ] = ()
    depth: Annotated[
        int,
        Option(
            "Maximum number of conditions per class.",
            SEARCH,
            label="depth of the search",
            minimum=1,
            maximum=4,
            shows_range=True,
        ),
    ] = 3
    least: Annotated[
        int | None,
        Option(
            "Minimum number of mentions per class in each half [default: 20], or of minimal pairs per change "
            "with --show costs [default: 10].",
            SEARCH,
            label="number of mentions that a class needs",
            minimum=2,
            shows_range=True,
        ),
    ] = None
    effect: Annotated[
        float,
        Option(
            "Minimum difference in recall or precision from each class with one condition fewer.",
            SEARCH,
            minimum=0.01,
            maximum=0.9,
            shows_range=True,
        ),
    ] = 0.1
    false_discoveries: Annotated[
        float,
        Option(
            "Rate of false discoveries among the reported classes.",
            SEARCH,
            label="rate of false discoveries",
            minimum=0.0001,
            maximum=0.5,
            shows_range=True,
        ),
    ] = 0.05
    seed: Annotated[int, Option("Random seed of the division into halves.", SEARCH, minimum=0)] = 0
    divisions: Annotated[
        int,
        Option(
            "Number of random divisions into halves; their findings are combined.",
            SEARCH,
            label="number of divisions",
            minimum=1,
            maximum=99,
            shows_range=True,
        ),
    ] = 5
    notion: Annotated[str, Option("Notion of correctness.", COMMON, metavar="NOTION")] = "strict"

    @property
    def min_mentions(self) -> int:
        """Minimum number of mentions per class in each half."""
        return 20 if self.least is None else self.least


@dataclass(frozen=True)
class ConfirmOptions(Options):
    """Options of the confirmation of findings on new cases; see ``docs/background/discovery.md``.

    Attributes
    ----------
    confirm : int
        Number of new cases per class in the final test, and per near miss; 0 for no confirmation.
    cases : int
        Maximum number of new cases in all.
    candidates : int
        Maximum number of classes explored in one round.
    folder : path, optional
        Folder of the new suites and their runs, which the same call reuses; ``RUN-confirm`` next to the run
        folder by default.
    tagger : str
        Name or specification file of the tagger, if the run folder does not record it.
    jobs : int
        Number of taggers that run at the same time.
    overwrite : bool
        Replace other runs in `folder`.
    """

    confirm: Annotated[
        int,
        Option(
            "Test each class on N new cases, and each near miss on N, with other names and sentences.",
            CONFIRMATION,
            label="number of new cases per class",
            minimum=0,
            maximum=100_000,
        ),
    ] = 0
    cases: Annotated[
        int,
        Option("Maximum number of new cases in all.", CONFIRMATION, label="number of new cases", minimum=1),
    ] = 3000
    candidates: Annotated[
        int,
        Option(
            "Maximum number of classes explored in one round.",
            CONFIRMATION,
            label="number of classes explored",
            minimum=1,
        ),
    ] = 20
    folder: Annotated[
        Path | None,
        Option(
            "Folder of the new suites and runs, by default RUN-confirm; the same command resumes there.",
            CONFIRMATION,
            metavar="FOLDER",
        ),
    ] = None
    tagger: Annotated[
        str,
        Option(
            "Name or specification file of the tagger, if the run does not record it.",
            CONFIRMATION,
            metavar="TAGGER",
        ),
    ] = ""
    jobs: Annotated[
        int,
        Option(
            "Number of taggers that run at the same time.",
            CONFIRMATION,
            label="number of taggers at once",
            minimum=1,
            shows_range=True,
        ),
    ] = 1
    overwrite: Annotated[
        bool,
        Option("Replace that folder if it contains a confirmation.", CONFIRMATION, flag="--force"),
    ] = False


@dataclass(frozen=True)
class ClassOptions(Options):
    """Classes of mentions, notion of correctness, and gold standard.

    Attributes
    ----------
    classes : path
        Classes file; also accepted as a mapping of names to queries, or as a sequence of `Class`.
    by : tuple of str
        Features; each of their values is a class.
    notion : str
        Notion of correctness.
    gold : str or Corpus
        Gold standard; the run's own input if empty.
    """

    classes: Annotated[ClassesSource, Option("File of classes, each defined by a query (TOML).", COMMON)] = (
        None
    )
    by: Annotated[
        tuple[str, ...],
        Option(
            "One class per value of a feature, or per combination of values (repeatable).",
            COMMON,
            metavar="FEATURE[,FEATURE]",
        ),
    ] = ()
    notion: Annotated[str, Option("Notion of correctness.", COMMON, metavar="NOTION")] = "strict"
    gold: Annotated[
        GoldSource,
        Option("Gold standard, if it is not the run's own input.", SCORING, metavar="FORMAT:PATH|SUITE"),
    ] = ""

    @property
    def class_list(self) -> list[Class]:
        """Classes, read from the file or converted.

        Raises
        ------
        InputError
            If the file is not a valid classes file.
        """
        from .classes import resolve_classes

        return resolve_classes(self.classes or ())

    @property
    def classes_file(self) -> Path | None:
        """Classes file given to a command, if any."""
        return Path(self.classes) if isinstance(self.classes, (str, os.PathLike)) else None

    @property
    def chosen_gold(self) -> str | Corpus:
        """Gold standard; empty for the run's own input."""
        gold = self.gold
        return os.fspath(gold) if isinstance(gold, (str, os.PathLike)) else gold or ""


COMPARE_OPTION_NAMES = tuple(
    name for name in get_declared_options(ScoringOptions) if name not in ("notions", "beta", "intervals")
)
"""Scoring options of commands with a single notion and resampled intervals."""
ACCEPT_OPTION_NAMES = tuple(name for name in COMPARE_OPTION_NAMES if name != "confidence")
"""Scoring options of `accept`, whose criteria set notion and confidence themselves."""
NO_GOLD_OPTION_NAMES = ("ignore_types", "type_map", "lists", "confidence")
"""Scoring options of commands without a gold standard."""


def is_absent(value: object) -> bool:
    """Return True if a value is None or an empty text; an empty corpus or frame is a value."""
    return value is None or (isinstance(value, str) and not value)


def parse_type_map(pairs: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Return a dictionary of ``OLD=NEW`` pairs, or a copy of a mapping.

    Raises
    ------
    InputError
        If a pair has the wrong form, or a type is mapped to two others.
    """
    texts = [f"{old}={new}" for old, new in pairs.items()] if isinstance(pairs, Mapping) else pairs
    mapping: dict[str, str] = {}
    for text in texts:
        old, new = split_pair(text, "--type-map", "OLD=NEW")
        if mapping.setdefault(old, new) != new:
            raise InputError("a type is mapped to two others", found=f"{old}={mapping[old]}, {text}")
    return mapping
