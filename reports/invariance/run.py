"""Invariance tests, which run a tagger on texts and perturbed copies and find changed answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...catalogues.core.messages import MessageFunction, say_nothing
from ...catalogues.core.output_folder import claim_folder
from ...generator.perturbing import find_avoided_sentences
from ...generator.perturbing.edits import SpanMap
from ...generator.perturbing.options import PerturbOptions
from ...harness.running.folder.runs import Run
from ...harness.running.run import resolve_tagger
from ...harness.running.run import run as run_tagger
from ...harness.running.tagger import Tagger
from ...harness.scoring.classes import ALL, Class, check_class_names
from ...harness.scoring.division import parse_by_option
from ...harness.scoring.engine import score
from ...harness.scoring.invariance import (
    CHANGE_KINDS,
    VERDICT_CHANGES,
    Change,
    build_rates_table,
    find_changes,
    find_class_texts,
    group_texts,
)
from ...harness.scoring.notions import STRICT
from ...harness.scoring.options import ClassOptions, ScoringOptions
from ...harness.scoring.signature import make_signature
from ...sentences.corpus import Corpus
from ...sentences.formats.registry import parse_spec, read_corpus, write_corpus
from ...sentences.neutral import note_named_sentences
from .copies import PerturbedCopy, RunAnswers, make_subjects, sample_texts, strip_corpus
from .folder import (
    CHANGE_COLUMNS,
    FOLDER_KIND,
    ORIGINAL_FOLDER,
    RATE_COLUMNS,
    TEXTS_FOLDER,
    InvarianceResult,
    prepare_folder,
    save_result,
)

Flags = NDArray[np.bool_]
EMPTY_RATES = pd.DataFrame(
    [
        {
            "variant": "",
            "class": ALL,
            "interval": "",
            "cases": 0,
            "changed": 0,
            **dict.fromkeys(CHANGE_KINDS, 0),
        }
    ]
)
"""Table of rates for a perturbation that applies to no text; its only row contains zeros."""


def run_invariance(
    source: str,
    tagger: str | os.PathLike[str] | Tagger | Callable[..., Any],
    out: str | os.PathLike[str],
    perturbing: PerturbOptions,
    scoring: ScoringOptions,
    asked: ClassOptions,
    *,
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    force: bool = False,
    renew: bool = True,
    cache: bool = True,
    say: MessageFunction = say_nothing,
) -> InvarianceResult:
    """Run a tagger on texts and on perturbed copies, and count the cases in which its answer changes.

    A gold standard is not needed. If there is one, its mentions are perturbed, and changes for the better and
    for the worse are counted; otherwise, the mentions that the tagger found are perturbed.

    Parameters
    ----------
    source : str
        A suite folder, or ``FORMAT:PATH``.
    tagger : str or path or Tagger or callable
    out : path
        Output folder for the runs (``original``, and one per perturbation), the perturbed texts
        (``texts/NAME.jsonl``) and the results. When the call is repeated, finished runs are reused.
    perturbing : PerturbOptions
    scoring : ScoringOptions
        Options that set how types are compared, the word lists for features, and the confidence level.
    asked : ClassOptions
        Queries that define classes, and features that define one class per value.
    options : mapping, optional
        Values of the options in the specification.
    jobs : int
        Number of tagger processes that run in parallel.
    force : bool
        Whether to replace another invariance test in `out`.
    renew : bool
        Whether `force` also repeats a finished test with the same settings.
    cache : bool
        Whether to reuse results of the same run from another folder.
    say : callable
        Function called with each progress message.

    Raises
    ------
    InputError
        If the input, specification or folder is invalid, or the folder contains results with another seed,
        sample or input.
    """
    classes, by = asked.class_list, asked.by
    # errors in classes are reported before anything is run
    check_class_names(classes)
    for each in by:
        parse_by_option(each)
    ready = resolve_tagger(tagger, options)
    folder = Path(out)
    corpus = read_corpus(source)
    place = source
    if perturbing.sample and perturbing.sample < len(corpus.texts):
        corpus = sample_texts(corpus, perturbing.sample, perturbing.seed)
        place = ""
    drawn = {name: getattr(perturbing, name) for name in ("seed", "sample", "swap_types")}
    inputs = [parse_spec(source)[1], *ready.files]
    with claim_folder(folder, FOLDER_KIND, force=force and renew, inputs=inputs):
        prepare_folder(folder, {"input": source, **drawn}, force=force, inputs=inputs)

        def run(name: str, over: Corpus, at: str = "") -> Run:
            place = at or _write_texts(over, folder, name)
            return run_tagger(place, ready, folder / name, jobs=jobs, force=force, renew=renew, cache=cache)

        original = run(ORIGINAL_FOLDER, corpus, place)
        found = _Comparison(corpus, original, perturbing, scoring)
        tables, lists, failed = [], [], original.failed
        notes = [*found.notes]
        for name in perturbing.perturb:
            copy = PerturbedCopy.from_corpus(name, corpus, found.subjects, found.usable, perturbing.seed)
            size = len(copy.rows)
            notes.append(f"{name}: applies to {size:,} of {len(corpus.texts):,} texts")
            say(notes[-1])
            if not size:
                turned = dict.fromkeys(VERDICT_CHANGES if found.has_gold else (), 0)
                tables.append(found.label_rates(EMPTY_RATES.assign(**turned), name, {}))
                continue
            done = run(name, copy.corpus)
            failed += done.failed
            table, listed = found.compare(name, copy, done, classes, by)
            tables.append(table)
            lists.append(listed)
        table = pd.concat(tables, ignore_index=True).reindex(columns=list(RATE_COLUMNS))
        result = InvarianceResult(
            table.astype(dict.fromkeys(VERDICT_CHANGES, "Int64")),
            pd.concat(lists, ignore_index=True) if lists else pd.DataFrame(columns=list(CHANGE_COLUMNS)),
            tuple(notes),
            failed,
        )
        save_result(result, folder)
        return result


class _Comparison:
    """Original texts and the tagger's answers to them, as the baseline for answers to perturbed copies."""

    def __init__(self, corpus: Corpus, run: Run, perturbing: PerturbOptions, scoring: ScoringOptions) -> None:
        self.corpus, self.run, self.perturbing, self.scoring = corpus, run, perturbing, scoring
        self.answers = RunAnswers.from_run(run, scoring)
        self.has_gold = bool(len(corpus.gold))
        self.named = corpus.gold if self.has_gold else run.predictions
        over = corpus if self.has_gold else run.make_predicted_corpus(corpus)
        self.subjects = make_subjects(over, self.named.reset_index(drop=True), perturbing.swap_types)
        ids = corpus.texts["text_id"].tolist()
        self.usable = np.array(
            [i for i, text_id in enumerate(ids) if text_id not in self.answers.failed], dtype=np.int64
        )
        self.groups = group_texts(corpus, self.named.reset_index(drop=True))
        self.right = _find_correct_texts(corpus, run, scoring) if self.has_gold else None
        self.notes = self._notes()

    def _notes(self) -> list[str]:
        whose = "gold mentions" if self.has_gold else "mentions that the tagger found (no gold standard)"
        notes = [f"mentions used for perturbations and classes: {whose}"]
        left = len(self.corpus.texts) - len(self.usable)
        if left:
            notes.append(f"texts not perturbed, because the tagger did not answer the original: {left:,}")
        if "name" in self.perturbing.perturb and not any(
            m.can_swap for s in self.subjects for m in s.mentions
        ):
            kinds = ", ".join(sorted(self.named["type"].dropna().astype(str).unique())) or "no mentions"
            notes.append(f"name: no mention is a gene or protein (types: {kinds}); see --swap-type")
        if "sentence" in self.perturbing.perturb and (avoided := find_avoided_sentences(self.subjects)):
            notes.append(f"sentence: {note_named_sentences(avoided)}")
        return notes

    def compare(
        self, name: str, copy: PerturbedCopy, run: Run, classes: Sequence[Class], by: Sequence[str]
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the failure rates for one perturbation, and a table of all changes."""
        after = RunAnswers.from_run(run, self.scoring)
        texts = self.corpus.texts["text"]
        flags: list[dict[str, object]] = []
        listed: list[dict[str, object]] = []
        appeared: list[tuple[object, int, int, str]] = []
        for text_id, row, one in zip(
            copy.corpus.texts["text_id"].tolist(), copy.rows, copy.perturbed, strict=True
        ):
            carrying = SpanMap(one.edits)
            found = [Change("failed", None, None)]
            if text_id not in after.failed:
                before = self.answers.get_answer(text_id, carrying.map_edges)
                found = find_changes(before, after.get_answer(text_id, carrying.map_edges_after))
            kinds = {c.kind for c in found}
            changed = {"changed": bool(kinds), **{kind: kind in kinds for kind in CHANGE_KINDS}}
            flags.append({"row": row, "variant": one.variant, **changed})
            for change in found:
                shown = _describe_change(change, texts[row], one.text, self.answers.mentions, after.mentions)
                of_case = {"perturbation": name, "variant": one.variant, "text_id": text_id}
                listed.append({**of_case, "kind": change.kind, **shown})
                if change.kind == "appeared" and change.after is not None:
                    mention = after.mentions.iloc[change.after.row]
                    place = carrying.map_back(int(mention["start"]), int(mention["end"]))
                    if place is not None:
                        appeared.append((text_id, *place, str(mention["type"])))
        cases = pd.DataFrame(flags)
        if self.right is not None:
            now = _find_correct_texts(copy.corpus, run, self.scoring)
            was = self.right[copy.rows]
            cases["right_to_wrong"] = cases["changed"] & was & ~now
            cases["wrong_to_right"] = cases["changed"] & ~was & now
        named = self.named if self.has_gold else _add_mentions(self.named, appeared)
        inside = dict(find_class_texts(self.corpus, named, classes, by, self.scoring))
        table = build_rates_table(cases, inside, self.groups, self.scoring.confidence)
        queries = {c.name: str(c.query) for c in classes}
        frame = pd.DataFrame(listed, columns=list(CHANGE_COLUMNS)).astype("str")
        return self.label_rates(table, name, queries), frame

    def label_rates(self, table: pd.DataFrame, name: str, queries: Mapping[str, str]) -> pd.DataFrame:
        parts = {"perturbation": name, "seed": str(self.perturbing.seed)}
        if self.perturbing.sample:
            parts["sample"] = str(self.perturbing.sample)
        if self.perturbing.swap_types:
            parts["swap_types"] = ",".join(self.perturbing.swap_types)
        scored = self.scoring.signature_parts(STRICT.name)
        parts |= {"types": scored["types"]} if "types" in scored else {}
        gold, tagger = self.run.gold_part, self.run.tagger_part
        signatures = [
            make_signature(corpus=gold, tagger=tagger, query=queries.get(c, ""), **parts)
            for c in table["class"]
        ]
        return table.assign(
            tagger=self.run.tagger,
            corpus=self.corpus.name,
            perturbation=name,
            texts=len(self.corpus.texts),
            signature=signatures,
        )


def _describe_change(
    change: Change, text: str, perturbed: str, before: pd.DataFrame, after: pd.DataFrame
) -> dict[str, str]:
    """Return the surface forms and types of a mention before and after a change, and both texts."""
    shown = {"before": "", "after": "", "type_before": "", "type_after": ""}
    shown |= {"text": text, "perturbed": perturbed}
    for side, answered, frame, where in (
        ("before", change.before, before, text),
        ("after", change.after, after, perturbed),
    ):
        if answered is not None:
            mention = frame.iloc[answered.row]
            shown[side] = where[int(mention["start"]) : int(mention["end"])]
            shown[f"type_{side}"] = str(mention["type"])
    return shown


def _add_mentions(mentions: pd.DataFrame, appeared: Sequence[tuple[object, int, int, str]]) -> pd.DataFrame:
    """Append predicted mentions that appeared only in perturbed copies to a table of mentions."""
    if not appeared:
        return mentions
    more = pd.DataFrame(appeared, columns=["text_id", "start", "end", "type"])
    first = int(mentions["mention_id"].max()) + 1 if len(mentions) else 0
    more = more.assign(mention_id=np.arange(first, first + len(more)), side="predicted", score=np.nan).astype(
        {"text_id": mentions["text_id"].dtype, "type": "str"}
    )
    return pd.concat([mentions[list(more.columns)].astype({"type": "str"}), more], ignore_index=True)


def _find_correct_texts(corpus: Corpus, run: Run, scoring: ScoringOptions) -> Flags:
    """Return a boolean array that is True for texts in which the tagger found exactly the gold mentions."""
    counting = replace(scoring, notions=(STRICT.name,))
    if corpus.alternatives is None:
        counting = replace(counting, alternatives="none")
    scores = score(corpus, run.make_predicted_corpus(corpus), counting)
    is_correct = np.ones(len(corpus.texts), dtype=bool)
    for side, rows in (("gold", scores.gold_row), ("predicted", scores.predicted_row)):
        is_correct[rows[~scores.get_tally(STRICT.name).get_right_mask(side)]] = False
    return is_correct


def _write_texts(corpus: Corpus, folder: Path, name: str) -> str:
    """Write texts to a JSONL file in the folder of the test, and return its ``FORMAT:PATH``."""
    path = folder / TEXTS_FOLDER / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    place = f"jsonl:{path}"
    write_corpus(strip_corpus(corpus), place)
    return place
