"""Perturbed copies of corpora, and taggers' answers with offsets converted for comparison."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...generator.perturbing import PerturbedText, perturb_texts
from ...generator.perturbing.edits import SpanMap
from ...generator.perturbing.subject import Subject, SubjectMention, TextRandom
from ...harness.running.folder.runs import Run
from ...harness.scoring.invariance import AnswerMention
from ...harness.scoring.options import ScoringOptions
from ...harness.scoring.pairing.axes import map_types
from ...sentences.corpus import MENTION_COLUMNS, TEXT_COLUMNS, Corpus

Rows = NDArray[np.int64]
Spans = tuple[tuple[int, int], ...]

GENE_TYPES = re.compile(
    r"gp|ggp|genes?|proteins?|[dr]na|gene[ _-]?(or|and)[ _-]?(gene[ _-]?product|protein)", re.I
)
"""Names that corpora and taggers use for the types of genes and their products."""


def sample_texts(corpus: Corpus, size: int, seed: int) -> Corpus:
    """Return a random sample of texts with their mentions; it does not depend on the order of the texts."""
    texts = corpus.texts
    keyed = [
        (TextRandom(seed, "sample", text).draw_below(1 << 60, str(text_id)), row)
        for row, (text_id, text) in enumerate(zip(texts["text_id"], texts["text"], strict=True))
    ]
    return take_texts(corpus, np.array(sorted(row for _, row in sorted(keyed)[:size]), dtype=np.int64))


def take_texts(corpus: Corpus, rows: Rows) -> Corpus:
    """Return a corpus of the texts at the positions `rows`, with their mentions."""
    texts = corpus.texts.take(rows).reset_index(drop=True)
    mentions = corpus.mentions[corpus.mentions["text_id"].isin(texts["text_id"])].reset_index(drop=True)
    parts, others = corpus.fragments, corpus.alternatives
    return replace(
        corpus.with_mentions(mentions),
        texts=texts,
        fragments=None if parts is None else parts[parts["mention_id"].isin(mentions["mention_id"])],
        alternatives=None if others is None else others[others["text_id"].isin(texts["text_id"])],
    )


def strip_corpus(corpus: Corpus) -> Corpus:
    """Return a copy of a corpus with only the texts and the spans and types of mentions."""
    return replace(
        corpus,
        texts=corpus.texts[list(TEXT_COLUMNS)],
        mentions=corpus.mentions[list(MENTION_COLUMNS)],
        normalisations=None,
        relations=None,
        equivalences=None,
        features=(),
    )


def make_subjects(corpus: Corpus, mentions: pd.DataFrame, swap_types: Collection[str]) -> list[Subject]:
    """Return the texts of a corpus with the given mentions, as input for perturbations."""
    frame = corpus.add_features(mentions, ["kind"])
    kinds = frame["kind"].astype("str").where(frame["kind"].notna(), "") if "kind" in frame else None
    parts = _group_fragments(mentions, corpus.fragments)
    rows = pd.Index(corpus.texts["text_id"]).get_indexer(pd.Index(mentions["text_id"]))
    found: dict[int, list[SubjectMention]] = defaultdict(list)
    for i, (row, number, start, end, kind) in enumerate(
        zip(rows, mentions["mention_id"], mentions["start"], mentions["end"], mentions["type"], strict=True)
    ):
        is_gene = bool(GENE_TYPES.fullmatch(str(kind)))
        found[int(row)].append(
            SubjectMention(
                int(start),
                int(end),
                "" if kinds is None else str(kinds.iloc[i]),
                can_swap=kind in swap_types if swap_types else is_gene,
                fragments=parts.get(int(number), ()),
                type="" if is_gene else str(kind),
            )
        )
    order = [sorted(found[row], key=lambda m: (m.start, m.end)) for row in range(len(corpus.texts))]
    return [Subject(t, tuple(m)) for t, m in zip(corpus.texts["text"].tolist(), order, strict=True)]


@dataclass(frozen=True)
class PerturbedCopy:
    """Perturbed copies of the texts to which a perturbation applies.

    Attributes
    ----------
    corpus : Corpus
        Copies, with gold mentions at their new offsets.
    rows : array
        Position of each copy's original text in the corpus.
    perturbed : list of PerturbedText
        Perturbed texts with their edits, in the order of `rows`.
    """

    corpus: Corpus
    rows: Rows
    perturbed: list[PerturbedText]

    @classmethod
    def from_corpus(
        cls, name: str, corpus: Corpus, subjects: Sequence[Subject], usable: Rows, seed: int
    ) -> PerturbedCopy:
        """Return perturbed copies of those texts in `usable` to which the perturbation applies."""
        made = perturb_texts(name, [subjects[i] for i in usable.tolist()], seed)
        rows = usable[np.array([p is not None for p in made], dtype=bool)]
        done = [p for p in made if p is not None]
        chosen = strip_corpus(take_texts(corpus, rows))
        texts = chosen.texts.assign(text=pd.Series([p.text for p in done], dtype="str"))
        carrying = dict(zip(texts["text_id"].tolist(), (SpanMap(p.edits) for p in done), strict=True))
        gold = chosen.mentions[chosen.mentions["side"] == "gold"].reset_index(drop=True)
        home = dict(zip(gold["mention_id"].tolist(), gold["text_id"].tolist(), strict=True))
        parts, others = chosen.fragments, chosen.alternatives
        if parts is not None:
            parts = parts[parts["mention_id"].isin(gold["mention_id"])]
            parts = _map_spans(parts, [carrying[home[m]] for m in parts["mention_id"].tolist()])
        if others is not None:
            others = _map_spans(others, [carrying[t] for t in others["text_id"].tolist()])
        gold = _map_spans(gold, [carrying[t] for t in gold["text_id"].tolist()])
        return cls(
            replace(chosen, texts=texts, mentions=gold, fragments=parts, alternatives=others, digest=""),
            rows,
            done,
        )


def _map_spans(frame: pd.DataFrame, carrying: Sequence[SpanMap]) -> pd.DataFrame:
    """Convert spans to offsets in the perturbed text; spans that the edits removed are dropped."""
    spans = [
        c.map_span(int(s), int(e)) for c, s, e in zip(carrying, frame["start"], frame["end"], strict=True)
    ]
    kept = frame[np.array([span is not None for span in spans], dtype=bool)]
    starts, ends = ([span[i] for span in spans if span is not None] for i in (0, 1))
    return kept.assign(start=np.array(starts, dtype=np.int64), end=np.array(ends, dtype=np.int64))


@dataclass(frozen=True)
class RunAnswers:
    """Answers of a tagger to each text.

    Attributes
    ----------
    mentions : DataFrame
        Predicted mentions, with types mapped or ignored.
    rows : mapping of text_id to array
        Positions of each text's mentions in the table `mentions`.
    fragments : mapping of int to spans
        Fragments of each discontinuous mention; the keys are values of mention_id.
    failed : frozenset
        Texts without a complete answer.
    """

    mentions: pd.DataFrame
    rows: Mapping[object, Rows]
    fragments: Mapping[int, Spans]
    failed: frozenset[object]

    @classmethod
    def from_run(cls, run: Run, options: ScoringOptions) -> RunAnswers:
        """Return the answers of a run; types are mapped or ignored as the scoring options specify."""
        found = map_types(run.predictions, options.type_map).reset_index(drop=True)
        if options.ignore_types:
            found = found.assign(type="")
        outcomes = run.outcomes
        bad = outcomes.loc[outcomes["outcome"].astype("str") != "ok", "case_id"]
        rows: dict[Any, Any] = found.groupby("text_id").indices
        return cls(found, rows, _group_fragments(found, run.fragments), frozenset(bad.tolist()))

    def get_answer(
        self, text_id: object, edges: Callable[[int, int], tuple[int, int]]
    ) -> list[AnswerMention]:
        """Return the tagger's mentions in a text, with their offsets converted by the function `edges`."""
        start, end, kind, number = (self.mentions[c].array for c in ("start", "end", "type", "mention_id"))
        found = []
        for row in self.rows.get(text_id, ()):
            spans = self.fragments.get(int(number[row]), ((int(start[row]), int(end[row])),))
            found.append(AnswerMention(tuple(edges(*span) for span in spans), str(kind[row]), int(row)))
        return found


def _group_fragments(mentions: pd.DataFrame, fragments: pd.DataFrame | None) -> dict[int, Spans]:
    """Return a mapping of mention_id to the fragments of each discontinuous mention."""
    if fragments is None:
        return {}
    listed = fragments[fragments["mention_id"].isin(mentions["mention_id"])]
    return {
        number: tuple(sorted(zip(own["start"].tolist(), own["end"].tolist(), strict=True)))
        for number, own in listed.groupby(listed["mention_id"].astype("int64"))
    }
