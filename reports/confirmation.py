"""Confirmation of discovered faults with new cases, generated from the suite's recipe.

An arm is a group of new cases that meet the same conditions (see `near_misses.Arm`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.core.errors import InputError
from ..catalogues.core.messages import MessageFunction, say_nothing
from ..catalogues.core.output_folder import claim_folder
from ..catalogues.query import Query
from ..generator.combination_space import make_space
from ..generator.combine import product
from ..generator.material import Material, Part, select_fillers, select_places
from ..generator.part_options import PartOptions
from ..generator.part_plans import PartPlan, plan_part, restrict_to_attested
from ..generator.recipe import SuiteRecipe, SuiteRecord
from ..generator.recipe_file import read_recipe
from ..generator.suite import write_suite
from ..generator.suite_plan import SuitePlan, plan_suite_parts
from ..harness.running.engines import Progress
from ..harness.running.folder.runs import Run, read_run
from ..harness.running.lookup import find_run_tagger
from ..harness.running.preparation import prepare_tagger
from ..harness.running.run import run as run_tagger
from ..harness.running.tagger import Tagger
from ..harness.scoring.arrays import Ints
from ..harness.scoring.comparison.predictions import write_predictions
from ..harness.scoring.discovery.conditions import build_search_table
from ..harness.scoring.discovery.confirmation import (
    build_confirmed_table,
    confirm_candidates,
    describe_tests,
    select_searched_half,
)
from ..harness.scoring.discovery.discover import DiscoveryResult
from ..harness.scoring.discovery.near_misses import Arm, JudgedMentions
from ..harness.scoring.division import SCOPES
from ..harness.scoring.options import ScoringOptions
from ..harness.scoring.score_runs import RunSource, score_runs
from ..harness.scoring.scores import Scores
from ..harness.scoring.search_options import ConfirmOptions, DiscoverOptions
from ..harness.scoring.views.types import find_error_kinds
from ..sentences.suite_file import SUITE_FILE
from .cells import format_quantity

MATERIAL_OPTIONS = ("entities", "contexts", "look_alikes")
"""Options that name input files of a suite; the files must not have changed since it was generated."""


@dataclass
class FreshCases:
    """New cases, generated from the recipe of a suite and sent to a tagger in several rounds.

    Attributes
    ----------
    recipe : SuiteRecipe
        Recipe of the suite on which the faults were found.
    plans : tuple of SuitePlan
        Two suite plans, to which each round adds parts: one with the entities and contexts for exploratory
        cases, and one with the entities and contexts for final tests.
    tagger : Tagger
    folder : Path
        Output folder for ``round-1/suite``, ``round-1/run`` and so on; finished runs in it are reused.
    scoring : ScoringOptions
    search : DiscoverOptions
    seen_texts : set of str
        Texts of earlier cases; new cases with the same text are not evaluated.
    confirm_options : ConfirmOptions
        Options for the confirmation, including the number of tagger processes that run in parallel.
    say : callable
    reuse : bool
        Whether to reuse a finished run of the same cases, and to replace any other run.
    progress : callable, optional
        Called with the number of finished cases and the total number of cases of a round.
    rounds, spent : int
        Number of rounds so far, and number of new cases so far.
    """

    recipe: SuiteRecipe
    plans: tuple[SuitePlan, SuitePlan]
    tagger: Tagger
    folder: Path
    scoring: ScoringOptions
    search: DiscoverOptions
    seen_texts: set[str]
    confirm_options: ConfirmOptions
    say: MessageFunction = say_nothing
    reuse: bool = False
    progress: Progress | None = None
    rounds: int = 0
    spent: int = 0

    def __call__(self, arms: Sequence[Arm], final: bool) -> JudgedMentions | None:
        """Generate and run the cases of each arm, and return their mentions with verdicts."""
        self.rounds += 1
        # a relative path with a colon could be read as FORMAT:PATH
        place = self.folder.absolute() / f"round-{self.rounds}"
        plan, numbers = self._plan_round(arms, final)
        if not plan.parts:
            return None
        write_suite(plan, place / "suite", force=True, max_cases=plan.case_count)
        self.say(f"testing faults, round {self.rounds}: running {plan.case_count:,} new cases")
        run = run_tagger(
            str(place / "suite"),
            self.tagger,
            place / "run",
            jobs=self.confirm_options.jobs,
            force=self.confirm_options.overwrite or self.reuse,
            renew=not self.reuse,
            progress=self.progress,
        )
        self.spent += plan.case_count
        scores = score_runs([run], self.scoring)[0]
        found = extract_mentions(scores, self.search)
        texts = scores.corpus.texts.set_index("text_id")
        known = texts["text"].isin(self.seen_texts).to_numpy() | texts["text"].duplicated().to_numpy()
        self.seen_texts |= set(texts["text"].tolist())
        # per mention: the part of the suite that its case belongs to
        rows = texts.index.get_indexer(pd.Index(scores.gold["text_id"]))
        part = texts["part"].to_numpy()[rows].astype(np.int64)
        of_arm = np.where(known[rows], -1, np.array(numbers, dtype=np.int64)[part])
        return replace(found, arm=of_arm, spent=len(texts)).take(~known[rows])

    def _plan_round(self, arms: Sequence[Arm], final: bool) -> tuple[SuitePlan, list[int]]:
        """Plan a suite with one part for each arm that has cases; also return the indices of these arms."""
        plan = self.plans[final]
        # each round has its own random numbers
        drawn = np.random.SeedSequence([self.recipe.suite.seed, self.search.seed, self.rounds])
        seed = int(drawn.generate_state(1)[0])
        parts: list[PartPlan] = []
        numbers: list[int] = []
        for number, arm in enumerate(arms):
            options = self._options(arm)
            size = min(arm.size, count_independent(plan.material, options))
            if size:
                options = replace(options, size=size)
                parts.append(plan_part(Part(plan.material, options, seed, len(parts))))
                numbers.append(number)
        suite = replace(self.recipe.suite, seed=seed, name=f"round {self.rounds}")
        recipe = replace(self.recipe, parts=tuple(p.options for p in parts) or (PartOptions(),), suite=suite)
        return replace(plan, recipe=replace(recipe, record=SuiteRecord()), parts=parts), numbers

    def _options(self, arm: Arm) -> PartOptions:
        """Return the options of the suite part for an arm, restricted to what the recipe selects."""
        own = {"entity": [_join_with_or(p.entities for p in self.recipe.parts)]}
        own["context"] = ["context.type = tp", _join_with_or(p.contexts for p in self.recipe.parts)]
        for condition in arm.conditions:
            scopes = {f.scope for f in Query.parse(condition, SCOPES).features}
            own["entity" if scopes == {"entity"} else "context"].append(condition)
        first = self.recipe.parts[0]
        return PartOptions(
            entities=_join_with_and(own["entity"]),
            contexts=_join_with_and(own["context"]),
            combine="sample",
            size=arm.size,
            appositives=first.appositives,
            repeat_forms=first.repeat_forms,
            list_lengths=tuple(self.recipe.list_lengths),
        )


def divide_material(material: Material, searched: JudgedMentions, seed: int) -> tuple[Material, Material]:
    """Divide names and sentences into two halves, one for exploratory cases and one for final tests.

    The halves have no name or sentence in common. Names and sentences of the `searched` mentions are in
    neither half.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    fillers = material.fillers[: len(material.fillers) - material.made]
    names = _draw_halves(fillers["data"].astype("str").str.casefold(), searched.names, generator)
    sentences = _draw_halves(material.contexts["context_id"].astype("str"), searched.sentences, generator)
    of_slots = sentences[material.slot_context]
    first, second = (
        replace(
            material,
            fillers=fillers[names == half].reset_index(drop=True),
            gold=material.gold[: len(fillers)][names == half],
            contexts=material.contexts[sentences == half].reset_index(drop=True),
            slots=material.slots[of_slots == half].reset_index(drop=True),
            made=0,
        )
        for half in (0, 1)
    )
    return first, second


