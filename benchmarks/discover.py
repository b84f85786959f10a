"""Measure discovery: time, memory, false findings without a fault, and power to find a planted fault.

``python benchmarks/discover.py`` makes a table of 200,000 mentions × 30 categorical features with a fault of
three conditions, and searches it in a separate process. ``--null 100`` also searches 100 tables of each kind
without an effect of any feature: plain ones, and ones with random effects of entities and contexts, which
make some features look bad by chance. ``--power 100`` searches 100 small suites with one planted fault and
100 without, and counts how often the fault is found.

``--planted`` plants twelve faults in a simulated tagger on the bundled material (`planted.py`), with two
seeds and with errors drawn per mention, per name and per sentence. It searches by halves and with new cases,
and compares the findings with the planted faults on the test part of BC2GM (in ``--data``). ``--null-runs
20`` also searches 20 runs of a tagger without a fault, for each of the three kinds of errors.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from measuring import DATA, options_of, peak_memory


def features(generator: np.random.Generator, size: int, count: int) -> pd.DataFrame:
    """Return random categorical features with three to seven values."""
    columns = {}
    for i in range(count):
        values = [f"v{j}" for j in range(3 + i % 5)]
        columns[f"f{i:02}"] = pd.Categorical(
            np.array(values)[generator.integers(0, len(values), size)], values
        )
    return pd.DataFrame(columns)


FAULT = "f03 = v1 and f11 = v2 and f20 = v0"


def with_fault(size: int, count: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table with recall .2 where three conditions meet and .9 elsewhere."""
    generator = np.random.Generator(np.random.PCG64(seed))
    table = features(generator, size, count)
    fault = (table["f03"] == "v1") & (table["f11"] == "v2") & (table["f20"] == "v0")
    return table, generator.random(size) < np.where(fault, 0.2, 0.9)


