"""Reader of documents with index terms, in MEDLINE, PubMed XML and other formats."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from ....catalogues.core import xml
from ....catalogues.core.errors import InputError
from ....catalogues.core.files import decode_utf8, digest_bytes, read_bundled_text, read_bytes

# types of lines from the Medical Text Indexer with a main heading: headings, headings to which a chemical is
# mapped, entry terms and check tags (but not supplementary chemicals and qualifiers)
HEADING_TYPES = frozenset({"MH", "MH+", "MH-S", "HM", "ET", "CT"})
REPLACED_TERM = re.compile(r'Entry Term Replacement for "([^"]+)"')
MTI_LINE = re.compile(r"\d+\|[^|]*\|C\d{7}\|")
# in NLM test sets: heading!qualifier; a star replaces the mark, or is added, if the topic is major
MAJOR_TOPIC_MARK = re.compile(r"[!*]")
TEST_SET_LINE = re.compile(r"\d+\|[tam]\|")
FORMATS = "MEDLINE, PubMed XML, MTI output, PMID|t|…, CSV with a header (document,term), JSON lines"


@lru_cache
def load_check_tags() -> frozenset[str]:
    """Return the case-folded check tags, which are headings that indexers consider for every article."""
    return frozenset(read_bundled_text(__package__, "check_tags.txt").casefold().splitlines())


@dataclass(frozen=True, eq=False)
class IndexedDocuments:
    """Documents and their index terms.

    Attributes
    ----------
    name : str
        Name of the file.
    documents : DataFrame
        `document` (unique, in file order), `text` (title and abstract, or "" if the format has no text).
    terms : DataFrame
        `document`, `term` (as written), `key` (case-folded, unique per document), `check_tag` (bool).
    digest : str
        SHA-256 checksum of the file.
    left_out : tuple of InputError
        Problems of the lines that were skipped.
    """

    name: str
    documents: pd.DataFrame
    terms: pd.DataFrame
    digest: str
    left_out: tuple[InputError, ...] = ()


@dataclass
class _Draft:
    """Documents and terms read so far, and the state of the reader."""

    source: Path
    line: int = 0
    texts: dict[str, list[str]] = field(default_factory=dict)
    terms: list[tuple[str, str]] = field(default_factory=list)
    check_tags: set[tuple[str, str]] = field(default_factory=set)
    left_out: list[InputError] = field(default_factory=list)
    document: str = ""
    header: list[str] = field(default_factory=list)

    def begin(self, document: str) -> None:
        if document in self.texts:
            raise self.fault("duplicate document", document)
        self.texts[document] = []

    def add(self, document: str, term: str, *, check_tag: bool = False) -> None:
        self.texts.setdefault(document, [])
        if term:
            self.terms.append((document, term))
            if check_tag:
                self.check_tags.add((document, term.casefold()))

    def fault(self, problem: str, found: str | None = None, allowed: str | None = None) -> InputError:
        return InputError(problem, file=self.source, line=self.line, found=found, allowed=allowed)


def read_indexing(path: str | PathLike[str], *, skip_bad_lines: bool = False) -> IndexedDocuments:
    """Read a file of documents with index terms; the format is recognised from the first line.

    Parameters
    ----------
    path : path
        File of documents with index terms.
    skip_bad_lines : bool
        Whether to skip lines that are malformed or not UTF-8, and list their problems in `left_out`. The
        option has no effect on XML.

    Raises
    ------
    InputError
        If the file does not exist, is empty, not UTF-8, in an unknown format, or malformed.
    """
    source = Path(path)
    draft = _Draft(source)
    content = read_bytes(source).removeprefix(codecs.BOM_UTF8)
    filled = [line for line in content.split(b"\n") if line.strip(b"- \r\t")]
    if not filled:
        raise InputError("the file is empty", file=source, allowed=FORMATS)
    if source.suffix.lower() == ".xml" or filled[0].lstrip().startswith(b"<"):
        _xml(xml.parse_xml_file(source, huge=True), draft)
    else:
        _read_lines(content, draft, skip_bad_lines)
    return _assemble(draft, digest_bytes(content))


def _read_lines(content: bytes, draft: _Draft, skip_bad_lines: bool) -> None:
    raw_lines = content.split(b"\n")
    read = _find_reader(raw_lines, draft, skip_bad_lines)
    for draft.line, raw in _join_fields(raw_lines) if read is _medline else enumerate(raw_lines, start=1):
        try:
            line = decode_utf8(raw, draft.source, draft.line).rstrip("\r")
            if line.strip("- "):
                read(line, draft)
            else:
                draft.document = ""  # a blank line ends a MEDLINE record
        except InputError as error:
            if not skip_bad_lines:
                raise
            draft.left_out.append(error)


def _find_reader(
    raw_lines: list[bytes], draft: _Draft, skip_bad_lines: bool
) -> Callable[[str, _Draft], None]:
    """Return the reader for the format of the first line.

    If bad lines are skipped, lines in an unknown format are ignored.
    """
    lines = [line.decode("utf-8", "replace") for line in raw_lines if line.strip(b"- \r\t")]
    for line in lines if skip_bad_lines else lines[:1]:
        if line.lstrip().startswith("{"):
            return _json_line
        if line.startswith("PMID"):
            return _medline
        if TEST_SET_LINE.match(line):
            return _test_set
        if MTI_LINE.match(line):
            return _mti
        if {"document", "term"} <= {cell.strip().casefold() for cell in line.split(",")}:
            return _csv
    draft.line = 1
    raise draft.fault("unknown format", lines[0].strip(), FORMATS)


def _join_fields(raw_lines: list[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the first line number and the content of each MEDLINE field, including continuation lines."""
    first, value = 1, b""
    for number, line in enumerate(raw_lines, start=1):
        if line.startswith(b"      "):
            value += b" " + line.strip()
            continue
        yield first, value
        first, value = number, line
    yield first, value


