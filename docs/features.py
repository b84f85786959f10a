"""Write docs/reference/features.md, the page of all features, from the taxonomy; `make docs` runs it."""

from __future__ import annotations

from pathlib import Path

from tagsuite.catalogues.entity_queries import format_legal_values, format_needs
from tagsuite.catalogues.taxonomy import Feature, FeatureExample, taxonomy

PAGE = Path(__file__).parent / "reference" / "features.md"

HEAD = """# Features

Every feature of the taxonomy (`catalogues/features.xml`), as queries, tables and catalogues name it. This
page is written by `make docs`; change the XML, not the page.
[Feature accuracy](../development/features-accuracy.md)
says how well the computed features agree with human judgement.

*Needs*: **text** features are computed from the text and the span alone, **mentions** features from the gold
mentions of the same text as well; **catalogue** features come from a catalogue entry and are absent in a
corpus. Codes in brackets are accepted wherever the value is, and used in plain-text records. Examples are
tested. In examples of contexts and slots the mentions stand in ⟨ ⟩.

Cohen et al. 2004 is: K. B. Cohen, L. Tanabe, S. Kinoshita and L. Hunter, *A resource for constructing
customized test suites for molecular biology entity identification systems*.
"""

TITLES = {
    "entity": "Entities (`entity.`)",
    "context": "Contexts (`context.`)",
    "slot": "Slots (`slot.`)",
    "mention": "Mentions (`mention.`)",
}


def features_page() -> str:
    """The whole page as Markdown."""
    parts = [HEAD]
    for scope, title in TITLES.items():
        features = taxonomy().select_scopes(scope)
        parts.append(f"## {title}\n")
        parts.append("| feature | kind | needs | values or bins |\n| --- | --- | --- | --- |")
        parts.extend(
            f"| [`{f.name}`](#{anchor(f)}) | {f.kind} | {format_needs(f)} "
            f"| {_escaped(format_legal_values(f, ' · '))} |"
            for f in features
        )
        parts.extend(_section(f) for f in features)
    return "\n".join(parts).rstrip() + "\n"


def anchor(feature: Feature) -> str:
    """Where the feature's section is."""
    return feature.qualified_name.lower().replace(".", "")


def _section(feature: Feature) -> str:
    lines = [f"\n### {feature.qualified_name}\n", feature.definition + "\n"]
    if any(v.definition for v in feature.values):
        lines.extend(f"* `{v.name}`: {v.definition}" for v in feature.values if v.definition)
        lines.append("")
    if feature.fault_model:
        lines.append(f"*Fault model*: {feature.fault_model}\n")
    if feature.examples:
        shown = "; ".join(f"{_marked(e)} → {_result(e)}" for e in feature.examples)
        lines.append(f"*Examples*: {shown}\n")
    lines.append(f"*Source*: {feature.source}")
    return "\n".join(lines)


def _marked(example: FeatureExample) -> str:
    """The example with its mentions in brackets."""
    text, end = "", 0
    for start, stop in example.spans:
        text += f"{example.text[end:start]}⟨{example.text[start:stop]}⟩"
        end = stop
    return f"`{text}{example.text[end:]}`"


def _result(example: FeatureExample) -> str:
    place = f" (mention {example.slot + 1})" if example.slot else ""
    return (f"`{example.value}`" if example.value else "absent") + place


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(features_page(), encoding="utf-8", newline="\n")
