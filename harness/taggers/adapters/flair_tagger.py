"""Program that runs a flair model (HunFlair2 by default)."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from windows import Mentions, Tag, serve


def load(arguments: argparse.Namespace) -> Tag:
    """Load a flair model; return a function that tags texts."""
    data: Any = importlib.import_module("flair.data")
    nn: Any = importlib.import_module("flair.nn")
    model = nn.Classifier.load(arguments.model)

    def tag(texts: list[str]) -> list[Mentions]:
        sentences = [data.Sentence(text) for text in texts]
        model.predict([s for s in sentences if len(s)], mini_batch_size=len(texts))
        return [
            [
                {
                    "start": label.data_point.start_position,
                    "end": label.data_point.end_position,
                    "type": label.value,
                    "score": float(label.score),
                }
                for label in sentence.get_labels()
            ]
            for sentence in sentences
        ]

    return tag


def main() -> None:
    """Tag the texts on standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="hunflair2")
    arguments = parser.parse_args()
    serve(lambda: load(arguments))


if __name__ == "__main__":
    main()