def _assemble(draft: _Draft, digest: str) -> IndexedDocuments:
    if not draft.texts:
        problem, line, found = "the file contains no document", None, None
        if draft.left_out:
            first = draft.left_out[0]
            problem += f"; {len(draft.left_out)} malformed lines were skipped; first problem: {first.problem}"
            line, found = first.line, first.found
        raise InputError(problem, file=draft.source, line=line, found=found, allowed=FORMATS)
    documents = pd.DataFrame(
        {"document": list(draft.texts), "text": [" ".join(parts) for parts in draft.texts.values()]},
        dtype="str",
    )
    terms = pd.DataFrame(draft.terms, columns=["document", "term"], dtype="str")
    terms["key"] = terms["term"].str.casefold()
    terms = terms.drop_duplicates(["document", "key"], ignore_index=True)
    pairs = pd.Series(list(zip(terms["document"], terms["key"], strict=True)), dtype=object)
    terms["check_tag"] = (pairs.isin(draft.check_tags) | terms["key"].isin(load_check_tags())).to_numpy(bool)
    return IndexedDocuments(draft.source.stem, documents, terms, digest, tuple(draft.left_out))


def strip_heading(text: str) -> str:
    """Return a MEDLINE heading without its star and qualifiers.

    Examples
    --------
    >>> strip_heading("*Liver/drug effects/*metabolism")
    'Liver'
    """
    return text.split("/", 1)[0].strip().lstrip("*").strip()


def _xml(root: Any, draft: _Draft) -> None:
    for citation in root.iter("MedlineCitation"):
        document = (citation.findtext("PMID") or "").strip()
        if not document:
            raise InputError("a citation has no PMID", file=draft.source, line=citation.sourceline)
        draft.line = citation.sourceline
        draft.begin(document)
        parts = [citation.find(".//ArticleTitle"), *citation.iterfind(".//AbstractText")]
        draft.texts[document] += ["".join(p.itertext()).strip() for p in parts if p is not None]
        for descriptor in citation.iterfind(".//MeshHeading/DescriptorName"):
            draft.add(document, (descriptor.text or "").strip())
    if not draft.texts:
        raise InputError(
            "the file contains no MedlineCitation",
            file=draft.source,
            line=root.sourceline,
            found=f"<{root.tag!s}>",
            allowed=FORMATS,
        )


def _medline(line: str, draft: _Draft) -> None:
    if len(line) < 5 or line[4] != "-":
        raise draft.fault("not a MEDLINE field", line, "lines of the form TAG - value")
    tag, value = line[:4].strip(), line[5:].strip()
    if tag == "PMID":
        draft.begin(value)
        draft.document = value
    elif tag in ("TI", "AB", "MH") and not draft.document:
        raise draft.fault(f"the field {tag} comes before the first PMID", value, "PMID as the first field")
    elif tag in ("TI", "AB"):
        draft.texts[draft.document].append(value)
    elif tag == "MH":
        draft.add(draft.document, strip_heading(value))


def _test_set(line: str, draft: _Draft) -> None:
    if not TEST_SET_LINE.match(line):
        raise draft.fault("malformed line", line, "PMID|t|title, PMID|a|abstract or PMID|m|terms")
    document, kind, value = line.split("|", 2)
    draft.texts.setdefault(document, [])
    if kind == "m":
        for term in value.split("|"):
            draft.add(document, MAJOR_TOPIC_MARK.split(term, maxsplit=1)[0].strip())
    elif value.strip():
        draft.texts[document].append(value.strip())


def _mti(line: str, draft: _Draft) -> None:
    cells = line.split("|")
    if len(cells) < 6:
        raise draft.fault("malformed line", line, "PMID|term|CUI|score|type|…")
    document, term, kind = cells[0], cells[1].lstrip("*").strip(), cells[4]
    draft.texts.setdefault(document, [])
    if kind in HEADING_TYPES:
        replaced = REPLACED_TERM.search(cells[5]) if kind == "ET" else None
        draft.add(document, strip_heading(replaced[1] if replaced else term), check_tag=kind == "CT")


def _csv(line: str, draft: _Draft) -> None:
    try:
        (row,) = csv.reader([line], strict=True)
    except csv.Error as error:
        raise draft.fault(f"malformed CSV row ({error})", line) from None
    if not draft.header:
        names = [name.strip().casefold() for name in row]
        if not {"document", "term"} <= set(names):
            raise draft.fault("the header is missing", line, "document,term")
        draft.header = names
        return
    place = draft.header.index("document")
    if len(row) != len(draft.header) or not row[place]:
        raise draft.fault("the row does not match the header", line, ", ".join(draft.header))
    draft.add(row[place].strip(), strip_heading(row[draft.header.index("term")]))


def _json_line(line: str, draft: _Draft) -> None:
    import orjson

    allowed = '{"document": "…", "terms": ["…"], "text": "…"} on each line'
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise draft.fault(f"not valid JSON ({error})", allowed=allowed) from None
    good = isinstance(row, dict) and "document" in row and isinstance(row.get("terms", []), list)
    if not good or not all(isinstance(term, str) for term in row.get("terms", [])):
        raise draft.fault("malformed line", line, allowed)
    document = str(row["document"])
    draft.begin(document)
    draft.texts[document] = [str(row[key]) for key in ("title", "abstract", "text") if row.get(key)]
    for term in row.get("terms", []):
        draft.add(document, strip_heading(term))
