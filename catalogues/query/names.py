"""Which feature a name in a query means."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable
from functools import cached_property

from ..taxonomy import LIST_PREFIX, SCOPES, Feature
from .nodes import Named


class Names:
    """The features that a query may name, and how.

    A name without prefix means the only feature of that name in `scopes`. Where there are several, a
    mention's or slot's comes first (`type` is the mention's, `position` the slot's); any other double name
    needs its prefix.

    Parameters
    ----------
    features : iterable of Feature
        The whole taxonomy.
    scopes : iterable of str
        Those of entity, context, slot, mention that may be named.
    """

    def __init__(self, features: Iterable[Feature], scopes: Iterable[str]) -> None:
        self.features = tuple(features)
        self.scopes = tuple(scopes)
        wrong = [s for s in self.scopes if s not in SCOPES]
        if wrong:
            raise ValueError(f"no such scope: {wrong[0]!r}; allowed: {', '.join(SCOPES)}")

    @cached_property
    def _by_name(self) -> dict[str, list[Feature]]:
        found: dict[str, list[Feature]] = {}
        for feature in self.features:
            found.setdefault(feature.name, []).append(feature)
        return found

    def lookup(self, text: str) -> list[Feature]:
        """The features that `text` may mean: none, one, or several that need a prefix."""
        scope, bare = _split(text)
        scopes = self.scopes if scope is None else tuple(s for s in self.scopes if s == scope)
        return _prefer([f for f in self._named(bare) if f.scope in scopes])

    def named(self, feature: Feature) -> Named:
        """The shortest text that means `feature` when features of every scope may be named."""
        alone = _prefer(self._named(feature.name))
        bare = len(alone) == 1 and alone[0] == feature
        return Named(feature, feature.name if bare else f"{feature.scope}.{feature.name}")

    def elsewhere(self, text: str) -> list[Feature]:
        """Features that `text` would mean if every scope were allowed."""
        scope, bare = _split(text)
        return [f for f in self._named(bare) if scope in (None, f.scope)]

    def nearest(self, text: str) -> list[str]:
        """Names in the allowed scopes that look like `text`, the nearest first."""
        scope, bare = _split(text)
        inside = [f for f in self.features if f.scope in self.scopes and scope in (None, f.scope)]
        prefix = "" if scope is None else f"{scope}."
        known = {f.name.casefold(): prefix + f.name for f in inside}
        close = difflib.get_close_matches(bare.casefold(), list(known), n=4, cutoff=0.55)
        # names are long: the part that was typed may be all that is missing
        parts = [k for k in known if len(bare) >= 3 and bare.casefold() in k and k not in close]
        # the right name under the wrong prefix
        moved = [f"{f.scope}.{f.name}" for f in self._named(bare) if scope and f.scope in self.scopes]
        return [*moved, *(known[k] for k in [*close, *parts])][:6]

    def _named(self, bare: str) -> list[Feature]:
        found = self._by_name.get(bare)
        if found is not None:
            return found
        if bare.startswith(LIST_PREFIX) and re.fullmatch(r"[\w-]+", bare[len(LIST_PREFIX) :]):
            return [
                dataclasses.replace(template, name=bare)
                for name in (f"{LIST_PREFIX}NAME", LIST_PREFIX, "in_list")
                for template in self._by_name.get(name, ())
            ]
        return []


def _split(text: str) -> tuple[str | None, str]:
    head, dot, tail = text.partition(".")
    return (head, tail) if dot and head in SCOPES else (None, text)


def _prefer(found: list[Feature]) -> list[Feature]:
    for scope in ("mention", "slot"):
        first = [f for f in found if f.scope == scope]
        if len(found) > 1 and len(first) == 1:
            return first
    return found
