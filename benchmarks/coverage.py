"""Simulate the coverage of 95 % intervals, with crossed effects of entities and contexts.

``python benchmarks/coverage.py`` simulates suites in which entities and contexts have random effects (on the
logit scale), and counts how often an interval contains the recall over all entities and contexts. It compares
the interval of tagsuite, the percentile interval of the pigeonhole bootstrap (Owen 2007, with ``--draws``)
and the binomial interval (Wilson), which assumes independent mentions. Then it simulates corpora in which
documents and surface forms have effects (frequencies of forms follow Zipf's law), and compares the interval
of tagsuite with resampling of documents only.

Then it compares two taggers on the same cases, and prints how often the test of paired differences and
McNemar's exact test find a difference: between equal taggers (size), and between taggers with recalls of .98
and .90 whose errors are not clustered (power).

Last, it simulates suites of few names with 20 mentions each, and prints how often the lower bound with which
`accept` decides at a confidence of .95 is below the true recall (at least .94), and how often a limit that is
.15 lower than the true recall is met (at least .80 with 20 names, effects up to 1 and recall from .8).

Finally, it simulates taggers whose recall depends only on features, or also differs by a fixed amount for
names from nomenclatures, and prints how often `compare --standardise` warns about the level (at most .05
without a difference, at least .80 with one of .2).

With ``--check`` the exit status is 1 if the coverage of tagsuite is outside the target: 93 to 98 % with
effects and at least 50 entities and 15 contexts (40 documents and 40 forms); at least 93 % without effects
and in smaller suites and corpora.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, replace

import numpy as np
from measuring import options_of
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import binomtest

import tagsuite as library
from tagsuite.harness.scoring.options import ScoringOptions
from tagsuite.harness.scoring.score_runs import score_runs
from tagsuite.harness.scoring.statistics.design import DOCUMENTS_BY_FORMS
from tagsuite.harness.scoring.statistics.groups import ENTITIES_BY_CONTEXTS
from tagsuite.harness.scoring.statistics.intervals import wilson_interval
from tagsuite.harness.scoring.statistics.jackknife import CORPUS_PAIR_WEIGHT, ShareSums, estimate_variance
from tagsuite.harness.scoring.statistics.paired_differences import test_exchange
from tagsuite.harness.scoring.statistics.shares import compute_lower_bound, make_share_estimate
from tagsuite.harness.scoring.transfer.composition import read_composition
from tagsuite.harness.scoring.transfer.evidence import list_features
from tagsuite.harness.scoring.transfer.level_checks import compare_levels, split_by_origin
from tagsuite.harness.scoring.transfer.model import compute_probabilities
from tagsuite.harness.scoring.transfer.standardise import fit_sources


@dataclass(frozen=True)
class Setting:
    """Simulated suite: its size, share of entity-context pairs that are cases, effects, and level."""

    entities: int
    contexts: int
    density: float
    entity_effect: float
    context_effect: float
    level: float

    @property
    def promise(self) -> tuple[float, float]:
        """Lower and upper limit of the target coverage."""
        effects = self.entity_effect > 0 and self.context_effect > 0
        return (0.93, 0.98) if effects and self.entities >= 50 and self.contexts >= 15 else (0.93, 1.0)


def settings() -> list[Setting]:
    """Return the suites to simulate."""
    sizes = [(50, 15, 1.0), (100, 15, 0.3), (100, 50, 0.2), (400, 40, 0.1), (20, 10, 1.0), (10, 5, 1.0)]
    effects = [(1.0, 1.0, 0.0), (0.5, 0.5, 1.0), (1.0, 1.0, 2.0), (0.5, 1.5, 1.0), (1.5, 0.5, -1.5)]
    effects += [(0.0, 0.0, 0.0), (0.0, 0.0, 2.0)]
    return [Setting(*size, *effect) for size in sizes for effect in effects]


def truth(setting: Setting) -> float:
    """Return recall over all entities and contexts: the mean of the logistic function over both effects."""
    points, weights = np.polynomial.hermite_e.hermegauss(120)
    deviation = np.hypot(setting.entity_effect, setting.context_effect)
    return float((expit(setting.level + deviation * points) * weights).sum() / weights.sum())


def pigeonhole(
    hits: np.ndarray, there: np.ndarray, draws: int, generator: np.random.Generator
) -> tuple[float, float]:
    """Return percentiles of recall when entities and contexts are resampled."""
    entities, contexts = hits.shape
    rows = generator.multinomial(entities, np.full(entities, 1 / entities), size=draws)
    columns = generator.multinomial(contexts, np.full(contexts, 1 / contexts), size=draws)
    part = ((rows @ hits) * columns).sum(1)
    whole = ((rows @ there) * columns).sum(1)
    shares = part[whole > 0] / whole[whole > 0]
    low, high = np.quantile(shares, [0.025, 0.975])
    return float(low), float(high)


def simulate(setting: Setting, tries: int, draws: int, seed: int) -> tuple[float, float, float, float]:
    """Return the coverage of our interval, the bootstrap and the binomial interval, and our mean width."""
    generator = np.random.Generator(np.random.PCG64(seed))
    true = truth(setting)
    covered = np.zeros(3)
    width = 0.0
    for _ in range(tries):
        logit = setting.level + setting.entity_effect * generator.normal(size=(setting.entities, 1))
        logit = logit + setting.context_effect * generator.normal(size=(1, setting.contexts))
        there = (generator.random(logit.shape) < setting.density).astype(float)
        hits = there * (generator.random(logit.shape) < expit(logit))
        size = float(there.sum())
        sums = [
            ShareSums(hits.sum(1), there.sum(1)),
            ShareSums(hits.sum(0), there.sum(0)),
            ShareSums(hits[there > 0], there[there > 0]),
        ]
        ours = make_share_estimate(
            float(hits.sum() / size), size, estimate_variance([sums]), 0.95, ENTITIES_BY_CONTEXTS
        )
        plain = wilson_interval(hits.sum(), size)
        drawn = pigeonhole(hits, there, draws, generator) if draws else (np.nan, np.nan)
        for i, ends in enumerate([(ours.low, ours.high), drawn, plain]):
            low, high = np.asarray(ends, dtype=float)
            covered[i] += low <= true <= high
        width += ours.high - ours.low
    covered /= tries
    return float(covered[0]), float(covered[1]) if draws else float("nan"), float(covered[2]), width / tries


@dataclass(frozen=True)
class Setup:
    """Simulated corpus: documents, mentions per document, number of forms, effects, and level."""

    documents: int
    mentions: float
    forms: int
    document_effect: float
    form_effect: float
    level: float

    @property
    def promise(self) -> tuple[float, float]:
        """Lower and upper limit of the target coverage."""
        effects = self.document_effect > 0 and self.form_effect > 0
        return (0.93, 0.98) if effects and min(self.documents, self.forms) >= 40 else (0.93, 1.0)


def setups() -> list[Setup]:
    """Return the corpora to simulate."""
    sizes = [(2000, 2.0, 4000), (400, 8.0, 1000), (100, 3.0, 200), (40, 2.0, 100), (20, 3.0, 20)]
    effects = [(0.5, 1.0, 0.5), (1.0, 1.0, 1.0), (0.5, 2.0, 1.0), (1.0, 0.5, -1.0), (0.0, 0.0, 0.5)]
    return [Setup(*size, *effect) for size in sizes for effect in effects]


def simulate_corpus(setup: Setup, tries: int, seed: int) -> tuple[float, float, float]:
    """Return the coverage of our interval and of resampling of documents only, and our mean width."""
    generator = np.random.Generator(np.random.PCG64(seed))
    # every form once in a while, the first ones often: rank to the power of -.7
    weights = np.arange(1, setup.forms + 1) ** -0.7
    weights /= weights.sum()
    true = truth(Setting(0, 0, 1.0, setup.document_effect, setup.form_effect, setup.level))
    covered = np.zeros(2)
    width = 0.0
    for _ in range(tries):
        document = np.repeat(np.arange(setup.documents), generator.poisson(setup.mentions, setup.documents))
        form = generator.choice(setup.forms, len(document), p=weights)
        logit = setup.level + setup.document_effect * generator.normal(size=setup.documents)[document]
        logit = logit + setup.form_effect * generator.normal(size=setup.forms)[form]
        hits = (generator.random(len(logit)) < expit(logit)).astype(float)
        size = float(len(hits))
        sums = [
            ShareSums(np.bincount(way, hits).astype(float), np.bincount(way).astype(float))
            for way in (document, form, np.unique(document * setup.forms + form, return_inverse=True)[1])
        ]
        both = make_share_estimate(
            hits.mean(), size, estimate_variance([sums], CORPUS_PAIR_WEIGHT), 0.95, DOCUMENTS_BY_FORMS
        )
        alone = make_share_estimate(hits.mean(), size, estimate_variance([sums[:1]]), 0.95, "documents")
        covered += [both.low <= true <= both.high, alone.low <= true <= alone.high]
        width += both.high - both.low
    return float(covered[0] / tries), float(covered[1] / tries), width / tries


def corpora(tries: int, seed: int) -> int:
    """Simulate and print the corpora; return the number of results outside the target."""
    print("documents  mentions  forms  effects      level   ours   documents only   width  target")
    broken = 0
    for setup in setups():
        ours, alone, width = simulate_corpus(setup, tries, seed)
        kept = within(setup.promise, ours, tries)
        broken += not kept
        print(
            f"{setup.documents:9d}  {setup.mentions:8.1f}  {setup.forms:5d}  {setup.document_effect:4.1f} "
            f"{setup.form_effect:4.1f}    {setup.level:5.1f}   {ours:.3f}  {alone:15.3f}  {width:.3f}  "
            f"{'met' if kept else 'MISSED'}",
            flush=True,
        )
    return broken


DESIGNS = ("distinct", "some repeated", "10 × 6", "40 × 20")
"""Names and sentences of the cases on which two taggers are compared: 60 cases, or 800 in the last design."""


def place_cases(design: str, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the name and the sentence of each case."""
    if design == "distinct":
        return np.arange(60), np.arange(60)
    if design == "some repeated":
        return generator.integers(0, 40, 60), generator.integers(0, 30, 60)
    names, sentences = (int(n) for n in design.split(" × "))
    return np.repeat(np.arange(names), sentences), np.tile(np.arange(sentences), names)


