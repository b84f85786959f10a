"""Collection of imported entities, with counts of records and entities read, kept and dropped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from ..core.errors import InputError
from ..entities import OPTIONAL_FEATURES, default_kind, make_given_column
from ..taxonomy import taxonomy

if TYPE_CHECKING:
    import pandas as pd

# columns that come from the source; all other features are computed
GIVEN_COLUMNS = (
    "kind",
    "type",
    "look_alike_category",
    "noun_form",
    "species",
    "function",
    "data",
    "name_vs_symbol",
    "source_authority",
    "source_id",
    "source_type",
    "source_field",
    "original_form_in_source",
    "canonical_form",
    "pmid",
    "corpus_frequency",
)


def list_given_columns() -> list[str]:
    """Return the names of the features that a source can contain, including user-defined ones."""
    return [*GIVEN_COLUMNS, *(f.name for f in taxonomy().select_scopes("entity") if f.attribute)]


REPEATED_REASON = "duplicate of an entity in the same record and field"
_BREAKS = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")


class FormColumn(NamedTuple):
    """Column of a source that contains surface forms.

    Attributes
    ----------
    name : str
        Name of the column in the source.
    source_field : str
        Value of the feature `source_field` for forms from this column.
    name_vs_symbol : str
        ``name`` or ``symbol``.
    has_several : bool
        True if a field may contain several forms, separated by ``|``.
    """

    name: str
    source_field: str
    name_vs_symbol: str
    has_several: bool = False


@dataclass
class ImportAccount:
    """Counts of records and entities that an import read, kept and dropped.

    Attributes
    ----------
    records : int
        Number of rows, stanzas or lines that were read, without the header.
    kept : Counter
        Number of entities kept, by source field.
    dropped : dict
        Number of dropped entities or records, and line of the first one, by field and reason.
    mended_count : int
        Number of entities whose line breaks, tabs, control characters or outer white space were normalised.
    """

    records: int = 0
    kept: Counter[str] = field(default_factory=Counter)
    dropped: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    mended_count: int = 0

    def count_dropped(self, source_field: str, reason: str, line: int) -> None:
        """Count a dropped entity by source field and reason; for a dropped record, the field is "record"."""
        before, first = self.dropped.get((source_field, reason), (0, line))
        self.dropped[source_field, reason] = (before + 1, first)

    def to_frame(self) -> pd.DataFrame:
        """Convert the counts to a table with one row per field, outcome and reason."""
        import pandas as pd

        rows: list[tuple[str, str, str, int, int | None]] = [("record", "read", "", self.records, None)]
        rows += [(name, "kept", "", count, None) for name, count in self.kept.items()]
        rows += [(name, "dropped", reason, n, line) for (name, reason), (n, line) in self.dropped.items()]
        rows.append(("all", "kept", "", self.kept.total(), None))
        frame = pd.DataFrame(rows, columns=["field", "outcome", "reason", "count", "first_line"])
        return frame.astype({"first_line": "Int64"})


class EntityCollector:
    """Collector of imported entities; it drops duplicates within a field of a record and counts them.

    Parameters
    ----------
    authority : str
        Default `source_authority` of entities.
    source_type : str
        The `source_type` of all entities.
    nothing : str
        Text that marks a field without a surface form, such as ``-``.

    Attributes
    ----------
    defaults : dict of str to str
        Values of features such as `kind` and `species` for entities whose source states none.
    account : ImportAccount
        Counts of records and entities.
    """

    def __init__(self, authority: str | None, source_type: str = "database", nothing: str = "") -> None:
        self.defaults: dict[str, str] = {}
        self.missing_text = nothing
        self.authority = authority
        self.source_type = source_type
        self.account = ImportAccount()
        self._rows: list[Mapping[str, str | None]] = []
        # values for all entities of the record
        self._facts: Mapping[str, str | None] = {}
        self._record: set[tuple[str, str]] = set()

    def begin_record(self, **given: str | None) -> None:
        """Begin a new record of the source; `given` contains feature values that all its entities share."""
        self.account.records += 1
        self._record.clear()
        self._facts = given

    def add_forms(
        self, row: Sequence[str], columns: Sequence[tuple[int, FormColumn]], line: int, source_id: str
    ) -> None:
        """Add the surface forms in a row; `columns` contains the index and description of their columns."""
        for place, column in columns:
            for form in row[place].split("|") if column.has_several else (row[place],):
                if form != self.missing_text:
                    self.add_entity(
                        form,
                        column.source_field,
                        line,
                        name_vs_symbol=column.name_vs_symbol,
                        source_id=source_id,
                    )

    def add_entity(
        self,
        form: str,
        source_field: str | None,
        line: int,
        **given: str | None,
    ) -> None:
        """Add an entity with normalised white space; empty forms and duplicates are skipped."""
        # white space within a form is changed only if the form needs other changes too
        plain = form.isprintable() and form[:1] != " " and form[-1:] != " "
        data = form if plain else _BREAKS.sub(" ", form).strip()
        shown = source_field or "entity"
        if not data:
            if form:
                self.account.count_dropped(shown, "only white space", line)
            return
        if (data, shown) in self._record:
            self.account.count_dropped(shown, REPEATED_REASON, line)
            return
        self._record.add((data, shown))
        self.account.kept[shown] += 1
        self.account.mended_count += data != form
        own = {"data": data, "original_form_in_source": form, "source_field": source_field}
        self._rows.append({**self._facts, **own, **given})

    def require_types(self, path: str | PathLike[str]) -> None:
        """Raise InputError if an entity has neither a type nor a kind."""
        untyped = [row for row in self._rows if not (row.get("type") or row.get("kind"))]
        if untyped:
            raise InputError(
                f"{len(untyped)} of {len(self._rows)} entities have no type; set it with --type (for "
                "example --type disease, or --kind gene for genes) or name its column with --map type=COLUMN",
                file=path,
                found=untyped[0]["data"],
            )

    def to_frame(self) -> pd.DataFrame:
        """Convert the entities to a table of the features read from the source; ids are numbers from 1."""
        import numpy as np
        import pandas as pd

        own = {"source_type": self.source_type, "source_authority": self.authority}
        defaults = {**own, **self.defaults}
        columns: dict[str, object] = {"entity_id": np.arange(1, len(self._rows) + 1, dtype=np.int64)}
        types = [given.get("type") or defaults.get("type") for given in self._rows]
        for name in list_given_columns():
            values = [given.get(name) or defaults.get(name) for given in self._rows]
            if name == "kind":
                values = [kind or default_kind(own) for kind, own in zip(values, types, strict=True)]
            if name in OPTIONAL_FEATURES and not any(values):
                continue
            columns[name] = make_given_column(taxonomy().find(f"entity.{name}"), values)
        return pd.DataFrame(columns)
