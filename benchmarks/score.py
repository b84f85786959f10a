"""Compare scoring speed and results with nervaluate, seqeval and spaCy's scorer, on the same mentions.

    python benchmarks/score.py                                only tagsuite
    python -m venv peers && peers/bin/pip install nervaluate seqeval spacy
    python benchmarks/score.py --peers peers/bin/python       all of them

The data are random: documents of 60 tokens with five gold mentions of five types, and one prediction per gold
mention, most of them equal, others with a moved boundary, another type, both, or elsewhere. Both sides have
30 features. A "mention" is a gold or a predicted mention, for all programs.

There are two figures for tagsuite: *counts* is pairing and counting under six notions by all values of 30
features (702 rows), with Wilson's intervals; *table* is the output of `tagsuite score`, with intervals from
resampled texts and surface forms. nervaluate counts four schemes, overall and by type, without intervals.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"  # set before NumPy loads: one thread, as the peers have

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from measuring import best, options_of, peak_memory, taken  # noqa: E402

if TYPE_CHECKING:
    from tagsuite.harness.scoring.scores import Scores

TOKENS, CELL, TYPES = 60, 12, ("cell", "chemical", "disease", "gene", "species")
WORD = "ab "


def spans(documents: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return gold and predicted mentions as rows (document, first token, one past the last token, type)."""
    draw = np.random.Generator(np.random.PCG64(seed))
    size = documents * (TOKENS // CELL)
    document = np.repeat(np.arange(documents), TOKENS // CELL)
    cell = np.tile(np.arange(TOKENS // CELL), documents) * CELL
    first = cell + draw.integers(2, 5, size)
    last = first + draw.integers(1, 4, size)
    kind = draw.integers(0, len(TYPES), size)
    gold = np.stack((document, first, last, kind), axis=1)
    guess = gold.copy()
    fate = draw.random(size)
    moved = (fate >= 0.70) & (fate < 0.86)
    side = draw.random(size) < 0.5
    step = draw.integers(1, 3, size)
    guess[moved & side, 1] -= step[moved & side]
    guess[moved & ~side, 2] += step[moved & ~side]
    other = (fate >= 0.82) & (fate < 0.94)
    guess[other, 3] = (guess[other, 3] + draw.integers(1, len(TYPES), size)[other]) % len(TYPES)
    away = fate >= 0.94
    guess[away, 1] = cell[away] + 9
    guess[away, 2] = cell[away] + 10
    return gold, guess


def tangled(gold: np.ndarray, guess: np.ndarray) -> np.ndarray:
    """Return predictions with an additional, one token longer one for each tenth, in order of the text."""
    more = gold[::10].copy()
    more[:, 1] -= 1
    both = np.concatenate((guess, more))
    return both[np.lexsort((both[:, 2], both[:, 1], both[:, 0]))]


def feature_columns(rows: int, seed: int) -> dict[str, Any]:
    """Return thirty closed features of the taxonomy with random values."""
    from tagsuite.catalogues.taxonomy import taxonomy

    draw = np.random.Generator(np.random.PCG64(seed))
    columns: dict[str, Any] = {}
    for feature in taxonomy().select_scopes("entity", "slot", "context"):
        if len(columns) == 30:
            break
        if feature.is_catalogue_only or feature.kind == "text" or "NAME" in feature.name:
            continue
        if feature.kind == "boolean":
            columns[feature.column] = draw.random(rows) < 0.3
        elif feature.kind == "integer":
            columns[feature.column] = draw.integers(0, 6, rows).astype(np.int32)
        elif feature.values:
            names = [v.name for v in feature.values]
            codes = draw.integers(-1 if feature.kind == "set" else 0, len(names), rows)
            columns[feature.column] = pd.Categorical.from_codes(codes, pd.Index(names))
    assert len(columns) == 30
    return columns


def frame(table: np.ndarray, side: str, seed: int) -> pd.DataFrame:
    """Return a table of mentions with features."""
    return pd.DataFrame(
        {
            "mention_id": np.arange(len(table)),
            "text_id": table[:, 0],
            "side": pd.Categorical([side] * len(table), categories=[side]),
            "start": table[:, 1] * len(WORD),
            "end": table[:, 2] * len(WORD) - 1,
            "type": pd.Categorical.from_codes(table[:, 3], pd.Index(TYPES)),
            "score": np.full(len(table), np.nan),
            **feature_columns(len(table), seed),
        }
    )


def main() -> None:
    """Run the benchmark and print the results."""
    parser = options_of(__doc__)
    parser.add_argument("--documents", type=int, default=40_000, help="documents of five mentions (40,000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--peers", help="Python with nervaluate, seqeval and spacy")
    parser.add_argument("--profile", action="store_true", help="print a profile of tagsuite")
    options = parser.parse_args()

    start_up = taken([sys.executable, "-c", "import tagsuite.harness.scoring.engine"]).clock

    from tagsuite.harness.scoring.engine import score
    from tagsuite.harness.scoring.notions import ALL_NOTIONS, NOTIONS
    from tagsuite.harness.scoring.pairing.axes import TextAxes
    from tagsuite.sentences.corpus import Corpus

    gold, guess = spans(options.documents, options.seed)
    mentions = len(gold) + len(guess)
    print(f"{len(gold):,} gold and {len(guess):,} predicted mentions, {options.documents:,} documents")

    texts = pd.DataFrame(
        {"text_id": np.arange(options.documents), "document_id": "", "text": (WORD * TOKENS).rstrip()}
    )
    corpus = Corpus("made", texts, frame(gold, "gold", options.seed + 1), digest="0" * 64)
    guesses = frame(guess, "predicted", options.seed + 2)
    by = list(guesses.columns[7:])
    axes = TextAxes.from_texts(texts)

    def in_memory() -> pd.DataFrame:
        return score(corpus, guesses, by=by, axes=axes).wilson_table

    def with_intervals() -> pd.DataFrame:
        return score(corpus, guesses, by=by, axes=axes).table

    # processor time of one thread, for tagsuite and for the peers
    seconds, table = best(in_memory, options.repeat, time.process_time)
    rates = {"ours, counts": (seconds, mentions / seconds)}
    seconds, _ = best(with_intervals, options.repeat, time.process_time)
    rates["ours, table"] = (seconds, mentions / seconds)
    if options.profile:
        import cProfile
        import pstats

        with cProfile.Profile() as profile:
            with_intervals()
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)

    with tempfile.TemporaryDirectory() as folder:
        names = {"texts": texts, "gold": corpus.mentions, "predicted": guesses}
        for name, content in names.items():
            content.to_parquet(Path(folder) / f"{name}.parquet", index=False)

        def from_files() -> Scores:
            parts = {name: pd.read_parquet(Path(folder) / f"{name}.parquet") for name in names}
            read = Corpus("made", parts["texts"], parts["gold"], digest="0" * 64)
            return score(read, parts["predicted"], by=by)

        seconds, again = best(lambda: from_files().wilson_table, options.repeat, time.process_time)
        pd.testing.assert_frame_equal(table, again)
        rates["ours, counts, from Parquet"] = (seconds, mentions / seconds)
        seconds, _ = best(lambda: from_files().table, options.repeat, time.process_time)
        rates["ours, table, from Parquet"] = (seconds, mentions / seconds)
        memory = peak_memory()

        everything = score(corpus, guesses, notions=ALL_NOTIONS, axes=axes)
        ours = sums(everything)
        peers: dict[str, Any] = {}
        if options.peers:
            np.savez(Path(folder) / "spans.npz", gold=gold, guess=guess)
            for name in ("nervaluate", "seqeval", "spacy"):
                peers[name] = run_peer(options.peers, name, Path(folder) / "spans.npz", options.repeat)
                rates[name] = (peers[name]["seconds"], mentions / peers[name]["seconds"])
            knotted = tangled(gold, guess)
            np.savez(Path(folder) / "tangled.npz", gold=gold, guess=knotted)
            others = [n for n in ALL_NOTIONS if n not in NOTIONS]
            again = score(corpus, frame(knotted, "predicted", 0), notions=others, axes=axes)
            knots = sums(again)
            orders = {
                name: run_peer(options.peers, name, Path(folder) / "tangled.npz")
                for name in ("nervaluate", "nervaluate-shuffled")
            }

    print(f"{len(table):,} rows: six notions, all values of {len(by)} features")
    print("counts: paired and counted, with Wilson's intervals; table: with resampled intervals, as printed")
    print("nervaluate: four schemes, overall and by type, without features and intervals")
    base = rates.get("nervaluate", (0.0, float("nan")))[1]
    for name, (seconds, rate) in rates.items():
        print(f"{name:28} {seconds:8.3f} s  {rate:12,.0f} mentions/s  {rate / base:8.1f} × nervaluate")
    print(f"process start (imports): {start_up:.2f} s; our peak memory: {memory:,.0f} MB", end="")
    print("".join(f"; {name}: {found['memory']:,.0f} MB" for name, found in peers.items()))
    agree(ours, peers)
    if peers:
        print("with a second prediction for every tenth gold mention (nervaluate: by order, and shuffled):")
        agree(knots, orders)


def sums(scores: Scores) -> dict[str, dict[str, float]]:
    """Return the matched mentions, and other counts of the schemes, by notion."""
    found = {}
    for name in scores.tallies:
        counts = scores.get_tally(name)
        found[name] = {"gold_matched": float(counts.gold_matched.sum())}
        found[name] |= {k: float(v.sum()) for k, v in counts.extra.items()}
    return found


def run_peer(python: str, name: str, data: Path, times: int = 1) -> dict[str, Any]:
    """Run another program in its own environment on stored mentions; return the best of several runs."""
    script = Path(__file__).with_name("score_peers.py")
    runs: list[dict[str, Any]] = []
    for _ in range(times):
        done = subprocess.run([python, str(script), name, str(data)], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{name} failed:\n{done.stderr}")
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    return min(runs, key=lambda run: float(run["seconds"]))


def agree(ours: dict[str, dict[str, float]], peers: dict[str, Any]) -> None:
    """Print the counts of the other programs next to ours."""
    lines = []
    for name in ("nervaluate", "nervaluate-shuffled"):
        for scheme, found in peers.get(name, {}).get("counts", {}).items():
            mine = ours[{"ent_type": "muc_type"}.get(scheme, f"muc_{scheme}")]
            others = mine["gold_paired"] - mine["gold_right"]
            half = found["partial"] + found["incorrect"]
            lines.append((name, f"{scheme}: correct", found["correct"], mine["gold_right"]))
            lines.append((name, f"{scheme}: partial, incorrect", half, others))
    for name, scheme in (("seqeval", "iob2_strict"), ("spacy", "strict")):
        if name in peers:
            right = peers[name]["counts"]["correct"]
            lines.append((name, "correct", right, ours[scheme]["gold_matched"]))
    for name, what, theirs, counted in lines:
        sign = "=" if theirs == counted else "≠"
        print(f"{name:20} {what:28} theirs {theirs:>9,.0f}   ours {counted:>9,.0f}   {sign}")


if __name__ == "__main__":
    main()
