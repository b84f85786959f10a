"""Fixtures: a report with hostile texts, and a browser that opens reports."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.reports.build import build_report
from tagsuite.reports.model import Report
from tagsuite.reports.sections.findings import Findings, ScoredRun
from tagsuite.sentences.corpus import Corpus

HOSTILE = (
    "<script>window.hurt = 1</script> binds ABC1.",
    '"><img src=x onerror="window.hurt = 1"> and ABC2 \'quoted\' & sold.',
    "</script><script>window.hurt = 1</script> near ABC3.",
    "The word \u05d0\u05d1\u05d2 stands \u202eright to left\u202c beside ABC4.",
    "A \U0001f9ec before \U0001d6fc-ABC5 shifts code units.",
    "long " * 2000 + "ABC6.",
    "{{ 7 * 7 }} ${window.hurt = 1} `ABC7` javascript:window.hurt=1",
    "Nothing is here.",
)
"""Texts that cause harm or display errors if a report does not escape them."""


def hostile_corpus() -> Corpus:
    """Return a corpus of texts with the gold mentions ABC1 to ABC7."""
    rows = [(i, t.index("ABC")) for i, t in enumerate(HOSTILE) if "ABC" in t]
    texts = pd.DataFrame(
        {"text_id": [f"<b>{i}" for i in range(len(HOSTILE))], "document_id": "", "text": HOSTILE}
    )
    texts = texts.astype({"text_id": "str", "document_id": "str", "text": "str"})
    return Corpus(
        "<i>corpus</i>", texts, mentions([(texts["text_id"][i], s, s + 4) for i, s in rows], "gold")
    )


def mentions(spans: list[tuple[str, int, int]], side: str) -> pd.DataFrame:
    """Return a table of mentions."""
    frame = pd.DataFrame(spans, columns=["text_id", "start", "end"])
    frame = frame.astype({"text_id": "str", "start": "int64", "end": "int64"})
    frame.insert(0, "mention_id", np.arange(len(frame)))
    return frame.assign(side=side, type="gp", score=np.nan).astype({"side": "str", "type": "str"})


def hostile_predictions(gold: Corpus, *, moved: int, every: int) -> pd.DataFrame:
    """Return every n-th gold mention with a moved end, and the first word of the last text."""
    kept = gold.mentions.iloc[::every]
    spans = [(t, s, e - moved) for t, s, e in zip(kept["text_id"], kept["start"], kept["end"], strict=True)]
    return mentions([*spans, (gold.texts["text_id"].iloc[-1], 0, 7)], "predicted")


@pytest.fixture(scope="session")
def hostile_report() -> Report:
    """Two taggers on hostile texts; names of taggers and classes are hostile too."""
    gold = hostile_corpus()
    classes = [
        Class.from_query("</script><b>first</b>", 'data in ("ABC1", "ABC2", "ABC3")'),
        Class.from_query("rest", "data = ABC7"),
    ]
    entries = []
    for name, moved, every in (("<u>exact", 0, 1), ("half & half", 1, 2)):
        scores = score(gold, hostile_predictions(gold, moved=moved, every=every), classes=classes, run=name)
        entries.append(ScoredRun(name, "<i>corpus</i>", False, None, scores, scores))
    return build_report(Findings(entries, title="<script>window.hurt = 1</script>", min_mentions=1))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Driver of a headless Chromium without network access."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("no Chromium: neither `chromium` nor `chromedriver` is installed")
    webdriver = pytest.importorskip("selenium.webdriver", reason="no Selenium: pip install selenium")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    switches = "headless=new no-sandbox disable-gpu disable-background-networking disable-component-update "
    for switch in (switches + "disable-dev-shm-usage no-first-run window-size=1280,1000").split():
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(driver))
    found.set_script_timeout(60)
    found.execute_cdp_cmd("Network.enable", {})
    found.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0},
    )

    yield found
    found.quit()


@pytest.fixture(scope="session")
def browser(chromium: Any) -> Callable[..., Any]:
    """Function that opens a file (and fragment) in Chromium and returns the driver."""

    def visit(file: Path, fragment: str = "") -> Any:
        chromium.get("about:blank")
        for kind in ("browser", "performance"):
            chromium.get_log(kind)
        chromium.get(file.as_uri() + (f"#{fragment}" if fragment else ""))
        return chromium

    return visit


@pytest.fixture(scope="session")
def axe() -> str:
    """Script of the accessibility checker."""
    place = os.environ.get("TAGSUITE_AXE")
    if place:
        return Path(place).read_text(encoding="utf-8")
    if find_spec("axe_core_python") is None:
        pytest.skip("no axe-core: pip install axe-core-python, or TAGSUITE_AXE=axe.min.js")
    return resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
