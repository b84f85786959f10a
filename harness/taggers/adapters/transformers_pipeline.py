"""A Hugging Face token classification model as a program: JSON lines in (id, text), JSON lines out."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from typing import Any


def main() -> None:
    """Tag standard input."""
    transformers: Any = importlib.import_module("transformers")

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="name or folder of a token classification model")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument(
        "--device", type=int, default=-1, help="-1 is the processor, else the number of a GPU"
    )
    parser.add_argument("--aggregation", default="simple", help="how pieces of words are joined")
    arguments = parser.parse_args()
    tag = transformers.pipeline(
        "token-classification",
        model=arguments.model,
        aggregation_strategy=arguments.aggregation,
        device=arguments.device,
        batch_size=arguments.batch,
    )
    records = [json.loads(line) for line in sys.stdin]
    # an empty text is no input for a model
    filled = [r for r in records if r["text"].strip()]
    answers = dict(
        zip((r["id"] for r in filled), tag([r["text"] for r in filled]) if filled else [], strict=True)
    )
    for record in records:
        found = [
            {
                "start": int(m["start"]),
                "end": int(m["end"]),
                "type": m["entity_group"],
                "score": float(m["score"]),
            }
            for m in answers.get(record["id"], [])
        ]
        sys.stdout.write(json.dumps({"id": record["id"], "mentions": found}) + "\n")


if __name__ == "__main__":
    main()
