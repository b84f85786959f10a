"""Evaluate discovery with planted faults: a simulated tagger misses 90 % of a class and 10 % elsewhere.

Errors are drawn per mention, per name (missed in all sentences) or per sentence. Queries that discovery
reports are compared with the planted query by the gold mentions of a corpus that both select (Jaccard index).
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

FAULTS = {
    "numeral and hyphen first": "data ~ /^\\d+-/",
    "before protein": "following_word = protein",
    "in parentheses": 'left_punctuation = "(" and right_punctuation = ")"',
    "lower-case symbol after the": "case = lower and name_vs_symbol = symbol and preceding_word = the",
    "four words or more": "words >= 4",
    "slash": "contains_forward_slash",
    "final Greek letter": "Greek_letter_position = final",
    "hyphen at the beginning of the sentence": "contains_hyphen and position = initial",
    "capitals in a coordination": "case = upper and list_context = coordination",
    "symbol with a numeral, last of a list": (
        "name_vs_symbol = symbol and contains_a_numeral and list_position = last"
    ),
    "ends in a digit": "last_character = digit",
    "last of a list": "list_position = last",
}
FAULT_MISS_RATE, OTHER_MISS_RATE = 0.9, 0.1
ERROR_UNITS = ("mention", "name", "sentence")
"""Units for which errors are drawn: one mention, all mentions of a name, or all mentions in a sentence."""
SCOPES = ("entity", "context", "slot")


@cache
def load_mentions(data: Path) -> pd.DataFrame:
    """Return the gold mentions of the BC2GM test part, with all features that are searched."""
    from tagsuite.catalogues.taxonomy import taxonomy
    from tagsuite.harness.scoring.discovery.conditions import list_searchable_features
    from tagsuite.harness.scoring.features import add_features
    from tagsuite.sentences.formats.registry import read_corpus

    gold = read_corpus(f"bc2gm:{data / 'bc2gm' / 'test'}")
    known = taxonomy().by_column
    wanted = list_searchable_features()
    return add_features(gold, gold.mentions, [known[c] for c in sorted(wanted)])


def select_mentions(query: str, table: pd.DataFrame) -> np.ndarray:
    """Return a mask of the mentions that a query selects."""
    from tagsuite.catalogues.query import Query

    return np.asarray(Query.parse(query, SCOPES).evaluate(table))


def compute_jaccard(one: str, other: str, data: Path) -> float:
    """Return the Jaccard index of the mentions that two queries select on the corpus."""
    a, b = select_mentions(one, load_mentions(data)), select_mentions(other, load_mentions(data))
    return float((a & b).sum() / max((a | b).sum(), 1))


@dataclass(frozen=True)
class SimulatedTagger:
    """Simulated tagger with a planted query, and the unit for which its errors are drawn."""

    query: str
    unit: str
    seed: int

    def draw_verdicts(
        self, table: pd.DataFrame, names: np.ndarray, sentences: np.ndarray, run_number: int
    ) -> np.ndarray:
        """Return a mask of the mentions that are found; the draws differ between run numbers."""
        inside = select_mentions(self.query, table) if self.query else np.zeros(len(table), dtype=bool)
        mentions = np.arange(len(table)) + 1_000_000 * run_number
        keys = {"mention": mentions, "name": names, "sentence": sentences}[self.unit]
        hashed = pd.util.hash_array(keys.astype(str).astype(object), hash_key=f"{self.seed:016}")
        return np.asarray(hashed / 2.0**64 >= np.where(inside, FAULT_MISS_RATE, OTHER_MISS_RATE))


@dataclass(frozen=True)
class TrialResult:
    """Result of a search for one planted fault."""

    fault: str
    seed: int
    found: list[str]
    similarities: list[float]
    cases: int
    seconds: float

    @property
    def best_similarity(self) -> float:
        """Jaccard index of the finding most similar to the planted query; 0 without findings."""
        return max(self.similarities, default=0.0)

    @property
    def false_findings(self) -> int:
        """Number of findings that have almost no mentions in common with the planted query."""
        return sum(value < 0.1 for value in self.similarities)


Search = Callable[[SimulatedTagger], tuple[list[str], int]]
"""Function from a simulated tagger to the queries found and the number of cases used."""


def run_trial(search: Search, name: str, unit: str, seed: int, data: Path) -> TrialResult:
    """Plant one fault and search for it."""
    begun = time.perf_counter()
    found, cases = search(SimulatedTagger(FAULTS[name], unit, seed))
    seconds = time.perf_counter() - begun
    return TrialResult(
        name, seed, found, [compute_jaccard(q, FAULTS[name], data) for q in found], cases, seconds
    )


def make_halves_search(cases: int) -> Search:
    """Return a function that searches a suite by halves, as ``tagsuite discover`` does."""

    def search(fault: SimulatedTagger) -> tuple[list[str], int]:
        from tagsuite.harness.scoring.discovery.discover import discover_table

        table, entity, context = draw_suite(cases, fault.seed)
        right = fault.draw_verdicts(table, entity, context, 0)
        found = discover_table(table, right, entity=entity, context=context, seed=fault.seed)
        return found["query"].tolist(), cases

    return search


@cache
def draw_suite(cases: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return the mentions of a suite drawn from the bundled material, with the columns to search."""
    import tempfile

    from tagsuite.generator.part_options import PartOptions
    from tagsuite.generator.recipe import SuiteOptions, SuiteRecipe
    from tagsuite.generator.suite import generate
    from tagsuite.harness.scoring.discovery.conditions import list_searchable_features
    from tagsuite.sentences.suites import read_suite

    part = PartOptions(contexts="context.type = tp", combine="sample", size=cases)
    with tempfile.TemporaryDirectory() as folder:
        generate(SuiteRecipe((part,), SuiteOptions(seed=seed)), Path(folder) / "suite")
        read = read_suite(Path(folder) / "suite").inline_features()
    mentions = read.mentions
    context = read.texts.set_index("text_id")["context_id"].reindex(mentions["text_id"]).to_numpy()
    kept = list_searchable_features()
    table = mentions[[c for c in mentions.columns if c in kept]].reset_index(drop=True)
    return table, mentions["entity_id"].astype(str).to_numpy(), context


