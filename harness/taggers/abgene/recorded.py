"""Reader of a tagger's recorded output, which consists of sentences and their mentions.

Two formats are read. A GENETAG folder contains the sentences in ``TOKENIZED_CORPUS`` or
``TAGGED_GENE_CORPUS``, and the mentions in ``Test.format`` as lines ``@@ID|first last|text``, where `first`
and `last` are the numbers of the first and last token, counted from 0. A file of inline ``token/TAG`` lines,
as printed by ABGene, marks mentions by tags: consecutive tokens whose tags end in ``GENE`` form one mention.

Sentences are compared without white space, because tokenisers insert blanks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

SENTENCES = ("TOKENIZED_CORPUS", "TAGGED_GENE_CORPUS")
SPANS = "Test.format"
Spans = tuple[tuple[int, int], ...]


class RecordError(Exception):
    """Error raised if recorded output cannot be read; its message contains the file and the line number."""


class Record:
    """Recorded mentions of each sentence.

    Attributes
    ----------
    spans : dict
        Half-open spans of the mentions in each sentence. Sentences are stored without white space, and
        offsets count only the remaining characters.
    disputed : set
        Sentences that were recorded several times with different mentions.
    """

    def __init__(self) -> None:
        self.spans: dict[str, Spans] = {}
        self.disputed: set[str] = set()

    def add(self, key: str, spans: Spans) -> None:
        """Record the mentions of a sentence; mark it as disputed if other mentions were recorded for it."""
        if self.spans.setdefault(key, spans) != spans:
            self.disputed.add(key)

    def find(self, text: str) -> list[tuple[int, int]] | None:
        """Return the spans of the mentions in a sentence; None if it is disputed or was not recorded."""
        key = squeeze(text)
        if key not in self.spans or key in self.disputed:
            return None
        places = [i for i, c in enumerate(text) if not c.isspace()]
        return [(places[start], places[end - 1] + 1) for start, end in self.spans[key]]


def squeeze(text: str) -> str:
    """Return a text without its white space."""
    return "".join(text.split())


def read(place: Path) -> Record:
    """Read recorded output from a GENETAG folder or from a file with inline tags.

    Raises
    ------
    RecordError
        If the file or folder is invalid; the message contains the file and the line number.
    """
    return _read_folder(place) if place.is_dir() else _read_inline(place)


def _lines(file: Path) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the identifier and the tagged tokens of each ``ID token/TAG …`` line."""
    for number, line in _text(file):
        key, *words = line.split()
        pairs = [word.rpartition("/") for word in words]
        if not pairs or not all(slash for _, slash, _ in pairs):
            raise RecordError(f"{file}, line {number}: the line is not in the form ID token/TAG token/TAG …")
        yield key.partition("/")[0], [(token, tag) for token, _, tag in pairs]


def _text(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-empty lines of a file with their numbers."""
    try:
        with file.open(encoding="utf-8", newline="\n") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"cannot read {file}: {error}") from None


def _read_inline(file: Path) -> Record:
    record = Record()
    for _, pairs in _lines(file):
        ends = list(accumulate(len(token) for token, _ in pairs))
        spans: list[tuple[int, int]] = []
        inside = False
        for (token, tag), end in zip(pairs, ends, strict=True):
            gene = tag.rstrip("0123456789").endswith("GENE")
            if gene and inside:
                spans[-1] = (spans[-1][0], end)
            elif gene:
                spans.append((end - len(token), end))
            inside = gene
        record.add("".join(token for token, _ in pairs), tuple(spans))
    return record


def _read_folder(folder: Path) -> Record:
    source = next((folder / name for name in SENTENCES if (folder / name).is_file()), None)
    if source is None:
        raise RecordError(f"{folder} contains neither {' nor '.join(SENTENCES)}")
    tokens = {key: [token for token, _ in pairs] for key, pairs in _lines(source)}
    found: dict[str, list[tuple[int, int]]] = {key: [] for key in tokens}
    file = folder / SPANS
    for number, line in _text(file):
        key, _, rest = line.partition("|")
        numbers = rest.partition("|")[0].split()
        if key not in tokens:
            raise RecordError(f"{file}, line {number}: no sentence {key} in {source.name}")
        if len(numbers) != 2 or not all(n.isdecimal() for n in numbers):
            raise RecordError(f"{file}, line {number}: the line is not in the form ID|first last|text")
        first, last = map(int, numbers)
        if not first <= last < len(tokens[key]):
            raise RecordError(f"{file}, line {number}: tokens {first} to {last} are outside sentence {key}")
        before = sum(map(len, tokens[key][:first]))
        found[key].append((before, before + sum(map(len, tokens[key][first : last + 1]))))
    record = Record()
    for key, words in tokens.items():
        record.add("".join(words), tuple(sorted(set(found[key]))))
    return record
