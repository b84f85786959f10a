"""Costs of a case in each mode: its own seconds, or its share of the seconds of a request."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tagsuite.harness.running.folder.runs import Run

RunOn = Callable[..., Run]
NO = math.nan
TEXTS = ["αβγδ is a gene of 24 signs", "Wnt", "", "no gene here"] * 3
FILES = '[input]\nvia = "path"\n[output]\nvia = "path"\n'
SAY = 'command = ["{python}", "-uSXutf8", "{here}/say.py"]\n'
# the most that is asked together: the whole input, each alone, windows of four texts
MODES = [
    ("batch", 'command = ["cat"]\n', 12, True),
    ("batch", 'command = ["cp", "{input}", "{output}"]\n' + FILES, 12, True),
    ("document", 'command = ["cat"]\n', 1, False),
    ("persistent", SAY, 1, False),
    ("persistent", SAY + "[persistent]\nbatch_in_flight = 4\n", 4, True),
]


def write(folder: Path, mode: str, rest: str) -> Path:
    (folder / "say.py").write_text("import sys\nfor line in sys.stdin:\n    print(line, end='')\n")
    path = folder / "t.toml"
    path.write_text(f'format = 1\nname = "t"\nversion = "1"\nmode = "{mode}"\n{rest}', encoding="utf-8")
    return path


def told(found: pd.DataFrame | None) -> pd.DataFrame:
    assert found is not None
    return found.drop(columns="case_id").astype(float)


@pytest.mark.parametrize(("mode", "rest", "together", "shared"), MODES)
def test_modes(mode: str, rest: str, together: int, shared: bool, tmp_path: Path, run_on: RunOn) -> None:
    done = run_on(TEXTS, write(tmp_path, mode, rest))
    assert done.outcome_counts == {"ok": len(TEXTS)}
    found = told(done.costs)
    assert (found["attempts"] == 1).all()
    assert (found["shared"] == int(shared)).all()
    seconds = found["seconds"].to_numpy()
    assert (seconds >= 0).all()
    if shared:
        for low in range(0, len(TEXTS), together):
            sizes = np.array([len(t) for t in TEXTS[low : low + together]])
            own = seconds[low : low + together]
            np.testing.assert_allclose(own, own.sum() * sizes / sizes.sum())
    # the processes' time is what the cases took together, and no more
    timings = json.loads((done.folder / "timings.json").read_text())["shards"]
    assert 0 < seconds.sum() <= sum(s["seconds"] for s in timings) + 0.001


def test_texts_without_a_character_share_alike(tmp_path: Path, run_on: RunOn) -> None:
    found = told(run_on(["", ""], write(tmp_path, *MODES[0][:2])).costs)
    assert found["seconds"][0] == found["seconds"][1] > 0


def one(text: str) -> list[dict[str, object]]:
    """Find no mentions, and fail on some texts."""
    if text == "Wnt":
        raise ValueError("not this one")
    return []


def many(texts: list[str]) -> list[list[dict[str, object]]]:
    """Find no mentions in a list of texts, and fail on some texts."""
    return (
        [one(text) for text in texts if text != "Wnt"]
        if "Wnt" in texts and len(texts) > 1
        else [*map(one, texts)]
    )


@pytest.mark.parametrize(("function", "shared"), [(one, 0.0), (many, 1.0)])
def test_functions(function: Callable[..., object], shared: float, run_on: RunOn) -> None:
    done = run_on(TEXTS, function)
    found = told(done.costs)
    answered = (done.outcomes["outcome"] == "ok").to_numpy()
    assert answered.tolist() == [t != "Wnt" for t in TEXTS]
    assert found["seconds"].notna().tolist() == answered.tolist(), "a fault is no answer, however fast"
    assert (found["shared"][answered] == shared).all()
    assert (found["attempts"] == 1).all()


FRAIL = """import sys
texts = sys.stdin.read().splitlines()
if "Wnt" in texts:
    sys.exit("no")
print(*texts, sep="\\n")
"""


@pytest.mark.parametrize("mode", ["batch", "document"])
def test_attempts_are_counted_and_the_answer_alone_is_timed(mode: str, tmp_path: Path, run_on: RunOn) -> None:
    (tmp_path / "frail.py").write_text(FRAIL)
    spec = write(tmp_path, mode, 'command = ["{python}", "-SXutf8", "{here}/frail.py"]\n')
    texts = ["a gene", "Wnt", "some other gene", "the last one"]
    done = run_on(texts, spec)
    assert done.outcomes["outcome"].tolist() == ["ok", "crash", "ok", "ok"]
    found = told(done.costs)
    assert found["seconds"].notna().tolist() == [True, False, True, True]
    if mode == "document":
        assert found["attempts"].tolist() == [1, 1, 1, 1]
        assert found["shared"].tolist() == pytest.approx([0, NO, 0, 0], nan_ok=True)
    else:
        # all four, two and two, and the first two alone
        assert found["attempts"].tolist() == [3, 3, 2, 2]
        assert found["shared"].tolist() == pytest.approx([0, NO, 1, 1], nan_ok=True)


def test_costs_of_an_older_version_do_not_say_what_is_shared(tmp_path: Path, run_on: RunOn) -> None:
    done = run_on(TEXTS, write(tmp_path, *MODES[2][:2]))
    file = tmp_path / "run" / "costs.parquet"
    pd.read_parquet(file).drop(columns="shared").to_parquet(file)
    again = type(done)(done.folder, done.meta).costs
    assert again is not None
    assert again["shared"].isna().all()
    assert again["seconds"].notna().all()
