"""The run folder: what a run leaves behind, and how it is read again."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import read_text
from ....catalogues.core.toml import parse_toml
from ....sentences.formats.registry import split_spec

if TYPE_CHECKING:
    import pandas as pd

    from ....sentences.corpus import Corpus
    from .tables import Table

META = "run.toml"
"""The file that makes a folder a run: it is written last."""
PREDICTIONS_FILE, OUTCOMES_FILE = "predictions.parquet", "outcomes.parquet"
SHARDS = ".shards"
"""The folder of the finished shards, while a run is unfinished."""
FORMAT = 1
SHORT = 12


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
        """What a score's signature says of the tagger; see `tagger_part`."""
        return tagger_part(self.tagger, str(self.meta.get("tagger", {}).get("digest", "")))

    @property
    def input(self) -> str:
        """The input's place, seen from where we are."""
        return from_folder(str(self.meta["run"]["input"]), self.folder)

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

    def failures_in_words(self) -> list[str]:
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
        from .tables import PREDICTIONS

        frame = _frame(self.folder, PREDICTIONS, [c for c in PREDICTIONS.columns if c != IDENTIFIERS])
        # runs of earlier versions do not have it
        return frame if IDENTIFIERS in frame else _with_nothing(frame, IDENTIFIERS)

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """What became of each case: `case_id`, `outcome`, `placed`, `unplaced`, `reason`."""
        from .tables import OUTCOMES

        frame = _frame(self.folder, OUTCOMES, ("case_id", "outcome"))
        # runs of earlier versions say only how the tagger ended
        frame = frame.rename(columns={"said": "reason"})
        return frame if "reason" in frame else _with_nothing(frame, "reason")

    @cached_property
    def replies(self) -> pd.DataFrame | None:
        """The beginning of what the tagger answered: `case_id`, `reply`; None where nothing is kept."""
        from .tables import REPLIES

        return _table(self.folder, REPLIES)

    @cached_property
    def fragments(self) -> pd.DataFrame | None:
        """The fragments of discontinuous mentions (`mention_id`, `start`, `end`); None without any."""
        from .tables import FRAGMENTS

        return _table(self.folder, FRAGMENTS)

    @cached_property
    def costs(self) -> pd.DataFrame | None:
        """What each case cost: `case_id`, `seconds`, `attempts`, tokens, `price`; None where nobody knows.

        Where `shared` is not 0, `seconds` is a share of what cases took that were asked together.
        """
        from .tables import COSTS

        frame = _table(self.folder, COSTS, absent=("shared",))
        # runs that were made before shares were told apart do not have it
        return frame if frame is None or "shared" in frame else frame.assign(shared=float("nan"))

    @cached_property
    def strings(self) -> pd.DataFrame | None:
        """The strings that a tagger answered without offsets; None where there are none.

        `text_id`, `text`, `type`, `score`, `status` (exact, changed, ambiguous, invented) and `mention_id`,
        which is missing where a string stands nowhere.
        """
        from .tables import STRINGS

        frame = _table(self.folder, STRINGS, sparse=("mention_id",))
        # a function may answer with offsets alone
        return None if frame is None or frame.empty else frame

    def predicted(self, corpus: Corpus) -> Corpus:
        """The mentions that the tagger proposed, with their fragments, over the texts of its input.

        A string that stands nowhere in its text is one of them: it has the column `invented`.
        """
        from ....sentences.identifiers import to_normalisations

        mentions = (
            self.predictions if self.strings is None else _with_invented(self.predictions, self.strings)
        )
        mentions, normalisations = to_normalisations(mentions)
        return replace(
            corpus.with_mentions(mentions),
            fragments=self.fragments,
            normalisations=normalisations,
            alternatives=None,
        )

    def corpus(self) -> Corpus:
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

        from ....catalogues.core.tables import as_html

        row = {"run": self.name, "tagger": self.tagger, "corpus": self.meta["run"]["corpus"]}
        row |= {k: self.meta["run"].get(k) for k in ("cases", "mentions")}
        return as_html(pd.DataFrame([{**row, **self.outcome_counts}]))


