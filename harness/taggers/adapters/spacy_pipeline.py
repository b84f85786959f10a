"""Program that runs a spaCy pipeline: a trained one, or a blank one with an EntityRuler for a term list."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from windows import Mentions, Tag, serve


def pipeline(arguments: argparse.Namespace) -> Any:
    """Load a trained pipeline, or make a blank one with an EntityRuler for a term list."""
    spacy: Any = importlib.import_module("spacy")

    if arguments.model:
        return spacy.load(arguments.model)
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    terms = Path(arguments.terms).read_text(encoding="utf-8").splitlines()
    names = sorted({t.partition("\t")[0].strip() for t in terms if t.strip() and not t.startswith("#")})
    ruler.add_patterns([{"label": "gp", "pattern": name} for name in names])
    return nlp


def load(arguments: argparse.Namespace) -> Tag:
    """Load the pipeline; return a function that tags texts."""
    nlp = pipeline(arguments)

    def tag(texts: list[str]) -> list[Mentions]:
        return [
            [{"start": e.start_char, "end": e.end_char, "type": e.label_, "text": e.text} for e in doc.ents]
            for doc in nlp.pipe(texts)
        ]

    return tag


def main() -> None:
    """Tag the texts on standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--model", help="name or folder of a pipeline")
    group.add_argument("--terms", help="term list for an EntityRuler, one term per line")
    arguments = parser.parse_args()
    serve(lambda: load(arguments))


if __name__ == "__main__":
    main()
