"""Options that several commands have, written once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ...catalogues.core.tables import Format

if TYPE_CHECKING:
    from .how import How

NotionOption = Annotated[str, typer.Option("--notion", help="Notion of correctness.")]
PairingOption = Annotated[str, typer.Option("--pairing", help="any, one-to-one or greedy.")]
AlternativesOption = Annotated[str, typer.Option("--alternatives", help="none, optimal or published.")]
CountingOption = Annotated[str, typer.Option("--counting", help="text or published.")]
TypesOption = Annotated[bool, typer.Option("--ignore-types", help="Let types differ.")]
TypeMapOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--type-map",
        help="OLD=NEW: count a type as another, on both sides (repeatable).",
        show_default=False,
    ),
]
ListOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--list",
        help="NAME=FILE (an entry a line): the feature in_list.NAME (repeatable).",
        show_default=False,
    ),
]
ConfidenceOption = Annotated[
    float, typer.Option("--confidence", help="Of the intervals, from 0.5 to 0.9999.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="How the result is printed.")]


def how_of(
    pairing: str,
    alternatives: str,
    counting: str,
    ignore_types: bool,
    confidence: float = 0.95,
    *,
    lists: Sequence[str] | Mapping[str, str] | None = None,
    type_map: Sequence[str] | Mapping[str, str] | None = None,
    beta: float = 1.0,
    intervals: str = "resampled",
) -> How:
    """How to score, from what stands on the command line or in a call; word lists are read.

    Raises
    ------
    InputError
        When a pair has not the form ``NAME=FILE`` or ``OLD=NEW``, a list cannot be read, or a value means
        nothing.
    """
    from ...catalogues.word_lists import read_lists
    from .how import How
    from .requests import parse_type_map

    return How(
        pairing,  # type: ignore[arg-type]  # `How` refuses unknown words by name
        alternatives,  # type: ignore[arg-type]
        counting,  # type: ignore[arg-type]
        ignore_types,
        confidence,
        lists=read_lists(lists or ()),
        type_map=parse_type_map(type_map or ()),
        beta=beta,
        intervals=intervals,
    )
