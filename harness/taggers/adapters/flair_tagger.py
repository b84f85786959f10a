"""A flair model (HunFlair2 by default) as a program: JSON lines in (id, text) and out (id, mentions)."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from typing import Any


def main() -> None:
    """Tag standard input."""
    data: Any = importlib.import_module("flair.data")
    nn: Any = importlib.import_module("flair.nn")

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="hunflair2")
    parser.add_argument("--batch", type=int, default=32)
    arguments = parser.parse_args()
    model = nn.Classifier.load(arguments.model)
    records = [json.loads(line) for line in sys.stdin]
    sentences = [data.Sentence(r["text"]) for r in records]
    model.predict([s for s in sentences if len(s)], mini_batch_size=arguments.batch)
    for record, sentence in zip(records, sentences, strict=True):
        found = [
            {
                "start": label.data_point.start_position,
                "end": label.data_point.end_position,
                "type": label.value,
                "score": float(label.score),
            }
            for label in sentence.get_labels()
        ]
        sys.stdout.write(json.dumps({"id": record["id"], "mentions": found}) + "\n")


if __name__ == "__main__":
    main()
