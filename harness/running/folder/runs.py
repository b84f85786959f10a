"""Reading of run folders: tables, metadata, and checks that a run is complete."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_text
from ....catalogues.core.parquet import open_parquet
from ....catalogues.core.settings import validate_settings
from ....catalogues.core.toml import parse_toml
from .run_file import FORMAT, RUN_FILE, RunFile, make_absolute, make_tagger_part
from .tables import COSTS, FRAGMENTS, OUTCOMES, PREDICTIONS, REPLIES, STRINGS, Table

if TYPE_CHECKING:
    import pandas as pd

    from ....sentences.corpus import Corpus

SHARDS_FOLDER = ".shards"
"""Subfolder of the run folder that contains the finished shards of an unfinished run."""


@dataclass(frozen=True)
class Run:
    """Finished run of a tagger, read from its run folder.

    Attributes
    ----------
    folder : Path
        The run folder.
    meta : mapping
        Content of run.toml.
    """

    folder: Path
    meta: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name of the run in tables: the name of its folder."""
        return self.folder.resolve().name

    @property
    def tagger(self) -> str:
        """Name and version of the tagger, ``name@version``."""
        return str(self.meta["run"]["label"])

    @property
    def signature(self) -> str:
        """Part of a score's signature that identifies the run: ``suite:…|tagger:…``."""
        return str(self.meta["run"]["signature"])

    @property
    def gold_part(self) -> str:
        """Part of a score's signature that identifies the input: ``suite:…`` or ``corpus:…``."""
        return self.signature.partition("|")[0]

    @property
    def tagger_part(self) -> str:
        """Part of a score's signature that identifies the tagger: ``tagger:name@version#digits``."""
        return make_tagger_part(self.tagger, str(self.meta.get("tagger", {}).get("digest", "")))

    @property
    def input(self) -> str:
        """Input of the run: a suite folder or ``FORMAT:PATH``, with an absolute path."""
        return make_absolute(str(self.meta["run"]["input"]), self.folder)

    @property
    def outcome_counts(self) -> dict[str, int]:
        """Number of cases for each outcome."""
        return dict(self.meta["outcomes"])

    @property
    def failed(self) -> int:
        """Number of cases with an outcome other than ok."""
        return sum(n for name, n in self.outcome_counts.items() if name != "ok")

    @property
    def times(self) -> int:
        """Number of finished repetitions, including the run itself."""
        return int(self.meta.get("repeats", {}).get("times", 1))

    @property
    def cached_on(self) -> str:
        """Time at which the result was computed, if it comes from the cache; otherwise empty.

        It is stored in timings.json, so that run.toml is the same for a cached result.
        """
        path = self.folder / "timings.json"
        if not path.is_file():
            # a run folder made from recorded output
            return ""
        try:
            timings = json.loads(read_text(path))
        except json.JSONDecodeError as error:
            raise InputError(f"the file is not valid JSON: {error}", file=path) from None
        return str(timings.get("cached_on") or "") if isinstance(timings, dict) else ""

    def describe_failures(self) -> list[str]:
        """Return sentences about failed texts and about mentions without a position, if there are any."""
        counts = self.outcome_counts
        total, unaligned = sum(counts.values()), counts.get("unaligned", 0)
        lines = []
        if self.failed > unaligned:
            kinds = ", ".join(f"{n} {name}" for name, n in counts.items() if name not in ("ok", "unaligned"))
            verb = "counts as one" if self.failed - unaligned == 1 else "count as texts"
            lines.append(
                f"the tagger failed on {self.failed - unaligned} of {total} texts ({kinds}), which {verb} "
                "without predictions"
            )
        if unaligned:
            number = int(self.meta["run"].get("unplaced", 0))
            mentions = "1 mention has" if number == 1 else f"{number} mentions have"
            verb = "counts" if number == 1 else "count"
            texts = "1 text" if unaligned == 1 else f"{unaligned} texts"
            lines.append(
                f"{mentions} no position in {texts} of {total} and {verb} as not predicted; "
                "the other mentions in these texts are counted"
            )
        return lines

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """Predicted mentions of the run, with the same columns as a corpus's mentions table."""
        # runs of earlier versions do not have identifiers
        return self._read_table(PREDICTIONS, {"identifiers": "str"})

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """Outcome of each case, in the columns `case_id`, `outcome`, `placed`, `unplaced`, `reason`."""
        # runs of earlier versions do not have these columns
        added_columns = dict.fromkeys(("placed", "unplaced", "reason"), "str")
        return self._read_table(OUTCOMES, added_columns, renamed={"said": "reason"})

    @cached_property
    def replies(self) -> pd.DataFrame | None:
        """Stored beginnings of replies, in the columns `case_id` and `reply`; None if no reply is stored."""
        return self._read_optional(REPLIES)

    @cached_property
    def fragments(self) -> pd.DataFrame | None:
        """Fragments of discontinuous mentions (`mention_id`, `start`, `end`); None if there are none."""
        return self._read_optional(FRAGMENTS)

    @cached_property
    def costs(self) -> pd.DataFrame | None:
        """Costs of each case, such as `seconds`, `attempts` and `price`; None if they are unknown.

        If `shared` is not 0, the case was sent with other cases, and `seconds` is its share of the time.
        """
        # runs of earlier versions do not have it
        return self._read_optional(COSTS, {"shared": "float"})

    @cached_property
    def strings(self) -> pd.DataFrame | None:
        """Strings that the tagger returned without offsets; None if there are none.

        Columns: `text_id`, `text`, `type`, `score`, `status` (exact, changed, ambiguous, invented) and
        `mention_id`, which is missing if the string does not occur in the text.
        """
        frame = self._read_optional(STRINGS, sparse=("mention_id",))
        # the answers of a function may all have offsets
        return None if frame is None or frame.empty else frame

    def _read_optional(self, table: Table, *absent: Mapping[str, str], **how: Any) -> pd.DataFrame | None:
        return self._read_table(table, *absent, **how) if (self.folder / table.file).is_file() else None

    def _read_table(
        self,
        table: Table,
        absent: Mapping[str, str] = MappingProxyType({}),
        *,
        sparse: Collection[str] = (),
        renamed: Mapping[str, str] = MappingProxyType({}),
    ) -> pd.DataFrame:
        """Read a table of the run folder; add its missing columns in `absent`, without values."""
        import pandas as pd

        from ....sentences.suites import read_frame

        needed = [name for name in table.columns if name not in absent]
        frame = read_frame(self.folder / table.file, needed, sparse=sparse).rename(columns=dict(renamed))
        for name in absent.keys() - set(frame):
            frame[name] = pd.Series(index=frame.index, dtype=absent[name])
        return frame

    def make_predicted_corpus(self, corpus: Corpus) -> Corpus:
        """Return a corpus of the input texts with the predicted mentions and their fragments.

        Predicted strings that do not occur in the text are included, in the column `invented`.
        """
        from ....sentences.identifiers import split_identifier_column

        mentions = self.predictions if self.strings is None else _add_invented(self.predictions, self.strings)
        mentions, normalisations = split_identifier_column(mentions)
        found = corpus.with_mentions(mentions)
        return replace(found, fragments=self.fragments, normalisations=normalisations, alternatives=None)

    def load_corpus(self) -> Corpus:
        """Read the input of the run, with its gold mentions.

        Raises
        ------
        InputError
            If the input is missing, or its number of texts has changed since the run.
        """
        from ....sentences.formats import read_corpus

        corpus = read_corpus(self.input)
        if len(corpus.texts) != self.meta["run"]["cases"]:
            raise InputError(
                f"the input has changed since the run: it has {len(corpus.texts)} texts instead of "
                f"{self.meta['run']['cases']}; run the tagger again",
                file=self.input,
            )
        return corpus

    def __repr__(self) -> str:
        table = self.meta["run"]
        outcomes = ", ".join(f"{number:,} {name}" for name, number in self.outcome_counts.items())
        return (
            f"Run {self.name}: {self.tagger} on {table['corpus']}\n"
            f"{table['cases']:,} cases ({outcomes}), {table['mentions']:,} predicted mentions\n"
            f"folder: {self.folder}"
        )

    def _repr_html_(self) -> str:
        import pandas as pd

        from ....catalogues.core.tables import frame_to_html

        row = {"run": self.name, "tagger": self.tagger, "corpus": self.meta["run"]["corpus"]}
        row |= {k: self.meta["run"].get(k) for k in ("cases", "mentions")}
        return frame_to_html(pd.DataFrame([{**row, **self.outcome_counts}]))


