"""The study file: what is generated, run, scored and compared."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from ...catalogues.core.settings import Settings, settings_of
from ...generator.recipe import PartRecipe
from ...harness.scoring.options import DiscoverOptions, ScoringOptions
from ...harness.tasks.section import Section

Name = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")


class SuiteEntry(Settings):
    """A suite to generate: a recipe's file, or the recipe's parts themselves."""

    name: str = Name
    recipe: str = ""
    seed: int = Field(default=0, ge=0)
    tag: str = "gp"
    part: list[PartRecipe] = Field(default_factory=list)

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


class TaggerEntry(Settings):
    """A tagger to run: a bundled tagger's name or a specification file."""

    name: str = Name
    tagger: str
    options: dict[str, str] = Field(default_factory=dict)
    on: list[str] = Field(default_factory=list)
    """Names of suites and corpora; all when empty."""


class RecordedEntry(Settings):
    """Output that was recorded elsewhere, over one of the study's corpora or suites."""

    name: str = Name
    on: str
    predicted: str
    version: str = "recorded"


class ScoreEntry(settings_of(ScoringOptions, ignore_types=True)):  # type: ignore[misc]  # made from options
    """How everything is scored: `ScoringOptions`, and the classes.

    `lists` are files, an entry a line, or ``wordfreq:N``.
    """

    classes: str = ""
    by: list[str] = Field(default_factory=list)


class DiscoverEntry(settings_of(DiscoverOptions, without=("notion",))):  # type: ignore[misc]  # as above
    """A search for faults in the study's runs: `DiscoverOptions`, and where."""

    on: list[str] = Field(default_factory=list)
    """Names of suites and corpora; the suites when empty (the corpora where there is no suite)."""


class StudyFile(Settings):
    """The content of a study file."""

    format: Literal[1]
    title: str
    about: str = ""
    suite: list[SuiteEntry] = Field(default_factory=list)
    corpus: list[CorpusEntry] = Field(default_factory=list)
    terms: list[TermsEntry] = Field(default_factory=list)
    tagger: list[TaggerEntry] = Field(default_factory=list)
    recorded: list[RecordedEntry] = Field(default_factory=list)
    evaluation: list[Section] = Field(default_factory=list)
    """Published evaluations to carry out as well; the options of `tagsuite evaluate`."""
    score: ScoreEntry = ScoreEntry()
    discover: DiscoverEntry | None = None
    """Search for faults; nothing is searched when left out."""
    predictions: str = ""
    """A predictions file, compared with every corpus."""
    acceptance: str = ""
    """A criteria file; the study's exit status is 1 when a criterion fails."""
    accept_on: list[str] = Field(default_factory=list)
    """The suites and corpora that the criteria are judged on; the suites when empty."""
    least: int = Field(default=20, ge=1)
    """Gold mentions that a class needs on both sides before two taggers are called different on it."""

    @model_validator(mode="after")
    def _names_agree(self) -> StudyFile:
        inputs = [*(s.name for s in self.suite), *(c.name for c in self.corpus)]
        if not inputs and not self.evaluation:
            raise ValueError("a study needs at least one [[suite]] or [[corpus]] (or [[evaluation]])")
        if inputs and not self.tagger and not self.recorded:
            raise ValueError("a study needs at least one [[tagger]] or [[recorded]]")
        twice = sorted({n for n in inputs if inputs.count(n) > 1})
        if twice:
            raise ValueError(f"two suites or corpora of one name: {', '.join(twice)}")
        for entry in self.tagger:
            unknown = [n for n in entry.on if n not in inputs]
            if unknown:
                raise ValueError(f"tagger {entry.name}: no suite or corpus named {', '.join(unknown)}")
        strange = [n for n in self.accept_on if n not in inputs]
        if strange:
            raise ValueError(f"accept_on: no suite or corpus named {', '.join(strange)}")
        unsearched = [n for n in (self.discover.on if self.discover else ()) if n not in inputs]
        if unsearched:
            raise ValueError(f"discover: no suite or corpus named {', '.join(unsearched)}")
        for item in self.recorded:
            if item.on not in inputs:
                raise ValueError(f"recorded {item.name}: no suite or corpus named {item.on}")
        runs = [(t.name, n) for t in self.tagger for n in (t.on or inputs)]
        runs += [(r.name, r.on) for r in self.recorded]
        double = sorted({r for r in runs if runs.count(r) > 1})
        if double:
            raise ValueError(f"two runs of {double[0][0]} on {double[0][1]}")
        return self
