"""Suites that test a suspicion, which is a query for cases on which a tagger may fail.

The names that the query selects are called *selected names*, and they are compared with *other names*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ...catalogues.core.errors import InputError
from ...catalogues.entities import read_entities
from ...catalogues.feature import Feature
from ...catalogues.query import Query
from ...catalogues.query.nodes import And
from ...catalogues.taxonomy import taxonomy
from ...catalogues.value_codes import encode_combinations
from ...generator.case_limits import SCOPES, Share
from ...generator.combination_space import make_space
from ...generator.combine.product import count_product
from ...generator.material import Part
from ...generator.part_options import PartOptions
from ...generator.part_plans import restrict_to_attested
from ...generator.recipe import SuiteOptions, SuiteRecipe
from ...generator.suite_plan import plan_suite_parts

NAMED_CONTEXTS = "context.type = tp"
SINGLE_CONTEXTS = f"{NAMED_CONTEXTS} and total_number_of_names = 1"
"""Query of contexts with one name, so that other names in the sentence do not affect the comparison."""
MATCHED_FEATURES = ("name_vs_symbol", "case")
"""Features by which selected and other names are matched, if there are enough names."""
MIN_NAMES = 5
"""Minimum number of selected names, and of other names, per combination of feature values."""
MIN_COVERED = 0.8
"""Minimum share of selected names whose feature values must also occur among other names."""


@dataclass(frozen=True)
class Suspicion:
    """Suspicion that a tagger fails on the cases that a query selects.

    Attributes
    ----------
    query : str
    about_names, about_sentences : str
        Conditions of the query on names, and on sentences and slots; empty if there are none.
    """

    query: str
    about_names: str
    about_sentences: str

    @classmethod
    def from_query(cls, text: str) -> Suspicion:
        """Create a suspicion from a query.

        Raises
        ------
        InputError
            If the query is invalid or selects everything, or conditions on names and on sentences are not
            joined by ``and``.
        """
        query = Query.parse(text, SCOPES)
        if query.selects_everything:
            raise InputError(
                "the suspicion must not select everything",
                found=text,
                allowed="a query that selects some names, such as 'contains_hyphen'",
            )
        terms = query.node.terms if isinstance(query.node, And) else (query.node,)
        names: list[str] = []
        sentences: list[str] = []
        for term in terms:
            scopes = {f.scope for f in Query(term).features}
            if "entity" in scopes and len(scopes) > 1:
                raise InputError(
                    "conditions on names and on sentences must be joined by `and`; for alternatives, give "
                    "several suspicions",
                    found=str(term),
                )
            (names if scopes == {"entity"} else sentences).append(str(term))
        return cls(str(query), _join_with_and(*names), _join_with_and(*sentences))

    def make_parts(self, size: int) -> list[PartOptions]:
        """Return the parts of a suite with `size` cases that the query selects and `size` other cases.

        The other cases have other names of the same kinds in the same sentences, or the same names in other
        sentences.

        Raises
        ------
        InputError
            If the query selects nothing or everything.
        """
        entities = self.about_names or "all"
        base = self._choose_contexts()
        contexts = _join_with_and(base, self.about_sentences)
        parts = [_make_part("suspected", entities, contexts, size)]
        number = bool(self.about_names) + bool(self.about_sentences)
        if self.about_names:
            strata, shares = self._match_names()
            parts.append(
                _make_part("other names", f"not ({entities})", contexts, size // number, strata, shares)
            )
        if self.about_sentences:
            others = _join_with_and(base, f"not ({self.about_sentences})")
            parts.append(_make_part("other sentences", entities, others, size // number))
        return [_limit_size(part) for part in parts]

    def _choose_contexts(self) -> str:
        """Return a query for contexts with one name or, if the suspicion excludes these, more names."""
        problem: InputError | None = None
        for base in (SINGLE_CONTEXTS, NAMED_CONTEXTS):
            contexts = _join_with_and(base, self.about_sentences)
            part = _make_part("suspected", self.about_names or "all", contexts, 1)
            try:
                plan_suite_parts(SuiteRecipe((part,), SuiteOptions()))
            except InputError as error:
                problem = error
            else:
                return base
        raise InputError(
            f"the suspicion selects nothing, so that no suite can be made: {problem and problem.problem}",
            found=self.query,
            allowed="a query that selects names of the catalogue, or sentences with a name",
        )

    def _match_names(self) -> tuple[tuple[str, ...], tuple[Share, ...]]:
        """Return the features by which selected and other names are matched, and the shares of their values.

        Features are omitted if too few names can be matched by them.
        """
        frame = read_entities()
        selected = np.asarray(Query.parse(self.about_names, ("entity",)).evaluate(frame))
        if selected.all():
            raise InputError(
                "the suspicion selects all names and leaves no other names to compare them with",
                found=self.query,
                allowed="a query that selects some names",
            )
        features = [taxonomy().find(name, ("entity",)) for name in MATCHED_FEATURES]
        for count in range(len(features), 0, -1):
            shares = _count_common_shares(frame, selected, features[:count])
            if shares:
                return MATCHED_FEATURES[:count], shares
        return (), ()


def _count_common_shares(
    frame: pd.DataFrame, selected: np.ndarray[tuple[int], np.dtype[np.bool_]], features: Sequence[Feature]
) -> tuple[Share, ...]:
    """Return value combinations that occur in selected and other names, with counts of selected names.

    The result is empty if too few selected names can be matched with other names.
    """
    codes, values = encode_combinations(frame, features)
    inside, outside = (np.bincount(codes[mask], minlength=len(values)) for mask in (selected, ~selected))
    common = (inside >= MIN_NAMES) & (outside >= MIN_NAMES)
    if inside[common].sum() < MIN_COVERED * inside.sum():
        return ()
    return tuple(Share(values[i], float(inside[i])) for i in np.flatnonzero(common))


def _limit_size(part: PartOptions) -> PartOptions:
    """Limit the size of a suite part to the number of possible combinations of names and slots."""
    plan = plan_suite_parts(SuiteRecipe((replace(part, size=1),), SuiteOptions()))
    space = restrict_to_attested(part, make_space(Part(plan.material, part)))
    return replace(part, size=min(part.size or 0, count_product(space, full=False)))


def _make_part(
    name: str,
    entities: str,
    contexts: str,
    size: int,
    stratify: tuple[str, ...] = (),
    shares: tuple[Share, ...] = (),
) -> PartOptions:
    return PartOptions(
        name=name,
        entities=str(Query.parse(entities, SCOPES)),
        contexts=str(Query.parse(contexts, SCOPES)),
        combine="sample",
        size=size,
        stratify=stratify,
        shares=shares,
    )


def _join_with_and(*queries: str) -> str:
    return " and ".join(f"({query})" for query in queries if query)
