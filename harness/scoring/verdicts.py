"""Verdicts on every mention under every notion, and counts that are computed from them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from ...catalogues.core.arrays import bounds_from_lengths
from ...catalogues.core.errors import InputError
from ...catalogues.feature import LIST_PREFIX, Feature
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
    """Verdicts on all mentions under all notions, from which all other figures are computed.

    Attributes
    ----------
    corpus : Corpus
        Gold corpus.
    gold, predicted : DataFrame
        Gold and predicted mentions with the requested features. All arrays below are in the same order.
    gold_row, predicted_row : array
        Position of each mention's text in the corpus.
    gold_type, predicted_type : array
        Type of each mention, as a position in `types`.
    types : tuple of str
        All types, sorted.
    tallies : dict of str to Tally
        Counts of each mention, keyed by the name of the notion.
    classes : tuple of Class
        Named classes.
    divisions : tuple of Division
        One per named class, and one per feature (or combination of features) whose values are classes.
    options : ScoringOptions
        Options under which the mentions were paired and counted.
    run : str
        Name of the run in tables.
    gold_part, tagger_part : str
        Parts of the signature for the gold and for the predictions.
    candidates : Candidates
        Pairs of a gold and a predicted mention that overlap or have the same span.
    unused_types : tuple of str
        Types in the type map that no mention has.
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
    unused_types: tuple[str, ...] = ()

    @cached_property
    def is_unplaced(self) -> Flags | None:
        """Mask of predicted strings that do not occur in their text; None if the tagger returned offsets."""
        if INVENTED_COLUMN not in self.predicted:
            return None
        return np.asarray(self.predicted[INVENTED_COLUMN].notna(), dtype=bool)

    @cached_property
    def all_divisions(self) -> list[Division]:
        """Divisions in the order of the score table: all mentions, types (if several), classes, features."""
        by_type = divide_by_code(self.types, self.gold_type, self.predicted_type)
        return [self.all_division, *([by_type] if len(self.types) > 1 else []), *self.divisions]

    @cached_property
    def row_positions(self) -> tuple[Ints, Ints]:
        """First row of each class in the score table, and distance to its row for the next notion.

        The rows of a division are consecutive, one notion after another. Both arrays list the classes of all
        divisions.
        """
        sizes = np.array([len(division.names) for division in self.all_divisions])
        begins = bounds_from_lengths(sizes)[:-1]
        first = np.repeat(begins * (len(self.tallies) - 1), sizes) + np.arange(sizes.sum())
        return first, np.repeat(sizes, sizes)

    @cached_property
    def wilson_table(self) -> pd.DataFrame:
        """Score table with Wilson intervals, with the same rows as `Scores.table`."""
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
                class_counts = counts.select(slice(first, last))
                blocks.append(TableBlock(class_counts, notion.name, notion.unit, classes, types, signatures))
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
        """Names of all classes: ``all``, the named classes, and the values of features."""
        return list(dict.fromkeys([ALL, *(name for division in self.divisions for name in division.names)]))

    def get_tally(self, notion: str = "strict") -> Tally:
        """Return the counts of each mention under a notion.

        Raises
        ------
        InputError
            If the notion was not scored.
        """
        name = find_notion(notion).name
        if name not in self.tallies:
            raise InputError(
                "this notion of correctness was not scored", found=name, allowed=", ".join(self.tallies)
            )
        return self.tallies[name]

    def masks(self, name: str = ALL) -> tuple[Flags, Flags]:
        """Return two Boolean arrays that mark the gold and the predicted mentions of the class `name`."""
        for division in (self.all_division, *self.divisions):
            if name in division.names:
                return division.masks(name)
        known = [n for d in (self.all_division, *self.divisions) for n in d.names]
        raise InputError("unknown class", found=name, allowed=", ".join(known))

    def count_by_text(self, notion: str = "strict", name: str = ALL) -> Counts:
        """Return the counts of a class per text, in the order of the corpus.

        Parameters
        ----------
        notion : str
            Name of a scored notion.
        name : str
            Name of a class in the score table.
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
        """Return the counts of a class for each text, entity, context or combination of these.

        Parameters
        ----------
        gold, predicted : array
            Number of each mention's text, entity or context. Mentions with negative numbers are left out.
        size : int
            Number of texts, entities or contexts.
        notion, name : str
            Name of a scored notion, and name of a class in the score table.
        """
        tally = self.get_tally(notion)
        in_gold, in_predicted = self.masks(name)
        in_gold, in_predicted = in_gold & (gold >= 0), in_predicted & (predicted >= 0)
        selected = tally.map_arrays(lambda values: values[in_gold], lambda values: values[in_predicted])
        return count_by_code(selected, gold[in_gold], predicted[in_predicted], size)

    def verdicts(self, side: str | None = None) -> pd.DataFrame:
        """Return all mentions, with one column of verdicts per notion.

        A verdict is 1 (matched), 0 (not matched), a share (partly matched) or NaN (not counted).

        Parameters
        ----------
        side : {"gold", "predicted"}, optional
            Return only the mentions of this side.
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
        """Division with one class, ``all``."""
        return make_all_division(len(self.gold), len(self.predicted))

    @cached_property
    def _queries(self) -> dict[str, str]:
        return {c.name: str(c.query) for c in self.classes}

    @property
    def overall_signature(self) -> str:
        """Signature of the scores of all mentions under the first notion, with all word lists."""
        return self._make_signature(next(iter(self.tallies.values())).notion, "", self.options.lists)

    def list_differences(self, other: Verdicts) -> list[str]:
        """List how two scores differ (apart from the tagger), such as ``notion: strict, sloppy``.

        Gold corpora that differ only in the order of mentions count as equal if each is the input of its run.
        """
        unchanged = all(one.gold_part == make_corpus_part(one.corpus) for one in (self, other))
        same = unchanged and has_same_content(self.corpus, other.corpus)
        ignored = (*TAGGER_PARTS, "corpus") if same else TAGGER_PARTS
        return list_differences(self.overall_signature, other.overall_signature, ignored=ignored)

    def make_signature(
        self, notion: NotionDeclaration, query: str = "", features: Collection[Feature] = ()
    ) -> str:
        """Return the signature of a row, which includes only the word lists that `features` use."""
        names = {f.name.removeprefix(LIST_PREFIX) for f in features if f.name.startswith(LIST_PREFIX)}
        return self._make_signature(notion, query, names)

    def _make_signature(self, notion: NotionDeclaration, query: str, lists: Collection[str]) -> str:
        digests = [(n, digest_list(words)) for n, words in sorted(self.options.lists.items()) if n in lists]
        parts = self.options.signature_parts(notion.name, notion.pairing, digests)
        return make_signature(corpus=self.gold_part, tagger=self.tagger_part, query=query, **parts)