class BundledMaterial:
    """All combinations of bundled entities and slots, with their features."""

    def __init__(self) -> None:
        import tempfile

        from tagsuite.generator.part_options import PartOptions
        from tagsuite.generator.recipe import SuiteRecipe
        from tagsuite.generator.suite import generate
        from tagsuite.harness.scoring.discovery.conditions import list_searchable_features
        from tagsuite.sentences.suites import read_suite

        part = PartOptions(contexts="context.type = tp", combine="each", fill="draw")
        with tempfile.TemporaryDirectory() as folder:
            generate(SuiteRecipe((part,)), Path(folder) / "suite")
            corpus = read_suite(Path(folder) / "suite").inline_features()
        mentions = corpus.mentions
        context = corpus.texts.set_index("text_id")["context_id"].reindex(mentions["text_id"]).to_numpy()
        mentions = mentions.assign(context_id=context)
        kept = list_searchable_features()
        known = list_scopes()
        entity = [c for c in mentions.columns if c in kept and known[c] == "entity"]
        slot = [c for c in mentions.columns if c in kept and known[c] != "entity"]
        self.entities = mentions.drop_duplicates("entity_id")[["entity_id", *entity]].reset_index(drop=True)
        self.slots = mentions.drop_duplicates(["context_id", "slot"])[["context_id", "slot", *slot]]
        self.slots = self.slots.reset_index(drop=True)
        self.names = [*entity, *slot]


def list_scopes() -> dict[str, str]:
    """Return the scope of each feature by column."""
    from tagsuite.catalogues.taxonomy import taxonomy

    return {c: f.scope for c, f in taxonomy().by_column.items()}


@cache
def load_material() -> BundledMaterial:
    """Return the bundled material."""
    return BundledMaterial()


