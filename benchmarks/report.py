"""Measure a large report: file size, time to the first screen, and time to filter cases.

    python benchmarks/report.py                        100,000 cases, three taggers
    python benchmarks/report.py --cases 10000 --keep report.html

The data are random: bundled sentences with one bundled name each, and three taggers that miss, cut and add
mentions. The page is opened in headless Chromium (needs `selenium`, `chromium`, `chromedriver`). "First
screen" is the browser's first contentful paint after the start of navigation; the time of a filter is from
the change to the painted list.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measuring import options_of

from tagsuite.catalogues.entities import read_entities
from tagsuite.harness.scoring.classes import Class
from tagsuite.harness.scoring.engine import score
from tagsuite.reports.build import build_report
from tagsuite.reports.files import render_report
from tagsuite.reports.sections.findings import Findings, ScoredRun
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
VERDICTS = ("wrong", "missed", "boundary", "spurious", "right", "clean", "differ", "failed")
FILTERS: tuple[dict[str, str], ...] = (
    # a search first, while nothing is prepared for it
    {"text": "ase"},
    {"text": "e"},
    {"text": "not in any text"},
    {"text": "the", "verdict": "missed", "class": "short"},
    *({"verdict": verdict} for verdict in VERDICTS),
    *({"verdict": verdict, "tagger": "second", "class": "with a hyphen"} for verdict in VERDICTS),
    *({"class": name} for name in CLASSES),
    {"feature": "case", "value": "upper"},
    {"feature": "case", "value": ""},
    {"feature": "length", "value": "4", "verdict": "wrong", "class": "with a numeral"},
    {"tagger": "third"},
    *({"order": order} for order in ("errors", "short", "long")),
    {"verdict": "spurious", "order": "errors"},
    {},
)
"""All kinds of filters, alone and combined; the last one removes all filters."""


FIRST_SCREEN = """
const done = arguments[0];
const look = () => {
  const found = performance.getEntriesByName('first-contentful-paint')[0];
  if (found) done(found.startTime); else setTimeout(look, 20);
};
look();
"""
OPENING = """
const done = arguments[0], start = performance.now(), count = document.getElementById('count');
document.getElementById('cases').scrollIntoView({ behavior: 'instant' });
const look = () => {
  if (count.textContent.startsWith('Load')) setTimeout(look, 10); else done(performance.now() - start);
};
look();
"""
FILTERING = """
const [wanted, done] = arguments;
const form = document.querySelector('.filters');
for (const field of form.elements) if (field.name && field.name !== 'source') field.value = '';
let changed = form.elements.verdict;
const start = performance.now();
for (const [name, value] of Object.entries(wanted)) {
  changed = form.elements[name];
  changed.value = value;
  if (name === 'feature') changed.dispatchEvent(new Event('change', { bubbles: true }));
}
changed.dispatchEvent(new Event(changed.name === 'text' ? 'input' : 'change', { bubbles: true }));
requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
"""


def corpus(cases: int, seed: int) -> Corpus:
    """Return sentences with one slot, filled with names."""
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
    """Return a table of mentions."""
    frame = pd.DataFrame({"text_id": text, "start": start, "end": end}).astype("int64")
    frame.insert(0, "mention_id", np.arange(len(frame)))
    return frame.assign(side=side, type="gp", score=np.nan).astype({"side": "str", "type": "str"})


def answers(gold: Corpus, seed: int) -> pd.DataFrame:
    """Return gold mentions, some omitted and some shortened, and additional spurious mentions."""
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
    """Return the HTML of the report, and print the time of each step."""
    begin = time.perf_counter()
    gold = corpus(cases, seed)
    classes = [Class.from_query(name, query) for name, query in CLASSES.items()]
    entries = []
    for number, name in enumerate(TAGGERS, 1):
        scores = score(gold, answers(gold, seed + number), classes=classes, by=["case", "length"], run=name)
        entries.append(ScoredRun(name, "benchmark", True, None, scores, scores))
    scored = time.perf_counter()
    report = build_report(Findings(entries))
    built = time.perf_counter()
    html = render_report(report, "html")
    done = time.perf_counter()
    print(f"scoring {scored - begin:.1f} s, report {built - scored:.1f} s, HTML {done - built:.1f} s")
    return html


def browse(file: Path, rounds: int) -> None:
    """Open the page and return the median and the maximum time of each filter."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for switch in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"):
        options.add_argument(switch)
    driver: Any = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    times: dict[str, list[float]] = {}
    counts: dict[str, str] = {}
    try:
        driver.set_script_timeout(60)
        for _ in range(rounds):
            driver.get("about:blank")
            driver.get(file.as_uri())
            paint = driver.execute_async_script(FIRST_SCREEN)
            times.setdefault("first screen", []).append(paint)
            opened = driver.execute_async_script(OPENING)
            times.setdefault("cases opened", []).append(opened)
            for wanted in FILTERS:
                name = "filter " + (", ".join(f"{k} = {v or 'absent'}" for k, v in wanted.items()) or "none")
                times.setdefault(name, []).append(driver.execute_async_script(FILTERING, wanted))
                counts[name] = driver.find_element("id", "count").text
    finally:
        driver.quit()
    for name, took in times.items():
        print(
            f"{name}: {np.median(took):.0f} ms, at most {max(took):.0f} ms  {counts.get(name, '')}".rstrip()
        )
    filters = [took for name in counts for took in times[name]]
    print(f"{len(filters)} filterings: median {np.median(filters):.0f} ms, slowest {max(filters):.0f} ms")


def main() -> None:
    """Make a report and measure it."""
    parser = options_of(__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="file for the report (default: not kept)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = options.keep or Path(folder) / "report.html"
        file.write_text(make(options.cases, options.seed), encoding="utf-8")
        print(f"{options.cases:,} cases, {len(TAGGERS)} taggers: {file.stat().st_size / 1e6:.2f} MB")
        browse(file.resolve(), options.rounds)


if __name__ == "__main__":
    main()
