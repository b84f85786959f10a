"""brat stand-off format, which stores each text in ``NAME.txt`` and its annotations in ``NAME.ann``."""

from __future__ import annotations

import re
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from ...catalogues.core.errors import InputError
from ...catalogues.core.files import digest_files, read_text
from ...catalogues.core.numbers import check_unit
from ...catalogues.core.offsets import OffsetMap
from ...catalogues.core.text import TextColumn
from ..corpus import Corpus
from .base import CHECK_OPTION, CorpusFormat, FormatOptions, is_check_enabled
from .draft import Draft, assemble_corpus, place_mentions
from .records import MentionRecords
from .standoff import (
    StandoffLines,
    add_links,
    check_names,
    format_mention_lines,
    format_relation_lines,
    number_relations,
    parse,
    to_one_line,
)
from .views import (
    MentionView,
    RelationView,
    encode_text,
    iterate_texts,
    make_equivalence_sets,
    make_relation_views,
    select_relations,
)


def read_folder(
    path: Path, options: FormatOptions, name: str, suffixes: tuple[str, ...], unit: str
) -> Corpus:
    """Read all ``*.txt`` files in a folder, with their annotation files.

    Parameters
    ----------
    path : Path
        Folder.
    options : mapping
        Options of the format.
    name : str
        Name of the format.
    suffixes : tuple of str
        Suffixes of the annotation files; each text must have at least one annotation file.
    unit : str
        Unit of offsets unless the option ``offsets`` is given.
    """
    texts = sorted(path.glob("*.txt"), key=lambda p: file_sort_key(p.stem))
    if not texts:
        raise InputError("no texts in the folder", file=path, allowed=f"NAME.txt and NAME{suffixes[0]}")
    stems = {p.stem for p in texts}
    lone = sorted(p for s in suffixes for p in path.glob(f"*{s}") if p.stem not in stems)
    if lone:
        problem = "the text of these annotations is missing"
        raise InputError(problem, file=lone[0], allowed=f"{lone[0].stem}.txt")
    draft = Draft([p.stem for p in texts], [read_text(p) for p in texts], [p.stem for p in texts])
    parsed: list[StandoffLines] = []
    read: list[Path] = []
    records = MentionRecords(strict=True)
    mention_files: list[str | PathLike[str]] = []
    for text in texts:
        candidates = [text.with_name(text.stem + s) for s in suffixes]
        files = [f for f in candidates if f.is_file()]
        if not files:
            allowed = " or ".join(f.name for f in candidates)
            raise InputError("the annotations of this text are missing", file=text, allowed=allowed)
        lines = StandoffLines()
        for file in files:
            records.file, records.expected_name = file, text.stem
            parse(read_text(file).encode(), records, lines)
            mention_files += [file] * (len(records) - len(mention_files))
        parsed.append(lines)
        read += [text, *files]
    rows = [row for row, lines in enumerate(parsed) for _ in lines.mention_places]
    units = (check_unit(options.get("offsets", unit)),)
    place_mentions(draft, records, rows, units, check=is_check_enabled(options), files=mention_files)
    draft.types = records.type
    add_links(draft, parsed)
    digest = digest_files((file.name, file) for file in read)
    return assemble_corpus(draft, name=f"{name}:{path.resolve().name}", digest=digest, file=path)


