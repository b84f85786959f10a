"""Scoring options, declared in one place for all their uses.

The commands ``score``, ``compare``, ``discover``, ``accept`` and ``report`` use them, as do the functions
with the same names, the table ``[score]`` of study files and the signatures of scores.
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
    "confusions",
    "identifiers",
    "boundaries",
    "words",
    "false-alarms",
    "alarm-tokens",
    "thresholds",
    "costs",
]
"""Names of the tables that `score` can show."""
COUNTINGS: tuple[Counting, ...] = get_args(Counting)
SCORING = "Scoring"
"""Title of the group of scoring options in the help of commands."""


@dataclass(frozen=True)
class ScoringOptions(Options):
    """Options of scoring; see ``docs/reference/scoring.md``.

    Attributes
    ----------
    notions : tuple of str
        Notions of correctness; if empty, the six notions of Olsson et al.
    pairing, alternatives, counting, ignore_types, identifiers
        Rules for pairing and counting mentions, explained in the help of these options.
    type_map : mapping of str to str
        Replacements for types of gold and predicted mentions; also accepted as ``OLD=NEW`` pairs.
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
            "Use of alternative gold mentions: none, in the optimal pairing, or as in GENETAG's program.",
            SCORING,
            label="use of alternatives",
        ),
    ] = "none"
    counting: Annotated[
        Counting,
        Option(
            "Counting rules from the text of Olsson et al. 2002, or those that yield its published figures.",
            SCORING,
        ),
    ] = "text"
    ignore_types: Annotated[
        bool,
        Option(
            "Match spans regardless of entity type (default if gold and predictions share no type).", SCORING
        ),
    ] = False
    identifiers: Annotated[
        bool, Option("Count a mention as right only if its identifiers are right too.", SCORING)
    ] = False
    type_map: Annotated[
        Mapping[str, str],
        Option("Entity type to rename in gold and predictions (repeatable).", SCORING, metavar="OLD=NEW"),
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
        """Return the parts of a signature that record the scoring options.

        Parameters
        ----------
        notion : str
            Notion of correctness of the row.
        pairing : str
            Pairing that the notion prescribes, if any.
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
        if self.identifiers:
            parts["identifiers"] = "compared"
        if lists:
            parts["lists"] = ",".join(f"{name}={digest}" for name, digest in lists)
        if self.beta != 1.0:
            parts["beta"] = f"{self.beta:g}"
        return parts


@dataclass(frozen=True)
class ClassOptions(Options):
    """Classes of mentions, notion of correctness, and gold standard.

    Attributes
    ----------
    classes : path
        Classes file; also accepted as a mapping of names to queries, or as a sequence of `Class`.
    by : tuple of str
        Features whose values become classes.
    notion : str
        Notion of correctness.
    gold : str or Corpus
        Gold standard; if empty, the input of the run.
    """

    classes: Annotated[ClassesSource, Option("File of classes, each defined by a query (TOML).", COMMON)] = (
        None
    )
    by: Annotated[
        tuple[str, ...],
        Option(
            "Feature, or combination of features, whose values become classes (repeatable).",
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
        """List of classes, read from the classes file or converted from the mapping or sequence.

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
        """Gold standard, or an empty string if it is the run's own input."""
        gold = self.gold
        return os.fspath(gold) if isinstance(gold, (str, os.PathLike)) else gold or ""


COMPARE_OPTION_NAMES = tuple(
    name for name in get_declared_options(ScoringOptions) if name not in ("notions", "beta", "intervals")
)
"""Scoring options of commands that use a single notion and always resample, such as ``compare``."""
ACCEPT_OPTION_NAMES = tuple(name for name in COMPARE_OPTION_NAMES if name != "confidence")
"""Scoring options of ``accept``, where each criterion sets the notion and the confidence."""
NO_GOLD_OPTION_NAMES = ("ignore_types", "type_map", "lists", "confidence")
"""Scoring options of commands that do not need a gold standard."""


def is_absent(value: object) -> bool:
    """Return True if a value is None or an empty string, but not if it is an empty corpus or data frame."""
    return value is None or (isinstance(value, str) and not value)


def parse_type_map(pairs: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Return a dictionary of ``OLD=NEW`` pairs, or a copy of a mapping.

    Raises
    ------
    InputError
        If a pair has the wrong form, or a type is mapped to two different types.
    """
    texts = [f"{old}={new}" for old, new in pairs.items()] if isinstance(pairs, Mapping) else pairs
    mapping: dict[str, str] = {}
    for text in texts:
        old, new = split_pair(text, "--type-map", "OLD=NEW")
        if mapping.setdefault(old, new) != new:
            raise InputError("a type is mapped to two different types", found=f"{old}={mapping[old]}, {text}")
    return mapping
