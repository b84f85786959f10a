"""The run folder: what a run leaves behind, and how it is read again."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
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
"""The folder of the finished shards, while a run is unfinished."""


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes
    ----------
    folder : Path
    meta : mapping
        What run.toml holds.
    """

    folder: Path
    meta: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What the `run` column of the score table shows: the folder's name."""
        return self.folder.resolve().name

    @property
    def tagger(self) -> str:
        """``name@version``."""
        return str(self.meta["run"]["label"])

    @property
    def signature(self) -> str:
        """The run's part of a score's signature: ``suite:…|tagger:…``."""
        return str(self.meta["run"]["signature"])

    @property
    def gold_part(self) -> str:
        """What a score's signature says of the input: ``suite:…`` or ``corpus:…``."""
        return self.signature.partition("|")[0]

    @property
    def tagger_part(self) -> str:
        """What a score's signature says of the tagger; see `make_tagger_part`."""
        return make_tagger_part(self.tagger, str(self.meta.get("tagger", {}).get("digest", "")))

    @property
    def input(self) -> str:
        """The input's place, seen from where we are."""
        return make_absolute(str(self.meta["run"]["input"]), self.folder)

    @property
    def outcome_counts(self) -> dict[str, int]:
        """How many cases have each outcome."""
        return dict(self.meta["outcomes"])

    @property
    def failed(self) -> int:
        """How many cases have an outcome other than ok."""
        return sum(n for name, n in self.outcome_counts.items() if name != "ok")

    @property
    def times(self) -> int:
        """How often the cases were answered: 1, or as many repetitions as are finished."""
        return int(self.meta.get("repeats", {}).get("times", 1))

    @property
    def cached_on(self) -> str:
        """When the result was got, where it came from the cache; else empty.

        It stands in timings.json: run.toml holds the same bytes wherever a result comes from.
        """
        path = self.folder / "timings.json"
        if not path.is_file():
            # output recorded elsewhere
            return ""
        try:
            timings = json.loads(read_text(path))
        except json.JSONDecodeError as error:
            raise InputError(f"not valid JSON: {error}", file=path) from None
        return str(timings.get("cached_on") or "") if isinstance(timings, dict) else ""

    def describe_failures(self) -> list[str]:
        """What of the input has no predictions, or not all of them; nothing to say where every case is ok."""
        counts = self.outcome_counts
        total, unaligned = sum(counts.values()), counts.get("unaligned", 0)
        lines = []
        if self.failed > unaligned:
            kinds = ", ".join(f"{n} {name}" for name, n in counts.items() if name not in ("ok", "unaligned"))
            what = "counts as one" if self.failed - unaligned == 1 else "count as texts"
            lines.append(
                f"the tagger failed on {self.failed - unaligned} of {total} texts ({kinds}), which {what} "
                "without predictions"
            )
        if unaligned:
            number = int(self.meta["run"].get("unplaced", 0))
            mentions = "1 mention has" if number == 1 else f"{number} mentions have"
            verb = "counts" if number == 1 else "count"
            texts = "1 text" if unaligned == 1 else f"{unaligned} texts"
            lines.append(
                f"{mentions} no place in {texts} of {total} and {verb} as not predicted; "
                "the other mentions there are counted"
            )
        return lines

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """The mentions that the tagger proposed, in the mentions table's columns."""
        # runs of earlier versions do not have identifiers
        return self._read_required_table(PREDICTIONS, {"identifiers": "str"})

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """What became of each case: `case_id`, `outcome`, `placed`, `unplaced`, `reason`."""
        # runs of earlier versions say only how the tagger ended
        own = dict.fromkeys(("placed", "unplaced", "reason"), "str")
        return self._read_required_table(OUTCOMES, own, renamed={"said": "reason"})

    @cached_property
    def replies(self) -> pd.DataFrame | None:
        """The beginning of what the tagger answered: `case_id`, `reply`; None where nothing is kept."""
        return self._read_table(REPLIES)

    @cached_property
    def fragments(self) -> pd.DataFrame | None:
        """The fragments of discontinuous mentions (`mention_id`, `start`, `end`); None without any."""
        return self._read_table(FRAGMENTS)

    @cached_property
    def costs(self) -> pd.DataFrame | None:
        """What each case cost: `case_id`, `seconds`, `attempts`, tokens, `price`; None where nobody knows.

        Where `shared` is not 0, `seconds` is a share of what cases took that were asked together.
        """
        # runs that were made before shares were told apart do not have it
        return self._read_table(COSTS, {"shared": "float"})

    @cached_property
    def strings(self) -> pd.DataFrame | None:
        """The strings that a tagger answered without offsets; None where there are none.

        `text_id`, `text`, `type`, `score`, `status` (exact, changed, ambiguous, invented) and `mention_id`,
        which is missing where a string stands nowhere.
        """
        frame = self._read_table(STRINGS, sparse=("mention_id",))
        # a function may answer with offsets alone
        return None if frame is None or frame.empty else frame

    def _read_required_table(
        self, table: Table, absent: Mapping[str, str], renamed: Mapping[str, str] | None = None
    ) -> pd.DataFrame:
        """Read a table that every run folder has."""
        frame = self._read_table(table, absent, renamed=renamed)
        if frame is None:
            raise InputError(
                "no such file",
                file=self.folder / table.file,
                allowed="a folder that `tagsuite run` wrote",
            )
        return frame

    def _read_table(
        self,
        table: Table,
        absent: Mapping[str, str] | None = None,
        *,
        sparse: Collection[str] = (),
        renamed: Mapping[str, str] | None = None,
    ) -> pd.DataFrame | None:
        """Read a table that may be missing; columns that may be `absent` are empty then, of their type."""
        import pandas as pd

        from ....sentences.suites import read_frame

        path, absent = self.folder / table.file, absent or {}
        if not path.is_file():
            return None
        frame = read_frame(path, [name for name in table.columns if name not in absent], sparse=sparse)
        frame = frame.rename(columns=renamed or {})
        return frame.assign(
            **{
                name: pd.Series(index=frame.index, dtype=kind)
                for name, kind in absent.items()
                if name not in frame
            }
        )

    def make_predicted_corpus(self, corpus: Corpus) -> Corpus:
        """The mentions that the tagger proposed, with their fragments, over the texts of its input.

        A string that stands nowhere in its text is one of them: it has the column `invented`.
        """
        from ....sentences.identifiers import split_identifier_column

        mentions = self.predictions if self.strings is None else _add_invented(self.predictions, self.strings)
        mentions, normalisations = split_identifier_column(mentions)
        return replace(
            corpus.with_mentions(mentions),
            fragments=self.fragments,
            normalisations=normalisations,
            alternatives=None,
        )

    def load_corpus(self) -> Corpus:
        """The input that the tagger was run over, with its gold mentions.

        Raises
        ------
        InputError
            When it is no longer there, or is no longer what it was.
        """
        from ....sentences.formats import read_corpus

        corpus = read_corpus(self.input)
        if len(corpus.texts) != self.meta["run"]["cases"]:
            raise InputError(
                "the input is no longer what the tagger was run over",
                file=self.input,
                found=f"{len(corpus.texts)} texts",
                allowed=f"{self.meta['run']['cases']} texts; run the tagger again",
            )
        return corpus

    def _repr_html_(self) -> str:
        import pandas as pd

        from ....catalogues.core.tables import frame_to_html

        row = {"run": self.name, "tagger": self.tagger, "corpus": self.meta["run"]["corpus"]}
        row |= {k: self.meta["run"].get(k) for k in ("cases", "mentions")}
        return frame_to_html(pd.DataFrame([{**row, **self.outcome_counts}]))


