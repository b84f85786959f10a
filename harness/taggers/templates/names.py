"""Read one sentence per line; print a JSON list of names, without offsets, for each."""

import json
import re
import sys

NAMES = re.compile(r"\b[A-Z]+[A-Za-z]*-?[0-9]+\b")  # put your own tagger here

for line in sys.stdin:
    print(json.dumps([{"text": name, "type": "gp"} for name in NAMES.findall(line)]))
