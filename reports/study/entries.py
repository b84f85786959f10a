"""Tables in a study file, such as ``[[suite]]`` and ``[[tagger]]``."""

from __future__ import annotations

from pydantic import Field, model_validator

from ...catalogues.core.settings import Settings, make_settings_model
from ...generator.perturbing.options import PerturbOptions
from ...generator.recipe import SuiteOptions
from ...generator.recipe_file import PartTable
from ...harness.running.repeats import RepeatOptions
from ...harness.scoring.options import ClassOptions, ScoringOptions
from ...harness.scoring.search_options import ConfirmOptions, DiscoverOptions
from ...harness.scoring.transfer.options import CalibrationOptions, TransferOptions

NAME_FIELD = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")

_EXCLUDED_OPTIONS = ("capitalise_initial", "look_alikes_file", "lists")


class SuiteEntry(make_settings_model(SuiteOptions, excluded=_EXCLUDED_OPTIONS)):  # type: ignore[misc]  # made from options
    """Suite to generate, from a recipe file or from parts in the study file."""

    name: str = NAME_FIELD
    recipe: str = ""
    part: list[PartTable] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_of_both(self) -> SuiteEntry:
        if bool(self.recipe) == bool(self.part):
            raise ValueError("a suite needs either recipe (a file) or [[suite.part]] tables")
        return self


class CorpusEntry(Settings):
    """Annotated corpus, given as ``FORMAT:PATH``."""

    name: str = NAME_FIELD
    gold: str


class TermsEntry(Settings):
    """Term list to write before the taggers run, with the names of the entities that a query selects."""

    name: str = NAME_FIELD
    kind: str = ""
    """Kind of `file`, as for `tagsuite catalogue import`; if empty, the files in `catalogue` are used."""
    file: str = ""
    catalogue: list[str] = Field(default_factory=list)
    entities: str = "all"


class TaggerEntry(make_settings_model(RepeatOptions, excluded=("vary",))):  # type: ignore[misc]  # as above
    """Tagger to run, with its options and the number of repetitions."""

    name: str = NAME_FIELD
    tagger: str
    options: dict[str, str] = Field(default_factory=dict)
    on: list[str] = Field(default_factory=list)
    """Suites and corpora on which the tagger is run; if empty, all of them."""


class RecordedEntry(Settings):
    """Recorded output of a tagger on one of the suites or corpora."""

    name: str = NAME_FIELD
    on: str
    predicted: str
    version: str = "recorded"


_ScoringSettings = make_settings_model(ScoringOptions)


class ScoreEntry(make_settings_model(ClassOptions, base=_ScoringSettings, excluded=("notion", "gold"))):  # type: ignore[misc]  # as above
    """Options for scoring all runs: the fields of `ScoringOptions`, and `classes` and `by`.

    The values of `lists` are files with one entry per line, or ``wordfreq:N``.
    """


_ConfirmSettings = make_settings_model(ConfirmOptions, excluded=("folder", "tagger", "jobs", "overwrite"))


class DiscoverEntry(make_settings_model(DiscoverOptions, base=_ConfirmSettings, excluded=("notion",))):  # type: ignore[misc]  # as above
    """Options for the search for faults: the fields of `DiscoverOptions` and `ConfirmOptions`, and `on`.

    With `confirm`, faults that lower the recall on a suite are also tested on new cases.
    """

    on: list[str] = Field(default_factory=list)
    """Suites and corpora to search; if empty, all suites, or all corpora if there is no suite."""


class InvarianceEntry(make_settings_model(PerturbOptions)):  # type: ignore[misc]  # as above
    """Options for the invariance tests: the fields of `PerturbOptions`, and `on`."""

    on: list[str] = Field(default_factory=list)
    """Suites and corpora to perturb; if empty, all suites, or all corpora if there is no suite."""


class CalibrateEntry(make_settings_model(CalibrationOptions)):  # type: ignore[misc]  # as above
    """Options (`CalibrationOptions`) for estimating results on a corpus from suites and annotated corpora.

    `composition` is the name of a bundled composition, or a composition file.
    """

    on: list[str] = Field(default_factory=list)
    """Annotated corpora to use; if empty, all corpora."""


class TransferEntry(make_settings_model(TransferOptions, excluded=("evidence",))):  # type: ignore[misc]  # as above
    """Options (`TransferOptions`) for estimating results on a corpus from results on the suites.

    `standardise` is the name of a bundled composition, or a composition file.
    """

    evidence: list[str] = Field(default_factory=list)
    """Annotated corpora whose results are used together with those on the suites."""

    @model_validator(mode="after")
    def _names_a_composition(self) -> TransferEntry:
        if not self.standardise:
            raise ValueError("standardise is missing; give a composition file or a bundled composition")
        return self
