"""A spaCy pipeline as a program: JSON lines in (id, text), JSON lines out (id, mentions)."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any


def pipeline(arguments: argparse.Namespace) -> Any:
    """A trained pipeline, or a blank one with an EntityRuler over a term list."""
    spacy: Any = importlib.import_module("spacy")

    if arguments.model:
        return spacy.load(arguments.model)
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    terms = Path(arguments.terms).read_text(encoding="utf-8").splitlines()
    names = sorted({t.partition("\t")[0].strip() for t in terms if t.strip() and not t.startswith("#")})
    ruler.add_patterns([{"label": "gp", "pattern": name} for name in names])
    return nlp


def main() -> None:
    """Tag standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--model", help="name or folder of a pipeline")
    group.add_argument("--terms", help="term list for an EntityRuler")
    parser.add_argument("--batch", type=int, default=256)
    arguments = parser.parse_args()
    nlp = pipeline(arguments)
    records = (json.loads(line) for line in sys.stdin)
    for document, name in nlp.pipe(
        ((r["text"], r["id"]) for r in records), as_tuples=True, batch_size=arguments.batch
    ):
        found = [
            {"start": e.start_char, "end": e.end_char, "type": e.label_, "text": e.text}
            for e in document.ents
        ]
        sys.stdout.write(json.dumps({"id": name, "mentions": found}) + "\n")


if __name__ == "__main__":
    main()
