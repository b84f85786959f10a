"""Read documents with index terms: MEDLINE and PubMed XML, MTI output, NLM's test sets, CSV, JSON lines."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from ....catalogues.core import xml
from ....catalogues.core.errors import InputError
from ....catalogues.core.files import bundled_text, decode, digest_bytes, read_bytes

# kinds of lines of the Medical Text Indexer that name a main heading: headings themselves, headings that a
# chemical is mapped to, entry terms and check tags; supplementary chemicals and qualifiers name none
HEADINGS = frozenset({"MH", "MH+", "MH-S", "HM", "ET", "CT"})
REPLACED = re.compile(r'Entry Term Replacement for "([^"]+)"')
MTI = re.compile(r"\d+\|[^|]*\|C\d{7}\|")
# in NLM's test sets: heading!qualifier, a star instead of the mark (or at the end) where it is a main point
MARKED = re.compile(r"[!*]")
TEST_SET = re.compile(r"\d+\|[tam]\|")
FORMATS = "MEDLINE, PubMed XML, MTI output, PMID|t|…, CSV with a header (document,term), JSON lines"


@lru_cache
def check_tags() -> frozenset[str]:
    """Headings that indexers tick for every article; they join every query. Case-folded."""
    return frozenset(bundled_text(__package__, "check_tags.txt").casefold().splitlines())


@dataclass(frozen=True, eq=False)
class Indexing:
    """Documents and their terms.

    Attributes
    ----------
    name : str
        The file's name.
    documents : DataFrame
        `document` (unique, in order), `text` (title and abstract, "" where the format has none).
    terms : DataFrame
        `document`, `term` (as printed), `key` (case-folded), each key once a document; `check_tag`.
    digest : str
        SHA-256 of the file.
    left_out : tuple of InputError
        What is wrong with each line that was left out.
    """

    name: str
    documents: pd.DataFrame
    terms: pd.DataFrame
    digest: str
    left_out: tuple[InputError, ...] = ()


@dataclass
class _Draft:
    source: Path
    skip: bool = False
    left_out: list[InputError] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)
    terms: list[tuple[str, str]] = field(default_factory=list)
    ticked: set[tuple[str, str]] = field(default_factory=set)

    def begin(self, document: str, line: int) -> None:
        if document in self.texts:
            raise InputError("a document twice", file=self.source, line=line, found=document)
        self.texts[document] = []

    def add(self, document: str, term: str, *, check_tag: bool = False) -> None:
        self.texts.setdefault(document, [])
        if term:
            self.terms.append((document, term))
            if check_tag:
                self.ticked.add((document, term.casefold()))

    def fault(self, problem: str, line: int, found: str | None = None, allowed: str | None = None) -> None:
        """Refuse a line, or note that it is left out."""
        self.drop(InputError(problem, file=self.source, line=line, found=found, allowed=allowed))

    def drop(self, error: InputError) -> None:
        if not self.skip:
            raise error
        self.left_out.append(error)


def read_indexing(path: str | PathLike[str], *, skip_bad_lines: bool = False) -> Indexing:
    """Read a file; its format is seen from its beginning.

    Parameters
    ----------
    path : path
        The file.
    skip_bad_lines : bool
        Leave out lines that are malformed or not UTF-8, and list them, instead of refusing the file. XML has
        no lines: it is read whole or refused.

    Raises
    ------
    InputError
        With file and line: no such file, empty, not UTF-8, of no known format, or malformed.
    """
    source = Path(path)
    draft = _Draft(source, skip_bad_lines)
    content = read_bytes(source)
    if source.suffix.lower() == ".xml":
        _xml(xml.parse(source, huge=True), draft)
        return _assemble(draft, digest_bytes(content))
    lines = _lines(content, draft)
    filled = [line for line in lines if line.strip("- \r\t\ufeff")]
    if not filled:
        raise InputError("the file is empty", file=source, allowed=FORMATS)
    if filled[0].lstrip().startswith("<"):
        _xml(xml.parse(source, huge=True), draft)
    else:
        known = (reader for line in (filled if skip_bad_lines else filled[:1]) if (reader := _reader(line)))
        reader = next(known, None)
        if reader is None:
            found = filled[0].strip()
            raise InputError("a format that is not known", file=source, line=1, found=found, allowed=FORMATS)
        reader(lines, draft)
    return _assemble(draft, digest_bytes(content.removeprefix(codecs.BOM_UTF8)))


def _lines(content: bytes, draft: _Draft) -> list[str]:
    if not draft.skip:
        return decode(content, draft.source).split("\n")
    lines = []
    for number, raw in enumerate(content.split(b"\n"), start=1):
        try:
            lines.append(decode(raw, draft.source, number))
        except InputError as error:
            draft.drop(error)
            lines.append("")
    return lines


def _reader(first: str) -> Callable[[list[str], _Draft], None] | None:
    if first.lstrip().startswith("{"):
        return _json_lines
    if first.startswith("PMID"):
        return _medline
    if TEST_SET.match(first):
        return _test_set
    if MTI.match(first):
        return _mti
    if {"document", "term"} <= {cell.strip().casefold() for cell in first.split(",")}:
        return _csv
    return None


def _assemble(draft: _Draft, digest: str) -> Indexing:
    if not draft.texts:
        problem, line, found = "no document in the file", None, None
        if draft.left_out:
            first = draft.left_out[0]
            problem += f" beside {len(draft.left_out)} bad lines, the first: {first.problem}"
            line, found = first.line, first.found
        raise InputError(problem, file=draft.source, line=line, found=found, allowed=FORMATS)
    documents = pd.DataFrame(
        {"document": list(draft.texts), "text": [" ".join(parts) for parts in draft.texts.values()]},
        dtype="str",
    )
    terms = pd.DataFrame(draft.terms, columns=["document", "term"], dtype="str")
    terms["key"] = terms["term"].str.casefold()
    terms = terms.drop_duplicates(["document", "key"], ignore_index=True)
    ticked = pd.Series(list(zip(terms["document"], terms["key"], strict=True)), dtype=object)
    terms["check_tag"] = (ticked.isin(draft.ticked) | terms["key"].isin(check_tags())).to_numpy(bool)
    left_out = sorted(draft.left_out, key=lambda error: error.line or 0)
    return Indexing(draft.source.stem, documents, terms, digest, tuple(left_out))


def heading(text: str) -> str:
    """A MEDLINE heading without star and qualifiers.

    Examples
    --------
    >>> heading("*Liver/drug effects/*metabolism")
    'Liver'
    """
    return text.split("/", 1)[0].strip().lstrip("*").strip()


def _medline(lines: list[str], draft: _Draft) -> None:
    document = ""
    tag, value, begun = "", "", 0

    def close() -> None:
        nonlocal document
        if tag == "PMID":
            document = value.strip()
            draft.begin(document, begun)
        elif tag in ("TI", "AB", "MH") and not document:
            draft.fault(f"{tag} before any PMID", begun, value, "PMID- first")
        elif tag in ("TI", "AB"):
            draft.texts[document].append(value.strip())
        elif tag == "MH":
            draft.add(document, heading(value))

    between = True  # two records; what stands there and cannot be read may have been a PMID
    lost = False
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r")
        if line.startswith("      "):
            if lost:
                draft.fault("the rest of a field that was left out", number, line)
            value += " " + line.strip()
            continue
        close()
        tag, value, begun, lost = "", "", number, False
        if not line.strip():
            between = True
            continue
        if len(line) < 5 or line[4] != "-":
            draft.fault("not a MEDLINE field", number, line, "TAG - value")
            document, lost = "" if between else document, True
            continue
        tag, value, between = line[:4].strip(), line[5:].strip(), False
    close()


def _xml(root: Any, draft: _Draft) -> None:
    source = draft.source
    for citation in root.iter("MedlineCitation"):
        document = (citation.findtext("PMID") or "").strip()
        if not document:
            raise InputError("a citation without PMID", file=source, line=citation.sourceline)
        draft.begin(document, citation.sourceline)
        parts = [citation.find(".//ArticleTitle"), *citation.iterfind(".//AbstractText")]
        draft.texts[document] += ["".join(p.itertext()).strip() for p in parts if p is not None]
        for descriptor in citation.iterfind(".//MeshHeading/DescriptorName"):
            draft.add(document, (descriptor.text or "").strip())
    if not draft.texts:
        raise InputError(
            "no MedlineCitation in the file",
            file=source,
            line=root.sourceline,
            found=f"<{root.tag!s}>",
            allowed=FORMATS,
        )


def _test_set(lines: list[str], draft: _Draft) -> None:
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r")
        if not line.strip():
            continue
        if not TEST_SET.match(line):
            draft.fault("malformed", number, line, "PMID|t|title, PMID|a|…, PMID|m|…")
            continue
        document, kind, value = line.split("|", 2)
        draft.texts.setdefault(document, [])
        if kind == "m":
            for term in value.split("|"):
                draft.add(document, MARKED.split(term, maxsplit=1)[0].strip())
        elif value.strip():
            draft.texts[document].append(value.strip())


def _mti(lines: list[str], draft: _Draft) -> None:
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r")
        if not line.strip("- "):
            continue
        cells = line.split("|")
        if len(cells) < 6:
            draft.fault("malformed", number, line, "PMID|term|CUI|score|type|…")
            continue
        document, term, kind = cells[0], cells[1].lstrip("*").strip(), cells[4]
        draft.texts.setdefault(document, [])
        if kind in HEADINGS:
            replaced = REPLACED.search(cells[5]) if kind == "ET" else None
            draft.add(document, heading(replaced[1] if replaced else term), check_tag=kind == "CT")


def _csv(lines: list[str], draft: _Draft) -> None:
    lines = lines if lines[-1] else lines[:-1]
    header: list[str] = []
    start = 0
    while start < len(lines):
        start = _csv_rows(lines, start, header, draft)


def _csv_rows(lines: list[str], start: int, header: list[str], draft: _Draft) -> int:
    """Read rows up to the next one that is left out; give the number of lines that are done with.

    A row may go on over several lines. One that is left out is left with its first line alone: an open
    quotation mark does not take what follows with it.
    """
    reader = csv.reader((f"{lines[i]}\n" for i in range(start, len(lines))), strict=True)
    done = start
    try:
        for row in reader:
            names = [name.strip().casefold() for name in row]
            if row and not header:
                if not {"document", "term"} <= set(names):
                    draft.fault("no header", done + 1, lines[done].rstrip("\r"), "document,term")
                    return done + 1
                header += names
            elif row:
                place, term_place = header.index("document"), header.index("term")
                if len(row) != len(header) or not row[place]:
                    problem = "a row without document or term, or with more"
                    draft.fault(problem, done + 1, ", ".join(row), ", ".join(header))
                    return done + 1
                if "\n" in row[place] + row[term_place]:
                    draft.fault("a line break in a document or term", done + 1, ", ".join(row))
                    return done + 1
                draft.add(row[place].strip(), heading(row[term_place]))
            done = start + reader.line_num
    except csv.Error as error:
        draft.fault(f"not a table ({error})", done + 1)
        return done + 1
    return done


def _json_lines(lines: list[str], draft: _Draft) -> None:
    import orjson

    allowed = '{"document": "…", "terms": ["…"], "text": "…"} a line'
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            draft.fault(f"not JSON ({error})", number, allowed=allowed)
            continue
        good = isinstance(row, dict) and "document" in row and isinstance(row.get("terms", []), list)
        if not good or not all(isinstance(term, str) for term in row.get("terms", [])):
            draft.fault("malformed", number, line, allowed)
            continue
        document = str(row["document"])
        if document in draft.texts:
            draft.fault("a document twice", number, document)
            continue
        draft.texts[document] = [str(row[key]) for key in ("title", "abstract", "text") if row.get(key)]
        for term in row.get("terms", []):
            draft.add(document, heading(term))
