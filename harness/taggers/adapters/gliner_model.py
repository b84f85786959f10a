"""Program that runs a GLiNER model, which finds entities for the given labels."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from windows import Mentions, Tag, serve


def load(arguments: argparse.Namespace) -> Tag:
    """Load a GLiNER model; return a function that tags texts."""
    gliner: Any = importlib.import_module("gliner")
    model = gliner.GLiNER.from_pretrained(arguments.model).to(arguments.device).eval()
    labels = [label.strip() for label in arguments.labels.split(",") if label.strip()]

    def tag(texts: list[str]) -> list[Mentions]:
        return [
            [
                {
                    "start": int(m["start"]),
                    "end": int(m["end"]),
                    "type": m["label"],
                    "score": float(m["score"]),
                }
                for m in found
            ]
            for found in model.inference(texts, labels, threshold=arguments.threshold, batch_size=len(texts))
        ]

    return tag


def main() -> None:
    """Tag the texts on standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="name or folder of a GLiNER model")
    parser.add_argument("--labels", default="gene,protein", help="entity labels, separated by commas")
    parser.add_argument("--threshold", type=float, default=0.5, help="minimum confidence score of a mention")
    parser.add_argument("--device", default="cpu", help="device: cpu, or a GPU such as cuda:0")
    arguments = parser.parse_args()
    serve(lambda: load(arguments))


if __name__ == "__main__":
    main()
