"""Measure how often the intervals of ``tagsuite repeats`` contain planted flip rates.

``python benchmarks/repeats.py`` makes a suite whose classes have planted flip rates: whether a repetition
makes an error on a case is a pseudo-random function of case, class, repetition and try, so the true rate is
known. Other tables have entities that always flip (for half of the rate, or all of it), and mean recall with
effects of entities, contexts and repetitions. Finally a real tagger is run three times with three repetitions
(``--no-tagger`` omits it).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from measuring import options_of
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

import tagsuite
from tagsuite.catalogues.core.tables import OutputFormat, format_frame
from tagsuite.harness.scoring.classes import resolve_classes
from tagsuite.harness.scoring.engine import score
from tagsuite.harness.scoring.options import ScoringOptions
from tagsuite.harness.scoring.repeat_tables import RepeatedScores, count_gold_units
from tagsuite.harness.scoring.scores import Scores
from tagsuite.harness.scoring.statistics.groups import ENTITIES_BY_CONTEXTS, Groups
from tagsuite.harness.scoring.statistics.repeats import estimate_mean_share
from tagsuite.harness.scoring.statistics.shares import Estimate
from tagsuite.sentences.corpus import Corpus

REPEATS = 3
SIZES = ((20, 20, 20), (200, 40, 20), (1000, 100, 40))
"""Numbers of cases, entities and contexts of a class."""
RATES = (0.0, 0.01, 0.05, 0.2, 0.5)
BY_ENTITY = {"half by entity": 0.5, "by entity": 1.0}
"""Share of the flip rate that comes from entities that flip in all contexts."""


@dataclass(frozen=True)
class Planted:
    """Class with its name, its size, and the rate at which its cases flip in `REPEAT_COLUMNS` repetitions."""

    name: str
    cases: int
    entities: int
    contexts: int
    rate: float

    @property
    def error(self) -> float:
        """Error rate q of one repetition, so that three repetitions differ at the rate 3 q (1 - q)."""
        return float((1.0 - np.sqrt(1.0 - 4.0 * self.rate / 3.0)) / 2.0)


def mean_recall(right: NDArray[np.float64], groups: Groups) -> Estimate:
    """Return recall of mentions over all repetitions."""
    return estimate_mean_share(
        [groups.sum_by_group(column, np.ones(len(right))) for column in right.T], groups, 0.95
    )


def planted() -> list[Planted]:
    """Return one class for each size and rate."""
    return [Planted(f"c{i}r{j}", *size, rate) for i, size in enumerate(SIZES) for j, rate in enumerate(RATES)]


def suite(classes: list[Planted]) -> Scores:
    """Return a scored suite of these classes without correct answers; a case is an entity-context pair."""
    random = np.random.default_rng(1)
    texts: list[tuple[object, ...]] = []
    mentions: list[tuple[object, ...]] = []
    for one in classes:
        cells = np.sort(random.choice(one.entities * one.contexts, one.cases, replace=False))
        for cell in cells.tolist():
            entity, context = f"{one.name}-{cell // one.contexts}", f"{one.name}-{cell % one.contexts}"
            number = len(texts)
            texts.append((number, "", f"{entity} is here.", context))
            mentions.append((number, number, "gold", 0, len(entity), "gp", np.nan, entity))
    corpus = Corpus(
        "planted",
        pd.DataFrame(texts, columns=["text_id", "document_id", "text", "context_id"]),
        pd.DataFrame(
            mentions,
            columns=["mention_id", "text_id", "side", "start", "end", "type", "score", "entity_id"],
        ),
    )
    nothing = corpus.mentions.iloc[:0].assign(side="predicted")
    named = resolve_classes({c.name: f'data ~ "^{c.name}-"' for c in classes})
    return score(corpus, nothing, ScoringOptions(notions=("strict",)), classes=named, run="planted")


def pseudo_random(cases: NDArray[np.uint64], repeat: int, number: int) -> NDArray[np.float64]:
    """Return a reproducible number from 0 to 1 for each case."""
    keys = cases + np.uint64(1_000_003 * repeat) + (np.uint64(number) << np.uint64(32))
    hashed = pd.util.hash_array(pd.util.hash_array(keys))
    return np.asarray(hashed.astype(np.float64) / 2.0**64)


def flips(classes: list[Planted], tries: int) -> pd.DataFrame:
    """Return the coverage of the true flip rate, with no, half, or all of the flips determined by entity."""
    scores = suite(classes)
    units, _ = count_gold_units(scores, "strict")
    cases = np.arange(len(scores.gold), dtype=np.uint64)
    error = np.repeat([c.error for c in classes], [c.cases for c in classes])
    rate = np.repeat([c.rate for c in classes], [c.cases for c in classes])
    entity = pd.factorize(scores.gold["entity_id"])[0].astype(np.uint64) + np.uint64(1 << 24)
    # classes: by case, half by entity, by entity
    held, width = ({c.name: np.zeros(1 + len(BY_ENTITY)) for c in classes} for _ in range(2))
    for number in range(tries):
        wrong = np.column_stack([pseudo_random(cases, k, number) < error for k in range(REPEATS)])
        planted_ways = [wrong]
        for share in BY_ENTITY.values():
            always = pseudo_random(entity, 0, number) < rate * share
            rest = rate * (1.0 - share) / (1.0 - rate * share)
            flips_of = always | (pseudo_random(cases, REPEATS, number) < rest)
            planted_ways.append(np.column_stack([np.zeros(len(cases), dtype=bool), flips_of, flips_of]))
        for column, answers in enumerate(planted_ways):
            found = RepeatedScores(
                (scores,), "strict", units, (~answers).astype(np.float64), answers.astype(np.uint64)
            )
            for one in classes:
                row = found.build_row(one.name)
                low, high = float(str(row["flip_low"])), float(str(row["flip_high"]))
                held[one.name][column] += low <= one.rate <= high
                width[one.name][column] += high - low
    return pd.DataFrame(
        [
            {
                "cases": c.cases,
                "entities": c.entities,
                "contexts": c.contexts,
                "rate": c.rate,
                **{
                    f"{what}, {way}": counts[c.name][column] / tries
                    for column, way in enumerate(("by case", *BY_ENTITY))
                    for what, counts in (("held", held), ("width", width))
                },
            }
            for c in classes
        ]
    )


def recalls(tries: int) -> pd.DataFrame:
    """Return how often the interval of mean recall contains the recall over all entities and contexts."""
    rows = []
    for entities, contexts, repeats in ((50, 20, 3), (50, 20, 10), (100, 30, 5)):
        for effect in (0.0, 0.1, 0.3):
            random = np.random.default_rng(2)
            e, c = np.repeat(np.arange(entities), contexts), np.tile(np.arange(contexts), entities)
            grouped = Groups(ENTITIES_BY_CONTEXTS, (e, c, e * contexts + c))
            held, width, without = 0, 0.0, 0
            for _ in range(tries):
                level = random.normal(size=entities)[e] * 0.5 + random.normal(size=contexts)[c] * 0.5
                moved = random.normal(size=repeats) * effect
                noise = random.normal(size=(len(e), repeats))
                right = (level[:, None] + moved + noise < float(ndtri(0.7))).astype(np.float64)
                whole = float(np.sqrt(0.25 + 0.25 + effect**2 + 1.0))
                true = float(ndtr(ndtri(0.7) / whole))
                found = mean_recall(right, grouped)
                # as if the repetitions were of no matter
                alone = mean_recall(right.mean(axis=1, keepdims=True), grouped)
                held += found.low <= true <= found.high
                without += alone.low <= true <= alone.high
                width += found.high - found.low
            rows.append(
                {
                    "entities": entities,
                    "contexts": contexts,
                    "repeats": repeats,
                    "effect of repeats": effect,
                    "held": held / tries,
                    "held, without the third way": without / tries,
                    "width": width / tries,
                }
            )
    return pd.DataFrame(rows)


PROGRAM = """import hashlib, re, sys
repeat, seed, rates = sys.argv[1], sys.argv[2], {rates}
def tagged(found):
    one, place = found[1], f"{{found[0]}} {{line}} {{seed}} {{repeat}}"
    number = int(hashlib.sha256(place.encode()).hexdigest()[:12], 16) / 16**12
    return found[0] if number < rates[one] else f"<gp>{{found[0]}}</gp>"
