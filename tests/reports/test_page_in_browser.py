"""Reports work in a real browser, opened from a file, without network access."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pandas as pd
import pytest

from tagsuite.reports.files import render_report
from tagsuite.reports.model import Column, Report, Section, Table

from .conftest import HOSTILE

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def hostile_page(hostile_report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(render_report(hostile_report, "html"), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def demo_page(demo: tuple[Path, str]) -> Path:
    return demo[0] / "report.html"


def count(driver: Any, *, still: str = "Loading …") -> str:
    """Return the displayed number of cases, once it differs from `still`."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        said = driver.execute_script("return document.getElementById('count').textContent")
        if said != still:
            return str(said)
        time.sleep(0.02)
    raise AssertionError(f"the page still says {still!r}")


def follow(driver: Any, filters: dict[str, str]) -> str:
    """Open a link within the page, which resets all filters."""
    driver.execute_script(
        "document.getElementById('count').textContent = 'not followed'; location.hash = arguments[0]",
        "cases?" + urlencode(filters),
    )
    return count(driver, still="not followed")


def pick(driver: Any, name: str, value: str) -> None:
    """Choose the value of a filter and send the event that a reader's choice causes."""
    driver.execute_script(
        "const field = document.querySelector(`.filters [name=${arguments[0]}]`);"
        "field.value = arguments[1];"
        "field.dispatchEvent(new Event(arguments[0] === 'text' ? 'input' : 'change', { bubbles: true }));",
        name,
        value,
    )


def copy_table(driver: Any, figure: str) -> str:
    """Press the button that copies a table, and return what was copied."""
    driver.execute_script(
        "window.copied = null; Object.defineProperty(navigator, 'clipboard',"
        "{ value: { writeText: async (t) => { window.copied = t; } }, configurable: true });"
        f"document.querySelector('{figure} .copy').click()"
    )
    return str(driver.execute_script("return window.copied"))


def text_of(driver: Any, selector: str) -> list[str]:
    return list(
        driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector
        )
    )


def assert_quiet(driver: Any) -> None:
    """The page writes nothing to the console and requests nothing but the file itself."""
    assert driver.get_log("browser") == []
    asked = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.append(message["params"]["request"]["url"])
    assert [u for u in asked if not u.startswith(("file:", "data:", "about:"))] == []
    assert len([u for u in asked if u.startswith("file:")]) <= 1


def test_the_demo_s_report_opens_filters_sorts_and_reads(browser: Any, demo_page: Path) -> None:
    driver = browser(demo_page)
    assert "Two rule-based taggers" in driver.title
    assert any("kex finds" in line for line in text_of(driver, ".verdict li"))
    driver.execute_script("document.getElementById('cases').scrollIntoView()")
    assert count(driver) == "1,860 of 1,860 cases"
    pick(driver, "class", "names with function words")
    assert count(driver, still="1,860 of 1,860 cases").endswith("of 1,860 cases")
    pick(driver, "tagger", "kex")
    pick(driver, "verdict", "missed")
    shown = count(driver)
    place = driver.execute_script("return location.hash")
    for part in ("class=names+with+function+words", "tagger=kex", "verdict=missed", "source=targeted"):
        assert part in place
    # in a failing case, gold mentions are marked, and missed ones have a label, not only a colour
    gold = text_of(driver, "#case mark.gold")
    assert gold
    assert any("✗ 1 missed" in line for line in text_of(driver, "#case h4"))
    assert any("✗ missed: " in line for line in text_of(driver, "#case mark.m0"))
    assert_quiet(driver)
    # another reader opens the address
    driver = browser(demo_page, place.lstrip("#"))
    assert count(driver) == shown
    assert text_of(driver, "#case mark.gold") == gold


@pytest.mark.parametrize(
    ("table", "errors", "part"),
    [
        ("worst-kex-targeted", "fn", "missed"),
        ("matrix-recall-targeted", "fn", "missed"),
        ("matrix-precision-targeted", "fp", "spurious"),
    ],
)
def test_a_figure_leads_to_all_its_errors(
    browser: Any, demo_page: Path, table: str, errors: str, part: str
) -> None:
    """Wrong boundaries are errors in recall and in precision."""
    driver = browser(demo_page)
    link = f"document.querySelector('#{table} tbody tr:nth-child(2) a')"
    driver.execute_script(f"{link}.click()")
    said = count(driver)
    fields = "['tagger', 'source', 'class', 'verdict']"
    tagger, source, name, chosen = driver.execute_script(
        f"return {fields}.map((n) => document.querySelector(`.filters [name=${{n}}]`).value)"
    )
    assert chosen == errors
    scores = pd.read_csv(demo_page.parent / "scores.csv")
    same = (scores["run"] == tagger) & (scores["corpus"] == source) & (scores["class"] == (name or "all"))
    row = scores[same & (scores["notion"] == "strict")].iloc[0]
    # nearly all cases of the suite have one mention, so few cases have two errors
    assert 0.95 * row[errors] <= number(said) <= row[errors]
    pick(driver, "verdict", part)
    assert number(count(driver, still=said)) < number(said)
    assert_quiet(driver)


