"""What a function by name takes, found out in a process of its own before anything is run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....catalogues.core.errors import InputError
from ..processes.stderr import last_line
from ..specification import PROGRAM, Option, Scalar, Specification
from ..tagger import Tagger, printed_by
from .calling import converted


@dataclass(frozen=True)
class Described:
    """A function that can be imported and called.

    Attributes
    ----------
    spec : Specification
        With the function's parameters among its options.
    version : str
        ``__version__`` of its module or package.
    sources : tuple of str
        Name and digest of each file of its source.
    several : bool
        Whether it takes a list of texts.
    kinds : mapping
        Of the options that are its parameters.
    """

    spec: Specification
    version: str
    sources: tuple[str, ...]
    several: bool
    kinds: Mapping[str, str]

    def check(self, options: Mapping[str, Scalar]) -> None:
        """Refuse an option whose value is none of its parameter's kind."""
        for name, value in options.items():
            try:
                converted(self.kinds.get(name, "text"), _as_text(value))
            except ValueError as error:
                raise InputError(
                    f"option {name} of {self.spec.name}",
                    found=str(value),
                    allowed=str(error).removeprefix("allowed: "),
                ) from None


def describe(spec: Specification, path: Path, given: Mapping[str, str]) -> Described:
    """Import a function in a process of its own, and look at its signature.

    Raises
    ------
    InputError
        When it cannot be imported, is not there or cannot be called.
    """
    name = spec.python.function if spec.python else ""
    command = [*PROGRAM, "--describe", name]
    printed, error = printed_by(Tagger(spec, path, {}), command, f"the import of {name}")
    try:
        known: dict[str, Any] = json.loads(printed)
    except ValueError:
        known = {"error": last_line(error) or "its process ended"}
    if "error" in known:
        raise InputError(
            f"the function {name} cannot be used: {known['error']}",
            allowed="package.module:function, importable from the working folder or PYTHONPATH",
        )
    options = dict(spec.options)
    for option, about in known["options"].items():
        own = options.get(option, Option(required=about["required"]))
        options[option] = own.model_copy(update={"argument": option})
    for option in given if known["anything"] else ():
        options.setdefault(option, Option(argument=option))
    unknown = [option for option in spec.options if not options[option].argument]
    if unknown and not known["anything"]:
        raise InputError(
            f"the function {name} has no parameter {unknown[0]}",
            file=path,
            found=f"options.{unknown[0]}",
            allowed=", ".join(known["options"]) or "it takes none",
        )
    options = {k: o if o.argument else o.model_copy(update={"argument": k}) for k, o in options.items()}
    return Described(
        spec.model_copy(update={"options": options}),
        known["version"],
        tuple(known["sources"]),
        bool(known["several"]),
        {option: about["kind"] for option, about in known["options"].items()},
    )


def _as_text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