def level_of(recall: float, effects: tuple[float, float]) -> float:
    """Return the level (logit) at which recall over all names and sentences has a value."""
    return float(brentq(lambda x: truth(Setting(0, 0, 1.0, *effects, x)) - recall, -20.0, 20.0))


def compare_taggers(
    design: str, recalls: tuple[float, float], effects: tuple[float, float], tries: int, seed: int
) -> tuple[float, float]:
    """Return how often our test and McNemar's exact test find a difference between two taggers."""
    generator = np.random.Generator(np.random.PCG64(seed))
    levels = [level_of(recall, effects) for recall in recalls]
    found = np.zeros(2)
    for _ in range(tries):
        name, sentence = place_cases(design, generator)
        ways = name, sentence, np.unique(name * 100 + sentence, return_inverse=True)[1]
        hits = []
        for level in levels:
            logit = level + effects[0] * generator.normal(size=100)[name]
            logit = logit + effects[1] * generator.normal(size=100)[sentence]
            hits.append((generator.random(len(name)) < expit(logit)).astype(float))
        sums = [
            [ShareSums(*(np.bincount(way, w).astype(float) for w in (h, np.ones_like(h)))) for way in ways]
            for h in hits
        ]
        better, worse = (int((hits[i] > hits[1 - i]).sum()) for i in range(2))
        plain = binomtest(better, better + worse).pvalue if better + worse else 1.0
        found += [test_exchange(*sums) <= 0.05, plain <= 0.05]
    return float(found[0] / tries), float(found[1] / tries)