def _draw_halves(keys: pd.Series, searched: NDArray[np.object_], generator: np.random.Generator) -> Ints:
    """Assign each distinct key to half 0 or half 1 at random; keys in `searched` get -1 (neither half)."""
    codes, distinct = pd.factorize(keys, sort=True)
    half = generator.integers(0, 2, len(distinct))
    return np.where(keys.isin(set(searched)), -1, half[codes])


def count_independent(material: Material, options: PartOptions) -> int:
    """Return the maximum number of cases in which no name and no sentence occurs twice."""
    places = select_places(material, options.contexts, options.list_lengths)
    if not len(places.slots) or not len(select_fillers(material, options.entities, options.types)):
        return 0
    space = restrict_to_attested(options, make_space(Part(material, options)))
    sentences = np.unique(material.slot_context[space.places.slots])
    return min(product.count_product(space, full=False), len(space.fillers), len(sentences))


def _join_with_or(queries: Iterable[str]) -> str:
    listed = list(dict.fromkeys(queries))
    if "all" in listed:
        return "all"
    return listed[0] if len(listed) == 1 else " or ".join(f"({q})" for q in listed)


def _join_with_and(queries: Sequence[str]) -> str:
    kept = [q for q in dict.fromkeys(queries) if q != "all"]
    return " and ".join(f"({q})" for q in kept) if kept else "all"


def extract_mentions(scores: Scores, search: DiscoverOptions) -> JudgedMentions:
    """Return the gold mentions of a run with their features and verdicts, as input for the search."""
    table = build_search_table(scores, scores.gold, search.features)
    right = scores.get_tally(search.notion).get_right_mask("gold")
    gold = scores.corpus.add_features(scores.gold, ["data"])
    texts = scores.corpus.texts.set_index("text_id")
    rows = texts.index.get_indexer(pd.Index(gold["text_id"]))
    return JudgedMentions(
        table,
        right,
        gold["data"].astype("str").str.casefold().to_numpy(dtype=object),
        texts["context_id"].astype("str").to_numpy(dtype=object)[rows],
        rows.astype(np.int64),
        error_kinds=find_error_kinds(scores)["recall"],
    )


