"""Equivalence classes of identifiers, read from a file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_text


def read_equivalence(path: str | PathLike[str] | None, *, as_published: bool = False) -> dict[str, str]:
    """Read a JSON list of equivalence classes, and map each identifier to the name of its class.

    The name of a class consists of its sorted identifiers, joined by ``|``. An identifier that is not in the
    result forms its own class. Classes that share an identifier are merged; in the released program, an
    identifier belongs only to the last class that lists it.
    """
    if path is None:
        return {}
    import orjson

    source = Path(path)
    allowed = "a list of lists of identifiers"
    try:
        content = orjson.loads(read_text(source))
    except orjson.JSONDecodeError as error:
        problem = f"not valid JSON ({error})"
        raise InputError(problem, file=source, line=error.lineno, allowed=allowed) from None
    if not isinstance(content, list):
        raise InputError("the file contains no list of equivalence classes", file=source, allowed=allowed)
    classes: list[set[str]] = []
    for number, members in enumerate(content, start=1):
        if not isinstance(members, list) or not all(isinstance(m, str) for m in members):
            raise InputError(
                f"class {number} is not a list of strings", file=source, found=members, allowed=allowed
            )
        classes.append(set(members))
    if as_published:
        return {m: "|".join(sorted(members)) for members in classes for m in members}
    merged: dict[str, set[str]] = {}
    for members in classes:
        union = set(members).union(*(merged[m] for m in members if m in merged))
        merged |= dict.fromkeys(union, union)
    return {m: "|".join(sorted(members)) for m, members in merged.items()}
