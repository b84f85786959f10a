"""Patterns searched in texts as `re` does, and never without end.

Python's matcher tries what it must, and a pattern such as ``(([a-z]+)+)+$`` makes it try more ways than there
are atoms. How many ways there can be is bounded by the pattern's own parts and the length of the text. Where
that bound is small, as it is for nearly every query, the search is made here. Where it is not, the same
search by the same matcher is made in a child process that may take so much processor time and no more: it is
either finished, with the same result on any machine, or ends in an error that names the pattern. All patterns
that users write are searched here: those of queries and those of tagger specifications.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import math
import os
import re
import subprocess
import sys
import threading
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from re import _constants as _codes
from re import _parser as _tree
from typing import Any, NamedTuple

from .errors import InputError

STEPS = 3e8
"""The most steps that a search may need and still be made here: some ten seconds of a slow machine."""
SECONDS: float = 5
"""Processor time of a guarded search, and a second more for each million characters of the texts."""
BLOCK = 1 << 20
"""Characters of texts that are searched together, or one text that has more."""

_LAZY_OR_GREEDY = {_codes.MAX_REPEAT, _codes.MIN_REPEAT, _codes.POSSESSIVE_REPEAT}
_CHILD = """
import itertools, marshal, re, signal, sys
requests, answers = sys.stdin.buffer, sys.stdout.buffer
signal.signal(signal.SIGPROF, signal.SIG_DFL)
while size := requests.read(8):
    pattern, texts, most, seconds = marshal.loads(requests.read(int.from_bytes(size, "little")))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        search = re.compile(pattern).finditer
        found = [[(m.start(), m.end(), m.groups()) for m in itertools.islice(search(t), most)] for t in texts]
    except Exception as error:
        found = str(error)
    signal.setitimer(signal.ITIMER_PROF, 0)
    answer = marshal.dumps(found)
    answers.write(len(answer).to_bytes(8, "little") + answer)
    answers.flush()
"""


class Match(NamedTuple):
    """Where a pattern was found, and what its groups hold."""

    start: int
    end: int
    groups: tuple[str | None, ...]


def matching(pattern: str, texts: Collection[str]) -> frozenset[str]:
    """Those of `texts` in which `re.search` finds `pattern`.

    Raises
    ------
    InputError
        When the search is still not done after `SECONDS` of processor time.

    Examples
    --------
    >>> sorted(matching("^[a-c]", ["a1", "b", "d"]))
    ['a1', 'b']
    """
    compiled = re.compile(pattern)
    texts = list(texts)
    if _is_short(pattern, texts):
        return frozenset(t for t in texts if compiled.search(t) is not None)
    found = _guarded(pattern, texts, 1, _seconds(texts))
    return frozenset(t for t, matches in zip(texts, found, strict=True) if matches)


def searched(pattern: str, texts: Iterable[str], *, every: bool = False) -> Iterator[list[Match]]:
    """The first match of a pattern in each of some texts, or every one.

    Parameters
    ----------
    pattern : str
    texts : iterable of str
    every : bool
        Whether all matches are given, as `re.finditer` does; else the first, as `re.search` does.

    Yields
    ------
    list of Match
        Of each text; empty where the pattern is not found.

    Raises
    ------
    InputError
        When the search is still not done after `SECONDS` of processor time.

    Examples
    --------
    >>> list(searched("b(.)", ["abcbd", "x"], every=True))
    [[Match(start=1, end=3, groups=('c',)), Match(start=3, end=5, groups=('d',))], []]
    """
    find = re.compile(pattern).finditer
    most = sys.maxsize if every else 1
    for block in _blocks(texts):
        if _is_short(pattern, block):
            found: Iterable[Any] = (
                ((m.start(), m.end(), m.groups()) for m in islice(find(text), most)) for text in block
            )
        else:
            found = _guarded(pattern, block, most, _seconds(block))
        for matches in found:
            yield [Match(*match) for match in matches]


def _blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Some texts at a time: what is found in all of them at once could be too much for memory."""
    block: list[str] = []
    size = 0
    for text in texts:
        block.append(text)
        # an empty text takes room too
        size += len(text) + 1
        if size >= BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def _is_short(pattern: str, texts: Collection[str]) -> bool:
    lengths = [len(t) for t in texts]
    # the longest text bounds the others, and is nearly always enough
    longest = steps(pattern, [max(lengths, default=0)]) * len(lengths)
    return longest <= STEPS or steps(pattern, lengths) <= STEPS


def _seconds(texts: Collection[str]) -> float:
    return SECONDS + sum(map(len, texts)) // 1_000_000


