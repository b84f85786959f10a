"""The class `Query`, the public interface to queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

from ..feature import SCOPES, Feature
from ..taxonomy import Taxonomy
from ..taxonomy import taxonomy as bundled_taxonomy
from .columns import Bools, QueryColumns
from .evaluation import evaluate_node
from .nodes import Everything, Node, collect_names
from .parser import NameResolver, QueryError, parse_query


@dataclass(frozen=True)
class Query:
    """Boolean query over features of entities, contexts, slots and mentions.

    Two queries are equal if they have the same conditions in the same order, even if they are written
    differently. `str` returns the canonical text; parsing this text gives an equal query.

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
        """Parse a query and check its names and values.

        Parameters
        ----------
        text : str
            Text of the query; an empty text or ``all`` selects everything.
        scopes : iterable of str
            Scopes of the features that the query may use: entity, context, slot, mention.
        taxonomy : Taxonomy, optional
            Taxonomy of the features; by default, the taxonomy in use.
        file, line, key : optional
            Location of the query, shown in error messages; `key` is a TOML path such as ``class[2].query``.

        Raises
        ------
        QueryError
            If the query is not valid; the message marks the error with a caret and shows similar names.
        """
        prefix = f"{key}: " if key else ""
        names = NameResolver(taxonomy or bundled_taxonomy(), tuple(scopes))
        try:
            return cls(parse_query(text, names))
        except QueryError as error:
            error.problem = prefix + error.problem
            error.file, error.line = None if file is None else str(file), line
            raise
        except RecursionError:
            problem = f"{prefix}the query is nested too deeply"
            raise QueryError(problem, text, 0, 1, file=file, line=line) from None

    def evaluate(self, frame: Any) -> Bools:
        """Return a mask of the rows of a table that the query selects.

        Parameters
        ----------
        frame : DataFrame, pyarrow.Table, mapping of str to array, or QueryColumns
            Table in which a feature's column is called `Feature.column`; a missing column has no values.
            To evaluate many queries on one table efficiently, make one `QueryColumns` and pass it each time.

        Returns
        -------
        ndarray of bool
            One value per row.
        """
        return evaluate_node(self.node, frame if isinstance(frame, QueryColumns) else QueryColumns(frame))

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """Features that the query uses, in order of appearance."""
        return tuple(dict.fromkeys(n.feature for n in collect_names(self.node)))

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that the query reads, in order of appearance."""
        return tuple(dict.fromkeys(f.column for f in self.features))

    @property
    def selects_everything(self) -> bool:
        """True if the query is ``all``."""
        return isinstance(self.node, Everything)

    def __str__(self) -> str:
        return str(self.node)
