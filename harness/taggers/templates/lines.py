"""Read one sentence per line; print the same line with its mentions in tags."""

import re
import sys

NAMES = re.compile(r"\b[A-Z]+[A-Za-z]*-?[0-9]+\b")  # put your own tagger here

for line in sys.stdin:
    print(NAMES.sub(r"<gp>\g<0></gp>", line.rstrip("\n")))