def number(said: str) -> int:
    """Return the number of displayed cases."""
    return int(said.split(" of ")[0].replace(",", ""))


def test_a_discovered_fault_leads_to_its_cases(browser: Any, demo_page: Path) -> None:
    driver = browser(demo_page)
    table = "document.querySelector('#discovered figure.table')"
    driver.execute_script(f"{table}.querySelector('tbody a').click()")
    shown = number(count(driver))
    query = driver.execute_script(f"return {table}.querySelector('tbody code').textContent")
    assert driver.execute_script("return document.querySelector('.filters [name=class]').value") == query
    assert shown > 0
    assert any("✗ 1 missed" in line for line in text_of(driver, "#case h4"))
    assert_quiet(driver)


@pytest.mark.parametrize(
    ("filters", "chosen"),
    [
        # `half & half` cuts every second gold mention and misses the rest; both predict "Nothing" in the last
        ({"text": "abc5"}, 1),
        ({"verdict": "clean", "tagger": "<u>exact"}, 7),
        ({"verdict": "spurious", "tagger": "half & half"}, 1),
        ({"verdict": "missed", "tagger": "half & half"}, 3),
        ({"verdict": "boundary", "tagger": "half & half"}, 4),
        ({"verdict": "fn", "tagger": "half & half"}, 7),
        ({"verdict": "fp", "tagger": "half & half"}, 5),
        ({"verdict": "differ"}, 7),
        ({"class": "rest", "verdict": "clean", "tagger": "<u>exact"}, 1),
        ({"feature": "case", "value": "upper"}, 7),
        ({"feature": "case", "value": "upper", "verdict": "missed", "tagger": "half & half"}, 3),
    ],
)
def test_filters_choose_cases(
    browser: Any, chromium: Any, hostile_page: Path, filters: dict[str, str], chosen: int
) -> None:
    if not chromium.current_url.startswith(hostile_page.as_uri()):
        count(browser(hostile_page, "cases?class=rest"))
    assert follow(chromium, filters) == f"{chosen} of 8 cases"


def test_a_table_is_sorted_searched_and_copied(browser: Any, demo_page: Path) -> None:
    driver = browser(demo_page)
    figure = "figure[data-name=forest-targeted]"
    values = (
        f"return [...document.querySelectorAll('{figure} tbody tr:not([hidden])')]"
        ".map((r) => r.cells[2].dataset.v)"
    )
    before = driver.execute_script(values)
    button = f"document.querySelector('{figure} th[data-name=gold] button')"
    driver.execute_script(f"{button}.click()")
    numbers = [int(v) for v in driver.execute_script(values)]
    assert numbers == sorted(numbers, reverse=True)
    assert "sort=gold" in driver.execute_script("return location.hash")
    driver.execute_script(f"{button}.click()")
    assert [int(v) for v in driver.execute_script(values)] == sorted(numbers)
    driver.execute_script(f"{button}.click()")
    assert driver.execute_script(values) == before
    driver.execute_script(
        f"const find = document.querySelector('{figure} .find input'); find.value = 'HYPHENS';"
        "find.dispatchEvent(new Event('input'))"
    )
    names = text_of(driver, f"{figure} tbody tr:not([hidden]) th")
    assert set(names) == {"names with hyphens"}
    lines = copy_table(driver, figure).splitlines()
    assert (
        lines[0]
        == "class,tagger,gold,recall,recall_low,recall_high,predicted,precision,precision_low,precision_high"
    )
    assert len(lines) == 3
    assert all(line.startswith("names with hyphens,") for line in lines[1:])
    driver = browser(demo_page, "forest-targeted?sort=gold&direction=descending")
    assert [int(v) for v in driver.execute_script(values)] == sorted(numbers, reverse=True)
    assert_quiet(driver)


