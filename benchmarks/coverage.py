"""Coverage of the 95 % intervals by simulation, with crossed entity and context effects.

``python benchmarks/coverage.py`` simulates suites in which entities and contexts have effects of their own
(on the logit scale) and counts how often intervals contain the recall over all entities and contexts:
tagsuite's, the percentile interval of the pigeonhole bootstrap (Owen 2007, with ``--draws``) and the plain
binomial one (Wilson), which takes mentions for independent. Then it simulates corpora, whose documents and
surface forms have effects (a form recurs as often as its rank says, after Zipf), beside what leaving out
documents alone would give. With ``--check`` the exit status is 1 when tagsuite's leaves its promise: between
93 and 98 % with effects from 50 entities and 15 contexts (40 documents, 40 forms) up, at least 93 % without
effects and in smaller suites and corpora.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from measuring import options_of
from scipy.special import expit

from tagsuite.harness.scoring.statistics.design import DOCUMENTS_BY_FORMS
from tagsuite.harness.scoring.statistics.groups import ENTITIES_BY_CONTEXTS
from tagsuite.harness.scoring.statistics.intervals import wilson_interval
from tagsuite.harness.scoring.statistics.jackknife import CORPUS_PAIR_WEIGHT, ShareSums, estimate_variance
from tagsuite.harness.scoring.statistics.shares import make_share_estimate


@dataclass(frozen=True)
class Setting:
    """A kind of suite: its size, the share of its cells that are cases, the effects, the level."""

    entities: int
    contexts: int
    density: float
    entity_effect: float
    context_effect: float
    level: float

    @property
    def promise(self) -> tuple[float, float]:
        """Between what coverage has to lie."""
        effects = self.entity_effect > 0 and self.context_effect > 0
        return (0.93, 0.98) if effects and self.entities >= 50 and self.contexts >= 15 else (0.93, 1.0)


def settings() -> list[Setting]:
    """The suites that are simulated."""
    sizes = [(50, 15, 1.0), (100, 15, 0.3), (100, 50, 0.2), (400, 40, 0.1), (20, 10, 1.0), (10, 5, 1.0)]
    effects = [(1.0, 1.0, 0.0), (0.5, 0.5, 1.0), (1.0, 1.0, 2.0), (0.5, 1.5, 1.0), (1.5, 0.5, -1.5)]
    effects += [(0.0, 0.0, 0.0), (0.0, 0.0, 2.0)]
    return [Setting(*size, *effect) for size in sizes for effect in effects]


def truth(setting: Setting) -> float:
    """Recall over all entities and contexts: the mean of the logistic over both effects."""
    points, weights = np.polynomial.hermite_e.hermegauss(120)
    deviation = np.hypot(setting.entity_effect, setting.context_effect)
    return float((expit(setting.level + deviation * points) * weights).sum() / weights.sum())


def pigeonhole(
    hits: np.ndarray, there: np.ndarray, draws: int, generator: np.random.Generator
) -> tuple[float, float]:
    """Percentiles of the share when entities and contexts are drawn anew."""
    entities, contexts = hits.shape
    rows = generator.multinomial(entities, np.full(entities, 1 / entities), size=draws)
    columns = generator.multinomial(contexts, np.full(contexts, 1 / contexts), size=draws)
    part = ((rows @ hits) * columns).sum(1)
    whole = ((rows @ there) * columns).sum(1)
    shares = part[whole > 0] / whole[whole > 0]
    low, high = np.quantile(shares, [0.025, 0.975])
    return float(low), float(high)


def simulate(setting: Setting, tries: int, draws: int, seed: int) -> tuple[float, float, float, float]:
    """Coverage of ours, of the bootstrap's and of the binomial interval, and the mean width of ours."""
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
    """A kind of corpus, or of class in one: documents, mentions in each, forms drawn from, effects, level."""

    documents: int
    mentions: float
    forms: int
    document_effect: float
    form_effect: float
    level: float

    @property
    def promise(self) -> tuple[float, float]:
        """Between what coverage has to lie."""
        effects = self.document_effect > 0 and self.form_effect > 0
        return (0.93, 0.98) if effects and min(self.documents, self.forms) >= 40 else (0.93, 1.0)


def setups() -> list[Setup]:
    """The corpora that are simulated."""
    sizes = [(2000, 2.0, 4000), (400, 8.0, 1000), (100, 3.0, 200), (40, 2.0, 100), (20, 3.0, 20)]
    effects = [(0.5, 1.0, 0.5), (1.0, 1.0, 1.0), (0.5, 2.0, 1.0), (1.0, 0.5, -1.0), (0.0, 0.0, 0.5)]
    return [Setup(*size, *effect) for size in sizes for effect in effects]


def simulate_corpus(setup: Setup, tries: int, seed: int) -> tuple[float, float, float]:
    """Coverage of ours and of documents alone, and the mean width of ours."""
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
    """Simulate corpora and print; gives how many promises are broken."""
    print("documents  mentions  forms  effects      level   ours   documents alone  width  promise")
    broken = 0
    for setup in setups():
        ours, alone, width = simulate_corpus(setup, tries, seed)
        kept = within(setup.promise, ours, tries)
        broken += not kept
        print(
            f"{setup.documents:9d}  {setup.mentions:8.1f}  {setup.forms:5d}  {setup.document_effect:4.1f} "
            f"{setup.form_effect:4.1f}    {setup.level:5.1f}   {ours:.3f}  {alone:15.3f}  {width:.3f}  "
            f"{'kept' if kept else 'BROKEN'}",
            flush=True,
        )
    return broken


def within(promise: tuple[float, float], found: float, tries: int) -> bool:
    """Whether a simulated coverage keeps a promise, but for what chance alone may add or take."""
    slack = 2.6 * np.sqrt(0.93 * 0.07 / tries)
    return bool(promise[0] - slack <= found <= promise[1] + slack)


def main() -> int:
    """Simulate, print, check."""
    parser = options_of(__doc__)
    parser.add_argument("--tries", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=0, help="of the bootstrap beside it; none by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    print(
        "entities  contexts  density  effects      level   recall  ours   bootstrap  binomial  width  promise"
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
            f"{'kept' if kept else 'BROKEN'}",
            flush=True,
        )
    broken += corpora(given.tries, given.seed)
    return 1 if given.check and broken else 0


if __name__ == "__main__":
    sys.exit(main())