def pairs_of_taggers(tries: int, seed: int) -> int:
    """Simulate and print paired comparisons; return the number of results outside the target."""
    print("cases          recalls   effects (name, sentence)   ours   McNemar  target")
    broken = 0
    clustered = [(0.0, 0.0), (1.5, 0.0), (0.0, 1.5), (1.0, 1.0)]
    settings = [((0.9, 0.9), e) for e in clustered] + [((0.7, 0.7), e) for e in clustered]
    for design in DESIGNS:
        for recalls, effects in [((0.98, 0.90), (0.0, 0.0)), *settings]:
            ours, plain = compare_taggers(design, recalls, effects, tries, seed)
            kept = ours >= 0.9 * plain if recalls[0] != recalls[1] else within((0.0, 0.05), ours, tries)
            broken += not kept
            print(
                f"{design:13s}  {recalls[0]:.2f} {recalls[1]:.2f}  {effects[0]:10.1f} {effects[1]:.1f}"
                f"               {ours:.3f}  {plain:7.3f}  {'met' if kept else 'MISSED'}",
                flush=True,
            )
    return broken


def bound_few_names(
    names: int, effect: float, recall: float, tries: int, seed: int
) -> tuple[float, float, float]:
    """Return how often the interval's end and our bound are below recall, and how often a limit is met."""
    generator = np.random.Generator(np.random.PCG64(seed))
    level = level_of(recall, (effect, 0.0))
    found = np.zeros(3)
    for _ in range(tries):
        hits = generator.random((names, 20)) < expit(level + effect * generator.normal(size=(names, 1)))
        apart = ShareSums(hits.ravel().astype(float), np.ones(hits.size))
        sums = [ShareSums(hits.sum(1).astype(float), np.full(names, 20.0)), apart, apart]
        estimate = make_share_estimate(
            float(hits.mean()), float(hits.size), estimate_variance([sums]), 0.9, ENTITIES_BY_CONTEXTS
        )
        bound = compute_lower_bound(estimate, names, 0.9)
        found += [estimate.low <= recall, bound <= recall, bound >= recall - 0.15]
    return float(found[0] / tries), float(found[1] / tries), float(found[2] / tries)


