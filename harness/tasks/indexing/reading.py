"""Read documents with index terms: MEDLINE and PubMed XML, MTI output, NLM's test sets, CSV, JSON lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from ....catalogues.plumbing import xmlio
from ....catalogues.plumbing.errors import InputError
from ....catalogues.plumbing.files import digest_bytes, digest_file, read_text

# kinds of lines of the Medical Text Indexer that name a main heading: headings themselves, headings that a
# chemical is mapped to, entry terms and check tags; supplementary chemicals and qualifiers name none
HEADINGS = frozenset({"MH", "MH+", "MH-S", "HM", "ET", "CT"})
REPLACED = re.compile(r'Entry Term Replacement for "([^"]+)"')
MTI = re.compile(r"\d+\|[^|]*\|C\d{7}\|")
TEST_SET = re.compile(r"\d+\|[tam]\|")
FORMATS = "MEDLINE, PubMed XML, MTI output, PMID|t|…, CSV with a header (document,term), JSON lines"


@lru_cache
def check_tags() -> frozenset[str]:
    """Headings that indexers tick for every article; they join every query. Case-folded."""
    text = resources.files(__package__).joinpath("check_tags.txt").read_text(encoding="utf-8")
    return frozenset(line.casefold() for line in text.splitlines() if line)


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
    """

    name: str
    documents: pd.DataFrame
    terms: pd.DataFrame
    digest: str


@dataclass
class _Draft:
    texts: dict[str, list[str]] = field(default_factory=dict)
    terms: list[tuple[str, str]] = field(default_factory=list)
    ticked: set[tuple[str, str]] = field(default_factory=set)

    def add(self, document: str, term: str, *, check_tag: bool = False) -> None:
        self.texts.setdefault(document, [])
        if term:
            self.terms.append((document, term))
            if check_tag:
                self.ticked.add((document, term.casefold()))


def read_indexing(path: str | PathLike[str]) -> Indexing:
    """Read a file; its format is seen from its beginning.

    Raises
    ------
    InputError
        With file and line: no such file, empty, not UTF-8, of no known format, or malformed.
    """
    source = Path(path)
    if source.suffix.lower() == ".xml":
        draft = _xml(xmlio.parse(source, huge=True), source)
        digest = digest_file(source)
        return _assemble(draft, source, digest)
    text = read_text(source)
    lines = text.split("\n")
    first = next((line for line in lines if line.strip("- \r\t\ufeff")), "")
    if not first:
        raise InputError("the file is empty", file=source, allowed=FORMATS)
    digest = digest_bytes(text.encode())
    if first.lstrip().startswith("<"):
        draft = _xml(xmlio.parse(source, huge=True), source)
    else:
        draft = _reader(first, source)(lines, source)
    return _assemble(draft, source, digest)


def _reader(first: str, source: Path) -> Callable[[list[str], Path], _Draft]:
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
    raise InputError("a format that is not known", file=source, line=1, found=first.strip(), allowed=FORMATS)


def _assemble(draft: _Draft, source: Path, digest: str) -> Indexing:
    if not draft.texts:
        raise InputError("no document in the file", file=source, allowed=FORMATS)
    documents = pd.DataFrame(
        {"document": list(draft.texts), "text": [" ".join(parts) for parts in draft.texts.values()]},
        dtype="str",
    )
    terms = pd.DataFrame(draft.terms, columns=["document", "term"], dtype="str")
    terms["key"] = terms["term"].str.casefold()
    terms = terms.drop_duplicates(["document", "key"], ignore_index=True)
    ticked = pd.Series(list(zip(terms["document"], terms["key"], strict=True)), dtype=object)
    terms["check_tag"] = (ticked.isin(draft.ticked) | terms["key"].isin(check_tags())).to_numpy(bool)
    return Indexing(source.stem, documents, terms, digest)


def heading(text: str) -> str:
    """A MEDLINE heading without star and qualifiers.

    Examples
    --------
    >>> heading("*Liver/drug effects/*metabolism")
    'Liver'
    """
    return text.split("/", 1)[0].strip().lstrip("*").strip()