def crossed(
    entities: int, contexts: int, deviation: float, seed: int
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Return a crossed suite with random effects of entities and contexts but no effects of features."""
    generator = np.random.Generator(np.random.PCG64(seed))
    entity, context = (a.ravel() for a in np.meshgrid(np.arange(entities), np.arange(contexts)))
    size = len(entity)
    parts = [
        features(generator, entities, 12).take(entity).reset_index(drop=True).add_prefix("entity_"),
        features(generator, contexts, 12).take(context).reset_index(drop=True).add_prefix("context_"),
        features(generator, size, 6).add_prefix("mention_"),
    ]
    logit = 1.5 + deviation * (
        generator.normal(size=entities)[entity] + generator.normal(size=contexts)[context]
    )
    right = generator.random(size) < 1.0 / (1.0 + np.exp(-logit))
    return pd.concat(parts, axis=1), right, entity, context


def one(size: int, count: int, seed: int) -> None:
    """Search a table with a planted fault and print time and memory; run in its own process."""
    begun = time.perf_counter()
    from tagsuite.harness.scoring.discovery.discover import discover_table

    loaded = time.perf_counter()
    table, right = with_fault(size, count, seed)
    made, cpu = time.perf_counter(), time.process_time()
    found = discover_table(table, right)
    done, used = time.perf_counter(), time.process_time()
    print(
        json.dumps(
            {
                "imports_s": round(loaded - begun, 2),
                "search_s": round(done - made, 2),
                "search_cpu_s": round(used - cpu, 2),
                "peak_mb": round(peak_memory()),
                "found": found[["query", "value", "rest", "cases"]].to_dict("records"),
            }
        )
    )


def null(tries: int) -> bool:
    """Count random tables in which discovery reports a finding; return True if they are at most 10 %."""
    from tagsuite.harness.scoring.discovery.discover import discover_table

    kinds = {"plain": 0, "crossed, no effects": 0, "crossed, effects 0.7": 0, "crossed, effects 1.5": 0}
    for seed in range(tries):
        generator = np.random.Generator(np.random.PCG64(1000 + seed))
        plain = features(generator, 20_000, 30)
        kinds["plain"] += len(discover_table(plain, generator.random(20_000) < 0.85, seed=seed)) > 0
        for name, deviation in list(zip(list(kinds)[1:], (0.0, 0.7, 1.5), strict=True)):
            table, right, entity, context = crossed(150, 60, deviation, seed)
            found = discover_table(table, right, entity=entity, context=context, seed=seed)
            kinds[name] += len(found) > 0
    for name, count in kinds.items():
        print(f"{name}: false findings in {count} of {tries} tries")
    return max(kinds.values()) <= tries / 10


SUITES = {
    "300 cases drawn": (300, 0),
    "500 cases drawn": (500, 0),
    "1,000 cases drawn": (1000, 0),
    "25 × 20 product": (25, 20),
    "40 × 25 product": (40, 25),
}
"""Small suites: random cases from 3,400 entities × 780 contexts, and full products."""


def small(
    shape: tuple[int, int], fault: bool, seed: int
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Return a small suite with effects of entities and contexts (standard deviation 0.7 in logits).

    With a fault, recall is about .3 for entities with one value of a feature (a third of them), else about
    .8.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    first, second = shape
    if second:
        entities, contexts = shape
        entity, context = (a.ravel() for a in np.meshgrid(np.arange(entities), np.arange(contexts)))
    else:
        entities, contexts = 3400, 780
        entity, context = generator.integers(0, entities, first), generator.integers(0, contexts, first)
    of_entity, of_context = features(generator, entities, 20), features(generator, contexts, 10)
    parts = [
        of_entity.take(entity).reset_index(drop=True).add_prefix("entity_"),
        of_context.take(context).reset_index(drop=True).add_prefix("context_"),
    ]
    logit = 1.5 + 0.7 * (generator.normal(size=entities)[entity] + generator.normal(size=contexts)[context])
    if fault:
        logit = logit - 2.4 * (of_entity["f00"] == "v1").to_numpy()[entity]
    right = generator.random(len(entity)) < 1.0 / (1.0 + np.exp(-logit))
    return pd.concat(parts, axis=1), right, entity, context


def power(tries: int) -> None:
    """Count the small suites in which discovery finds the planted fault, and those with other findings."""
    from tagsuite.harness.scoring.discovery.discover import discover_table

    for name, shape in SUITES.items():
        found, others, false_findings = 0, 0, 0
        for seed in range(tries):
            for fault in (True, False):
                table, right, entity, context = small(shape, fault, seed)
                findings = discover_table(table, right, entity=entity, context=context, seed=seed)
                is_planted = findings["query"].str.contains("entity_f00 = v1", regex=False)
                if fault:
                    found += bool(is_planted.any())
                    others += bool((~is_planted).any())
                else:
                    false_findings += len(findings) > 0
        print(
            f"{name}: fault found in {found} of {tries} tries (other findings in {others}); "
            f"without a fault, false findings in {false_findings}"
        )


def main() -> None:
    """Run the benchmarks selected by the options."""
    parser = options_of(__doc__)
    parser.add_argument("--size", type=int, default=200_000)
    parser.add_argument("--features", type=int, default=30)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--null", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--power", type=int, default=0)
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--explored", type=int, default=3000, help="--planted: cases of the run")
    parser.add_argument("--fresh", type=int, default=1600, help="--planted: maximum number of new cases")
    parser.add_argument("--each", type=int, default=24, help="--planted: new cases per class")
    parser.add_argument(
        "--null-runs", type=int, default=0, help="--planted: runs without a fault for each kind"
    )
    parser.add_argument("--no-faults", action="store_true", help="--planted: only the runs without a fault")
    parser.add_argument("--fresh-only", action="store_true", help="--planted: no search by halves")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inner:
        one(given.size, given.features, given.seed)
        return
    if given.planted:
        # planted.py is in the folder of this file
        good = importlib.import_module("planted").report(
            given.data,
            explored=given.explored,
            fresh=given.fresh,
            each=given.each,
            nulls=given.null_runs,
            faults=not given.no_faults,
            state=not given.fresh_only,
        )
        sys.exit(0 if good or not given.check else 1)
    command = [sys.executable, __file__, "--inner", "--size", str(given.size)]
    command += ["--features", str(given.features), "--seed", str(given.seed)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    print(printed, flush=True)
    found = json.loads(printed)["found"]
    kept = [found[0]["query"] == FAULT if found else False]
    if given.null:
        kept.append(null(given.null))
    if given.power:
        power(given.power)
    if given.check:
        sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
