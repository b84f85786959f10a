"""What a scoring keeps: every mention's verdict under every notion, and the sums over these."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from ...catalogues.core.arrays import bounds_from_lengths
from ...catalogues.core.errors import InputError
from ...catalogues.taxonomy import LIST_PREFIX, Feature
from ...catalogues.word_lists import digest_list
from ...sentences.corpus import INVENTED_COLUMN, Corpus
from .arrays import Codes, Flags, Ints
from .classes import ALL, Class
from .counting import Counts, TallyCounter, count_by_code, join_counts
from .division import Division, divide_by_code, make_all_division, make_batches
from .notions import NotionDeclaration, Tally, find_notion
from .options import ScoringOptions
from .pairing.candidates import Candidates
from .signature import TAGGER_PARTS, has_same_content, list_differences, make_corpus_part, make_signature
from .table import TableBlock, add_label_columns, build_score_table


@dataclass(frozen=True)
class Verdicts:
    """Every mention's verdict under every notion. All figures are sums over these; `Scores` adds their table.

    Attributes
    ----------
    corpus : Corpus
        The gold.
    gold, predicted : DataFrame
        The mentions of both sides with the features that were asked for; all arrays below follow their rows.
    gold_row, predicted_row : array
        Position of each mention's text in the corpus.
    gold_type, predicted_type : array
        Each mention's type as a position in `types`.
    types : tuple of str
        All types, sorted.
    tallies : dict of str to Tally
        By notion, what each mention counts.
    classes : tuple of Class
        The classes that were asked for by name.
    divisions : tuple of Division
        Those of the classes and of the features; each has the classes of one.
    options : ScoringOptions
        How it was counted.
    run : str
        The name of what was scored, as tables show it.
    gold_part, tagger_part : str
        The signature's parts for the gold and for the predictions.
    candidates : Candidates
        The pairs of mentions that have something in common, on the common axis of all texts.
    base : array
        Where each text begins on that axis.
    unused_types : tuple of str
        What the options' type map renames though no mention of either side has it.
    """

    corpus: Corpus
    gold: pd.DataFrame
    predicted: pd.DataFrame
    gold_row: Ints
    predicted_row: Ints
    gold_type: Codes
    predicted_type: Codes
    types: tuple[str, ...]
    tallies: dict[str, Tally]
    classes: tuple[Class, ...]
    divisions: tuple[Division, ...]
    options: ScoringOptions
    run: str
    gold_part: str
    tagger_part: str
    candidates: Candidates = field(repr=False)
    base: Ints = field(repr=False)
    unused_types: tuple[str, ...] = ()

    @cached_property
    def is_unplaced(self) -> Flags | None:
        """Which predicted mentions stand nowhere in their text; None where the tagger answers with places."""
        if INVENTED_COLUMN not in self.predicted:
            return None
        return np.asarray(self.predicted[INVENTED_COLUMN].notna(), dtype=bool)

    @cached_property
    def all_divisions(self) -> list[Division]:
        """The divisions that have rows: everything, the types where they are several, those asked for."""
        by_type = divide_by_code(self.types, self.gold_type, self.predicted_type)
        return [self.all_division, *([by_type] if len(self.types) > 1 else []), *self.divisions]

    @cached_property
    def row_positions(self) -> tuple[Ints, Ints]:
        """The first row of each class in the table, and how many rows later that of the next notion is.

        A division's rows are together, notion by notion; classes are numbered over all divisions.
        """
        sizes = np.array([len(division.names) for division in self.all_divisions])
        begins = bounds_from_lengths(sizes)[:-1]
        first = np.repeat(begins * (len(self.tallies) - 1), sizes) + np.arange(sizes.sum())
        return first, np.repeat(sizes, sizes)

    @cached_property
    def wilson_table(self) -> pd.DataFrame:
        """The score table with Wilson's intervals: a row a class and notion, the whole and types first."""
        counter = TallyCounter(list(self.tallies.values()))
        by_batch = [counter.count_batch(batch) for batch in make_batches(self.all_divisions)]
        by_notion = [join_counts(parts) for parts in zip(*by_batch, strict=True)]
        blocks, first = [], 0
        for division in self.all_divisions:
            names, last = division.names, first + len(division.names)
            is_type = division.names is self.types
            classes, types = ([ALL] * len(names), names) if is_type else (names, ["all"] * len(names))
            queries = [self._queries.get(name, "") for name in names] if division.asked else [""] * len(names)
            for tally, counts in zip(counter.tallies, by_notion, strict=True):
                notion = tally.notion
                signed = {q: self.make_signature(notion, q, division.asked) for q in dict.fromkeys(queries)}
                signatures = [signed[query] for query in queries]
                own = counts.select(slice(first, last))
                blocks.append(TableBlock(own, notion.name, notion.unit, classes, types, signatures))
            first = last
        return build_score_table(
            blocks,
            run=self.run,
            corpus=self.corpus.name,
            beta=self.options.beta,
            confidence=self.options.confidence,
        )

    @property
    def class_names(self) -> list[str]:
        """The classes of the table, each once: everything, those of files, the values of features."""
        return list(dict.fromkeys([ALL, *(name for division in self.divisions for name in division.names)]))

    def get_tally(self, notion: str = "strict") -> Tally:
        """What each mention counts under a notion.

        Raises
        ------
        InputError
            When the notion was not scored.
        """
        name = find_notion(notion).name
        if name not in self.tallies:
            raise InputError("the notion was not scored", found=name, allowed=", ".join(self.tallies))
        return self.tallies[name]

    def masks(self, name: str = ALL) -> tuple[Flags, Flags]:
        """Which gold and which predicted mentions belong to a class of the table."""
        for division in (self.all_division, *self.divisions):
            if name in division.names:
                return division.masks(name)
        known = [n for d in (self.all_division, *self.divisions) for n in d.names]
        raise InputError("no class of that name was scored", found=name, allowed=", ".join(known))

    def count_by_text(self, notion: str = "strict", name: str = ALL) -> Counts:
        """Counts of a class by text, in the corpus's order: what resampling draws from.

        Parameters
        ----------
        notion : str
            A notion that was scored.
        name : str
            A class of the table.
        """
        return self.count_by_code(self.gold_row, self.predicted_row, len(self.corpus.texts), notion, name)

    def count_by_code(
        self,
        gold: Codes,
        predicted: Codes,
        size: int,
        notion: str = "strict",
        name: str = ALL,
    ) -> Counts:
        """Counts of a class by any numbering of the mentions (texts, entities, contexts, pairs of these).

        Parameters
        ----------
        gold, predicted : array
            The number of each mention, from 0 on; mentions with a negative number are left out.
        size : int
            How many numbers there are.
        notion, name : str
            See `counts`.
        """
        found = self.get_tally(notion)
        in_gold, in_predicted = self.masks(name)
        in_gold, in_predicted = in_gold & (gold >= 0), in_predicted & (predicted >= 0)
        inside = found.map_arrays(lambda values: values[in_gold], lambda values: values[in_predicted])
        return count_by_code(inside, gold[in_gold], predicted[in_predicted], size)

    def verdicts(self, side: str | None = None) -> pd.DataFrame:
        """Every mention with a column a notion: 1 matched, 0 not, a share in between, NaN neither.

        Parameters
        ----------
        side : {"gold", "predicted"}, optional
            One side only.
        """
        columns = ["mention_id", "text_id", "start", "end", "type"]
        sides = ("gold", "predicted")
        if side is not None and side not in sides:
            raise InputError("unknown side", found=side, allowed=", ".join(sides))
        frames = []
        for which in sides if side is None else (side,):
            mentions: pd.DataFrame = getattr(self, which)
            frame = mentions[[c for c in columns if c in mentions]].reset_index(drop=True)
            verdicts = {name: tally.get_verdicts(which) for name, tally in self.tallies.items()}
            frames.append(add_label_columns(frame, side=which).assign(**verdicts))
        return pd.concat(frames, ignore_index=True)

    @cached_property
    def all_division(self) -> Division:
        """The division with the one class of everything."""
        return make_all_division(len(self.gold), len(self.predicted))

    @cached_property
    def _queries(self) -> dict[str, str]:
        """The queries of the classes by name."""
        return {c.name: str(c.query) for c in self.classes}

    @property
    def overall_signature(self) -> str:
        """The signature of the first notion's row of everything, with all word lists that were given."""
        return self._make_signature(next(iter(self.tallies.values())).notion, "", self.options.lists)

    def list_differences(self, other: Verdicts) -> list[str]:
        """In what another scoring differs, apart from the tagger: ``notion: strict, sloppy`` and so on.

        Files that list the same mentions in different order are the same gold, if both are what was run over.
        """
        unchanged = all(one.gold_part == make_corpus_part(one.corpus) for one in (self, other))
        same = unchanged and has_same_content(self.corpus, other.corpus)
        besides = (*TAGGER_PARTS, "corpus") if same else TAGGER_PARTS
        return list_differences(self.overall_signature, other.overall_signature, ignored=besides)

    def make_signature(
        self, notion: NotionDeclaration, query: str = "", asked: Collection[Feature] = ()
    ) -> str:
        """The signature of a row; of the word lists it names those that the class asks."""
        names = {f.name.removeprefix(LIST_PREFIX) for f in asked if f.name.startswith(LIST_PREFIX)}
        return self._make_signature(notion, query, names)

    def _make_signature(self, notion: NotionDeclaration, query: str, lists: Collection[str]) -> str:
        digests = [(n, digest_list(words)) for n, words in sorted(self.options.lists.items()) if n in lists]
        parts = self.options.signature_parts(notion.name, notion.pairing, digests)
        return make_signature(corpus=self.gold_part, tagger=self.tagger_part, query=query, **parts)
