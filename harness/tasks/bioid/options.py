"""Options of the BioID evaluation, each declared once, for the command, Python and study files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from ....catalogues.core.errors import InputError
from ....catalogues.core.numbers import Unit
from ....catalogues.core.options import Option, Options
from ..options import AsPublished


@dataclass(frozen=True)
class BioIDOptions(Options):
    """Options of the BioID evaluation; see ``docs/evaluate-bioid.md``.

    Attributes
    ----------
    equivalence_classes : path, optional
        JSON list of lists of identifiers that mean the same.
    labels : tuple of str
        Only these labels, each alone or several separated by commas; all where none is named.
    offsets : {"bytes", "characters", "utf16"}
        What the offsets of the runs count.
    reference_offsets : str
        What those of the reference count; the same where empty.
    as_published : bool
        Compute what the released program (version 1.0.3) computes, where that is deterministic.

    Raises
    ------
    InputError
        When a value is not legal, or a unit of offsets is given for the released program, which has none.
    """

    equivalence_classes: Annotated[
        Path | None, Option("JSON list of lists of identifiers that mean the same.")
    ] = None
    labels: Annotated[tuple[str, ...], Option("Only these labels, separated by commas; all by default.")] = ()
    offsets: Annotated[
        Unit, Option("What offsets count: bytes, characters or utf16.", what="unit of offsets")
    ] = "bytes"
    reference_offsets: Annotated[
        Literal["", Unit],
        Option("The same for the reference, where it differs from the runs.", what="unit of offsets"),
    ] = ""
    as_published: AsPublished = False

    def __post_init__(self) -> None:
        from .labels import check_labels

        super().__post_init__()
        named = tuple(name.strip() for text in self.labels for name in text.split(",") if name.strip())
        object.__setattr__(self, "labels", check_labels(named))
        if self.as_published and {self.offsets, self.unit_of_reference} != {"bytes"}:
            raise InputError(
                "the released program never looks at the unit of offsets: --as-published has no --offsets"
            )

    @property
    def unit_of_reference(self) -> Unit:
        """What offsets of the reference count."""
        return self.reference_offsets or self.offsets

    def signature_parts(self, notion: str) -> dict[str, str]:
        """What of these options can change a figure, as it stands in a signature."""
        from ....catalogues.core.files import digest_file
        from ...scoring.signature import DIGITS

        classes = self.equivalence_classes
        return {
            "notion": notion,
            "pairing": "one-to-one",
            "counting": "bioid-1.0.3" if self.as_published else "bioid",
            "alternatives": f"equivalence:{digest_file(classes)[:DIGITS]}" if classes else "none",
        }
