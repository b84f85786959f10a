"""Read a JSON object with id and text from each line; print a JSON object with id and mentions for it."""

import json
import re
import sys

NAMES = re.compile(r"\b[A-Z]+[A-Za-z]*-?[0-9]+\b")  # put your own tagger here

for line in sys.stdin:
    case = json.loads(line)
    mentions = [{"start": m.start(), "end": m.end(), "type": "gp"} for m in NAMES.finditer(case["text"])]
    print(json.dumps({"id": case["id"], "mentions": mentions}))
