"""flashtext as a program: JSON lines in (id, text), JSON lines out (id, mentions)."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Tag standard input with a term list."""
    flashtext: Any = importlib.import_module("flashtext")

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--terms", required=True, help="a term a line; what follows a tab is ignored")
    parser.add_argument("--case", action="store_true", help="upper and lower case differ")
    arguments = parser.parse_args()
    processor = flashtext.KeywordProcessor(case_sensitive=arguments.case)
    for line in Path(arguments.terms).read_text(encoding="utf-8").splitlines():
        term = line.partition("\t")[0].strip()
        if term and not term.startswith("#"):
            processor.add_keyword(term)
    for line in sys.stdin:
        record = json.loads(line)
        text = record["text"]
        # lower case of a few capitals is longer, and flashtext counts in the lowered text
        if not arguments.case and len(text.lower()) != len(text):
            text = "".join(c if len(c.lower()) == 1 else "?" for c in text)
        found = [
            {"start": start, "end": end, "type": "gp"}
            for _, start, end in processor.extract_keywords(text, span_info=True)
        ]
        sys.stdout.write(json.dumps({"id": record["id"], "mentions": found}) + "\n")


if __name__ == "__main__":
    main()