def _medline(lines: list[str], source: Path) -> _Draft:
    draft = _Draft()
    document = ""
    tag, value = "", ""

    def close() -> None:
        nonlocal document
        if tag == "PMID":
            document = value.strip()
            if document in draft.texts:
                raise InputError("a document twice", file=source, found=document)
            draft.texts[document] = []
        elif tag in ("TI", "AB", "MH") and not document:
            raise InputError(f"{tag} before any PMID", file=source, found=value, allowed="PMID- first")
        elif tag in ("TI", "AB"):
            draft.texts[document].append(value.strip())
        elif tag == "MH":
            draft.add(document, heading(value))

    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r")
        if line.startswith("      "):
            value += " " + line.strip()
            continue
        close()
        tag, value = "", ""
        if not line.strip():
            continue
        if len(line) < 5 or line[4] != "-":
            raise InputError(
                "not a MEDLINE field", file=source, line=number, found=line, allowed="TAG - value"
            )
        tag, value = line[:4].strip(), line[5:].strip()
    close()
    return draft


def _xml(root: Any, source: Path) -> _Draft:
    draft = _Draft()
    for citation in root.iter("MedlineCitation"):
        document = (citation.findtext("PMID") or "").strip()
        if not document:
            raise InputError("a citation without PMID", file=source, line=citation.sourceline)
        if document in draft.texts:
            raise InputError("a document twice", file=source, line=citation.sourceline, found=document)
        parts = [citation.find(".//ArticleTitle"), *citation.iterfind(".//AbstractText")]
        draft.texts[document] = ["".join(p.itertext()).strip() for p in parts if p is not None]
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
    return draft


def _test_set(lines: list[str], source: Path) -> _Draft:
    draft = _Draft()
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r")
        if not line.strip():
            continue
        if not TEST_SET.match(line):
            raise InputError(
                "malformed", file=source, line=number, found=line, allowed="PMID|t|title, PMID|a|…, PMID|m|…"
            )
        document, kind, value = line.split("|", 2)
        draft.texts.setdefault(document, [])
        if kind == "m":
            for term in value.split("|"):
                draft.add(document, term.split("!", 1)[0].rstrip("*").strip())
        elif value.strip():
            draft.texts[document].append(value.strip())
    return draft


def _mti(lines: list[str], source: Path) -> _Draft:
    draft = _Draft()
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r")
        if not line.strip("- "):
            continue
        cells = line.split("|")
        if len(cells) < 6:
            raise InputError(
                "malformed", file=source, line=number, found=line, allowed="PMID|term|CUI|score|type|…"
            )
        document, term, kind = cells[0], cells[1].lstrip("*").strip(), cells[4]
        draft.texts.setdefault(document, [])
        if kind in HEADINGS:
            replaced = REPLACED.search(cells[5]) if kind == "ET" else None
            draft.add(document, heading(replaced[1] if replaced else term), check_tag=kind == "CT")
    return draft


def _csv(lines: list[str], source: Path) -> _Draft:
    draft = _Draft()
    reader = csv.reader(io.StringIO("\n".join(lines), newline=""), strict=True)
    try:
        header = [name.strip().casefold() for name in next(reader)]
        place, term_place = header.index("document"), header.index("term")
        for row in reader:
            if row and (len(row) != len(header) or not row[place]):
                raise InputError(
                    "a row without document or term, or with more",
                    file=source,
                    line=reader.line_num,
                    found=", ".join(row),
                    allowed=", ".join(header),
                )
            if row:
                draft.add(row[place].strip(), heading(row[term_place]))
    except csv.Error as error:
        raise InputError(f"not a table ({error})", file=source, line=reader.line_num) from None
    return draft


def _json_lines(lines: list[str], source: Path) -> _Draft:
    import orjson

    draft = _Draft()
    allowed = '{"document": "…", "terms": ["…"], "text": "…"} a line'
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise InputError(f"not JSON ({error})", file=source, line=number, allowed=allowed) from None
        good = isinstance(row, dict) and "document" in row and isinstance(row.get("terms", []), list)
        if not good or not all(isinstance(term, str) for term in row.get("terms", [])):
            raise InputError("malformed", file=source, line=number, found=line, allowed=allowed)
        document = str(row["document"])
        if document in draft.texts:
            raise InputError("a document twice", file=source, line=number, found=document)
        draft.texts[document] = [str(row[key]) for key in ("title", "abstract", "text") if row.get(key)]
        for term in row.get("terms", []):
            draft.add(document, heading(term))
    return draft