def write_folder(
    corpus: Corpus, folder: Path, options: FormatOptions, name: str, suffixes: tuple[str, ...], unit: str
) -> None:
    """Write each text and its annotations to files in a folder.

    With two suffixes, mentions go to the first annotation file and all other annotations to the second. See
    `read_folder` for the parameters.
    """
    check_names(corpus, name)
    offsets = OffsetMap(TextColumn(corpus.texts["text"].tolist()), check_unit(options.get("offsets", unit)))
    by_text: dict[object, list[RelationView]] = {}
    for relation in select_relations(make_relation_views(corpus), lambda text_id: text_id):
        by_text.setdefault(relation.text_ids[0], []).append(relation)
    sets = make_equivalence_sets(corpus)
    set_numbers = {member: i for i, members in enumerate(sets) for member in members}
    for row, text in enumerate(iterate_texts(corpus)):
        stem = make_file_stem(text.text_id)
        names = {m.mention_id: f"T{i}" for i, m in enumerate(text.mentions, start=1)}
        relations = by_text.get(text.text_id, [])
        first = format_mention_lines(text, offsets, row, names)
        rest = format_reference_lines(text.mentions, names, task=len(suffixes) > 1)
        rest += format_relation_lines(relations, names, number_relations(relations))
        for i in sorted({set_numbers[m.mention_id] for m in text.mentions if m.mention_id in set_numbers}):
            if all(k in names for k in sets[i]):
                rest.append("*\tEquiv " + " ".join(names[k] for k in sets[i]) + "\n")
        (folder / f"{stem}.txt").write_bytes(encode_text(text.text))
        parts = [first, rest] if len(suffixes) > 1 else [first + rest]
        for suffix, lines in zip(suffixes, parts, strict=True):
            (folder / f"{stem}{suffix}").write_bytes(encode_text("".join(lines)))


def file_sort_key(stem: str) -> tuple[bool, int, str]:
    """Return a sort key that puts numeric file names first, in numerical order."""
    number = stem.isascii() and stem.isdecimal()
    return (not number, int(stem) if number else 0, stem)


def make_file_stem(text_id: object) -> str:
    """Return the file name for a text id, without suffix; raise InputError if it is not valid."""
    stem = str(text_id)
    if not stem or stem.startswith(".") or re.search(r"[/\\\x00-\x1f]", stem) or len(stem.encode()) > 200:
        raise InputError(
            "a text id cannot be used as a file name",
            found=stem,
            allowed="up to 200 bytes, no dot at the start, no /, \\ or control character",
        )
    return stem


def format_reference_lines(mentions: list[MentionView], names: dict[int, str], *, task: bool) -> list[str]:
    """Return the normalisation (``N``) lines of mentions.

    Parameters
    ----------
    mentions : list of MentionView
        Mentions in one text.
    names : dict
        Id of the text-bound line (such as ``T1``) of each mention, keyed by mention id.
    task : bool
        Whether to write lines for the BioNLP shared tasks instead of brat; these lines require an authority.
    """
    lines: list[str] = []
    for mention in mentions:
        for authority, identifier in mention.normalisations:
            number, key = f"N{len(lines) + 1}", names[mention.mention_id]
            is_unfit = not authority if task else ":" in authority
            if is_unfit or not identifier or re.search(r"\s", authority + identifier):
                raise InputError(
                    f"format {'bionlp' if task else 'brat'} cannot store this normalisation",
                    found=f"{authority}:{identifier}",
                    allowed="an identifier and authority without white space"
                    + ("" if task else "; an authority without :"),
                )
            form = f"{authority} Annotation:{key} Referent:{identifier}"
            brat = f"Reference {key} {authority}:{identifier}\t{to_one_line(mention.data)}"
            lines.append(f"{number}\t{form if task else brat}\n")
    return lines


def make_standoff_format(
    name: str,
    title: str,
    suffixes: tuple[str, ...],
    unit: str,
    output: Callable[[bytes, MentionRecords], object] | None = None,
) -> CorpusFormat:
    """Return a format for folders of texts with stand-off annotation files.

    Parameters
    ----------
    name, title : str
        Name of the format, and its description in one line.
    suffixes : tuple of str
        Suffixes of the annotation files; see `write_folder`.
    unit : str
        Default unit of offsets.
    output : callable, optional
        Function that parses tagger output in this format.
    """

    def read(path: Path, options: FormatOptions) -> Corpus:
        return read_folder(path, options, name, suffixes, unit)

    def write(corpus: Corpus, path: Path, options: FormatOptions) -> None:
        write_folder(corpus, path, options, name, suffixes, unit)

    return CorpusFormat(
        name=name,
        title=title,
        place="folder",
        read=read,
        write=write,
        options={"offsets": "characters, utf16 or bytes", **CHECK_OPTION},
        parse=output,
        has_mention_names=False,
    )


FORMAT = make_standoff_format(
    "brat", "brat stand-off: NAME.txt and NAME.ann, offsets in characters", (".ann",), "characters", parse
)
