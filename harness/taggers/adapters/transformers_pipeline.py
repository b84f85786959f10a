"""Program that runs a Hugging Face token classification model."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from windows import Mentions, Tag, serve


def load(arguments: argparse.Namespace) -> Tag:
    """Load a token classification model; return a function that tags texts."""
    transformers: Any = importlib.import_module("transformers")
    model = transformers.pipeline(
        "token-classification",
        model=arguments.model,
        aggregation_strategy=arguments.aggregation,
        device=arguments.device,
    )

    def tag(texts: list[str]) -> list[Mentions]:
        return [
            [
                {
                    "start": int(m["start"]),
                    "end": int(m["end"]),
                    "type": m["entity_group"],
                    "score": float(m["score"]),
                }
                for m in found
            ]
            for found in model(texts, batch_size=len(texts))
        ]

    return tag


def main() -> None:
    """Tag the texts on standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="name or folder of a token classification model")
    parser.add_argument("--device", type=int, default=-1, help="number of the GPU, or -1 for the CPU")
    parser.add_argument("--aggregation", default="simple", help="strategy for merging tokens into mentions")
    arguments = parser.parse_args()
    serve(lambda: load(arguments))


if __name__ == "__main__":
    main()