def confirm_run(
    run: RunSource,
    scoring: ScoringOptions,
    search: DiscoverOptions,
    options: ConfirmOptions,
    *,
    tagger: Tagger | None = None,
    reuse: bool = False,
    out: Path | None = None,
    say: MessageFunction = say_nothing,
    progress: Progress | None = None,
) -> DiscoveryResult:
    """Discover the faults of a run on a suite, and confirm them with new cases.

    Parameters
    ----------
    run : Run or path
        Run on a suite made by `generate`.
    scoring, search, options
        Options for scoring, for the search for faults, and for the new cases.
    tagger : Tagger, optional
        Tagger of the run; by default, the tagger that run.toml describes.
    reuse : bool
        Whether to reuse a finished run of the same cases, and to replace any other run.
    out : Path, optional
        Predictions file to write.
    say : callable
        Function called with each progress message.
    progress : callable, optional
        Called with the number of finished cases and the total number of cases of a round.

    Raises
    ------
    InputError
        If the suite of the run has no recipe, or the tagger is missing or has changed.
    """
    if search.measures not in ((), ("recall",)):
        raise InputError(
            "only recall can be confirmed with new cases",
            found=f"--measure {', '.join(search.measures)}",
            allowed="--measure recall",
        )
    suite_run = read_run(run)
    suite = Path(suite_run.input)
    if not (suite / SUITE_FILE).is_file():
        raise InputError(
            "new cases need the recipe of a suite, but this run is not on a suite",
            file=suite_run.folder,
            found=suite_run.input,
            allowed="a run on a suite made by `tagsuite generate`",
        )
    recipe = read_recipe(suite)
    record = SuiteRecord(digests={k: v for k, v in recipe.record.digests.items() if k in MATERIAL_OPTIONS})
    ready = tagger or restore_tagger(suite_run, os.fspath(options.tagger))
    counting = replace(scoring, notions=(search.notion,))
    scores = score_runs([suite_run], counting)[0]
    mentions = extract_mentions(scores, search)
    searched = mentions.take(select_searched_half(mentions, search.seed))
    # this plan only loads the catalogues; `product` avoids drawing cases that are not needed
    whole = PartOptions(combine="product", list_lengths=tuple(recipe.list_lengths))
    plan = plan_suite_parts(replace(recipe, record=record, parts=(whole,)), suite)
    first, second = divide_material(plan.material, searched, search.seed)
    fresh = FreshCases(
        recipe=replace(recipe, record=record),
        plans=(replace(plan, material=first), replace(plan, material=second)),
        tagger=ready,
        folder=options.folder or suite_run.folder.with_name(f"{suite_run.name}-confirm"),
        scoring=counting,
        search=search,
        seen_texts=set(scores.corpus.texts["text"].tolist()),
        confirm_options=options,
        say=say,
        reuse=reuse,
        progress=progress,
    )
    inputs = [suite_run.folder, suite, *ready.files]
    with claim_folder(fresh.folder, "confirmation", force=options.overwrite, inputs=inputs):
        tested = confirm_candidates(searched, fresh, search, options)
    table = build_confirmed_table(tested, mentions, search, scoring.confidence)
    notes = describe_tests(
        tested, table, f"{fresh.spent:,} new cases in {format_quantity(fresh.rounds, 'round')}"
    )
    if out is not None:
        about = (
            f"Discovered in {scores.run}, confirmed with new cases\n"
            f"confirm {options.confirm}, cases {options.cases}, candidates {options.candidates}, "
            f"depth {search.depth}, effect {search.effect:g}, "
            f"false discoveries {search.false_discoveries:g}, seed {search.seed}"
        )
        about = "\n".join((about, *notes))
        write_predictions(out, table, comment=about, signature=scores.overall_signature)
    return DiscoveryResult(table, "confirmed", scores.run, notes, fresh.spent)


def restore_tagger(run: Run, named: str = "") -> Tagger:
    """Return the tagger of a run, prepared to run again.

    Raises
    ------
    InputError
        If the specification of the tagger is missing, or has changed since the run.
    """
    record = run.meta.get("tagger", {})
    if not record.get("digest"):
        raise InputError("run.toml does not name the tagger of this run", file=run.folder / "run.toml")
    ready = prepare_tagger(*find_run_tagger(run, named))
    if ready.digest != record["digest"]:
        raise InputError(
            "the tagger has changed since this run, so new cases cannot confirm its results; repeat the run",
            file=ready.path,
            found=f"checksum {ready.digest[:12]}",
            allowed=f"checksum {str(record['digest'])[:12]} ({record['specification']})",
        )
    return ready