def _add_invented(mentions: pd.DataFrame, strings: pd.DataFrame) -> pd.DataFrame:
    """Mentions, then the strings that stand nowhere; `status` says of each how it was placed."""
    import pandas as pd

    from ....sentences.corpus import INVENTED_COLUMN

    nowhere = strings["status"].astype("str") == "invented"
    there = strings[~nowhere].drop_duplicates("mention_id").set_index("mention_id")["status"].astype("str")
    mentions = mentions.assign(
        **{INVENTED_COLUMN: pd.Series([None] * len(mentions), dtype="str", index=mentions.index)},
        status=mentions["mention_id"].map(there).astype("str"),
    )
    lost = strings[nowhere]
    added = pd.DataFrame(
        {
            "mention_id": range(len(mentions), len(mentions) + len(lost)),
            "text_id": lost["text_id"].to_numpy(),
            "side": "predicted",
            "start": 0,
            "end": 0,
            "type": lost["type"].astype("str").to_numpy(),
            "score": lost["score"].to_numpy(),
            INVENTED_COLUMN: lost["text"].astype("str").to_numpy(),
            "status": "invented",
        }
    )
    kinds = dict.fromkeys(("side", "type", INVENTED_COLUMN, "status"), "str")
    return (
        pd.concat([mentions.astype(kinds), added.astype(kinds)], ignore_index=True) if len(lost) else mentions
    )


def is_run(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a finished run."""
    return (Path(folder) / RUN_FILE).is_file()


def read_run(folder: str | os.PathLike[str] | Run) -> Run:
    """Read a run folder; a run is taken as it is.

    Raises
    ------
    InputError
        When it is no run folder, the run is unfinished, or run.toml does not hold what it must.
    """
    if isinstance(folder, Run):
        return folder
    path = Path(folder)
    if not path.is_dir():
        raise InputError("no such run folder", file=path)
    file = path / RUN_FILE
    if not file.is_file():
        if (path / SHARDS_FOLDER).is_dir():
            raise InputError(
                "the run is unfinished", file=path, allowed="the same `tagsuite run` again: it resumes"
            )
        raise InputError("not a run folder (it holds no run.toml)", file=path)
    meta = parse_toml(read_text(file), file)
    if meta.get("format") != FORMAT:
        raise InputError(
            "the run folder is of another format",
            file=file,
            found=meta.get("format"),
            allowed=str(FORMAT),
        )
    validate_settings(meta, RunFile, file)
    for table, key in ((PREDICTIONS, "mentions"), (OUTCOMES, "cases")):
        _check_rows(path / table.file, meta["run"].get(key))
    return Run(path, meta)


def _check_rows(file: Path, expected: int | None) -> None:
    """Refuse a table that is missing, damaged, or of another number of rows than run.toml says."""
    problem, found = "", None
    if not file.is_file():
        problem = f"{file.name} is missing"
    else:
        with open_parquet(file) as table:
            rows = table.metadata.num_rows
        if expected is not None and rows != expected:
            problem, found = (
                f"{file.name} has another number of rows than run.toml says",
                f"{rows} for {expected}",
            )
    if problem:
        raise InputError(
            f"the run folder is incomplete: {problem}",
            file=file.parent,
            found=found,
            allowed="run the tagger again, with --force",
        )
