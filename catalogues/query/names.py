"""Which feature a name in a query means."""

from __future__ import annotations

from dataclasses import dataclass

from ..taxonomy import SCOPES, Feature, Taxonomy
from .nodes import Named


@dataclass(frozen=True)
class Names:
    """The features that a query may name, and how.

    A name without prefix means the only feature of that name in `scopes`. Where there are several, a
    mention's or slot's comes first (`type` is the mention's, `position` the slot's); any other double name
    needs its prefix.

    Attributes
    ----------
    taxonomy : Taxonomy
        All features.
    scopes : tuple of str
        Those of entity, context, slot, mention that may be named.
    """

    taxonomy: Taxonomy
    scopes: tuple[str, ...]

    def __post_init__(self) -> None:
        wrong = [s for s in self.scopes if s not in SCOPES]
        if wrong:
            raise ValueError(f"no such scope: {wrong[0]!r}; allowed: {', '.join(SCOPES)}")

    def lookup(self, text: str) -> list[Feature]:
        """The features that `text` may mean: none, one, or several that need a prefix."""
        return _prefer(self.taxonomy.meant(text, self.scopes))

    def named(self, feature: Feature) -> Named:
        """The shortest text that means `feature` when features of every scope may be named."""
        alone = _prefer(self.taxonomy.meant(feature.name)) == [feature]
        return Named(feature, feature.name if alone else feature.path)


def _prefer(found: list[Feature]) -> list[Feature]:
    return found[:1] if found and found[0].scope in ("mention", "slot") else found
