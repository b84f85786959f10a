"""Recipe of a suite: the options of its parts, and the options of the suite as a whole.

The options of the command and the function ``generate``, and the keys of suite.toml and of study files, are
derived from `SuiteOptions` and `PartOptions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from ..catalogues.core.options import COMMON, OUTPUT, Option, Options, get_declared_options, parse_pairs
from .part_options import PartOptions

CATALOGUES = "Catalogues"
"""Title of the option group "Catalogues" in the help of `generate`."""
TAG_PATTERN = r"[A-Za-z][A-Za-z0-9_.-]*"
DEFAULT_MAX_CASES = 1_000_000


@dataclass(frozen=True)
class SuiteOptions(Options):
    """Options that apply to a whole suite.

    Attributes
    ----------
    lists : mapping of str to str
        Source of each word list, keyed by its name: a file, or ``wordfreq:N`` for the N most frequent words.
        Word lists can also be given as strings ``NAME=FILE``.
    """

    name: Annotated[str, Option("Name of the suite; by default the name of its folder.")] = ""
    seed: Annotated[int, Option("Random seed.", group=COMMON, minimum=0)] = 0
    tag: Annotated[
        str,
        Option(
            "Type, and tag in gold.sgml, for entities that have no type in the catalogue.",
            group=OUTPUT,
            metavar="TAG",
            pattern=TAG_PATTERN,
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
        lists = parse_pairs(self.lists, "--list", "NAME=FILE or NAME=wordfreq:N")
        object.__setattr__(self, "lists", lists)
        for name in ("catalogue", "sentences", "look_alikes_file"):
            # a path is recorded with forward slashes
            files = (f if isinstance(f, str) else Path(f).as_posix() for f in getattr(self, name))
            object.__setattr__(self, name, tuple(files))


@dataclass(frozen=True)
class SuiteRecord:
    """Record of a finished suite; suite.toml contains it in addition to the recipe.

    Attributes
    ----------
    cases, mentions : int
        Number of cases and of gold mentions.
    combine : str
        Combine methods of the parts, joined with "+".
    taxonomy : tuple of str
        Files with the user's own feature definitions.
    tagsuite : str
        Version of tagsuite that made the suite.
    signature : str
        Identifier of the suite, used in the signatures of scores.
    counts : mapping of str to int
        Number of cases in each part, number of minimal pairs, and effective numbers of names and contexts.
    digests : mapping of str to str
        Checksums of the catalogues and of the files that were written.
    sources : mapping of str to sequence of str
        Corpora from which the contexts and names were taken.
    warning : str
        Warning for the user if the suite has few names; it is not written into suite.toml.
    """

    cases: int = 0
    mentions: int = 0
    combine: str = ""
    taxonomy: tuple[str, ...] = ()
    tagsuite: str = ""
    signature: str = ""
    counts: Mapping[str, int | float] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    warning: str = ""


@dataclass(frozen=True)
class SuiteRecipe:
    """Recipe of a suite, with the record of the suite if it was already made.

    Raises
    ------
    InputError
        If a part has an option that cannot be used with its combine method.
    """

    parts: tuple[PartOptions, ...] = (PartOptions(),)
    suite: SuiteOptions = SuiteOptions()
    record: SuiteRecord = SuiteRecord()

    def __post_init__(self) -> None:
        for part in self.parts:
            part.refuse_unused()

    @property
    def list_lengths(self) -> list[int]:
        """List lengths that the parts request, in ascending order."""
        return sorted({n for part in self.parts for n in part.list_lengths})


SUITE_OPTIONS = tuple(get_declared_options(SuiteOptions))
