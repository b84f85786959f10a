"""The file of weights beside planned sentences: with what probability each was drawn.

Whatever a tool for annotation does to identifiers and order, the text stays: its digest names it. What
is read are probabilities, not weights: these depend on how many sentences were annotated in the end. A
file of a later round holds the earlier ones too, for the draws of all are one sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd

from ....catalogues.core.errors import InputError
from ....catalogues.core.files import atomic_text, digest_bytes
from ....catalogues.core.tables import Format, read_csv_frame, render
from ....sentences.corpus import Corpus
from ..arrays import Ints, Numbers
from .planning import lure

COLUMNS = ("turn", "text_id", "text_sha256", "probability", "pool", "weight")
"""Those of the file; the weight is that where all sentences are annotated."""
SUFFIX = ".weights.csv"


@dataclass(frozen=True)
class Plan:
    """Sentences drawn from a pool, in the order in which they were drawn, in one round or several.

    Attributes
    ----------
    names : tuple of str
        Their identifiers in the pool.
    digests : tuple of str
        Of their texts.
    probabilities : array
        That of each at its turn, among those that were left.
    pool : int
        How many sentences there were.
    path : Path
        The file.
    """

    names: tuple[str, ...]
    digests: tuple[str, ...]
    probabilities: Numbers
    pool: int
    path: Path

    def first(self, number: int) -> Plan:
        """The first turns of it."""
        names, digests = self.names[:number], self.digests[:number]
        return replace(self, names=names, digests=digests, probabilities=self.probabilities[:number])

    def longer(self, chosen: Corpus, probabilities: Numbers) -> Plan:
        """With sentences that were drawn after its own."""
        names = tuple(str(name) for name in chosen.texts["text_id"].tolist())
        every = np.concatenate((self.probabilities, probabilities))
        return replace(
            self,
            names=self.names + names,
            digests=(*self.digests, *_digests(chosen)),
            probabilities=every,
        )

    @property
    def table(self) -> pd.DataFrame:
        """`COLUMNS`, a row a sentence."""
        columns = (
            np.arange(1, len(self.names) + 1),
            pd.Series(self.names, dtype="str"),
            pd.Series(self.digests, dtype="str"),
            self.probabilities,
            self.pool,
            lure(self.probabilities, self.pool),
        )
        return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))

    def at(self, corpora: Sequence[Corpus]) -> Ints:
        """Where each sentence of some corpora stands in it, from 0; −1 where it does not."""
        place = {key: i for i, key in enumerate(_numbered(self.digests))}
        asked = _numbered([digest for corpus in corpora for digest in _digests(corpus)])
        return np.array([place.get(key, -1) for key in asked], dtype=np.int64)

    def weights(self, corpora: Sequence[Corpus]) -> list[Numbers]:
        """The weights of annotated sentences, the first ones of the plan or all.

        Raises
        ------
        InputError
            When one of them is not in the plan, or one that was drawn before others is not annotated.
        """
        at = self.at(corpora)
        if (at < 0).any():
            names = [name for corpus in corpora for name in corpus.texts["text_id"].tolist()]
            raise InputError(
                "an annotated sentence is not in the plan",
                file=self.path,
                found=f"text {names[int(np.argmin(at))]}",
                allowed="the sentences of the plan, their text unchanged",
            )
        missing = np.setdiff1d(np.arange(len(at)), at)
        if len(missing):
            first = int(missing[0])
            raise InputError(
                "a sentence that was drawn before others is not annotated",
                file=self.path,
                line=first + 2,
                found=f"text {self.names[first]} of turn {first + 1}",
                allowed="the first sentences of the plan, without gaps, in one --annotated or several",
            )
        found = lure(self.probabilities[: len(at)], self.pool)[at]
        return np.split(found, np.cumsum([len(corpus.texts) for corpus in corpora])[:-1])

    def rows(self, pool: Corpus) -> Ints:
        """The rows of the pool that were drawn.

        Raises
        ------
        InputError
            When they were drawn from another pool.
        """
        if len(pool.texts) != self.pool:
            raise InputError(
                "the annotated sentences are of another pool",
                file=self.path,
                found=f"weights in a pool of {self.pool} sentences",
                allowed=f"those of this pool, of {len(pool.texts)}",
            )
        alike: dict[str, dict[str, int]] = {}
        for row, (name, digest) in enumerate(
            zip(pool.texts["text_id"].tolist(), _digests(pool), strict=True)
        ):
            alike.setdefault(digest, {})[str(name)] = row
        found = []
        for turn, (name, digest) in enumerate(zip(self.names, self.digests, strict=True), start=1):
            left = alike.get(digest)
            if not left:
                raise InputError(
                    "an annotated sentence is not in the pool",
                    file=self.path,
                    line=turn + 1,
                    found=f"text {name} of turn {turn}",
                    allowed="the pool that it was drawn from, its texts unchanged",
                )
            # of texts that are alike the one that was drawn, where identifiers are as they were
            found.append(left.pop(name if name in left else next(iter(left))))
        return np.array(found, dtype=np.int64)


def weights_path(place: Path) -> Path:
    """Where the weights of planned sentences stand: beside them."""
    return place.with_name(place.name + SUFFIX)


def new_plan(pool: int, path: Path) -> Plan:
    """A plan of which nothing is drawn yet."""
    return Plan((), (), np.zeros(0), pool, path)


def write_plan(plan: Plan) -> None:
    """Write the file of a plan."""
    with atomic_text(plan.path) as stream:
        stream.write(render(plan.table, Format.csv, spreadsheet=False))


def read_plan(path: Path) -> Plan:
    """Read the file of a plan.

    Raises
    ------
    InputError
        When it is none that was written for a plan.
    """
    allowed = "what tagsuite calibrate --plan wrote"
    table = read_csv_frame(
        path,
        COLUMNS[:-1],
        f"{allowed}, with {', '.join(COLUMNS)}",
        dtype={"text_sha256": "str", "text_id": "str"},
    )
    numbers = table[["turn", "probability", "pool"]].apply(pd.to_numeric, errors="coerce")
    turn, chance, pool = (numbers[c].to_numpy(dtype=np.float64) for c in numbers)
    right = (turn == np.arange(1, len(table) + 1)) & (chance > 0) & (chance <= 1) & (pool >= len(table))
    right &= pool == pool[:1]
    if not right.all():
        at = int(np.argmin(right))
        found = ", ".join(f"{c} {table[c].iloc[at]}" for c in numbers)
        raise InputError("not a row of a plan", file=path, line=at + 2, found=found, allowed=allowed)
    names, digests = (tuple(map(str, table[c].tolist())) for c in ("text_id", "text_sha256"))
    return Plan(names, digests, chance, int(pool[0]) if len(pool) else 0, path)


def joined(plans: Sequence[Plan | None], corpora: Sequence[Corpus]) -> list[tuple[Plan, list[int]]]:
    """Which corpora are weighed together, and by which plan.

    Rounds of the same draws are weighed by the file that holds them all.

    Parameters
    ----------
    plans : sequence of Plan
        That beside each corpus; None where there is none.
    corpora : sequence of Corpus
    """
    # rounds of the same draws begin with the same one
    families: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    for number, plan in enumerate(plans):
        if plan is not None:
            families.setdefault((plan.pool, plan.digests[:1]), []).append(number)
    found = []
    for members in families.values():
        own = {plan.path: plan for plan in (plans[i] for i in members) if plan is not None}
        every = np.arange(sum(len(corpora[i].texts) for i in members))
        # one that was planned further without all of it being annotated is longer, and is not the one
        by_length = sorted(own.values(), key=lambda plan: len(plan.names))
        whole = next(
            (p for p in by_length if np.array_equal(np.sort(p.at([corpora[i] for i in members])), every)),
            None,
        )
        if whole is not None:
            found.append((whole, members))
        else:
            found += [(p, [i for i in members if (m := plans[i]) and m.path == p.path]) for p in own.values()]
    return found


def _numbered(digests: Sequence[str]) -> list[tuple[str, int]]:
    """Each with how often it stood before: the same text may be there more than once."""
    seen: dict[str, count[int]] = {}
    return [(digest, next(seen.setdefault(digest, count()))) for digest in digests]


def _digests(corpus: Corpus) -> list[str]:
    return [digest_bytes(" ".join(text.split()).encode()) for text in corpus.texts["text"].tolist()]
