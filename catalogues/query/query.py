"""The query as other rooms see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

from ..taxonomy import SCOPES, Feature, Taxonomy
from ..taxonomy import taxonomy as bundled_taxonomy
from .columns import Bools, QueryColumns
from .evaluation import evaluate_node
from .nodes import Everything, Node, collect_names
from .parser import NameResolver, QueryError, parse_query


@dataclass(frozen=True)
class Query:
    """A Boolean query over features, read and checked.

    Two queries are equal when they ask the same conditions in the same order, however they were written;
    `str` gives the canonical text, which reads to the same query.

    Examples
    --------
    >>> query = Query.parse("CASE is absent OR not (case=u or case = lower)".replace("CASE", "case"))
    >>> str(query)
    'case is absent or not (case = upper or case = lower)'
    >>> import pandas as pd
    >>> query.evaluate(pd.DataFrame({"case": ["upper", None, "mixed"]})).tolist()
    [False, True, True]
    """

    node: Node

    @classmethod
    def parse(
        cls,
        text: str,
        scopes: Iterable[str] = SCOPES,
        taxonomy: Taxonomy | None = None,
        *,
        file: str | PathLike[str] | None = None,
        line: int | None = None,
        key: str = "",
    ) -> Query:
        """Read a query.

        Parameters
        ----------
        text : str
            The query; empty or ``all`` selects everything.
        scopes : iterable of str
            Whose features may be named: entity, context, slot, mention.
        taxonomy : Taxonomy, optional
            The features; the bundled taxonomy when None.
        file, line, key : optional
            Where the query was written, for errors; `key` as settings are named (``class[2].query``).

        Raises
        ------
        QueryError
            An `InputError` that shows the place with a caret and the nearest names.
        """
        known = NameResolver(taxonomy or bundled_taxonomy(), tuple(scopes))
        try:
            return cls(parse_query(text, known))
        except QueryError as error:
            if file is None and line is None and not key:
                raise
            raise QueryError(
                f"{key}: {error.problem}" if key else error.problem,
                text,
                error.start,
                error.end,
                allowed=error.allowed,
                near=error.near,
                file=file,
                line=line,
            ) from None
        except RecursionError:
            problem = f"{key}: the query is nested too deeply" if key else "the query is nested too deeply"
            raise QueryError(problem, text, 0, 1, file=file, line=line) from None

    def evaluate(self, frame: Any) -> Bools:
        """Which rows of a frame the query selects.

        Parameters
        ----------
        frame : DataFrame, pyarrow.Table, mapping of str to array, or Columns
            Columns named by `Feature.column`; a feature whose column is missing is absent everywhere. Where
            many queries are asked of one frame, make its `Columns` once.

        Returns
        -------
        ndarray of bool
            One value a row.
        """
        return evaluate_node(self.node, frame if isinstance(frame, QueryColumns) else QueryColumns(frame))

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The features that the query asks, in order of appearance."""
        return tuple(dict.fromkeys(n.feature for n in collect_names(self.node)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the query reads, in order of appearance."""
        return tuple(dict.fromkeys(f.column for f in self.features))

    @property
    def selects_everything(self) -> bool:
        """Whether the query is ``all``."""
        return isinstance(self.node, Everything)

    def __str__(self) -> str:
        return str(self.node)
