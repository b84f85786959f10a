"""Computation of context and slot features for the mentions of suites, corpora and tagger output."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..catalogues.core.arrays import concatenate_ranges
from ..catalogues.core.text import CharKind, Ints, find_runs
from ..catalogues.own_features import (
    add_query_columns,
    evaluate_text_rules,
    list_own_features,
    make_rule_column,
)
from . import look_alikes, mention_surroundings
from .annotated_texts import AnnotatedTexts, make_annotated_texts
from .contexts_xml import SLOT_MARK
from .lists import APPOSITIVE_SIDES, APPOSITIVES, LIST_POSITIONS, LIST_TYPES, place_stray_mentions
from .mention_surroundings import HAZARD_MARKS, POSITIONS, WORD_KINDS
from .spans import find_containing, locate_checked_spans

SLOT_COLUMNS = (
    "position",
    "list_type",
    "list_position",
    "appositive_side",
    "left_punctuation",
    "right_punctuation",
    "tokenisation_hazards",
    "preceding_word",
    "following_word",
    "following_word_is_keyword",
    "preceding_word_is_keyword",
    "preceding_word_is_species",
    "preceding_word_is_article",
    "preceding_word_is_adjective",
    "preceding_word_is_conjunction",
    "preceding_word_is_preposition",
)
"""Names of the slot feature columns, in the order of the taxonomy."""

CONTEXT_COLUMNS = (
    "context.type",
    "total_number_of_names",
    "context.position",
    "list_context",
    "appositive",
    "typographic_context",
    "sentence_words",
    "keyword",
    "typographic_features",
    "morphological_features",
)
"""Names of the computed context feature columns, in the order of the taxonomy."""


def list_context_columns() -> tuple[str, ...]:
    """Return the names of all computed context feature columns, including user-defined ones."""
    return (*CONTEXT_COLUMNS, *(f.column for f in list_own_features("context")))


MENTION_FEATURE_COLUMNS = ("carried_features",)
"""Names of feature columns of mentions that slots do not have."""

CARRIED_FEATURES = ("keyword", *look_alikes.TYPOGRAPHIC_FEATURES, *look_alikes.SUFFIXES)


EDGE_COLUMNS = ("left_punctuation", "right_punctuation")

TEXTS_PER_BLOCK = 4_000
"""Maximum number of texts processed at a time; it limits the memory needed for a large corpus."""


def compute_text_features(texts: pd.DataFrame, gold_mentions: pd.DataFrame) -> pd.DataFrame:
    """Return the context features of texts; each text counts as one sentence.

    Parameters
    ----------
    texts : DataFrame
        Texts, with columns `text_id` and `text`.
    gold_mentions : DataFrame
        Gold mentions, with columns `text_id`, `start` and `end`.

    Returns
    -------
    DataFrame
        One row per text, with the index of `texts`, and one column per context feature.
    """
    parts = [
        make_context_frame(make_annotated_texts(block["text"], r, s, e, split=False))
        for block, (r, s, e, _) in _split_blocks(texts, locate_checked_spans(texts, gold_mentions))
    ]
    return _concatenate(parts).set_axis(texts.index)


def compute_slot_features(
    texts: pd.DataFrame,
    mentions: pd.DataFrame,
    gold_mentions: pd.DataFrame,
    columns: Sequence[str] = SLOT_COLUMNS,
) -> pd.DataFrame:
    """Return features of mentions and of the text around them.

    Parameters
    ----------
    texts : DataFrame
        Texts, with columns `text_id` and `text`.
    mentions : DataFrame
        Gold or predicted mentions, with columns `text_id`, `start` and `end`.
    gold_mentions : DataFrame
        Gold mentions, with columns `text_id`, `start` and `end`. Lists and appositives are detected among
        these mentions.
    columns : sequence of str
        Names from SLOT_COLUMNS, MENTION_FEATURE_COLUMNS or CONTEXT_COLUMNS. The context features are those of
        the sentence that contains the mention.

    Returns
    -------
    DataFrame
        The requested columns, with the index of `mentions`.
    """
    parts: list[pd.DataFrame] = []
    order: list[Ints] = []
    described, names = locate_checked_spans(texts, mentions), locate_checked_spans(texts, gold_mentions)
    # skip texts without a mention to describe
    used = np.unique(described[0])
    in_used_text = np.isin(names[0], used)
    texts = texts.iloc[used]
    wanted, gold = (
        _split_blocks(texts, (np.searchsorted(used, rows), starts, ends))
        for rows, starts, ends in (described, tuple(column[in_used_text] for column in names))
    )
    for (block, (rows, starts, ends, _)), (_, (row, first, last, at)) in zip(gold, wanted, strict=True):
        scene = make_annotated_texts(block["text"], rows, starts, ends, split=True)
        base = scene.column.starts[row]
        parts.append(make_slot_frame(scene, base + first, base + last, columns))
        order.append(at)
    return _concatenate(parts).take(np.argsort(np.concatenate(order))).set_axis(mentions.index)


def make_slot_frame(scene: AnnotatedTexts, starts: Ints, ends: Ints, wanted: Sequence[str]) -> pd.DataFrame:
    """Return features of mentions, given their offsets in the concatenated texts (`scene.column`)."""
    column, zones = scene.column, scene.zones
    sentence = scene.sentences.index_at(starts)
    low, high = scene.sentences.starts[sentence], scene.sentences.ends[sentence]
    left = mention_surroundings.find_marks(column, starts - 1, low, high)
    right = mention_surroundings.find_marks(column, ends, low, high)
    zone = find_containing(*zones, starts)
    # a mention that begins before the gold mention that it overlaps
    later = np.searchsorted(zones[0], starts, side="left")
    ahead = (zone < 0) & (later < len(zones[0]))
    ahead &= np.append(zones[0], np.iinfo(np.int64).max)[later] < ends
    zone = np.where(ahead, later, zone)
    kind, place, side = _classify_lists(scene, starts, ends, sentence, zone)
    position = mention_surroundings.classify_positions(column, starts, ends, sentence, scene.sentences, zones)
    columns: dict[str, object] = {
        "position": _category(position, POSITIONS),
        "list_type": _category(kind, LIST_TYPES),
        "list_position": _category(place, LIST_POSITIONS),
        "appositive_side": _category(side, APPOSITIVE_SIDES),
        "left_punctuation": mention_surroundings.marks_to_text(left),
        "right_punctuation": mention_surroundings.marks_to_text(right),
        "tokenisation_hazards": make_set_column(mention_surroundings.find_hazards(left, right), HAZARD_MARKS),
    }
    before, after = mention_surroundings.find_neighbours(starts, ends, (low, high), zones, scene.words)
    text_before, kinds_before = _word_columns(scene, before, WORD_KINDS)
    text_after, kinds_after = _word_columns(scene, after, WORD_KINDS[:1])
    columns["preceding_word"], columns["following_word"] = text_before, text_after
    columns["following_word_is_keyword"] = kinds_after["keyword"]
    columns |= {f"preceding_word_is_{k}": kinds_before[k] for k in WORD_KINDS}
    if "carried_features" in wanted:
        bits = _shared_carried_bits(scene, starts, ends)
        columns["carried_features"] = make_set_column(bits, CARRIED_FEATURES)
    frame = pd.DataFrame(columns)
    context = set(wanted) & set(list_context_columns())
    if context:
        around = make_context_frame(scene, context).take(sentence).reset_index(drop=True)
        frame = pd.concat([frame, around], axis=1)
    return frame[list(wanted)]


def _shared_carried_bits(scene: AnnotatedTexts, starts: Ints, ends: Ints) -> Ints:
    """Return one bit set per span, with the name-like features of its tokens outside gold mentions."""
    tokens = scene.carriers
    shift = 1 + len(look_alikes.TYPOGRAPHIC_FEATURES)
    bits = (tokens.keywords != 0) + 2 * tokens.looks + (tokens.suffixes << shift)
    first = np.searchsorted(tokens.ends, starts, side="right")
    last = np.searchsorted(tokens.starts, ends, side="left")
    counts = np.maximum(last - first, 0)
    mention = np.repeat(np.arange(len(starts)), counts)
    return _unite_bits(mention, bits[concatenate_ranges(first, counts)], len(starts))


def make_context_frame(scene: AnnotatedTexts, wanted: Collection[str] = CONTEXT_COLUMNS) -> pd.DataFrame:
    """Return a table with the context features of each sentence."""
    if set(wanted) == {"sentence_words"}:
        return pd.DataFrame({"sentence_words": _word_counts(scene)})
    column, sentences = scene.column, scene.sentences
    size = len(sentences.starts)
    sentence = sentences.index_at(scene.gold_starts)
    names = np.bincount(sentence, minlength=size)
    low, high = sentences.starts[sentence], sentences.ends[sentence]
    position = mention_surroundings.classify_positions(
        column, scene.gold_starts, scene.gold_ends, sentence, sentences, scene.zones
    )
    left = mention_surroundings.find_marks(column, scene.gold_starts - 1, low, high) != 0
    right = mention_surroundings.find_marks(column, scene.gold_ends, low, high) != 0
    kind = np.zeros(size, dtype=np.int64)
    np.maximum.at(kind, scene.zone_sentences, scene.chains.list_type)
    appositive = np.zeros(size, dtype=np.int64)
    paired = np.flatnonzero(scene.chains.appositive)[::-1]
    appositive[scene.zone_sentences[paired]] = scene.chains.appositive[paired]
    tokens = scene.carriers
    token_sentence = sentences.index_at(tokens.starts)
    frame = pd.DataFrame(
        {
            "context.type": _category(np.where(names > 0, 0, 1), ("tp", "fp")),
            "total_number_of_names": names.astype(np.int32),
            "context.position": make_set_column(
                _unite_bits(sentence, np.left_shift(1, position.astype(np.int64)), size), POSITIONS
            ),
            "list_context": _category(kind, LIST_TYPES),
            "appositive": _category(appositive, APPOSITIVES),
            "typographic_context": make_set_column(
                _unite_bits(sentence, left + 2 * right.astype(np.int64), size),
                EDGE_COLUMNS,
            ),
            "sentence_words": _word_counts(scene),
            **_make_look_columns(
                *(
                    _unite_bits(token_sentence, bits, size)
                    for bits in (tokens.keywords, tokens.looks, tokens.suffixes)
                )
            ),
        }
    )
    own = [f for f in list_own_features("context") if not f.has_queries]
    templates = _make_templates(scene) if own else []
    for feature in own:
        frame[feature.column] = make_rule_column(feature, evaluate_text_rules(feature, templates))
    return add_query_columns(frame, "context")


def _make_templates(scene: AnnotatedTexts) -> list[str]:
    """Return each sentence with ``<>`` in place of each gold mention."""
    sentences, (zone_starts, zone_ends) = scene.sentences, scene.zones
    first = np.searchsorted(zone_starts, sentences.starts)
    last = np.searchsorted(zone_starts, sentences.ends)
    templates = []
    for low, high, begin, end in zip(sentences.starts, sentences.ends, first, last, strict=True):
        edges = [low, *np.ravel(np.column_stack((zone_starts[begin:end], zone_ends[begin:end]))), high]
        pieces = scene.column.cut_pieces(np.array(edges[::2]), np.array(edges[1::2]))
        templates.append(SLOT_MARK.join(pieces))
    return templates


def _make_look_columns(keywords: Ints, looks: Ints, suffixes: Ints) -> dict[str, pd.Categorical]:
    """Convert bit sets of keywords, typographic features and suffixes to categorical columns."""
    return {
        "keyword": make_set_column(keywords, look_alikes.keyword_bases()),
        "typographic_features": make_set_column(looks, look_alikes.TYPOGRAPHIC_FEATURES),
        "morphological_features": make_set_column(suffixes, look_alikes.SUFFIXES),
    }


def make_carrier_frame(texts: pd.DataFrame, gold_mentions: pd.DataFrame) -> pd.DataFrame:
    """Return the tokens outside gold mentions that look like names.

    Returns
    -------
    DataFrame
        One row per token, in text order, with columns `text_id`, `start`, `end`, `form`, `keyword`,
        `typographic_features` and `morphological_features`. Only tokens with a value in at least one of the
        last three columns are returned.
    """
    parts: list[pd.DataFrame] = []
    for block, (r, s, e, _) in _split_blocks(texts, locate_checked_spans(texts, gold_mentions)):
        scene = make_annotated_texts(block["text"], r, s, e, split=False)
        column = scene.column
        tokens = scene.carriers
        at = np.flatnonzero(tokens.looks | tokens.suffixes | tokens.keywords)
        first, last = tokens.starts[at], tokens.ends[at]
        row = column.rows[first]
        parts.append(
            pd.DataFrame(
                {
                    "text_id": block["text_id"].take(row).reset_index(drop=True),
                    "start": first - column.starts[row],
                    "end": last - column.starts[row],
                    "form": pd.Series(column.cut_pieces(first, last), dtype="str"),
                    **_make_look_columns(tokens.keywords[at], tokens.looks[at], tokens.suffixes[at]),
                }
            )
        )
    return _concatenate(parts)


def make_set_column(bits: Ints, names: Sequence[str]) -> pd.Categorical:
    """Convert bit sets to a categorical column.

    Each value contains the names of the bits in a set, joined by ``|``; an empty set becomes a missing value.
    """
    present, index = np.unique(bits, return_inverse=True)
    labels = ["|".join(n for i, n in enumerate(names) if value >> i & 1) for value in present.tolist()]
    categories = sorted(label for label in labels if label)
    code = {label: i for i, label in enumerate(categories)}
    codes = np.array([code.get(label, -1) for label in labels], dtype=np.int64)
    return pd.Categorical.from_codes(codes[index], categories=pd.Index(categories, dtype="str"))


def _category(codes: NDArray[np.int8] | Ints, names: tuple[str, ...]) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, categories=pd.Index(names, dtype="str"))


def _unite_bits(groups: Ints, bits: Ints, size: int) -> Ints:
    united = np.zeros(size, dtype=np.int64)
    np.bitwise_or.at(united, groups, bits)
    return united


def _word_counts(scene: AnnotatedTexts) -> NDArray[np.int32]:
    """Return the number of words (split at white space) per sentence; a gold mention counts as one word."""
    solid = ~scene.column.is_of_kind(CharKind.SPACE) | scene.is_covered
    opens, _ = find_runs(solid)
    counts = np.bincount(scene.sentences.index_at(opens), minlength=len(scene.sentences.starts))
    return counts.astype(np.int32)


def _classify_lists(
    scene: AnnotatedTexts, starts: Ints, ends: Ints, sentence: Ints, zone: Ints
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8]]:
    chains = scene.chains
    kind, place, side = (np.zeros(len(starts), dtype=np.int8) for _ in range(3))
    inside, free = np.flatnonzero(zone >= 0), np.flatnonzero(zone < 0)
    kind[inside], place[inside] = chains.list_type[zone[inside]], chains.list_position[zone[inside]]
    side[inside] = chains.side[zone[inside]]
    if len(free):
        zones = (*scene.zones, scene.zone_sentences)
        kind[free], place[free] = place_stray_mentions(
            scene.column, starts[free], ends[free], sentence[free], zones, chains
        )
    return kind, place, side


def _word_columns(
    scene: AnnotatedTexts, span: tuple[Ints, Ints], wanted: Sequence[str]
) -> tuple[pd.Series, dict[str, NDArray[np.bool_]]]:
    """Return the lower-cased word at each span, and one Boolean array per kind of word.

    For an empty span, the word is missing. Each array is True for the words of its kind.
    """
    pieces, index = scene.column.distinct_pieces(*span)
    lowered = [piece.lower() for piece in pieces]
    column = pd.Series([w or None for w in lowered], dtype="str").take(index).reset_index(drop=True)
    kinds = mention_surroundings.classify_words(lowered, wanted)
    return column, {name: flags[index] for name, flags in kinds.items()}


def _split_blocks(
    texts: pd.DataFrame, spans: tuple[Ints, Ints, Ints]
) -> Iterator[tuple[pd.DataFrame, tuple[Ints, Ints, Ints, Ints]]]:
    """Yield blocks of texts, each with its mentions.

    The mentions are given as four arrays: the row of the text in the block, the start, the end, and the index
    of the mention in `spans`.
    """
    rows, starts, ends = spans
    order = np.argsort(rows, kind="stable")
    sorted_rows = rows[order]
    # without texts, yield one empty block so that the columns get their types
    for low in range(0, max(len(texts), 1), TEXTS_PER_BLOCK):
        first, last = np.searchsorted(sorted_rows, [low, low + TEXTS_PER_BLOCK])
        at = order[first:last]
        yield texts.iloc[low : low + TEXTS_PER_BLOCK], (rows[at] - low, starts[at], ends[at], at)


def _concatenate(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate tables, merging and sorting the categories of categorical columns."""
    joined = pd.concat(parts, ignore_index=True)
    for name, dtype in parts[0].dtypes.items():
        # columns with different categories were converted to text
        if isinstance(dtype, pd.CategoricalDtype) and joined[name].dtype != dtype:
            pieces = [part[name] for part in parts]
            joined[name] = pd.api.types.union_categoricals(pieces, sort_categories=True)
    return joined
