"""Functions that parse XML without network access or entity expansion, and validate it against schemas."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from os import PathLike
from pathlib import Path
from xml.sax.saxutils import quoteattr

from lxml import etree

from .errors import InputError
from .files import read_bundled_bytes, read_bytes


def make_parser(*, huge: bool = False) -> etree.XMLParser:
    """Return an XML parser that neither accesses the network nor expands entities.

    `huge` removes libxml2's size limits, for large corpora.
    """
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=huge, remove_comments=True
    )


def format_attributes(pairs: Mapping[str, str]) -> str:
    """Format XML attributes for a tag, each preceded by a space."""
    return "".join(f" {name}={quoteattr(value)}" for name, value in pairs.items())


@lru_cache
def load_schema(package: str, name: str) -> etree.RelaxNG:
    """Return the RELAX NG schema `name` bundled with a package."""
    return etree.RelaxNG(etree.fromstring(read_bundled_bytes(package, name), make_parser()))


def parse_xml_file(
    path: str | PathLike[str],
    *,
    package: str | None = None,
    schema_name: str | None = None,
    huge: bool = False,
) -> etree._Element:
    """Parse an XML file, and validate it against a RELAX NG schema if one is given.

    Raises
    ------
    InputError
        If the file is not well-formed, declares entities in a DTD, or does not match the schema.
    """
    source = Path(path)
    return parse_xml_bytes(read_bytes(source), source, package=package, schema_name=schema_name, huge=huge)


def parse_xml_bytes(
    content: bytes,
    file: str | PathLike[str],
    *,
    package: str | None = None,
    schema_name: str | None = None,
    huge: bool = False,
) -> etree._Element:
    """Parse XML from memory, as `parse_xml_file` does; error messages name `file`."""
    if not content.strip():
        raise InputError("the file is empty, not an XML document", file=file)
    try:
        root = etree.fromstring(content, make_parser(huge=huge))
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise InputError(
            # some messages of libxml2 have line breaks
            f"not well-formed XML ({' '.join(str(error.msg).split())})",
            file=file,
            line=line or None,
            column=column or None,
        ) from None
    internal = root.getroottree().docinfo.internalDTD
    if internal is not None and any(True for _ in internal.iterentities()):
        raise InputError("the DTD of the document declares entities, which are not supported", file=file)
    if schema_name is not None and package is not None:
        check = load_schema(package, schema_name)
        if not check.validate(root):
            entry = check.error_log[0]
            raise InputError(
                f"the document is not valid according to {schema_name} ({entry.message})",
                file=file,
                line=entry.line or None,
            )
    return root
