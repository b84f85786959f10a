"""What an importer gives: the entities of a source as columns, and an account of everything it met."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..entities import DEFAULT_KIND, make_given_column

if TYPE_CHECKING:
    import pandas as pd

# the columns that a source gives; all other features are computed
GIVEN_COLUMNS = (
    "kind",
    "look_alike_category",
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
REPEATED_REASON = "repeats an entity of the same record and field"
_BREAKS = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")


class FormColumn(NamedTuple):
    """A column of a source that holds forms.

    Attributes
    ----------
    name : str
        As the source calls it.
    source_field : str
        What the field of its forms is called here.
    name_vs_symbol : str
        Whether they are names or symbols.
    has_several : bool
        Whether several stand in one field, with ``|`` between them.
    """

    name: str
    source_field: str
    name_vs_symbol: str
    has_several: bool = False


@dataclass
class ImportAccount:
    """What was read, kept and dropped, so that nothing is lost without a word.

    Attributes
    ----------
    records : int
        Rows, stanzas or lines that were read (the header is none).
    kept : Counter
        Entities kept, by source field.
    dropped : dict
        Entities or records dropped, by what and why, with the line of the first.
    mended_count : int
        Entities whose white space (line breaks, tabs, control characters, edges) was made plain.
    """

    records: int = 0
    kept: Counter[str] = field(default_factory=Counter)
    dropped: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    mended_count: int = 0

    def count_dropped(self, what: str, why: str, line: int, count: int = 1) -> None:
        """Note that something was left out."""
        before, first = self.dropped.get((what, why), (0, line))
        self.dropped[what, why] = (before + count, first)

    @property
    def entities_read(self) -> int:
        """Entities that the source holds: kept and dropped (dropped records hold none that were read)."""
        return self.kept.total() + sum(n for (what, _), (n, _) in self.dropped.items() if what != "record")

    def to_frame(self) -> pd.DataFrame:
        """The account as rows: field, outcome, reason, count, first line."""
        import pandas as pd

        rows: list[tuple[str, str, str, int, int | None]] = [("record", "read", "", self.records, None)]
        rows += [(name, "kept", "", count, None) for name, count in self.kept.items()]
        rows += [(what, "dropped", why, n, first) for (what, why), (n, first) in self.dropped.items()]
        rows.append(("all", "kept", "", self.kept.total(), None))
        frame = pd.DataFrame(rows, columns=["field", "outcome", "reason", "count", "first_line"])
        return frame.astype({"first_line": "Int64"})


class EntityCollector:
    """Takes entities one by one, drops repetitions within a record's field, and keeps the account.

    Parameters
    ----------
    authority : str
        The `source_authority` of every entity that is given no other.
    source_type : str
        Its `source_type`.
    missing_text : str
        What stands in a field that holds no form.

    Attributes
    ----------
    defaults : dict of str to str
        What is given of every entity of which the source does not state it, such as `kind` and `species`.
    """

    def __init__(self, authority: str | None, source_type: str = "database", nothing: str = "") -> None:
        self.defaults: dict[str, str] = {"kind": DEFAULT_KIND}
        self.missing_text = nothing
        self.authority = authority
        self.source_type = source_type
        self.account = ImportAccount()
        self._rows: list[tuple[str, str, str | None, str | None, str | None, int]] = []
        # what is given of all entities of a record
        self._facts: list[Mapping[str, str | None]] = [{}]
        # what few entities are given besides, by row
        self._rest: dict[int, dict[str, str | None]] = {}
        self._record: set[tuple[str, str]] = set()

    def begin_record(self, **given: str | None) -> None:
        """Begin a new record of the source; what is given holds for each of its entities."""
        self.account.records += 1
        self._record.clear()
        if given or self._facts[-1]:
            self._facts.append(given)

    def add_forms(
        self, row: Sequence[str], columns: Sequence[tuple[int, FormColumn]], line: int, source_id: str
    ) -> None:
        """Take the forms that a row has in some columns, each beside its place, in that order."""
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
        *,
        name_vs_symbol: str | None = None,
        source_id: str | None = None,
        **given: str | None,
    ) -> None:
        """Take one entity; an empty form is none."""
        # most forms are plain: the test is cheaper than the substitution
        plain = form.isprintable() and form[:1] != " " and form[-1:] != " "
        data = form if plain else _BREAKS.sub(" ", form).strip()
        if not data:
            if form:
                self.account.count_dropped(source_field or "entity", "holds nothing but white space", line)
            return
        shown = source_field or "entity"
        if (data, shown) in self._record:
            self.account.count_dropped(shown, REPEATED_REASON, line)
            return
        self._record.add((data, shown))
        self.account.kept[shown] += 1
        self.account.mended_count += data != form
        if given:
            self._rest[len(self._rows)] = given
        self._rows.append((data, form, name_vs_symbol, source_id, source_field, len(self._facts) - 1))

    def to_frame(self) -> pd.DataFrame:
        """The entities as given columns, `entity_id` from 1 in the source's order."""
        import numpy as np
        import pandas as pd

        from ..taxonomy import taxonomy

        data = [row[0] for row in self._rows]
        content: dict[str, list[str | None]] = {
            "data": list(data),
            "original_form_in_source": [row[1] for row in self._rows],
            "name_vs_symbol": [row[2] for row in self._rows],
            "source_id": [row[3] for row in self._rows],
            "source_field": [row[4] for row in self._rows],
            "source_type": [self.source_type] * len(data),
            "source_authority": [self.authority] * len(data),
            "look_alike_category": [None] * len(data),
        }
        for name in ("kind", "species", "function", "canonical_form", "pmid", "corpus_frequency"):
            facts = [given.get(name) or self.defaults.get(name) for given in self._facts]
            content[name] = [facts[row[5]] for row in self._rows]
        for row, given in self._rest.items():
            for name, value in given.items():
                content[name][row] = value
        columns: dict[str, object] = {"entity_id": np.arange(1, len(data) + 1, dtype=np.int64)}
        for name in GIVEN_COLUMNS:
            columns[name] = make_given_column(taxonomy().find(f"entity.{name}"), content[name])
        return pd.DataFrame(columns)