def make_confirmed_search(cases: int, max_new_cases: int, cases_per_class: int) -> Search:
    """Return a function that searches a suite and confirms with new cases, as ``discover --confirm`` does."""

    def search(fault: SimulatedTagger) -> tuple[list[str], int]:
        from tagsuite.catalogues.query import Query
        from tagsuite.harness.scoring.discovery.confirmation import (
            build_confirmed_table,
            confirm_candidates,
            select_searched_half,
        )
        from tagsuite.harness.scoring.discovery.near_misses import Arm, JudgedMentions
        from tagsuite.harness.scoring.search_options import ConfirmOptions, DiscoverOptions

        table, entity, context = draw_suite(cases, fault.seed)
        known = load_material()
        names, sentences = known.entities["entity_id"].to_numpy(), known.slots["context_id"].to_numpy()
        run = JudgedMentions(
            table[known.names],
            fault.draw_verdicts(table, entity, context, 0),
            entity,
            context,
            np.arange(len(table)),
        )
        searched = select_searched_half(run, fault.seed)
        generator = np.random.Generator(np.random.PCG64([fault.seed, 77]))
        # names and sentences that were not searched: 0 for exploratory cases, 1 for final tests
        serve = []
        for all_of, seen in ((names, entity[searched]), (sentences, context[searched])):
            distinct = np.unique(all_of)
            drawn = dict(zip(distinct, generator.integers(0, 2, len(distinct)), strict=True))
            serve.append(np.where(np.isin(all_of, seen), -1, [drawn[one] for one in all_of]))
        turns = iter(range(1, 1000))
        used: set[int] = set()
        spent: list[int] = []

        def ask(arms: Sequence[Arm], final: bool) -> JudgedMentions:
            of_entity, of_slot, of_arm = [], [], []
            for number, arm in enumerate(arms):
                chosen = [purpose == final for purpose in serve]
                for condition in arm.conditions:
                    query = Query.parse(condition, SCOPES)
                    side = int(query.features[0].scope != "entity")
                    chosen[side] &= np.asarray(query.evaluate((known.entities, known.slots)[side]))
                first, second = (np.flatnonzero(c) for c in chosen)
                if not len(first) or not len(second):
                    continue
                size = min(arm.size, len(first), len(set(sentences[second])))
                drawn = generator.integers(0, len(first) * len(second), arm.size * 3)
                keys = [
                    int(first[d // len(second)]) * len(known.slots) + int(second[d % len(second)])
                    for d in dict.fromkeys(drawn.tolist())
                ]
                keys = [key for key in keys if key not in used][:size]
                used.update(keys)
                of_entity += [key // len(known.slots) for key in keys]
                of_slot += [key % len(known.slots) for key in keys]
                of_arm += [number] * len(keys)
            rows = pd.concat(
                [
                    known.entities.iloc[of_entity].reset_index(drop=True),
                    known.slots.iloc[of_slot].reset_index(drop=True),
                ],
                axis=1,
            )[known.names]
            right = fault.draw_verdicts(rows, names[of_entity], sentences[of_slot], next(turns))
            spent.append(len(rows))
            return JudgedMentions(
                rows,
                right,
                names[of_entity],
                sentences[of_slot],
                np.arange(len(rows)),
                np.array(of_arm, dtype=np.int64),
                len(rows),
            )

        options = DiscoverOptions(seed=fault.seed)
        tested = confirm_candidates(
            run.take(searched), ask, options, ConfirmOptions(confirm=cases_per_class, cases=max_new_cases)
        )
        return build_confirmed_table(tested, run, options)["query"].tolist(), cases + sum(spent)

    return search


def format_table(trials: list[TrialResult]) -> str:
    """Return the trials as a Markdown table, one row per trial."""
    lines = [
        "| fault | seed | most alike | Jaccard | false | cases | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for t in trials:
        query = t.found[int(np.argmax(t.similarities))] if t.found else "(nothing)"
        lines.append(
            f"| {t.fault} | {t.seed} | `{query}` | {t.best_similarity:.2f} | {t.false_findings} "
            f"| {t.cases:,} | {t.seconds:.0f} |"
        )
    alike = [sum(t.best_similarity >= limit for t in trials) for limit in (0.5, 0.8)]
    lines.append(
        f"\nof {len(trials)} planted, found with Jaccard >= .5: {alike[0]}, >= .8: {alike[1]}; "
        f"false findings: {sum(t.false_findings for t in trials)} of {sum(len(t.found) for t in trials)}"
    )
    return "\n".join(lines)


def report(
    data: Path, *, explored: int, fresh: int, each: int, nulls: int, faults: bool, state: bool
) -> bool:
    """Print what each kind of search finds, with errors drawn per mention, per name and per sentence.

    Parameters
    ----------
    data : Path
        Folder of corpora.
    explored, fresh, each : int
        Cases of the run, maximum number of new cases, and new cases per class.
    nulls : int
        Number of taggers without a fault, for each kind of errors.
    faults : bool
        Plant faults.
    state : bool
        Measure the search by halves too.

    Returns
    -------
    bool
        True if confirmation finds 22 of 24 faults with each kind of errors, at most 5 % of its findings are
        false, and the taggers without a fault give at most 2 findings in total.
    """
    ways = {
        f"confirmed on new cases ({explored:,} + {fresh:,})": make_confirmed_search(explored, fresh, each)
    }
    if state:
        ways = {
            f"by halves ({n:,} cases)": make_halves_search(n) for n in (explored, explored + fresh)
        } | ways
    good = True
    for way, search in ways.items():
        findings = 0
        for unit in ERROR_UNITS:
            trials = []
            for seed, name in itertools.product((0, 1), FAULTS if faults else ()):
                trials.append(run_trial(search, name, unit, seed, data))
                last = trials[-1]
                line = f"{unit}, {name}, {seed}: {last.best_similarity:.2f} {last.found}"
                print(line, file=sys.stderr, flush=True)
            if trials:
                print(f"## {way}, errors per {unit}", "", format_table(trials), "", sep="\n", flush=True)
            for seed in range(100, 100 + nulls):
                found, _ = search(SimulatedTagger("", unit, seed))
                findings += len(found)
                if found:
                    print(f"no fault, errors per {unit}, seed {seed}: {found}", flush=True)
            if way.startswith("confirmed") and trials:
                false, total = sum(t.false_findings for t in trials), sum(len(t.found) for t in trials)
                good &= sum(t.best_similarity >= 0.8 for t in trials) >= 22 and false <= 0.05 * total
        if nulls:
            print(f"{way}: {findings} findings in {3 * nulls} runs without a fault", flush=True)
            good &= findings <= 2 or not way.startswith("confirmed")
    return good
