"""Write docs/reference/features.md, the page of all features, from the taxonomy; `make docs` runs it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from tagsuite.catalogues.entity_queries import format_needs
from tagsuite.catalogues.feature import Feature, FeatureExample, FeatureValue
from tagsuite.catalogues.taxonomy import taxonomy

PAGE = Path(__file__).parent / "reference" / "features.md"

HEAD = """# Features

`make docs` writes this page from the taxonomy (`catalogues/features.xml`).
`tagsuite catalogue features NAME` also prints the section of Cohen et al. (2004) from which a feature
comes. [Feature accuracy](../development/features-accuracy.md) compares computed features with human
judgement.

Features are computed from the surface form of a name (here called *form*) or from its sentence. Some also
need the gold mentions of the text; others come from catalogue entries and are absent in a corpus. A code in
parentheses can be used instead of the value before it.

A *fault* is an error in a tagger that the feature can reveal; if several features reveal the same fault, only
the first one states it. In examples, ⟨ ⟩ enclose mentions.
"""

TITLES = {
    "entity": "Entities (`entity.`)",
    "context": "Contexts (`context.`)",
    "slot": "Slots (`slot.`)",
    "mention": "Mentions (`mention.`)",
}
NEEDS = {"text": "", "mentions": "; needs gold mentions", "catalogue": "; only in catalogues"}
MAX_EXAMPLES = 1
MAX_SHORT_VALUE = 9


def features_page() -> str:
    """Return the page as Markdown."""
    parts = [HEAD]
    first_uses: dict[object, str] = {}
    for scope, title in TITLES.items():
        parts.append(f"## {title}\n")
        for _, group in groupby(taxonomy().select_scopes(scope), key=_family):
            features = list(group)
            parts.append(
                _section(features[0], first_uses) if len(features) == 1 else _table(features, first_uses)
            )
    return "\n".join(parts).rstrip() + "\n"


def _family(feature: Feature) -> object:
    """Return a key that neighbouring features share if they differ only in what they look for."""
    if any(v.definition for v in feature.values):
        return feature.qualified_name
    return feature.kind, feature.bins, format_needs(feature)


def _section(feature: Feature, first_uses: dict[object, str]) -> str:
    """Return the section of one feature."""
    definition = f"*{_properties(feature)}.* {_text(feature.definition)}"
    parts = [f"### {feature.qualified_name}", definition, _values(feature, first_uses)]
    fault = _fault(feature, first_uses)
    parts.append(fault and f"*Fault*: {fault}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _values(feature: Feature, first_uses: dict[object, str]) -> str:
    """Return the values of a feature with their definitions, or the feature that has the same values."""
    values = []
    for first, group in groupby(feature.values, lambda v: first_uses.setdefault(v, feature.qualified_name)):
        shared = list(group)
        if first == feature.qualified_name:
            values += [_name(v) + ": " * bool(v.definition) + _text(v.definition) for v in shared]
        elif len(shared) == len(feature.values) == len(taxonomy().find(first).values):
            return f"Same values as `{first}`."
        else:
            values.append(f"{', '.join(map(_name, shared))}: see `{first}`")
    are_short = len(values) == 1 or all(len(v.split()) <= MAX_SHORT_VALUE for v in values)
    return (
        "*Values*: " * bool(values) + "; ".join(values) if are_short else "\n".join(f"* {v}" for v in values)
    )


def _table(features: Sequence[Feature], first_uses: dict[object, str]) -> str:
    """Return the section of a family, a table with one row per feature."""
    columns = {
        "feature": [f"`{f.name}`" for f in features],
        "definition": [_text(f.definition) for f in features],
        "fault": [_fault(f, first_uses) for f in features],
        "examples": [_examples(f) for f in features],
    }
    used = {name: cells for name, cells in columns.items() if any(cells)}
    rows = [list(used), ["---"] * len(used), *zip(*used.values(), strict=True)]
    title = f"### {features[0].qualified_name} to {features[-1].name}\n\n*{_properties(features[0])}.*\n\n"
    return title + "".join("|" + "|".join(c.replace("|", "\\|") for c in row) + "|\n" for row in rows)


def _properties(feature: Feature) -> str:
    """Return the kind, bins and needs of a feature."""
    names = [f"{b.name[:-1]} or more" if b.name.endswith("-") else b.name for b in feature.bins]
    bins = f", binned as {', '.join(names)}" * bool(names)
    return f"{feature.kind.capitalize()}{bins}{NEEDS[format_needs(feature)]}"


def _name(value: FeatureValue) -> str:
    """Return the name of a value with its code."""
    return f"`{value.name}`" + (f" ({value.code})" if value.code not in ("", value.name) else "")


def _fault(feature: Feature, first_uses: dict[object, str]) -> str:
    """Return the fault model of a feature, or "" if an earlier feature has the same."""
    first = first_uses.setdefault(feature.fault_model, feature.qualified_name)
    return _text(feature.fault_model) if first == feature.qualified_name else ""


def _examples(feature: Feature) -> str:
    """Return one example for each of the first values."""
    by_value: dict[str, FeatureExample] = {}
    for example in feature.examples:
        by_value.setdefault(example.value, example)
    return "; ".join(f"{_marked(e)}: {_result(e)}" for e in list(by_value.values())[:MAX_EXAMPLES])


def _marked(example: FeatureExample) -> str:
    """Return the text of an example with its mentions in brackets."""
    text, end = "", 0
    for start, stop in example.spans:
        text += f"{example.text[end:start]}⟨{example.text[start:stop]}⟩"
        end = stop
    return f"`{text}{example.text[end:]}`"


def _result(example: FeatureExample) -> str:
    place = f" (mention {example.slot + 1})" if example.slot else ""
    return (f"`{example.value}`" if example.value else "absent") + place


def _text(text: str) -> str:
    """Return text in which Markdown shows tags such as <sub> as they are."""
    return html.escape(text, quote=False)


if __name__ == "__main__":
    PAGE.write_text(features_page(), encoding="utf-8", newline="\n")
