"""The bundled specification `chat` with a real server of a tiny real model: ``transformers serve``."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from tagsuite.harness.running.folder.runs import Run

from ..conftest import python_with

PROGRAM = Path(__file__).parent / "programs" / "chat_model.py"
PATIENCE = 240.0
TEXTS = ["p53 binds MDM2 in many cells.", "The level of p53 was low.", "No gene is named here."]
STATUSES = [
    ("0", "p53", "exact"), ("0", "MDM2", "exact"), ("1", "p53", "exact"),
    ("1", "MDM2", "invented"), ("2", "p53", "invented"), ("2", "MDM2", "invented"),
]  # fmt: skip


@contextmanager
def serving(python: str, model: Path) -> Iterator[str]:
    """Serve a model; yield the address of the endpoint."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = str(trial.getsockname()[1])
    command = [str(Path(python).with_name("transformers")), "serve", str(model)]
    command += ["--port", port, "--device", "cpu"]
    log = model.with_name("server.log")
    with (
        log.open("wb") as told,
        subprocess.Popen(
            command, stdout=told, stderr=told, env={**os.environ, "HF_HUB_OFFLINE": "1"}
        ) as server,
    ):
        try:
            end = time.monotonic() + PATIENCE
            while not _answers(f"http://127.0.0.1:{port}/health"):
                assert server.poll() is None, log.read_text(encoding="utf-8")
                assert time.monotonic() < end, log.read_text(encoding="utf-8")
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


@pytest.mark.timeout(600)
def test_a_served_model_is_asked_and_its_strings_are_placed(
    tmp_path: Path, run_on: Callable[..., Run]
) -> None:
    python_with("fastapi")
    python = python_with("transformers")
    model = tmp_path / "model"
    answer = json.dumps({"mentions": ["p53", "MDM2"]})
    subprocess.run([python, PROGRAM, model, answer], check=True, capture_output=True)
    with serving(python, model) as url:
        done = run_on(TEXTS, "chat", options={"url": url, "model": str(model)})
    assert done.outcome_counts == {"ok": 3}
    strings = pd.read_parquet(tmp_path / "run" / "strings.parquet")
    assert list(strings[["text_id", "text", "status"]].itertuples(index=False, name=None)) == STATUSES
    costs = pd.read_parquet(tmp_path / "run" / "costs.parquet")
    assert (costs["attempts"] == 1).all()
    # a token a letter
    assert (costs["output_tokens"] >= len(answer)).all()
    assert costs["input_tokens"].rank().tolist() == [float(r) for r in pd.Series(map(len, TEXTS)).rank()]
