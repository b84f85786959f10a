"""Tests of spaCy, Hugging Face, GLiNER and flair: real libraries with small models made for the test."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tagsuite.harness.running.run import run

from ..conftest import python_with

PROGRAMS = Path(__file__).parent / "programs"
PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "pipelines.md"
TEXTS = [
    "p53 binds MDM2 .",
    "The level of p53 was low .",
    "",
    "No gene .",
    "α and p53 .",
    "𝒢 then p53 .",
] * 15
Span = tuple[int, int]


def model(python: str, program: str, *arguments: str | Path) -> list[list[Span]]:
    """Make a model; return what its library finds in the texts."""
    command = [python, PROGRAMS / program, *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return [[(low, high) for low, high in spans] for spans in json.loads(done.stdout.splitlines()[-1])]


LIBRARIES = {"spacy": "spacy", "huggingface": "transformers", "gliner": "gliner", "hunflair2": "flair"}


@pytest.mark.parametrize("tagger", LIBRARIES)
def test_windows_of_texts_get_the_answers_that_the_library_gives_to_each_alone(
    tagger: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = LIBRARIES[tagger]
    python = python_with(library)
    monkeypatch.chdir(tmp_path)
    texts = json.dumps(TEXTS)
    more: list[str | Path] = [PAGE] if tagger == "huggingface" else []
    if tagger == "gliner":
        model(python, "transformers_model.py", tmp_path / "tokens", texts, PAGE)
        more = [tmp_path / "tokens"]
    expected = model(python, f"{library}_model.py", tmp_path / "model", texts, *more)
    assert any(expected)

    lines = (json.dumps({"text_id": f"{i:03}", "text": text}) for i, text in enumerate(TEXTS))
    (tmp_path / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    # a name from the working folder: the program is started elsewhere
    file = Path("model") / ("final-model.pt" if tagger == "hunflair2" else "")
    options = {"python": python, "model": str(file)}
    done = run("jsonl:texts.jsonl", tagger, tmp_path / "run", options=options)
    assert done.outcome_counts == {"ok": len(TEXTS)}
    found = done.predictions.sort_values(["text_id", "start"])
    spans: list[list[Span]] = [[] for _ in TEXTS]
    for case, start, end in found[["text_id", "start", "end"]].itertuples(index=False):
        spans[int(case)].append((start, end))
    assert spans == [sorted(set(one)) for one in expected]
    assert set(found["type"]) == {"gp"}
    assert json.loads((tmp_path / "run" / "timings.json").read_text(encoding="utf-8"))["starts"] == 1
    assert done.meta["run"]["version"]
