"""Program that runs flashtext with a term list."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from windows import Mentions, Tag, serve


def load(arguments: argparse.Namespace) -> Tag:
    """Load the term list; return a function that tags texts."""
    flashtext: Any = importlib.import_module("flashtext")
    processor = flashtext.KeywordProcessor(case_sensitive=arguments.case)
    for line in Path(arguments.terms).read_text(encoding="utf-8").splitlines():
        term = line.partition("\t")[0].strip()
        if term and not term.startswith("#"):
            processor.add_keyword(term)

    def mentions(text: str) -> Mentions:
        # a few capitals become longer in lower case, and flashtext counts in the lower-case text
        if not arguments.case and len(text.lower()) != len(text):
            text = "".join(c if len(c.lower()) == 1 else "?" for c in text)
        return [
            {"start": start, "end": end, "type": "gp"}
            for _, start, end in processor.extract_keywords(text, span_info=True)
        ]

    return lambda texts: [mentions(text) for text in texts]


def main() -> None:
    """Tag the texts on standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--terms", required=True, help="term list, one term per line; text after a tab is ignored"
    )
    parser.add_argument("--case", action="store_true", help="distinguish upper and lower case")
    arguments = parser.parse_args()
    serve(lambda: load(arguments))


if __name__ == "__main__":
    main()
