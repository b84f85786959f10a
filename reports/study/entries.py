"""The tables of a study file."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from ...catalogues.core.settings import Settings, settings_of
from ...generator.perturbing.options import PerturbOptions
from ...generator.recipe import SuiteOptions
from ...generator.recipe_file import PartTable
from ...harness.running.repeats import RepeatOptions
from ...harness.scoring.options import ClassOptions, DiscoverOptions, ScoringOptions
from ...harness.scoring.transfer.options import TransferOptions

Name = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")

_NOT_HERE = ("capitalise_initial", "catalogue", "sentences", "look_alikes_file", "lists")


class SuiteEntry(settings_of(SuiteOptions, without=_NOT_HERE)):  # type: ignore[misc]  # made from options
    """A suite to generate: a recipe's file, or the recipe's parts themselves."""

    name: str = Name
    recipe: str = ""
    part: list[PartTable] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_of_both(self) -> SuiteEntry:
        if bool(self.recipe) == bool(self.part):
            raise ValueError("a suite has either a recipe (a file) or parts ([[suite.part]] tables)")
        return self


class CorpusEntry(Settings):
    """A corpus: ``FORMAT:PATH`` of its gold."""

    name: str = Name
    gold: str


class TermsEntry(Settings):
    """A term list to write before the taggers run: the forms of the entities that a query selects."""

    name: str = Name
    kind: str = ""
    """A kind that `tagsuite catalogue import` knows, with `file`; else entity catalogues."""
    file: str = ""
    catalogue: list[str] = Field(default_factory=list)
    entities: str = "all"


class TaggerEntry(settings_of(RepeatOptions, without=("vary",))):  # type: ignore[misc]  # as above
    """A tagger to run, a bundled tagger's name or a specification file; and how often: `RepeatOptions`."""

    name: str = Name
    tagger: str
    options: dict[str, str] = Field(default_factory=dict)
    on: list[str] = Field(default_factory=list)
    """Names of suites and corpora; all when empty."""

    @model_validator(mode="before")
    @classmethod
    def _without_until(cls, table: Any) -> Any:
        if isinstance(table, dict) and "until" in table:
            raise ValueError("until: repetitions no longer stop early; leave the key out")
        return table


class RecordedEntry(Settings):
    """Output that was recorded elsewhere, over one of the study's corpora or suites."""

    name: str = Name
    on: str
    predicted: str
    version: str = "recorded"


_COUNTED = settings_of(ScoringOptions, ignore_types=True)


class ScoreEntry(settings_of(ClassOptions, base=_COUNTED, without=("notion", "gold"))):  # type: ignore[misc]  # as above
    """The scoring of everything: `ScoringOptions`, and of `ClassOptions` what divides mentions.

    `lists` are files, an entry a line, or ``wordfreq:N``.
    """


class DiscoverEntry(settings_of(DiscoverOptions, without=("notion",))):  # type: ignore[misc]  # as above
    """A search for faults in the study's runs: `DiscoverOptions`, and where."""

    on: list[str] = Field(default_factory=list)
    """Names of suites and corpora; the suites when empty (the corpora where there is no suite)."""


class InvarianceEntry(settings_of(PerturbOptions)):  # type: ignore[misc]  # as above
    """Runs of the study's taggers over perturbed texts: `PerturbOptions`, and where."""

    on: list[str] = Field(default_factory=list)
    """Names of suites and corpora; the suites when empty (the corpora where there is no suite)."""


class TransferEntry(settings_of(TransferOptions)):  # type: ignore[misc]  # as above
    """What the study's suites let expect of a corpus: `TransferOptions`.

    `standardise` is the name of a bundled composition, or a file.
    """

    @model_validator(mode="after")
    def _names_a_composition(self) -> TransferEntry:
        if not self.standardise:
            raise ValueError("standardise is needed: a composition file, or the name of a bundled one")
        return self
