"""A large report: how big the file is, how soon its first screen stands, how fast its cases are filtered.

    python benchmarks/report.py                        100,000 cases, three taggers
    python benchmarks/report.py --cases 10000 --keep report.html

Seeded data: bundled sentences filled with bundled names, a mention each; three taggers that miss, cut and add
mentions. The page is opened from a file in headless Chromium (needs `selenium`, `chromium`, `chromedriver`).
"First screen" is the browser's first contentful paint after navigation began; a filter's time goes from its
change to the painted list.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tagsuite.catalogues.entities import read_entities
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.reports.collecting.building import build_report
from tagsuite.reports.collecting.entries import RunEntry
from tagsuite.sentences.contexts import read_contexts
from tagsuite.sentences.corpus import Corpus

TAGGERS = ("first", "second", "third")
CLASSES = {
    "short": "length = 1",
    "with a hyphen": "contains_hyphen",
    "with a numeral": "contains_a_numeral",
    "lower case": "case = lower",
    "function words": "contains_function_word",
}
FILTERS = (
    {"verdict": "missed"},
    {"verdict": "wrong", "tagger": "second"},
    {"class": "with a hyphen", "verdict": "boundary"},
    {"feature": "case", "value": "upper"},
    {"verdict": "differ", "class": "short"},
    {"text": "ase"},
    {"verdict": "spurious", "order": "errors"},
)


def corpus(cases: int, seed: int) -> Corpus:
    """Sentences of one slot, filled with names."""
    draw = np.random.Generator(np.random.PCG64(seed))
    names = read_entities()["data"].to_numpy(dtype=object)
    contexts = read_contexts().contexts["slots"]
    templates = contexts[contexts.str.count("<>") == 1].to_numpy(dtype=object)
    template = templates[draw.integers(0, len(templates), cases)]
    name = names[draw.integers(0, len(names), cases)]
    pairs = list(zip(template.tolist(), name.tolist(), strict=True))
    starts = np.array([t.index("<>") for t, _ in pairs], dtype=np.int64)
    sizes = np.array([len(n) for _, n in pairs], dtype=np.int64)
    texts = pd.DataFrame(
        {"text_id": np.arange(cases), "document_id": "", "text": [t.replace("<>", n) for t, n in pairs]}
    )
    texts["context_id"] = np.arange(cases) % 97
    return Corpus("benchmark", texts, mentions(np.arange(cases), starts, starts + sizes, "gold"))


def mentions(text: np.ndarray, start: np.ndarray, end: np.ndarray, side: str) -> pd.DataFrame:
    """A table of mentions."""
    frame = pd.DataFrame({"text_id": text, "start": start, "end": end}).astype("int64")
    frame.insert(0, "mention_id", np.arange(len(frame)))
    return frame.assign(side=side, type="gp", score=np.nan).astype({"side": "str", "type": "str"})


def answers(gold: Corpus, seed: int) -> pd.DataFrame:
    """Gold mentions, of which some are left out and some cut, and first words besides."""
    draw = np.random.Generator(np.random.PCG64(seed))
    own = gold.mentions
    size = len(own)
    kept = draw.random(size) < 0.7
    cut = np.minimum((draw.random(size) < 0.2).astype(np.int64), own["end"] - own["start"] - 1)
    added = (draw.random(size) < 0.3) & (own["start"].to_numpy() > 4)
    return mentions(
        np.concatenate((own["text_id"][kept], own["text_id"][added])),
        np.concatenate((own["start"][kept], np.zeros(int(added.sum()), dtype=np.int64))),
        np.concatenate(((own["end"] - cut)[kept], np.full(int(added.sum()), 3, dtype=np.int64))),
        "predicted",
    )


def make(cases: int, seed: int) -> str:
    """The report's HTML, with the time that each step takes."""
    begin = time.perf_counter()
    gold = corpus(cases, seed)
    classes = [Class.of(name, query) for name, query in CLASSES.items()]
    entries = []
    for number, name in enumerate(TAGGERS, 1):
        scores = score(gold, answers(gold, seed + number), classes=classes, by=["case", "length"], run=name)
        entries.append(RunEntry(name, "benchmark", True, None, scores, scores))
    scored = time.perf_counter()
    report = build_report(entries)
    built = time.perf_counter()
    html = report.html()
    done = time.perf_counter()
    print(f"scoring {scored - begin:.1f} s, report {built - scored:.1f} s, HTML {done - built:.1f} s")
    return html


def browse(file: Path) -> None:
    """Open the page and measure."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for switch in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"):
        options.add_argument(switch)
    driver: Any = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    try:
        driver.set_script_timeout(60)
        driver.get(file.as_uri())
        paint = driver.execute_async_script(
            "const done = arguments[0]; const look = () => {"
            "const found = performance.getEntriesByName('first-contentful-paint')[0];"
            "found ? done(found.startTime) : setTimeout(look, 20); }; look();"
        )
        print(f"first screen {paint:.0f} ms")
        opened = driver.execute_async_script(
            "const done = arguments[0], start = performance.now(), count = document.getElementById('count');"
            "document.getElementById('cases').scrollIntoView();"
            "const look = () => count.textContent.startsWith('Load')"
            " ? setTimeout(look, 10) : done(performance.now() - start); look();"
        )
        print(f"cases opened in {opened:.0f} ms")
        slowest = 0.0
        for wanted in FILTERS:
            took = driver.execute_async_script(
                "const [wanted, done] = arguments; const form = document.querySelector('.filters');"
                "for (const field of form.elements)"
                " if (field.name && field.name !== 'source') field.value = '';"
                "let changed = null; const start = performance.now();"
                "for (const [name, value] of Object.entries(wanted)) {"
                " changed = form.elements[name]; changed.value = value;"
                " if (name === 'feature') changed.dispatchEvent(new Event('change', { bubbles: true })); }"
                "const kind = changed.name === 'text' ? 'input' : 'change';"
                "changed.dispatchEvent(new Event(kind, { bubbles: true }));"
                "requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));",
                wanted,
            )
            shown = driver.find_element("id", "count").text
            print(f"filter {wanted}: {took:.0f} ms, {shown}")
            slowest = max(slowest, took)
        print(f"slowest filter {slowest:.0f} ms")
    finally:
        driver.quit()


def main() -> None:
    """Make a report and measure it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="leave the report here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = options.keep or Path(folder) / "report.html"
        file.write_text(make(options.cases, options.seed), encoding="utf-8")
        print(f"{options.cases:,} cases, {len(TAGGERS)} taggers: {file.stat().st_size / 1e6:.2f} MB")
        browse(file.resolve())


if __name__ == "__main__":
    main()