for line in sys.stdin:
    print(re.sub(r"\\b([ABC])\\d+-x\\b", tagged, line), end="")
"""
SPECIFICATION = """format = 1
name = "planted"
version = "1"
command = ["{python}", "{here}/planted.py", "{repeat}", "{option:seed}"]
[options.seed]
required = true
[input]
form = "lines"
[output]
form = "sgml"
"""


def with_tagger() -> Iterator[dict[str, object]]:
    """Run a tagger with planted rates three times, with three repetitions; return rows per seed and class."""
    rates = {"A": 0.05, "B": 0.2, "C": 0.5}
    errors = {name: Planted(name, 0, 0, 0, rate).error for name, rate in rates.items()}
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        (place / "planted.py").write_text(PROGRAM.format(rates=errors), encoding="utf-8")
        (place / "planted.toml").write_text(SPECIFICATION, encoding="utf-8")
        lines = [
            f"In context {c} of many, <gp>{name}{e}-x</gp> is seen.\n"
            for name in rates
            for e in range(30)
            for c in range(10)
        ]
        (place / "corpus.sgml").write_text("".join(lines), encoding="utf-8")
        for seed in ("1", "2", "3"):
            out = place / f"run{seed}"
            done = tagsuite.run(
                f"sgml:{place}/corpus.sgml",
                place / "planted.toml",
                out,
                options={"seed": seed},
                times=REPEATS,
            )
            table = tagsuite.repeats(done, classes={name: f'data ~ "^{name}"' for name in rates})
            for row in table[table["class"] != "all"].to_dict("records"):
                rate = rates[str(row["class"])]
                yield {
                    "seed": seed,
                    "rate": rate,
                    **{k: row[k] for k in ("cases", "flips", "flip_share", "flip_low", "flip_high")},
                    "held": bool(row["flip_low"] <= rate <= row["flip_high"]),
                }


def main() -> None:
    """Print the tables."""
    parser = options_of(__doc__)
    parser.add_argument("--tries", type=int, default=500)
    parser.add_argument("--no-tagger", action="store_true")
    given = parser.parse_args()
    tables = {
        "the rate of flips": flips(planted(), given.tries),
        "mean recall": recalls(given.tries),
    }
    if not given.no_tagger:
        tables["a tagger"] = pd.DataFrame(list(with_tagger()))
    for title, table in tables.items():
        print(f"\n{title}\n\n{format_frame(table.round(3), OutputFormat.markdown)}")


if __name__ == "__main__":
    main()