def test_a_copied_table_is_harmless_to_a_spreadsheet(browser: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"=head": ["=1+1", "-ase", "\tx", "p53", "\uff1dx"], "n": [-1.5, -2.0, 3, 4, 5]})
    table = Table("t", "t", frame, (Column("=head", "head"), Column("n", "n", "number")))
    file = tmp_path / "report.html"
    report = Report("t", sections=(Section("s", "s", blocks=(table,)),))
    file.write_text(render_report(report, "html"), encoding="utf-8")
    driver = browser(file)
    assert copy_table(driver, "#s").split("\n")[:-1] == [
        "'=head,n", "'=1+1,-1.5", "'-ase,-2", "'\tx,3", "p53,4", "'\uff1dx,5",
    ]  # fmt: skip
    assert_quiet(driver)


def test_keys_go_from_case_to_case(browser: Any, demo_page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    driver = browser(demo_page, "cases?source=demo-corpus")
    assert count(driver) == "179 of 179 cases"
    listbox = driver.find_element("id", "list")
    listbox.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert listbox.get_attribute("aria-activedescendant") == "row-2"
    listbox.send_keys(Keys.END)
    assert listbox.get_attribute("aria-activedescendant") == "row-178"
    rows = driver.execute_script("return document.querySelectorAll('#list [role=option]').length")
    assert 0 < rows < 60  # of any number of cases only those in view are in the page
    assert "case=" in driver.execute_script("return location.hash")


def test_hostile_texts_and_names_are_shown_as_text(browser: Any, hostile_page: Path) -> None:
    driver = browser(hostile_page, "cases?verdict=boundary&tagger=" + quote("half & half", safe=""))
    assert count(driver) == f"4 of {len(HOSTILE)} cases"
    assert driver.title == "<script>window.hurt = 1</script>"
    assert text_of(driver, "h1") == ["<script>window.hurt = 1</script>"]
    pick(driver, "class", "</script><b>first</b>")
    assert count(driver, still=f"4 of {len(HOSTILE)} cases") == f"2 of {len(HOSTILE)} cases"
    for at, text in enumerate(HOSTILE):
        follow(driver, {"case": f"<b>{at}"})
        shown = driver.execute_script(
            "const copy = document.querySelector('#case .text').cloneNode(true);"
            "copy.querySelectorAll('.hidden').forEach((e) => e.remove()); return copy.textContent"
        )
        assert shown == text
        marked = driver.execute_script(
            "return [...document.querySelectorAll('#case .text')].map((p) => [...p.querySelectorAll('mark')]"
            ".map((m) => m.lastChild.textContent))"
        )
        expected = [f"ABC{at + 1}"] if at < len(HOSTILE) - 1 else []
        assert marked[:2] == [expected, expected or ["Nothing"]]
    assert driver.execute_script("return window.hurt") is None
    elements = "main img, main b b, main u, main i i"
    assert driver.execute_script("return document.querySelector(arguments[0])", elements) is None
    assert_quiet(driver)


def test_the_policy_lets_no_other_script_run(browser: Any, hostile_page: Path, tmp_path: Path) -> None:
    content = hostile_page.read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    broken.write_text(content.replace("</main>", "<script>window.hurt = 1</script></main>"), encoding="utf-8")
    driver = browser(broken)
    assert driver.execute_script("return window.hurt") is None
    assert any("Content Security Policy" in entry["message"] for entry in driver.get_log("browser"))


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 1280),
        ("dark", 420),
        pytest.param("dark", 1280, marks=pytest.mark.full),
        pytest.param("light", 420, marks=pytest.mark.full),
    ],
)
def test_accessible(browser: Any, chromium: Any, demo_page: Path, axe: str, scheme: str, width: int) -> None:
    chromium.set_window_size(width, 1000)
    chromium.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    try:
        driver = browser(demo_page, "cases?verdict=wrong")
        count(driver)
        driver.execute_script(axe)
        found = driver.execute_async_script(
            "const done = arguments[0];"
            "axe.run(document, { resultTypes: ['violations'] }).then(done, (e) => done(String(e)))"
        )
        told = [(v["id"], [n["html"] for n in v["nodes"]][:3]) for v in found["violations"]]
        assert told == []
        # nothing is wider than a narrow page
        assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    finally:
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        chromium.set_window_size(1280, 1000)


def test_cases_are_put_in_order(browser: Any, hostile_page: Path) -> None:
    driver = browser(hostile_page, "cases?class=rest")
    count(driver)
    for order, first in (("errors", 7), ("short", 7), ("long", 5), ("", 0)):
        follow(driver, {"tagger": "<u>exact", "order": order})
        assert text_of(driver, "#case h3")[0].startswith(f"Case <b>{first} of"), order
