"""JUnit XML of an acceptance, as build servers read it: a suite a run, a test a check."""

from __future__ import annotations

import re

from lxml import etree

from .accept import Accepted, sentence
from .judging import FAILED

# what XML 1.0 has no place for
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(found: Accepted) -> str:
    """Write an acceptance as JUnit XML; no times are in it, so the same runs give the same bytes."""
    table = found.table
    failures = int((table["verdict"] == FAILED).sum())
    root = etree.Element(
        "testsuites", name="tagsuite accept", tests=str(len(table)), failures=str(failures), errors="0"
    )
    suites = {}
    for run, group in table.groupby("run", sort=False):
        suites[run] = etree.SubElement(
            root,
            "testsuite",
            name=_legal(str(run)),
            tests=str(len(group)),
            failures=str(int((group["verdict"] == FAILED).sum())),
            errors="0",
            skipped="0",
        )
    for i, row in enumerate(table.to_dict("records")):
        test = etree.SubElement(
            suites[row["run"]],
            "testcase",
            classname=_legal(f"{row['run']}.{row['corpus']}"),
            name=_legal(f"{row['class']}: {row['notion']} {row['measure']} {row['required']}"),
        )
        said = sentence(row)
        if row["verdict"] == FAILED:
            failure = etree.SubElement(test, "failure", message=_legal(said), type="criterion")
            lines = [str(case) for case in found.failing.get(i, [])]
            failure.text = _legal("\n".join([said, f"signature: {row['signature']}", *lines]))
        else:
            etree.SubElement(test, "system-out").text = _legal(said)
    text: bytes = etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="UTF-8")
    return text.decode("utf-8")


def _legal(text: str) -> str:
    return ILLEGAL.sub("\ufffd", text)