def _with_invented(mentions: pd.DataFrame, strings: pd.DataFrame) -> pd.DataFrame:
    """Mentions, then the strings that stand nowhere; `status` says of each how it was placed."""
    import pandas as pd

    from ....sentences.corpus import INVENTED

    nowhere = strings["status"].astype("str") == "invented"
    there = strings[~nowhere].drop_duplicates("mention_id").set_index("mention_id")["status"].astype("str")
    mentions = mentions.assign(
        **{INVENTED: pd.Series([None] * len(mentions), dtype="str", index=mentions.index)},
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
            INVENTED: lost["text"].astype("str").to_numpy(),
            "status": "invented",
        }
    )
    kinds = dict.fromkeys(("side", "type", INVENTED, "status"), "str")
    return (
        pd.concat([mentions.astype(kinds), added.astype(kinds)], ignore_index=True) if len(lost) else mentions
    )


IDENTIFIERS = "identifiers"


def seen_notes(meta: Mapping[str, Any]) -> list[str]:
    """What is to be said where a tagger was trained on what a suite was made from."""
    trained = meta.get("tagger", {}).get("trained_on", [])
    lines = []
    for what, names in meta.get("sources", {}).items():
        seen = [name for name in names if name in trained]
        if not seen:
            continue
        division = "--by context.source_type" if what == "contexts" else "--by source_authority"
        lines.append(
            f"the tagger was trained on {', '.join(seen)}, where {what} of the suite come from: "
            f"figures with {division} show them apart from the others"
        )
    return lines


def foreign_types(types: Mapping[str, int], gold: Collection[str]) -> dict[str, int]:
    """Types that no gold mention has, with their number; none where there is no gold."""
    return {name: n for name, n in sorted(types.items()) if n and name not in gold} if gold else {}


def _frame(
    folder: Path, table: Table, needed: Sequence[str] = (), sparse: Collection[str] = ()
) -> pd.DataFrame:
    """A table of a run folder, with all its columns or those that are `needed`."""
    from ....sentences.suites import read_frame

    path = folder / table.file
    if not path.is_file():
        raise InputError("no such file", file=path, allowed="a folder that `tagsuite run` wrote")
    return read_frame(path, needed or list(table.columns), sparse=sparse)


def _with_nothing(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    import pandas as pd

    return frame.assign(**{column: pd.Series([None] * len(frame), dtype="str", index=frame.index)})


def _table(
    folder: Path, table: Table, sparse: Collection[str] = (), absent: Collection[str] = ()
) -> pd.DataFrame | None:
    """A table that a run folder need not have; nor need it have the columns that may be `absent`."""
    needed = [name for name in table.columns if name not in absent]
    return _frame(folder, table, needed, sparse) if (folder / table.file).is_file() else None


def is_run(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a finished run."""
    return (Path(folder) / META).is_file()


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
    file = path / META
    if not file.is_file():
        if (path / SHARDS).is_dir():
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
    # only now: the models of keys take longer to load than a run file to read
    from .run_keys import check_run_keys

    check_run_keys(meta, file)
    for name in (PREDICTIONS_FILE, OUTCOMES_FILE):
        if not (path / name).is_file():
            raise InputError(
                f"the run folder is incomplete: {name} is missing",
                file=path,
                allowed="run the tagger again, with --force",
            )
    return Run(path, meta)


def tagger_part(label: str, digest: str) -> str:
    """What a signature says of a tagger: ``tagger:name@version#`` and the first digits of its digest.

    The digest is over specification, options and files (of what was recorded, over the mentions): two
    programs may have one name and version.

    Examples
    --------
    >>> tagger_part("kex@0.3", "1a2b3c4d5e6f7a8b"), tagger_part("mine@1a2b3c4d5e6f", "1a2b3c4d5e6f7a8b")
    ('tagger:kex@0.3#1a2b3c4d5e6f', 'tagger:mine@1a2b3c4d5e6f')
    """
    short = digest[:SHORT]
    # a tagger without a version is labelled by its digest already
    return f"tagger:{label}" if not short or label.endswith(f"@{short}") else f"tagger:{label}#{short}"


def to_folder(spec: str, folder: Path) -> str:
    """``FORMAT:PATH`` with the path made relative to a folder."""
    prefix, path = split_spec(spec)
    return prefix + Path(os.path.relpath(Path(path).resolve(), folder.resolve())).as_posix()


def from_folder(spec: str, folder: Path) -> str:
    """The opposite of `to_folder`, seen from the working folder."""
    prefix, path = split_spec(spec)
    if Path(path).is_absolute():
        return spec
    return prefix + str((folder.resolve() / path).resolve())