def _add_invented(mentions: pd.DataFrame, strings: pd.DataFrame) -> pd.DataFrame:
    """Add the column `status`, and one row per predicted string that does not occur in the text."""
    import pandas as pd

    from ....sentences.corpus import INVENTED_COLUMN

    is_invented = strings["status"].astype("str") == "invented"
    found = strings[~is_invented].drop_duplicates("mention_id")
    mentions = mentions.assign(
        **{INVENTED_COLUMN: None}, status=mentions["mention_id"].map(found.set_index("mention_id")["status"])
    )
    invented = strings[is_invented].rename(columns={"text": INVENTED_COLUMN})
    if len(invented):
        ids = range(len(mentions), len(mentions) + len(invented))
        invented = invented.assign(mention_id=ids, side="predicted", start=0, end=0)
        mentions = pd.concat([mentions, invented], ignore_index=True)
    return mentions.astype(dict.fromkeys(("side", "type", INVENTED_COLUMN, "status"), "str"))


def is_run(folder: str | os.PathLike[str]) -> bool:
    """Return True if the folder contains a finished run."""
    return (Path(folder) / RUN_FILE).is_file()


def read_run(folder: str | os.PathLike[str] | Run) -> Run:
    """Read a run folder; a `Run` is returned unchanged.

    Raises
    ------
    InputError
        If the folder is not a run folder, the run is unfinished, or run.toml is invalid.
    """
    if isinstance(folder, Run):
        return folder
    path = Path(folder)
    if not path.is_dir():
        raise InputError("no such run folder", file=path)
    file = path / RUN_FILE
    if not file.is_file():
        if (path / SHARDS_FOLDER).is_dir():
            raise InputError("the run is unfinished; repeat `tagsuite run` to resume it", file=path)
        raise InputError("not a run folder (it contains no run.toml)", file=path)
    meta = parse_toml(read_text(file), file)
    if meta.get("format") != FORMAT:
        raise InputError(
            "the run folder has an unknown format number",
            file=file,
            found=meta.get("format"),
            allowed=str(FORMAT),
        )
    validate_settings(meta, RunFile, file)
    for table, key in ((PREDICTIONS, "mentions"), (OUTCOMES, "cases")):
        _check_rows(path / table.file, meta["run"].get(key))
    return Run(path, meta)


def _check_rows(file: Path, expected: int | None) -> None:
    """Raise InputError if a table is missing or damaged, or its number of rows differs from run.toml."""
    problem = ""
    if not file.is_file():
        problem = f"{file.name} is missing"
    else:
        with open_parquet(file) as table:
            rows = table.metadata.num_rows
        if expected is not None and rows != expected:
            problem = f"{file.name} has {rows} rows instead of {expected}"
    if problem:
        raise InputError(
            f"the run folder is incomplete: {problem}; run the tagger again with --force",
            file=file.parent,
        )