def steps(pattern: str, lengths: Collection[int]) -> float:
    """An upper bound on the steps of a search in texts of these lengths; infinite where beyond counting.

    Examples
    --------
    >>> steps("^[0-9]+-", [9]) < 1000 < steps("(([a-z]+)+)+$", [20])
    True
    """
    least = int(_parsed(pattern).getwidth()[0])
    costs: dict[int, float] = {}
    for length in set(lengths):
        # each place may be the first of the match, and each way is walked to its end
        places = length + 1
        size = max(len(pattern), min(least, length), 1)
        try:
            ways = _ways(_parsed(pattern), length)
        except RecursionError:
            ways = math.inf
        exponent = ways + math.log(places) + math.log(size)
        costs[length] = math.exp(exponent) if exponent < 700 else math.inf
    return sum(costs[length] for length in lengths)


@lru_cache(maxsize=256)
def _parsed(pattern: str) -> Any:
    return _tree.parse(pattern)


def _ways(parsed: Any, length: int) -> float:
    """The logarithm of the number of ways in which a part may match, at most, from one place of a text."""
    return math.fsum(_ways_of(code, argument, length) for code, argument in parsed)


def _ways_of(code: Any, argument: Any, length: int) -> float:
    if code in _LAZY_OR_GREEDY:
        low, high, inside = argument
        shortest = max(int(inside.getwidth()[0]), 1)
        times = min(int(high), length // shortest + int(low))
        within = _ways(inside, length)
        # one way for each number of times, and where one time has many ways, all their combinations
        return math.log(max(times - int(low), 0) + 1) + within * times
    if code is _codes.BRANCH:
        ways = [_ways(branch, length) for branch in argument[1]]
        return max(ways) + math.log(len(ways))
    if code is _codes.SUBPATTERN:
        return _ways(argument[-1], length)
    if code is _codes.ATOMIC_GROUP:
        return _ways(argument, length)
    if code in (_codes.ASSERT, _codes.ASSERT_NOT):
        return _ways(argument[1], length)
    if code is _codes.GROUPREF_EXISTS:
        return max(_ways(part, length) for part in argument[1:] if part is not None) + math.log(2)
    return 0.0


class _Child:
    """A process that searches, request after request, each in its own time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()
        atexit.register(self.end)

    def ask(self, request: object) -> Any:
        """What the process answers; None when its time was up or it was ended."""
        content = marshal.dumps(request)  # type: ignore[arg-type]
        with self._turn:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _CHILD],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                )  # fmt: skip
            try:
                answer = self._exchange(self._process, content)
            except BaseException:
                # interrupted: its answer would be taken for that to the next request
                self.end()
                raise
            if not answer:
                self.end()
            return marshal.loads(answer) if answer else None  # noqa: S302 - from our own child

    @staticmethod
    def _exchange(process: subprocess.Popen[bytes], content: bytes) -> bytes:
        """Send a request; gives the answer, nothing where it ends before it is whole."""
        asked, answered = process.stdin, process.stdout
        assert asked is not None  # noqa: S101 - both are pipes
        assert answered is not None  # noqa: S101
        # one that has ended gives no answer, which is seen below
        with contextlib.suppress(BrokenPipeError):
            asked.write(len(content).to_bytes(8, "little") + content)
            asked.flush()
        size = int.from_bytes(answered.read(8), "little")
        answer = answered.read(size)
        return answer if len(answer) == size else b""

    def end(self) -> None:
        """End the process; the next request starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            # what was not sent is not wanted any more
            with contextlib.suppress(BrokenPipeError):
                process.communicate()

    def forget(self) -> None:
        """In a copy of this process: the child is the original's."""
        self._process, self._turn = None, threading.Lock()


_child = _Child()
os.register_at_fork(after_in_child=_child.forget)


def _guarded(
    pattern: str, texts: Collection[str], most: int, seconds: float
) -> list[list[tuple[int, int, tuple[str | None, ...]]]]:
    """At most so many matches in each text, from the child."""
    found = _child.ask((pattern, list(texts), most, seconds))
    if found is None:
        raise InputError(
            f"the pattern /{pattern}/ needs too much work: not done after {seconds} s of processor time",
            allowed="a pattern in which no repetition stands in another, such as [a-z]+$ for ([a-z]+)+$",
        )
    if isinstance(found, str):
        raise InputError(f"the pattern /{pattern}/ cannot be searched ({found})")
    assert isinstance(found, list)  # noqa: S101 - the child's own form
    return found
