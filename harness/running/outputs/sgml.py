"""Output with inline tags, or other marks such as ``<START:gene> p53 <END>``."""

from __future__ import annotations

import re

from ....catalogues.core.patterns import search_texts
from ....sentences.formats.inline import TAG, find_element_names, parse_inline
from ..outcomes import Fault
from ..specification_forms import join_mark_patterns
from .parse import TaggerOutput
from .place_texts import ENCODING_FAULT, TextRecord, add_hint, find_tag_names, place_texts, split_case_ids
from .placement import Placement


def read(printed: TaggerOutput) -> Placement:
    """Parse lines in which mentions are marked with tags or other marks."""
    form = printed.form
    names, text = split_case_ids(printed)
    if form.open:
        text = convert_marks(text, form.open, form.close)
    sent = "\n".join(printed.sent.texts)
    # tags in the texts that were sent are text
    parsed = parse_inline(text, form.tags, find_element_names(sent))
    records = [TextRecord(line, [number], names[number]) for number, line in enumerate(parsed.lines)]
    columns = (parsed.rows, parsed.starts, parsed.ends, parsed.type_codes)
    for row, start, end, kind in zip(*(column.tolist() for column in columns), strict=True):
        records[row].mentions.append((start, end, parsed.types[kind]))
    for row, problem in parsed.problems.items():
        records[row].fault = Fault("garbage", add_hint(problem, "output.tags, output.open"))
    for row in printed.undecodable_lines:
        records[row].fault = ENCODING_FAULT
    candidates = [record for record in records if "<" in record.text] if form.tags and not form.open else []
    tagged = [record for record in candidates if TAG.search(record.text)]
    sent_tags = find_tag_names(sent) if tagged else frozenset()
    for record in tagged:
        record.tagged_text, record.text = record.text, _remove_tags(record.text, sent_tags)
    return place_texts(printed, records)


def _remove_tags(text: str, sent_tags: frozenset[str]) -> str:
    """Return a text without its tags, except tags that the texts sent to the tagger contain."""
    return TAG.sub(lambda tag: tag[0] if tag[2] in sent_tags else "", text)


def convert_marks(text: str, open_: str, close: str) -> str:
    """Convert non-tag marks to tags, for example ``<START:gene> p53 <END>`` to ``<gene> p53 </gene>``.

    Parameters
    ----------
    text : str
    open_, close : str
        Regular expressions; the group ``type`` in `open_`, if any, gives the name of the tag.
    """
    pattern = join_mark_patterns(open_, close)
    groups = re.compile(pattern).groupindex
    opens, kind = groups["opens_"] - 1, groups.get("type", 0) - 1
    text_lines = text.split("\n")
    lines = []
    for line, matches in zip(text_lines, search_texts(pattern, text_lines, all_matches=True), strict=True):
        stack: list[str] = []
        at = 0
        parts: list[str] = []
        for match in matches:
            if match.groups[opens] is not None:
                stack.append((match.groups[kind] if kind >= 0 else None) or "mention")
                tag = f"<{stack[-1]}>"
            else:
                # a closing mark without an opening one stays unpaired and is reported by the parser
                tag = f"</{stack.pop() if stack else 'mention'}>"
            parts += [line[at : match.start], tag]
            at = match.end
        lines.append("".join([*parts, line[at:]]))
    return "\n".join(lines)
