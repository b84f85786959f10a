"""Tests of batches: substitute libraries count how many texts they get per call."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tagsuite.harness.running.run import run

STAND_INS = Path(__file__).parent / "programs" / "stand_ins"
TAGGERS = ["spacy", "spacy-ruler", "huggingface", "gliner", "hunflair2"]
# windows as the harness sends them: texts that are not empty, and empty ones behind them
WINDOWS = [
    (32, 0, "a whole window goes at once"),
    (30, 2, "an empty text is in its window and goes to no library"),
    (0, 32, "nothing is left: no call"),
    (4, 0, "what is left"),
]


@pytest.mark.parametrize("tagger", TAGGERS)
def test_texts_go_to_the_library_a_window_at_once(
    tagger: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = tmp_path / "libraries"
    shutil.copytree(STAND_INS, libraries, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PYTHONPATH", str(libraries))
    texts = [text for full, empty, _ in WINDOWS for text in ["MDM2 binds p53."] * full + [""] * empty]
    lines = (json.dumps({"text_id": f"{i:03}", "text": text}) for i, text in enumerate(texts))
    (tmp_path / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "terms.txt").write_text("p53\n", encoding="utf-8")
    asked = {"terms": str(tmp_path / "terms.txt")} if tagger == "spacy-ruler" else {"model": "some-model"}
    done = run(
        f"jsonl:{tmp_path / 'texts.jsonl'}",
        tagger,
        tmp_path / "run",
        options={"python": sys.executable, **asked},
    )
    assert done.outcome_counts == {"ok": len(texts)}
    calls = [full for full, _, _ in WINDOWS if full]
    assert len(done.predictions) == 2 * sum(calls)
    found = [line.split() for line in (libraries / "calls.txt").read_text().splitlines()]
    assert [int(given) for given, _ in found] == calls
    assert [int(together) for _, together in found] == calls, "and through its model at once"