def bounds_of_few_names(tries: int, seed: int) -> int:
    """Simulate and print lower bounds; return the number of results outside the target."""
    print("names  effect  recall  interval  ours   limit .15 lower met  target")
    broken = 0
    for names in (10, 15, 20, 30, 40, 80):
        for effect in (0.0, 1.0, 2.0, 3.0):
            for recall in (0.6, 0.8, 0.9, 0.95):
                plain, ours, met = bound_few_names(names, effect, recall, tries, seed)
                kept = within((0.94, 1.0), ours, tries)
                if names >= 20 and effect <= 1.0 and recall >= 0.8:
                    kept &= within((0.8, 1.0), met, tries)
                broken += not kept
                print(
                    f"{names:5d}  {effect:6.1f}  {recall:6.2f}  {plain:8.3f}  {ours:.3f}  {met:19.3f}  "
                    f"{'met' if kept else 'MISSED'}",
                    flush=True,
                )
    return broken


def level_warnings(tries: int, seed: int) -> int:
    """Simulate and print warnings about levels; return the number of results outside the target."""
    with tempfile.TemporaryDirectory() as folder:
        library.generate(f"{folder}/suite", combine="sample", size=3000, seed=seed)
        library.run(f"{folder}/suite", "kex", f"{folder}/kex")
        suite = score_runs([f"{folder}/kex"], ScoringOptions(notions=("strict",)))[0]
    composition = read_composition("bc2gm-train")
    features = list_features("recall", composition.features)
    parts = split_by_origin(suite, features)
    model = fit_sources(parts, features).model
    shares = [
        compute_probabilities(model.make_design_matrix(model.make_columns(part.frame)), model.weights)
        for part in parts
    ]
    generator = np.random.Generator(np.random.PCG64(seed))
    print("difference  effect  warnings  target")
    broken = 0
    for difference in (0.0, 0.2, -0.2):
        for effect in (0.0, 1.0):
            found = 0
            for _ in range(tries):
                drawn = []
                for part, share, shift in zip(parts, shares, (difference, 0.0), strict=True):
                    entity = part.ways[0]
                    odds = logit(np.clip(share + shift, 0.001, 0.999))
                    odds = odds + effect * generator.normal(size=int(entity.max()) + 1)[entity]
                    right = (generator.random(len(odds)) < expit(odds)).astype(np.float64)
                    drawn.append(replace(part, is_right=right))
                found += compare_levels(fit_sources(drawn, features), composition, 0.95)[2]
            rate = found / tries
            kept = within((0.8, 1.0) if difference else (0.0, 0.05), rate, tries)
            broken += not kept
            print(
                f"{difference:10.1f}  {effect:6.1f}  {rate:8.3f}  {'met' if kept else 'MISSED'}", flush=True
            )
    return broken


def within(promise: tuple[float, float], found: float, tries: int) -> bool:
    """Return True if a simulated coverage is within the target, allowing for simulation error."""
    slack = 2.6 * np.sqrt(0.93 * 0.07 / tries)
    return bool(promise[0] - slack <= found <= promise[1] + slack)


def main() -> int:
    """Simulate suites and corpora, print the results, and return the exit status."""
    parser = options_of(__doc__)
    parser.add_argument("--tries", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=0, help="bootstrap resamples (default: no bootstrap)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    print(
        "entities  contexts  density  effects      level   recall  ours   bootstrap  binomial  width  target"
    )
    broken = 0
    for setting in settings():
        ours, drawn, plain, width = simulate(setting, given.tries, given.draws, given.seed)
        kept = within(setting.promise, ours, given.tries)
        broken += not kept
        print(
            f"{setting.entities:8d}  {setting.contexts:8d}  {setting.density:7.1f}  "
            f"{setting.entity_effect:4.1f} {setting.context_effect:4.1f}    {setting.level:5.1f}  "
            f"{truth(setting):6.3f}  {ours:.3f}  {drawn:9.3f}  {plain:8.3f}  {width:.3f}  "
            f"{'met' if kept else 'MISSED'}",
            flush=True,
        )
    broken += corpora(given.tries, given.seed)
    broken += pairs_of_taggers(given.tries, given.seed)
    broken += bounds_of_few_names(given.tries, given.seed)
    broken += level_warnings(given.tries // 10, given.seed)
    return 1 if given.check and broken else 0


if __name__ == "__main__":
    sys.exit(main())
