"""The tables of a study file."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from ...catalogues.core.settings import Settings, make_settings_model
from ...generator.perturbing.options import PerturbOptions
from ...generator.recipe import SuiteOptions
from ...generator.recipe_file import PartTable
from ...harness.running.repeats import RepeatOptions
from ...harness.scoring.options import ClassOptions, ConfirmOptions, DiscoverOptions, ScoringOptions
from ...harness.scoring.transfer.options import CalibrationOptions, TransferOptions

NAME_FIELD = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")

_EXCLUDED_OPTIONS = ("capitalise_initial", "catalogue", "sentences", "look_alikes_file", "lists")


class SuiteEntry(make_settings_model(SuiteOptions, excluded=_EXCLUDED_OPTIONS)):  # type: ignore[misc]  # made from options
    """A suite to generate: a recipe's file, or the recipe's parts themselves."""

    name: str = NAME_FIELD
    recipe: str = ""
    part: list[PartTable] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_of_both(self) -> SuiteEntry:
        if bool(self.recipe) == bool(self.part):
            raise ValueError("a suite has either a recipe (a file) or parts ([[suite.part]] tables)")
        return self


class CorpusEntry(Settings):
    """A corpus: ``FORMAT:PATH`` of its gold."""

    name: str = NAME_FIELD
    gold: str


class TermsEntry(Settings):
    """A term list to write before the taggers run: the forms of the entities that a query selects."""

    name: str = NAME_FIELD
    kind: str = ""
    """A kind that `tagsuite catalogue import` knows, with `file`; else entity catalogues."""
    file: str = ""
    catalogue: list[str] = Field(default_factory=list)
    entities: str = "all"


class TaggerEntry(make_settings_model(RepeatOptions, excluded=("vary",))):  # type: ignore[misc]  # as above
    """A tagger to run, a bundled tagger's name or a specification file; and how often: `RepeatOptions`."""

    name: str = NAME_FIELD
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

    name: str = NAME_FIELD
    on: str
    predicted: str
    version: str = "recorded"


_ScoringSettings = make_settings_model(ScoringOptions, ignore_types=True)


class ScoreEntry(make_settings_model(ClassOptions, base=_ScoringSettings, excluded=("notion", "gold"))):  # type: ignore[misc]  # as above
    """The scoring of everything: `ScoringOptions`, and of `ClassOptions` what divides mentions.

    `lists` are files, an entry a line, or ``wordfreq:N``.
    """


_ConfirmSettings = make_settings_model(ConfirmOptions, excluded=("folder", "tagger", "jobs", "force"))


class DiscoverEntry(make_settings_model(DiscoverOptions, base=_ConfirmSettings, excluded=("notion",))):  # type: ignore[misc]  # as above
    """A search for faults in the study's runs: `DiscoverOptions`, `ConfirmOptions`, and where.

    With `confirm`, what a tagger misses in a suite is tested on new cases too.
    """

    on: list[str] = Field(default_factory=list)
    """Names of suites and corpora; the suites when empty (the corpora where there is no suite)."""


class InvarianceEntry(make_settings_model(PerturbOptions)):  # type: ignore[misc]  # as above
    """Runs of the study's taggers over perturbed texts: `PerturbOptions`, and where."""

    on: list[str] = Field(default_factory=list)
    """Names of suites and corpora; the suites when empty (the corpora where there is no suite)."""


class CalibrateEntry(make_settings_model(CalibrationOptions, excluded=("plan", "seed"))):  # type: ignore[misc]  # as above
    """Estimates for a corpus from the study's suites and its annotated corpora: `CalibrationOptions`.

    `composition` is the name of a bundled composition, or a file.
    """

    on: list[str] = Field(default_factory=list)
    """Names of the annotated corpora; all corpora when empty."""


class TransferEntry(make_settings_model(TransferOptions)):  # type: ignore[misc]  # as above
    """What the study's suites let expect of a corpus: `TransferOptions`.

    `standardise` is the name of a bundled composition, or a file.
    """

    @model_validator(mode="after")
    def _names_a_composition(self) -> TransferEntry:
        if not self.standardise:
            raise ValueError("standardise is needed: a composition file, or the name of a bundled one")
        return self
