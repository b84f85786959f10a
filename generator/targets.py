"""Target distributions: the shares of strata given by hand, or as a corpus has them."""

from __future__ import annotations

from collections.abc import Sequence

from ..catalogues.core.errors import InputError
from ..catalogues.taxonomy import taxonomy
from ..sentences.annotate import annotate
from ..sentences.formats.registry import read_corpus
from .combine.strata import Strata
from .recipe import PartRecipe
from .values import value_codes

UNIFORM, PROPORTIONAL = ("", "uniform"), "proportional"


def strata_of(recipe: PartRecipe) -> Strata | None:
    """How a sample is shared out; None when it is not.

    Raises
    ------
    InputError
        When a target is given without features to share out by.
    """
    if not recipe.stratify:
        if recipe.target not in ("", PROPORTIONAL) or recipe.shares:
            raise InputError("a target needs features", found=recipe.target, allowed="--stratify FEATURE")
        return None
    if recipe.shares:
        return Strata.by(recipe.stratify, {tuple(s.values): s.weight for s in recipe.shares})
    if recipe.target in UNIFORM:
        return Strata.by(recipe.stratify)
    if recipe.target == PROPORTIONAL:
        return None
    return Strata.by(recipe.stratify, corpus_shares(recipe.target, recipe.stratify))


def corpus_shares(spec: str, names: Sequence[str]) -> dict[tuple[str, ...], float]:
    """How often each combination of values occurs among a corpus's gold mentions."""
    features = [taxonomy().find(n, ("entity", "context", "slot")) for n in names]
    corpus = read_corpus(spec)
    gold = corpus.mentions[corpus.mentions["side"] == "gold"]
    frame = annotate(corpus, gold, [f.column for f in features])
    columns = []
    for feature in features:
        codes, values = value_codes(frame, feature)
        columns.append([values[c] for c in codes.tolist()])
    found: dict[tuple[str, ...], float] = {}
    for key in zip(*columns, strict=True):
        found[key] = found.get(key, 0.0) + 1.0
    if not found:
        raise InputError("the corpus has no mentions to take shares from", found=spec)
    return found
