"""Patterns searched in values as `re.search` does, and never without end.

Python's matcher tries what it must, and a pattern such as ``(([a-z]+)+)+$`` makes it try more ways than there
are atoms. How many ways there can be is bounded by the pattern's own parts and the length of the value. Where
that bound is small, as it is for nearly every pattern and value, the search is made here. Where it is not,
the same search by the same matcher is made in a child process that may take so much processor time and no
more: it is either finished, with the same result on any machine, or ends in an error that names the pattern.
"""

from __future__ import annotations

import marshal
import math
import re
import subprocess
import sys
from collections.abc import Collection
from functools import lru_cache
from re import _constants as _codes
from re import _parser as _tree
from typing import Any

from ..core.errors import InputError

STEPS = 3e8
"""The most steps that a search may need and still be made here: some ten seconds of a slow machine."""
SECONDS = 5
"""Processor time of a guarded search, and a second more for each million characters of the values."""

_LAZY_OR_GREEDY = {_codes.MAX_REPEAT, _codes.MIN_REPEAT, _codes.POSSESSIVE_REPEAT}
_CHILD = """
import marshal, re, resource, sys
pattern, values, seconds = marshal.loads(sys.stdin.buffer.read())
hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
seconds = seconds if hard == resource.RLIM_INFINITY else min(seconds, hard)
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
search = re.compile(pattern).search
sys.stdout.buffer.write(bytes(search(v) is not None for v in values))
"""


def matching(pattern: str, values: Collection[str]) -> frozenset[str]:
    """Those of `values` in which `re.search` finds `pattern`.

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
    lengths = [len(v) for v in values]
    # the longest value bounds the others, and is nearly always enough
    longest = steps(pattern, [max(lengths, default=0)]) * len(lengths)
    if longest <= STEPS or steps(pattern, lengths) <= STEPS:
        return frozenset(v for v in values if compiled.search(v) is not None)
    return _guarded(pattern, list(values), SECONDS + sum(lengths) // 1_000_000)


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


def _guarded(pattern: str, values: list[str], seconds: int) -> frozenset[str]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _CHILD],
        input=marshal.dumps((pattern, values, seconds)),
        capture_output=True,
        check=False,
    )
    if done.returncode < 0:
        raise InputError(
            f"the pattern /{pattern}/ needs too much work: not done after {seconds} s of processor time",
            allowed="a pattern in which no repetition stands in another, such as [a-z]+$ for ([a-z]+)+$",
        )
    if done.returncode or len(done.stdout) != len(values):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(
            f"the pattern /{pattern}/ cannot be searched ({said[-1] if said else 'the search ended early'})"
        )
    return frozenset(v for v, found in zip(values, done.stdout, strict=True) if found)
